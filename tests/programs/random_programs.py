#!/usr/bin/env python3
"""Random programs with loops, swaps and statements that share arrays: random_programs.py ONYX FOLDER COUNT SEED ENGINE [PROFILE | loops | scalars | bf16 | dense | dense_bf16 | fused]. What a program
means is computed here, from the data that its files have; every program runs on engine sam and on ENGINE with and without sharing (-O0), on soc also with eight copies. With `loops`
iterates are dense and matrices mostly compressed, so that the chip's processor makes operands of what stores have left: of compressed results, of
several parts, with fills; on ENGINE also with --checkpoint 2 and other sub-tiles in place of -O0. With `scalars` scalars are computed besides, by all
operations of theirs, and with `bf16` in bf16, rounded after each operation, with infinities and NaN; with `dense` quotients and matrices that are dense,
transposed, cut and put together again, and reductions other than sums, which are the processor's, and with `dense_bf16` these in bf16. With `fused` some
tensors are no results, so that their statements may become parts of those that read them: every program runs with --fuse-statements off, on and auto, and
with an empty schedule for every tensor fused, reused or moved in turn, which keeps its statements apart. Ends with 1 where one is wrong; tests/seeds.py
judges the rates."""
import json
import math
import operator
import pathlib
import random
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

onyx, folder, count, seed, engine = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
kept = behaviour.watch(__file__, onyx, folder)
mode = sys.argv[6] if len(sys.argv) > 6 else ""
loops = mode in ("loops", "scalars", "bf16", "dense", "dense_bf16")
profile = ["--profile", mode] if mode and not loops and mode != "fused" else []
real = ["--dtype", "bf16", "--profile", "onyx-ext"] if mode in ("bf16", "dense_bf16") else []
types = real or ["--dtype", "int16"]
INF = 32767
folder.mkdir(parents=True, exist_ok=True)
VECTORS, MATRICES = ["u", "v", "w"], ["A", "B", "C", "D", "E"]


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


class Passes(Exception):
    """A condition did not come to hold."""


ENDS_OF_LOOPS = ("until", "most")  # with `else fail`, and without


