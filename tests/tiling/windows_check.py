"""Index modifiers against an evaluator in Python: windows_check.py ONYX [SAM CYCLE RTL]

Random slices and shifts in sums, products, and convolutions on engine sam, some on engine cycle; protocols of a dense and of a sparse
vector; the distances between all pairs of rows; and what is refused. B(i(lo:hi:st)) has at i what B has at lo + i * st, B(i+n) what it
has at i + n; extents of slices are how many coordinates they have, shifts keep them. With three numbers, that many random cases on each
engine with random formats of the operands, too: none may be wrong, and at most a tenth refused, which are counted by code.
"""
import collections
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

EVERY = int(os.environ.get("EVERY", 1))
ONYX, CASES, ON_CYCLE = sys.argv[1], 48 // EVERY, max(6 // EVERY, 2)
FOLDER = Path(tempfile.mkdtemp())
failed = []


def write(name, dim, entries):
    wide = dim + (1,) * (2 - len(dim))
    lines = "".join(" ".join(str(c + 1) for c in at + (0,) * (2 - len(at))) + f" {v}\n" for at, v in sorted(entries.items()))
    (FOLDER / name).write_text(f"%%MatrixMarket matrix coordinate integer general\n{wide[0]} {wide[1]} {len(entries)}\n{lines}")


def read(path, order):
    rows = [[int(n) for n in line.split()] for line in path.read_text().splitlines() if line[0] != "%"]
    return tuple(rows[0][:order]), {tuple(c - 1 for c in row[:order]): row[2] for row in rows[1:] if row[2]}


def tensor(dim, density=0.3):
    return {at: random.randint(1, 9) for at in itertools.product(*map(range, dim)) if random.random() < density}


def window(extent):
    """The text behind an index, the extent of the part, and where its coordinates lie in the tensor."""
    how = random.randrange(4)
    if how == 0:
        return "", extent, lambda c: c
    if how == 1:
        n = random.choice([n for n in range(-extent, extent + 1) if n])
        return f"{'+' if n > 0 else '-'}{abs(n)}", extent, lambda c: c + n
    low, step = random.randrange(extent), random.randint(1, 4)
    high = random.randint(low + 1, extent + 3)
    text = f"({low or random.choice(('', 0))}:{high if high < extent or random.random() < 0.5 else ''}" + (
        f":{step})" if step > 1 or random.random() < 0.5 else ")")
    return text, len(range(low, min(high, extent), step)), lambda c: low + c * step


def onyx(expression, operands, engine, *more):
    words = [w for name in operands for w in ("-i", f"{name}:{FOLDER / name}.mtx")]
    return subprocess.run([ONYX, "run", expression, *words, "--engine", engine, "-o", str(FOLDER / "out"), *more], capture_output=True,
                          text=True)


def expect(expression, operands, engine, dim, want, cut):
    got = onyx(expression, operands, engine)
    if got.returncode:
        failed.append(f"{expression} on {engine}: {got.stderr}")
        return
    have = read(FOLDER / "out" / f"{expression[0]}.mtx", len(dim))
    want = {at: v for at, v in want.items() if v}
    if have != (dim, want) or ("E0353-recut" in got.stderr) != cut:
        failed.append(f"{expression} on {engine}: {have} in place of {dim} {want}\n{got.stderr}")


def product(b, c, i, k, l, j):
    """B * C over k with these modifiers of their indices, as text and by the definition."""
    want = {(x, y): sum(b.get((i[2](x), k[2](z)), 0) * c.get((l[2](z), j[2](y)), 0) for z in range(k[1]))
            for x in range(i[1]) for y in range(j[1])}
    return f"X(i,j) = B(i{i[0]}, k{k[0]}) * C(k{l[0]}, j{j[0]})", want


def matrix_case(engine):
    """B * C over k, both with modifiers of both indices, where their parts fit together."""
    rows, inner, columns = (random.randint(2, 14) for _ in range(3))
    i, j = window(rows), window(columns)
    k, l = next(pair for pair in iter(lambda: (window(inner), window(inner)), None) if pair[0][1] == pair[1][1])
    b, c = tensor((rows, inner)), tensor((inner, columns))
    b[0, 0] = c[0, 0] = 1
    write("B.mtx", (rows, inner), b)
    write("C.mtx", (inner, columns), c)
    text, want = product(b, c, i, k, l, j)
    expect(text, ("B", "C"), engine, (i[1], j[1]), want, bool(i[0] or j[0] or k[0] or l[0]))


def vector_case(engine):
    """Parts of one vector, added or multiplied."""
    n = random.randint(2, 30)
    v = tensor((n,))
    v[n - 1,] = 3
    write("v.mtx", (n,), v)
    shifts = random.sample(range(-3, 4), 3)
    sign = random.choice("+*")
    want = {}
    for x in range(n):
        parts = [v.get((x + s,), 0) for s in shifts]
        want[x,] = sum(parts) if sign == "+" else parts[0] * parts[1] * parts[2]
    text = f"x(i) = {f' {sign} '.join(f'v(i{s:+d})' for s in shifts)}"
    expect(text, ("v",), engine, (n,), want, any(shifts))


