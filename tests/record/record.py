#!/usr/bin/env python3
"""Records what onyx does, command by command, and compares two such records: how a change that must not change
behaviour is shown not to have changed it.

    record.py record --onyx BIN [--source DIR] --out FILE [--only REGEX] [--quick] [--engines LIST] [--jobs N]
    record.py compare A B [--exceptions FILE] [--lines N]
    record.py same --a BIN --b BIN [--source DIR] [--only REGEX] [--quick] [--engines LIST] [--jobs N]
    record.py list [--source DIR]

README.md says what is recorded, what is masked, and how long it takes.
"""
import argparse
import concurrent.futures
import csv
import difflib
import functools
import hashlib
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

import ctest_units

HERE = pathlib.Path(__file__).resolve().parent
ENGINES = ("sam", "cycle", "rtl", "soc")
TIME_LIMIT = 1800  # seconds for one command; the longest of the suite takes a minute
LARGEST = 4 << 20  # bytes of a file whose text is kept for a comparison's sake; a longer one is only hashed

# ---------------------------------------------------------------------------------------------------------------
# What is recorded: units, each a sequence of commands in a folder of its own.


@functools.cache
def lines_of(path):
    """The file, with the kernels that it takes from tests/flow/kernels.list, as run.py reads it."""
    flow, text = path.parents[1] / "flow", path.read_text()
    if not (flow / "expand.awk").exists() or not re.search(r"^kernels ", text, re.M):
        return text
    ran = subprocess.run(["awk", "-v", f"list={flow}/kernels.list", "-f", flow / "expand.awk", path], check=True,
                         capture_output=True, text=True)
    return "".join(line.split("\t", 1)[1] + "\n" for line in ran.stdout.splitlines())


class Unit:
    """The commands of one .test file (tests/flow/run.py describes the format) on one engine, or as they stand."""

    def __init__(self, path, engine):
        self.path = path
        self.engine = engine
        folder = "flow" if path.parent.name == "flow" else "record"
        self.name = f"{folder}/{path.stem}" + (f"@{engine}" if engine else "")
        text = lines_of(path)
        self.needs = [line[6:] for line in text.splitlines() if line.startswith("needs ")]
        lines = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
        self.commands = [on_engine(line, engine) if engine else line for line in lines]
        self.needs_cosim = any("soc" in c or "cosim" in c for c in self.commands)


def on_engine(command, engine):
    """The command with every run and every sweep on `engine`."""
    command = re.sub(r"--engine[ =](sam|cycle|rtl|soc)\b", f"--engine {engine}", command)
    if "--engine" in command:
        return command
    return re.sub(r"\bonyx (run|sweep)(?= [\"'$-])", rf"onyx \1 --engine {engine}", command)


def units_of(source, engines):
    """tests/flow as it stands; its runs on the other ones of `engines`, too; tests/record on those it names.

    A file of tests/record says in "# engines: ..." where it runs. Those of tests/flow run on sam and cycle besides
    where they are (a file of which most does not run anything does not), since rtl and soc take minutes each.
    """
    units = []
    for path in sorted((source / "tests/flow").glob("*.test")):
        plain = Unit(path, None)
        units.append(plain)
        for engine in ("sam", "cycle"):
            other = Unit(path, engine)
            changed = sum(a != b for a, b in zip(plain.commands, other.commands))
            if engine in engines and 4 * changed >= len(plain.commands):
                units.append(other)
    for path in sorted((source / "tests/record").glob("*.test")):
        named = re.search(r"^# engines: (.*)$", path.read_text(), re.M)
        wanted = named.group(1).split() if named else [None]
        units += [Unit(path, engine) for engine in wanted if engine is None or engine in engines]
    return units


def quick_units():
    """Names of the units of quick.txt, each with the targets that its test needs besides the commands."""
    rows = [line.split() for line in (HERE / "quick.txt").read_text().splitlines() if line and not line.startswith("#")]
    return {name: targets for name, *targets in rows}


