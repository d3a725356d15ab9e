#!/usr/bin/env python3
"""Attention between the vertices of a graph, wholly on the array: attention.py ONYX FOLDER ENGINE.

Scores, exp, sums, reciprocals and both products are six statements of bfloat16, of which the host computes none; the
result is held against Python's doubles.
"""
import json
import math
import pathlib
import subprocess
import sys

ONYX, FOLDER, ENGINE = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
FOLDER.mkdir(parents=True, exist_ok=True)
VERTICES, KNOWN, GIVEN = 8, 6, 5
PROGRAM = """
tensor S: ss
tensor P: ss
tensor r: s
tensor q: s
tensor W: ss
tensor Y: ss
S(i,j) = A(i,j) * Q(i,k) * K(j,k)
P(i,j) = A(i,j) * exp(S(i,j))
r(i) = P(i,j)
q(i) = 1.0 / r(i)
W(i,j) = P(i,j) * q(i)
Y(i,d) = W(i,j) * V(j,d)
result W, Y
"""


def matrix(columns, step):
    """Sixteenths from -1 to 1, four of five cells stored."""
    return {(i, j): ((7 * i + step * j) % 32 - 15.5) / 16 for i in range(VERTICES) for j in range(columns)
            if (i + 2 * j + step) % 5}


def read(name):
    rows = [line.split() for line in (FOLDER / f"{name}.tns").read_text().splitlines() if line[0] != "#"]
    return {(int(i) - 1, int(j) - 1): float(v) for i, j, v in rows}


neighbours = {(i, j): 1 for i in range(VERTICES) for j in range(VERTICES) if i == j or (3 * i + 5 * j) % 8 < 3}
operands = {"A": neighbours, "Q": matrix(KNOWN, 11), "K": matrix(KNOWN, 13), "V": matrix(GIVEN, 17)}
words = []
for name, cells in operands.items():
    (FOLDER / f"{name}.tns").write_text("".join(f"{i + 1} {j + 1} {v}\n" for (i, j), v in cells.items()))
    words += ["-i", f"{name}:{FOLDER / name}.tns"]
declared = "".join(f"tensor {n}({VERTICES},{c}): ss" + "\n" for n, c in
                   (("A", VERTICES), ("Q", KNOWN), ("K", KNOWN), ("V", GIVEN)))
(FOLDER / "attention.onx").write_text(declared + PROGRAM)
done = subprocess.run([ONYX, "run", str(FOLDER / "attention.onx"), "--dtype", "bf16", "--functions", "library", *words,
                       "-o", f"W:{FOLDER}/W.tns", "-o", f"Y:{FOLDER}/Y.tns", "--engine", ENGINE,
                       "-o", str(FOLDER / "out"), "--json"], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
places = []


def look(at):
    """Collects where each kernel ran."""
    if isinstance(at, dict):
        if isinstance(at.get("on"), str):
            places.append(at["on"])
        for below in at.values():
            look(below)
    elif isinstance(at, list):
        for below in at:
            look(below)


report = json.loads(done.stdout)
look(report)
assert places == ["array"] * 6, places
Q, K, V = operands["Q"], operands["K"], operands["V"]
power = {(i, j): math.exp(sum(Q.get((i, k), 0) * K.get((j, k), 0) for k in range(KNOWN))) for i, j in operands["A"]}
total = [sum(v for (a, _), v in power.items() if a == i) for i in range(VERTICES)]
weight = {(i, j): v / total[i] for (i, j), v in power.items()}
mixed = {(i, d): sum(v * V.get((j, d), 0) for (a, j), v in weight.items() if a == i)
         for i in range(VERTICES) for d in range(GIVEN)}
got = read("W")
assert got.keys() == weight.keys() and all(abs(got[at] - v) < 0.02 * v for at, v in weight.items()), (got, weight)
got = read("Y")
assert len(got) > VERTICES * GIVEN // 2 and all(abs(got.get(at, 0) - v) < 0.02 for at, v in mixed.items()), (got, mixed)
print(f"attention on engine {ENGINE}: {len(weight)} weights, {len(got)} values, all six statements on the array")
