"""Damages what commands read, one file and one way at a time: damaged.py ONYX SOURCE STEP; STEP > 1 takes every
STEP-th damage only.

Whatever a file holds, a command ends by itself: with exit code 0 if it does not mind, else with the code that goes with
its message, which has an error code; it is never an internal fault, and never takes long. behaviour.py records what it
says and writes where the file that is damaged holds no times."""
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
import quota  # noqa: E402

onyx, source, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
work = tempfile.mkdtemp()
kept, masks = behaviour.Seen("files"), behaviour.masks_of(onyx, work)
os.chdir(work)
problems, runs, minded, shares = [], 0, 0, quota.Quota()  # trivial: the file as it was
VALUES = (None, -1, 1e99, 4294967296, "", "x\u0000\"", [], {}, True)


def call(*words):
    line = [onyx] + list(words)
    return subprocess.run(line, capture_output=True, text=True, errors="replace", timeout=120)


def must(*words):
    done = call(*words)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")


# ---- what is damaged, and who reads it -----------------------------------------------------------------------------

must("run", "x(i)=b(i)*c(i)", "-g", "b:9:0.7", "-g", "c:9:0.7", "--tile", "4", "--engine", "cycle", "--board", "onyx-8x8",
     "-o", "good")
# Without the checksums of its files, by which the folder's readers would refuse them before they read them (whole.py).
with open("good/report.json", encoding="utf-8") as file:
    report = json.load(file)
del report["files"]
with open("good/report.json", "w", encoding="utf-8") as file:
    json.dump(report, file, indent=1)
must("sweep", "x(i)=b(i)", "-g", "b:9:0.7", "--tile", "4,8", "--board", "onyx-8x8", "--db", "good/sweep.db", "--quiet")
must("fabric", "write", "--board", "onyx-8x8", "-o", "good/fabric")
shutil.copy(f"{source}/boards/onyx-8x8.json", "good/board.json")
os.symlink(f"{source}/boards/onyx", "good/onyx")
shutil.copy(f"{source}/examples/functions.fn", "good/functions.fn")
with open("good/data.mtx", "w") as file:
    file.write("%%MatrixMarket matrix coordinate integer symmetric\n% of nothing\n5 5 4\n1 1 7\n3 1 -2\n5 2 9\n5 5 1\n")
with open("good/dense.mtx", "w") as file:
    file.write("%%MatrixMarket matrix array real general\n3 2\n1.5\n0\n-3\n0\n4e2\n1\n")
with open("good/data.tns", "w") as file:
    file.write("# of three modes\n1 1 2 4\n1 3 1 -5\n2 2 2 6\n4 1 1 30\n")


def array(kind, shape, *values):
    """A file of NumPy's."""
    head = str({"descr": "<" + {"i": "i4", "d": "f8", "3s": "S3"}[kind], "fortran_order": False, "shape": shape})
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head) + 1) + head.encode() + b"\n" + struct.pack(f"<{len(values) if kind != '3s' else ''}{kind}", *values)


with open("good/data.npy", "wb") as file:
    file.write(array("d", (2, 3), 1, 0, 2.5, 0, -7, 3))
with zipfile.ZipFile("good/data.npz", "w") as file:
    for name, content in (("indices", array("i", (3,), 0, 2, 1)), ("indptr", array("i", (4,), 0, 2, 2, 3)), ("format", array("3s", (), b"csr")),
                          ("shape", array("i", (2,), 3, 3)), ("data", array("d", (3,), 5, 6, -7))):
        file.writestr(zipfile.ZipInfo(f"{name}.npy"), content)
must("tile", "convert", "good/data.mtx", "-f", "CSR", "-o", "good/csr.stored")
must("tile", "convert", "good/data.mtx", "-f", "BCSR", "-o", "good/bcsr.stored")
with open("good/steps.onx", "w") as file:
    file.write('tensor A: ds = "data.mtx"\ntensor x: d = all 1\nrepeat 2 {\n  y(i) = A(i,j) * x(j)\n  x(i) = y(i)\n}\nresult x\n')
small = ("--board", "onyx-8x8")
packed = ("{}/design.packed", *small)
routed = (*packed, "--place", "{}/design.place", "--route", "{}/design.route")
sta, bitgen, view = ("sta", *routed), ("bitgen", "{}", *small, "-o", "new.bs"), ("view", "{}", "-o", "new.html")
fabric = ("fabric", "check", *small, "--graph", "{}/fabric/17.graph", "--layout", "{}/fabric/onyx-8x8.layout")
READERS = {
    "netlist.json": (view, bitgen, ("bits", "verify", "{}/bitstream.bs", *small, "--design", "{}")),
    "design.packed": (("pnr", *packed, "-o", "new"), ("place", *packed, "-o", "new"), sta),
    "design.place": (("route", *packed, "--place", "{}/design.place", "-o", "new"), bitgen, sta),
    "design.route": (bitgen, sta),
    "bitstream.bs": (("bits", "verify", "{}/bitstream.bs", *small), ("bits", "explain", "{}/bitstream.bs", *small),
                     ("bits", "stat", "{}/bitstream.bs", *small),
                     ("bits", "diff", "{}/bitstream.bs", "good/bitstream.bs", *small),
                     ("bits", "to-verilog", "{}/bitstream.bs", *small, "-o", "new.sv")),
    "report.json": (view,),
    "command.json": (("program", *small, "{}"),),
    "sam.gv": (("sam", "{}/sam.gv"), view),
    "sweep.db": (("sweep", "report", "{}/sweep.db", "--csv", "new.csv", "--html", "new.html"),
                 ("sweep", "x(i)=b(i)", "-g", "b:9:0.7", "--tile", "4", *small, "--db", "{}/sweep.db")),
    "board.json": (("compile", "x(i)=b(i)", "-g", "b:9:0.7", "--board", "{}/board.json", "-o", "new"),
                   ("fabric", "check", "--board", "{}/board.json")),
    "fabric/17.graph": (fabric,),
    "fabric/onyx-8x8.layout": (fabric,),
}
TIMED = ("report.json", "command.json", "sweep.db")
# Short ones, of which more are tried.
LEVELS = ("tile", "levels")
DATA = {
    "data.mtx": ((*LEVELS, "{}/data.mtx", "-f", "ds"), ("tile", "stats", "{}/data.mtx", "--tile", "2")),
    "dense.mtx": ((*LEVELS, "{}/dense.mtx", "-f", "dd"),),
    "data.tns": ((*LEVELS, "{}/data.tns", "-f", "sss"),),
    "data.npy": ((*LEVELS, "{}/data.npy", "-f", "ss"),),
    "data.npz": ((*LEVELS, "{}/data.npz", "-f", "ds"),),
    "csr.stored": ((*LEVELS, "{}/csr.stored", "-f", "ss"),),
    "bcsr.stored": ((*LEVELS, "{}/bcsr.stored", "-f", "ss"),),
    "functions.fn": (("sam", "x(i) = gcd(b(i), c(i))", "--functions", "{}/functions.fn"),),
    "steps.onx": (("run", "{}/steps.onx", "--engine", "sam", "-o", "new"),),
}
READERS |= DATA
REFUSED = ("program",)  # the board has no link, which is seen last