class Program:
    shapes, conditions, fill, results, start = SHAPES, CONDITIONS, 0, "uvwB", {"s": 2, "t": 0, "q": 1}

    def __init__(self, draw):
        self.draw, self.n = draw, draw.randint(3, 40)
        self.kinds = {v: draw.choice("ds") for v in VECTORS}
        self.kinds.update(A=draw.choice(["ss", "ds", "sd", "dd", "ss:1,0"]), B="ss")
        self.data = {v: self.values(self.n, draw.choice([0, 0.1, 0.5, 1])) for v in VECTORS}
        self.data["A"] = self.matrix(draw.choice([0, 0.05, 0.2, 0.6]))
        self.data["B"] = self.matrix(draw.choice([0.05, 0.3]))
        self.steps = [self.assign() for _ in range(draw.randint(0, 1))] + [self.loop(1)]
        if not any("=" in line and "repeat" not in line and "if " not in line for line in self.lines(self.steps)): # swaps alone are no program
            self.steps.append(self.assign())

    def values(self, n, density):
        return [self.draw.choice([-3, -1, 1, 2, 9, 250, -32768]) if self.draw.random() < density else 0 for _ in range(n)]

    def matrix(self, density):
        return [self.values(self.n, density) for _ in range(self.n)]

    def assign(self):
        r, a, b = (self.draw.choice(VECTORS) for _ in range(3))
        text, gives, value = self.draw.choice(self.shapes)
        return ("assign", text.format(r=r, a=a, b=b), r if gives == "r" else gives, lambda m: value(m, m.old[a], m.old[b], m.old[r]))

    def step(self, depth):
        draw = self.draw
        x, y = draw.sample(VECTORS, 2)
        kind = draw.random()
        if kind < 0.08 and self.kinds[x] == self.kinds[y]:
            return ("swap", x, y)
        if kind < 0.14:
            both = [self.assign(), self.assign()]
            return ("multi", both) if both[0][2] != both[1][2] and not re.search(r"[+]=|nnz|[(,]q[,)]", both[0][1] + both[1][1]) else both[0]
        if kind < 0.2 and depth < 2:
            return self.branches(depth) if draw.random() < 0.4 else self.loop(depth + 1)
        return self.assign()

    def branches(self, depth):
        """An if by a condition, often with an else."""
        a = self.draw.choice(VECTORS)
        text, holds = self.draw.choice(self.conditions)
        body = [self.step(depth + 1) for _ in range(self.draw.randint(1, 2))]
        other = [self.step(depth + 1)] if self.draw.random() < 0.6 else []
        return ("if", text.format(a=a), lambda m: holds(m, m.old[a]), other, body)

    def loop(self, depth):
        draw = self.draw
        body = [self.step(depth) for _ in range(draw.randint(2, 5) if depth == 1 else draw.randint(1, 2))]
        if draw.random() < 0.15:
            a = draw.choice(VECTORS)
            text, holds = draw.choice(self.conditions)
            return (draw.choice(ENDS_OF_LOOPS), text.format(a=a), lambda m: holds(m, m.old[a]), draw.randint(2, 6), body)
        return ("repeat", draw.randint(1, 3), body)

    def lines(self, steps, indent=""):
        for one in steps:
            if one[0] == "assign":
                yield indent + one[1]
            elif one[0] == "swap":
                yield f"{indent}swap {one[1]}, {one[2]}"
            else:
                until = f"repeat until {one[1]} max {one[-2]}"
                head = {"multi": "multi", "repeat": f"repeat {one[1]}", "until": f"{until} else fail", "most": until, "if": f"if {one[1]}"}[one[0]]
                yield f"{indent}{head} {{"
                yield from self.lines(one[-1], indent + "    ")
                if one[0] == "if" and one[-2]:
                    yield indent + "} else {"
                    yield from self.lines(one[-2], indent + "    ")
                yield indent + "}"

    def write(self, folder):
        for name, value in self.data.items():
            rows = value if name in MATRICES else [[x] for x in value]
            cells = [(i + 1, j + 1, x) for i, row in enumerate(rows) for j, x in enumerate(row) if x != self.fill]
            text = f"%%MatrixMarket matrix coordinate {'real' if real else 'integer'} general\n{len(rows)} {len(rows[0])} {len(cells)}\n"
            (folder / f"{name}.mtx").write_text(text + "".join(f"{i} {j} {x}\n" for i, j, x in cells))
        fill = " fill inf" if self.fill else ""
        head = [f'tensor {name}: {self.kinds[name]}{fill} = "{name}.mtx"' for name in self.data] + ["scalar s = 2", "scalar t = 0", "scalar q = 1"]
        text = "\n".join([*head, *self.lines(self.steps), "result " + ", ".join(self.results), ""])
        (folder / "random.onx").write_text(text)
        return text

    def run(self, m, steps):
        for one in steps:
            m.old = m.now
            if one[0] == "assign":
                m.now = {**m.now, one[2]: one[3](m)}
            elif one[0] == "swap":
                m.now = {**m.now, one[1]: m.now[one[2]], one[2]: m.now[one[1]]}
            elif one[0] == "multi":
                m.now = {**m.now, **{part[2]: part[3](m) for part in one[1]}}
            elif one[0] == "repeat":
                for _ in range(one[1]):
                    self.run(m, one[2])
            elif one[0] == "if":
                self.run(m, one[4] if one[2](m) else one[3])
            else:
                for passes in range(one[3] + 1):
                    m.old = m.now
                    if one[2](m):
                        break
                    if passes == one[3] and one[0] == "until":
                        raise Passes
                    if passes == one[3]:
                        break
                    self.run(m, one[4])

    def meaning(self):
        """The results' entries, or None where a loop does not end."""
        m = Values(self.n, {**self.data, **self.start}, self.fill)
        try:
            self.run(m, self.steps)
        except Passes:
            return None
        rows = {name: value if name in MATRICES else [[x] for x in value] if name in self.data else [[value]] for name, value in m.now.items()}
        return [{(i + 1, j + 1): "nan" if x != x else x for i, row in enumerate(rows[name]) for j, x in enumerate(row) if x != self.fill} for name in self.results]


class Fused(Program):
    """Temporaries in blocks and loops."""
    shapes, results, last, before = FUSED, "uvwB", "u", None

    def __init__(self, draw):
        super().__init__(draw)
        if draw.random() < 0.5: # a block alone
            self.steps = [self.assign() for _ in range(draw.randint(3, 7))]

    def matrix(self, density):
        self.n = min(self.n, 13)
        self.data = {v: value[:self.n] for v, value in self.data.items()}
        if "p" not in self.data:
            self.data |= {v: [0] * self.n for v in "pz"} | {v: [[0] * self.n for _ in range(self.n)] for v in "DE"}
            self.kinds |= {v: self.draw.choice("ds") for v in "pz"} | {v: self.draw.choice(["ss", "ss", "ds", "ss:1,0"]) for v in "DE"}
        return super().matrix(density)

    def assign(self):
        draw = self.draw
        r, a, b = (draw.choice("uvwpzpzpz") for _ in range(3))
        m, o = (draw.choice("BDEDE") for _ in range(2))
        text, gives, value = draw.choice(self.shapes)
        if draw.random() < 0.7: # what was assigned last is read
            wants = [shape for shape in self.shapes if ("{o}" if self.last in "BDE" else "{a}") in shape[0]]
            text, gives, value = draw.choice(wants)
            a, o = (a, self.last) if self.last in "BDE" else (self.last, o)
        if self.before and draw.random() < 0.3: # the same expression again, for another result
            text, gives, value, a, b, o = self.before
        self.before = text, gives, value, a, b, o
        self.last = {"r": r, "m": m}.get(gives, self.last)
        old = o if "{o}" in text else r
        def meaning(now):
            now.to = now.old[m]
            return value(now, now.old[a], now.old[b], now.old[old])
        return ("assign", text.format(r=r, a=a, b=b, m=m, o=o), {"r": r, "m": m}.get(gives, gives), meaning)

    def step(self, depth):
        return super().step(depth) if self.draw.random() < 0.3 else self.assign()


