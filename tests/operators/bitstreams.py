#!/usr/bin/env python3
"""Bitstreams as functions: what onyx functions bitstream writes of a folder is bound to other data, other names and parts of expressions on three
engines, against Python; the bitstream stays byte for byte; a generator makes one for each shape; what is refused: bitstreams.py ONYX FOLDER."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path.extend(str(pathlib.Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota  # noqa: E402

ONYX, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
kept = behaviour.watch(__file__, ONYX, FOLDER)
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
random.seed(16)
wrong, shares = [], Quota()  # trivial: no value but 0


def onyx(*args, code=0):
    words = ["--dtype", "int16"] * (args[0] == "run" and "--dtype" not in args)
    r = subprocess.run([ONYX, *args, *words], cwd=FOLDER, text=True, capture_output=True)
    if r.returncode != code:
        wrong.append(f"{' '.join(args)} ended with {r.returncode}:\n{r.stdout}{r.stderr}")
    return r.stdout + r.stderr


def matrix(name, rows, columns, density):
    """A random matrix, as a file and as a dictionary."""
    data = {(i, j): random.randint(-300, 300) for i in range(rows) for j in range(columns) if random.random() < density}
    lines = [f"{i + 1} {j + 1} {v}" for (i, j), v in data.items()]
    (FOLDER / f"{name}.mtx").write_text("\n".join(["%%MatrixMarket matrix coordinate integer general", f"{rows} {columns} {len(lines)}", *lines]) + "\n")
    return data


def product(a, b):
    out = {}
    for (i, k), x in a.items():
        for (l, j), y in b.items():
            if k == l:
                out[i, j] = out.get((i, j), 0) + x * y
    return out


def word(x):
    return (x + 32768) % 65536 - 32768


def holds(what, folder, result, want):
    lines = [line for line in (FOLDER / folder / f"{result}.mtx").read_text().splitlines() if not line.startswith("%")][1:]
    got = {(int(i) - 1, int(j) - 1): int(v) for i, j, v in map(str.split, lines)}
    want = {at: word(v) for at, v in want.items() if word(v)}
    shares.add(trivial=not want)
    if {at: v for at, v in got.items() if v} != want:
        wrong.append(f"{what}: other values")


# A product with two copies that start apart, compiled for some data.
onyx("run", "X(i,j) = B(i,k) * C(k,j)", "-s", "reorder(i,j,k)", "-f", "B:ss", "-f", "C:ss:1,0", "-g", "B:30x40:0.1:1", "-g", "C:40x30:0.1:2", "--engine", "cycle", "--unroll", "2", "--dispatch", "dynamic", "-o", "spmm")
onyx("functions", "bitstream", "spmm", "spmm")
made = (FOLDER / "spmm/bitstream.bs").read_bytes()
if "copies: 2 apart" not in (FOLDER / "spmm/spmm.xf").read_text() or "words(C,1) <= " not in (FOLDER / "spmm/spmm.xf").read_text():
    wrong.append("the description lacks copies or words: " + (FOLDER / "spmm/spmm.xf").read_text())
if "X(i,j) = sum(k, B(i,k) * C(k,j))" not in onyx("functions", "--functions", "spmm/spmm.xf"):
    wrong.append("onyx functions does not list it")
shutil.move(FOLDER / "spmm", FOLDER / "moved")  # the folder is where its description is
CHECKED = re.compile(r"check: (pass|as the reference)")  # the second where 16 bits wrap
XF = "moved/spmm.xf"

a, b, m = matrix("a", 21, 33, 0.2), matrix("b", 33, 17, 0.3), matrix("m", 21, 17, 0.4)
for engine in ("cycle", "rtl", "soc"):
    said = onyx("run", "Y(p,q) = Q(p,r) * R(r,q)", "--functions", XF, "-s", "bind(R(r,q) * Q(p,r), spmm)", "-i", "Q:a.mtx", "-i", "R:b.mtx", "--engine", engine, "-o", engine)
    holds(engine, engine, "Y", product(a, b))
    if "the bitstream of spmm, as it is" not in said or (FOLDER / engine / "bitstream.bs").read_bytes() != made:
        wrong.append(f"{engine}: another bitstream: {said}")
    report = json.loads((FOLDER / engine / "report.json").read_text())
    if report["wall_s"]["place"] or report["wall_s"]["route"] or not report["given"].endswith("moved/"):
        wrong.append(f"{engine}: the report says that something was placed or routed")

# A part of an expression; both operands of one tensor; nothing stored; larger than it holds, in calls that are found and stated.
onyx("run", "Y(p,q) = M(p,q) * (Q(p,r) * R(r,q))", "--functions", XF, "-s", "bind(Q(p,r) * R(r,q), spmm)", "-i", "M:m.mtx", "-i", "Q:a.mtx", "-i", "R:b.mtx", "--engine", "cycle", "-o", "part")
holds("part", "part", "Y", {at: v * m.get(at, 0) for at, v in product(a, b).items()})
s = matrix("s", 19, 19, 0.2)
onyx("run", "Y(p,q) = S(p,r) * S(r,q)", "--functions", XF, "-s", "bind(S(p,r) * S(r,q), spmm)", "-i", "S:s.mtx", "--engine", "cycle", "-o", "square")
holds("square", "square", "Y", product(s, s))
matrix("e", 33, 17, 0)
onyx("run", "Y(p,q) = Q(p,r) * E(r,q)", "--functions", XF, "-s", "bind(Q(p,r) * E(r,q), spmm)", "-i", "Q:a.mtx", "-i", "E:e.mtx", "--engine", "cycle", "-o", "empty")
holds("empty", "empty", "Y", {})
c, d = matrix("c", 60, 50, 0.05), matrix("d", 50, 45, 0.05)
large = ["--functions", XF, "-i", "Q:c.mtx", "-i", "R:d.mtx", "--engine", "cycle", "-o", "large"]
if "E0167-bind" not in onyx("run", "Y(p,q) = Q(p,r) * R(r,q)", "-s", "bind(Q(p,r) * R(r,q), spmm)", *large, code=1):
    wrong.append("operands beyond its limits are not refused")
for schedule in ("map(Q(p,r) * R(r,q), spmm)", "split(p,p0,p1,20), split(r,r0,r1,20), split(q,q0,q1,20), bind(Q(p,r) * R(r,q), spmm)"):
    onyx("run", "Y(p,q) = Q(p,r) * R(r,q)", "-s", schedule, *large)
    holds(schedule, "large", "Y", product(c, d))
if (FOLDER / "large/bitstream.bs").read_bytes() != made:
    wrong.append("calls of other sizes have another bitstream")
# A search takes it where it is expected to take least.
if '-s "map(sum(r, Q(p,r) * R(r,q)), spmm)"' not in onyx("run", "Y(p,q) = Q(p,r) * R(r,q)", "--search", "0", "--explain", "--functions", XF, "-i", "Q:a.mtx", "-i", "R:b.mtx",
                                                        "--engine", "cycle", "-o", "search"):
    wrong.append("--search does not list it")
# A search lists a bitstream of another board, with the reason, and does not take it.
(FOLDER / "moved/ext.xf").write_text((FOLDER / XF).read_text().replace("board: onyx onyx", "board: onyx onyx-ext"))
said = onyx("run", "Y(p,q) = Q(p,r) * R(r,q)", "--search", "0", "--explain", "--functions", "library", "--functions", "moved/ext.xf", "-i", "Q:a.mtx", "-i", "R:b.mtx",
            "--engine", "cycle", "-o", "search")
if "spmm)\": the bitstream is of board onyx, profile onyx-ext" not in said or "gemm)\": " not in said or not CHECKED.search(said):
    wrong.append(f"--search with the bitstream of another board: {said}")

# A generator makes one for each shape: c is dense, so the length of k is part of it.
(FOLDER / "spmv.xf").write_text("name: spmv\ncapability: x(i) = B(i,k) * c(k) when words(B,1) <= 1024 && k <= 64\ndatatypes: int16, bf16\nboard: onyx\ngenerator: kept\nformats: c:d\n")
for rows, columns, says in ((20, 25, "made for this shape"), (31, 25, "as it is"), (8, 40, "made for this shape"), (20, 25, "as it is")):
    said = onyx("run", "y(p) = Q(p,r) * v(r)", "-s", "map(Q(p,r) * v(r), spmv)", "--functions", "spmv.xf", "-g", f"Q:{rows}x{columns}:0.2:3", "-g", f"v:{columns}:1:4", "--engine",
                "cycle", "-o", "generated")
    if says not in said or not CHECKED.search(said):
        wrong.append(f"generator, {rows}x{columns}: {said}")
shapes = sorted(p.name for p in (FOLDER / "kept").iterdir())
if shapes != ["int16_k25", "int16_k40"]:
    wrong.append(f"generated shapes: {shapes}")

# What is refused.
GOOD = (FOLDER / XF).read_text()


def changed(old, new):
    assert old in GOOD
    return GOOD.replace(old, new, 1)


BOUND = ["-s", "bind(Q(p,r) * R(r,q), spmm)", "-g", "Q:9x9:0.3:1", "-g", "R:9x9:0.3:2", "--engine", "cycle", "-o", "refused"]
for text, says in ((changed("loops: i,j,k", "loops: i,k,j"), "other wires"), (changed("copies: 2 apart", "copies: 1"), "other wires"),
                   (changed("C:ss:1,0", "C:ds:1,0"), "other wires"), (changed("board: onyx onyx", "board: onyx onyx-ext"), "is of board onyx, profile onyx-ext"),
                   (changed("loops: i,j,k", "loops: i,j"), "an index of the capability is missing"), (changed("loops: i,j,k", "loops: i,j,j"), "this loop is there already"),
                   (changed("loops: i,j,k", "loops: i,j,z"), "no such index"), (changed("loops: i,j,k\n", ""), "the bitstream has no 'loops'"),
                   (GOOD + "source: a.c\n", "a bitstream has no 'source'"), (GOOD + "edges: i:0\n", "expected an edge"), (changed("copies: 2", "copies: none"), "how many copies"),
                   (changed("bitstream: .", "bitstream: elsewhere"), "E0001-file"), (changed("C:ss:1,0", "C:us"), "dense and compressed levels"),
                   (changed("board: onyx onyx", "board: "), "expected a board"), (changed("bitstream: .", "bitstream:"), "has no folder"),
                   (changed("bitstream: .", "generator: ."), "E0163-description" if "edges" in GOOD else "made for this shape")):
    (FOLDER / "moved/changed.xf").write_text(text)
    said = onyx("run", "Y(p,q) = Q(p,r) * R(r,q)", "--functions", "moved/changed.xf", *BOUND, code=0 if says.startswith("made") else 1)
    if says not in said:
        wrong.append(f"'{says}' is not said: {said}")
said = onyx("run", "Y(p,q) = Q(p,r) * R(r,q)", "--functions", XF, "--fill", "Q:3", *BOUND, code=1)
if "E0177-bitstream" not in said and "E0167-bind" not in said:
    wrong.append(f"another fill: {said}")
said = onyx("run", "Y(p) = Q(p,r) * v(r)", "--functions", XF, "-s", "map(Q(p,r) * v(r), spmm)", "-g", "Q:9x9:0.3:1", "-g", "v:9:0.3:2", "--engine", "cycle", "-o", "refused", code=1)
if "E0167-bind" not in said:
    wrong.append(f"a vector for a matrix: {said}")
onyx("run", "x(i) = A(i,j) * A(j,i)", "-g", "A:9x9:0.3:1", "--engine", "cycle", "-o", "twice")
if "E0177-bitstream" not in onyx("functions", "bitstream", "twice", "twice", code=1):
    wrong.append("a kernel of one tensor in two forms is described")
shutil.copytree(FOLDER / "moved", FOLDER / "other")
onyx("compile", "X(i,j) = B(i,j) * C(i,j)", "-d", "i:9", "-d", "j:9", "-o", "product")
shutil.copy(FOLDER / "product/bitstream.bs", FOLDER / "other/bitstream.bs")
if "configures tiles otherwise" not in onyx("functions", "bitstream", "other", "other", code=3) or (FOLDER / "other/other.xf").exists():
    wrong.append("the bitstream of another kernel is taken")
if "1 checked on 100 inputs each" not in onyx("functions", "check", XF):
    wrong.append("it does not hold for random inputs")

print(*wrong[:10], f"{len(wrong)} wrong", sep="\n")
sys.exit(kept.count_wrong() > 0 or bool(wrong) or shares.failed())