def convolution(engine):
    """A stencil of 3 x 3 under a mask."""
    n, m = 11, 13
    b, mask = tensor((n, m), 0.4), tensor((n, m), 0.2)
    write("B.mtx", (n, m), b)
    write("M.mtx", (n, m), mask)
    near = [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)]
    want = {(i, j): w * sum(b.get((i + y, j + x), 0) for y, x in near) for (i, j), w in mask.items()}
    text = "X(i,j) = M(i,j) * (" + " + ".join(f"B(i{y:+d}, j{x:+d})" for y, x in near) + ")"
    expect(text, ("M", "B"), engine, (n, m), want, True)


def filter_of_three(density, engine):
    """A vector's filter of length three, with weights, only where the vector itself is stored."""
    n = 60
    v = tensor((n,), density)
    v[n - 1,] = 3
    write("v.mtx", (n,), v)
    want = {(i,): 2 * v.get((i - 1,), 0) + 5 * v[i,] + 3 * v.get((i + 1,), 0) for i, in v}
    expect("x(i) = mask(v(i), 2 * v(i-1) + 5 * v(i) + 3 * v(i+1))", ("v",), engine, (n,), want, True)


def similarity(engine):
    """The squared distance between all pairs of rows: their norms, and the matrix times its transpose."""
    n, m = 9, 12
    a = tensor((n, m), 0.4)
    a[n - 1, m - 1] = 1
    write("A.mtx", (n, m), a)
    (FOLDER / "pairs.onx").write_text("r(i) = A(i,k) * A(i,k)\nD(i,j) = r(i) + r(j) - 2 * A(i,k) * A(j,k)\n")
    got = onyx(str(FOLDER / "pairs.onx"), ("A",), engine)
    want = {(i, j): sum((a.get((i, k), 0) - a.get((j, k), 0)) ** 2 for k in range(m)) for i in range(n) for j in range(n)}
    if got.returncode or read(FOLDER / "out" / "D.mtx", 2) != ((n, n), {at: v for at, v in want.items() if v}):
        failed.append(f"similarity of all pairs on {engine}: {got.stderr}")


FORMATS = ("ss", "ds", "sd", "dd", "ss:1,0", "ds:1,0", "COO", "CSR", "CSC", "DCSR", "DCSC", "Dense", "BCSR", "BCSC", "CSB", "DIA", "Band",
           "Ragged", "VBL", "Bitmap", "RLE", "PackBits", "Hash", "DOK", "ELL", "SELL", "C2SR", "CISR")


def stored_case(engine, refused):
    """An expression of two matrices, with modifiers of each index and formats of each operand."""
    summed = random.random() < 0.5
    b_dim, c_dim = (tuple(random.randint(2, 14) for _ in range(2)) for _ in range(2))
    b_at = [window(extent) for extent in b_dim]
    c_at = [window(extent) for extent in c_dim]
    shared = ((1, 0),) if summed else ((0, 0), (1, 1))
    if any(b_at[x][1] != c_at[y][1] for x, y in shared):
        return False
    b, c = tensor(b_dim), tensor(c_dim)
    b[b_dim[0] - 1, b_dim[1] - 1] = c[c_dim[0] - 1, c_dim[1] - 1] = 1
    write("B.mtx", b_dim, b)
    write("C.mtx", c_dim, c)

    def at(entries, where, x, y):
        return entries.get((where[0][2](x), where[1][2](y)), 0)

    dim = (b_at[0][1], c_at[1][1])
    if summed:
        text, want = product(b, c, *b_at, *c_at)
    else:
        sign = random.choice("+-*")
        text = f"X(i,j) = B(i{b_at[0][0]}, j{b_at[1][0]}) {sign} C(i{c_at[0][0]}, j{c_at[1][0]})"
        pairs = {cell: (at(b, b_at, *cell), at(c, c_at, *cell)) for cell in itertools.product(*map(range, dim))}
        want = {cell: v + w if sign == "+" else v - w if sign == "-" else v * w for cell, (v, w) in pairs.items()}
    formats = [random.choice(FORMATS) for _ in "BC"]
    got = onyx(text, ("B", "C"), engine, "-f", f"B:{formats[0]}", "-f", f"C:{formats[1]}")
    code = re.search(r"error: .*\[(E\d+-[a-z0-9-]+)\]", got.stderr)
    if got.returncode == 1 and code:
        refused[code.group(1)] += 1
    elif got.returncode or read(FOLDER / "out" / "X.mtx", 2) != (dim, {cell: v for cell, v in want.items() if v}):
        failed.append(f"{text} in {formats} on {engine}: {got.stderr}")
    return True


if len(sys.argv) > 2:
    random.seed(19)
    for engine, cases in zip(("sam", "cycle", "rtl"), map(int, sys.argv[2:5])):
        refused, done = collections.Counter(), 0
        while done < cases:
            done += stored_case(engine, refused)
        print(f"{engine}: {cases} cases, {refused.total()} refused: {dict(refused)}")
        if 10 * refused.total() > cases:
            failed.append(f"more than a tenth is refused on {engine}")
    subprocess.run(["rm", "-r", str(FOLDER)], check=True)
    print("\n".join(failed) or "none is wrong")
    sys.exit(bool(failed))

