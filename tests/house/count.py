#!/usr/bin/env python3
"""Counts what keeps the house in order, prints a table, and fails where a count is above its bound in bounds.txt.

    count.py SOURCE                  the table; exit code 1 if a bound is broken
    count.py SOURCE --list NAME      what was counted under that name, with file and line
    count.py SOURCE --lower          writes bounds.txt anew: each bound that is above its count becomes the count

README.md says what each count is.
"""
import argparse
import bisect
import collections
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NEW_HEADER = 12  # prototypes of a header not named in bounds.txt
PASSAGE = 6      # code lines of a passage
LONG_FILE = 600  # lines; only a longer file is counted
LARGE = 24       # members; only a struct with more is counted
KEYWORDS = set("""
    auto bool break case char const continue default do double else enum extern false float for goto if inline int long
    register restrict return short signed sizeof static struct switch true typedef union unsigned void volatile while
    size_t ssize_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t FILE NULL
    class namespace template typename public private new delete using this nullptr
    always_comb always_ff assert assign begin end endcase endfunction endgenerate endmodule endpackage function generate
    genvar import initial input inout localparam logic module negedge output package parameter posedge unique wire reg
    and as def del elif except finally from global in is lambda nonlocal not or pass raise try with yield None True
    False self fi then done esac local echo exit
    """.split())


# ---------------------------------------------------------------------------------------------------------------
# Reading C: no parser, but enough of a tokenizer to know functions, their parameters and whom they name.


def blank(match):
    return "".join(c if c == "\n" else " " for c in match.group())