# ---- damages -------------------------------------------------------------------------------------------------------


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(min(len(value), 2)):
            yield from places(value[index], path + (index,))


def put(document, path, value):
    copy = json.loads(json.dumps(document))
    if not path:
        return value
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return copy


def damages(name, content):
    dice = random.Random(name)
    for part in (0, 1, len(content) // 3, len(content) // 2, len(content) - 1):
        yield f"the first {part} bytes", content[:part]
    yield "twice", content + content
    yield "zeros", bytes(len(content))
    for _ in range(40):
        at, bit = dice.randrange(len(content)), dice.randrange(8)
        yield f"bit {bit} of byte {at}", content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1:]
    lines = content.split(b"\n")
    for _ in range(30 if len(lines) > 3 else 0):
        at = dice.randrange(len(lines))
        yield f"without line {at + 1}", b"\n".join(lines[:at] + lines[at + 1:])
        yield f"line {at + 1} twice", b"\n".join(lines[:at + 1] + lines[at:])
        words = lines[at].split(b" ")
        word = dice.randrange(len(words))
        words[word] = dice.choice((b"", b"0", b"-1", b"4294967295", b"99999999999999999999", b"x", b"(", b"\xff"))
        yield f"word {word + 1} of line {at + 1}", b"\n".join(lines[:at] + [b" ".join(words)] + lines[at + 1:])
    if name.endswith(".json"):
        document = json.loads(content)
        every = list(places(document))
        for path in every[::max(1, len(every) // 60)]:
            for value in dice.sample(VALUES, 3):
                yield f"{value!r} at {'.'.join(map(str, path))}", json.dumps(put(document, path, value)).encode()


def judge(name, what, words, done):
    where = f"{name}, {what}: onyx {' '.join(words)}: exit code {done.returncode}"
    if "internal fault" in done.stderr or done.returncode not in (0, 1, 2, 3):
        problems.append(f"{where}: {done.stderr[-300:]}")
    elif done.returncode and not re.search(r"\[E0\d{3}-[a-z0-9-]+\]", done.stderr):
        problems.append(f"{where}: no code: {done.stderr[-300:]}")


def run(name, what, words):
    global runs, minded
    shutil.rmtree("new", ignore_errors=True)
    line = [word.replace("{}", "bad") for word in words]
    runs += 1
    try:
        done = call(*line)
    except subprocess.TimeoutExpired:
        problems.append(f"{name}, {what}: onyx {' '.join(line)}: takes longer than two minutes")
        return True
    judge(name, what, line, done)
    if name not in TIMED:
        made = behaviour.record.files_in("new") if line[-1] == "new" else [line[-1]] if line[-1] in ("new.bs", "new.sv") and os.path.isfile(line[-1]) else []
        kept.printed(f"{name}, {what}: {' '.join(line)}", done, masks, {one: pathlib.Path("new" if line[-1] == "new" else "", one) for one in made})
    minded += done.returncode != 0
    return done.returncode != 0


for name, readers in READERS.items():
    shutil.rmtree("bad", ignore_errors=True)
    shutil.copytree("good", "bad", symlinks=True)
    with open(f"good/{name}", "rb") as file:
        content = file.read()
    for words in readers:
        if run(name, "as it is", words) and words[0] not in REFUSED:
            problems.append(f"{name}, as it is: onyx {' '.join(words)} fails")
    cases = [None, ""] + list(damages(name, content))[::max(1, step // 4) if name in DATA else step]
    for case in cases:
        if os.path.isdir(f"bad/{name}"):
            os.rmdir(f"bad/{name}")
        elif os.path.exists(f"bad/{name}"):
            os.remove(f"bad/{name}")
        if case == "":
            os.mkdir(f"bad/{name}")
        elif case:
            with open(f"bad/{name}", "wb") as file:
                file.write(case[1])
        for words in readers:
            shares.add(not run(name, case[0] if case else "a folder" if case == "" else "missing", words), case and case[1] == content)
shutil.rmtree(work)
print(f"{runs} runs, {minded} refused; {len(problems)} problems")
print("\n".join(problems[:40]))
sys.exit(bool(problems) or kept.count_wrong() != 0 or shares.failed())
