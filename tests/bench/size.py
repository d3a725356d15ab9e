"""Real data at size on engine cycle, checked, with the time of each stage, as Markdown: size.py ONYX DATA [NAME...]

Matrices: those of DATA/matrices that are there, and `random`: 100,000 x 100,000 with 10^6 nonzeros from a fixed seed. Names choose among them.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

KERNELS = [
    ("SpMV", ["x(i) = B(i,j) * c(j)", "-f", "c:d"], "c"),
    ("SpM*SpM", ["X(i,j) = B(i,k) * C(k,j)", "-f", "C:ss:1,0"], "C"),
    ("A + A'", ["X(i,j) = B(i,j) + B(j,i)"], None),
    ("A .* A", ["X(i,j) = B(i,j) * C(i,j)"], "C"),
]
# Inner products of 100,000 rows and columns are 10^10 fiber pairs: rows are scaled and added there, on our vector reducer.
BY_ROWS = ["X(i,j) = B(i,k) * C(k,j)", "-s", "reorder(i,k,j)", "--profile", "onyx-ext"]
COMPILE = ("frontend", "lower", "place", "route", "bitstream")


def write_random(path):
    n, entries = 100000, 1000000
    cells = numpy.unique(numpy.random.default_rng(1).integers(0, n * n, entries + 100))[:entries]
    values = numpy.random.default_rng(2).integers(1, 10, entries)
    with open(path, "w") as out:
        out.write(f"%%MatrixMarket matrix coordinate integer general\n{n} {n} {entries}\n")
        numpy.savetxt(out, numpy.column_stack([cells // n + 1, cells % n + 1, values]), fmt="%d")


def run(onyx, folder, name, matrix):
    columns = int(next(line for line in open(matrix) if not line.startswith("%")).split()[1])
    for kernel, arguments, other in KERNELS:
        if kernel == "SpM*SpM" and name == "random":
            arguments = BY_ROWS
        operands = ["-i", f"B:{matrix}"]
        if other == "c":
            operands += ["-g", f"c:{columns}:1:3"]
        elif other:
            operands += ["-i", f"{other}:{matrix}"]
        done = subprocess.run([onyx, "run", *arguments, *operands, "--tile", "auto", "--dtype", "int16", "--engine", "cycle", "--quiet", "-o", f"{folder}/out"])
        if done.returncode:
            return False
        report = json.loads(pathlib.Path(f"{folder}/out/report.json").read_text())
        wall = report["wall_s"]
        compile_s = sum(wall[stage] for stage in COMPILE)
        rest = wall["total"] - compile_s - wall["tile"] - wall["run"]
        print(f"| {name} | {kernel} | {report['tiling']['edges']} | {report['subtiles']['run']} | {report['cycles']['kernel']} | {report['check']} | "
              f"{compile_s:.2f} | {wall['tile']:.2f} | {wall['run']:.2f} | {rest:.2f} | {report['peak_rss_mb']:.0f} |", flush=True)
        if report["check"] != "pass":
            return False
    return True


def main():
    onyx, data, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    print("| matrix | kernel | tile | runs | cycles | check | compile s | tile s | run s | reading, checking s | MiB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names or ("watt_2", "adder_dcop_05", "random"):
            matrix = data / "matrices" / f"{name}.mtx"
            if name == "random":
                matrix = pathlib.Path(folder) / "random.mtx"
                write_random(matrix)
            if matrix.exists() and not run(onyx, folder, name, matrix):
                return 1
    return 0


sys.exit(main())
