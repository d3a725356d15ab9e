#!/usr/bin/env python3
"""Graph algorithms on real graphs, each step a run of onyx, each result compared with plain Python:
graphs.py ONYX FOLDER ENGINE[,ENGINE...] [--once] [--write PAGE | --compare PAGE] GRAPH.mtx...
With --once one step of each, of the product its first rows; --write puts the table of cycles into the page, with several engines a row for
each; --compare fails where the page's table has other steps, or cycles more than 2 % off. A matrix that is not symmetric is a directed graph, of which entry i,j is the edge from j to
i; edges from a vertex to itself are left out."""
import heapq
import json
import pathlib
import re
import subprocess
import sys

from evaluate import INF, MINUS_INF, wrap
from random_operators import behaviour, put_table, read, write

args = sys.argv[1:]
once = "--once" in args
page = pathlib.Path(args.pop(args.index("--write") + 1)) if "--write" in args else None
compared = pathlib.Path(args.pop(args.index("--compare") + 1)) if "--compare" in args else None
onyx, folder, engines, *paths = [a for a in args if not a.startswith("--")]
ROWS = 64  # of the product, where one step is asked for
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
kept = behaviour.watch(__file__, onyx, folder)
paths = [pathlib.Path(p) for p in paths if pathlib.Path(p).exists()]
if not paths:
    sys.exit(77)


class Graph:
    def __init__(self, path):
        words = [line.split() for line in path.read_text().splitlines()]
        self.name, both = path.stem, words[0][-1].lower() == "symmetric"
        words = [w for w in words if w and w[0][0] != "%"]
        self.n, self.edges = int(words[0][0]), {}
        for i, j in ((int(w[0]) - 1, int(w[1]) - 1) for w in words[1:]):
            if i != j:
                self.edges[i, j] = (i * 7 + j * 7) % 9 + 1
                if both:
                    self.edges[j, i] = self.edges[i, j]
        self.into = {i: [] for i in range(self.n)}  # whence edges come
        self.out = {i: [] for i in range(self.n)}
        for i, j in self.edges:
            self.into[i].append(j)
            self.out[j].append(i)
        self.wrong, self.steps, self.cycles = [], 0, 0
        self.A, self.engine = ([self.n, self.n], self.edges), "cycle"

    def vector(self, cells):
        return [self.n], cells

    def run(self, expression, operands, order=1, options=()):
        out = folder / "out"
        args = [onyx, "run", expression, "--dtype", "int16", "--engine", self.engine, "-o", str(out), "--quiet", *options]
        for name, (dims, cells) in operands.items():
            args += ["-i", f"{name}:{write(folder / name, dims, cells)}"]
        done = subprocess.run(args, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(args)}: {done.stderr}")
        report = json.loads((out / "report.json").read_text())
        self.steps += 1
        self.cycles += report["cycles"]["total"]
        return read(out / f"{expression[0]}.mtx", order), report.get("fill", 0)

    def expect(self, what, got, want):
        if got != want:
            self.wrong.append(f"{self.name}, {what}: {got}, expected {want}")

    def levels(self, start):
        far, todo = {start: 0}, [start]
        for j in todo:
            for i in self.out[j]:
                if i not in far:
                    far[i] = far[j] + 1
                    todo.append(i)
        return far


def until_same(step, state):
    """Returns the state that a step leaves as it is, or the one after one step, and whether it is the last one."""
    while True:
        after = step(state)
        if once or after == state:
            return after, after == state
        state = after


def breadth_first(g):
    level, frontier, depth = {0: 0}, {(0,): 1}, 0
    while frontier and not (once and depth):
        frontier, _ = g.run("y(i) = mask(not struct(s(i)), lor(j, A(i,j) && f(j)))",
                            {"A": g.A, "f": g.vector(frontier), "s": g.vector({(i,): 1 for i in level})})
        depth += 1
        level |= {at[0]: depth for at in frontier}
    g.expect("levels", level, {i: d for i, d in g.levels(0).items() if not once or d <= 1})


def shortest_paths(g):
    def step(d):
        return g.run("y(i) = A(i,j) * d(j) + d(i)", {"A": g.A, "d": g.vector(d)}, options=("--semiring", "min_plus"))[0]

    far, known = {0: 0}, [(0, 0)]
    while known:  # Dijkstra's
        d, j = heapq.heappop(known)
        for i in g.out[j]:
            if d + g.edges[i, j] < far.get(i, INF):
                far[i] = d + g.edges[i, j]
                heapq.heappush(known, (far[i], i))
    got, last = until_same(step, {(0,): 0})
    g.expect("distances", got, {(i,): d for i, d in far.items()} if last else {(0,): 0} | {(i,): g.edges[i, 0] for i in g.out[0]})


def components(g):
    """The least number from which a vertex can be reached: of an undirected graph, its component."""

    def step(c):
        after, _ = g.run("y(i) = min(min(j, mask(A(i,j), c(j))), c(i))", {"A": g.A, "c": g.vector(c)}, options=("--fill", "c:inf"))
        return {(i,): after.get((i,), INF) for i in range(g.n)}

    least = {}
    for start in range(g.n):
        if start not in least:
            least |= {i: start for i in g.levels(start) if i not in least}
    got, last = until_same(step, {(i,): i for i in range(g.n)})
    g.expect("components", got, {(i,): least[i] if last else min([i] + g.into[i]) for i in range(g.n)})


