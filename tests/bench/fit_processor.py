"""Fits the processor's costs of tiling/costs.def to engine soc: fit_processor.py ONYX SOURCE

Kernels whose pairs of sub-tiles are much alike, short pairs and long ones; in one copy, and in two that start together
and apart; N pairs and 2 N, so that boot and batch drop out of the difference. What a start pulse takes is max(B, pair + W)
(docs/notebook/copies_notes.md): B is fitted where the array is done sooner, W where it is not, both by least squares of
predicted over measured cycles, linear in the loads and stores that start. Prints what was measured, the costs,
and how far the costs that are there and the fitted ones are off, as Markdown.
"""

import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

import command

RATIO = 2  # cycles of the array to one of the processor, board onyx
SPMM = ["X(i,j)=B(i,k)*C(k,j)", "-f", "C:ss:1,0"]
DENSITY = 0.8  # so that the streams of a run are not as long as those of the run before
# name, statement, operands by the number of pairs and the edge, loads and stores, edges of short pairs and of long ones
KERNELS = [
    ("2 b", ["x(i)=2*b(i)"], lambda n, e: {"b": [n * e]}, 2, 2, (8, 700)),
    ("b c", ["x(i)=b(i)*c(i)"], lambda n, e: {"b": [n * e], "c": [n * e]}, 4, 2, (8, 700)),
    ("SpMV, by rows", ["x(i)=B(i,j)*c(j)", "-f", "c:s"], lambda n, e: {"B": [n * e, e], "c": [e]}, 5, 2, (4, 32)),
    ("SpMV, by columns", ["x(i)=B(i,j)*c(j)", "-f", "c:s"], lambda n, e: {"B": [e, n * e], "c": [n * e]}, 5, 2, (4, 32)),
    ("SpM*SpM", SPMM, lambda n, e: {"B": [e, n * e], "C": [n * e, e]}, 6, 3, (4, 12)),
    ("A + B", ["X(i,j)=B(i,j)+C(i,j)"], lambda n, e: {"B": [n * e, e], "C": [n * e, e]}, 6, 3, (4, 28)),
]
PAIRS = (24, 8)  # short ones, long ones
WAYS = {"one": ["--unroll", "1"], "together": ["--unroll", "2", "--dispatch", "sorted"], "apart": ["--unroll", "2", "--dispatch", "dynamic"]}


def cycles_of(onyx, folder, statement, operands, edge, way, engine):
    """Array cycles of engine soc without configuration, and of the array alone in one copy (engine cycle)."""
    data = [word for name, extents in operands.items() for word in ("-g", f"{name}:{'x'.join(map(str, extents))}:{DENSITY}")]
    ran = command.run(onyx, [*statement, *data, "-O0", "--tile", str(edge), *WAYS[way], "--engine", engine, "--values", "ramp", "--no-check", "--hazards", "off"], folder, 900)
    if ran.code not in (None, "no check"):
        sys.exit(f"{statement} {edge} {way}: {ran.code}")
    assert ran.report["subtiles"]["run"], statement
    return ran.number("cycles", "total") - ran.number("cycles", "config")


def measure(onyx, folder, case):
    """A pair's array cycles alone, and what a pair takes on the chip."""
    (name, statement, operands, loads, stores, edges), long, way = case
    edge, n = edges[long], PAIRS[long]
    place = f"{folder}/{re.sub('[^A-Za-z0-9]', '_', name)}_{long}_{way}"
    taken = {}
    for engine, its in ("cycle", "one"), ("soc", way):
        few, many = (cycles_of(onyx, place, statement, operands(pairs, edge), edge, its, engine) for pairs in (n, 2 * n))
        taken[engine] = (many - few) / n
    return {"name": f"{name}, {'long' if long else 'short'}", "way": way, "loads": loads, "stores": stores, "pair": taken["cycle"], "chip": taken["soc"]}


def counts(row):
    copies = 2 if row["way"] == "together" else 1
    return [1, copies * row["loads"], copies * row["stores"]]


def model(costs, row):
    """Array cycles of a pair, where pairs are so alike that the slowest copy is no longer than the others."""
    how, copies = ("apart", 2) if row["way"] == "apart" else ("together", 1)
    busy, waits = (RATIO * sum(a * b for a, b in zip(costs[f"{what}_{how}"], counts(row))) for what in ("busy", "waits"))
    taken = max(busy, (row["pair"] + waits) / copies)
    return taken / 2 if row["way"] == "together" else taken


def fitted(rows):
    import numpy

    costs = {}
    for how, ways in ("together", ("one", "together")), ("apart", ("apart",)):
        for what, long in ("busy", False), ("waits", True):
            some = [row for row in rows if row["way"] in ways and ("long" in row["name"]) == long]
            start = [row["chip"] * (2 if row["way"] != "one" else 1) - (row["pair"] if long else 0) for row in some]
            if how == "apart" and not long:
                start = [row["chip"] for row in some]
            weight = [row["chip"] for row in some]
            left = [[RATIO * n / w for n in counts(row)] for row, w in zip(some, weight)]
            costs[f"{what}_{how}"] = list(numpy.linalg.lstsq(left, [s / w for s, w in zip(start, weight)], rcond=None)[0])
    return costs


def main():
    onyx, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    cases = [(kernel, long, way) for kernel in KERNELS for long in (False, True) for way in WAYS]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(lambda case: measure(onyx, folder, case), cases))
    there = {name: [float(start), float(load), float(store)]
             for name, start, load, store in re.findall(r"PROCESSOR\((\w+), ([\d.]+), ([\d.]+), ([\d.]+)\)", (source / "tiling/costs.def").read_text())}
    new = {name: [round(cost) for cost in costs] for name, costs in fitted(rows).items()}
    print("| kernel | copies start | pair | chip, a pair | expected | expected, fitted |\n|---|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['name']} | {row['way']} | {row['pair']:.0f} | {row['chip']:.0f} | {model(there, row):.0f} | {model(new, row):.0f} |")
    print("\n| cost | is | fitted |\n|---|---|---|")
    for name, costs in there.items():
        print(f"| {name} | {', '.join(f'{c:g}' for c in costs)} | {', '.join(map(str, new[name]))} |")
    for title, costs in ("as they are", there), ("fitted", new):
        off = [max(model(costs, row) / row["chip"], row["chip"] / model(costs, row)) for row in rows]
        print(f"\n{title}: off by {sum(off) / len(off) - 1:.1%} on average, {max(off) - 1:.1%} at worst")


main()
