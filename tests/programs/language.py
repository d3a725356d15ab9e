#!/usr/bin/env python3
"""Random statements with functions of whole tensors, values of indices and parts of results: language.py ONYX FOLDER COUNT SEED ENGINE. A case is a
program with each of the rows once, on tensors of random extents; plain Python computes the results. tests/seeds.py judges the rates."""
import json
import math
import pathlib
import random
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

onyx, folder, count, seed, engine = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]

INF = 32767


class Case:
    """A, a matrix of m rows and n columns; Q, a square one; b and c, vectors of n; d, a dense vector of m; k, l, scalars; p, a param;
    F and G, matrices as A with the fills inf and 7."""

    def __init__(self, draw):
        self.m, self.n, self.size = draw.randint(3, 9), draw.randint(4, 9), draw.randint(3, 8)
        cell = lambda p: draw.randint(-9, 9) if draw.random() < p else 0
        self.A = [[cell(0.5) for _ in range(self.n)] for _ in range(self.m)]
        self.Q = [[cell(0.5) for _ in range(self.size)] for _ in range(self.size)]
        self.b, self.c = ([cell(p) for _ in range(self.n)] for p in (0.6, 1))
        self.b[draw.randrange(self.n)] = 11  # one largest value
        self.d = [draw.randint(-9, 9) for _ in range(self.m)]
        self.k, self.l, self.p = draw.randint(-2, 3), draw.randrange(self.n), draw.randint(1, self.m - 1)
        self.F, self.G = ([[draw.randint(0, 9) if draw.random() < 0.4 else fill for _ in range(self.n)] for _ in range(self.m)] for fill in (INF, 7))

    def text(self):
        matrix = lambda rows, fill=0: "{" + ", ".join(f"({i},{j}): {v}" for i, row in enumerate(rows) for j, v in enumerate(row) if v != fill) + "}"
        vector = lambda v: "{" + ", ".join(f"{i}: {x}" for i, x in enumerate(v) if x) + "}"
        return (f"tensor A({self.m},{self.n}): ss = {matrix(self.A)}\ntensor Q({self.size},{self.size}): ss = {matrix(self.Q)}\n"
                f"tensor F({self.m},{self.n}): ss fill inf = {matrix(self.F, INF)}\ntensor G({self.m},{self.n}): ss fill 7 = {matrix(self.G, 7)}\n"
                f"tensor b({self.n}): s = {vector(self.b)}\ntensor c({self.n}): d = {vector(self.c)}\ntensor d({self.m}): d = {vector(self.d)}\n"
                f"scalar k = {self.k}\nscalar l = {self.l}\nparam p = {self.p}\n")


def rows(t, value):
    return [value(i) for i in range(t.m)]


def columns(t, value):
    return [value(j) for j in range(t.n)]


def cells(t, value):
    return [[value(i, j) for j in range(t.n)] for i in range(t.m)]


def square(t, value):
    return [[value(i, j) for j in range(t.size)] for i in range(t.size)]


