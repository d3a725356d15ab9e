"""What holds outside of a tensor, against an evaluator in Python: coalesce_check.py ONYX BOARDS [SAM CYCLE RTL]

Random expressions of permit and coalesce: padded vectors and matrices, concatenations of two and three tensors along either index,
stencils, filters with an index of their own, multiples of indices and sums of two and three; and what is refused. An index of permit may be outside of the tensor,
where the next argument of coalesce holds; a(i+j-1) has at i and j what a has at i + j - 1. Everything is evaluated densely. With three
numbers, that many random cases on each engine.
"""
import collections
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota, is_trivial  # noqa: E402

INT16 = ["--dtype", "int16"]
ONYX, BOARDS = sys.argv[1:3]
GONE_LATER = tempfile.TemporaryDirectory()
FOLDER = Path(GONE_LATER.name)
kept = behaviour.watch(__file__, ONYX, FOLDER, *sys.argv[3:], of="coalesce")
failed, shares = [], Quota()


def write(name, dim, entries):
    wide = dim + (1,) * (2 - len(dim))
    lines = "".join(" ".join(str(c + 1) for c in at + (0,) * (2 - len(at))) + f" {v}\n" for at, v in sorted(entries.items()))
    (FOLDER / f"{name}.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n{wide[0]} {wide[1]} {len(entries)}\n{lines}")


def read(path, order):
    rows = [[int(n) for n in line.split()] for line in path.read_text().splitlines() if line[0] != "%"]
    return tuple(rows[0][:order]), {tuple(c - 1 for c in row[:order]): row[2] for row in rows[1:] if row[2]}


def tensor(name, dim, density=0.35):
    """A random tensor, in a file and as a function of coordinates that is None outside of it."""
    entries = {at: random.randint(-9, 9) or 1 for at in itertools.product(*map(range, dim)) if random.random() < density}
    entries[tuple(n - 1 for n in dim)] = 5
    write(name, dim, entries)
    return lambda *at: entries.get(at, 0) if all(0 <= c < n for c, n in zip(at, dim)) else None


def onyx(expression, operands, engine, *more):
    words = [w for name in operands for w in ("-i", f"{name}:{FOLDER / name}.mtx")]
    return subprocess.run([ONYX, "run", expression, *words, "--engine", engine, "--effort", "1", *INT16, "-o", str(FOLDER / "out"), *more], capture_output=True,
                          text=True)


def word(value):
    return (value + 32768) % 65536 - 32768


def expect(expression, operands, engine, dim, value, *more, refused=None):
    """Runs it: the result has extents `dim` and value(coordinates)."""
    got = onyx(expression, operands, engine, *more)
    code = re.search(r"error: .*\[(E\d+-[a-z0-9-]+)\]", got.stderr)
    if refused is not None and got.returncode == 1 and code:
        refused[code.group(1)] += 1
        shares.add(accepted=False)
        return
    want = {at: word(value(*at)) for at in itertools.product(*map(range, dim))}
    shares.add(trivial=is_trivial(want.values()))
    want = {at: v for at, v in want.items() if v}
    have = None if got.returncode else read(FOLDER / "out" / f"{expression[0]}.mtx", len(dim))
    if have != (dim, want):
        failed.append(f"{expression} {more} on {engine}: {have} in place of {dim} {want}\n{got.stderr}")


def shifted(index, by):
    return f"{index}{by:+d}" if by or random.random() < 0.2 else index


def first(*values):
    return next(v for v in values if v is not None)


