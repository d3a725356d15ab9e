"""Slices that leave the operand as it is (--slices keep): slices_check.py ONYX [CASES [SEED]]

Random slices of one matrix, in products, sums and alone, on engine soc, against an evaluator in Python. Of each run the blocks of the matrix
that the batch file loads are looked up among those of the whole matrix: they have the same bytes for every slice, and are of sub-tiles that the
slice meets.
"""
import hashlib
import itertools
import random
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
ONYX, CASES = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 5)
ROWS, COLUMNS, EDGE = 37, 26, 8
failed, known, shares = [], {}, Quota()  # trivial: no value but 0


def write(name, dim, entries):
    lines = "".join(f"{i + 1} {j + 1} {v}\n" for (i, j), v in sorted(entries.items()))
    (FOLDER / name).write_text(f"%%MatrixMarket matrix coordinate integer general\n{dim[0]} {dim[1]} {len(entries)}\n{lines}")


def read(path, order):
    rows = [[int(n) for n in line.split()] for line in path.read_text().splitlines() if line[0] != "%"]
    return tuple(rows[0][:order]), {tuple(c - 1 for c in row[:order]): row[2] for row in rows[1:] if row[2]}


def tensor(rows, columns, density):
    return {at: random.randint(1, 9) for at in itertools.product(range(rows), range(columns)) if random.random() < density}


def last(value, *dim):
    """An entry at the last coordinate, if there is one."""
    return {tuple(n - 1 for n in dim): value} if all(dim) else {}


def part(extent, most):
    """A slice's text, and its coordinates, of which there may be none."""
    low, step = random.randrange(extent), random.randint(1, 9)
    high = random.randint(low + (random.random() < 0.9), min(extent, low + most) + 2)
    return f"({low}:{high}:{step})", range(low, min(high, extent), step)


def loaded(folder, tensor):
    """The blocks of the tensor's streams that runs load, by sub-tile, as hashes, in their order."""
    streams, all_runs = loads(folder)
    own = [i for i, s in enumerate(streams) if s["tensor"].startswith(tensor) and "_slice" not in s["tensor"]]
    own.sort(key=lambda i: streams[i]["level"] % 99)
    runs = []
    for run_loads in all_runs:
        blocks = [run_loads[i] for i in own]
        if any(blocks[-1][2:]):  # values behind their number: others are the empty sub-tile's
            runs.append(hashlib.sha256(b"".join(struct.pack("<I", len(b)) + b for b in blocks)).hexdigest())
    return list(dict.fromkeys(runs))


def run(expression, engine, *more):
    words = [w for name in "BCcD" if f"{name}(" in expression for w in ("-i", f"{name}:{FOLDER / name}.mtx")]
    return subprocess.run([ONYX, "run", expression, *words, "--engine", engine, "--effort", "1", *INT16, "-O0", "--tile", str(EDGE), "-o", str(FOLDER / "out"), *more],
                          capture_output=True, text=True)


def expression(shape, rows, columns, i, j, full):
    """A shape with these slices: its text, the result's extents, and what it holds. Other operands are stored everywhere if `full`."""
    b = {(x, y): B.get((i[x], j[y]), 0) for x in range(len(i)) for y in range(len(j))}
    if shape == 0:
        return f"X(i,j) = B(i{rows},j{columns})", (len(i), len(j)), b
    if shape == 1:
        c = {(y, 0): random.choice((-3, -1, 2)) for y in range(len(j)) if full or random.random() < 0.6} | last(2, len(j), 1)
        write("c.mtx", (len(j), 1), c)
        return (f"x(i) = B(i{rows},j{columns}) * c(j)", (len(i),),
                {(x,): sum(b[x, y] * c.get((y, 0), 0) for y in range(len(j))) for x in range(len(i))})
    if shape == 2:
        d = tensor(len(i), len(j), 0.2) | last(3, len(i), len(j))
        write("D.mtx", (len(i), len(j)), d)
        return f"X(i,j) = B(i{rows},j{columns}) - D(i,j)", (len(i), len(j)), {at: v - d.get(at, 0) for at, v in b.items()}
    c = tensor(len(j), 7, 1 if full else 0.4) | last(1, len(j), 7)
    write("C.mtx", (len(j), 7), c)
    return (f"X(i,j) = B(i{rows},k{columns}) * C(k,j)", (len(i), 7),
            {(x, z): sum(b[x, y] * c.get((y, z), 0) for y in range(len(j))) for x in range(len(i)) for z in range(7)})


def whole(shape, which):
    """The blocks of the matrix by sub-tile, where the slices have all of it: the kernel is that of other slices."""
    rows, columns = f"(0:{ROWS}:1)" if which != 1 else "", f"(0:{COLUMNS}:1)" if which != 2 else ""
    text, _, _ = expression(shape, rows, columns, range(ROWS), range(COLUMNS), True)
    got = run(text, "soc", "--slices", "keep")
    tiles = sorted({(i // EDGE, j // EDGE) for i, j in B})
    blocks = loaded(FOLDER / "out", "B")
    if got.returncode or len(blocks) != len(tiles):
        failed.append(f"{text}: {len(blocks)} blocks of {len(tiles)} sub-tiles, {got.stderr}")
    return dict(zip(tiles, blocks))


def case(number):
    """One slice of each mode, or of one of them."""
    (rows, i), (columns, j) = part(ROWS, 30), part(COLUMNS, 20)
    which, shape = number % 4, number // 4 % 4
    if which == 1:
        rows, i = "", range(ROWS)
    elif which == 2:
        columns, j = "", range(COLUMNS)
    key = shape, which % 3
    if key not in known:
        known[key] = whole(*key)
    text, dim, want = expression(shape, rows, columns, i, j, False)
    got = run(text, "soc", "--slices", "keep")
    shares.add(got.returncode == 0, not any(want.values()))
    if got.returncode or read(FOLDER / "out" / f"{text[0]}.mtx", len(dim)) != (dim, {at: v for at, v in want.items() if v}):
        failed.append(f"{text}: {got.stderr or 'wrong'}")
        return
    if "E0353" in got.stderr or "cuts" in got.stderr:
        failed.append(f"{text} is cut: {got.stderr}")
    met = {known[key][tile] for tile in itertools.product({x // EDGE for x in i}, {y // EDGE for y in j}) if tile in known[key]}
    have = set(loaded(FOLDER / "out", "B"))
    if (shape in (0, 2) and have != met) or not have <= met:
        failed.append(f"{text}: {len(have - met)} blocks that are not of B, or that the slice does not meet; {len(met - have)} that it misses")


with tempfile.TemporaryDirectory() as folder:
    FOLDER = Path(folder)
    kept = behaviour.watch(__file__, ONYX, FOLDER, *sys.argv[3:], of="slices" if CASES < 9 else "slices_more")
    B = tensor(ROWS, COLUMNS, 0.3) | {(ROWS - 1, COLUMNS - 1): 1}
    write("B.mtx", (ROWS, COLUMNS), B)
    for number in range(CASES):
        case(number)
print("\n".join(failed) or f"{CASES} slices, all as they should be")
sys.exit(bool(failed) + kept.count_wrong() != 0 or shares.failed())
