"""Fits the array's costs of tiling/costs.def to engine cycle: fit_costs.py ONYX SOURCE

report.json says what the cycles it predicts are made of, so the costs are a least-squares problem: fitted on random data,
tried on matrices, which take no part. Which stage is the slowest depends on the costs: put the new
ones into costs.def, build, and fit again, until they stay. Prints costs, then how far predictions are off, as Markdown.

fit_costs.py ONYX SOURCE check fits nothing: none of a part of the cases may be off by more than OFF, but karate by
rows, whose hubs meet hubs where the model takes the average row, by OFF_SKEWED.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

OFF, OFF_SKEWED = 1.3, 1.7
EXT = ["--profile", "onyx-ext"]
SPMM, BY_ROWS = ["X(i,j)=B(i,k)*C(k,j)", "-f", "C:ss:1,0"], ["X(i,j)=B(i,k)*C(k,j)", "-s", "reorder(i,k,j)"]
# name, statement and options, extents by operand (0.3 or 1: its density), edges
RANDOM = [
    ("2 b", ["x(i)=2*b(i)"], {"b": "9000"}, ["64", "512", "4096"]),
    ("b c", ["x(i)=b(i)*c(i)"], {"b": "9000", "c": "9000:0.5"}, ["64", "1024"]),
    ("SpMV", ["x(i)=B(i,j)*c(j)"], {"B": "256x256", "c": "256:1"}, ["8", "32", "i:256,j:1", "i:4,j:256"]),
    ("SpMV, dense c", ["x(i)=B(i,j)*c(j)", "-f", "c:d"], {"B": "256x256", "c": "256:0.3"}, ["8", "32", "i:128,j:8", "i:8,j:128"]),
    ("SpMV, all dense", ["x(i)=B(i,j)*c(j)", "-f", "B:dd", "-f", "c:d", "-f", "x:d"], {"B": "256x256", "c": "256:1"}, ["8", "32"]),
    ("SpM*SpM", SPMM, {"B": "96x96", "C": "96x96"}, ["8", "32", "i:96,j:96,k:1", "i:32,j:32,k:4"]),
    ("SpM*SpM by rows", BY_ROWS, {"B": "96x96", "C": "96x96"}, ["8", "32", "i:64,k:1,j:96", "i:32,k:4,j:64"]),
    ("SpM*SpM by rows, onyx-ext", BY_ROWS + EXT, {"B": "96x96", "C": "96x96"}, ["8", "32", "i:96,k:1,j:96", "i:96,k:4,j:96", "i:4,k:96,j:96"]),
    ("A + B", ["X(i,j)=B(i,j)+C(i,j)"], {"B": "192x192", "C": "192x192"}, ["8", "64", "i:4,j:192", "i:192,j:4"]),
    ("A .* B", ["X(i,j)=B(i,j)*C(i,j)"], {"B": "192x192", "C": "192x192"}, ["8", "64", "i:4,j:192", "i:192,j:4"]),
    ("A + B + C", ["X(i,j)=B(i,j)+C(i,j)+D(i,j)"], {"B": "96x96", "C": "96x96", "D": "96x96:0.1"}, ["16", "64"]),
    ("residual", ["x(i)=b(i)-C(i,j)*d(j)"], {"b": "128:0.5", "C": "128x128", "d": "128:0.7"}, ["8", "32"]),
    ("TTV", ["X(i,j)=B(i,j,k)*c(k)"], {"B": "30x30x30", "c": "30:1"}, ["4", "16", "i:30,j:30,k:1"]),
    ("TTM", ["X(i,j,k)=B(i,j,l)*C(k,l)"], {"B": "16x16x16", "C": "16x16"}, ["4", "8"]),
    ("MTTKRP", ["X(i,j)=B(i,k,l)*C(j,k)*D(j,l)"], {"B": "16x16x16", "C": "16x16", "D": "16x16"}, ["4", "8"]),
    ("SDDMM", ["X(i,j)=B(i,j)*C(i,k)*D(j,k)"], {"B": "64x64", "C": "64x64:0.5", "D": "64x64"}, ["8", "16"]),
]
DENSITIES = ["1", "0.3", "0.1", "0.02"]
SQUARE = [("SpM*SpM", SPMM), ("SpM*SpM by rows, onyx-ext", BY_ROWS + EXT), ("A + A'", ["X(i,j)=B(i,j)+C(j,i)", "-f", "C:ss:1,0"]),
          ("A .* A'", ["X(i,j)=B(i,j)*C(j,i)", "-f", "C:ss:1,0"])]
MATRICES = ["west0067", "west0479", "olm500", "bcspwr06", "watt_2", "adder_dcop_05"]
EDGES = ["8", "32", "128", "{0}:512,{1}:4", "{0}:4,{1}:512"]


def random_cases(densities):
    for name, statement, operands, edges in RANDOM:
        for density in densities:
            data = [word for name_of, spec in operands.items() for word in ("-g", f"{name_of}:{spec if ':' in spec else spec + ':' + density}")]
            for edge in edges:
                yield name, statement + data + ["--tile", edge]


def real_cases(paths):
    for path in paths:
        if not path.exists():
            continue
        columns = next(line for line in open(path) if not line.startswith("%")).split()[1]
        for form in "sd":
            for edge in EDGES:
                yield f"SpMV, {form}", ["x(i)=B(i,j)*c(j)", "-f", f"c:{form}", "-i", f"B:{path}", "-g", f"c:{columns}:1", "--tile", edge.format("i", "j")]
        for name, statement in SQUARE:
            inner = "k" if "k" in statement[0] else "j"
            if inner == "k" and int(columns) > 1000:
                continue  # takes minutes
            for edge in EDGES:
                yield name, statement + ["-i", f"B:{path}", "-i", f"C:{path}", "--tile", edge.format("i", inner) + (",512" if ":" in edge else "")]


def measure(onyx, folder, number, case):
    out = f"{folder}/{number}"
    command = [onyx, "run", *case[1], "-O0", "--values", "ramp", "--dtype", "int16", "--engine", "cycle", "--unroll", "1", "--hazards", "off", "--no-check", "--quiet", "-o", out]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    with open(f"{out}/report.json") as file:
        report = json.load(file)
    return case[0], report["tiling"]["work"], report["cycles"]["kernel"], report["tiling"]["predicted"]


def measure_all(onyx, folder, cases):
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(lambda n: measure(onyx, folder, n[0], n[1]), enumerate(cases)))


def fit(source, cases):
    import numpy

    costs = re.findall(r'ARRAY\(\w+, "(\w+)", ([0-9.]+)', (source / "tiling/costs.def").read_text())
    work = [[work[name] / cycles for name, _ in costs] for _, work, cycles, _ in cases]
    print("| cost | is | fitted |\n|---|---|---|")
    for (name, cycles), fitted in zip(costs, numpy.linalg.lstsq(work, numpy.ones(len(work)), rcond=None)[0]):
        print(f"| {name} | {cycles} | {fitted:.2f} |")


def show(title, cases):
    for kernel in [title, *dict.fromkeys(case[0] for case in cases)]:
        ratios = [predicted / cycles for name, _, cycles, predicted in cases if kernel in (title, name)]
        factors = [max(ratio, 1 / ratio) for ratio in ratios]
        if ratios:
            print(f"| {kernel} | {len(ratios)} | {sum(ratios) / len(ratios):.2f} | {sum(factors) / len(factors) - 1:.1%} | {max(factors):.2f} |")


def main():
    onyx, source, check = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:] == ["check"]
    matrices = [source / "tests/data/karate.mtx"] if check else [source / f"../shared/data/matrices/{name}.mtx" for name in MATRICES]
    with tempfile.TemporaryDirectory() as folder:
        fitted = measure_all(onyx, folder, random_cases(["0.1"] if check else DENSITIES))
        held = measure_all(onyx, folder, real_cases(matrices))
    if not check:
        fit(source, fitted)
    print("\n| cases | | predicted / measured, mean | off by, mean | worst |\n|---|---|---|---|---|")
    show("random", fitted)
    show("matrices, held out", held)
    bad = [case for case in fitted + held if not 1 / OFF < case[3] / case[2] < OFF]
    skewed = [case for case in held if "by rows" in case[0] and case[2] < OFF_SKEWED * case[3]]
    return check and any(case not in skewed for case in bad)


sys.exit(main())