def chain_case(engine, refused):
    """coalesce of up to three tensors, of order one or two, each with shifts of its own, and of a number."""
    order, parts = random.choice((1, 2)), random.randint(1, 3)
    dim = tuple(random.randint(3, 14) for _ in range(order))
    open_at = random.choice(((0,),) if order == 1 else ((0,), (1,), (0, 1)))
    number = random.choice((0, 0, 0, 1, -3, 300))
    texts, values, operands = [], [], []
    for name in "ABD"[:parts]:
        own = tuple(random.randint(2, 10) if m in open_at else dim[m] for m in range(order))
        by = tuple(random.randint(-12, 4) if m in open_at else 0 for m in range(order))
        a = tensor(name, own)
        texts.append(f"{name}(" + ", ".join(f"permit({shifted(v, by[m])})" if m in open_at else v
                                            for m, v in enumerate("ij"[:order])) + ")")
        values.append(lambda at, a=a, by=by: a(*(c + n for c, n in zip(at, by))))
        operands.append(name)
    e = tensor("E", dim)
    sign = random.choice("+-*")
    text = f"X({', '.join('ij'[:order])}) = coalesce({', '.join(texts)}, {number}) {sign} E({','.join('ij'[:order])})"

    def value(*at):
        v = first(*(of(at) for of in values), number)
        return v + e(*at) if sign == "+" else v - e(*at) if sign == "-" else v * e(*at)

    formats = []
    if random.random() < 0.5:
        levels = random.choice(("ss", "ds", "sd", "dd", "ss:1,0", "CSR", "CSC", "COO") if order == 2 else ("s", "d"))
        formats = ["-f", f"{operands[0]}:{levels}"]
    expect(text, (*operands, "E"), engine, dim, value, *formats, refused=refused)


def whole_case(engine, refused):
    """A concatenation of two or three along either index, without anything else: the parts say how far it goes."""
    order = random.choice((1, 2))
    along = random.randrange(order)
    other = random.randint(2, 9)
    sizes = [random.randint(1, 9) for _ in range(random.choice((2, 3)))]
    begins = [sum(sizes[:k]) for k in range(len(sizes))]
    texts, tensors = [], []
    for name, size, begin in zip("ABD", sizes, begins):
        tensors.append(tensor(name, (size,) if order == 1 else (size, other) if along == 0 else (other, size)))
        index = [f"permit({v}{-begin if begin else ''})" if m == along else v for m, v in enumerate("ij"[:order])]
        texts.append(f"{name}({','.join(index)})")
    dim = (sum(sizes),) if order == 1 else (sum(sizes), other) if along == 0 else (other, sum(sizes))

    def value(*at):
        return first(*(t(*(c - b if m == along else c for m, c in enumerate(at))) for t, b in zip(tensors, begins)))

    expect(f"X({','.join('ij'[:order])}) = coalesce({', '.join(texts)})", "ABD"[:len(sizes)], engine, dim, value, refused=refused)


def stencil_case(engine, refused):
    """A sum of shifts with weights; what is outside is a number, which need not be 0, or the tensor itself at i."""
    n = random.randint(3, 40)
    x = tensor("x", (n,))
    number = random.choice((0, 0, 2, "x(i)"))
    taps = [(random.randint(1, 5), by) for by in random.sample(range(-3, 4), 3)]
    text = " + ".join(f"{w} * coalesce(x(permit({shifted('i', by)})), {number})" for w, by in taps)
    expect(f"y(i) = x(i) + {text}", ("x",), engine, (n,),
           lambda i: x(i) + sum(w * first(x(i + by), x(i) if number == "x(i)" else number) for w, by in taps), refused=refused)


def filter_case(engine, refused):
    """A filter whose weights are an operand, convolution or correlation, with numbers outside or only inside."""
    n, taps = random.randint(2, 30), random.randint(1, 7)
    x, w = tensor("x", (n,)), tensor("w", (taps,), 0.7)
    by, sign, number = random.randint(-4, 4), random.choice((1, -1)), random.choice((None, 0, 0, 3))
    index = f"i{'+' if sign > 0 else '-'}{shifted('j', by)}"
    access = f"x({index})" if number is None else f"coalesce(x(permit({index})), {number})"
    long = random.choice((n, n + 5))
    more = () if long == n else ("-d", f"i:{long}")
    expect(f"y(i) = sum(j, {access} * w(j))", ("x", "w"), engine, (long,),
           lambda i: sum(first(x(i + sign * j + by), number or 0) * w(j) for j in range(taps)), *more, refused=refused)