def chosen(arguments, tests=None):
    """`tests`: the build folder whose tests are units, too."""
    engines = arguments.engines.split(",")
    units = units_of(arguments.source.resolve(), engines) + (ctest_units.units_of(tests) if tests else [])
    if arguments.quick:
        names = quick_units()
        absent = {name for name in names.keys() - {u.name for u in units} if tests or not name.startswith("test/")}
        if absent:
            print(f"record: of quick.txt are not there: {' '.join(sorted(absent))}")
        units = [u for u in units if u.name in names]
    if arguments.only:
        units = [u for u in units if re.search(arguments.only, u.name)]
    if not units:
        sys.exit("record: nothing is chosen; 'record.py list' names everything there is")
    return units


# ---------------------------------------------------------------------------------------------------------------
# Masks: what differs between two runs of the same program, replaced by '#' or by a name.

TIMES = [
    # objects whose members are all times, then single members; also quoted inside another JSON text
    (re.compile(r'(\\?"(?:wall_s|stage_seconds|seconds)\\?":\s*\{)([^}]*)\}'),
     lambda m: m[1] + re.sub(r"(:\s*)[-+.\de]+", r"\1#", m[2]) + "}"),
    (re.compile(r'(\\?"(?:\w*seconds|\w*_per_second|wall_s|build_s|cpu_s|load_s|wait_s|collect_s|peak_rss_mb)\\?":\s*)[-+.\de]+'),
     r"\1#"),
    # "0.013 s to the bitstream", "12.1 ms" of a sentence
    (re.compile(r"(?<![\w.])\d+(\.\d+)? (s|ms)(?![\w/])"), r"# \2"),
    (re.compile(r"\d+(\.\d+)? kB/s"), "# kB/s"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?"), "#date"),
    # a sweep's folders are named by keys, which hash the program; of points that are equally fast a key decides
    (re.compile(r"\b[0-9a-f]{16}(?=\.(sam|cycle|rtl|soc)\b)"), "#key"),
    (re.compile(r"\bsweep [0-9a-f]{16}\b"), "sweep #key"),
    (re.compile(r"(fastest: )[^;\n]*(; \* no other point)"), r"\1#\2"),
    # the hash of a whole ELF file, whose debug information names folders
    (re.compile(r'("elf":\s*)"[0-9a-f]{16}"'), r'\1"#"'),
    # the revision of the program
    (re.compile(r"\b\d+\.\d+\.\d+ \((?:no revision|[0-9a-f]{7,40}(?:-dirty)?)\)"), "#version"),
    # the report's checksums of files, which are compared themselves
    (re.compile(r'(\\?"files\\?":\s*\{)([^}]*)\}'),
     lambda m: m[1] + re.sub(r'(\\?")[0-9a-f]{16}(?=\\?")', r"\1#", m[2]) + "}"),
    # the mark of a recorded command, by a key that the user's first command draws
    (re.compile(r'("mark":\s*)"[0-9a-f]{16}"'), r'\1"#"'),
    # the file that is written before it takes its name
    (re.compile(r"\.\d+\.part\b"), ".#.part"),
    # a temporary folder
    (re.compile(r"/onyx-[A-Za-z0-9]{6}(?=['/\s])"), "/onyx-#"),
]
PROGRESS = re.compile(r"^.*onyx: [^\n]*, # s[^\n]*\n?", re.M)


def steady(name, text):
    """A text without parts that vary from run to run. Applied again when records are compared: an older record then
    matches a recorder with more masks."""
    for pattern, by in TIMES:
        text = pattern.sub(by, text)
    if name.endswith(".su"):  # GCC's list of frames names folders and lines of the source
        text = re.sub(r"^(?:[^:\n]*/)?([^:/\n]*):[\d#]+:[\d#]+:", r"\1:#:#:", text, flags=re.M)
    if name.endswith(".html"):
        rows = re.compile(r"<circle |<tr><td>")
        following = iter(sorted(line for line in text.split("\n") if rows.match(line)))
        text = "\n".join(next(following) if rows.match(line) else line for line in text.split("\n"))
    return text


class Masks:
    def __init__(self, work, onyx, source):
        build = onyx.parent
        found = [(str(work), "<work>"), (str(build), "<build>"), (str(source.parent / "shared"), "<shared>"),
                 (str(source), "<tree>"), (str(build.parent), "<tree>"), (str(build.parent.parent / "shared"), "<shared>")]
        if "SEEN_BUILD" in os.environ:  # a test of this build folder was given another one's program
            found.append((os.environ["SEEN_BUILD"], "<build>"))
        # The longest first: one folder lies inside another.
        self.paths = sorted(set(found), key=lambda f: -len(f[0]))

    def text(self, text, of=""):
        for path, name in self.paths:
            text = text.replace(path, name)
        return steady(of, text)

    def printed(self, text, command):
        """Standard output or error: how often a stage was slow enough to be named is no behaviour, nor is the order
        in which the points of a sweep end."""
        text = self.text(text)
        if "--progress" in command or "script -" in command:
            text = PROGRESS.sub("", text)
        if "sweep" in command:
            text = re.sub(r"^\[\d+/(\d+)\]", r"[#/\1]", text, flags=re.M)
            point = re.compile(r"(\[#/|  )")
            points = iter(sorted(line for line in text.split("\n") if point.match(line)))
            text = "\n".join(next(points) if point.match(line) else line for line in text.split("\n"))
        return text

    def kept(self, path, name):
        """The same, or where a link leads."""
        if path.is_symlink():
            return b"-> " + self.text(os.readlink(path)).encode()
        return self.file(path, name) if path.is_file() else b"(no file)"

    def file(self, path, name):
        """The representation of a file in the record."""
        data = path.read_bytes()
        if data.startswith(b"SQLite format 3\0"):
            return self.text(database(path)).encode()
        if data.startswith(b"\x7fELF"):
            return loaded(data)
        if name.endswith(".fst"):
            return waves(data)
        if name.endswith("built_from") or name.endswith("build.log"):
            return b"(a key of sources, or what tools said)"
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return data
        if name.endswith(".csv"):
            text = table(text)
        if name.endswith(".map"):
            text = "\n".join(re.findall(r"^ +0x[0-9a-f]+ +[A-Za-z_.]\S*$", text, re.M)) + "\n"
        return self.text(text, name).encode()


def database(path):
    """The rows of a sweep's store, in the order of their settings, without keys (they hash the program) and times."""
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    lines = []
    for name, sql in db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall():
        lines.append(sql or name)
        if not (sql or "").startswith("CREATE TABLE"):
            continue
        rows = db.execute(f'SELECT * FROM "{name}"')
        columns = [c[0] for c in rows.description]
        found = [steady(name, " | ".join(f"{c}={v}" for c, v in zip(columns, row) if c not in HIDDEN)) for row in rows]
        lines += sorted(found)
    db.close()
    return "\n".join(lines) + "\n"


HIDDEN = {"key", "plan", "finished", "wall_s"}  # columns of a sweep's store: hashes of the program, times


def table(text):
    """A sweep's table without those columns; points that are equally fast are in the order of their keys there."""
    rows = list(csv.reader(text.splitlines()))
    shown = [i for i, name in enumerate(rows[0] if rows else []) if name not in HIDDEN]
    return "\n".join(sorted("|".join(row[i] for i in shown if i < len(row)) for row in rows)) + "\n"


def loaded(data):
    """For a 32-bit ELF file its loaded content, since debug information names folders; another one by its size
    class."""
    if data[4] != 1:
        return b"(a program of this machine)"
    entry, start = struct.unpack_from("<II", data, 24)
    size, count = struct.unpack_from("<HH", data, 42)
    out = [b"entry %08x\n" % entry]
    for i in range(count):
        kind, offset, address, _, in_file, in_memory = struct.unpack_from("<6I", data, start + i * size)
        if kind == 1:
            digest = hashlib.sha256(data[offset:offset + in_file]).hexdigest().encode()
            out.append(b"segment %08x, %d bytes, %d in memory: %s\n" % (address, in_file, in_memory, digest))
    return b"".join(out)


def waves(data):
    """An FST file without its first block, which holds the date."""
    if len(data) < 9 or data[0] != 0:
        return data
    return data[1 + struct.unpack_from(">Q", data, 1)[0]:]


# ---------------------------------------------------------------------------------------------------------------
# Recording


class Store:
    """A record: an SQLite file. Equal contents are kept once."""

    def __init__(self, path):
        self.lock = threading.Lock()
        path.unlink(missing_ok=True)
        self.db = sqlite3.connect(path, check_same_thread=False)
        self.db.execute("PRAGMA synchronous = OFF")  # a record is made anew where the machine stops
        self.db.executescript("""
            CREATE TABLE command (unit TEXT, position INTEGER, text TEXT, PRIMARY KEY (unit, position));
            CREATE TABLE part (unit TEXT, position INTEGER, name TEXT, hash TEXT, PRIMARY KEY (unit, position, name));
            CREATE TABLE content (hash TEXT PRIMARY KEY, packed BLOB);""")

    def add(self, unit, position, text, parts):
        with self.lock:
            self.db.execute("INSERT INTO command VALUES (?, ?, ?)", (unit, position, text))
            for name, data in parts.items():
                digest = hashlib.sha256(data).hexdigest()
                packed = zlib.compress(data) if len(data) <= LARGEST else None
                self.db.execute("INSERT OR IGNORE INTO content VALUES (?, ?)", (digest, packed))
                self.db.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (unit, position, name, digest))
            self.db.commit()