def triangles(g):
    got, _ = g.run("t = struct(A(i,j)) * struct(A(j,k)) * struct(A(i,k))", {"A": g.A}, 0)
    count = sum(1 for (i, j) in g.edges for k in g.into[j] if (i, k) in g.edges)
    g.expect("triangles", got.get((), 0), wrap(count))


def core(g, least=3):
    """The vertices that keep that many edges from among each other."""

    def step(f):
        return g.run(f"y(i) = mask(f(i), struct(A(i,j)) * f(j) >= {least})", {"A": g.A, "f": g.vector(f)})[0]

    def stays(f):
        return {(i,): 1 for (i,) in f if sum((j,) in f for j in g.into[i]) >= least}

    got, last = until_same(lambda f: {at: 1 for at, v in step(f).items() if v}, {(i,): 1 for i in range(g.n)})
    want = stays({(i,): 1 for i in range(g.n)})
    while last and stays(want) != want:
        want = stays(want)
    g.expect("core", got, want)


def largest_neighbour(g):
    value = {(i,): i * 13 % 17 - 8 for i in range(g.n)}
    got, fill = g.run("y(i) = max(j, mask(A(i,j), v(j)))", {"A": g.A, "v": g.vector(value)}, options=("--fill", "v:-inf"))
    g.expect("largest of the neighbours", {i: got.get((i,), fill) for i in range(g.n)},
             {i: max([value[j,] for j in g.into[i]], default=MINUS_INF) for i in range(g.n)})


def layer(g):
    """Sums of weighted edges, of which those below a threshold are 0 and those above another are that."""
    x = {(i,): 1 + i % 3 for i in range(0, g.n, 2)}
    got, fill = g.run("y(i) = clamp(A(i,j) * x(j) - 9, 0, 127)", {"A": g.A, "x": g.vector(x)})
    g.expect("layer", {i: got.get((i,), fill) for i in range(g.n)},
             {i: min(max(sum(g.edges[i, j] * x.get((j,), 0) for j in g.into[i]) - 9, 0), 127) for i in range(g.n)})


def rectified_product(g):
    """With negative values, the summed loop cut three times or more."""
    signed = {at: w - 5 for at, w in g.edges.items()}
    rows = min(ROWS, g.n) if once else g.n
    first = {(i, k): v for (i, k), v in signed.items() if i < rows}
    got, _ = g.run("X(i,j) = relu(B(i,k) * C(k,j))", {"B": ([rows, g.n], first), "C": (g.A[0], signed)}, 2,
                   ("--tile", f"k:{min(32, (g.n + 2) // 3)}"))
    product = {}
    for (i, k), v in first.items():
        for j in g.into[k]:
            product[i, j] = product.get((i, j), 0) + v * signed[k, j]
    g.expect("rectified product", {at: v for at, v in got.items() if v}, {at: v for at, v in product.items() if v > 0})


ALGORITHMS = {"breadth-first search": breadth_first, "shortest paths": shortest_paths, "components": components,
              "triangles": triangles, "3-core": core, "largest of the neighbours": largest_neighbour,
              "layer with thresholds": layer, "rectified product": rectified_product}
graphs = [Graph(p) for p in paths]
engines = engines.split(",")
counts = {}
for name, algorithm in ALGORITHMS.items():
    for g in graphs:
        for g.engine in engines:
            g.steps = g.cycles = 0
            algorithm(g)
            counts[name, g.engine, g] = g.steps, g.cycles
        print(g.name, name, *(f"{e} {counts[name, e, g][1]}" for e in engines), flush=True)


def row(name, cells):
    return f"| {name} | " + " | ".join(cells) + " |\n"


def stale(text):
    """Cells of the page's first table that are not what was run."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("made by tests/operators/graphs.py -->")[1].split("<!--")[0].split("\n")]
    names = next(cells for cells in rows if cells[0] == "steps: cycles")
    cells = {(cells[0], graph): cell for cells in rows for graph, cell in zip(names, cells)}
    for (name, engine, g), (steps, cycles) in counts.items():
        said = [int(number) for number in re.findall(r"\d+", cells.get((name, g.name), ""))]
        if len(said) != 2 or said[0] != steps or abs(said[1] - cycles) * 50 > cycles:
            yield f"{compared.name}: {name} of {g.name} is {steps}: {cycles}, the page says {said}: cmake --build build --target graphs_page"


several = len(engines) > 1
table = row("cycles of one step" if several else "steps: cycles", [g.name for g in graphs]) + "|---" * (1 + len(graphs)) + "|\n"
if not several:
    table += row("vertices", [str(g.n) for g in graphs]) + row("edges", [str(len(g.edges)) for g in graphs])
for name in ALGORITHMS:
    for e in engines:
        shown = [counts[name, e, g] for g in graphs]
        called = f"{name}, `{e}`" if several else name
        table += row(called, [str(cycles) if several else f"{steps}: {cycles}" for steps, cycles in shown])
bad = [line for g in graphs for line in g.wrong]
if compared and not bad:
    bad = list(stale(compared.read_text()))
print("\n".join(bad) if bad else table)
if page and not bad:
    put_table(page, "graphs.py --once" if once else "graphs.py", table)
sys.exit(kept.count_wrong() > 0 or bool(bad))
