"""Changed command lines and changed files for every command: attack.py ONYX SOURCE FOLDER COUNT SEED

Each input is a command line that works, some of whose words are dropped, doubled, exchanged, damaged or taken from
elsewhere, often with one of its files damaged, too. Whatever it is, the command ends by itself with exit code 0 to 3, no
sanitizer reports anything, an error has its code, and no half-written file stays. What broke one is kept in FOLDER/found.
"""
import gzip
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import time
import zipfile

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from quota import Quota  # noqa: E402

onyx, source, folder, count, seed = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3]).resolve(), \
    int(sys.argv[4]), sys.argv[5]
SECONDS = 120
PRODUCT = ["X(i,j)=B(i,k)*C(k,j)", "-f", "B:ss", "-f", "C:ss:1,0", "-i", "B:B.mtx", "-i", "C:C.mtx"]
SMALL = ["x(i)=b(i)*c(i)", "-g", "b:9:0.7", "-g", "c:9:0.7", "--tile", "4", "--board", "onyx-8x8"]
SHARDED = ["y(i)=A(i,j)*x(j)", "-i", "A:B.mtx", "-g", "x:20:0.5", "--tile", "6", "--engine", "cycle"]
PLACED = ["design/design.packed", "--board", "onyx-8x8", "--place", "design/design.place"]
COMMANDS = [
    ["run", *PRODUCT, "--tile", "8", "--engine", "cycle", "--unroll", "2", "-o", "new"],
    ["run", *PRODUCT, "-s", "reorder(i,k,j)", "--engine", "sam", "-o", "new", "--json"],
    ["run", "y(i)=A(i,j)*x(j)+b(i)", "-i", "A:B.mtx", "-g", "x:20:0.5", "-g", "b:20:0.5:7", "-d", "i:20", "--tile", "i:8,j:4",
     "--engine", "cycle", "--buffers", "2", "-o", "new"],
    ["run", "X(i,j)=T(i,j,k)*v(k)", "-f", "T:sss", "-i", "T:T.tns", "-g", "v:9:1", "--dtype", "bf16", "--profile", "onyx-ext",
     "--engine", "cycle", "-o", "new"],
    ["run", "x(i)=B(i,j)*c(j)+d(i)", "-g", "B:12x9:0.4", "-g", "c:9:0.5", "-g", "d:12:0.5", "-s",
     "precompute(B(i,j)*c(j),{i},{w})", "--engine", "sam", "-o", "new"],
    ["run", "x(i)=B(i,j)*c(j)", "-g", "B:12x9:0.4", "-g", "c:9:0.5", "-s", "split(j,j0,j1,3)", "--engine", "cycle", "-o", "new"],
    ["run", "X(i,j)=B(i,k)*C(k,j)", "-i", "B:D.npy", "-i", "C:S.npz", "--engine", "cycle", "-o", "new"],
    ["run", "x(i)=B(i,j)*c(j)", "-f", "B:Blocks", "-i", "B:B.mtx.gz", "-g", "c:20:0.5", "--formats", "own.formats", "--engine", "sam",
     "-o", "new"],
    ["run", "v(i)=B(i(0:9:2),j)*c(j)", "-i", "B:B.mtx", "-g", "c:20:0.5", "-O0", "--engine", "cycle", "-o", "new"],
    ["run", "steps.onx", "--set", "most=3", "--engine", "cycle", "-o", "new"],
    ["compile", "steps.onx", "--set", "most=2", "-o", "new"],
    ["run", "steps.onx", "--set", "most=3", "--engine", "sam", "--checkpoint", "1", "-o", "cut"],
    ["run", "steps.onx", "-i", "A:D.npy", "--engine", "cycle", "--wave", "-o", "new"],
    ["run", "X(i,j)=M(i,j)*B(i,k)*C(k,j)", "--functions", "library", "-s", "map(B(i,k)*C(k,j),gemm)", "-g", "M:9x8:0.3", "-g", "B:9x7:0.5:2",
     "-g", "C:7x8:0.5:3", "--engine", "cycle", "-o", "new"],
    ["run", "X(i,j)=B(i,k)*C(k,j)", "--functions", "library", "-s", "fix(i), split(k,k0,k1,4), promote(x,0), tag(B,symmetric), bind(B(i,k)*C(k,j),gemv)",
     "-g", "B:9x7:0.5:2", "-g", "C:7x8:0.5:3", "--engine", "sam", "-o", "new"],
    ["run", "x(i)=a(i)*b(i)+a(i)*c(i)", "--functions", "library", "--search", "2", "--explain", "-g", "a:10:1:1", "-g", "b:10:1:2", "-g", "c:10:1:3",
     "--engine", "cycle", "-o", "new"],
    ["run", "y(i)=twice(B(i,j))*own(j,c(j))", "--functions", "own.fn", "--functions", "own.xf", "-g", "B:12x9:0.4", "-g", "c:9:0.5", "--engine", "cycle", "-o", "new"],
    ["run", *PRODUCT, "--profile", "onyx-ext", "--streams", "tensors", "--tile", "8", "--engine", "cycle", "-o", "new"],
    ["run", *PRODUCT, "--tile", "8", "--engine", "soc", "--verify-config", "-o", "new"],
    ["run", *SHARDED[:-1], "soc", "--jobs", "2", "--unroll", "2", "-o", "new"],
    ["run", "steps.onx", "--set", "most=2", "--engine", "soc", "--checkpoint", "1", "-o", "cut"],
    ["run", "x(i)=m3_div(b(i),c(i))", "--functions", "library", "-g", "b:9:0.7", "-g", "c:9:0.7", "--engine", "soc", "-o", "new"],
    ["run", *SHARDED, "--shard", "2/3", "-o", "shard1"],
    ["merge", "shard1", "shard2", "-o", "new"],
    ["run", "x(i)=B(i,j)*c(j)", "-f", "B:Parts", "--formats", "parts.formats", "-i", "B:B.mtx", "-g", "c:20:0.5", "--engine", "sam", "-o", "new"],
    ["run", "x(i)=B(i,j)*c(j)", "-i", "B:parts.stored/1", "-g", "c:20:0.5", "--engine", "cycle", "--jobs", "2", "-o", "new"],
    ["tile", "convert", "B.mtx", "-f", "Parts", "--formats", "parts.formats", "-o", "new.stored"],
    ["tile", "query", "B.mtx", "(i,j) -> count_distinct(j div 4) by (i div 4)"],
    ["functions", "--functions", "own.xf"],
    ["functions", "check", "own.xf"],
    ["compile", *SMALL, "--dump", "cin,sam,onyx", "-o", "new"],
    ["compile", "X(i,j)=B(i,j)+C(i,j)", "-f", "B:dd", "--seed", "3", "--deadlock", "warn", "-o", "new"],
    ["sam", *PRODUCT, "--timing", "sam", "--stats", "stats.json", "--trace", "trace"],
    ["sam", "design/sam.gv", "-g", "b:9:0.7", "-g", "c:9:0.7", "-o", "x:new.tns"],
    ["sweep", *SMALL, "--unroll", "1,2", "--engine", "sam", "--jobs", "2", "--db", "new.db"],
    ["sweep", "report", "sweep.db", "--csv", "new.csv", "--html", "new.html"],
    ["tile", "stats", "B.mtx", "--tile", "4,8", "--json"],
    ["tile", "convert", "B.mtx", "-f", "BCSR", "-o", "new.stored"],
    ["tile", "convert", "kept.stored", "-o", "new.mtx"],
    ["tile", "convert", "S.npz", "-f", "Own", "--formats", "own.formats", "-o", "new.stored"],
    ["reduce", "failed", "--time-limit", "5", "-o", "new"],
    ["bugreport", "design", "--inputs", "none", "--time-limit", "5", "-o", "new"],
    ["tile", "levels", "T.tns", "-f", "sds:2,0,1"],
    ["firmware", "design", "--json"],
    ["view", "design", "-o", "new.html"],
    ["view", "design", "two", "-o", "new.html"],
    ["bits", "verify", "design/bitstream.bs", "--board", "onyx-8x8", "--design", "design"],
    ["bits", "explain", "design/bitstream.bs", "--board", "onyx-8x8"],
    ["bits", "stat", "design/bitstream.bs", "--board", "onyx-8x8"],
    ["bits", "diff", "design/bitstream.bs", "other.bs", "--board", "onyx-8x8"],
    ["bits", "to-verilog", "design/bitstream.bs", "--board", "onyx-8x8", "-o", "new.sv"],
    ["bitgen", "design", "--board", "onyx-8x8", "-o", "new.bs"],
    ["pnr", "design/design.packed", "--board", "onyx-8x8", "--fixed", "design/design.place", "--json", "-o", "new"],
    ["place", "design/design.packed", "--board", "board.json", "--seed", "5", "-o", "new"],
    ["route", *PLACED, "-o", "new"],
    ["sta", *PLACED, "--route", "design/design.route"],
    ["fabric", "check", "--board", "onyx-8x8", "--graph", "fabric/17.graph", "--layout", "fabric/onyx-8x8.layout"],
    ["fabric", "stat", "--board", "board.json"],
    ["fabric", "write", "--board", "onyx-8x8", "-o", "new"],
    ["boards"],
    ["doctor"],
    ["functions"],
    ["program", "--board", "onyx-8x8", "design", "--timeout", "1"],
    ["cosim", "design"],
    ["help", "report"],
    ["--version"],
]
# No word begins with a slash, so that whatever becomes a file's name lies in the folder.
HOSTILE = ["", "-", "--", "-o", "-1", "0", "1", "4294967295", "4294967296", "99999999999999999999", "1e400", "nan", "0x10", "3:", ":", ",",
           "i:0", "i:65536", "b:0:1", "b:3:2", "b:9x9:0.5", "B:missing.mtx", "C:B.mtx", "B:", "x(", "x(i)=", "x(i)=b(j)", "x(i)=b(i)+",
           "X(i,j)=B(j,i)", "x=b(i)", "x(i)=b(i)/0", "x(i)=max(b(i),0)", "%s%n", "\u00e9", "\udcff", "a" * 5000, "(" * 300, "..", "design",
           "missing", "B:ds", "B:ss:0,0", "reorder(i,i)", "split(i,i0,i1,0)", "pos(i,p,B)", "unroll(i,4)", "onyx-ext", "bf16", "cycle", "sam",
           "--json", "--quiet", "--unroll", "--tile", "--hazards", "error", "--timing", "--seed", "--dtype", "--no-check", "--help", "text,json",
           "--shard", "0/2", "3/2", "--checkpoint", "--search", "--explain", "--streams", "tensors", "map(b(i),gemm)", "fix(i)", "promote(b,1)", "tag(b,x)",
           "bind(b(i),host)", "Parts", "library", "none", "design/netlist.json", "steps.onx", "own.xf", "own.fn", "parts.stored/7", "(i,j) -> count by (i)"]
