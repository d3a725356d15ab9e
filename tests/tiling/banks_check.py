"""Copies that have banks of their own: banks_check.py ONYX ENGINE CASES [SEED]

Random kernels of a matrix in a format of banks, dealt in turn or to the one with least, with two or three copies of the kernel: results
against an evaluator in Python, and the entries of the fullest copy, and of one on average, against a deal in Python. On engine soc the words that
each copy loads are those of its banks, and of all copies the matrix. Also what is refused.
"""
import itertools
import json
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from batches import loads

sys.path.extend(str(Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota  # noqa: E402

INT16 = ["--dtype", "int16"]
ONYX, ENGINE, CASES = sys.argv[1], sys.argv[2], int(sys.argv[3])
FOLDER = Path(tempfile.mkdtemp())
kept = behaviour.watch(__file__, ONYX, FOLDER, *sys.argv[4:], of="banks" if ENGINE == "cycle" else f"banks_{ENGINE}")
# the expression, and how often the most copies fit
SHAPES = [("x(i) = B(i,j) * c(j)", 3), ("X(i,j) = B(i,k) * C(k,j)", 2), ("X(i,j) = B(i,j) + C(i,j)", 2), ("x(j) = B(i,j) * c(i)", 3),
          ("x(i) = B(i,j) * c(j) + d(i)", 2), ("X(i,j) = B(i,j) * c(i)", 3), ("X(i,j) = B(i,k) * B(j,k)", 2)]
failed, dealt_apart, shares = [], 0, Quota()  # trivial: no value but 0


def write(path, dim, entries):
    wide = dim + (1,) * (2 - len(dim))
    lines = "".join(" ".join(str(c + 1) for c in at + (0,) * (2 - len(at))) + f" {v}\n" for at, v in sorted(entries.items()))
    path.write_text(f"%%MatrixMarket matrix coordinate integer general\n{wide[0]} {wide[1]} {len(entries)}\n{lines}")


def read(path):
    lines = [line.split() for line in path.read_text().splitlines() if line[0] != "%"][1:]
    return {(int(a) - 1, int(b) - 1): int(v) for a, b, v in lines if int(v)}


def evaluate(expression, extents, made):
    """A sum of products, dense."""
    left, right = expression.split(" = ")
    result, want = left[2:-1].split(","), {}
    for term in right.split(" + "):
        factors = [(name, index.split(",")) for name, index in re.findall(r"(\w)\((.*?)\)", term)]
        over = sorted({v for _, index in factors for v in index})
        for values in itertools.product(*(range(extents[v]) for v in over)):
            at, product = dict(zip(over, values)), 1
            for name, index in factors:
                product *= made[name].get(tuple(at[v] for v in index), 0)
            place = tuple(at[v] for v in result)
            want[place + (0,) * (2 - len(place))] = want.get(place + (0,) * (2 - len(place)), 0) + product
    return {at: v for at, v in want.items() if v}


def deal(entries, mode, extent, banks, by_load):
    """The bank of each coordinate: in turn; or the fullest first, of equals the first, to the first with least."""
    if not by_load:
        return [c % banks for c in range(extent)]
    has = [sum(at[mode] == c for at in entries) for c in range(extent)]
    loads, bank = [0] * banks, [0] * extent
    for c in sorted(range(extent), key=lambda c: (-has[c], c)):
        bank[c] = loads.index(min(loads))
        loads[bank[c]] += has[c]
    return bank


def case(number):
    global dealt_apart
    expression, most = random.choice(SHAPES)
    extents = {v: random.randint(1, 40) for v in "ijk"}
    banks, copies, mode, by_load = random.randint(2, 9), random.randint(2, most), random.randrange(2), random.random() < 0.6
    index = "ij"[mode]
    outer = f"schedule({index}, {banks})" if by_load else f"{index} mod {banks}"
    (FOLDER / "banks.formats").write_text(f"format Banks = (i,j) -> ({outer}, i, j) levels(dense, compressed, compressed)\n")
    made, words = {}, []
    for name, indices in dict(reversed(re.findall(r"(\w)\((.*?)\)", expression.split(" = ")[1]))).items():
        if name == "B" and expression.count("B(") > 1:
            extents["j"] = extents["i"]
        dim = tuple(extents[v] for v in indices.split(","))
        skew = random.random() < 0.5
        made[name] = {at: random.randint(1, 9) for at in itertools.product(*map(range, dim))
                      if random.random() < (0.6 / (1 + min(at)) if skew else 0.25)}
        write(FOLDER / f"{name}.mtx", dim, made[name])
        words += ["-i", f"{name}:{FOLDER / name}.mtx"]
        if len(dim) == 1 and random.random() < 0.5:
            words += ["-f", f"{name}:d"]
    if random.random() < 0.7:
        words += ["--tile", str(random.choice((1, 3, 8, 16)))]
    if random.random() < 0.2:
        words += ["--glb-tile", "20"]
    words += ["-f", "B:Banks", "--formats", str(FOLDER / "banks.formats"), "--dispatch", "banks", "--unroll", str(copies), "--engine", ENGINE]
    got = subprocess.run([ONYX, "run", expression, *words, "-o", str(FOLDER / "out")], capture_output=True, text=True)
    if got.returncode:
        failed.append(f"{number}: {expression} {' '.join(words)}: {got.stderr}")
        return
    have = read(FOLDER / "out" / f"{expression[0]}.mtx")
    want = evaluate(expression, extents, made)
    shares.add(trivial=not want)
    if have != want:
        failed.append(f"{number}: {expression} {' '.join(words)} is wrong")
    dispatch = json.loads((FOLDER / "out" / "report.json").read_text())["dispatch"]
    bank = deal(made["B"], mode, max(at[mode] for at in made["B"]) + 1 if made["B"] else 0, banks, by_load)
    load = [sum(bank[at[mode]] % copies == copy for at in made["B"]) for copy in range(copies)]
    want = {"how": "banks", "operand": "B", "index": index, "banks": banks, "entries_most": max(load), "entries_mean": sum(load) / copies}
    dealt_apart += load[1] > 0
    if {k: round(v, 3) if isinstance(v, float) else v for k, v in dispatch.items()} != {
            k: round(v, 3) if isinstance(v, float) else v for k, v in want.items()}:
        failed.append(f"{number}: {expression} {' '.join(words)}: {dispatch} in place of {want}")


def check_images(copies):
    """SpMV of a skewed matrix whose values are numbers of their own."""
    at = [(i, j) for i, j in itertools.product(range(30), range(20)) if random.random() < 0.4 / (1 + i % 4)]
    entries, rows = {place: n + 1 for n, place in enumerate(at)}, max(i for i, _ in at) + 1
    most = []
    for outer in ("i mod 4", "schedule(i, 4)"):
        (FOLDER / "banks.formats").write_text(f"format Banks = (i,j) -> ({outer}, i, j) levels(dense, compressed, compressed)\n")
        ones = {(j,): 1 for j in range(20)}
        write(FOLDER / "B.mtx", (30, 20), entries)
        write(FOLDER / "c.mtx", (20,), ones)
        got = subprocess.run([ONYX, "run", "x(i) = B(i,j) * c(j)", "-f", "B:Banks", "--formats", str(FOLDER / "banks.formats"), "--dispatch", "banks",
                              "--unroll", str(copies), "-i", f"B:{FOLDER / 'B.mtx'}", "-i", f"c:{FOLDER / 'c.mtx'}", "--tile", "8", "--engine", "soc",
                              "-o", str(FOLDER / "out")], capture_output=True, text=True)
        want = evaluate("x(i) = B(i,j) * c(j)", {"i": 30, "j": 20}, {"B": entries, "c": ones})
        if got.returncode or read(FOLDER / "out" / "x.mtx") != want:
            failed.append(f"images of {outer}: {got.stderr or 'wrong'}")
            continue
        streams, runs = loads(FOLDER / "out")
        bank = deal(entries, 0, rows, 4, "schedule" in outer)
        for copy in range(copies):
            own = [i for i, s in enumerate(streams) if s["tensor"] == "B" and s["level"] == -1 and s.get("copy", 0) == copy]
            words = {w for r in runs for i in own for w in struct.unpack(f"<{len(r[i]) // 2}H", r[i])[1:] if w}
            if len(own) != 1 or words != {v for (i, _), v in entries.items() if bank[i] % copies == copy}:
                failed.append(f"images of {outer}: copy {copy} loads {sorted(words)}")
        most.append(json.loads((FOLDER / "out" / "report.json").read_text())["dispatch"]["entries_most"])
    if len(most) == 2 and not most[1] < most[0]:
        failed.append(f"the fullest copy has {most[1]} entries dealt by their load, {most[0]} in turn")


def check_refusals():
    (FOLDER / "banks.formats").write_text("format Banks = (i,j) -> (j mod 3, i, j) levels(dense, compressed, compressed)\n")
    write(FOLDER / "B.mtx", (9, 9), {(i, i): 1 for i in range(9)})
    formats = ["--formats", str(FOLDER / "banks.formats"), "-i", f"B:{FOLDER / 'B.mtx'}", "--unroll", "2", "--dispatch", "banks"]
    for words, code in ((["x(i) = B(i,j) * c(j)", "-g", "c:9:1", "-f", "B:CSR"], 1), (["x(i) = B(i,j) * c(j)", "-g", "c:9:1"], 1),
                        (["x(i) = B(i,j) * c(j)", "-g", "c:9:1", "-f", "B:Banks", "-s", "split(j,j0,j1,4)"], 2),
                        (["x(i) = max(j, B(i,j))", "-f", "B:Banks"], 2)):
        got = subprocess.run([ONYX, "run", *words, *formats, "--engine", ENGINE, "--effort", "1", *INT16, "-o", str(FOLDER / "out")], capture_output=True, text=True)
        if got.returncode != code or "[E0356-banks]" not in got.stderr:
            failed.append(f"{words}: {got.returncode} {got.stderr}")


random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 16)
for n in range(CASES):
    case(n)
check_refusals()
if ENGINE == "soc":
    for n in (2, 3):
        check_images(n)
if CASES > 3 and not dealt_apart:
    failed.append("no case has entries for the second copy")
subprocess.run(["rm", "-r", str(FOLDER)], check=True)
print("\n".join(failed) or "all as they should be")
sys.exit(bool(failed) + kept.count_wrong() != 0 or shares.failed())
