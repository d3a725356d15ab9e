"""Kernels whose loops go through blocks: blocks_check.py ONYX [ENGINE [CASES]]

With 5 % of the blocks of 4 x 4 stored, each full, SpM*SpM of BCSR operands takes at most 1 / 1.5 of the cycles of compressed ones, and at
most 1 / 3 of their metadata; SpMV is right. Then random block formats and schedules, of matrices whose extents are no multiples of the
blocks, on the engine (cycle), against products in Python; and of matrices in formats that take them apart, in a kernel for each part.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota, is_trivial  # noqa: E402

INT16 = ["--dtype", "int16"]
ONYX = sys.argv[1]
ENGINE = sys.argv[2] if len(sys.argv) > 2 else "cycle"
CASES = int(sys.argv[3]) if len(sys.argv) > 3 else 30
FOLDER = Path(tempfile.mkdtemp())
shares = Quota()
kept = behaviour.watch(__file__, ONYX, FOLDER, of="blocks" if ENGINE == "cycle" else f"blocks_{ENGINE}")


def write(name, rows, columns, entries):
    path = FOLDER / name
    path.write_text(f"%%MatrixMarket matrix coordinate integer general\n{rows} {columns} {len(entries)}\n" + "".join(
        f"{i + 1} {j + 1} {v}\n" for (i, j), v in sorted(entries.items())))
    return path


def read(path):
    lines = [line.split() for line in path.read_text().splitlines() if line[0] != "%"][1:]
    return {tuple(int(at) - 1 for at in line[:-1])[:2]: float(line[-1]) for line in lines}


def run(expression, *words):
    out = FOLDER / "out"
    got = subprocess.run([ONYX, "run", expression, *map(str, words), "--engine", ENGINE, "--effort", "1", *INT16, "-o", out], capture_output=True, text=True)
    assert got.returncode == 0, f"{expression} {words}: {got.stdout}{got.stderr}"
    report = json.loads((out / "report.json").read_text())
    return report, read(out / (expression[0] + ".mtx")), got.stdout + got.stderr


def product(a, b):
    rows, made = {}, {}
    for (k, j), v in b.items():
        rows.setdefault(k, []).append((j, v))
    for (i, k), v in a.items():
        for j, w in rows.get(k, ()):
            made[i, j] = made.get((i, j), 0) + v * w
    return {at: v for at, v in made.items() if v}


def filled(r, rows, columns, size, density):
    """Blocks that are there are full."""
    return {(i, j): r.randint(1, 9)
            for y in range(-(-rows // size)) for x in range(-(-columns // size)) if r.random() < density
            for i in range(y * size, min(rows, (y + 1) * size)) for j in range(x * size, min(columns, (x + 1) * size))}


def check_goal(r):
    b, c = filled(r, 256, 256, 4, 0.05), filled(r, 256, 256, 4, 0.05)
    both = ["-i", f"B:{write('b.mtx', 256, 256, b)}", "-i", f"C:{write('c.mtx', 256, 256, c)}"]
    values, cost = len(b) + len(c), {}
    for name, formats in (("compressed", []), ("blocks", ["-f", "B:BCSR", "-f", "C:BCSR"])):
        report, got, said = run("X(i,j) = B(i,k) * C(k,j)", "--explain", *both, *formats)
        assert got == product(b, c), f"{name} is wrong"
        assert (name == "blocks") == ("in blocks" in said) and "E0352" not in said, said
        cost[name] = report["cycles"]["kernel"], report["tiling"]["load_words"] - values
    (cycles, words), (blocked, fewer) = cost["compressed"], cost["blocks"]
    print(f"SpM*SpM: {cycles} cycles and {words} words of metadata compressed, {blocked} and {fewer} in blocks")
    if ENGINE == "cycle":
        assert cycles >= 1.5 * blocked and words >= 3 * fewer
    for name, more in (("compressed", []),
                       ("blocks", ["-f", "B:dsdd", "-f", "c:dd", "-s", "split(i,i0,i1,4), split(j,j0,j1,4), reorder(i0,i1,j0,j1)"])):
        vector = {(j, 0): 1 + j % 7 for j in range(256)}
        report, got, _ = run("x(i) = B(i,j) * c(j)", *both[:2], "-i", f"c:{write('v.mtx', 256, 1, vector)}",
                             *(more or ["-f", "c:d"]))
        assert got == {(i,): v for (i, _), v in product(b, vector).items()} or got == product(b, vector)
        print(f"SpMV: {report['cycles']['kernel']} cycles {name}")


def check_random(r):
    """Formats of blocks by name or by letters, or none."""
    rows, middle, columns = (r.randint(1, 30) for _ in range(3))
    size, density = r.choice((2, 3, 4)), r.choice((0.1, 0.3, 0.6))
    b, c = filled(r, rows, middle, size, density), filled(r, middle, columns, size, density)
    for entries in (b, c):  # blocks that are not full
        for at in [at for at in entries if r.random() < 0.3]:
            del entries[at]
    words = ["-i", f"B:{write('b.mtx', rows, middle, b)}", "-i", f"C:{write('c.mtx', middle, columns, c)}"]
    if r.random() < 0.4:
        other = FOLDER / "own.formats"
        other.write_text(f"format Own = (i,j) -> (i div {size}, j div {size}, i mod {size}, j mod {size}) "
                         f"levels({r.choice(('dense', 'compressed'))}, compressed, dense, {r.choice(('dense', 'compressed'))})\n")
        words += ["--formats", other, "-f", "B:Own", "-f", r.choice(("C:Own", "C:ds", "C:BCSR"))]
    else:
        split = ", ".join(f"split({v},{v}0,{v}1,{size})" for v in "ijk")
        order = r.choice(("k0,i0,j0,i1,j1,k1", "i0,j0,i1,j1,k0,k1", "i0,i1,j0,j1,k0,k1", "k0,i0,i1,j0,j1,k1"))
        words += ["-s", f"{split}, reorder({order})"]
        for t in "BC":
            outer = "ds" if order[0] == "k" else r.choice(("ds", "ss", "dd"))
            words += ["-f", f"{t}:{outer}{r.choice(('dd', 'dd', 'sd', 'ss'))}"]
        words += r.choice(([], ["-f", "X:ssdd"]))
    _, got, _ = run("X(i,j) = B(i,k) * C(k,j)", *words)
    want = product(b, c)
    shares.add(trivial=is_trivial([0, *want.values()]))
    assert got == want, (words, got, want)


def check_parts(r, apart):
    """Matrices of blocks and other entries, in a kernel for each part or as onyx chooses; on the array in blocks the blocks save cycles."""
    rows, columns, size = r.randint(1, 70), r.randint(1, 70), r.choice((2, 4))
    b, vector = filled(r, rows, columns, size, r.choice((0, 0.1, 0.3))), r.random() < 0.4
    b |= {(r.randrange(rows), r.randrange(columns)): r.randint(1, 9) for _ in range(r.choice((0, 20, 60)))}
    c = filled(r, columns, 1 if vector else 40, 1 if vector else size, 0.3)
    (FOLDER / "parts.formats").write_text(f"format Blocks = (i,j) -> (i div {size}, j div {size}, i mod {size}, j mod {size}) merge(0,1) trim(1,1)\n"
                                          f"format Parts = (i,j) -> decompose(Blocks where count by (i div {size}, j div {size}) >= {size}, "
                                          f"{r.choice(('DCSR', 'CSC', 'COO'))})\n")
    words = ["-i", f"B:{write('b.mtx', rows, columns, b)}", "-i", f"C:{write('c.mtx', columns, 1 if vector else 40, c)}", "-f", "B:Parts",
             "--formats", FOLDER / "parts.formats", *(["--parts", "apart"] if apart else []), *r.choice(([], ["-O0"], ["--tile", "16"]))]
    _, got, said = run("x(i) = B(i,k) * C(k)" if vector else "X(i,j) = B(i,k) * C(k,j)", *words)
    want = product(b, c)
    shares.add(trivial=is_trivial([0, *want.values()]))
    assert got == want or got == {(i,): v for (i, _), v in want.items()}, (words, got, want)
    blocks = {}
    for i, j in b:
        blocks[i // size, j // size] = blocks.get((i // size, j // size), 0) + 1
    parts = len({n >= size for n in blocks.values()})
    assert apart or "B_" not in said or "a kernel for each" in said, said
    assert not apart or not b or f"a kernel for each of {parts} part" in said, said


def check_parts_goal(r):
    n, c = 96, filled(r, 96, 96, 4, 0.2)
    b = {(r.randrange(n), r.randrange(n)): 1 for _ in range(180)} | filled(r, n, n, 4, 0.2)
    words = ["-i", f"B:{write('b.mtx', n, n, b)}", "-i", f"C:{write('c.mtx', n, n, c)}", "-f", "C:BCSR", "-f"]
    cost = {}
    for how in (["B:ss"], ["B:BlocksAndRows", "--parts", "apart"]):
        report, got, _ = run("X(i,j) = B(i,k) * C(k,j)", *words, *how)
        assert got == product(b, c), how
        cost[how[0]] = report["cycles"]["kernel"]
    print(f"blocks and other entries: {cost['B:ss']} cycles compressed, {cost['B:BlocksAndRows']} in a kernel for each")
    assert ENGINE != "cycle" or cost["B:ss"] >= 1.3 * cost["B:BlocksAndRows"]
    for expression, more in (("X(i,j) = B(i,k) + C(k,j)", []), ("X(i,j) = B(i,k) * C(k,j)", ["-s", "reorder(i,j,k)"])):
        got = subprocess.run([ONYX, "run", expression, *map(str, words), "B:BlocksAndRows", "--parts", "apart", *more, "--engine", ENGINE, "--effort", "1", *INT16, "-o",
                              FOLDER / "out"], capture_output=True, text=True)
        assert got.returncode == 2 and "[E0357-parts]" in got.stderr, got.stderr


check_goal(random.Random(7))
check_parts_goal(random.Random(8))
for case in range(CASES):
    check_random(random.Random(case))
for case in range(CASES // 2):
    check_parts(random.Random(1000 + case), case % 3 < 2)
subprocess.run(["rm", "-r", str(FOLDER)], check=True)
sys.exit(kept.count_wrong() != 0 or shares.failed())