def files_in(folder):
    """Path to (inode, size, time of the last change) of every file; the objects of a C++ build are passed over."""
    found = {}
    for where, folders, names in os.walk(folder):
        if pathlib.PurePath(where).name == "rtl":
            folders[:] = [f for f in folders if f != "obj"]
        for name in names:
            path = os.path.join(where, name)
            try:
                s = os.lstat(path)
            except FileNotFoundError:
                continue  # something that is still running removed it
            found[os.path.relpath(path, folder)] = (s.st_ino, s.st_size, s.st_mtime_ns)
    return found


def run_command(command, folder, environment):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err, start_new_session=True)
        try:
            code = child.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            code = "none: the time limit"
        out.seek(0)
        err.seek(0)
        return code, out.read().decode(errors="backslashreplace"), err.read().decode(errors="backslashreplace")


def record_unit(unit, onyx, source, work, store):
    """Runs the unit's commands one after the other in one folder, as tests/flow/run.py does."""
    if isinstance(unit, ctest_units.Unit):
        return unit.record(onyx, work, store)
    base = work / re.sub(r"\W", "_", unit.name)
    run = base / "run"
    for folder in ("run", "bin", "tmp", "home"):
        (base / folder).mkdir(parents=True)
    (base / "bin/onyx").symlink_to(onyx)
    data = source / "../shared/data"
    environment = {k: v for k, v in os.environ.items() if k not in ("TERM", "NO_COLOR", "ONYX_HOME")}
    environment |= {"SRC": str(source), "DATA": str(data), "HOME": str(base / "home"), "TMPDIR": str(base / "tmp"),
                    "PATH": f"{base}/bin:{environment['PATH']}"}
    masks = Masks(base, onyx, source)
    for need in unit.needs:
        if not pathlib.Path(need.replace("$DATA", str(data)).replace("$SRC", str(source))).exists():
            store.add(unit.name, 0, f"needs {need}", {"skipped": b"it is not there"})
            return unit.name, 0
    before = {}
    for position, command in enumerate(unit.commands):
        code, out, err = run_command(command, run, environment)
        parts = {"exit": str(code).encode(), "stdout": masks.printed(out, command).encode(),
                 "stderr": masks.printed(err, command).encode()}
        after = files_in(run)
        for name in after.keys() - before.keys() | {n for n in after if before.get(n) != after[n]}:
            parts[f"file {masks.text(name)}"] = masks.kept(run / name, name)
        for name in before.keys() - after.keys():
            parts[f"gone {masks.text(name)}"] = b""
        before = after
        store.add(unit.name, position, command, parts)
    shutil.rmtree(base, ignore_errors=True)
    return unit.name, len(unit.commands)


