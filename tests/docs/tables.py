"""Tables and numbers of the documentation that the code holds: tables.py SOURCE check | write

A *made* table stands in its page between two comments, "<!-- made by tests/docs/tables.py: NAME -->" and "<!-- end -->" (in the man
page, which is no Markdown, lines that begin with .\\" instead). The man pages of the commands are made as a whole. `check`
compares it with what the code says, `write` renews it. Lists that a page explains in words of its own are only compared: they
must name what the code has, and nothing else.
"""

import json
import pathlib
import re
import sys

SOURCES = (".c", ".h", ".cpp", ".def", ".py", ".sh", ".js", ".json")
source, action = pathlib.Path(sys.argv[1]), sys.argv[2]
bad = []


def text_of(name):
    return (source / name).read_text()


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def array_costs():
    """What a run on the array is expected to cost, by tiling/costs.def."""
    rows = re.findall(r'^ARRAY\(\w+, "(\w+)", ([\d.]+), "(.*)"\)$', text_of("tiling/costs.def"), re.M)
    return table(["cost", "cycles", "for each"], [(f"*{name}*", f"{float(cycles):g}", each) for name, cycles, each in rows])


def processor_costs():
    """The processor's cost of a start pulse, by tiling/costs.def."""
    costs = {name: f"{start} + {load} L + {store} S" for name, start, load, store in
             re.findall(r"^PROCESSOR\((\w+), (\d+), (\d+), (\d+)\)$", text_of("tiling/costs.def"), re.M)}
    return table(["copies start", "B", "W"], [(how, costs[f"busy_{how}"], costs[f"waits_{how}"]) for how in ("together", "apart")])


def memory():
    """The processor's memory on board onyx, by its document and firmware/protocol.h."""
    where = json.loads(text_of("boards/onyx.json"))["memory_map"]
    number = {name: int(value, 16) for name, value in re.findall(r"\b(FW_\w+) = (0x[0-9a-f]+)", text_of("firmware/protocol.h"))}
    sram, mailbox = int(where["sram"], 16), number["FW_MAILBOX_OFFSET"]
    data = mailbox + number["FW_MAILBOX_BYTES"]

    def area(first, last):
        return f"`0x{sram + first:08x}` .. `0x{sram + last:08x}`"

    return table(["address (board `onyx`)", "what"], [
        (f"`{where['code']}`, {int(where['code_bytes'], 16) // 1024} KB", "the program; vectors come first"),
        (area(0, mailbox), "nothing: programs for the chip have found its first words wrong, and say no cause"),
        (area(mailbox, data), "the mailbox"),
        (area(data, number["FW_TABLE_OFFSET"]), "variables, then the stack"),
        (area(number["FW_TABLE_OFFSET"], number["FW_TABLE_END"]), "the run table, written by the host, completed by the firmware"),
        (f"`{where['cgra_data']}`", "the global buffer; the bitstream's image is loaded at its start")])


def mailbox():
    """The mailbox's words, by firmware/mailbox.def."""
    version, made, offset = re.search(r"FW_PROTOCOL_VERSION = (\d+)", text_of("firmware/protocol.h"))[1], [], 0
    text = re.sub(r"/\*.*?\*/", "", text_of("firmware/mailbox.def"), flags=re.S)
    words = {member: 1 if macro == "FW_WORD" else 2 for macro, member in re.findall(r"^(FW_WORD|FW_PAIR)\((\w+)", text, re.M)}
    said = {row[0]: row for macro in ("FW_WORD", "FW_PAIR") for row in rows("firmware/mailbox.def", macro)}
    for member, n in words.items():
        _, _, writer, doc = said[member]
        made.append((f"{offset:02x}" + (f", {offset + 4:02x}" if n == 2 else ""), doc.replace("FW_PROTOCOL_VERSION", version), writer))
        offset += 4 * n
    return table(["offset", "word", "written by"], made)


def run_row():
    """What a row of the run table has, by firmware/row.def."""
    each = {"cell": "of each load, then of each store", "end": "behind them"}
    return table(["section", "byte", "bits", "what", "written by"], [
        (f"{section}, {each[section]}", 4 * int(word), f"{int(low) + int(bits) - 1}:{low}", doc, writer)
        for section, _, word, low, bits, writer, doc in rows("firmware/row.def", "FW_ROW_FIELD")])