def without_comments(text):
    """C, C++ or SystemVerilog with comments blank, and strings and character constants blank between their quotes."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n]){1,4}\'', re.S)
    return token.sub(lambda m: blank(m) if m.group()[0] == "/" else m.group()[0] + " " * (len(m.group()) - 2) +
                     m.group()[-1], text)


def names_in(code):
    """Identifiers, without those of members: a function is not called by a member of its name."""
    return set(re.findall(r"(?<![\w.>])[A-Za-z_]\w*|(?<=[^-]>)[A-Za-z_]\w*", code))


def structs_in(text):
    """(line, name, members) of each struct and union. A nested struct counts as one member."""
    out = []
    for m in re.finditer(r"\b(?:struct|union)\b\s*(\w*)\s*{", text):
        end = Source.close(text, m.end() - 1)
        body, inner = text[m.end():end - 1], 1
        while inner:
            body, inner = re.subn(r"{[^{}]*}|\([^()]*\)", "", body)
        members = sum(part.count(",") + 1 for part in body.split(";") if part.strip())
        behind = re.match(r"\s*(\w+)", text[end:])
        out.append((text.count("\n", 0, m.start()) + 1, m[1] or (behind[1] if behind else "?"), members))
    return out


class Function:
    def __init__(self, path, line, name, parameters, static):
        self.path, self.line, self.name, self.static = path, line, name, static
        self.parameters = parameters  # texts
        self.names = set()            # identifiers of its body

    def pointers(self):
        """Names of the types taken by pointer."""
        found = (re.match(r"(?:const )?(?:struct )?(\w+) (?:const )?\*+(?:const )?(?:restrict )?\w*$", re.sub(r"\s*\*", " *", p, count=1))
                 for p in self.parameters)
        return {m[1] for m in found if m and m[1] not in KEYWORDS}

    def __str__(self):
        return f"{self.path}:{self.line} {self.name}"


class Source:
    """A C file: its function definitions, its prototypes, and names outside of functions."""

    def __init__(self, root, path):
        self.path = str(path.relative_to(root))
        raw = path.read_text(errors="replace")
        text = without_comments(raw)
        self.functions, self.prototypes, self.outside = [], [], set()
        # Macros are no functions, but what they name is used, also if they make the name of parts; so is what
        # assembler text and aliases name.
        directive = r"(?:[^\n\\]|\\.|\\\n)*"
        macros = " ".join(re.findall(rf"^[ \t]*#[ \t]*define\b({directive})", text, re.M))
        self.beginnings = tuple(re.findall(r"([a-z]\w*_)\s*##", macros))
        for used in [macros] + re.findall(r"\b(?:alias|asm|__asm|__asm__)\s*(?:volatile\s*)?\([^;]*;", raw):
            self.outside |= names_in(used)
        text = re.sub(rf"^[ \t]*#{directive}", blank, text, flags=re.M)
        self.structs = structs_in(text)
        self.lines = raw.count("\n")
        self.tables = set(re.findall(r"^(?!static|extern|typedef)[a-z][\w \t*]*?\b(\w+)(?:\[[^\]]*\])* =", text, re.M))
        self.read(re.sub(r'extern\s+"\s*"\s*\{', blank, text))

    def read(self, text):
        at = start = 0
        lines = [m.start() for m in re.finditer("\n", text)]
        while at < len(text):
            stop = re.compile(r"[;{}]").search(text, at)
            if not stop:
                break
            chunk, at = text[start:stop.start()], stop.end()
            head = self.head(chunk)
            if stop.group() == "{":
                at = self.close(text, stop.start())
                body = text[stop.start():at]
                if head:
                    line = bisect.bisect(lines, start + len(chunk) - len(chunk.lstrip())) + 1
                    function = Function(self.path, line, *head, bool(re.search(r"\bstatic\b", chunk)))
                    function.names = names_in(body)
                    self.functions.append(function)
                    start = at
                    continue
                self.outside |= names_in(body)
                if not re.search(r"=\s*$", chunk) and not re.match(r"\s*(typedef\b|struct\b|union\b|enum\b|static\b.*=)", chunk):
                    start = at  # a block of C++
                continue  # "typedef struct {...} name;" goes on to its semicolon
            if head and not re.match(r"\s*typedef\b", chunk):
                self.prototypes.append(head[0])
            else:
                self.outside |= names_in(chunk)
            start = at

    @staticmethod
    def close(text, at):
        """The position after the brace that closes the brace at `at`."""
        depth = 0
        for m in re.compile(r"[{}]").finditer(text, at):
            depth += 1 if m.group() == "{" else -1
            if depth == 0:
                return m.end()
        return len(text)

    @staticmethod
    def head(chunk):
        """Name and parameters, if the chunk is the head of a function."""
        if "{" in chunk or "=" in chunk.split("(")[0]:
            return None
        for m in re.finditer(r"([A-Za-z_]\w*)\s*\(", chunk):
            name, before = m[1], chunk[:m.start()]
            # A macro in front or behind, or a name without a type before it, is none.
            if before.count("(") != before.count(")") or not name.upper() != name or name in KEYWORDS or \
               name == "__attribute__" or not re.search(r"[\w*]\s*$", before):
                continue
            depth, end = 0, m.end() - 1
            for end in range(m.end() - 1, len(chunk)):
                depth += {"(": 1, ")": -1}.get(chunk[end], 0)
                if depth == 0:
                    break
            inside = " ".join(chunk[m.end():end].split())
            parts, depth, part = [], 0, ""
            for c in inside:
                depth += {"(": 1, ")": -1}.get(c, 0)
                if c == "," and depth == 0:
                    parts.append(part.strip())
                    part = ""
                else:
                    part += c
            parts.append(part.strip())
            return name, [] if parts in ([""], ["void"]) else parts
        return None


# ---------------------------------------------------------------------------------------------------------------
# Counts. Each is a list of lines to print; its length is the count.


def files_of(root, *endings):
    """The files of the tree, without files of a build."""
    skipped = re.compile(r"(build|out|\.)")
    return sorted(p for top in root.iterdir() if not (top.is_dir() and skipped.match(top.name))
                  for p in ([top] if top.is_file() else top.rglob("*")) if p.suffix in endings and p.is_file())


def prototypes(sources):
    """Number of declared functions by header."""
    return {s.path: len(s.prototypes) for s in sources if s.path.endswith(".h")}


def long_heads(sources):
    functions = [f for s in sources for f in s.functions]
    seven = [f"{f}: {len(f.parameters)} parameters" for f in functions if len(f.parameters) >= 7]
    bools = [f"{f}: {sum(p.startswith('bool ') for p in f.parameters)} bools" for f in functions
             if sum(bool(re.match(r"(const )?bool \w+$", p)) for p in f.parameters) >= 2]
    return seven, bools


def large_structs(sources):
    return [f"{s.path}:{line} {name}: {members} members" for s in sources for line, name, members in s.structs if members > LARGE]


def long_files(sources):
    return [f"{s.path}: {s.lines} lines" for s in sources if s.lines > LONG_FILE]


def uses(sources, place):
    """Place of each C file (its path, or its room) to the places of the functions and tables that the file names."""
    home = {name: place(s) for s in sources if s.path.endswith(".c")
            for name in {f.name for f in s.functions if not f.static} | s.tables}
    found = collections.defaultdict(set)
    for s in sources:
        if s.path.endswith(".c"):
            own = {f.name for f in s.functions}
            named = set().union(s.outside, *(f.names for f in s.functions)) - own
            found[place(s)] |= {home[n] for n in named if n in home} - {place(s)}
    return found


def room_of(source):
    return str(pathlib.PurePath(source.path).parent)


def cycles(calls):
    """Files, or rooms, that reach themselves over others, by a path of any length (Tarjan's algorithm, in the order
    of names)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in sorted(calls.get(v, ())):
            if w not in index:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            group = []
            while not group or group[-1] != v:
                group.append(stack.pop())
            if len(group) > 1:
                found.extend(f"{file}: in a circle of {len(group)}" for file in sorted(group))

    for v in sorted(calls):
        if v not in index:
            visit(v)
    return found


