#!/usr/bin/env python3
"""Twelve models as programs of short statements, fused and apart: models.py ONYX EXAMPLES FOLDER [DRAW PAGE]. Each runs on engine cycle with
--fuse-statements off and auto, and once for every statement that `fusions` of the report lists as fused, reused or moved, with an empty schedule that keeps
this statement as written. Results of int16 are equal, those of bf16 within a part of the largest value; every run passes its own check. The predecessors of a
shortest-path search are compared with plain Python. With DRAW the page of the notebook and its chart are written."""
import json
import pathlib
import subprocess
import sys

onyx, examples, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
GRAPH = 'tensor A: ss = random "48x48:0.08:1" ones\n'
WORDS = 'tensor X: ss = random "48x12:0.3:2"\ntensor V: ss:1,0 = random "12x8:0.5:3"\ntensor W: ss:1,0 = random "8x4:0.5:4"\n'


def example(name):
    """A program of examples/, with its files."""
    return (examples / f"{name}.onx").read_text().replace('= "', f'= "{examples}/')


MODELS = {
    "graph convolutions": GRAPH + WORDS + "M(i,k) = X(i,f) * V(f,k)\nP(i,k) = A(i,j) * M(j,k)\nH(i,k) = relu(P(i,k))\nN(i,c) = H(i,k) * W(k,c)\nQ(i,c) = A(i,j) * N(j,c)\n"
                          "Y(i,c) = relu(Q(i,c))\n",
    "SAGE": GRAPH + WORDS + 'tensor U: ss:1,0 = random "12x8:0.5:5"\nN(i,f) = A(i,j) * X(j,f)\nS(i,k) = X(i,f) * U(f,k)\nT(i,k) = N(i,f) * V(f,k)\nP(i,k) = S(i,k) + T(i,k)\nY(i,k) = relu(P(i,k))\n',
    "isomorphism": GRAPH + WORDS + "N(i,f) = A(i,j) * X(j,f)\nS(i,f) = 2 * X(i,f) + N(i,f)\nT(i,k) = S(i,f) * V(f,k)\nH(i,k) = relu(T(i,k))\nR(i,c) = H(i,k) * W(k,c)\nY(i,c) = relu(R(i,c))\n",
    "gated": GRAPH + WORDS + 'tensor G: ss = random "48x12:0.3:6"\nN(i,f) = A(i,j) * X(j,f)\nS(i,f) = X(i,f) - N(i,f)\nY(i,f) = N(i,f) + G(i,f) * S(i,f)\n',
    "attention of a graph": "dtype bf16\nfunctions library\n" + GRAPH + WORDS + "D(i,j) = X(i,f) * X(j,f)\nM(i,j) = A(i,j) * D(i,j)\nE(i,j) = A(i,j) + M(i,j)\nP(i,j) = m3_softmax(j, E(i,j))\n"
                            "Y(i,f) = P(i,j) * X(j,f)\nresult Y\n",
    "masked scores of a transformer": 'dtype bf16\nfunctions library\ntensor Q: ss = random "32x8:0.6:1"\ntensor K: ss = random "32x8:0.6:2"\ntensor V: ss = random "32x8:0.6:3"\n'
                                      "tensor M(32,32): ss = tril\nS(i,j) = Q(i,f) * K(j,f)\nT(i,j) = mask(M(i,j), S(i,j))\nP(i,j) = m3_softmax(j, T(i,j))\nY(i,f) = P(i,j) * V(j,f)\nresult Y\n",
    "perceptron": 'tensor X: ss = random "32x40:0.3:1"\ntensor W: ss:1,0 = random "40x30:0.1:2"\ntensor U: ss:1,0 = random "30x10:0.2:3"\nS(i,k) = X(i,f) * W(f,k)\nH(i,k) = relu(S(i,k))\n'
                  "T(i,c) = H(i,k) * U(k,c)\nY(i,c) = relu(T(i,c))\n",
    "page rank": example("pagerank"),
    "conjugate gradients": example("gradients"),
    "truss": GRAPH + "repeat 3 {\n    S(i,j) = A(i,k) * A(k,j)\n    T(i,j) = mask(A(i,j), S(i,j))\n    U(i,j) = T(i,j) >= 1\n    A(i,j) = A(i,j) * U(i,j)\n}\nresult A\n",
    "Markov clusters": "dtype bf16\n" + GRAPH + "tensor I: ss\ntensor s: d\ns(j) = A(i,j)\nI(i,j) = A(i,j) / s(j)\nrepeat 2 {\n    E(i,j) = I(i,k) * I(k,j)\n    P(i,j) = E(i,j) * E(i,j)\n"
                       "    s(j) = P(i,j)\n    I(i,j) = P(i,j) / s(j)\n}\nresult I\n",
    "predecessors": f'tensor W: ss fill inf = "{examples}/roads.mtx"\ntensor far(34): s fill inf = {{0: 0}}\ntensor way: s fill inf\ntensor next: s fill inf\ntensor id(34): d = index\n'
                    "tensor pred: s\nscalar changed = 1\nrepeat until changed == 0 max 40 {\n    way(j) = min(i, W(i,j) + far(i))\n    next(j) = min(far(j), way(j))\n"
                    "    changed = sum(j, next(j) != far(j))\n    swap far, next\n}\npred(j) = max(i, mask(struct(W(i,j)), (far(i) + W(i,j) == far(j)) * id(i)))\nresult far, pred\n",
}
# The published gains of fusion over statements, as figures: FuseFlow's sparse models, least and most.
PUBLISHED = 2.7, 3.9


