"""No output takes the place of an input: inputs.py ONYX FOLDER, which is emptied.

Every option and command that writes a file is given the name of a file that the same command reads, then another spelling of the name, a
symbolic link and a hard link. The command says E0008-overwrites, and the file is what it was."""
import os
import shutil
import subprocess
import sys

onyx, folder = sys.argv[1:3]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
problems = []
MATRIX = "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 1 3\n3 2 4\n"
TENSOR = "1 1 1 3\n2 3 1 4\n"
CYCLE = ("--engine", "cycle", "--board", "onyx-8x8")
PROGRAM = 'tensor x: s = "out/x.mtx"\nx(i) = x(i) + x(i)\nresult x\n'


def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def call(*words):
    return subprocess.run([onyx, *words], capture_output=True, text=True, timeout=600)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def spellings(path):
    """Names of the same file: each is an output in turn."""
    head, tail = os.path.split(path)
    link, hard = os.path.join(head, f"link_{tail}"), os.path.join(head, f"hard_{tail}")
    for one, make in ((link, lambda: os.symlink(tail, link)), (hard, lambda: os.link(path, hard))):
        if os.path.lexists(one):
            os.remove(one)
        make()
    return path, os.path.join(head, ".", tail), os.path.abspath(path), link, hard


def refused(what, words, inputs):
    before = {path: content(path) for path in inputs}
    done = call(*words)
    if done.returncode != 1 or "E0008-overwrites" not in done.stderr:
        problems.append(f"{what}: exit code {done.returncode}: {done.stderr or done.stdout}")
    for path, text in before.items():
        if not os.path.exists(path) or content(path) != text:
            problems.append(f"{what}: {path} is gone or changed")


put("B.mtx", MATRIX)
put("E.tns", TENSOR)
put("p.onx", 'tensor B: ss = "B.mtx"\ntensor X: ss\nX(i,j) = B(i,j) + B(i,j)\nresult X\n')
KERNEL = ("run", "X(i,j)=B(i,j)", "-i", "B:B.mtx", *CYCLE)
if call(*KERNEL, "-o", "made").returncode or call("bits", "stat", "made/bitstream.bs", "--board", "onyx-8x8").returncode:
    sys.exit("the first command fails")
if call("tile", "convert", "B.mtx", "-f", "ss", "-o", "B.stored").returncode:
    sys.exit("there is no stored tensor")
call("sweep", "X(i,j)=B(i,j)", "-i", "B:B.mtx", *CYCLE, "--tile", "2,3", "--db", "found.db", "--quiet")
AT = {  # what is read, and the command that writes to {}
    "-o T:FILE": ("B.mtx", (*KERNEL, "-o", "work", "-o", "X:{}")),
    "-o T:FILE alone": ("B.mtx", (*KERNEL, "-o", "X:{}")),
    "-o T:FILE of sam": ("B.mtx", ("sam", "X(i,j)=B(i,j)", "-i", "B:B.mtx", "-o", "X:{}")),
    "--stats": ("B.mtx", ("sam", "X(i,j)=B(i,j)", "-i", "B:B.mtx", "--stats", "{}")),
    "--trace": ("B.mtx", ("sam", "X(i,j)=B(i,j)", "-i", "B:B.mtx", "--trace", "{}")),
    "--log": ("B.mtx", (*KERNEL, "-o", "work", "--log", "{}")),
    "--log of a program": ("p.onx", ("run", "p.onx", *CYCLE, "-o", "work", "--log", "{}")),
    "tile convert": ("B.stored", ("tile", "convert", "B.stored", "-f", "ss", "-o", "{}")),
    "bits to-verilog": ("made/bitstream.bs", ("bits", "to-verilog", "made/bitstream.bs", "--board", "onyx-8x8", "-o", "{}")),
    "bitgen": ("made/design.route", ("bitgen", "made", "--board", "onyx-8x8", "-o", "{}")),
    "bitgen, placement": ("made/design.place", ("bitgen", "made", "--board", "onyx-8x8", "-o", "{}")),
    "pnr --svg": ("made/design.packed", ("pnr", "made/design.packed", "--board", "onyx-8x8", "-o", "work", "--svg", "{}")),
    "view": ("made/report.json", ("view", "made", "-o", "{}")),
    "sweep report --csv": ("found.db", ("sweep", "report", "found.db", "--csv", "{}")),
    "sweep report --html": ("found.db", ("sweep", "report", "found.db", "--html", "{}")),
}
for what, (read, words) in AT.items():
    for name in spellings(read):
        refused(f"{what} {name}", [word.replace("{}", name) for word in words], [read])

# Files of a folder.
for where in (".", os.getcwd(), "./."):
    os.makedirs("own", exist_ok=True)
    put("X.tns", TENSOR)
    done = call("run", "X(i,j)=B(i,j,k)*c(k)", "-i", "B:X.tns", "-g", "c:1:1", *CYCLE, "-o", where, "--quiet")
    if not os.path.exists("X.tns") or content("X.tns") != TENSOR.encode():
        problems.append(f"-o {where}: X.tns is gone: {done.returncode} {done.stderr}")
put("X.mtx", MATRIX)
refused("-o . with X.mtx", ("run", "X(i,j)=B(i,j)", "-i", "B:X.mtx", *CYCLE, "-o", "."), ["X.mtx"])
put("out/x.mtx", "%%MatrixMarket matrix coordinate integer general\n4 1 2\n1 1 3\n3 1 4\n")
put("again.onx", PROGRAM)
refused("a program on its result", ("run", "again.onx", *CYCLE, "-o", "out"), ["out/x.mtx", "again.onx"])
put("design.place", content("made/design.place").decode())
refused("pnr --fixed", ("pnr", "made/design.packed", "--board", "onyx-8x8", "--fixed", "design.place", "-o", "."), ["design.place"])
call("run", "X(i,j)=B(i,j)+", "-i", "B:B.mtx", *CYCLE, "-o", "failed")
call(*KERNEL[:2], "-i", "B:B.mtx", *CYCLE, "-o", "kept")
refused("bugreport -o .", ("bugreport", "kept", "-o", "."), ["B.mtx"])

# What may be replaced still is.
for words in ((*KERNEL, "-o", "made"), (*KERNEL, "-o", "made", "-o", "X:other.mtx"), (*KERNEL, "-o", "made", "--log", "log"),
              (*KERNEL, "-o", "made", "--log", "log"), ("view", "made"), ("view", "made"), ("cosim", "made")):
    done = call(*words)
    if done.returncode:
        problems.append(f"{words}: exit code {done.returncode}: {done.stderr}")
print(f"{len(AT)} outputs, {len(problems)} problems")
print("\n".join(problems[:40]))
sys.exit(bool(problems))
