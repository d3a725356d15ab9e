"""What is chosen unasked against other mappings, by the chip's time: default.py ONYX SOURCE FOLDER [RANDOM]

For each kernel and data set the default; -O0; square edges of the powers of two, in one copy and in as many as fit; two kernels by
hand; and RANDOM mappings (default 4): edges along each loop and copies drawn at random. Every result is checked. The time is that of engine soc
(array cycles, configuration and processor included) by the clock of each design. A table as Markdown, the geometric mean and the
worst of default / best.
"""

import math
import pathlib
import random
import re
import sys

import command

EDGES = [8, 32, 128, 512]
PHASES = "reorder(k,i,j), precompute(B(i,k)*C(k,j),{k,i,j},{kw,iw,jw},w), reorder(i,j,k)"
MOST_SECONDS = 120


def cases(matrices):
    def file(tensor, name):
        return ["-i", f"{tensor}:{matrices / name}.mtx"]

    def columns(name):
        with open(f"{matrices / name}.mtx") as lines:
            return next(line for line in lines if not line.startswith("%")).split()[1]

    for name in ("west0067", "west0479", "olm500"):
        yield f"SpM*SpM {name}", "ijk", ["X(i,j)=B(i,k)*C(k,j)", "-f", "C:ss:1,0", *file("B", name), *file("C", name)]
    for name in ("west0479", "watt_2", "ash219"):
        yield f"SpMV {name}", "ij", ["x(i)=B(i,j)*c(j)", "-f", "c:d", *file("B", name), "-g", f"c:{columns(name)}:1"]
    yield "A+A' west0479", "ij", ["X(i,j)=B(i,j)+C(j,i)", "-f", "C:ss:1,0", *file("B", "west0479"), *file("C", "west0479")]
    yield "A.*A' west0479", "ij", ["X(i,j)=B(i,j)*C(j,i)", "-f", "C:ss:1,0", *file("B", "west0479"), *file("C", "west0479")]
    yield "SDDMM west0067", "ijk", ["X(i,j)=B(i,j)*C(i,k)*D(k,j)", *file("B", "west0067"), "-g", "C:67x4:1", "-g", "D:4x67:1"]
    yield "Residual west0067", "ij", ["x(i)=b(i)-C(i,j)*d(j)", *file("C", "west0067"), "-g", "b:67:1", "-g", "d:67:1"]
    yield "TTV random", "ijk", ["X(i,j)=B(i,j,k)*c(k)", "-g", "B:40x40x40:0.005", "-g", "c:40:1"]
    yield "MTTKRP random", "ijkl", ["X(i,j)=B(i,k,l)*C(j,k)*D(j,l)", "-g", "B:30x20x20:0.01", "-g", "C:8x20:0.5", "-g", "D:8x20:0.5"]


def mappings(name, loops, n_random):
    yield "-O0", ["-O0"]
    for edge in EDGES:
        yield f"{edge}", ["--tile", str(edge), "--unroll", "1"]
        yield f"{edge}, copies", ["--tile", str(edge), "--unroll", "auto"]
    if name.startswith("SpM*SpM"):
        for edges in ("kw:128,iw:512,jw:512,i:64,j:64,k:512", "kw:128,iw:512,jw:512,i:64,j:512,k:512", "512"):
            yield f"by hand, {edges}", ["-s", PHASES, "--tile", edges, "--unroll", "auto"]
    draw = random.Random(name)
    for _ in range(n_random):
        edges = ",".join(f"{loop}:{2 ** draw.randint(0, 10)}" for loop in loops)
        yield edges, ["--tile", edges, "--unroll", draw.choice(["1", "2", "auto"])]


def microseconds(onyx, folder, arguments):
    """0: it does not run, or not in time."""
    ran = command.run(onyx, arguments + ["--values", "ramp", "--engine", "soc"], f"{folder}/out", MOST_SECONDS)
    return 0 if ran.code else ran.number("cycles", "total") / ran.number("fmax_mhz")


def main():
    onyx, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    n_random = int(sys.argv[4]) if len(sys.argv) > 4 else 4
    matrices = source / "../shared/data/matrices"
    if not matrices.exists():
        print("skipped: no matrices")
        return 77
    ratios = []
    print("| kernel and data | -O0, us | default, us | best other, us | which | default / best |\n|---|---|---|---|---|---|")
    for name, loops, arguments in cases(matrices):
        ours = microseconds(onyx, folder, arguments)
        others = [(microseconds(onyx, folder, arguments + more), label) for label, more in mappings(name, loops, n_random)]
        if not ours:
            sys.exit(f"{name}: there is no result")
        best = min(other for other in others if other[0])
        ratios.append(ours / best[0])
        print(f"| {name} | {others[0][0]:.1f} | {ours:.1f} | {best[0]:.1f} | {re.sub(',$', '', best[1])} | {ratios[-1]:.2f} |", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\ngeometric mean {mean:.2f}, worst {max(ratios):.2f}")
    return 0


sys.exit(main())
