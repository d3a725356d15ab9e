"""docs/notebook/results.md on standard output: results.py ONYX CYCLE_REPLAY SOURCE FOLDER
    [--out FILE] [--most-rtl CYCLES] [--only KERNEL]

Every kernel of the list on every data set that fits it, by engines sam and cycle; each result is checked against the
reference by the command. Where engine cycle needed at most so many cycles (100,000 unless said), it records all words (--io-trace,
with which copies start together), and cycle_replay runs the same on the RTL of the array (tile library) and compares each word
and its cycle. Fails if anything is wrong.
Real matrices are those of ../shared/data/matrices beside the source, where there are.
"""

import argparse
import dataclasses
import pathlib
import subprocess
import sys
import time

import command

MOST_SECONDS = 300
RANK = 10  # of r
CHAIN = ("x(i)=A(i,j)*B(j,k)*C(k,l)*D(l,m)*v(m)", "A:ij B:jk C:kl D:lm v:m")
# Four times SpMV, each with the result of the one before.
EACH_ALONE = "precompute(D(l,m)*v(m),{l},{lw},u), precompute(C(k,l)*u(l),{k},{kw},t), precompute(B(j,k)*t(k),{j},{jw},s)"
SPMM = ("X(i,j)=B(i,k)*C(k,j)", "B:ik C:kj")
MTTKRP = ("X(i,r)=B(i,j,k)*c(r,j)*d(r,k)", "B:ijk c:rj d:rk")

# Name, expression, operands, schedule, the order of the data sets it runs on (4: products of many matrices). An operand is
# its name and its indices; a capital one takes the data set's density or file, another one is half full.
KERNELS = [
    ("identity, order 1", "x(i)=B(i)", "B:i", "", 1),
    ("element-wise product, order 1", "x(i)=B(i)*C(i)", "B:i C:i", "", 1),
    ("element-wise sum, order 1", "x(i)=B(i)+C(i)", "B:i C:i", "", 1),
    ("identity, order 2", "X(i,j)=B(i,j)", "B:ij", "", 2),
    ("element-wise product, order 2", "X(i,j)=B(i,j)*C(i,j)", "B:ij C:ij", "", 2),
    ("MMAdd", "X(i,j)=B(i,j)+C(i,j)", "B:ij C:ij", "", 2),
    ("Plus3", "X(i,j)=B(i,j)+C(i,j)+D(i,j)", "B:ij C:ij D:ij", "", 2),
    ("SpMV", "x(i)=B(i,j)*c(j)", "B:ij c:j", "", 2),
    *((f"SpM*SpM {order}", *SPMM, f"reorder({order})", 2) for order in ("i,j,k", "j,i,k", "i,k,j", "j,k,i", "k,i,j", "k,j,i")),
    ("SpM*SpM k,i,j, multiplied, then merged", *SPMM,
     "reorder(k,i,j), precompute(B(i,k)*C(k,j),{k,i,j},{kw,iw,jw},w), reorder(i,j,k)", 2),
    ("SDDMM", "X(i,j)=B(i,j)*c(i,r)*d(r,j)", "B:ij c:ir d:rj", "", 2),
    ("sampled SpM*SpM", "X(i,j)=B(i,k)*C(k,j)*D(i,j)", "B:ik C:kj D:ij", "", 2),
    ("Residual", "x(i)=b(i)-C(i,j)*d(j)", "b:i C:ij d:j", "", 2),
    ("MatTransMul", "x(i)=a*B(j,i)*c(j)+e*d(i)", "a: B:ji c:j e: d:i", "", 2),
    ("iterated SpMV, fused", *CHAIN, "", 4),
    ("iterated SpMV, unfused", *CHAIN, EACH_ALONE, 4),
    ("iterated SpMV, unfused", *CHAIN, EACH_ALONE, 2),
    ("identity, order 3", "X(i,j,k)=B(i,j,k)", "B:ijk", "", 3),
    ("element-wise product, order 3", "X(i,j,k)=B(i,j,k)*C(i,j,k)", "B:ijk C:ijk", "", 3),
    ("Plus2", "X(i,j,k)=B(i,j,k)+C(i,j,k)", "B:ijk C:ijk", "", 3),
    ("InnerProd", "x=B(i,j,k)*C(i,j,k)", "B:ijk C:ijk", "", 3),
    ("TTV", "X(i,j)=B(i,j,k)*c(k)", "B:ijk c:k", "", 3),
    ("TTM", "X(i,j,r)=B(i,j,k)*c(r,k)", "B:ijk c:rk", "", 3),
    ("MTTKRP, fused", *MTTKRP, "", 3),
    ("MTTKRP, unfused", *MTTKRP, "precompute(c(r,j)*d(r,k),{r,j,k},{rw,jw,kw},w)", 3),
]


