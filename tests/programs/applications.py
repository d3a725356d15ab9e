#!/usr/bin/env python3
"""Seventeen applications of several statements against plain Python, beside the thirteen of examples/ (examples.py): applications.py ONYX EXAMPLES
FOLDER ENGINE [NAME...]. What is expected is computed of lists and dictionaries of edges. With `table PAGE` in place of an engine all thirty are run by
engines cycle and soc, with --fuse-statements off and auto, for a row each of a page of the notebook."""
import json
import math
import pathlib
import subprocess
import sys

onyx, examples, folder, engine = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]), sys.argv[4]
N = 34
lines = [line.split() for line in (examples / "graph.mtx").read_text().splitlines() if line[0] != "%"][1:]
near = {v: set() for v in range(N)}
for one in lines:
    near[int(one[0]) - 1].add(int(one[1]) - 1)
    near[int(one[1]) - 1].add(int(one[0]) - 1)
GRAPH = f'tensor A: ss = "{examples}/graph.mtx" ones\n'
features = {(i, f): 1 + (i * f + i) % 3 for i in range(N) for f in range(6) if (7 * i + 5 * f + i * f) % 13 < 5}
weights = {(f, k): (3 * f + k) % 5 - 2 or 1 for f in range(6) for k in range(4) if (f + 2 * k) % 3}
right = {i: (11 * i + 3) % 19 - 9 or 1 for i in range(N)}


def entries(cells):
    return "{" + ", ".join(f"{str(at).replace(' ', '')}: {v}" for at, v in sorted(cells.items())) + "}"


FEATURES = f"tensor X({N},6): ss = {entries(features)}\n"
WEIGHTS = f"tensor W(6,4): ss:1,0 = {entries(weights)}\n"
RIGHT = f"tensor b({N}): d = {entries(right)}\n"


def stored(cells):
    return {at: v for at, v in cells.items() if v}


def mixed(known=None):
    """What a vertex' neighbours know, in sum."""
    known = features if known is None else known
    return {(i, f): sum(known.get((j, f), 0) for j in near[i]) for i in near for f in range(6)}


def common():
    return {(i, j): len(near[i] & near[j]) for i in near for j in near}


def weighted(known):
    return {(i, k): sum(known.get((i, f), 0) * w for (f, to), w in weights.items() if to == k) for i in near for k in range(4)}


def scores():
    return {(i, j): sum(features.get((i, f), 0) * features.get((j, f), 0) for f in range(6)) for i in near for j in near[i]}


def gated():
    middle = mixed()
    return stored({at: m + features.get(at, 0) * (features.get(at, 0) - m) for at, m in middle.items()})


def truss(passes=3):
    there = {i: set(js) for i, js in near.items()}
    for _ in range(passes):
        there = {i: {j for j in js if there[i] & there[j]} for i, js in there.items()}
    return {(i, j): 1 for i in there for j in there[i]}


def paths(source=0):
    count, front = {source: 1}, {source: 1}
    while front:
        after = {}
        for v, n in front.items():
            for w in near[v] - set(count):
                after[w] = after.get(w, 0) + n
        count.update(after)
        front = after
    return count


def closure(passes=2):
    reach = {i: set(near[i]) for i in near}
    for _ in range(passes):
        reach = {i: js | {k for j in js for k in near[j]} for i, js in reach.items()}
    return {(i, j): 1 for i in reach for j in reach[i]}


def katz(passes=5):
    x = dict.fromkeys(near, 8)
    for _ in range(passes):
        x = {i: 8 + (sum(x[j] for j in near[i]) >> 3) for i in near}
    return x


def heat(passes=6):
    u = {i: 800 * (i == 0) for i in near}
    for _ in range(passes):
        u = {i: u[i] + (sum(u[j] - u[i] for j in near[i]) >> 5) for i in near}
    return stored(u)


def descent(passes=5):
    x = dict.fromkeys(range(6), 0)
    for _ in range(passes):
        rest = {i: right[i] - sum(features.get((i, f), 0) * x[f] for f in range(6)) for i in near}
        x = {f: x[f] + (sum(features.get((i, f), 0) * rest[i] for i in near) >> 6) for f in range(6)}
    return stored(x)