random.seed(7)
for case in range(CASES):
    (matrix_case if case % 3 else vector_case)("cycle" if case < ON_CYCLE else "sam")
convolution("sam")
convolution("cycle")
for density in (0.01, 0.05, 0.5):
    filter_of_three(density, "sam")
    filter_of_three(density, "cycle")
for engine in ("sam", "cycle", "rtl"):
    similarity(engine)
write("v.mtx", (8,), {(c,): c + 1 for c in range(8)})
expect("x(i) = v(i(0:7:2))", ("v",), "sam", (4,), {(0,): 1, (1,): 3, (2,): 5, (3,): 7}, True)

# A sparse matrix times a vector by every protocol: the same result; follow locates the dense vector, the others scan it.
b, c, cycles = tensor((20, 25), 0.2), tensor((25,), 0.5), {}
write("B.mtx", (20, 25), b)
write("c.mtx", (25,), c)
want = {(i,): sum(b.get((i, j), 0) * c.get((j,), 0) for j in range(25)) for i in range(20)}
for protocol in ("walk", "follow", "gallop", "lead"):
    text = f"x(i) = B(i,j) * c(j::{protocol})"
    got = onyx(text, ("B", "c"), "cycle", "-f", "c:d")
    if got.returncode or read(FOLDER / "out" / "x.mtx", 1) != ((20,), {at: v for at, v in want.items() if v}):
        failed.append(f"{text}: {got.stderr}")
        continue
    cycles[protocol] = json.loads((FOLDER / "out" / "report.json").read_text())["cycles"]["kernel"]
    if (protocol in ("gallop", "lead")) != (f"the chip does not {protocol} here" in got.stderr and "E0157-walked" in got.stderr):
        failed.append(f"{text}: {got.stderr}")
if len(cycles) == 4 and not cycles["follow"] < cycles["walk"] == cycles["gallop"] == cycles["lead"]:
    failed.append(f"protocols: {cycles}")
# A sparse vector has no level to locate in: by every protocol of either side both are scanned, in as many cycles.
cycles = set()
for protocols in itertools.product(("walk", "follow", "gallop", "lead"), repeat=2):
    text = "x(i) = B(i,j::{}) * c(j::{})".format(*protocols)
    got = onyx(text, ("B", "c"), "cycle", "-f", "c:s")
    if got.returncode or read(FOLDER / "out" / "x.mtx", 1) != ((20,), {at: v for at, v in want.items() if v}):
        failed.append(f"{text}: {got.stderr}")
        continue
    cycles.add(json.loads((FOLDER / "out" / "report.json").read_text())["cycles"]["kernel"])
    if got.stderr.count("E0157-walked") != sum(protocol != "walk" for protocol in protocols):
        failed.append(f"{text}: {got.stderr}")
if len(cycles) != 1:
    failed.append(f"protocols of a sparse vector: {cycles}")
if "the chip does not follow here" not in onyx("x(i) = B(i,j::follow) * c(j)", ("B", "c"), "sam").stderr:
    failed.append("a level that cannot be followed is followed")

for expression, message, code in (
        ("x(i::walk) = v(i)", "what is written has its indices as they are", "E0156-modifier"),
        ("x(i) = v(i::leap)", "expected walk, follow, gallop or lead", "E0102-syntax"),
        ("x(i+1) = v(i)", "what is written has its indices as they are", "E0156-modifier"),
        ("x(i(0:3)) = v(i)", "what is written has its indices as they are", "E0156-modifier"),
        ("x(i) = v(i(3:3))", "the slice has no coordinate", "E0156-modifier"),
        ("x(i) = v(i(3:4:0))", "the slice has no stride", "E0156-modifier"),
        ("x(i) = v(i(3))", "expected ':' and the end of the slice", "E0102-syntax"),
        ("x(i) = v(i(3:4,5))", "expected ')'", "E0102-syntax"),
        ("x(i) = v(i+j)", "no operand tells how far index j runs", "E0321-no-extent"),
        ("x(i) = struct(v(i+1))", "is of a tensor", "E0152-function"),
        ("x(i) = v(i(8:))", "index 0 of v has coordinates below 8, the slice begins at 8", "E0316-outside"),
        ("x(i) = v(i(0:3)) * v(i(0:4))", "", "E0320-dimension")):
    got = onyx(expression, ("v",), "sam")
    if got.returncode != 1 or message not in got.stderr or f"[{code}]" not in got.stderr:
        failed.append(f"{expression}: {got.returncode} {got.stderr} in place of {message} {code}")
got = subprocess.run([ONYX, "run", "x(i) = v(i(0:3))", "-g", "v:s", "--engine", "sam", "-o", str(FOLDER / "out")], capture_output=True,
                     text=True)
if got.returncode != 1 or "the parts of v do not say how large it is [E0913-fill]" not in got.stderr:
    failed.append(got.stderr)

subprocess.run(["rm", "-r", str(FOLDER)], check=True)
print("\n".join(failed) or "all as they should be")
sys.exit(bool(failed))