@dataclasses.dataclass
class DataSet:
    name: str
    about: str
    order: int
    extents: tuple  # of i, j, k; all others are `rest`
    rest: int
    density: str = ""  # of capital operands, or their file
    file: str = ""

    def extent(self, index):
        return RANK if index == "r" else self.extents["ijk".index(index)] if index in "ijk" else self.rest

    def options(self, operands, matrices):
        """-i and -g for "B:ij c:j"."""
        out = ["--values", "ramp"] if self.file else []
        for name, indices in (operand.split(":") for operand in operands.split()):
            if name.isupper() and self.file:
                out += ["-i", f"{name}:{matrices / self.file}"]
            else:
                density = "1" if not indices else self.density if name.isupper() else "0.5"
                out += ["-g", f"{name}:{'x'.join(str(self.extent(index)) for index in indices)}:{density}"]
        return out


SETS = [
    DataSet("vector", "random, 20,000 long, 90 % zeros", 1, (20000, 0, 0), 0, density="0.1"),
    DataSet("random", "uniformly random, 256 x 256, 99 % zeros", 2, (256, 256, 256), 256, density="0.01"),
    DataSet("watt_2", "1856 x 1856, 11,550 stored (99.66 % zeros)", 2, (1856, 1856, 1856), 1856, file="watt_2.mtx"),
    DataSet("west0479", "479 x 479, 1,910 stored (99.2 % zeros)", 2, (479, 479, 479), 479, file="west0479.mtx"),
    DataSet("chain", "uniformly random, 64 x 64, 95 % zeros", 4, (64, 64, 64), 64, density="0.05"),
    DataSet("small", "uniformly random, 8 x 37 x 10, 67 % zeros", 3, (8, 37, 10), 0, density="0.33"),
    DataSet("large", "uniformly random, 28 x 35 x 54, 67 % zeros", 3, (28, 35, 54), 0, density="0.33"),
]