def level_kinds():
    """Kinds of levels, by sam/level_kinds.def."""
    made = []
    for key, name, letter, *properties, iterate, locate, assembly, arrays, leaves, doc in rows("sam/level_kinds.def", "KIND"):
        flags = "".join(f if p == "Y" else f.lower() if p == "C" else "" for f, p in zip("FOUBC", properties))
        can = [f"iterate by {iterate}"] * (iterate != "none") + ["locate"] * (locate == "Y") + [assembly] * (assembly != "none")
        made.append((name, f"`{letter[1]}`" if letter != "0" else "", flags, ", ".join(can), arrays, "scanned" if key in ("DENSE", "COMPRESSED")
                     else "re-packed", doc))
    return table(["kind", "letter", "properties", "can", "arrays", "on the array", "what a fiber stores"], made)


def energies():
    """The energy of each part, by report/energy.def, at the chip's node."""
    (least, most), made = [[float(n) for n in row] for row in rows("report/energy.def", "ENERGY_SCALING") if row[0][0].isdigit()][0], []
    for key, name, low, high, node, each, origin in rows("report/energy.def", "ENERGY"):
        if key == "KEY":
            continue
        low, high = float(low) * (least if node == "45" else 1), float(high) * (most if node == "45" else 1)
        made.append((f"`{name}`", each, f"{low:.2g}", f"{(low * high) ** 0.5:.2g}", f"{high:.2g}", origin))
    return table(["count", "a", "low, pJ", "typical", "high", "source"], made)


def rows(name, macro):
    """The arguments of each MACRO(...) of a .def file, strings without their quotes and joined where they follow each other."""
    text = re.sub(r"/\*.*?\*/", "", text_of(name), flags=re.S)
    words = dict(re.findall(r'^#define (\w+) ("(?:\\.|[^"\\])*")$', text, re.M))
    for start in re.finditer(rf"^{macro}\(", text, re.M):
        arguments, depth = [""], 1
        for token in re.finditer(r'"(?:\\.|[^"\\])*"|\w+|\s+|.', text[start.end():]):
            word = words.get(token[0], token[0])
            depth += (word == "(") - (word == ")")
            if depth == 0:
                break
            if word == "," and depth == 1:
                arguments.append("")
            elif word[0] == '"' and depth == 1:
                arguments[-1] += word[1:-1].replace('\\"', '"').replace("\\n", "\n")
            elif not word.isspace():
                arguments[-1] += word
        yield arguments


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def man_options(key):
    for _, name, letter, value, _, commands, _, _, what in OPTION_ROWS:
        if key not in commands.split("|"):
            continue
        short = f"\\fB\\-{letter[1]}\\fR, " if letter not in ("0", "'?'") else ""
        value = "" if value == "NULL" else f"=\\fI{roff(value)}\\fR"
        yield f".TP\n{short}\\fB\\-\\-{roff(name)}\\fR{value}\n{roff(what)}.\n"


def man_commands():
    """The description of each command, by options/commands.def."""
    return "".join(f".TP\n.B {name}\n{roff(does[0].upper() + does[1:])}.\n" for _, name, _, does, _ in COMMAND_ROWS)


def man_every():
    """The options common to every command, by options/options.def."""
    return "".join(man_options("EVERY"))


def man_page(name, forms, does, says, options):
    """The man page of one command."""
    synopsis = ".br\n".join(f"\\fBonyx {name}\\fR [\\fIOPTION\\fR]... {roff(form)}".rstrip() + "\n" for form in forms)
    return (f""".\\" Made by tests/docs/tables.py of options/commands.def and options.def; target 'tables' renews it.
.TH ONYX\\-{roff(name.upper())} 1
.SH NAME
onyx\\-{roff(name)} \\- {roff(does)}
.SH SYNOPSIS
{synopsis}.SH DESCRIPTION
{roff(says)}
""" + (f".SH OPTIONS\n{options}" if options else "") + f""".PP
\\fBonyx\\fR(1) has the options that every command has, the exit codes, and the environment.
.SH SEE ALSO
\\fBonyx\\fR(1); \\fBonyx help\\fR lists the pages of the documentation.
""")


def man_pages():
    """The file of each command's man page, and its text; what belongs to a command, as 'sweep report', stands in its page."""
    for key, name, arguments, does, says in COMMAND_ROWS:
        forms = [""] if arguments == "NULL" else arguments.split("\n")
        options = "".join(man_options(key))
        for part, title, _, _ in SUBCOMMAND_ROWS:
            if title.split()[0] == name:
                options += f".SS onyx {title}\n" + "".join(man_options(part))
        yield f"cmake/man/onyx-{name}.1", man_page(name, forms, does, says if says != "NULL" else does[0].upper() + does[1:] + ".", options)


