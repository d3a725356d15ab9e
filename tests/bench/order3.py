"""An order-3 tensor in a .tns file through TTV, TTM and MTTKRP on engine cycle: order3.py ONYX FOLDER [quick]

Right by the reference; the time each stage takes, as Markdown. 10^5 nonzeros; quick: 10^3.
"""

import os
import random
import sys

import command

EXTENTS = (400, 300, 200)
KERNELS = [("TTV", ["X(i,j)=B(i,j,k)*c(k)", "-g", "c:200:1"]),
           ("TTM", ["X(i,j,l)=B(i,j,k)*C(l,k)", "-g", "C:8x200:0.5"]),
           ("MTTKRP", ["X(i,j)=B(i,k,l)*C(k,j)*D(l,j)", "-g", "C:300x8:0.5", "-g", "D:200x8:0.5"])]
COMPILE = ("frontend", "lower", "place", "route", "bitstream")


def write_tensor(path, nonzeros):
    """Coordinates ascend and are distinct: one of each of as many equal parts of all points."""
    rows, columns, depth = EXTENTS
    step = rows * columns * depth // nonzeros
    draw = random.Random(1)
    with open(path, "w") as out:
        for part in range(nonzeros):
            at = part * step + draw.randrange(step)
            out.write(f"{at // depth // columns + 1} {at // depth % columns + 1} {at % depth + 1} {draw.randint(1, 9)}\n")


def main():
    onyx, folder = sys.argv[1:3]
    nonzeros = 1000 if "quick" in sys.argv[3:] else 100000
    os.makedirs(folder, exist_ok=True)
    write_tensor(f"{folder}/B.tns", nonzeros)
    print(f"| kernel, {nonzeros} nonzeros | runs | cycles | compile s | tile s | run s | in all s | MiB |")
    for name, arguments in KERNELS:
        data = ["-d", "B:" + ",".join(map(str, EXTENTS)), "-i", f"B:{folder}/B.tns", "--tile", "auto", "--engine", "cycle"]
        ran = command.run(onyx, arguments + data, f"{folder}/run", 3000)
        if ran.code:
            sys.exit(f"{name}: {ran.code}")
        wall = ran.report["wall_s"]
        print(f"| {name} | {ran.number('subtiles', 'run')} | {ran.number('cycles', 'total')} | {sum(wall[stage] for stage in COMPILE):.2f} | "
              f"{wall['tile']:.2f} | {wall['run']:.2f} | {wall['total']:.2f} | {ran.number('peak_rss_mb'):.0f} |", flush=True)
    return 0


sys.exit(main())