def climbs(sources):
    """The struct whose pointer climbs most often: a walk starts in the files that nobody hands it to, a file's floor is
    the least number of files it was handed through, and a climb is a pair of files of which the lower one hands it
    back to a function of one above. Files of one room."""
    functions = {f.name: f for s in sources for f in s.functions if not f.static}
    worst = []
    for kind in sorted({t for f in functions.values() for t in f.pointers()}):
        handed = collections.defaultdict(set)
        for s in sources:
            for f in s.functions:
                if kind in f.pointers():
                    for name in f.names & functions.keys():
                        if kind in functions[name].pointers() and functions[name].path != s.path:
                            handed[s.path].add(functions[name].path)
        files = handed.keys() | set().union(set(), *handed.values())
        if not files:
            continue
        receive = set().union(*handed.values())
        floor = {f: 0 for f in (files - receive or {min(files)})}
        front = sorted(floor)
        while front:
            following = sorted({b for a in front for b in handed.get(a, ()) if b not in floor})
            floor |= {b: floor[front[0]] + 1 for b in following}
            front = following
        # What only a cycle reaches has no floor; it is put below everything, so that its calls count.
        deepest = max(floor.values()) + 1
        up = [f"{kind}: {a} (floor {floor.get(a, deepest)}) hands it up to {b} (floor {floor.get(b, deepest)})"
              for a in sorted(handed) for b in sorted(handed[a]) if floor.get(b, deepest) < floor.get(a, deepest)]
        if len(up) > len(worst):
            worst = up
    return worst


def uncalled(sources, texts, tested):
    """Functions that are defined and that nothing but their own body names: what only a test calls counts, except for the
    text form and the checker of an IR. A name with two underscores in front is the compiler's, whose runtime calls it. `texts` are the other files that may name a function (Python, assembler, descriptions)."""
    used = collections.Counter()
    for s in sources:
        for f in s.functions:
            used.update(f.names - {f.name})
        used.update(s.outside)
    used.update(re.findall(r"[A-Za-z_]\w*", texts))
    made = tuple(b for s in sources for b in s.beginnings)
    return [str(f) for s in sources if s.path.endswith(".c") for f in s.functions
            if not f.static and f.name != "main" and not f.name.startswith("__") and not used[f.name] and not f.name.startswith(made)
            and not (re.search(r"_(dump|parse|check)$", f.name) and f.name in tested)]


def shape_of(line):
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', '"', line)
    line = re.sub(r"\b\d[\w.']*", "0", line)
    return re.sub(r"[A-Za-z_]\w*", lambda m: m.group() if m.group() in KEYWORDS else "n", line)


def code_lines(path):
    """(line number, text) of each line that counts: no blank ones, comments, lone punctuation and includes."""
    text = path.read_text(errors="replace")
    if path.suffix in (".py", ".sh"):
        text = re.sub(r"(^|\s)#[^\n]*", r"\1", text)
    else:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)
    out = []
    for number, line in enumerate(text.split("\n"), 1):
        line = " ".join(line.split())
        if not re.search(r"\w", line) or re.match(r"#\s*include\b|import |from \w+ import|`include", line):
            continue
        out.append((number, line))
    return out


