"""Wire by the clock that is enough (`--mhz`): hops of the shared netlists, each relative to the best known, and energy times time of kernels. study.py says how
it is called.
"""

import csv
import io
import json
import math
import subprocess

from study import Study

CLOCKS = [100, 300, 450, 550, 600, 650, 700, None]  # None: the fastest
KERNELS = {
    "SpMV": ("y(i) = B(i,j) * x(j)", "-g B:64x64:0.06:1 -g x:64:1"),
    "SDDMM": ("X(i,j) = B(i,j) * C(i,k) * D(k,j)", "-g B:64x64:0.06:1 -g C:64x16:1 -g D:16x64:1"),
    "SpM*SpM": ("X(i,j) = B(i,k) * C(k,j)", "-f C:ss:1,0 -g B:64x64:0.06:1 -g C:64x64:0.06:2"),
    "residual": ("y(i) = b(i) - C(i,j) * x(j)", "-g C:64x64:0.06:1 -g x:64:1 -g b:64:1"),
}


def stated(clock):
    return ["--mhz", str(clock)] if clock else []


def place(study, name, clock):
    """Hops and clock of a shared netlist."""
    data = study.matrices.parent / "pnr"
    words = [study.onyx, "pnr", data / f"{name}.packed", "--fixed", data / f"{name}.io.place", "--io", "any", "-o", f"{study.folder}/pnr", "--json", *stated(clock)]
    report = json.loads(subprocess.run(list(map(str, words)), capture_output=True, check=True).stdout)
    return report["hops"], report["fmax_mhz"]


def measure(study, name, clock):
    """Energy and time of a kernel, at its clock."""
    statement, operands = KERNELS[name]
    ran = study.must_run([statement, *operands.split(), "--values", "ones", "--unroll", "1", *stated(clock), "--engine", "cycle"], 600)
    return ran.number("energy", "nj", "typical"), ran.number("time_us")


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


study = Study()
study.need_matrices()
names = {row["netlist"]: int(row["hops_fixed"]) for row in csv.DictReader(io.StringIO((study.matrices.parent / "pnr/best_known.csv").read_text()))}
clocks, kernels = CLOCKS, list(KERNELS)
if study.short:
    names, clocks, kernels = dict(list(names.items())[:2]), [100, None], kernels[:1]
title = {clock: f"{clock} MHz" if clock else "fastest" for clock in clocks}
table, wire, product = "clock_mhz,hops_of_best,slowest_mhz,met," + ",".join(f'"{name}_nj","{name}_us"' for name in kernels) + "\n", {}, {}
for clock in clocks:
    placed = [(place(study, name, clock), best) for name, best in names.items()]
    wire[clock] = mean([hops / best for (hops, _), best in placed])
    met = sum(round(mhz) >= (clock or 0) for (_, mhz), _ in placed)
    took = [measure(study, name, clock) for name in kernels]
    product[clock] = mean([energy * time for energy, time in took])
    table += f"{clock or ''},{wire[clock]:.3f},{min(mhz for (_, mhz), _ in placed):.0f},{met}," + ",".join(f"{e:.1f},{t:.3f}" for e, t in took) + "\n"
print(table, end="")
study.table("clock.csv", table)
study.plot("clock.svg", [title[clock] for clock in clocks], {"hops, of the best known": [round(wire[clock], 3) for clock in clocks],
                                                            "energy times time, of the fastest": [round(product[clock] / product[None], 3) for clock in clocks]},
           title="Wire and energy by the clock that is enough", x_label="clock", y_label="ratio")
study.expect(wire[clocks[0]] < wire[None], "a slower clock needs less wire")
study.expect(product[None] == min(product.values()), "energy times time is least at the fastest clock, the default")
study.end()
