#!/usr/bin/env python3
"""Every command of the processor's lists, and every kind of step before it: commands.py ONYX FOLDER [NAME...]. Each row is a small program on engine soc:
what its tensors are in the end is computed here by lists of numbers, the report says who went through the loop, each program's lists have a known number of commands, and the lists that the chip's
processor has read (--dump list) have all kinds of commands of firmware/commands.def between them."""
import collections
import json
import pathlib
import re
import subprocess
import sys

from checked import expect, wrong

onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
N = 6
A = [[(3 * i + 5 * j + 1) % 7 - 2 if (i * j + i + 2 * j) % 3 else 0 for j in range(N)] for i in range(N)]
D = [[(5 * i + 3 * j) % 11 - 4 for j in range(N)] for i in range(N)]
U, V = [4, -7, 2, 9, 5, -3], [3, 1, -2, 0, 6, 2]
LINKS = [[int((j - i) % N in (1, 3)) for j in range(N)] for i in range(N)]


def wrap(value):
    return (value + 0x8000) % 0x10000 - 0x8000


def div(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def times(m, x):
    return [wrap(sum(a * b for a, b in zip(row, x))) for row in m]


def product(m, o):
    return [[wrap(sum(m[i][k] * o[k][j] for k in range(len(o)))) for j in range(len(o[0]))] for i in range(len(m))]


def each(function):
    return [wrap(function(i)) for i in range(N)]


def cells(function):
    return [[wrap(function(i, j)) for j in range(N)] for i in range(N)]


def dense():
    u, v = U, V
    for _ in range(3):
        w = times(A, u)
        t = wrap(sum(a * b for a, b in zip(u, v)))
        u, v = v, each(lambda i: (w[i] + v[i]) >> 1)
    return {"u": u, "v": v, "w": w, "t": t}


def counted():
    u, passes = U, 0
    while sum(x != 0 for x in u) >= 3:
        u, passes = each(lambda i: max(0, u[i] - V[i] - 1)), passes + 1
    return {"u": u, "n": passes}


def reached():
    front, depth, step = [int(i == 2) for i in range(N)], [0] * N, 0
    while any(front):
        step += 1
        depth = each(lambda i: step if front[i] else depth[i])
        front = each(lambda i: int(any(LINKS[i][j] and front[j] for j in range(N)) and not depth[i]))
    return {"depth": depth, "step": step}


def scalars():
    t, s, m, r = 3, 5, 0, 0
    u = U
    while t <= 200:
        t, s = t * 2 + s, s - 1
        m = max(t, 40) - min(s, 2) + (t & 12) + (s | 8)
        r = div(t, 7) + t - div(t, 5) * 5 + abs(s - 9)
        u = each(lambda i: u[i] + r)
    return {"u": u, "t": t, "s": s, "m": m, "r": r}


def entries():
    b, v = [row[:] for row in LINKS], V
    for _ in range(3):
        b = cells(lambda i, j: b[i][j] + A[i][j])
        v = times(b, U)
    return {"B": b, "v": v}


def turned():
    b, v = [row[:] for row in LINKS], V
    for _ in range(3):
        b = cells(lambda i, j: b[j][i] + A[i][j])
        v = times(b, U)
        w = each(lambda j: sum(b[i][j] * U[i] for i in range(N)))
    return {"B": b, "v": v, "w": w}


def grids():
    c = [row[:] for row in D]
    for _ in range(2):
        c = product(D, c)
        m = [max(row) for row in c]
        c = cells(lambda i, j: c[j][i] - m[i])
    return {"C": c, "m": m}


def calls():
    u, x = U, [row[:] for row in D]
    for _ in range(3):
        w = times(A, u)
        q = each(lambda i: div(w[i], V[i]))
        x = cells(lambda i, j: div(x[j][i] + 50, u[j]))
        u = each(lambda i: q[i] + U[i])
    return {"u": u, "q": q, "X": x}


def quotients():
    u = U
    for _ in range(3):
        w = times(A, u)
        t = wrap(sum(w))
        q, p = each(lambda i: div(w[i] * 4, t + 3)), each(lambda i: div(t, V[i]))
        u = each(lambda i: div(q[i] + p[i], 3) + U[i])
    return {"u": u, "q": q, "p": p, "t": t}


def several():
    u = U
    for _ in range(3):
        u = each(lambda i: max(V[i], max(D[i][j] * u[j] for j in range(N))) >> 2)
    return {"u": u}


def parts(n=40):
    u, v = [(3 * i) % 17 - 8 for i in range(n)], [(5 * i) % 13 - 6 for i in range(n)]
    for _ in range(3):
        t = wrap(sum(a * b for a, b in zip(u, v)))
        u = [wrap(a + b) for a, b in zip(u, v)]
    return {"u": u, "t": t}


def nothing():
    x, w = [0] * N, V
    for _ in range(3):
        w = times(A, x)
        x = each(lambda i: x[i] + (U[i] if i == 1 else 0) + w[i])
    return {"x": x, "w": w}


def gathered(n=70):
    x = [{0: 3, 5: -2, 63: 7, 69: 1}.get(i, 0) for i in range(n)]
    for _ in range(3):
        y = [wrap(a * {0: 2, 5: 3, 40: 9, 69: -4}.get(i, 0)) for i, a in enumerate(x)]
        x = [wrap(a + b) for a, b in zip(x, y)]
    return {"x": x, "y": y}


def copies():
    return {"u": [0] * N, "t": max(map(abs, U))}


def branches():
    n, u = 0, U
    for _ in range(4):
        n += 1
        u = each(lambda i: u[i] + V[i]) if n > 2 else each(lambda i: u[i] - times(A, V)[i])
    return {"u": u, "n": n}


def literal(x):
    return f"[{', '.join(map(str, x))}]"


HEAD = f"""tensor A: ss = "A.mtx"
tensor D: dd = "D.mtx"
tensor L: ss = "L.mtx"
tensor U: d = {literal(U)}
tensor V: d = {literal(V)}
"""
WRITTEN = ["--fuse-statements", "off"]  # compressed vectors stay compressed
ALONE = [""]  # the processor goes through the loop without the host
# name, tensors, loop and body, results by Python, for each loop and branch why the host has a part in it, options, the commands in all lists
ROWS = [
    ("dense", "tensor u: d = {U}\ntensor v: d = {V}\ntensor w: d\nscalar t",
     "repeat 3 {\n w(i) = A(i,j) * u(j)\n t = u(i) * v(i)\n u(i) = (w(i) + v(i)) >> 1\n swap u, v\n}", dense, ["the host writes operands between"], [],
     "4 batch 5 copy 2 list"),
    ("counted", "tensor u: d = {U}\nscalar n", "repeat until nnz(u) < 3 max 20 else fail {\n u(i) = relu(u(i) - V(i) - 1)\n n = n + 1\n}", counted, ALONE, [],
     "1 batch 1 calc 1 list 1 test"),
    ("reached", "tensor front: s = {{2: 1}}\ntensor depth({N}): s = {{}}\ntensor next: s\nscalar step",
     "repeat until nnz(front) == 0 max 9 else fail {\n step = step + 1\n depth(i) = depth(i) | step * front(i)\n next(i) = or(j, L(i,j) & front(j))\n"
     " front(i) = mask(not struct(depth(i)), next(i))\n}", reached, ALONE, [],
     "7 batch 12 block 4 calc 9 copy 1 list 6 pack 6 spread 4 test"),
    ("scalars", "tensor u: d = {U}\nscalar t = 3\nscalar s = 5\nscalar m\nscalar r",
     "repeat until t > 200 max 20 else fail {\n t = t * 2 + s\n s = s - 1\n m = max(t, 40) - min(s, 2) + (t & 12) + (s | 8)\n r = t / 7 + t % 5 + abs(s - 9)\n"
     " u(i) = u(i) + r\n}", scalars, ALONE, [],
     "2 batch 40 calc 2 copy 1 list 2 test"),
    ("entries", "tensor B({N},{N}): ss = \"L.mtx\"\ntensor v: d = {V}", "repeat 3 {\n B(i,j) = B(i,j) + A(i,j)\n v(i) = B(i,j) * U(j)\n}", entries, ["the host is expected to put an operand together sooner"], ["--tile", "4"],
     "4 batch 4 list"),
    ("turned", "tensor B({N},{N}): ss = \"L.mtx\"\ntensor v: d = {V}\ntensor w: d", "repeat 3 {\n B(i,j) = B(j,i) + A(i,j)\n v(i) = B(i,j) * U(j)\n w(j) = B(i,j) * U(i)\n}", turned, ALONE, WRITTEN,
     "1 again 5 batch 3 begin 3 copy 3 levels 1 list 3 shape 3 take"),
    ("gathered", "tensor x(70): s = {{0: 3, 5: -2, 63: 7, 69: 1}}\ntensor c(70): s = {{0: 2, 5: 3, 40: 9, 69: -4}}\ntensor y(70): s",
     "repeat 3 {\n y(i) = x(i) * c(i)\n x(i) = x(i) + y(i)\n}", gathered, ALONE, WRITTEN,
     "5 batch 6 gather 1 list"),
    ("grids", "tensor C: dd = \"D.mtx\"\ntensor m: d", "repeat 2 {\n C(i,j) = D(i,k) * C(k,j)\n m(i) = max(j, C(i,j))\n C(i,j) = C(j,i) - m(i)\n}", grids, ALONE, ["--unroll", "1"],
     "2 batch 3 block 6 calc 3 copy 1 list"),
    ("calls", "tensor u: d = {U}\ntensor w: d\ntensor q: d\ntensor X: dd = \"D.mtx\"",
     "repeat 3 {\n w(i) = A(i,j) * u(j)\n q(i) = w(i) / V(i)\n X(i,j) = (X(j,i) + 50) / u(j)\n u(i) = q(i) + U(i)\n}", calls, ["a result would be stored over one that is needed"], [],
     "11 batch 4 block 1 copy 4 list 3 spread"),
    ("quotients", "tensor u: d = {U}\ntensor w: d\ntensor q: d\ntensor p: d\nscalar t\nscalar s",
     "repeat 3 {\n w(i) = A(i,j) * u(j)\n t = w(i)\n s = t + 3\n q(i) = w(i) * 4 / s\n p(i) = t / V(i)\n u(i) = (q(i) + p(i)) / 3 + U(i)\n}", quotients, ALONE, [],
     "7 batch 1 calc 3 copy 1 list"),
    ("several", "tensor u: d = {U}", "repeat 3 {\n u(i) = max(V(i), max(j, D(i,j) * u(j))) >> 2\n}", several, ALONE, [],
     "3 batch 3 block 1 list 3 pack 3 spread"),
    ("parts", "tensor u: d = {P}\ntensor v: d = {Q}\nscalar t", "repeat 3 {\n t = u(i) * v(i)\n u(i) = u(i) + v(i)\n}", parts, ALONE, ["--tile", "16", "--unroll", "1"],
     "5 batch 6 calc 1 copy 1 list"),
    ("nothing", "tensor x({N}): s = {{}}\ntensor one: s = {{1: -7}}\ntensor w({N}): s", "repeat 3 {\n w(i) = A(i,j) * x(j)\n x(i) = x(i) + one(i) + w(i)\n}", nothing, ALONE, WRITTEN,
     "4 batch 5 block 1 list 6 pack 3 spread"),
    ("copies", "tensor u({N}): d = {{}}\nscalar t", "repeat 3 {\n u(i) = u(i) + u(i)\n t = max(i, abs(U(i) - u(i)))\n}", copies, ALONE, ["--unroll", "2"],
     "2 batch 2 block 6 calc 1 list 4 pack"),
    ("branches", "tensor u: d = {U}\ntensor w: d\nscalar n",
     "repeat 4 {\n n = n + 1\n if n > 2 { u(i) = u(i) + V(i) } else { w(i) = A(i,j) * V(j)\n u(i) = u(i) - w(i) }\n}", branches, ["the processor cannot test its condition"] * 3, [],
     "4 batch 12 calc 2 copy 3 list 3 test"),
]
KINDS = set(re.findall(r"^FW_COMMAND\((\w+)", (pathlib.Path(__file__).parents[2] / "firmware/commands.def").read_text(), re.M))


def write_matrix(name, m):
    lines = [f"{i + 1} {j + 1} {m[i][j]}" for i in range(N) for j in range(N) if m[i][j]]
    (folder / f"{name}.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n{N} {N} {len(lines)}\n" + "\n".join(lines) + "\n")


def stored(path):
    """The result's nonzero values by coordinates."""
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("%")][1:]
    return {tuple(int(w) - 1 for w in words[:2]): int(words[2]) for words in lines if int(words[2])}