ENGINES = [row[1] for row in rows("kernel/engines.def", "ENGINE") if row[2] == "true"]
OPTION_ROWS = [(*row[:-1], row[-1].replace("%s", ", ".join(ENGINES[:-1]) + " or " + ENGINES[-1]))
               for row in rows("options/options.def", "OPTION")]
COMMAND_ROWS = list(rows("options/commands.def", "COMMAND"))
SUBCOMMAND_ROWS = [tuple(row) for row in rows("options/commands.def", "SUBCOMMAND")]
MADE = {"cmake/man/onyx.1": {"commands": man_commands, "every": man_every}, "docs/notebook/tiling_notes.md": {"array_costs": array_costs}, "docs/notebook/copies_notes.md": {"processor_costs": processor_costs},
        "docs/firmware.md": {"memory": memory, "mailbox": mailbox, "run_row": run_row}, "docs/storage.md": {"level_kinds": level_kinds}, "docs/energy.md": {"energies": energies}}


def settle(page, old, text):
    if text != old and action == "write":
        (source / page).write_text(text)
    elif text != old:
        bad.append(f"{page} has not what the code says; build target 'tables' renews it")


def renew():
    for page, makers in MADE.items():
        text = old = text_of(page)
        for name, make in makers.items():
            pattern = rf"(<!-- made by tests/docs/tables\.py: {name} -->\n\n).*?(\n<!-- end -->)"
            if page.endswith(".1"):
                pattern = rf'(\.\\" made by tests/docs/tables\.py: {name}\n).*?(\.\\" end\n)'
            text, count = re.subn(pattern, lambda m, make=make: m[1] + make() + m[2], text, flags=re.S)
            if count != 1:
                bad.append(f"{page}: there is no place for the table {name}")
        settle(page, old, text)
    pages = dict(man_pages())
    for page, text in pages.items():
        settle(page, text_of(page) if (source / page).exists() else None, text)
    for path in (source / "cmake/man").glob("onyx-*.1"):
        if f"cmake/man/{path.name}" not in pages and path.name != "onyx-array.1":  # a program that no command of its own starts
            bad.append(f"cmake/man/{path.name} is of no command")


def compare(page, what, stated, held):
    stated, held = set(stated), set(held)
    for name in sorted(stated - held):
        bad.append(f"{page} names {what} {name}, which the code does not have")
    for name in sorted(held - stated):
        bad.append(f"{page} does not name {what} {name}")


def section(page, title):
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#+ |\Z)", text_of(page), re.M | re.S)
    return found[1] if found else ""


def cells(text, column):
    """The words in `backquotes`, or bare, of one column of the tables in a text; head and ruler left out."""
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    for row in rows[1:]:
        yield from re.findall(r"[\w./-]+", row[column])


def lists():
    hazards = re.findall(r'^HAZARD\(\w+, "([a-z-]+)"', text_of("boards/onyx/hazards.def"), re.M)
    monitors = section("docs/notebook/hazard_notes.md", "When each monitor is raised")
    compare("docs/notebook/hazard_notes.md", "hazard", cells(monitors, 0), hazards)
    nodes = text_of("lower_onyx/nodes.def")
    page = section("docs/ir_onyx.md", "Nodes")
    compare("docs/ir_onyx.md", "node", cells(page, 0), re.findall(r'^ONYX_NODE\(\w+, "(\w+)"', nodes, re.M))
    for name in set(re.findall(r'^ONYX_SETTING\(\w+, \w+, "(\w+)"', nodes, re.M)):
        if name not in re.findall(r"\w+", page):
            bad.append(f"docs/ir_onyx.md does not name setting {name}")
    operations = re.findall(r'^OPERATION\((\w+),', text_of("sam/operations.def"), re.M)
    for name in set(operations) - {"program"} - set(re.findall(r"`(\w+)`", text_of("docs/ir_sam.md"))):
        bad.append(f"docs/ir_sam.md does not name operation {name}")
    costs = re.findall(r'^ARRAY\(\w+, "(\w+)"', text_of("tiling/costs.def"), re.M)
    for name in set(costs) - set(re.findall(r"`(\w+)`", text_of("docs/report.md"))):
        bad.append(f"docs/report.md does not name cost {name}")
    boards = [json.loads(path.read_text())["name"] for path in source.glob("boards/*.json")]
    listed = [line.split("|")[1] for line in section("docs/boards.md", "What comes with onyx").splitlines() if line.startswith("| `")]
    compare("docs/boards.md", "board", [name for cell in listed for name in re.findall(r"`([\w-]+)`", cell)], boards)