def passages(root, shape):
    """Runs of six or more code lines that occur twice: (lines, place, place), each place paired with the next equal
    one. With `shape` names, strings and numbers count as equal, and literally equal runs are omitted."""
    files = {str(p.relative_to(root)): code_lines(p) for p in files_of(root, ".c", ".h", ".cpp", ".sv", ".py", ".sh", ".js")}
    places = collections.defaultdict(list)
    for name, lines in files.items():
        shapes = [shape_of(line) for _, line in lines] if shape else []
        for i in range(len(lines) - PASSAGE + 1):
            window = tuple(line for _, line in lines[i:i + PASSAGE])
            alike = tuple(shapes[i:i + PASSAGE])
            if not shape:
                places[window].append((name, i, None))
            elif len(set(alike)) > PASSAGE // 2:  # few shapes again and again are a table
                places[alike].append((name, i, window))
    following = collections.defaultdict(set)
    for found in places.values():
        for (a, i, of_a), (b, j, of_b) in zip(found, found[1:]):
            if (a != b or j - i >= PASSAGE) and (not shape or of_a != of_b):
                following[a, b].add((i, j))
    out = []
    for (a, b), pairs in sorted(following.items()):
        for i, j in sorted(pairs):
            if (i - 1, j - 1) in pairs:
                continue
            n = PASSAGE
            while (i + n - PASSAGE + 1, j + n - PASSAGE + 1) in pairs:
                n += 1
            out.append((n, a, files[a][i][0], b, files[b][j][0]))
    return sorted(out, key=lambda r: (-r[0], r[1:]))


def modes(path, text):
    """Words that change a harness's behaviour: options, placeholders of command lines, words compared with an
    argument."""
    if path.suffix == ".py":
        found = re.findall(r'add_argument\("(--[\w-]+)"', text) + re.findall(r'replace\("(\{\w+\})"', text)
        return found + re.findall(r'sys\.argv\[\d\] == "(-?-?[\w-]+)"', text)
    return re.findall(r'argv\[\w+\], "([\w-]+)=?"', text)


def unused_modes(root):
    """Modes of harnesses not used by another file or a page: nothing tests them."""
    harnesses = [p for p in files_of(root, ".py", ".c", ".cpp") if str(p.relative_to(root)).startswith("tests/")]
    texts = {p: p.read_text(errors="replace") for p in files_of(root, ".py", ".c", ".cpp", ".txt", ".sh", ".md", ".cmake", ".json", ".test")}
    texts |= {p: p.read_text(errors="replace") for p in (root / ".ci").glob("*") if p.is_file()}
    said = collections.Counter()
    for text in texts.values():
        said.update(set(re.findall(r"-?-?[\w-]+|\{\w+\}", text)))
    return [f"{p.relative_to(root)}: {word}" for p in harnesses for word in sorted(set(modes(p, texts[p]))) if said[word] < 2]


def stale_rows(root):
    """Rows of docs/notebook/results.md whose cycles are more than 2 % off what tests/bench/cycles.txt keeps, or names as slower."""
    page, cycles = root / "docs/notebook/results.md", root / "tests/bench/cycles.txt"
    if not page.is_file() or not cycles.is_file():
        return []
    kept = {}
    for line in cycles.read_text().splitlines():
        cells = [cell.strip() for cell in line.removeprefix("slower ").split("|")]
        if len(cells) >= 3 and line[0] != "#":
            kept.setdefault((cells[0], cells[1]), []).append(int(cells[2]))
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.read_text().splitlines()]
    return [f"{row[0]}, {row[1]}: {row[8]} on the page, {kept.get((row[0], row[1]))} kept" for row in rows if len(row) == 12 and row[8].isdigit()
            and not any(abs(int(row[8]) - one) <= one / 50 for one in kept.get((row[0], row[1]), ()))]