def read(path):
    words = [line.split() for line in path.read_text().splitlines() if line[0] != "%"][1:]
    return {(int(w[0]) - 1, int(w[1]) - 1): float(w[-1]) for w in words if float(w[-1])}


def run(path, *options):
    """The report and all results."""
    out = folder / path.stem
    done = subprocess.run([onyx, "run", path, "--engine", "cycle", "--quiet", "--no-warning", "E0351,E0129,E0346", "-o", out, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{path.stem} {options}: exit {done.returncode}: {done.stderr}")
    report = json.loads((out / "report.json").read_text())
    if report["check"] == "fail":
        sys.exit(f"{path.stem} {options}: check fail")
    return report, {one["tensor"]: read(out / f"{one['tensor']}.mtx") for one in report["results"]}


def same(report, got, want):
    if report["type"]["of"] == "int16":
        return got == want
    slack = 0.05  # of the largest value: sums of bf16 in other orders, over passes
    return all(abs(got[t].get(at, 0) - want[t].get(at, 0)) <= slack * max(map(abs, want[t].values())) for t in want for at in {*got[t], *want[t]})


def predecessors():
    lines = [line.split() for line in (examples / "roads.mtx").read_text().splitlines() if line[0] != "%"][1:]
    length = {(int(i) - 1, int(j) - 1): int(v) for i, j, v in lines}
    length |= {(j, i): v for (i, j), v in length.items()}
    far = {0: 0}
    for _ in range(34):
        for (i, j), v in length.items():
            if i in far:
                far[j] = min(far.get(j, far[i] + v), far[i] + v)
    before = {j: max([i for i in far if (i, j) in length and far[i] + length[i, j] == far[j]], default=0) for j in far}
    return {(j, 0): i for j, i in before.items() if i}


def measure(name, text):
    """Cycles apart and fused, and what was done to how many statements."""
    path = folder / f"{name.replace(' ', '_')}.onx"
    path.write_text(text)
    (apart, want), (fused, got) = run(path, "--fuse-statements", "off"), run(path)
    listed = [one for one in fused["fusions"] if one["fused"] or "reused" in one or "moved" in one]
    wrong = [] if same(fused, got, want) else [f"{name}: fused {got}, apart {want}"]
    if name == "predecessors" and want["pred"] != predecessors():
        wrong.append(f"{name}: {want['pred']}, expected {predecessors()}")
    for one in listed:
        report, values = run(path, "-s", f"{one['tensor']}:")
        still = any(x["tensor"] == one["tensor"] and x["line"] == one["line"] and x["fused"] for x in report["fusions"])
        if still or not same(report, values, want):
            wrong.append(f"{name}: with {one['tensor']} of line {one['line']} {'fused all the same' if still else f'apart {values}, {want}'}")
    return apart["total_cycles"], fused["total_cycles"], len(listed), wrong


def write(rows, draw, page):
    chart = {"title": "Cycles of separate statements over cycles of fused statements", "x_label": "", "y_label": "times", "category": [row[0] for row in rows],
             "series": [{"name": "onyx", "y": [apart / fused for _, apart, fused, _ in rows]}]}
    done = subprocess.run([draw], input=json.dumps(chart), capture_output=True, text=True, check=True)
    page.with_suffix(".svg").write_text(done.stdout)
    gain = 1
    for _, apart, fused, _ in rows:
        gain *= (apart / fused) ** (1 / len(rows))
    page.write_text(f"""# Models, fused and apart

Written by `cmake --build build --target models`: twelve models as programs of short statements
(`tests/programs/models.py`), on engine `cycle` with `--fuse-statements off` and `auto`. The test `programs_models`
compares their results, and keeps each fused, reused or moved statement as written once. By geometric mean the array
takes {gain:.2f} times less fused. FuseFlow reports {PUBLISHED[0]} to {PUBLISHED[1]} times for sparse models on an array of its own; the figures
cannot be compared further, since sizes, data and hardware differ.

![Cycles of separate statements over cycles of fused statements](models.svg)

| model | apart | fused | times less | statements that became part of others, were reused or moved |
|---|---|---|---|---|
""" + "".join(f"| {name} | {apart:,} | {fused:,} | {apart / fused:.2f} | {n} |\n" for name, apart, fused, n in rows))


folder.mkdir(parents=True, exist_ok=True)
rows, bad = [], 0
for name, text in MODELS.items():
    apart, fused, listed, wrong = measure(name, text)
    rows.append((name, apart, fused, listed))
    print(f"{name}: {apart:,} cycles apart, {fused:,} fused, {listed} kept as written in turn", *wrong, sep="\n  ", flush=True)
    bad += len(wrong)
if not sum(row[3] for row in rows):
    sys.exit("nothing was fused")
if len(sys.argv) > 4 and not bad:
    write(rows, sys.argv[4], pathlib.Path(sys.argv[5]))
sys.exit(bad > 0)