def options():
    """Every option in the manual belongs to a command, or to another program named by the page."""
    known = set(re.findall(r'^OPTION\(\w+, "([\w-]+)"', next(source.glob("*/options.def")).read_text(), re.M)) | {"help", "version"}
    main = (source / "cli/models/cosim.c").read_text()
    known |= set(re.findall(r"--([a-z][a-z-]*)", main))
    others = {"build", "binary", "cc", "exe", "timing", "top-module", "install", "prefix", "preset", "target", "write", "cflags", "libs", "test-dir", "lib-create", "output-split-cfuncs", "parsable", "unroll-count", "wait", "annotate", "write-info", "no-index", "no-deps", "system-site-packages", "minutes", "seconds"}
    for path in [source / "README.md", *sorted((source / "docs").glob("*.md")), *sorted((source / "docs/notebook").glob("*.md"))]:
        for name in sorted(set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", re.sub(r"<!--.*?-->|\]\([^)]*\)", "", path.read_text()))) - known - others):
            bad.append(f"{path.relative_to(source)} names --{name}, which no command has")


def slug(heading):
    """The anchor of a heading, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", "")).lower().strip()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def section_under(page, anchor):
    """The text under the heading of an anchor, up to the next heading of its level or above; None without it."""
    text, fence, at = [], False, 0
    for line in text_of(page).splitlines():
        fence ^= line.startswith("```")
        heading = None if fence else re.match(r"(#+) (.*)", line)
        if heading and at and len(heading[1]) <= at:
            break
        at = at or (len(heading[1]) if heading and slug(heading[2]) == anchor else 0)
        if at:
            text.append(line)
    return " ".join(" ".join(text).split()) if at else None


def questions():
    """Every question is answered under an existing heading, in its words, two links from README.md at most."""
    linked = {"README.md", "docs/README.md"} | set(re.findall(r"\]\(([\w./]+)", text_of("README.md")))
    linked |= {f"docs/{name}" for name in re.findall(r"\]\(([\w./]+)", text_of("docs/README.md"))}
    commands = {row[1] for row in COMMAND_ROWS} | {"help"}
    known = {row[1] for row in OPTION_ROWS}
    for line in text_of("tests/docs/questions.txt").splitlines():
        if line.startswith("#") or not line:
            continue
        question, answer, said, _ = line.split(" | ")
        page, _, anchor = answer.partition("#")
        text = section_under(page, anchor) if (source / page).is_file() else None
        if text is None:
            bad.append(f"tests/docs/questions.txt: {answer} answers '{question}', and there is no such heading")
            continue
        if page not in linked and str(pathlib.PurePath(page).parent) not in linked:
            bad.append(f"tests/docs/questions.txt: neither README.md nor docs/README.md links {page}")
        for words in said.split("; "):
            if words not in text:
                bad.append(f"{answer} does not say '{words}', which answers '{question}'")
        for name in re.findall(r"--([a-z][a-z-]*)", said):
            if name not in known:
                bad.append(f"tests/docs/questions.txt: no command has --{name}")
        for name in re.findall(r"\bonyx ([a-z]+)\b", said):
            if name not in commands:
                bad.append(f"tests/docs/questions.txt: there is no command {name}")


def links():
    """Every link of the manual leads to a file and a heading; the index of subjects has the place of every question."""
    places = {}
    for path in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        text = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            name, _, anchor = target.partition("#")
            page = ((path.parent / name) if name else path).resolve()
            if re.match(r"[a-z]+:", target):
                continue
            if not page.exists():
                bad.append(f"{path.relative_to(source)} links {target}, and there is no such file")
                continue
            if anchor and page not in places:
                places[page] = set(map(slug, re.findall(r"^#+ (.*)", page.read_text(), re.M)))
            if anchor and anchor not in places[page]:
                bad.append(f"{path.relative_to(source)} links {target}, and there is no such heading")
    index = text_of("docs/subjects.md")
    for line in text_of("tests/docs/questions.txt").splitlines():
        if not line.startswith("#"):
            answer = line.split(" | ")[1]
            if answer.startswith("docs/") and f"({answer.removeprefix('docs/')})" not in index:
                bad.append(f"docs/subjects.md does not link {answer}")


def c_program():
    """The program in C of docs/python.md is the one that tests/install compiles."""
    shown = re.search(r"```c\n(.*?)```", text_of("docs/python.md"), re.S)
    if not shown or shown[1] not in text_of("tests/install/install.sh"):
        bad.append("docs/python.md shows another program in C than tests/install/install.sh compiles")


def words():
    """Every word that the glossary explains is used by another page, as the glossary spells it (or with other endings)."""
    pages = " ".join(path.read_text() for path in [source / "README.md", *(source / "docs").rglob("*.md")] if path.name != "glossary.md").lower()
    for line in text_of("docs/glossary.md").splitlines():
        cell = re.match(r"\| ([^|]+) \|", line)
        for word in re.split(r"[,;] ", cell[1]) if cell and cell[1] not in ("word", "---") else []:
            stem = re.sub(r"\(.*\)|[*\\]", "", word).strip().lower()
            if stem not in pages.replace("*", "").replace("\\", ""):
                bad.append(f"docs/glossary.md explains '{word}', which no other page has")


def terms():
    """The manual has the glossary's words, and none of the words of terms.txt in their place."""
    cells_of_words = re.findall(r"^\| ([^|]+) \|", text_of("docs/glossary.md"), re.M)
    known = {re.sub(r"\(.*\)|[*\\]", "", word).strip().lower() for cell in cells_of_words for word in re.split(r"[,;] ", cell)}
    pages = {path: re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", "X", path.read_text(), flags=re.S)
             for path in [source / "README.md", *sorted((source / "docs").glob("*.md"))]}
    for line in text_of("tests/docs/terms.txt").splitlines():
        term, _, pattern = line.partition(" | ")
        if line.startswith("#"):
            continue
        if term not in known:
            bad.append(f"tests/docs/terms.txt: the glossary does not explain '{term}'")
        for path, text in pages.items():
            bad.extend(f"{path.relative_to(source)} says '{found[0]}' for '{term}' (tests/docs/terms.txt)"
                       for found in re.finditer(rf"\b({pattern})\b", text, re.I))


