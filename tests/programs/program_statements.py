"""Statements of random programs (random_programs.py): their text, what they write, and their values in Python; whole numbers of 16 bits and bf16."""
import math
import operator

INF = 32767


def wrap(value):
    return (value + 0x8000) % 0x10000 - 0x8000


def wide(value):
    """Statements of scalars alone are the host's, in 32 bits; the array has the lower half of what they give."""
    return (value + 0x80000000) % 0x100000000 - 0x80000000


class Values:
    """What the tensors hold: lists of n numbers, lists of n such lists, and numbers; `old` is what a statement reads."""

    def __init__(self, n, now, fill=0):
        self.n, self.now, self.old, self.fill = n, now, now, fill

    def each(self, function):
        return [wrap(function(i)) for i in range(self.n)]

    def rows(self, function):
        return [[wrap(function(i, j)) for j in range(self.n)] for i in range(self.n)]

    def __getattr__(self, name):
        return self.__dict__["old"][name]


# A statement: its text, the tensor it gives ("r": one of VECTORS), and the value of that. a, b and r are names of vectors.
SHAPES = [
    ("{r}(i) = A(i,j) * {a}(j)", "r", lambda m, a, b, r: m.each(lambda i: sum(x * y for x, y in zip(m.A[i], a)))),
    ("{r}(i) = A(j,i) * {a}(j) + {b}(i)", "r", lambda m, a, b, r: m.each(lambda i: sum(m.A[j][i] * a[j] for j in range(m.n)) + b[i])),
    ("{r}(i) = {a}(i) + {b}(i)", "r", lambda m, a, b, r: m.each(lambda i: a[i] + b[i])),
    ("{r}(i) = {a}(i) * {b}(i)", "r", lambda m, a, b, r: m.each(lambda i: a[i] * b[i])),
    ("{r}(i) = {a}(i) - {b}(i)", "r", lambda m, a, b, r: m.each(lambda i: a[i] - b[i])),
    ("{r}(i) = max({a}(i), {b}(i))", "r", lambda m, a, b, r: m.each(lambda i: max(a[i], b[i]))),
    ("{r}(i) = mask(not struct({a}(i)), {b}(i))", "r", lambda m, a, b, r: m.each(lambda i: 0 if a[i] else b[i])),
    ("{r}(i) += {a}(i)", "r", lambda m, a, b, r: m.each(lambda i: r[i] + a[i])),
    ("{r}(i) = s * {a}(i)", "r", lambda m, a, b, r: m.each(lambda i: m.s * a[i])),
    ("{r}(i) = relu({a}(i) - {b}(i))", "r", lambda m, a, b, r: m.each(lambda i: max(0, wrap(a[i] - b[i])))),
    ("{r}(i) = A(i,j) * {a}(i) * {b}(j)", "r", lambda m, a, b, r: m.each(lambda i: sum(m.A[i][j] * a[i] * b[j] for j in range(m.n)))),
    ("{r}(i) = B(i,j) * {a}(j)", "r", lambda m, a, b, r: m.each(lambda i: sum(x * y for x, y in zip(m.B[i], a)))),
    ("{r}(i) = ({a}(i) + {b}(i)) >> 1", "r", lambda m, a, b, r: m.each(lambda i: wrap(a[i] + b[i]) >> 1)),
    ("{r}(i) = max(j, A(i,j) & {a}(j))", "r", lambda m, a, b, r: m.each(lambda i: max(m.A[i][j] & a[j] for j in range(m.n)))),
    ("t = {a}(i) * {b}(i)", "t", lambda m, a, b, r: wrap(sum(x * y for x, y in zip(a, b)))),
    ("s = s + 1", "s", lambda m, a, b, r: wide(m.s + 1)),
    ("s = nnz({a})", "s", lambda m, a, b, r: sum(x != 0 for x in a)),
    ("B(i,j) = A(i,j) * {a}(i)", "B", lambda m, a, b, r: m.rows(lambda i, j: m.A[i][j] * a[i])),
    ("B(i,j) = B(i,j) + A(i,j)", "B", lambda m, a, b, r: m.rows(lambda i, j: m.B[i][j] + m.A[i][j])),
    ("B(i,j) = A(i,k) * B(k,j)", "B", lambda m, a, b, r: m.rows(lambda i, j: sum(m.A[i][k] * m.B[k][j] for k in range(m.n)))),
    ("{r}(i) = A(i,q) + {a}(i) * {b}(q)", "r", lambda m, a, b, r: m.each(lambda i: m.A[i][m.q] + a[i] * b[m.q])),
    ("{r}(q) = t", "r", lambda m, a, b, r: m.each(lambda i: m.t if i == m.q else r[i])),
    ("{r}(q) += {a}(q) - A(q,q)", "r", lambda m, a, b, r: m.each(lambda i: r[i] + a[i] - m.A[i][i] if i == m.q else r[i])),
    ("B(i,q) = {a}(i)", "B", lambda m, a, b, r: m.rows(lambda i, j: a[i] if j == m.q else m.B[i][j])),
    ("{r}(i) = {a}(i) - nnz({b})", "r", lambda m, a, b, r: m.each(lambda i: a[i] - sum(x != 0 for x in b))),
    ("q = 1 - q", "q", lambda m, a, b, r: 1 - m.q),
]
CONDITIONS = [("nnz({a}) == 0", lambda m, a: not any(a)), ("nnz({a}) < 3", lambda m, a: sum(x != 0 for x in a) < 3), ("s > 4", lambda m, a: m.s > 4),
              ("t != 0", lambda m, a: m.t != 0)]


