#!/usr/bin/env python3
"""Published SAM graphs as input on an engine, against evaluate.py: published.py ONYX FOLDER GRAPHS ENGINE [NAME ...]. Every graph
below GRAPHS, or those of the names, runs on made-up operands, or is refused with the code that is known here. Prints how many ran, and how
many were refused, by code. Without GRAPHS the exit code is 77."""
import collections
import itertools
import pathlib
import random
import re
import subprocess
import sys

from evaluate import Evaluator
from random_operators import behaviour, quota, read, write

SHARES = quota.Quota()
EXTENTS = {"i": 7, "j": 8, "k": 6, "l": 5, "m": 4, "n": 3}
# What a graph computes: its operands multiplied and summed over what the result lacks, or what stands here.
FORMULAS = {
    "mat_elemadd": "B + C", "mat_elemadd3": "B + C + D", "tensor3_elemadd": "B + C", "vec_elemadd": "b + c", "mat_sp2dn": "B + C", "vec_sub": "b - c",
    "mat_residual": "b - sum(C * d)", "mat_mattransmul": "b * sum(C * d) + e * f",
    "mat_elemadd_relu": "relu(B + C)", "matmul_ijk_crddrop_relu": "relu(sum(B * C))", "spmm_ijk_crddrop_relu": "relu(sum(B * C))",
    "spmv_relu": "relu(sum(B * c))",
}
REFUSED = {  # the code on engine sam, and on the array's engines; none: it runs
    "custard/old/matmul_kij": (None, "E0918"),  # it adds up matrices
    "onyx/matmul_ikj_hacked": ("E0212", "E0212"),  # an accumulator without one of its coordinates
}
UNKNOWN = "mat_elemadd_leakyrelu_exp"  # evaluate.py has no bf16: that it runs, and passes its own check, is all


class Graph:
    def __init__(self, path, name):
        self.path, self.name, text = path, name, path.read_text()
        nodes = [dict(re.findall(r'(\w+)="([^"]*)"', re.sub(r'comment="[^"]*"|label="[^"]*"', "", n))) for n in re.findall(r"\[([^\]]*)\]", text)]
        self.fp = any(n.get("type", "")[:3] == "fp_" or n.get("fp") == "true" for n in nodes)
        tensors = [part.split("=") for part in re.search(r'comment="([^"]*)"', text)[1].split(",")]
        self.index = {}
        for tensor, levels in tensors:
            order = 0 if levels == "none" else len(re.match("[a-z]*", levels)[0])
            kind = "fiberlookup" if self.index else "fiberwrite"
            found = {int(n["mode"]): n["index"] for n in nodes if n.get("type") == kind and n.get("tensor") == tensor and "index" in n}
            self.index[tensor] = tuple(found[m] for m in range(order)) if all(m in found for m in range(order)) else None
        self.result = next(iter(self.index))
        self.operands = [t for t in list(self.index)[1:] if self.index[t] is not None]

    def tree(self):
        """What it computes, for evaluate.py."""
        base = re.sub("_HAND$|_fp$", "", self.path.stem)
        text = FORMULAS.get(base) or f"sum({' * '.join(self.operands)})"
        words = re.findall(r"\w+|[-+*()]", text)

        def summed(e):
            def indices(e):
                return {v for v in e[2]} if e[0] == "access" else {v for a in e[1:] for v in indices(a)}
            for v in sorted(indices(e) - set(self.index[self.result])):
                e = ("reduce", "sum", v, e)
            return e

        def factor():
            word = words.pop(0)
            if word not in ("sum", "relu"):
                return ("access", word, self.index[word])
            words.pop(0)
            inside = terms()
            words.pop(0)
            return summed(inside) if word == "sum" else ("relu", inside)

        def chain(signs, operand):
            e = operand()
            while words and words[0] in signs:
                e = (words.pop(0), e, operand())
            return e

        def terms():
            return chain("+-", lambda: chain("*", factor))
        return terms()


def run(onyx, graph, seed, folder, engine):
    """Returns "right", a code, or what is wrong."""
    r, tensors, args = random.Random(seed), {}, []
    for name in graph.operands:
        dims = [EXTENTS[v] for v in graph.index[name]]
        density = r.choice([0.3, 0.5, 0.8])
        values = [1, 2, 3] if graph.fp else [0, 1, 2, 3, -1, -2, 7]
        cells = {at: r.choice(values) for at in itertools.product(*map(range, dims)) if not dims or r.random() < density}
        tensors[name] = (len(dims), cells, 0)
        args += ["-i", f"{name}:{write(folder / name, dims, cells)}"]
    used = {v for index in graph.index.values() for v in index or ()}
    args += [word for v in sorted(used) for word in ("-d", f"{v}:{EXTENTS[v]}")] + ["--dtype", "bf16"] * graph.fp
    if graph.fp and engine != "sam":
        args += ["--profile", "onyx-ext"]
    args = [onyx, "run", str(graph.path), *args, "--engine", engine, "--effort", "1", "--quiet", "-o", str(folder / "out")]
    done = subprocess.run(args, capture_output=True, text=True)
    code = re.search(r"(?:error|does not fit): .*\[(E\d+)", done.stderr)
    if done.returncode:
        return code[1] if code else f"exit code {done.returncode}: {' '.join(args)}\n{done.stderr}"
    index = graph.index[graph.result]
    if graph.path.stem == UNKNOWN:
        return "right"
    got = read(folder / "out" / (graph.result + (".mtx" if len(index) <= 2 else ".tns")), len(index))
    evaluator, tree = Evaluator(tensors, EXTENTS), graph.tree()
    values = {at: evaluator.value(tree, dict(zip(index, at))) for at in itertools.product(*(range(EXTENTS[v]) for v in index))}
    SHARES.add(trivial=quota.is_trivial([0] * (not index) + list(values.values())))
    for at, want in values.items():
        if got.get(at, 0) != want:
            return f"{at} is {got.get(at, 0)}, expected {want}: {' '.join(args)}"
    return "right"


def main():
    onyx, folder, graphs, engine, *names = sys.argv[1:]
    folder, graphs = pathlib.Path(folder), pathlib.Path(graphs)
    paths = sorted(graphs.rglob("*.gv"))
    if not paths:
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    counts, wrong, kept = collections.Counter(), 0, behaviour.watch(__file__, onyx, folder)
    for path in paths:
        name = str(path.relative_to(graphs).with_suffix(""))
        if names and name not in names:
            continue
        expected = REFUSED.get(name, (None, None))[engine != "sam"] or "right"
        graph = Graph(path, name)
        got = {run(onyx, graph, seed, folder, engine) for seed in range(3)}
        counts[got.copy().pop() if len(got) == 1 else "wrong"] += 1
        if got != {expected}:
            wrong += 1
            print(f"{name}: expected {expected}:", *got)
    refused = ", ".join(f"{n} {code}" for code, n in sorted(counts.items()) if re.fullmatch(r"E\d+", code))
    print(f"{sum(counts.values())} graphs on {engine}, {counts['right']} run, refused: {refused or 'none'}; {wrong} not as expected")
    return kept.count_wrong() > 0 or wrong != 0 or SHARES.failed()


if __name__ == "__main__":
    sys.exit(main())