def multiple_case(engine, refused):
    """Multiples of indices and sums of up to three: strided filters, what every n-th coordinate has, polyphase."""
    n = random.randint(4, 30)
    x = tensor("x", (n,))
    indices, size = "ijk"[:random.randint(1, 3)], {}
    terms, factors = [], []
    for v in indices:
        factor = random.choice((1, 1, 2, 3, 5))
        sign = random.choice((1, 1, -1)) if terms else 1
        factors.append(sign * factor)
        times = f"{factor}*" if factor > 1 or random.random() < 0.2 else ""
        terms.append(f"{'+' if sign > 0 else '-'}{times}{v}")
        size[v] = random.randint(2, 6)
    by, number = random.randint(-5, 5), random.choice((None, 0, 0, 3, -2))
    index = "".join(terms)[1:] + (f"{by:+d}" if by or random.random() < 0.3 else "")
    access = f"x({index})" if number is None else f"coalesce(x(permit({index})), {number})"
    weights = [(f"w{v}", tensor(f"w{v}", (size[v],), 0.7)) for v in indices[1:]]
    product = access + "".join(f" * {w}({v})" for (w, _), v in zip(weights, indices[1:]))
    text = "y(i) = " + (f"sum({', '.join(indices[1:])}, {product})" if weights else product)
    first_size = -(-(n - by) // factors[0]) if factors[0] > 1 else n  # what the tensor reaches, if nothing says more
    if random.random() < 0.5 or first_size < 1:
        first_size, more = random.randint(1, 20), True
    else:
        more = False
    if factors[0] == 1 and len(indices) == 1 and number is None:
        first_size, more = n, False  # a shift: its extent stays

    def value(i):
        total = 0
        for at in itertools.product(*(range(size[v]) for v in indices[1:])):
            term = first(x(sum(f * c for f, c in zip(factors, (i, *at))) + by), number or 0)
            for (_, w), c in zip(weights, at):
                term *= w(c)
            total += term
        return total

    expect(text, ("x", *(w for w, _ in weights)), engine, (first_size,), value, *(("-d", f"i:{first_size}") if more else ()),
           refused=refused)


def band_case(engine, refused):
    """A band of a matrix times a vector: diagonals beside each other, dense or not, along rows or columns."""
    rows, columns, width, by = random.randint(2, 20), random.randint(2, 20), random.randint(1, 6), random.randint(-4, 3)
    turned = random.random() < 0.4
    b, x = tensor("B", (columns, rows) if turned else (rows, columns), 0.5), tensor("x", (columns,), 0.7)
    index = f"i+d{by:+d}" if by else "i+d"
    access = f"B({index},i)" if turned else f"B(i,{index})"
    more = ["-d", f"d:{width}", "-d", f"i:{rows}"]
    for name, levels in (("B", ("dd", "ss", "ds", "DIA", "dd:1,0")), ("x", "sd")):
        more += ["-f", f"{name}:{random.choice(levels)}"] if random.random() < 0.7 else []

    def value(i):
        return sum((b(i + d + by, i) if turned else b(i, i + d + by)) * x(i + d + by) for d in range(width) if 0 <= i + d + by < columns)

    expect(f"y(i) = sum(d, {access} * x({index}))", ("B", "x"), engine, (rows,), value, *more, refused=refused)


def convolution(engine, size, n, m, density, refused=None, boundary=0, own=False):
    """A convolution of a matrix under a mask, which is its `own` entries or another matrix."""
    b, f = tensor("B", (n, m), density), tensor("F", (size, size), 0.8)
    mask, name = (b, "B") if own else (tensor("M", (n, m), 0.2), "M")
    half = size // 2
    text = f"X(i,j) = mask({name}(i,j), sum(k, l, coalesce(B(permit(i+k-{half}), permit(j+l-{half})), {boundary}) * F(k,l)))"
    expect(text, ("B", "F") if own else ("M", "B", "F"), engine, (n, m),
           lambda i, j: bool(mask(i, j)) * sum(first(b(i + k - half, j + l - half), boundary) * f(k, l)
                                               for k in range(size) for l in range(size)), refused=refused)


def convolution_case(engine, refused):
    convolution(engine, 3, random.randint(3, 9), random.randint(3, 9), 0.3, refused, random.choice((0, 0, 2)))


CASES = (chain_case, chain_case, whole_case, stencil_case, filter_case, convolution_case, multiple_case, band_case)


def run_cases(engine, count):
    refused = collections.Counter()
    for case in range(count):
        CASES[case % len(CASES)](engine, refused)
    return refused


soak = [int(count) for count in sys.argv[3:6]]
random.seed(21 if soak else 11)
for engine, count in zip(("sam", "cycle", "rtl"), soak or [count // int(os.environ.get("EVERY", 1)) for count in (60, 24, 6)]):
    refused = run_cases(engine, count)
    print(f"{engine}: {count} cases, refused by code: {dict(refused)}")
    failed += [f"more than a tenth is refused on {engine}"] if 10 * refused.total() > count else []
if soak:
    print("\n".join(failed) or "none is wrong")
    sys.exit(bool(failed) or shares.failed())
for density in (0.01, 0.05, 0.5):
    convolution("sam", 11, 20, 24, density, own=True)
convolution("cycle", 11, 20, 24, 0.05)
expect("X(i,j) = coalesce(A(permit(i),permit(j)), B(permit(i),permit(j-3)), D(permit(i-2),j))", "ABD", "sam", (6, 8),
       (lambda a, b, d: lambda i, j: first(a(i, j), b(i, j - 3), d(i - 2, j)))(tensor("A", (2, 3)), tensor("B", (2, 5)), tensor("D", (4, 8))))

# A convolution that leaves out every second row and column.
b, f = tensor("B", (9, 11)), tensor("F", (3, 3), 1)
expect("X(i,j) = sum(k, l, coalesce(B(permit(2*i+k-1), permit(2*j+l-1)), 0) * F(k,l))", "BF", "cycle", (5, 6),
       lambda i, j: sum(first(b(2 * i + k - 1, 2 * j + l - 1), 0) * f(k, l) for k in range(3) for l in range(3)))

# What a factor or a mask drops is not made; what something is added to, or a complement keeps, is.
n, b, m = 8, tensor("B", (8, 8), 1), tensor("M", (8, 8), 0.3)
inner = lambda i, j: sum(first(b(i + k - 1, j + l - 1), 0) * f(k, l) for k in range(3) for l in range(3))
text = "sum(k, l, coalesce(B(permit(i+k-1), permit(j+l-1)), 0) * F(k,l))"
for whole, value in ((f"mask(M(i,j), {text})", lambda i, j: bool(m(i, j)) * inner(i, j)),
                     (f"M(i,j) * {text}", lambda i, j: m(i, j) * inner(i, j)),
                     (f"mask(not struct(M(i,j)), {text})", lambda i, j: (not m(i, j)) * inner(i, j)),
                     (f"{text} + M(i,j)", lambda i, j: m(i, j) + inner(i, j)),
                     (f"{text} - M(i,j) * B(i,j)", lambda i, j: inner(i, j) - m(i, j) * b(i, j))):
    expect(f"X(i,j) = {whole}", "MBF", "cycle", (8, 8), value)
    got = onyx(f"X(i,j) = {whole}", "MBF", "sam")
    masked = "struct" not in whole and text != whole[:len(text)]
    want = sum(0 <= i + k - 1 < 8 and 0 <= j + l - 1 < 8 and bool(b(i + k - 1, j + l - 1)) and (not masked or bool(m(i, j)))
               for i, j, k, l in itertools.product(range(8), range(8), range(3), range(3)))
    if f"entries become {want} in" not in got.stderr:
        failed.append(f"{whole}: {want} entries are to be made: {got.stderr}")

# Beside an index that may be outside others are as they ever are: sliced, shifted, of extents that agree.
a, b = tensor("A", (5, 9)), tensor("B", (5, 9))
expect("X(i,j) = coalesce(A(permit(i-2), j(1:8:3)), 4) + B(i, j(0:3))", "AB", "cycle", (5, 3),
       lambda i, j: first(a(i - 2, 3 * j + 1), 4) + b(i, j))
expect("X(i,j) = coalesce(A(permit(i-2), j+3), 4) - B(i,j)", "AB", "sam", (5, 9), lambda i, j: (4 if i < 2 else a(i - 2, j + 3) or 0) - b(i, j))
expect("X(i,j) = coalesce(A(permit(i), j), B(i+1, j))", "AB", "sam", (5, 9), lambda i, j: a(i, j))
expect("X(i,j) = coalesce(A(permit(i+3), j), B(i, j))", "AB", "sam", (5, 9), lambda i, j: first(a(i + 3, j), b(i, j)), "-d", "A:5,9")
tensor("D", (5, 7))
got = onyx("X(i,j) = coalesce(A(permit(i), j), D(permit(i-5), j))", "AD", "sam")
if "<expression>:1:36: error: index 1 runs to 7 in this part of D but to 9 in another one [E0320-dimension]" not in got.stderr:
    failed.append(f"parts that do not go together: {got.stderr}")

# What is outside of a tensor of min_plus is infinite, and so is what is not stored.
x = tensor("x", (9,))
stored = {at[0]: v for at, v in read(FOLDER / "x.mtx", 1)[1].items()}
INFINITE = 32767
for number, text in ((4, "4"), (INFINITE, "inf")):
    least = {i: min(stored.get(i, INFINITE), stored.get(i - 2, INFINITE) if i > 1 else number) for i in range(9)}
    expect(f"y(i) = coalesce(x(permit(i-2)), {text}) + x(i)", ("x",), "sam", (9,),
           lambda i: least[i] if least[i] != INFINITE else 0, "--semiring", "min_plus")

# The board's processor, and every value as the board computes it.
x, w = tensor("x", (20,)), tensor("w", (3,), 1)
expect("y(i) = coalesce(x(permit(i-1)), 0) + 2 * x(i) + coalesce(x(permit(i+1)), 0)", ("x",), "soc", (20,),
       lambda i: first(x(i - 1), 0) + 2 * x(i) + first(x(i + 1), 0), "--board", f"{BOARDS}/onyx.json")
expect("y(i) = sum(j, coalesce(x(permit(i+j-1)), 0) * w(j))", ("x", "w"), "soc", (20,),
       lambda i: sum(first(x(i + j - 1), 0) * w(j) for j in range(3)), "--board", f"{BOARDS}/onyx.json")

# A program, in which the result of one statement goes into the next: the extents are those of the declarations.
(FOLDER / "twice.onx").write_text("tensor u(20)\ntensor y(24)\nu(i) = coalesce(x(permit(i-1)), 1) + x(i)\n"
                                  "y(i) = coalesce(u(permit(i-4)), x(permit(i)), 0)\n")
u = {i: first(x(i - 1), 1) + x(i) for i in range(20)}
expect_y = {(i,): v for i in range(24) if (v := u[i - 4] if i >= 4 else x(i))}
got = onyx(str(FOLDER / "twice.onx"), ("x",), "cycle")
if got.returncode or read(FOLDER / "out" / "y.mtx", 1) != ((24,), expect_y):
    failed.append(f"program: {got.stderr}")

# What is scheduled is read back.
text = "y(i) = coalesce(x(permit(i)), w(permit(i-20)), 3) * x(i)"
got = onyx(text, ("x", "w"), "sam", "--dump", "cin,-")
cin = got.stdout + got.stderr
if "forall(i, y(i) = xPart(i) * x(i))" not in cin:
    failed.append(f"--dump cin: {cin}")

write("x", (8,), {(c,): c + 1 for c in range(8)})
write("w", (3,), {(c,): c + 1 for c in range(3)})
for expression, more, message, code in (
        ("y(i) = x(permit(i-1))", (), "nothing says what holds outside of x", "E0162-missing"),
        ("y(i) = 2 * x(permit(i)) + x(i)", (), "nothing says what holds outside of x", "E0162-missing"),
        ("y(i) = coalesce(x(i), 0)", (), "nothing is missing here: the first argument has no permit", "E0162-missing"),
        ("y(i) = coalesce(x(permit(i-1)), x(i), 0)", (), "nothing is missing before this argument", "E0162-missing"),
        ("y(i) = coalesce(x(permit(i-1)), 0, 0)", (), "nothing is missing before this argument", "E0162-missing"),
        ("y(i) = sum(j, coalesce(x(permit(i-1)), w(j)))", (), "this argument has other indices", "E0162-missing"),
        ("y(i) = coalesce(x(permit(i)), w(permit(i-9)))", (), "nothing says what holds at (8), outside of all parts", "E0162-missing"),
        ("y(i) = coalesce(x(permit(i)), w(permit(i-8)))", ("-d", "i:12"), "nothing says what holds at (11)", "E0162-missing"),
        ("y(i) = coalesce(x(permit(i)))", (), "expected ',' and what holds outside", "E0102-syntax"),
        ("y(i) = coalesce(2 * x(permit(i)), 0)", (), "nothing is missing here", "E0162-missing"),
        ("y(i) = coalesce(abs(x(permit(i))), 0)", (), "expected an access or a number", "E0102-syntax"),
        ("y(i) = coalesce(x(permit(i)), c + 1)", (), "this argument has other indices", "E0162-missing"),
        ("y(i) = coalesce(x(permit(i)), 0.5)", (), "0.5 is no 16-bit integer", "E0127-literal"),
        ("y(i) = coalesce(x(permit(i(0:4))), 0)", (), "an index that may be outside has no slice", "E0156-modifier"),
        ("y(i) = sum(j, x(i+j(0:3)) * w(j))", (), "a sum of indices has no slice", "E0156-modifier"),
        ("y(i) = x(i+i)", (), "a sum of indices has each of them once", "E0156-modifier"),
        ("y(i) = sum(j, x(i+j+2*i) * w(j))", (), "a sum of indices has each of them once", "E0156-modifier"),
        ("y(i) = x(2*i(0:3))", (), "a multiple of an index has no slice", "E0156-modifier"),
        ("y(i) = x(0*i)", (), "an index is taken 1 to 65536 times", "E0156-modifier"),
        ("y(i) = x(2*)", (), "expected an index variable", "E0102-syntax"),
        ("y(i) = coalesce(x(permit(i+j+)), 0)", (), "expected a whole number", "E0102-syntax"),
        ("y(permit(i)) = x(i)", (), "what is written has its indices as they are", "E0156-modifier"),
        ("coalesce(i,j) = x(i) * w(j)", (), "'coalesce' is a word of the language", "E0117-name-clash"),
        ("y(i) = sum(j, coalesce(x(permit(i+j)), 0))", (), "no operand tells how far index j runs", "E0321-no-extent"),
        ("y(i) = coalesce(x(permit(i)), w(permit(i-8)), 0)", ("--fill", "w:1"), "w has another fill than x", "E0153-fill"),
        ("y(i) = sum(j, coalesce(x(permit(i+j)), 0) * w(j))", ("-d", "i:100000000"), "", None),
        ("y(i) = coalesce(x(permit(i)), 1)", ("-d", "i:100000000"), "more than 67108864 entries or places", "E0354-part"),
        ("y(i) = sum(j, coalesce(x(permit(i+j)), 1) * w(j))", ("-d", "i:100000000"), "more than 67108864 entries or places", "E0354-part")):
    got = onyx(expression, [name for name in "xw" if re.search(rf"\b{name}\(", expression)], "sam", *more)
    if code is None:
        failed += [f"{expression}: {got.stderr}"] if got.returncode else []
    elif got.returncode != 1 or message not in got.stderr or f"[{code}]" not in got.stderr or "<expression>:1:" not in got.stderr:
        failed.append(f"{expression}: {got.returncode} {got.stderr} in place of {message} {code}")

# Several parts of one tensor are given once, and then the data decide.
got = subprocess.run([ONYX, "compile", "X(i,j) = B(i,k) * C(k,j-1) + B(i,k) * C(k,j+1)", "-g", "B:60x60:0.3:1", "-g", "C:60x60:0.3:2", "--explain", "-o",
                      str(FOLDER / "out")], capture_output=True, text=True)
if got.returncode or "chosen among" not in got.stdout:
    failed.append(f"onyx compile with data: {got.stdout} {got.stderr}")
# A command with modifiers that failed becomes shorter as it is: its operands are whole tensors, each once.
for expression, code in (("y(i) = coalesce(x(permit(i-12)), w(permit(i))) * x(i)", "E0162-missing"),
                         ("y(i) = x(i-1) + x(i+2) * w(i)", "E0320-dimension")):
    got = onyx(expression, ("x", "w"), "sam")
    less = subprocess.run([ONYX, "reduce", str(FOLDER / "out")], capture_output=True, text=True)
    if code not in got.stderr or f"it ends with 1, {code}" not in less.stdout or less.stdout.count("-i x:") > 1:
        failed.append(f"onyx reduce of {expression}: {got.stderr} {less.stdout} {less.stderr}")

print("\n".join(failed) or "all as they should be")
sys.exit(bool(failed) + kept.count_wrong() != 0 or shares.failed())