# These are statements of loops that the processor may go through; in the second list what is not stored is infinite.
DENSE = [one for one in SHAPES if not any(x in one[0] for x in ("B(", "mask", "s *", "s =", "max("))]
NEAREST = [
    ("{r}(i) = min(j, A(i,j) + {a}(j))", "r", lambda m, a, b, r: m.each(lambda i: min([INF, *(x + y for x, y in zip(m.A[i], a))]))),
    ("{r}(j) = min(i, A(i,j) + {a}(i))", "r", lambda m, a, b, r: m.each(lambda j: min([INF, *(m.A[i][j] + a[i] for i in range(m.n))]))),
    ("{r}(i) = min({a}(i), {b}(i))", "r", lambda m, a, b, r: m.each(lambda i: min(a[i], b[i]))),
    ("t = sum(i, {a}(i) != {b}(i))", "t", lambda m, a, b, r: sum(x != y for x, y in zip(a, b))),
]
ENDS = [("nnz({a}) == 0", lambda m, a: all(x == m.fill for x in a)), ("nnz({a}) > 2", lambda m, a: sum(x != m.fill for x in a) > 2),
        ("t == 0", lambda m, a: m.t == 0)]


def quotient(a, b):
    """Toward 0; by 0 it is 0."""
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def rest(a, b):
    return a if b == 0 else a - quotient(a, b) * b


# Statements of scalars, of which several may be on the way, and vectors that depend on them.
SCALARS = [
    ("t = {a}(i) * {b}(i)", "t", lambda m, a, b, r: wrap(sum(x * y for x, y in zip(a, b)))),
    ("t = s / t", "t", lambda m, a, b, r: wide(quotient(m.s, m.t))),
    ("s = t / s", "s", lambda m, a, b, r: wide(quotient(m.t, m.s))),
    ("s = (s + 3) / (t - 2)", "s", lambda m, a, b, r: wide(quotient(m.s + 3, m.t - 2))),
    ("s = t % 7", "s", lambda m, a, b, r: rest(m.t, 7)),
    ("t = 100 % s - t", "t", lambda m, a, b, r: wide(rest(100, m.s) - m.t)),
    ("s = abs(t) / 3 + max(s, -t)", "s", lambda m, a, b, r: wide(quotient(abs(m.t), 3) + max(m.s, -m.t))),
    ("t = min(s, 5) * relu(t)", "t", lambda m, a, b, r: wide(min(m.s, 5) * max(m.t, 0))),
    ("t = 7 - s", "t", lambda m, a, b, r: wide(7 - m.s)),
    ("s = t", "s", lambda m, a, b, r: m.t),
    ("s = s & 255 | t", "s", lambda m, a, b, r: wrap(wrap(m.s) & 255 | wrap(m.t))),
    ("s = (t > s) - 2 * (s == 3)", "s", lambda m, a, b, r: (m.t > m.s) - 2 * (m.s == 3)),
    ("t = isqrt(t) - 1", "t", lambda m, a, b, r: math.isqrt(max(wrap(m.t), 0)) - 1),
    ("t = (s <= 2 && t != s) + (7 < t || s >= t)", "t", lambda m, a, b, r: (m.s <= 2 and m.t != m.s) + (7 < m.t or m.s >= m.t)),
    ("t = s * s - t * t + 1", "t", lambda m, a, b, r: wide(m.s * m.s - m.t * m.t + 1)),
    ("{r}(i) = {a}(i) - s * {b}(i)", "r", lambda m, a, b, r: m.each(lambda i: a[i] - m.s * b[i])),
    *(one for one in SHAPES if "A(i,j) *" in one[0] and "B(" not in one[0]),
]
NAN, FINITE = float("nan"), float.fromhex("0x1.fep127")


