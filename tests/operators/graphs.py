#!/usr/bin/env python3
"""Graph algorithms, step by step, on a real graph: graphs.py ONYX FOLDER GRAPH.mtx [ENGINE]. Each step is a run of onyx, and each result is
compared with plain Python."""
import heapq
import json
import pathlib
import subprocess
import sys

from evaluate import INF, MINUS_INF
from random_operators import read, write

onyx, folder, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
engine = sys.argv[4] if len(sys.argv) > 4 else "sam"
folder.mkdir(parents=True, exist_ok=True)
lines = [line.split() for line in path.read_text().splitlines() if line[0] != "%"]
n = int(lines[0][0])
edges = {}
for words in lines[1:]:
    i, j = int(words[0]) - 1, int(words[1]) - 1
    if i != j:
        edges[i, j] = edges[j, i] = (i * 7 + j * 7) % 9 + 1
neighbours = {i: [j for (a, j) in edges if a == i] for i in range(n)}
bad = 0


def run(expression, operands, order=1, options=()):
    args = [onyx, "run", expression, "--engine", engine, "-o", str(folder / "out"), "--quiet", *options]
    for name, (dims, cells) in operands.items():
        args += ["-i", f"{name}:{write(folder / name, dims, cells)}"]
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(args)}: {done.stderr}")
    fill = json.loads((folder / "out" / "report.json").read_text()).get("fill", 0)
    return read(folder / "out" / f"{expression[0]}.mtx", order), fill


def expect(what, got, want):
    global bad
    if got != want:
        bad += 1
        print(f"{what}: {got}, expected {want}")


def breadth_first(start):
    level, frontier, seen = {start: 0}, {(start,): 1}, {(start,): 1}
    while frontier:
        frontier, _ = run("y(i) = mask(not struct(s(i)), lor(j, A(i,j) && f(j)))", {"A": ([n, n], edges), "f": ([n], frontier), "s": ([n], seen)})
        for at in frontier:
            level[at[0]] = max(level.values()) + (1 if at == min(frontier) else 0)
        seen |= frontier
    return level


def distances(start):
    far = {i: INF for i in range(n)} | {start: 0}
    known = [(0, start)]
    while known:
        d, i = heapq.heappop(known)
        for j in neighbours[i]:
            if d + edges[i, j] < far[j]:
                far[j] = d + edges[i, j]
                heapq.heappush(known, (far[j], j))
    return far


def shortest(start):
    d = {(start,): 0}
    while True:
        after, fill = run("y(i) = A(i,j) * d(j) + d(i)", {"A": ([n, n], edges), "d": ([n], d)}, options=("--semiring", "min_plus"))
        expect("fill of min_plus", fill, INF)
        if after == d:
            return {i: d.get((i,), INF) for i in range(n)}
        d = after


def components():
    label = {(i,): i for i in range(n)}
    while True:
        after, _ = run("y(i) = min(min(j, mask(A(i,j), c(j))), c(i))", {"A": ([n, n], edges), "c": ([n], label)}, options=("--fill", "c:inf"))
        after = {(i,): after.get((i,), INF) for i in range(n)}
        if after == label:
            return {at[0]: v for at, v in label.items()}
        label = after


def reached(start):
    far, todo = {start: 0}, [start]
    for i in todo:
        for j in neighbours[i]:
            if j not in far:
                far[j] = far[i] + 1
                todo.append(j)
    return far


expect("levels of breadth-first search", breadth_first(0), reached(0))
expect("shortest paths", shortest(0), distances(0))
lowest = {i: min(reached(i)) for i in range(n)}
expect("components", components(), lowest)
triangles, _ = run("t = struct(A(i,j)) * struct(A(j,k)) * struct(A(i,k))", {"A": ([n, n], edges)}, 0)
want = sum(1 for (i, j) in edges for k in neighbours[j] if (i, k) in edges)
expect("triangles", triangles.get((), 0), want)
value = {(i,): i * 13 % 17 - 8 for i in range(n)}
most, fill = run("y(i) = max(j, mask(A(i,j), v(j)))", {"A": ([n, n], edges), "v": ([n], value)}, options=("--fill", "v:-inf"))
expect("largest of the neighbours", {i: most.get((i,), fill) for i in range(n)},
       {i: max([value[j,] for j in neighbours[i]], default=MINUS_INF) for i in range(n)})
signed = {(i, j): w - 5 for (i, j), w in edges.items()}
squared, _ = run("X(i,j) = relu(B(i,k) * C(k,j))", {"B": ([n, n], signed), "C": ([n, n], signed)}, 2)
product = {(i, j): sum(signed[i, k] * signed[k, j] for k in neighbours[i] if (k, j) in signed) for i in range(n) for j in range(n)}
expect("relu of a product", squared, {at: v for at, v in product.items() if v > 0})
print("wrong" if bad else "breadth-first search, shortest paths, components, triangles, neighbours and a rectified product are right")
sys.exit(bad != 0)