LETTERS = "abijkxBC019-+*=(),:.;%\"'\\ \t\n{}[]<>|&$\u00df\x01"
NUMBERS = [b"0", b"-1", b"1", b"65536", b"4294967295", b"4294967296", b"99999999999999999999", b"1e99", b"nan", b"", b"x", b"\xff", b"("]


def npy(kind, shape, content):
    """A file of one NumPy array."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + content


def prepare(good):
    """Makes the input files of the command lines, with the command itself."""
    def must(*words):
        done = subprocess.run([onyx, *words], cwd=good, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{words}: {done.stderr}")
    dice = random.Random(1)
    for name in "BC":
        cells = sorted(dice.sample(range(400), 60))
        text = "".join(f"{c // 20 + 1} {c % 20 + 1} {dice.randrange(1, 9)}\n" for c in cells)
        (good / f"{name}.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n20 20 60\n{text}")
    (good / "T.tns").write_text("".join(f"{dice.randrange(1, 9)} {dice.randrange(1, 9)} {n + 1} {n + 2}\n" for n in range(9)))
    shutil.copy(f"{source}/boards/onyx-8x8.json", good / "board.json")
    (good / "onyx").symlink_to(pathlib.Path(source, "boards", "onyx").resolve())
    (good / "B.mtx.gz").write_bytes(gzip.compress((good / "B.mtx").read_bytes(), mtime=0))
    (good / "D.npy").write_bytes(npy("<i2", (20, 20), struct.pack("<400h", *(dice.choice((0, 0, 0, 1, -2)) for _ in range(400)))))
    columns = [c for _ in range(20) for c in sorted(dice.sample(range(20), 3))]
    with zipfile.ZipFile(good / "S.npz", "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in (("indices", npy("<i4", (60,), struct.pack("<60i", *columns))),
                              ("indptr", npy("<i4", (21,), struct.pack("<21i", *range(0, 61, 3)))), ("format", npy("|S3", (), b"csr")),
                              ("shape", npy("<i8", (2,), struct.pack("<2q", 20, 20))), ("data", npy("<i4", (60,), struct.pack("<60i", *range(1, 61))))):
            packed.writestr(zipfile.ZipInfo(f"{name}.npy"), content)
    (good / "own.formats").write_text("# blocks, and their diagonals\nformat Blocks = (i,j) -> (i div 4, j div 4, i mod 4, j mod 4) merge(0,1) trim(1,1)\n"
                                      "format Own = (i,j) -> (j - i, i) merge(0) trim(0,0)\n")
    (good / "steps.onx").write_text("param most = 4\ntensor A: ss = \"B.mtx\" ones\ntensor x: s = {0: 1, 3: -2}\ntensor y: s\nscalar n = 0\n"
                                    "repeat until nnz(x) == 0 || n >= most max 5 {\n    n = n + 1\n    y(i) = A(i,j) * x(j)\n    swap x, y\n}\nresult x\n")
    (good / "parts.formats").write_text("format Parts = (i,j) -> decompose(BCSR where count by (i div 4, j div 4) >= 3, CSR)\n"
                                        "format Lines = (i,j) -> (i, j - min(j) by (i)) levels(dense, ragged)\n")
    (good / "own.fn").write_text("def twice(x):\n  {\n    int a = x + x;\n    if (a > 9) { return a - 1; }\n    return a;\n  }\n"
                                 "def root(x):\n  {\n    int r = 0;\n    while ((r + 1) * (r + 1) <= x && r < 181) { r = r + 1; }\n    return r;\n  }\n")
    (good / "own.xf").write_text("# sums so far\ncall: void own(length, values, result)\ncapability: Y(i) = own(i, X(i))\ndatatypes: int16\nsource: own.c\n")
    (good / "own.c").write_text("void own(int n, const double *v, double *r) {\n    double sum = 0;\n    for (int i = 0; i < n; i++)\n        r[i] = sum += v[i];\n}\n")
    must("tile", "convert", "B.mtx", "-f", "BCSR", "-o", "kept.stored")
    must("tile", "convert", "B.mtx", "-f", "Parts", "--formats", "parts.formats", "-o", "parts.stored")
    for n in (1, 2):
        must("run", *SHARDED, "--shard", f"{n}/2", "-o", f"shard{n}")
    cut = subprocess.Popen([onyx, "run", "steps.onx", "--engine", "sam", "--checkpoint", "1", "-o", "cut"], cwd=good, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    while cut.poll() is None and not (good / "cut" / "checkpoint.json").exists():
        time.sleep(0.001)
    cut.kill()
    cut.wait()
    for part in (good / "cut").glob("*.part"):  # killed while writing: irrelevant for the lines below
        part.unlink()
    must("run", *SMALL, "--engine", "cycle", "-o", "design")
    must("compile", *SMALL, "--seed", "2", "-o", "two")
    shutil.copy(good / "two" / "bitstream.bs", good / "other.bs")
    subprocess.run([onyx, "compile", *SMALL, "--unroll", "40", "-o", "failed"], cwd=good, stderr=subprocess.DEVNULL, check=False)
    must("sweep", *SMALL, "--engine", "sam", "--db", "sweep.db", "--quiet")
    must("fabric", "write", "--board", "onyx-8x8", "-o", "fabric")


def damaged_word(dice, word):
    if not word:
        return "x"
    at = dice.randrange(len(word))
    letter = dice.choice(LETTERS)
    return [word[:at] + word[at + 1:], word[:at] + letter + word[at:], word[:at] + letter + word[at + 1:], word + word, word[:at],
            word + ":" + dice.choice(HOSTILE[:16])][dice.randrange(6)].lstrip("/").replace("\0", "")


def changed_number(dice, word):
    numbers = list(re.finditer(r"\d+", word))
    if not numbers:
        return damaged_word(dice, word)
    n = dice.choice(numbers)
    value = int(n.group())
    other = dice.choice((0, 1, value - 1, value + 1, 2 * value, 7 * value, dice.randrange(100), 65535, 65536, 1 << 32))
    return word[:n.start()] + str(other) + word[n.end():]


def changed_line(dice, line):
    line = list(line)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        at, other, kind = dice.randrange(len(line)), dice.randrange(len(line)), dice.randrange(16)
        values = [i for i, word in enumerate(line) if i > 1 and not word.startswith("-")]
        if kind == 0 and len(line) > 1:
            del line[at]
        elif kind == 1:
            line.insert(at, line[other])
        elif kind == 2:
            line[at], line[other] = line[other], line[at]
        elif kind == 3:
            line[at] = dice.choice(HOSTILE)
        elif kind == 4:
            words = dice.choice(COMMANDS)
            begin = dice.randrange(len(words))
            line[at:at] = words[begin:begin + 2]
        elif kind == 5:
            line[at] = damaged_word(dice, line[at])
        elif values:
            at = dice.choice(values)
            line[at] = (damaged_word if kind < 9 else changed_number)(dice, line[at])
    return line


def damaged_file(dice, content):
    lines = content.split(b"\n")
    at, line = dice.randrange(len(content) or 1), dice.randrange(len(lines))
    words = re.split(rb"([ ,:\t]+)", lines[line])
    words[dice.randrange(len(words))] = dice.choice(NUMBERS)
    return [content[:at], content[:at] + bytes([dice.randrange(256)]) + content[at + 1:], content[:at] + content[at // 2:],
            b"\n".join(lines[:line] + lines[line + 1:]), b"\n".join(lines[:line + 1] + lines[line:]),
            b"\n".join(lines[:line] + [b"".join(words)] + lines[line + 1:]), bytes(dice.randrange(256) for _ in range(60))][dice.randrange(7)]


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def run(line, work):
    """Exit code and messages; the code is None after too long."""
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", TMPDIR=str(folder / "tmp"),
                       ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=1:allocator_may_return_null=1",
                       UBSAN_OPTIONS="print_stacktrace=1")
    process = subprocess.Popen([str(onyx), *line], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, start_new_session=True, preexec_fn=limits)
    try:
        messages = process.communicate(timeout=SECONDS)[1]
        return process.returncode, messages.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[1].decode(errors="replace")


def complaint(code, messages, work):
    if code is None:
        return f"takes longer than {SECONDS} seconds"
    if re.search(r"Sanitizer|runtime error:|PROGRAM ERROR|internal fault", messages):
        return "a fault: " + messages[-600:]
    if code not in (0, 1, 2, 3):
        return f"exit code {code}: {messages[-600:]}"
    if code and not re.search(r"\[E0\d{3}-[a-z0-9-]+\]", messages) and '"code":"E0' not in messages:
        return f"no code: {messages[-600:]}"
    if code == 0 and re.search(r"^onyx: error:", messages, re.M):
        return f"an error and exit code 0: {messages[-600:]}"
    left = [str(p.relative_to(work)) for p in work.rglob("*.part")]
    return f"left {left}" if left else None


def control():
    """Ends whose verdict is known, in a folder that holds a half-written file, and in one that does not."""
    clean, left = folder / "tmp", folder / "good"
    (left / "x.mtx.77.part").write_text("")
    good = [(0, ""), (2, "onyx: error: x [E0330-capacity]"), (1, '{"code":"E0001-file"}'), (0, "onyx: warning: x [E0351-wraps]")]
    bad = [(None, ""), (-11, ""), (134, "x [E0001-file]"), (1, "onyx: error: x"), (1, "ERROR: AddressSanitizer: x [E0001-file]"),
           (0, "a.c:1:2: runtime error: x"), (0, "onyx: error: x [E0001-file]")]
    assert not any(complaint(*end, clean) for end in good) and all(complaint(*end, clean) for end in bad) and complaint(0, "", left)
    (left / "x.mtx.77.part").unlink()


def main():
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("good", "bin", "tmp"):
        (folder / name).mkdir(parents=True)
    for program in ("verilator", "openocd", "sbatch"): # these take long, or do what nobody asked them to
        (folder / "bin" / program).write_text("#!/bin/sh\nexit 1\n")
        (folder / "bin" / program).chmod(0o755)
    control()
    prepare(folder / "good")
    files = [p.relative_to(folder / "good") for p in sorted((folder / "good").rglob("*")) if p.is_file() and "onyx" not in p.parts[0]]
    codes, found, shares = {}, 0, Quota()
    for number in range(count):
        dice = random.Random(f"{seed} {number}")
        line = list(COMMANDS[number % len(COMMANDS)])
        work = folder / "deep" / "work"
        shutil.rmtree(folder / "deep", ignore_errors=True)
        shutil.copytree(folder / "good", work, symlinks=True)
        what = ""
        if dice.randrange(2):
            line = changed_line(dice, line)
        else:
            named = [f for f in files if any(str(f) in w or (w == "design" and f.parts[0] == w) for w in line)]
            if named:
                name = dice.choice(named)
                content = (work / name).read_bytes()
                (work / name).write_bytes(damaged_file(dice, content))
                what = f" with {name} damaged" if (work / name).read_bytes() != content else ""
            if not named or not dice.randrange(4):
                line = changed_line(dice, line)
        while not what and line == COMMANDS[number % len(COMMANDS)]:
            line = changed_line(dice, line)
        code, messages = run(line, work)
        codes[code] = codes.get(code, 0) + 1
        shares.add(code == 0)
        wrong = complaint(code, messages, work)
        if wrong:
            found += 1
            shutil.copytree(work, folder / "found" / str(number), symlinks=True, dirs_exist_ok=True)
            print(f"{number}: onyx {shlex.join(line)}{what}: {wrong}", flush=True)
    shutil.rmtree(folder / "deep", ignore_errors=True)
    print(f"{count} inputs, exit codes {codes}, {found} found")
    return shares.failed() or found != 0


sys.exit(main())