class Loop(Program):
    """Dense vectors, and a matrix of any format with empty rows, in one loop."""
    fills, body = [0, 0, INF], (1, 4)

    def choose(self):
        self.shapes, self.conditions = (NEAREST if self.fill else DENSE), ENDS

    def __init__(self, draw):
        self.fill = draw.choice(self.fills)
        self.choose()
        super().__init__(draw)
        self.kinds.update(dict.fromkeys(VECTORS, "d"), A=draw.choice(["ss", "ss", "ds", "sd", "ss:1,0"]))
        self.tiles = draw.choice([[], ["--tile", "8"], ["--tile", "8", "--unroll", "2"], ["--tile", "16"]])

    def values(self, n, density):
        values = [0, 1, 2, 9, 250] if self.fill else [-3, -1, 1, 2, 9, 250, -32768]
        return [self.draw.choice(values) if self.draw.random() < density else self.fill for _ in range(n)]

    def matrix(self, density):
        rows = super().matrix(density)
        return [[self.fill] * self.n if self.draw.random() < 0.3 else row for row in rows]

    def loop(self, depth):
        body = [self.step(2) for _ in range(self.draw.randint(*self.body))]
        body = [one for one in body if one[0] != "multi"] or [self.assign()]
        text, holds = self.draw.choice(self.conditions)
        a = self.draw.choice(VECTORS)
        if self.draw.random() < 0.7:
            return ("repeat", self.draw.randint(3, 7), body)
        return (self.draw.choice(ENDS_OF_LOOPS), text.format(a=a), lambda m: holds(m, m.old[a]), self.draw.randint(2, 6), body)


class Scalars(Loop):
    """Statements of scalars in the loop, and tests of them."""
    fills, body, results = [0], (3, 7), "uvwst"

    def choose(self):
        self.shapes = SCALARS
        self.conditions = [(f"{x} {sign} 3", lambda m, a, x=x, holds=holds: holds(getattr(m, x), 3))
                           for x in "st" for sign, holds in (("<", operator.lt), (">=", operator.ge), ("!=", operator.ne))]


class Reals(Scalars):
    def choose(self):
        self.shapes, self.conditions = REALS, LESS

    def __init__(self, draw):
        super().__init__(draw)
        self.start = {"s": 2.0, "t": 0.0, "at": draw.randrange(self.n)}
        some = [bf16(draw.choice([-1, 1]) * draw.random() * 10.0 ** draw.choice([-3, 0, 0, 1, 19])) for _ in range(9)] + [1.0]
        self.data = {v: [draw.choice(some) for _ in range(self.n)] for v in VECTORS} | {"e": [1.5 * (i == self.start["at"]) for i in range(self.n)]}
        self.kinds["e"] = "s"


class Grids(Scalars):
    """Dense matrices and vectors in the loop."""
    results, some = "uvwstBC", GRIDS

    def choose(self):
        super().choose()
        self.shapes = self.some

    def __init__(self, draw):
        super().__init__(draw)
        self.n = min(self.n, 13)
        self.data = {v: self.values(self.n, draw.choice([0, 0.5, 1])) for v in VECTORS} | {v: [self.values(self.n, p) for _ in range(self.n)] for v, p in (("B", 1), ("C", 0.6))}
        self.kinds.update(B="dd", C="dd")
        self.tiles = draw.choice([["--tile", "4"], ["--tile", "8"], ["--tile", "8", "--unroll", "2"], ["--tile", "16"]])

    def step(self, depth):
        return ("swap", "B", "C") if self.draw.random() < 0.1 else super().step(depth)


class RealGrids(Grids):
    some = REAL_GRIDS

    def choose(self):
        self.start = {"s": 2.0, "t": 0.0}
        self.shapes, self.conditions = self.some, [one for one in LESS if not one[1](Values(1, self.start), None)] # which do not hold from the first

    def values(self, n, density):
        """Numbers of which quotients are rounded, infinite and subnormal."""
        draw = self.draw
        return [bf16(draw.choice([-1, 1]) * (1 + draw.random()) * 10.0 ** draw.choice([-38, -3, 0, 0, 1, 19])) if draw.random() < density else 0.0 for _ in range(n)]