def record(units, onyx, source, out, jobs, quiet=False):
    onyx, source, out = onyx.resolve(), source.resolve(), out.resolve()
    if not os.access(onyx, os.X_OK):
        sys.exit(f"record: there is no program '{onyx}'")
    if any(u.needs_cosim for u in units) and not (onyx.parent / "onyx-cosim").exists():
        print(f"record: engine soc needs '{onyx.parent}/onyx-cosim', which is not built", file=sys.stderr)
    work = out.with_name(out.name + ".work")
    shutil.rmtree(work, ignore_errors=True)
    store = Store(out)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(record_unit, u, onyx, source, work, store) for u in units]
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            name, commands = future.result()
            if not quiet:
                print(f"[{done}/{len(units)}] {name}: {commands} commands", flush=True)
    store.db.close()
    shutil.rmtree(work, ignore_errors=True)


# ---------------------------------------------------------------------------------------------------------------
# Comparing


class Record:
    def __init__(self, path):
        if not pathlib.Path(path).is_file():
            sys.exit(f"record: there is no record '{path}'")
        self.db = sqlite3.connect(path)
        self.units = {}
        for unit, position, text in self.db.execute("SELECT unit, position, text FROM command ORDER BY 1, 2"):
            self.units.setdefault(unit, []).append((text, {}))
        for unit, position, name, digest in self.db.execute("SELECT unit, position, name, hash FROM part"):
            self.units[unit][position][1][name] = digest

    def text(self, name, digest):
        """Lines of a content; None if not text."""
        packed, = self.db.execute("SELECT packed FROM content WHERE hash = ?", (digest,)).fetchone()
        try:
            return steady(name, zlib.decompress(packed).decode()).splitlines() if packed is not None else None
        except UnicodeDecodeError:
            return None