HEAD = """\
# Every kernel on the array

Written by `cmake --build build --target results`. Each row is compiled to a bitstream, decoded,
and run by engine `cycle`; `sam` runs the graph before there is an array, on whole operands. Every
result is compared with the reference evaluation. Cycles are sums over all runs on sub-tiles, without
firmware and configuration: as the search maps the kernel unasked (`cycle`; a stated order stays), and with
`-O0`. The search ranks by the time of the whole chip, and may lose a little here. Hops are switch-box outputs of all
routes, MHz is the clock by the board's delay table, µs the cycles of `cycle` at this clock. Of several kernels in turn, tiles are the most, MHz the least, the rest sums.

`rtl`: the RTL of the array (tile library) took the same words in the same cycles as engine `cycle`; tried up to {most:.0f}
cycles. Copies of the kernel start together there (`--io-trace`), so where `cycle` has copies that start apart
the cycles are others. A refused kernel has its code (`docs/errors`). Behind "right" stands what the command refuses
unless it is told to warn only: data that the fabricated chip would, or may, get wrong (`docs/cycle.md`),
and FIFOs that the analysis cannot prove to be long enough for all data (`docs/deadlock.md`).

| data | |
|---|---|
{sets}

Vectors beside matrices and tensors, and the matrices of rank {rank} of SDDMM, TTM and MTTKRP, are random
and half full. All matrices of a row are the same file, with made values (`--values ramp`).

| kernel | data | PE/MEM/IO | hops | words | MHz | sam | `-O0` | cycle | rtl | µs | result |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


def replay(program, folder, report):
    """The run of engine cycle on the RTL, too: the same words in the same cycles."""
    folders = [f"{folder}/{kernel['tensor']}" for kernel in report.get("kernels", [])] or [folder]
    with open(f"{folder}.replay.log", "w") as log:
        return all(subprocess.run([program, f], stdout=log, stderr=log).returncode == 0 for f in folders)


def is_wrong(code):
    return code is not None and code.startswith(("E034", "E08", "exit"))


def row(a, kernel, data):
    """The line of a kernel on a data set, and whether it is "right", "refused" or "wrong"."""
    name, expression, operands, schedule, _ = kernel
    arguments = [expression] + (["-s", schedule] if schedule else []) + data.options(operands, a.source / "../shared/data/matrices")
    sam = command.run(a.onyx, arguments + ["--engine", "sam"], a.folder, MOST_SECONDS)
    on_array = arguments + ["--engine", "cycle", "--hazards", "warn", "--deadlock", "warn"]
    plain = command.run(a.onyx, on_array + ["-O0"], a.folder, MOST_SECONDS)
    cycle = command.run(a.onyx, on_array, a.folder, MOST_SECONDS)
    cycles, on_rtl, same, traced = cycle.number("cycles", "total"), False, True, cycle
    cells = [name, data.name] + [""] * 9
    if not cycle.code:
        on_rtl = cycles <= a.most_rtl
        if on_rtl:
            traced = command.run(a.onyx, on_array + ["--io-trace"], a.folder, MOST_SECONDS)
            same = not traced.code and replay(a.replay, a.folder, traced.report)
        cells[2] = "/".join(str(cycle.number("tiles", kind)) for kind in ("pe", "mem", "io"))
        cells[3:6] = [f"{cycle.number(*path):.0f}" for path in (("hops",), ("bitstream", "words"), ("fmax_mhz",))]
        on_rtl &= same
        cells[8:] = [f"{cycles:.0f}", f"{traced.number('cycles', 'total'):.0f}" if on_rtl else "", f"{cycle.number('time_us'):.1f}"]
    if not sam.code:
        cells[6] = f"{sam.number('cycles', 'total'):.0f}"
    if not plain.code:
        cells[7] = f"{plain.number('cycles', 'total'):.0f}"
    code, verdict = cycle.code, "right" if not cycle.code else "wrong" if is_wrong(cycle.code) else "refused"
    if not same or is_wrong(sam.code) or is_wrong(plain.code):
        code, verdict = "WRONG: sam or -O0" if same else "WRONG: the RTL differs", "wrong"
    said = f"**{code}**" if verdict == "wrong" else code or "; ".join(["right"] + ([", ".join(cycle.warned)] if cycle.warned else []))
    return "".join(f"| {cell} " if cell else "| " for cell in cells) + f"| {said} |", verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, kind in (("onyx", str), ("replay", str), ("source", pathlib.Path), ("folder", str)):
        parser.add_argument(name, type=kind)
    parser.add_argument("--most-rtl", type=float, default=1e5)
    parser.add_argument("--only", help="rows of kernels whose name begins so")
    parser.add_argument("--out", type=argparse.FileType("w"), default=sys.stdout)
    a = parser.parse_args()
    pathlib.Path(a.folder).parent.mkdir(parents=True, exist_ok=True)
    verdicts = []
    print(HEAD.format(most=a.most_rtl, rank=RANK, sets="\n".join(f"| {d.name} | {d.about} |" for d in SETS)), file=a.out)
    for kernel in KERNELS:
        for data in SETS:
            there = not data.file or (a.source / "../shared/data/matrices").exists()
            if data.order == kernel[4] and there and kernel[0].startswith(a.only or ""):
                start = time.monotonic()
                text, verdict = row(a, kernel, data)
                verdicts.append(verdict)
                print(text, file=a.out, flush=True)
                print(f"{kernel[0]}, {data.name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    print(f"\n{len(verdicts)} rows: " + ", ".join(f"{verdicts.count(v)} {v}" for v in ("right", "refused", "wrong")) + ".", file=a.out)
    return "wrong" in verdicts


if __name__ == "__main__":
    sys.exit(main())