def hubs(passes=5):
    hub = dict.fromkeys(near, 16)
    for _ in range(passes):
        authority = {j: sum(hub[i] for i in near[j]) for j in near}
        total = sum(authority.values())
        authority = {j: v * 40 // total for j, v in authority.items()}
        hub = {i: sum(authority[j] for j in near[i]) for i in near}
    return stored(hub)


class Close(dict):
    """Numbers within 6 % of the largest."""

    def __eq__(self, other):
        most = max(abs(v) for v in self.values())
        return all(abs(self.get(at, 0) - other.get(at, 0)) <= 0.06 * most for at in {*self, *other})

    def __ne__(self, other):
        return not self == other


def power(passes=6):
    x = dict.fromkeys(near, 1.0)
    for _ in range(passes):
        y = {i: sum(x[j] for j in near[i]) for i in near}
        x = {i: v / math.sqrt(sum(w * w for w in y.values())) for i, v in y.items()}
    return Close(x)


def jacobi(passes=6):
    x = dict.fromkeys(near, 0.0)
    for _ in range(passes):
        x = {i: (right[i] + sum(x[j] for j in near[i])) / (len(near[i]) + 1) for i in near}
    return Close(x)


def markov(passes=2):
    flow = {(i, j): 1 / len(near[j]) for i in near for j in near[i]}
    for _ in range(passes):
        square = {}
        for (i, k), v in flow.items():
            for j in near:
                if (k, j) in flow:
                    square[i, j] = square.get((i, j), 0) + v * flow[k, j]
        square = {at: v * v for at, v in square.items()}
        flow = {(i, j): v / sum(square.get((k, j), 0) for k in near) for (i, j), v in square.items()}
    return Close(flow)


PROGRAMS = {
    "triangles": (GRAPH + "T(i,j) = A(i,k) * A(k,j)\nt(i) = A(i,j) * T(i,j)\n", {"t": lambda: stored({i: sum(len(near[i] & near[j]) for j in near[i]) for i in near})}),
    "similar": (GRAPH + "C(i,j) = A(i,k) * A(j,k)\nX(i,j) = mask(A(i,j), C(i,j))\nm(i) = max(j, X(i,j))\nresult X, m\n",
                {"X": lambda: stored({(i, j): common()[i, j] for i in near for j in near[i]}), "m": lambda: stored({i: max(len(near[i] & near[j]) for j in near[i]) for i in near})}),
    "scores": (GRAPH + FEATURES + "S(i,j) = X(i,f) * X(j,f)\nT(i,j) = A(i,j) * S(i,j)\n", {"T": lambda: stored(scores())}),
    "gated": (GRAPH + FEATURES + "N(i,f) = A(i,j) * X(j,f)\nS(i,f) = X(i,f) - N(i,f)\nY(i,f) = N(i,f) + X(i,f) * S(i,f)\n", {"Y": gated}),
    "isomorphism": (GRAPH + FEATURES + WEIGHTS + "N(i,f) = A(i,j) * X(j,f)\nS(i,f) = 2 * X(i,f) + N(i,f)\nT(i,k) = S(i,f) * W(f,k)\nY(i,k) = relu(T(i,k))\n",
                    {"Y": lambda: {at: v for at, v in weighted({at: 2 * features.get(at, 0) + v for at, v in mixed().items()}).items() if v > 0}}),
    "layer": (GRAPH + FEATURES + WEIGHTS + "M(i,k) = X(i,f) * W(f,k)\nP(i,k) = A(i,j) * M(j,k)\nY(i,k) = relu(P(i,k))\n",
              {"Y": lambda: {at: v for at, v in weighted(mixed()).items() if v > 0}}),
    "truss": (GRAPH + "repeat 3 {\n    S(i,j) = A(i,k) * A(k,j)\n    T(i,j) = mask(A(i,j), S(i,j))\n    U(i,j) = T(i,j) >= 1\n    A(i,j) = A(i,j) * U(i,j)\n}\nresult A\n", {"A": truss}),
    "paths": (GRAPH + "tensor front: s = {0: 1}\ntensor count: s = {0: 1}\ntensor after: s\ntensor next: s\nrepeat until nnz(front) == 0 max 40 {\n    after(j) = A(i,j) * front(i)\n"
              "    next(j) = mask(not struct(count(j)), after(j))\n    count(j) += next(j)\n    swap front, next\n}\nresult count\n", {"count": paths}),
    "closure": (GRAPH + "tensor R: ss\nR(i,j) = A(i,j) * 1\nrepeat 2 {\n    N(i,j) = or(k, R(i,k) & A(k,j))\n    R(i,j) = R(i,j) | N(i,j)\n}\nresult R\n", {"R": closure}),
    "katz": (GRAPH + "tensor x: d = all 8\ntensor y: d\nrepeat 5 {\n    y(i) = A(i,j) * x(j)\n    x(i) = 8 + (y(i) >> 3)\n}\nresult x\n", {"x": katz}),
    "heat": (GRAPH + f"tensor u({N}): d = {{0: 800}}\ntensor degree: d\ntensor in: d\ndegree(i) = A(i,j)\nrepeat 6 {{\n    in(i) = A(i,j) * u(j)\n    u(i) = u(i) + ((in(i) - degree(i) * u(i)) >> 5)\n}}\nresult u\n", {"u": heat}),
    "descent": (FEATURES + RIGHT + "tensor x(6): d = {}\ntensor r: d\ntensor g: d\nrepeat 5 {\n    r(i) = b(i) - X(i,f) * x(f)\n    g(f) = X(i,f) * r(i)\n    x(f) = x(f) + (g(f) >> 6)\n}\nresult x\n", {"x": descent}),
    "hubs": (GRAPH + "tensor hub: d = all 16\ntensor auth: d\nscalar total\nrepeat 5 {\n    auth(j) = A(i,j) * hub(i)\n    total = auth(j)\n    auth(j) = auth(j) * 40 / total\n    hub(i) = A(i,j) * auth(j)\n}\nresult hub\n", {"hub": hubs}),
    "neighbours": (GRAPH + "d(i) = A(i,j)\ns(i) = A(i,j) * d(j)\na(i) = s(i) / d(i)\n", {"a": lambda: {i: sum(len(near[j]) for j in near[i]) // len(near[i]) for i in near}}),
    "power_bf16": ("dtype bf16\n" + GRAPH + "tensor x: d = all 1\ntensor y: d\nscalar all\nscalar norm\nrepeat 6 {\n    y(i) = A(i,j) * x(j)\n    all = y(i) * y(i)\n    norm = sqrt(all)\n    x(i) = y(i) / norm\n}\nresult x\n", {"x": power}),
    "jacobi_bf16": ("dtype bf16\n" + GRAPH + RIGHT + "tensor d: d\ntensor x: d = all 0\nd(i) = A(i,j)\nd(i) = d(i) + 1\nrepeat 6 {\n    x(i) = (b(i) + A(i,j) * x(j)) / d(i)\n}\nresult x\n", {"x": jacobi}),
    "markov": ("dtype bf16\n" + GRAPH + "tensor I: ss\ntensor s: d\ns(j) = A(i,j)\nI(i,j) = A(i,j) / s(j)\nrepeat 2 {\n    E(i,j) = I(i,k) * I(k,j)\n    P(i,j) = E(i,j) * E(i,j)\n    s(j) = P(i,j)\n    I(i,j) = P(i,j) / s(j)\n}\nresult I\n", {"I": markov}),
}


def run(path, by, *options):
    out = folder / f"{path.stem}_{by}"
    done = subprocess.run([onyx, "run", path, "--engine", by, "--quiet", "--no-warning", "E0351,E0129,E0346", "-o", out, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        return None, f"{path.stem} {by}: exit {done.returncode}: {done.stderr}"
    return json.loads((out / "report.json").read_text()), out


def read(path):
    words = [line.split() for line in path.read_text().splitlines() if line[0] != "%"][1:]
    cells = {(int(w[0]) - 1, int(w[1]) - 1): float(w[2]) for w in words}
    return cells if any(j for _, j in cells) else {i: v for (i, _), v in cells.items()}


def count_wrong(names):
    wrong = 0
    for name in names:
        text, want = PROGRAMS[name]
        path = folder / f"{name}.onx"
        path.write_text(text)
        report, out = run(path, engine)
        for tensor, cells in want.items():
            if report is None or report["check"] != "pass" or cells() != read(out / f"{tensor}.mtx"):
                wrong += 1
                print(out if report is None else f"{name}: {tensor} is {read(out / f'{tensor}.mtx')}, expected {cells()}")
    return wrong


def row_of(name, path):
    cells = [name]
    for by in ("cycle", "soc"):
        for how in ("off", "auto"):
            report, out = run(path, by, "--fuse-statements", how)
            cells.append(report["total_cycles"] if report else out.splitlines()[0])
    words = sum(each.get("host_words", {}).get(way, 0) for one in report["statements"] for each in one["each"] for way in ("loaded", "collected")) if report else 0
    entries = sum(each.get("result_nnz", 0) for one in report["statements"] for each in one["each"]) if report else 1
    return "| " + " | ".join(f"{c:,}" if isinstance(c, int) else str(c) for c in [*cells, words]) + f" | {cells[2] / max(entries, 1):.0f} | {cells[4] / cells[2]:.1f} |"


folder.mkdir(parents=True, exist_ok=True)
if engine != "table":
    sys.exit(count_wrong(sys.argv[5:] or PROGRAMS) != 0)
page = """# Thirty programs

Written by `cmake --build build --target applications`: the programs of `examples/` and of
`tests/programs/applications.py`. Plain Python computes the result of each in the tests (`programs_cycle`,
`programs_soc_*`, `programs_applications`). Cycles of engines `cycle` and `soc` with `--fuse-statements off` and `auto`;
words between host and chip of `soc`; cycles of engine `cycle` for each value that a statement makes; the ratio of the
engines. On 34 vertices the configuration, 3,000 to 6,000 cycles, is much of `soc`;
[repeated](repeated.md#loops-of-bf16) has larger graphs.

| program | `cycle`, apart | fused | `soc`, apart | fused | words | `cycle` for each value | `soc` over `cycle` |
|---|---|---|---|---|---|---|---|
"""
for path in sorted(examples.glob("*.onx")):
    page += row_of(path.stem, path) + "\n"
for name, (text, _) in PROGRAMS.items():
    (folder / f"{name}.onx").write_text(text)
    page += row_of(name, folder / f"{name}.onx") + "\n"
pathlib.Path(sys.argv[5]).write_text(page)