class Exception_:
    """One line of base.txt: UNIT :: COMMAND :: PART :: LINES :: REASON, four regular expressions and a sentence."""

    def __init__(self, line):
        fields = [f.strip() for f in line.split(" :: ")]
        if len(fields) != 5 or not fields[4]:
            sys.exit(f"record: exceptions are 'UNIT :: COMMAND :: PART :: LINES :: REASON', not '{line}'")
        self.patterns = [re.compile(f) for f in fields[:4]]
        wide = [part for part in ("stdout", "stderr", "texts", "file report.json") if self.patterns[2].search(part)]
        if len(wide) > 1 and self.patterns[3].search("\N{SECTION SIGN}"):
            sys.exit(f"record: '{fields[3]}' allows every line of {' and '.join(wide)}: name the lines, or one part a line ('{line}')")
        self.reason = fields[4]
        self.used = 0

    def allows(self, unit, command, part, lines):
        """Whether the exception mentions every differing line; no lines mean a content other than text."""
        fits = all(p.search(t) for p, t in zip(self.patterns, (unit, command, part)))
        fits = fits and all(self.patterns[3].search(line) for line in lines or [""])
        self.used += fits
        return fits


def read_exceptions(path):
    return [Exception_(line) for line in path.read_text().splitlines() if line.strip() and not line.startswith(("#", "commit "))]


def changed_lines(a, b):
    return [line for line in difflib.unified_diff(a, b, "a", "b", n=0, lineterm="")][2:]