# Statement of the result r, what is declared before, and its value.
ROWS = [
    ("r(i) = b(i) * i", "", lambda t: columns(t, lambda i: t.b[i] * i)),
    ("r(i,j) = mask(i < j, A(i,j))", "", lambda t: cells(t, lambda i, j: t.A[i][j] * (i < j))),
    ("r(i,j) = A(i,j) * (2 * i + j)", "", lambda t: cells(t, lambda i, j: t.A[i][j] * (2 * i + j))),
    ("r(i) = ifelse(i > 2, d(i), i)", "", lambda t: rows(t, lambda i: t.d[i] if i > 2 else i)),
    ("r(i) = max(j, A(i,j) * j) + max(i, 3)", "", lambda t: rows(t, lambda i: max(t.A[i][j] * j for j in range(t.n)) + max(i, 3))),
    ("r(i,j) = tril(A(i,j))", "", lambda t: cells(t, lambda i, j: t.A[i][j] * (j <= i))),
    ("r(i,j) = triu(A, 1) + 1", "", lambda t: cells(t, lambda i, j: t.A[i][j] * (j > i) + 1)),
    ("r(i,j) = triu(A(i,j) + d(i), -1)", "", lambda t: cells(t, lambda i, j: (t.A[i][j] + t.d[i]) * (j >= i - 1))),
    ("r(i) = diag(Q)", "", lambda t: [t.Q[i][i] for i in range(t.size)]),
    ("r(i,j) = diag(Q(i,j)) - Q(i,j)", "", lambda t: square(t, lambda i, j: -t.Q[i][j] * (i != j))),
    ("r(i,j) = diag(b)", "", lambda t: [[t.b[i] * (i == j) for j in range(t.n)] for i in range(t.n)]),
    ("r = norm(b)", "", lambda t: math.isqrt(sum(x * x for x in t.b))),
    ("r(i) = d(i) + norm(j, A(i,j))", "", lambda t: rows(t, lambda i: t.d[i] + math.isqrt(sum(x * x for x in t.A[i])))),
    ("r = norm(b(i) - c(i))", "", lambda t: math.isqrt(sum((x - y) ** 2 for x, y in zip(t.b, t.c)))),
    ("r(i) = b(i) - norm(A)", "", lambda t: columns(t, lambda i: t.b[i] - math.isqrt(sum(x * x for row in t.A for x in row)))),
    ("r(i) = b(i) + argmax(b)", "", lambda t: columns(t, lambda i: t.b[i] + t.b.index(max(t.b)))),
    ("r = max(A) - min(A) + sum(b) + nnz(c)", "", lambda t: max(map(max, t.A)) - min(map(min, t.A)) + sum(t.b) + sum(map(bool, t.c))),
    ("r(i) = b(i+k) + c(k-i)", "tensor r({t.n}): d\n", lambda t: columns(t, lambda i: at(t.b, i + t.k) + at(t.c, t.k - i))),
    ("r(i) = b(i-k) * i", "", lambda t: columns(t, lambda i: at(t.b, i - t.k) * i)),
    ("r(i) = c(i(l:))", "", lambda t: columns(t, lambda i: at(t.c, i + t.l))),
    ("r(i) = sum(j, A(i,j(p:l)) * b(j))", "", lambda t: rows(t, lambda i: sum(t.A[i][j + t.p] * t.b[j] for j in range(max(0, t.l - t.p))))),
    ("r(i) = c(2*i+1) - 2 * c(2*i)", "tensor r({t.p}): d\n", lambda t: [at(t.c, 2 * i + 1) - 2 * at(t.c, 2 * i) for i in range(t.p)]),
    ("r(i) = c(2*i)", "tensor r({t.n}): d\n", lambda t: columns(t, lambda i: at(t.c, 2 * i))),
    ("v(i) = c(3*i) + c(3*i+1)\nr(2*i+1) = v(i)", "tensor v({t.p}): d\ntensor r(40): d\n", lambda t: [at(t.c, 3 * (i // 2)) + at(t.c, 3 * (i // 2) + 1) if i % 2 and i // 2 < t.p else 0 for i in range(40)]),
    ("r(l) = 7 + norm(b)", "tensor r({t.n}): d = all 2\n", lambda t: columns(t, lambda i: 7 + math.isqrt(sum(x * x for x in t.b)) if i == t.l else 2)),
    ("r(0:p) = 5", "tensor r({t.m}): d = all 2\n", lambda t: rows(t, lambda i: 5 if i < t.p else 2)),
    ("r(i(p:)) = d(i)", "tensor r({t.m}): d = all 2\n", lambda t: rows(t, lambda i: t.d[i - t.p] if i >= t.p else 2)),
    ("r(i(1:l)) += c(i+l)", "tensor r({t.n}): d = all 2\n", lambda t: columns(t, lambda i: 2 + (at(t.c, i - 1 + t.l) if 1 <= i < t.l else 0))),
    ("r(1:3,l) += 4", "tensor r({t.m},{t.n}): ss = eye\n", lambda t: cells(t, lambda i, j: (i == j) + 4 * (1 <= i < 3 and j == t.l))),
    ("r(0:p,j) = 2 * b(j)", "tensor r({t.m},{t.n}): ds = tril\n", lambda t: cells(t, lambda i, j: 2 * t.b[j] if i < t.p else j <= i)),
    ("r(i(1:3),j(2:)) = A(i,j) + 1", "tensor r({t.m},{t.n}): dd = triu\n", lambda t: cells(t, lambda i, j: t.A[i - 1][j - 2] + 1 if 1 <= i < 3 and j > 1 else j >= i)),
    ("r(0,j) = A(1,j)", "tensor r({t.m},{t.n}): ss = eye\n", lambda t: cells(t, lambda i, j: t.A[1][j] if i == 0 else i == j)),
    ("r(i) = F(i,l)", "", lambda t: rows(t, lambda i: t.F[i][t.l])),
    ("r(i) = G(i,l) + F(i,0)", "", lambda t: rows(t, lambda i: sum_of(t.G[i][t.l], t.F[i][0]))),
    ("r(i,j) = min(F(i,j), F(i,l) + F(p,j))", "", lambda t: cells(t, lambda i, j: min(t.F[i][j], sum_of(t.F[i][t.l], t.F[t.p][j])))),
    ("r(i) = F(i(p:),l)", "", lambda t: [t.F[i][t.l] for i in range(t.p, t.m)]),
    ("r(p,j) = F(0,j)", "tensor r({t.m},{t.n}): ss fill inf = eye\n", lambda t: cells(t, lambda i, j: t.F[0][j] if i == t.p else 1 if i == j else INF)),
    ("r(0:p,l) = c(l)", "tensor r({t.m},{t.n}): dd fill 7 = {{}}\n", lambda t: cells(t, lambda i, j: t.c[t.l] if i < t.p and j == t.l else 7)),
    ("r(i), place(i) = argmin(j, F(i,j))", "", lambda t: rows(t, lambda i: min(t.F[i]))),
    ("r(i) = sum(j, argmin(j, F(i,j)))", "", lambda t: rows(t, lambda i: t.F[i].index(min(t.F[i])))),
    ("r(i) = sum(j, argmax(j, F(i,j)))", "", lambda t: rows(t, lambda i: t.F[i].index(max([v for v in t.F[i] if v != INF], default=INF)))),
]


def sum_of(a, b):
    return INF if INF in (a, b) else a + b


def at(vector, i):
    return vector[i] if 0 <= i < len(vector) else 0


def flat(value):
    """Values by coordinates from 0."""
    if not isinstance(value, list):
        return {(0, 0): value}
    if not isinstance(value[0], list):
        return {(i, 0): v for i, v in enumerate(value)}
    return {(i, j): v for i, row in enumerate(value) for j, v in enumerate(row)}


def read(path, places):
    """The values at the places: a file leaves its fill out."""
    lines = path.read_text().splitlines()
    fill = next((int(line.split()[2].rstrip(":")) for line in lines if line.startswith("% fill ")), 0)
    words = [line.split() for line in lines if line[0] != "%"][1:]
    return {at: fill for at in places} | {(int(w[0]) - 1, int(w[1]) - 1): int(w[2]) for w in words}


def wrong(number, shares):
    t = Case(random.Random(seed + number))
    path, out = folder / "language.onx", folder / "out"
    names = [f"r{n}" for n in range(len(ROWS))]
    renamed = lambda n, text: re.sub(r"\br\(", f"r{n}(", text).replace("r =", f"r{n} =").replace("r +=", f"r{n} +=")
    text = t.text() + "".join(renamed(n, before.format(t=t) + what) + "\n" for n, (what, before, _) in enumerate(ROWS)) + f"result {', '.join(names)}\n"
    path.write_text(text)
    done = subprocess.run([onyx, "run", path, "--engine", engine, "--dtype", "int16", "--quiet", "-o", out], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"seed {seed + number}: exit {done.returncode}: {done.stderr}\n{text}")
        shares.add(accepted=False)
        return True
    bad = json.loads((out / "report.json").read_text())["check"] != "pass"
    for n, (what, _, value) in enumerate(ROWS):
        want = flat(value(t))
        got = read(out / f"r{n}.mtx", want)
        shares.add(trivial=quota.is_trivial([0, *want.values()]))
        if got != want:
            bad = True
            print(f"seed {seed + number}: {what}\n{t.text()}{got}\nnot {want}")
    return bad


folder.mkdir(parents=True, exist_ok=True)
shares, bad = quota.Quota(), 0
for number in range(count):
    bad += wrong(number, shares)
print(f"{count} programs, {bad} wrong")
sys.exit(bad > 0 or shares.failed())