def bf16(x):
    """To the nearest, even ones of two."""
    if x != x or x in (0, float("inf"), -float("inf")):
        return x
    quantum = 2.0 ** max(math.frexp(x)[1] - 8, -133)
    near = round(x / quantum) * quantum
    return math.copysign(float("inf") if abs(near) > FINITE else abs(near), x)


def product(a, b):
    """As the array multiplies: what is below three bits more than a bfloat16 has is cut before the product is rounded."""
    exact = a * b
    if exact != exact or exact in (0, float("inf"), -float("inf")):
        return exact
    quantum = 2.0 ** max(math.frexp(exact)[1] - 11, -136)
    return bf16(math.trunc(exact / quantum) * quantum)


def over(a, b):
    if b:
        return bf16(a / b)
    return NAN if a == 0 or a != a else math.copysign(float("inf"), a) * math.copysign(1, b)


class Unsaid(Exception):
    """What an infinity or NaN times a zero is, which may be one that is not stored, no notation says (docs/index_notation.md)."""


def times(a, vector):
    if not math.isfinite(a) and 0 in vector:
        raise Unsaid
    return [product(a, x) for x in vector]


def least(a, b):
    return a if a < b else b


def most(a, b):
    return a if a > b else b


# These are statements of bf16, rounded after each operation; e has one value, so that the order of its sum is none.
REALS = [
    ("t = e(i) * {a}(i)", "t", lambda m, a, b, r: product(a[m.at], m.e[m.at]) + 0.0),
    ("t = s / t", "t", lambda m, a, b, r: over(m.s, m.t)),
    ("s = t / s", "s", lambda m, a, b, r: over(m.t, m.s)),
    ("s = 1 / (t - s)", "s", lambda m, a, b, r: over(1.0, bf16(m.t - m.s))),
    ("s = t / 3 + s", "s", lambda m, a, b, r: bf16(over(m.t, 3.0) + m.s)),
    ("t = s * s * s", "t", lambda m, a, b, r: product(product(m.s, m.s), m.s)),
    ("s = min(s, t) - 0.37 * t", "s", lambda m, a, b, r: bf16(least(m.s, m.t) - product(bf16(0.37), m.t))),
    ("t = max(abs(t), s)", "t", lambda m, a, b, r: most(abs(m.t), m.s)),
    ("s = (t > s) - 2 * (s == 3)", "s", lambda m, a, b, r: (m.t > m.s) - 2.0 * (m.s == 3)),
    ("s = sqrt(s)", "s", lambda m, a, b, r: bf16(math.sqrt(m.s)) if m.s >= 0 else NAN),
    ("t = (s <= 2 && t != s) + (0.5 < t || s >= t)", "t", lambda m, a, b, r: float((m.s <= 2 and m.t != m.s) + (0.5 < m.t or m.s >= m.t))),
    ("s = t", "s", lambda m, a, b, r: m.t),
    ("{r}(i) = {a}(i) - s * {b}(i)", "r", lambda m, a, b, r: [bf16(x - y) for x, y in zip(a, times(m.s, b))]),
    ("{r}(i) = {a}(i) + {b}(i)", "r", lambda m, a, b, r: [bf16(x + y) for x, y in zip(a, b)]),
    ("{r}(i) = t * {a}(i)", "r", lambda m, a, b, r: times(m.t, a)),
]
LESS = [(f"{x} {sign} {y}", lambda m, a, x=x, y=y, holds=holds: holds(getattr(m, x), bf16(y)))
        for sign, holds in (("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge), ("==", operator.eq), ("!=", operator.ne))
        for x, y in (("s", 0.01), ("t", -2.5), ("t", 0), ("s", 4))]


def reduced(how, values):
    """What a reduction other than a sum makes of all values; where one is no number, nobody says."""
    if any(x != x for x in values):
        raise Unsaid
    return how(values)


def quotient_of(a, b):
    """Of bf16, where two zeros that are not stored have none; whether a negative zero is stored nobody says."""
    if any(x == 0 and math.copysign(1, x) < 0 for x in (a, b)):
        raise Unsaid
    return 0.0 if a == b == 0 else over(a, b)


# Statements on dense matrices: loads want them by rows or by columns, whole or in sub-tiles; and what the processor computes of dense operands.
GRIDS = [
    ("B(i,j) = C(i,j) + B(i,j)", "B", lambda m, a, b, r: m.rows(lambda i, j: m.C[i][j] + m.B[i][j])),
    ("C(i,j) = B(j,i) - C(i,j)", "C", lambda m, a, b, r: m.rows(lambda i, j: m.B[j][i] - m.C[i][j])),
    ("B(i,j) = C(i,k) * B(k,j)", "B", lambda m, a, b, r: m.rows(lambda i, j: sum(m.C[i][k] * m.B[k][j] for k in range(m.n)))),
    ("C(i,j) = relu(B(i,j) - {a}(i))", "C", lambda m, a, b, r: m.rows(lambda i, j: max(0, wrap(m.B[i][j] - a[i])))),
    ("{r}(i) = B(i,j) * {a}(j)", "r", lambda m, a, b, r: m.each(lambda i: sum(x * y for x, y in zip(m.B[i], a)))),
    ("{r}(j) = B(i,j) * {a}(i)", "r", lambda m, a, b, r: m.each(lambda j: sum(m.B[i][j] * a[i] for i in range(m.n)))),
    ("t = B(i,j) * C(i,j)", "t", lambda m, a, b, r: wrap(sum(m.B[i][j] * m.C[i][j] for i in range(m.n) for j in range(m.n)))),
    ("{r}(i) = {a}(i) - {b}(i)", "r", lambda m, a, b, r: m.each(lambda i: a[i] - b[i])),
    ("B(i,j) = C(i,j) / {a}(i)", "B", lambda m, a, b, r: m.rows(lambda i, j: quotient(m.C[i][j], a[i]))),
    ("C(i,j) = B(i,j) / {a}(j)", "C", lambda m, a, b, r: m.rows(lambda i, j: quotient(m.B[i][j], a[j]))),
    ("C(i,j) = {a}(i) / B(i,j)", "C", lambda m, a, b, r: m.rows(lambda i, j: quotient(a[i], m.B[i][j]))),
    ("B(i,j) = C(j,i) / s", "B", lambda m, a, b, r: m.rows(lambda i, j: quotient(m.C[j][i], wrap(m.s)))),
    ("B(i,j) = {a}(i) / {b}(j)", "B", lambda m, a, b, r: m.rows(lambda i, j: quotient(a[i], b[j]))),
    ("C(i,j) = C(i,j) % 7", "C", lambda m, a, b, r: m.rows(lambda i, j: rest(m.C[i][j], 7))),
    ("{r}(i) = {a}(i) / {b}(i)", "r", lambda m, a, b, r: m.each(lambda i: quotient(a[i], b[i]))),
    ("{r}(i) = max(j, B(i,j))", "r", lambda m, a, b, r: m.each(lambda i: max(m.B[i]))),
    ("{r}(j) = min(i, C(i,j))", "r", lambda m, a, b, r: m.each(lambda j: min(m.C[i][j] for i in range(m.n)))),
    ("{r}(i) = min(j, abs(B(i,j) - {a}(j)))", "r", lambda m, a, b, r: m.each(lambda i: min(wrap(abs(wrap(x - y))) for x, y in zip(m.B[i], a)))),
    ("t = max(i, {a}(i))", "t", lambda m, a, b, r: max(a)),
    ("t = min(i, {a}(i) * {b}(i))", "t", lambda m, a, b, r: min(wrap(x * y) for x, y in zip(a, b))),
    ("t = max(i, max(j, C(i,j)))", "t", lambda m, a, b, r: max(map(max, m.C))),
    ("{r}(i) = {a}(i) * 64 / t", "r", lambda m, a, b, r: m.each(lambda i: quotient(wrap(a[i] * 64), wrap(m.t)))),
    ("s = s + 1", "s", lambda m, a, b, r: wide(m.s + 1)),
]
REAL_GRIDS = [
    ("B(i,j) = C(i,j) + B(i,j)", "B", lambda m, a, b, r: [[bf16(x + y) for x, y in zip(*both)] for both in zip(m.C, m.B)]),
    ("B(i,j) = C(i,j) / {a}(i)", "B", lambda m, a, b, r: [[quotient_of(x, y) for x in row] for row, y in zip(m.C, a)]),
    ("C(i,j) = {a}(j) / B(j,i)", "C", lambda m, a, b, r: [[quotient_of(a[j], m.B[j][i]) for j in range(m.n)] for i in range(m.n)]),
    ("C(i,j) = (B(i,j) / s) / {a}(j)", "C", lambda m, a, b, r: [[quotient_of(quotient_of(x, m.s), y) for x, y in zip(row, a)] for row in m.B]),
    ("{r}(i) = {a}(i) / {b}(i)", "r", lambda m, a, b, r: [quotient_of(x, y) for x, y in zip(a, b)]),
    ("{r}(i) = {a}(i) / 3 + {b}(i)", "r", lambda m, a, b, r: [bf16(over(x, 3.0) + y) for x, y in zip(a, b)]),
    ("{r}(i) = {a}(i) + {b}(i)", "r", lambda m, a, b, r: [bf16(x + y) for x, y in zip(a, b)]),
    ("{r}(i) = max(j, abs(B(i,j)))", "r", lambda m, a, b, r: [reduced(max, [abs(x) for x in row]) for row in m.B]),
    ("{r}(j) = min(i, C(i,j))", "r", lambda m, a, b, r: [reduced(min, column) for column in zip(*m.C)]),
    ("t = max(i, abs({a}(i) - {b}(i)))", "t", lambda m, a, b, r: reduced(max, [abs(bf16(x - y)) for x, y in zip(a, b)])),
    ("s = 2 - t", "s", lambda m, a, b, r: bf16(2.0 - m.t)),
]


# Statements of temporaries: D, E and the vectors p and q are no results; {m} and {o} are any of B, D and E.
FUSED = [
    *(one for one in SHAPES if "B(" not in one[0]),
    ("{m}(i,j) = A(i,k) * {o}(k,j)", "m", lambda m, a, b, o: m.rows(lambda i, j: sum(m.A[i][k] * o[k][j] for k in range(m.n)))),
    ("{m}(i,j) = A(i,j) * {o}(i,j)", "m", lambda m, a, b, o: m.rows(lambda i, j: m.A[i][j] * o[i][j])),
    ("{m}(i,j) = {o}(j,i) - A(i,j)", "m", lambda m, a, b, o: m.rows(lambda i, j: o[j][i] - m.A[i][j])),
    ("{m}(i,j) = relu({o}(i,j))", "m", lambda m, a, b, o: m.rows(lambda i, j: max(0, o[i][j]))),
    ("{m}(i,j) = {o}(i,j) * {a}(i) * {b}(j)", "m", lambda m, a, b, o: m.rows(lambda i, j: o[i][j] * a[i] * b[j])),
    ("{m}(i,j) = mask(A(i,j), {o}(i,j))", "m", lambda m, a, b, o: m.rows(lambda i, j: o[i][j] if m.A[i][j] else 0)),
    ("{m}(i,j) = A(i,j) & ({o}(i,j) >> 1)", "m", lambda m, a, b, o: m.rows(lambda i, j: m.A[i][j] & (o[i][j] >> 1))),
    ("{m}(i,j) += {o}(i,j) * {o}(i,j)", "m", lambda m, a, b, o: m.rows(lambda i, j: m.to[i][j] + o[i][j] * o[i][j])),
    ("{r}(i) = {o}(i,j) * {a}(j)", "r", lambda m, a, b, o: m.each(lambda i: sum(x * y for x, y in zip(o[i], a)))),
    ("{r}(j) = {o}(i,j) + {b}(j)", "r", lambda m, a, b, o: m.each(lambda j: sum(o[i][j] for i in range(m.n)) + b[j])),
    ("{r}(i) = max(j, {o}(i,j))", "r", lambda m, a, b, o: m.each(lambda i: max(o[i]))),
    ("{r}(i) = {o}(i,i)", "r", lambda m, a, b, o: m.each(lambda i: o[i][i])),
    ("{r}(i) = {a}(i) / {b}(i)", "r", lambda m, a, b, o: m.each(lambda i: quotient(a[i], b[i]))),
    ("{r}(i) = {a}(i) != {b}(i)", "r", lambda m, a, b, o: m.each(lambda i: a[i] != b[i])),
    ("{r}(i) = {a}(i) - {a}(i) * {b}(i)", "r", lambda m, a, b, o: m.each(lambda i: a[i] - a[i] * b[i])),
    ("t = {o}(i,j) * A(i,j)", "t", lambda m, a, b, o: wrap(sum(x * y for both in zip(o, m.A) for x, y in zip(*both)))),
]
