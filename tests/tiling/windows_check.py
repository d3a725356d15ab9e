"""Index modifiers against an evaluator in Python: windows_check.py ONYX [SAM CYCLE RTL [SEED]]

Random slices and shifts in sums, products, and convolutions on engine sam, some on engine cycle; protocols of a dense and of a sparse
vector; the distances between all pairs of rows; and what is refused. B(i(lo:hi:st)) has at i what B has at lo + i * st, B(i+n) what it
has at i + n; extents of slices are how many coordinates they have, shifts keep them. With three numbers (and a seed), that many random cases on
each engine with random formats of the operands, too: a third of two matrices in formats that ship, the others of up to three operands of
order one to three, most in formats that were made up (maps in blocks or along diagonals, kinds of levels, parts), which they are converted
to and read from; half of them with slices that leave their operands as they are, some with
indices that may be outside, or with protocols. None may be wrong, and at most a tenth refused, which are counted by code.
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

sys.path.extend(str(Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota  # noqa: E402

INT16 = ["--dtype", "int16"]
EVERY = int(os.environ.get("EVERY", 1))
ONYX, CASES, ON_CYCLE = sys.argv[1], 48 // EVERY, max(6 // EVERY, 2)
FOLDER = Path(tempfile.mkdtemp())
kept = behaviour.watch(__file__, ONYX, FOLDER, *sys.argv[2:], of="windows")
failed, filled, shares = [], [0], Quota()  # trivial: no value but 0


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
    how = random.randrange(5)
    if how == 0:
        return "", extent, lambda c: c
    if how == 1:
        n = random.choice([n for n in range(-extent, extent + 1) if n])
        return f"{'+' if n > 0 else '-'}{abs(n)}", extent, lambda c: c + n
    if how == 2:
        high, step = random.randrange(extent), random.randint(1, 4)
        low = random.randint(-1, high - 1)
        text = f"({high if high < extent - 1 or random.random() < 0.5 else ''}:{'' if low < 0 else low}:-{step})"
        return text, len(range(high, low, -step)), lambda c: high - c * step
    low, step = random.randrange(extent), random.randint(1, 4)
    high = random.randint(low + (random.random() < 0.9), extent + 3)
    text = f"({low or random.choice(('', 0))}:{high if high < extent or random.random() < 0.5 else ''}" + (
        f":{step})" if step > 1 or random.random() < 0.5 else ")")
    return text, len(range(low, min(high, extent), step)), lambda c: low + c * step


def onyx(expression, operands, engine, *more):
    words = [w for name in operands for w in ("-i", f"{name}:{FOLDER / name}.mtx")]
    return subprocess.run([ONYX, "run", expression, *words, "--engine", engine, "--effort", "1", *INT16, "-o", str(FOLDER / "out"), *more], capture_output=True,
                          text=True)


def expect(expression, operands, engine, dim, want, cut):
    got = onyx(expression, operands, engine)
    if got.returncode:
        failed.append(f"{expression} on {engine}: {got.stderr}")
        return
    have = read(FOLDER / "out" / f"{expression[0]}.mtx", len(dim))
    want = {at: v for at, v in want.items() if v}
    shares.add(trivial=not want)
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
    b, c = tensor((rows, inner), 0.8), tensor((inner, columns), 0.8)
    b[0, 0] = c[0, 0] = 1
    write("B.mtx", (rows, inner), b)
    write("C.mtx", (inner, columns), c)
    text, want = product(b, c, i, k, l, j)
    expect(text, ("B", "C"), engine, (i[1], j[1]), want, bool(i[0] or j[0] or k[0] or l[0]))


def vector_case(engine):
    """Parts of one vector, added or multiplied."""
    n = random.randint(4, 30)
    v = tensor((n,), 0.8)
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


def coordinates(engine):
    """Numbers in place of indices."""
    n = 9
    b, c = tensor((n, n), 0.5), tensor((n,), 0.5)
    write("B.mtx", (n, n), b)
    write("c.mtx", (n,), c)

    def at(i, j):
        return b.get((i, j), 0)

    y, z = random.sample(range(n), 2)
    for text, operands, value in ((f"x(i) = B(i,{y})", "B", lambda i: at(i, y)), (f"x(i) = B({y},i) * c(i) - B(i,{z})", "Bc", lambda i: at(y, i) * c.get((i,), 0) - at(i, z)),
                                  (f"x(i) = B(i,{y}) * B({z},{y}) + c({z}) * c(i)", "Bc", lambda i: at(i, y) * at(z, y) + c.get((z,), 0) * c.get((i,), 0)),
                                  (f"x(i) = coalesce(B(permit(i+1),{y}), 7)", "B", lambda i: at(i + 1, y) if i + 1 < n else 7),
                                  (f"x(i) = B(i,j) * B(j,{y})", "B", lambda i: sum(at(i, j) * at(j, y) for j in range(n)))):
        expect(text, operands, engine, (n,), {(i,): value(i) for i in range(n)}, True)
    expect(f"x = B({y},{z})", "B", engine, (), {(): at(y, z)}, True)


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
           "Ragged", "VBL", "Bitmap", "RLE", "PackBits", "Hash", "DOK", "ELL", "SELL", "C2SR", "CISR", "DenseByColumn", "Diagonals", "BDIA", "JDS",
           "Skyline", "BlocksAndRows", "DiagonalsAndRows", "uq", "dh", "db:1,0")
HALVES = {"Triangular": 0, "Symmetric": 1, "Skew": -1}  # what the other triangle has times this
PROTOCOLS = ("", "", "", "", "", "::walk", "::follow", "::gallop", "::lead")


def half_matrix(n, name):
    """What such a format is for."""
    lower = {(i, j): v for (i, j), v in tensor((n, n), 0.4).items() if j < i or (j == i and name != "Skew")}
    return lower | {(j, i): HALVES[name] * v for (i, j), v in lower.items() if i != j and HALVES[name]}


def stored_case(engine, refused):
    """An expression of two matrices, with modifiers of each index and formats of each operand."""
    summed = random.random() < 0.5
    b_dim, c_dim = (tuple(random.randint(2, 14) for _ in range(2)) for _ in range(2))
    half = random.choice(("", "", "", "", *HALVES))
    b_dim = (b_dim[0], b_dim[0]) if half else b_dim
    b_at = [window(extent) for extent in b_dim]
    c_at = [window(extent) for extent in c_dim]
    shared = ((1, 0),) if summed else ((0, 0), (1, 1))
    if any(b_at[x][1] != c_at[y][1] for x, y in shared):
        return False
    b, c = half_matrix(b_dim[0], half) if half else tensor(b_dim), tensor(c_dim)
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
    formats = [half or random.choice(FORMATS), random.choice(FORMATS)]
    slices = random.choice(("cut", "keep"))
    got = onyx(text, ("B", "C"), engine, "-f", f"B:{formats[0]}", "-f", f"C:{formats[1]}", "--slices", slices)
    code = re.search(r"error: .*\[(E\d+-[a-z0-9-]+)\]", got.stderr)
    if got.returncode == 1 and code:
        refused[code.group(1)] += 1
    elif got.returncode or read(FOLDER / "out" / "X.mtx", 2) != (dim, {cell: v for cell, v in want.items() if v}):
        failed.append(f"{text} in {formats}, slices {slices}, on {engine}: {got.stderr}")
    return True


KINDS = ("dense", "compressed", "hashed", "band", "ragged", "bitmap", "blocks")
NAMED = {1: ("SparseVector", "HashVector", "s", "d", "h"), 3: ("COO3", "CSF", "ModeGeneric", "sss", "dss", "sds:2,0,1", "ddd:1,2,0")}
# Terms that are added up; each is summed over what the result lacks.
SHAPES = ("X(ij) = A(ij) * B(ij) * C(ij)", "X(ij) = A(ij) + B(ij) - C(ij)", "X(ij) = A(ij) * B(ij) + C(ji)", "X(ij) = A(ik) * B(kj)",
          "X(ij) = A(ik) * B(kj) - C(ij)", "X(ij) = A(ij) * B(ik) * C(kj)", "x(i) = A(ij) * b(j)", "x(i) = c(i) - A(ij) * b(j)", "x(i) = a(i) * b(i) + c(i)",
          "X(ij) = T(ijk) * c(k)", "X(ij) = T(ikl) * A(kj) * B(lj)", "X(ijk) = T(ijl) * A(kl)", "x(i) = A(ij) * B(ij)", "X(ij) = a(i) * b(j)")


def any_format(order, number):
    """A format by its name, by letters, or a definition of one that nobody has thought of: its name, and the line."""
    if random.random() < 0.4:
        return random.choice(NAMED.get(order, FORMATS)), ""
    index = "ijk"[:order]
    if order == 2 and random.random() < 0.1:
        return f"Made{number}", f"format Made{number} = (i,j) -> (j - i, i, j) levels({random.choice(('dense', 'compressed'))}, range, offset)\n"
    levels = list(index)
    random.shuffle(levels)
    if order > 1 and random.random() < 0.2:  # a diagonal beside one of its indices
        a, b = random.sample(index, 2)
        levels = [f"{a} - {b}", *(v for v in levels if v != a)]
    elif random.random() < 0.6:  # some indices in blocks, or in digits
        cut = {v: random.choice((2, 3, 4, 5)) for v in levels if random.random() < 0.7}
        levels = [f"{v} div {cut[v]}" if v in cut else v for v in levels] + [f"{v} mod {n}" for v, n in cut.items()]
    how = random.random()
    if how < 0.3:
        first = random.randrange(len(levels))
        merged = ", ".join(str(l) for l in range(len(levels)) if random.random() < 0.6)
        tail = f"trim({first},{random.randrange(first, len(levels))})" + (f" merge({merged})" if merged else "")
    else:
        kinds = [random.choice(KINDS) for _ in levels]
        if random.random() < 0.2:
            kinds[-1] = random.choice(("runs", "packbits"))
        tail = f"levels({', '.join(kinds)})"
    name = f"Made{number}"
    lines = f"format {name} = ({','.join(index)}) -> ({', '.join(levels)}) {tail}\n"
    if random.random() < 0.15:  # what is dense enough in this format, and the rest
        lines += f"format Rest{number} = ({','.join(index)}) -> ({', '.join(index)}) trim(0,{order - 1})\n"
        lines += f"format Both{number} = ({','.join(index)}) -> decompose({name} where count by ({random.choice(index)}) >= 2, Rest{number})\n"
        name = f"Both{number}"
    return name, lines


def fitting(extent):
    """What stands behind an index that runs so far, how long the tensor is, and where its coordinates lie."""
    how = random.randrange(5)
    if not extent:
        low, n = random.randrange(4), random.randrange(3)
        return f"({low}:{low - random.randint(0, low)})", max(1, low + n), lambda c: c
    if how < 2:
        return "", extent, lambda c: c
    if how == 2:
        n = random.choice([n for n in range(-3, 4) if n])
        return f"{n:+d}", extent, lambda c: c + n
    low, step = random.randrange(4), random.randint(1, 3)
    high = low + (extent - 1) * step + 1
    beyond = random.randrange(4)
    end = high if beyond >= step else random.choice((high, "", high + 9))
    return f"({low}:{end}:{step})", high + beyond, lambda c: low + c * step


def leaving(v):
    """An index that may be outside, how long the tensor is, and where its coordinates lie."""
    n, extent = random.randint(-3, 3), random.randint(1, 6)
    return f"permit({v}{f'{n:+d}' if n else ''})", extent, lambda c: c + n


def access(name, indices, extents):
    """A random tensor, as text with modifiers and protocols, in a file, and by coordinates of the variables."""
    leaves = {m for m, v in enumerate(indices) if extents[v] and random.random() < 0.7} if random.random() < 0.2 else set()
    at = [leaving(v) if m in leaves else (v + where[0], *where[1:]) for m, v in enumerate(indices) for where in [fitting(extents[v])]]
    outside = random.choice((0, 0, 4, -1))
    dim = tuple(where[1] for where in at)
    entries = tensor(dim, random.choice((0.4, 0.8, 1)))
    entries[tuple(n - 1 for n in dim)] = 1
    if len(dim) < 3:
        write(f"{name}.mtx", dim, entries)
    else:
        (FOLDER / f"{name}.mtx").unlink(missing_ok=True)
        (FOLDER / f"{name}.tns").write_text("".join(" ".join(str(c + 1) for c in crd) + f" {v}\n" for crd, v in sorted(entries.items())))
    text = f"{name}({', '.join(where[0] + ('' if m in leaves else random.choice(PROTOCOLS)) for m, where in enumerate(at))})"
    text = f"coalesce({text}, {outside})" if leaves else text

    def value(values):
        crd = tuple(where[2](values[v]) for v, where in zip(indices, at))
        return outside if any(not 0 <= crd[m] < dim[m] for m in leaves) else entries.get(crd, 0)

    return text, value


def stored_operand(name, order, form):
    """The options of an operand: from a file in its format, where that is read back, or as it was written."""
    path = FOLDER / f"{name}.{'tns' if order > 2 else 'mtx'}"
    stored = FOLDER / f"{name}.stored"
    squeezed = order == 1  # a file of a vector is a matrix of one column, which no format of vectors holds
    words = [ONYX, "tile", "convert", path, "-f", form, "--formats", FOLDER / "made.formats", "-o", stored]
    if not squeezed and random.random() < 0.6 and subprocess.run(words, capture_output=True).returncode == 0:
        back = subprocess.run([ONYX, "tile", "levels", stored], capture_output=True)
        path = path if b"E0366" in back.stderr else stored
    return ["-f", f"{name}:{form}", "-i", f"{name}:{path}"]


def varied_case(engine, refused):
    """One of the shapes, every index with a modifier or none, every operand in a format of its own."""
    shape = random.choice(SHAPES)
    extents = {v: random.random() > 0.02 and random.randint(random.choice((1, 2, 3)), 4 if "T" in shape else 7) for v in "ijkl"}
    (name, result), *rest = re.findall(r"(\w)\((\w+)\)", shape)
    text = f"{name}({','.join(result)})" + shape[shape.index(")") + 1:]
    made, formats, definitions = {}, {}, ""
    for operand, indices in rest:
        written, made[operand] = access(operand, indices, extents)
        text = text.replace(f"{operand}({indices})", written)
        formats[operand], lines = any_format(len(indices), len(made))
        definitions += lines
    (FOLDER / "made.formats").write_text(definitions)
    words = [w for operand, indices in rest for w in stored_operand(operand, len(indices), formats[operand])]
    want = collections.Counter()
    for sign, term in re.findall(r"([=+-]) ([^+-]+)", shape):
        over = sorted(set(result).union(*(i for _, i in re.findall(r"(\w)\((\w+)\)", term))))
        for values in itertools.product(*(range(extents[v]) for v in over)):
            bound, product = dict(zip(over, values)), -1 if sign == "-" else 1
            for operand, _ in re.findall(r"(\w)\((\w+)\)", term):
                product *= made[operand](bound)
            want[tuple(bound[v] for v in result)] += product
    words += ["--slices", random.choice(("cut", "keep"))]
    words += [w for v in sorted(set("".join(i for _, i in rest))) for w in ("-d", f"{v}:{extents[v]}") if extents[v]]
    got = onyx(text, (), engine, *words, "--formats", str(FOLDER / "made.formats"))
    code = re.search(r"error: .*\[(E\d+-[a-z0-9-]+)\]", got.stderr)
    if got.returncode in (1, 2) and code:
        refused[code.group(1)] += 1
        return True
    dim, want = tuple(extents[v] for v in result), {at: word(v) for at, v in want.items() if word(v)}
    if got.returncode == 0:
        path = FOLDER / "out" / f"{name}.{'tns' if len(dim) > 2 else 'mtx'}"
        have = read(path, len(dim)) if len(dim) < 3 else (dim, {tuple(int(n) - 1 for n in line.split()[:3]): int(line.split()[3]) for line in
                                                              path.read_text().splitlines() if line[0] != "#"})
    filled[0] += bool(want)
    shares.add(got.returncode == 0, not want)
    if got.returncode or have != (dim, want):
        failed.append(f"{text} {' '.join(words)} on {engine}: {got.stderr}\n{definitions}")
    return True


def word(value):
    return (value + 32768) % 65536 - 32768


if len(sys.argv) > 2:
    random.seed(int(sys.argv[5]) if len(sys.argv) > 5 else 19)
    for engine, cases in zip(("sam", "cycle", "rtl"), map(int, sys.argv[2:5])):
        refused, done = collections.Counter(), 0
        while done < cases:
            done += (varied_case if done % 3 else stored_case)(engine, refused)
        print(f"{engine}: {cases} cases, {refused.total()} refused: {dict(refused)}; {filled[0]} of the varied ones have a result so far")
        if 10 * refused.total() > cases:
            failed.append(f"more than a tenth is refused on {engine}")
    subprocess.run(["rm", "-r", str(FOLDER)], check=True)
    print("\n".join(failed) or "none is wrong")
    sys.exit(bool(failed) or shares.failed())

random.seed(7)
refused = collections.Counter()
for case in range(CASES):
    (matrix_case if case % 3 else vector_case)("cycle" if case < ON_CYCLE else "sam")
    varied_case("cycle" if case < ON_CYCLE else "sam", refused)
if refused:
    failed.append(f"refused: {dict(refused)}")
for engine in ("sam", "cycle"):
    convolution(engine)
    coordinates(engine)
for density in (0.01, 0.05, 0.5):
    filter_of_three(density, "sam")
    filter_of_three(density, "cycle")
for engine in ("sam", "cycle", "rtl"):
    similarity(engine)
write("v.mtx", (8,), {(c,): c + 1 for c in range(8)})
expect("x(i) = v(i(0:7:2))", ("v",), "sam", (4,), {(0,): 1, (1,): 3, (2,): 5, (3,): 7}, True)

if "the slice has no coordinate [E0176-empty-slice]" not in onyx("x(i) = v(i(3:3))", ("v",), "sam").stderr:
    failed.append("an empty slice is not warned of")

# A sum of nothing whose loop is the outer one leaves what it is added to.
write("A.mtx", (8, 5), tensor((8, 5)))
for engine in ("sam", "cycle"):
    got = onyx("x(i) = v(i) - A(i,j(3:3)) * v(j(2:2))", ("v", "A"), engine, "-f", "A:dd")
    if got.returncode or read(FOLDER / "out" / "x.mtx", 1) != ((8,), {(c,): c + 1 for c in range(8)}):
        failed.append(f"a sum of nothing on {engine}: {got.stderr}")

# Sums over the parts of any partition come to the sum over all.
b, c = tensor((20,), 0.6), tensor((20,), 0.6)
write("b.mtx", (20,), b)
write("c.mtx", (20,), c)
for case in range(6):
    cuts = sorted(random.choice((random.sample, random.choices))(range(1, 20), k=1 + case % 3))
    parts = [f"({low}:{high})" for low, high in zip([0, *cuts], [*cuts, ""])]
    text = " + ".join(f"sum({v}, b({v}{part}) * c({v}{part}))" for v, part in zip("ijkl", parts))
    for engine in ("sam", "cycle")[:1 + (case < 2)]:
        got = onyx(f"x = {text}", ("b", "c"), engine)
        have = sum(read(FOLDER / "out" / "x.mtx", 0)[1].values()) if got.returncode == 0 else None
        if have != sum(v * c.get(at, 0) for at, v in b.items()):
            failed.append(f"{text} on {engine}: {have}, {got.stderr}")

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
# What follows and has no format is stored dense.
got = onyx("x(i) = B(i,j) * c(j::follow)", ("B", "c"), "cycle")
if got.returncode or "E0157-walked" in got.stderr or read(FOLDER / "out" / "x.mtx", 1) != ((20,), {at: v for at, v in want.items() if v}):
    failed.append(f"follow without a format: {got.stderr}")
elif json.loads((FOLDER / "out" / "report.json").read_text())["cycles"]["kernel"] != cycles.get("follow"):
    failed.append("follow without a format takes other cycles than with c:d")
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

# What changes nothing is not computed: both expressions have the same primitives.
for left, right in (("b(i) + 0", "b(i)"), ("0 + b(i) - 0", "b(i)"), ("b(i) * 1 * 1", "b(i)"), ("1 * (c(i) + b(i))", "b(i) + c(i)"), ("-(-b(i))", "b(i)"),
                    ("b(i) - -c(i)", "b(i) + c(i)"), ("b(i) / 1", "b(i)"), ("mask(1, b(i))", "b(i)"), ("b(i) | 0", "b(i)"),
                    ("b(i) >> 0", "b(i)"), ("b(i) ^ (3 - 3)", "b(i)"), ("2 * 3 * b(i)", "6 * b(i)"), ("b(i) * 0 * c(i)", "0 * (b(i) * c(i))")):
    kinds = [sorted(re.findall(r'type="(\w+)"', subprocess.run([ONYX, "sam", f"x(i) = {text}"], capture_output=True, text=True).stdout)) for text in (left, right)]
    if not kinds[0] or kinds[0] != kinds[1]:
        failed.append(f"{left} is not lowered as {right}: {kinds}")

# A file that states no dimensions: the tensor may go on behind its last entry.
(FOLDER / "t.tns").write_text("1 5\n")
for index, stated, extent, want in (("i-2", "t:4", 4, {(2,): 5}), ("i-2", "i:4", 4, {(2,): 5}), ("i+0", "t:3", 3, {(0,): 5}), ("i(0:9:2)", "t:4", 2, {(0,): 5}),
                                    ("i(1:3)", "t:4", 2, {}), ("i(1:)", "i:3", 3, {}), ("i(2:2)", "", 0, {})):
    got = subprocess.run([ONYX, "run", f"x(i) = t({index})", "-i", f"t:{FOLDER}/t.tns", *(("-d", stated) if stated else ()), "--engine", "sam", "-o",
                          str(FOLDER / "out")], capture_output=True, text=True)
    have = got.returncode == 0 and read(FOLDER / "out" / "x.mtx", 1)
    if have != ((extent,), want):
        failed.append(f"t({index}) with -d {stated}: {have} {got.stderr}")

for expression, message, code in (
        ("x(i::walk) = v(i)", "what is written has its indices as they are", "E0156-modifier"),
        ("x(i) = v(i::leap)", "expected walk, follow, gallop or lead", "E0102-syntax"),
        ("x(i(0:3)) = v(i)", "what is written has its indices as they are", "E0156-modifier"),
        ("x = min(i, v(i(3:3)))", "min over index i, which has no coordinate", "E0323-reduced-nothing"),
        ("x(i) = v(i(9:9))", ":1:8: error: index 0 of v has coordinates below 8, the slice begins at 9", "E0316-outside"),
        ("x(i) = v(i(3:4:0))", "the slice has no stride", "E0156-modifier"),
        ("x(i) = v(i(-3:))", "help: coordinates count from 0 to at most 2147483646, none from the end", "E0102-syntax"),
        ("x(i) = v(i) * v(-1)", "a number here is a coordinate: they count from 0, none from the end", "E0102-syntax"),
        ("x(i) = v(i+4294967294)", "expected a whole number, found '4294967294'", "E0102-syntax"),
        ("x(i) = v(i(3))", "expected ':' and the end of the slice", "E0102-syntax"),
        ("x(i) = v(i(3:4,5))", "expected ')'", "E0102-syntax"),
        ("x(i) = v(i+j)", "no operand tells how far index j runs", "E0321-no-extent"),
        ("x(i) = struct(v(i+1))", "is of a tensor", "E0152-function"),
        ("x(i) = v(i(8:))", ":1:8: error: index 0 of v has coordinates below 8, the slice begins at 8", "E0316-outside"),
        ("x(i) = v(i) * v(9)", ":1:15: error: index 0 of v has coordinates below 8, the slice begins at 9", "E0316-outside"),
        ("x(3) = v(i)", "what is written has its indices as they are", "E0156-modifier"),
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
sys.exit(bool(failed) + kept.count_wrong() != 0 or shares.failed())
