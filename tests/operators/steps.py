#!/usr/bin/env python3
"""One step each of graph algorithms and of other uses of functions, masks and fills, on an engine, against evaluate.py:
steps.py ONYX FOLDER ENGINE [--write PAGE]. On engine soc every second one; with --write those of the page, on engines cycle, rtl and soc, of which it
gets the cycles."""
import itertools
import json
import pathlib
import random
import subprocess
import sys

from evaluate import INF, MINUS_INF, Evaluator
from random_operators import put_table, quota, read, text, write

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

onyx, folder, engine, *page = sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:]
kept = behaviour.watch(__file__, onyx, folder)
folder.mkdir(parents=True, exist_ok=True)
shares = quota.Quota()
SIZE = {"i": 9, "j": 9, "k": 4, "l": 3, "m": 2, "n": 2, "o": 2}


def of(name, *index):
    return "access", name, index


def struct(name, *index):
    return "struct", name, index


def reduce(how, variables, e):
    for v in reversed(variables):
        e = ("reduce", how, v, e)
    return e


def minimax(order):
    """The value of a game of that many moves, every second one of the other player's."""
    variables = "ijklmno"[:order]
    e = of("G", *variables)
    for at, v in reversed(list(enumerate(variables))):
        e = ("reduce", "min" if at % 2 else "max", v, e)
    return e


A, d, m = of("A", "i", "j"), of("d", "j"), struct("s", "i")
NUMBER = {n: ("number", n) for n in (0, 2, 9, 127)}
# name, result's indices, right side, semiring, what is not stored
STEPS = [
    ("shortest paths", "i", ("+", reduce("sum", "j", ("*", A, d)), of("d", "i")), "min_plus", INF),
    ("longest paths", "i", ("+", reduce("sum", "j", ("*", A, d)), of("d", "i")), "max_plus", MINUS_INF),
    ("breadth-first search", "i", ("mask", ("not", m), reduce("sum", "j", ("*", A, of("f", "j")))), "lor_land", 0),
    ("components", "i", ("min", reduce("min", "j", ("mask", A, d)), of("d", "i")), "plus_times", INF),
    ("triangles", "", reduce("sum", "ijk", ("*", ("*", struct("A", "i", "j"), struct("B", "j", "k")), struct("C", "i", "k"))), "plus_times", 0),
    ("a step to the core", "i", ("mask", of("f", "i"), (">=", reduce("sum", "j", ("*", struct("A", "i", "j"), of("f", "j"))), NUMBER[2])),
     "plus_times", 0),
    ("largest of the neighbours", "i", reduce("max", "j", ("mask", A, of("f", "j"))), "plus_times", MINUS_INF),
    ("a layer with thresholds", "i", ("clamp", ("-", reduce("sum", "j", ("*", A, of("f", "j"))), NUMBER[9]), NUMBER[0], NUMBER[127]), "plus_times", 0),
    ("edges of an image", "ij", ("^", ("&", A, of("R", "i", "j")), ("&", of("T", "i", "j"), of("R", "i", "j"))), "plus_times", 0),
    ("a game of three moves", "", minimax(3), "plus_times", 0),
    ("a game of five moves", "", minimax(5), "plus_times", 7),
    ("a game of seven moves", "", minimax(7), "plus_times", 7),
]


def indices(e):
    if e[0] in ("access", "struct"):
        return {e[1]: e[2]}
    found = {}
    for a in e[1:]:
        if isinstance(a, tuple):
            found |= indices(a)
    return found


def run(name, result, tree, semiring, fill, seed, engine):
    """Returns what is wrong, and the cycles."""
    r, tensors, out = random.Random(seed), {}, folder / "out"
    args = [onyx, "run", f"X{'(' + ','.join(result) + ')' if result else ''} = {text(tree)}", "--dtype", "int16", "--engine", engine, "--effort", "1", "-o", str(out), "--quiet"]
    args += ["--semiring", semiring]
    for tensor, index in sorted(indices(tree).items()):
        dims = [SIZE[v] for v in index]
        own = fill if tensor in "AdG" and semiring == "plus_times" and (tensor != "A" or fill == 0) else 0 if semiring == "plus_times" else fill
        cells = {at: r.randint(1, 40) for at in itertools.product(*map(range, dims)) if r.random() < (0.5 if tensor in "dfs" else 0.25)}
        tensors[tensor] = (len(dims), cells, own)
        args += ["-i", f"{tensor}:{write(folder / tensor, dims, cells)}", "-d", f"{tensor}:{','.join(map(str, dims))}"]
        if semiring == "plus_times" and own:
            args += ["--fill", f"{tensor}:{ {INF: 'inf', MINUS_INF: '-inf'}.get(own, own)}"]
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode:
        return [f"{name}: {' '.join(args)}: {done.stderr}"], 0
    got = read(out / ("X.mtx" if len(result) <= 2 else "X.tns"), len(result))
    report = json.loads((out / "report.json").read_text())
    stated = report.get("fill", 0)
    e = Evaluator(tensors, SIZE, semiring)
    wrong, values = [], {at: e.value(tree, dict(zip(result, at))) for at in itertools.product(*(range(SIZE[v]) for v in result))}
    shares.add(trivial=quota.is_trivial([stated] * (not result) + list(values.values())))
    for at, want in values.items():
        if got.get(at, stated) != want:
            wrong.append(f"{name}: {at} is {got.get(at, stated)}, expected {want}: {' '.join(args)}")
    return wrong, report["cycles"]["total"]


ON_PAGE = ("edges of an image", "a game of three moves", "a game of five moves", "a game of seven moves")
if page:
    bad, table = [], "| cycles | extents | `cycle` | `rtl` | `soc` |\n|---|---|---|---|---|\n"
    for at, step in enumerate(STEPS):
        if step[0] not in ON_PAGE:
            continue
        runs = [run(*step, at, name) for name in ("cycle", "rtl", "soc")]
        bad += [line for wrong, _ in runs for line in wrong]
        extents = "x".join(str(SIZE[v]) for v in max(indices(step[2]).values(), key=len))
        table += f"| {step[0]} | {extents} | " + " | ".join(str(cycles) for _, cycles in runs) + " |\n"
    print("\n".join(bad) if bad else table)
    if not bad:
        put_table(pathlib.Path(page[-1]), "steps.py", table)
    sys.exit(bool(bad))
chosen = STEPS[::2] if engine == "soc" else STEPS  # which takes its time
bad = [line for at, step in enumerate(chosen) for line in run(*step, at, engine)[0]]
print("\n".join(bad) if bad else f"{len(chosen)} steps are right on {engine}")
sys.exit(kept.count_wrong() > 0 or bool(bad) or shares.failed())