def untagged_figures(root):
    """Figures of four digits and more in prose of the manual without a command (tests/docs/figures.txt)."""
    if not (root / "tests/docs/figures.py").is_file():
        return []
    done = subprocess.run([sys.executable, root / "tests/docs/figures.py", root, "count"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


DRAWS = re.compile(r"prng_seed\(|random\.Random\(|random\.seed\(|default_rng\(|RandomState\(")
COUNTS = re.compile(r"quota_failed|[Qq]uota\(")
ORDER = re.compile(r"random\.Random\([^()]*\)\.(?:sample|shuffle)\(")  # the order, or a part, of what is listed
KNOWN = re.compile(r"prng_seed\([^()]*\);(?=\s*assert_true\(prng_next\([^()]*\) == 0x)")  # the numbers themselves, by known ones
MEMORY = re.compile(r"prng_seed\([^()]*\);(?=(?:(?!prng_)[^}])*\] = \(uint8_t\)prng_next\()")  # bytes of a memory, as power leaves them


def without_quota(root):
    """Generators of random cases in tests/ that have no quota of trivial and accepted ones (tests/quota.h, quota.py). tests/bench has none: what
    is drawn there are the operands of a measurement. Cases of a file without tests of its own are counted by the tests that call it; and
    a test may leave them to a function with a quota that it calls."""
    texts = {p: p.read_text(errors="replace") for p in files_of(root, ".c", ".py") if re.match("tests/(?!bench/)", str(p.relative_to(root)))}
    sources = {p: Source(root, p) for p in texts if p.suffix == ".c"}
    counting = {f.name for s in sources.values() for f in s.functions if not f.static and "quota_failed" in f.names}
    said = {p: set().union(s.outside, *(f.names for f in s.functions)) for p, s in sources.items()}

    def is_counted(path, text):
        if COUNTS.search(text) or path.suffix == ".py":
            return bool(COUNTS.search(text))
        shared = {f.name for f in sources[path].functions if not f.static and f.name != "main"}
        callers = [p for p in said if p != path and said[p] & shared and COUNTS.search(texts[p])]
        return bool(said[path] & (counting - shared)) or (not re.search(r"\bmain\(|RUN_\w*TESTS\(", text) and bool(callers))

    def draws(text):
        text = KNOWN.sub("", ORDER.sub("", text))
        return DRAWS.search(text if "prng_below(" in text else MEMORY.sub("", text))

    return [str(p.relative_to(root)) for p, text in texts.items() if draws(text) and not is_counted(p, text)]


# ---------------------------------------------------------------------------------------------------------------


def counted(root):
    c_files = files_of(root, ".c", ".h", ".cpp")
    of_tests = [p for p in c_files if str(p.relative_to(root)).startswith("tests/")]
    sources = [Source(root, p) for p in c_files if p not in set(of_tests)]
    tested = set(re.findall(r"[A-Za-z_]\w*", "".join(p.read_text(errors="replace") for p in of_tests)))
    texts = "".join(p.read_text(errors="replace") for p in files_of(root, ".py", ".S", ".ld", ".def", ".xf")
                    if not str(p.relative_to(root)).startswith("tests/"))
    told = lambda rows: [f"{n} lines: {a}:{i} ~ {b}:{j}" for n, a, i, b, j in rows]
    counts = {
        "identical": told(passages(root, False)),
        "similar": told(passages(root, True)),
        "uncalled": uncalled(sources, texts, tested),
        "unused_modes": unused_modes(root),
        "without_quota": without_quota(root),
        "stale_rows": stale_rows(root),
        "untagged_figures": untagged_figures(root),
    }
    counts["cycles"] = cycles(uses(sources, room_of))
    for room in sorted({room_of(s) for s in sources}):
        of_room = [s for s in sources if room_of(s) == room]
        parameters, bools = long_heads(of_room)
        rows = {"parameters": parameters, "bools": bools, "structs": large_structs(of_room), "files": long_files(of_room),
                "cycles": cycles(uses(of_room, lambda s: s.path)), "climbs": climbs(of_room)}
        counts |= {f"{room}/{name}": found for name, found in rows.items()}
    return prototypes(sources), counts


def read_bounds(path):
    """Name to [bound, target], in the file's order."""
    rows = [line.split() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return {name: [int(bound), int(target)] for name, bound, target in rows}


def lower(path, counts):
    """Bounds never grow; bounds of removed headers are removed, too."""
    said = [line for line in path.read_text().splitlines() if line.startswith("#")]
    rows = [f"{name:40} {min(bound, counts[name]):5} {target:5}" for name, (bound, target) in read_bounds(path).items()
            if name in counts]
    path.write_text("\n".join(said + rows) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--list", help="a name of the table")
    parser.add_argument("--lower", action="store_true")
    arguments = parser.parse_args()
    headers, counts = counted(arguments.source.resolve())
    if arguments.list:
        print("\n".join(counts[arguments.list]))
        return 0
    numbers = {name: len(found) for name, found in counts.items()} | headers
    if arguments.lower:
        lower(HERE / "bounds.txt", numbers)
    bounds = read_bounds(HERE / "bounds.txt")
    broken = 0
    print(f"{'':40} count  bound  target")
    for name, count in numbers.items():
        bound, target = bounds.get(name, (NEW_HEADER, NEW_HEADER) if name in headers else (0, 0))
        # Unchanged headers, and rooms with a count of 0, need no line.
        if count <= bound <= NEW_HEADER and (name in headers or "/" in name and count == bound == 0):
            continue
        broken += count > bound
        said = "  ABOVE ITS BOUND" if count > bound else "  the bound can be lowered" if count < bound else ""
        print(f"{name:40} {count:5}  {bound:5}  {target:6}{said}")
        if count > bound and name in counts:
            print("".join(f"    {line}\n" for line in counts[name]), end="")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