def files():
    """Every file that a page names is in the tree, or its name in a source; --dump makes the names of dumps.def."""
    rooms = [room for room in source.iterdir() if not room.name.startswith(("build", "."))]
    tree = [path for room in rooms for path in [room, *(room.rglob("*") if room.is_dir() else ())] if path.suffix in SOURCES]
    text = " ".join(path.read_text(errors="replace") for path in tree)
    stages = set(re.findall(r"^DUMP\((\w+),", text_of("kernel/dumps.def"), re.M))
    named = re.compile(r"`(?:[\w-]+/)*([a-z_0-9]+)(\.(?:json|bin|gv|fst|gtkw|txt|html|elf|bs|packed|ir))`")
    for path in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        prose = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
        for stem, kind in sorted(set(named.findall(prose))):
            if stem not in stages and stem + kind not in text and not any(one.name == stem + kind for one in tree):
                bad.append(f"{path.relative_to(source)} names the file {stem}{kind}, which no source has")


def beginnings():
    """Every page of the manual begins with its purpose and its readers."""
    readers = re.compile(r"\bfor (people|users|everyone|whoever|authors|anyone|newcomers|scripts|readers|programs)", re.I)
    for path in sorted((source / "docs").glob("*.md")):
        text = re.sub(r"<!--.*?-->", "", path.read_text(), flags=re.S)
        parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
        first = next(part for part in parts if part and not part.startswith("#"))
        if not readers.search(first):
            bad.append(f"{path.relative_to(source)} does not begin with the people it is for")


def sizes():
    """Statements of README.md about the chip agree with the chip's document."""
    board = json.loads(text_of("boards/onyx.json"))
    array, glb = board["array"], board["glb"]
    rows = array["height"] - 1
    mem = rows * sum(x % array["mem_period"] == array["mem_phase"] for x in range(array["width"]))
    buffer = glb["tiles"] * glb["banks"] * glb["bank_bytes"] // 2**20
    words = f"{array['width']} x {rows} tiles, {array['width'] * rows - mem} PE and {mem} MEM, a {buffer} MB global buffer"
    if words not in " ".join(text_of("README.md").split()):
        bad.append(f"README.md does not say '{words}'")


renew()
lists()
options()
questions()
links()
c_program()
words()
terms()
beginnings()
files()
sizes()
print("\n".join(bad) or "the documentation has what the code says")
sys.exit(bool(bad))
