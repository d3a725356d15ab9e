"""--tile auto against every power of two, by engine cycle: tile_auto.py ONYX SOURCE FOLDER [quick]

The chosen edge must be within 1.2 times the best. quick: small operands; else real matrices. A table of all edges, as Markdown.
"""

import pathlib
import sys

import command

EDGES = [2**n for n in range(2, 11)]
MOST = 1.2  # times the cycles of the best edge
SPMM, SUM = ["X(i,j)=B(i,k)*C(k,j)", "-f", "C:ss:1,0"], ["X(i,j)=B(i,j)+C(j,i)", "-f", "C:ss:1,0"]


def twice(path):
    return ["-i", f"B:{path}", "-i", f"C:{path}"]


def quick(source):
    return [("SpM*SpM karate", SPMM + twice(source / "tests/data/karate.mtx")),
            ("SpMV random", ["x(i)=B(i,j)*c(j)", "-g", "B:300x300:0.01", "-g", "c:300:1"]),
            ("A+B random", ["X(i,j)=B(i,j)+C(i,j)", "-g", "B:200x200:0.01", "-g", "C:200x200:0.02"]),
            ("TTV random", ["X(i,j)=B(i,j,k)*c(k)", "-g", "B:40x40x40:0.005", "-g", "c:40:1"])]


def real(matrices):
    path = {name: matrices / f"{name}.mtx" for name in
            ("west0067", "west0479", "olm500", "watt_2", "adder_dcop_05", "bcspwr06", "494_bus")}
    cases = [(f"SpM*SpM {name}", SPMM + twice(path[name])) for name in ("west0067", "west0479", "olm500", "watt_2")]
    for name, columns in (("watt_2", 1856), ("adder_dcop_05", 1813), ("bcspwr06", 1454)):
        cases.append((f"SpMV {name}", ["x(i)=B(i,j)*c(j)", "-i", f"B:{path[name]}", "-g", f"c:{columns}:1"]))
    cases.append(("A.*A' west0479", ["X(i,j)=B(i,j)*C(j,i)", "-f", "C:ss:1,0"] + twice(path["west0479"])))
    return cases + [(f"A+A' {name}", SUM + twice(path[name])) for name in ("494_bus", "watt_2")]


def cycles_of(onyx, folder, arguments, tile):
    """0 for an edge that does not fit."""
    more = ["--values", "ramp", "--dtype", "int16", "--engine", "cycle", "--unroll", "1", "--hazards", "off", "--tile", str(tile)]
    ran = command.run(onyx, arguments + more, f"{folder}/out", 300)
    return 0 if ran.code else ran.number("cycles", "total")


def main():
    onyx, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    matrices = source / "../shared/data/matrices"
    if "quick" not in sys.argv[4:] and not matrices.exists():
        print("skipped: no matrices")
        return 77
    worst = 0
    print("| kernel and matrix | auto |", *(f"{edge} |" for edge in EDGES), "auto / best |")
    for name, arguments in quick(source) if "quick" in sys.argv[4:] else real(matrices):
        chosen, of_edge = cycles_of(onyx, folder, arguments, "auto"), [cycles_of(onyx, folder, arguments, edge) for edge in EDGES]
        if not chosen or not any(of_edge):
            sys.exit(f"{name}: there is no result")
        ratio = chosen / min(cycles for cycles in of_edge if cycles)
        worst = max(worst, ratio)
        print(f"| {name} | {chosen} |", *(f"{cycles or '-'} |" for cycles in of_edge), f"{ratio:.2f} |", flush=True)
    if worst > MOST:
        sys.exit(f"the chosen edge takes {worst:.2f} times the cycles of the best")
    return 0


sys.exit(main())