def entries(path):
    lines = [line.split() for line in path.read_text().splitlines() if line[0] != "%"]
    values = {(int(i), int(j)): (bf16(float(x)) if real else int(x)) for i, j, x in lines[1:]}
    return {at: "nan" if x != x else x for at, x in values.items() if x or mode in ("", "loops")}


def results(path, how, *options):
    """The results' entries and the report, or what it was refused for."""
    out = folder / how
    done = subprocess.run([onyx, "run", str(path), "--engine", how, "--effort", "1", "-o", str(out), "--quiet", "--no-warning", "E0351,E0129", *types, *options], capture_output=True, text=True)
    if done.returncode:
        return None, f"exit {done.returncode}: {done.stderr.strip()}"
    return [entries(out / f"{t}.mtx") for t in made.results], json.loads((out / "report.json").read_text())


def kept_apart(number):
    """Keeps the statements of every tensor that was fused, reused or moved as written, by an empty schedule: nothing changes. Returns how many were wrong."""
    report = json.loads((folder / engine / "report.json").read_text())
    names, bad = {one["tensor"] for one in report["fusions"] if one["fused"] or "reused" in one or "moved" in one}, 0
    text, want = made.write(folder), made.meaning()
    for name in sorted(names):
        got, again = results(folder / "random.onx", engine, "--fuse-statements", "on", "-s", f"{name}:")
        if got is None and ("E0960-passes" in again and want is None or again.startswith("exit 2") or "E0903" in again):
            continue
        if got != want or any(one["tensor"] == name and one["fused"] for one in again["fusions"]):
            bad += 1
            print(f"seed {seed + number} with {name} apart: {'wrong' if got else again}\n{text}")
    return bad


said = wrong = refused = shared = endless = alone = ran = shown = looped = tried = fused = reused = 0
shares = quota.Quota()
for number in range(count):
    made = {"fused": Fused, "loops": Loop, "scalars": Scalars, "bf16": Reals, "dense": Grids, "dense_bf16": RealGrids}.get(mode, Program)(random.Random(seed + number))
    try:
        text, want = made.write(folder), made.meaning()
    except Unsaid:
        continue
    said += 1
    endless += want is None
    ways = [[], [*made.tiles, "--checkpoint", "2"]] if loops else [profile, [*profile, "-O0"]]
    if mode == "fused":
        ways = [["--fuse-statements", "on"], ["--fuse-statements", "off"], []]
    elif engine == "soc" and not loops:  # so many copies that each kernel is a firmware program of its own
        ways.append([*profile, "--tile", "2", "--unroll", "8"])
    before, not_fused = ran, ""
    # Engine sam divides zeros of dense operands, too, which may be NaN then (docs/index_notation.md).
    for how, options in (("cycle" if mode == "dense_bf16" else "sam", []), *((engine, way) for way in ways)):
        got, report = results(folder / "random.onx", how, *options)
        tried += how == engine
        if got is None and want is None and "[E0960-passes]" in report:
            tried -= how == engine
            continue
        if got is None and not report.startswith("exit 2"):
            wrong += 1
            print(f"seed {seed + number} {how} {options}: {report}\n{text}")
        elif got is None:
            refused += 1
            print(f"seed {seed + number} {how} {options}: {report.splitlines()[0]}")
            not_fused = report if "on" in options else not_fused
        elif got != want or report["check"] != "pass":
            wrong += 1
            print(f"seed {seed + number} {how} {options}: wrong, check {report['check']}\n{text}")
        elif how == engine:
            ran += 1
            wrong += not_fused != ""  # statements that run apart are not refused together
            if options is not ways[0]:  # what a program shows is counted once
                continue
            shown += 1
            fused += any(one["fused"] for one in report["fusions"])
            reused += any("reused" in one for one in report["fusions"])
            if mode == "fused":
                wrong += kept_apart(number)
            looped += bool(report["loops"])
            shared += any("shares" in s for s in report["statements"])
            alone += any(one.get("on_processor", 0) for loop in report["loops"] for one in loop["each"])
            if loops and not options and engine == "soc":
                print(f"seed {seed + number}: " + "; ".join(f"{loop['on']} {loop.get('why', '')} {[one['on_processor'] for one in loop['each']]}" for loop in report["loops"]))
    if want is not None:
        shares.add(ran > before, all(quota.is_trivial([0, *cells.values()]) for cells in want))
print(f"{count} programs, {endless} whose loop does not end, {refused} ways refused, {wrong} wrong")
print(f"rate stated: {said} of {count}\nrate accepted: {ran} of {tried}\nrate shared: {shared} of {shown}\nrate alone: {alone} of {looped}\nrate fused: {fused} of {shown}\nrate reused: {reused} of {shown}")
sys.exit(kept.count_wrong() > 0 or wrong > 0 or shares.failed())