def compare(path_a, path_b, exceptions, shown):
    """Prints every difference; returns the number of differences without an exception."""
    a, b = Record(path_a), Record(path_b)
    found = allowed = parts = commands = 0

    def differ(unit, command, part, lines):
        nonlocal found, allowed
        told = [line[1:] for line in lines if not line.startswith("@@")]
        if any(e.allows(unit, command, part, told) for e in exceptions):
            allowed += 1
            return
        found += 1
        print(f"{unit}: $ {command}\n  {part} differs")
        for line in lines[:shown]:
            print(f"    {line[:200]}")
        if len(lines) > shown:
            print(f"    ... {len(lines) - shown} lines more")

    both = [u for u in a.units if u in b.units]
    for unit in both:
        if [c for c, _ in a.units[unit]] != [c for c, _ in b.units[unit]]:
            differ(unit, "", "the list of commands",
                   changed_lines([c for c, _ in a.units[unit]], [c for c, _ in b.units[unit]]))
            continue
        for (command, in_a), (_, in_b) in zip(a.units[unit], b.units[unit]):
            commands += 1
            for part in sorted(in_a.keys() | in_b.keys()):
                parts += 1
                of_a, of_b = in_a.get(part), in_b.get(part)
                if of_a == of_b:
                    continue
                if of_a is None or of_b is None:
                    differ(unit, command, part, [f"{'+' if of_a is None else '-'} only in the {'second' if of_a is None else 'first'}"])
                    continue
                lines_a, lines_b = a.text(part, of_a), b.text(part, of_b)
                if lines_a is not None and lines_a == lines_b:
                    continue
                differ(unit, command, part, changed_lines(lines_a, lines_b)
                       if lines_a is not None and lines_b is not None else [])
    for name, one, other in (("first", a, b), ("second", b, a)):
        alone = [u for u in one.units if u not in other.units]
        if alone:
            print(f"{len(alone)} units are only in the {name}: {' '.join(alone[:4])}{' ...' if len(alone) > 4 else ''}")
    for e in exceptions:
        if e.used:
            print(f"{e.used} differences are allowed: {e.reason}")
    print(f"{len(both)} units, {commands} commands, {parts} files and outputs: {found} differences, {allowed} allowed")
    if not both:
        print("the records have no unit in common")
    return found + (not both)


# ---------------------------------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("record", "same", "list"):
        p = commands.add_parser(name)
        p.add_argument("--source", type=pathlib.Path, default=HERE.parents[1], help="tree whose tests/flow is run")
        p.add_argument("--only", help="units whose name has a match")
        p.add_argument("--quick", action="store_true", help="those of quick.txt, about a minute")
        p.add_argument("--engines", default=",".join(ENGINES), help="engines to repeat commands on")
        p.add_argument("--jobs", type=int, default=2)
        if name == "record":
            p.add_argument("--onyx", type=pathlib.Path, required=True)
            p.add_argument("--out", type=pathlib.Path, required=True)
        if name == "same":
            p.add_argument("--a", type=pathlib.Path, required=True)
            p.add_argument("--b", type=pathlib.Path, required=True)
    for name in ("compare", "same"):
        p = commands.choices.get(name) or commands.add_parser(name)
        if name == "compare":
            p.add_argument("a", type=pathlib.Path)
            p.add_argument("b", type=pathlib.Path)
        p.add_argument("--exceptions", type=pathlib.Path, default=HERE / "base.txt")
        p.add_argument("--lines", type=int, default=12, help="lines shown of each difference")
    arguments = parser.parse_args()

    if arguments.command == "list":
        for unit in chosen(arguments):
            print(f"{unit.name}: {len(unit.commands)} commands")
        return 0
    if arguments.command == "record":
        record(chosen(arguments), arguments.onyx, arguments.source, arguments.out, arguments.jobs)
        return 0
    exceptions = read_exceptions(arguments.exceptions)
    if arguments.command == "compare":
        return 1 if compare(arguments.a, arguments.b, exceptions, arguments.lines) else 0
    with tempfile.TemporaryDirectory(dir=pathlib.Path.cwd()) as folder:
        units = chosen(arguments)
        for name in ("a", "b"):
            record(units, getattr(arguments, name), arguments.source, pathlib.Path(folder) / f"{name}.record",
                   arguments.jobs)
        return 1 if compare(f"{folder}/a.record", f"{folder}/b.record", exceptions, arguments.lines) else 0


if __name__ == "__main__":
    sys.exit(main())