def nonzeros(value):
    """The same of a number, a vector (a column) or a matrix."""
    rows = [[value]] if isinstance(value, int) else [[one] for one in value] if isinstance(value[0], int) else value
    return {(i, j): x for i, row in enumerate(rows) for j, x in enumerate(row) if x}


for name, matrix in (("A", A), ("D", D), ("L", LINKS)):
    write_matrix(name, matrix)
seen = set()
for name, tensors, body, compute, why, options, commands in [row for row in ROWS if not sys.argv[3:] or row[0] in sys.argv[3:]]:
    want = compute()
    fill = {"U": literal(U), "V": literal(V), "N": N, "P": literal([(3 * i) % 17 - 8 for i in range(40)]), "Q": literal([(5 * i) % 13 - 6 for i in range(40)])}
    path, out = folder / f"{name}.onx", folder / name
    path.write_text(HEAD + tensors.format(**fill) + "\n" + body + f"\nresult {', '.join(want)}\n")
    done = subprocess.run([onyx, "run", str(path), "--engine", "soc", "--dtype", "int16", "--effort", "1", "--dump", "list", "--explain", *options, "-o", str(out), "--no-warning", "E0129"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        expect(name, done.stderr, "")
        continue
    report = json.loads((out / "report.json").read_text())
    expect(f"{name} checks", report["check"], "pass")
    for tensor, value in want.items():
        expect(f"{name}: {tensor}", stored(out / f"{tensor}.mtx"), nonzeros(value))
    expect(f"{name}: loops", [(loop["on"], loop.get("why", "")) for loop in report["loops"]], [("host" if reason else "processor", reason) for reason in why])
    lists = collections.Counter(line.split()[0] for one in out.glob("list*/dump/list.txt") for line in one.read_text().splitlines())
    expect(f"{name}: commands", " ".join(f"{n} {kind}" for kind, n in sorted(lists.items())), commands)
    seen |= lists.keys()
# A stated host: 970 cycles of the array a microsecond, 50 of them a request, and four bytes at 40 KB/s a word.
if not sys.argv[3:]:
    out = folder / "host"
    subprocess.run([onyx, "run", str(folder / "dense.onx"), "--engine", "soc", "--dtype", "int16", "--effort", "1", "--host-bandwidth", "40", "--host-latency", "50", "-o", str(out), "--quiet"],
                   capture_output=True, check=True)
    for statement in json.loads((out / "report.json").read_text())["statements"]:
        words = [run["host_words"]["loaded"] + run["host_words"]["collected"] for run in statement["each"] if "host_words" in run]
        expect(f"cycles of the host for {statement['statement']}", (len(words) > 0, statement["cycles"]["host"]), (True, sum(970 * 50 + 970 * 100 * n for n in words if n)))
    expect("kinds of commands without a program", sorted(KINDS - seen), [])
print(f"{len(ROWS)} programs, {len(KINDS & seen)} of {len(KINDS)} kinds of commands")
sys.exit(bool(wrong))
