"""What is chosen unasked against other mappings, by the chip's time: default.py ONYX SOURCE FOLDER [--cases REGEX] [--seconds S]
[--random N] [--most S] [--matrices FILE...] [--estimated] [--write]

Twelve kernels (Table 4.1) on five real matrices, or those of --matrices, or tensors that are such matrices with their rows folded. For
each the default; -O0; square edges of the powers of two, in one copy and in as many as fit; mappings by hand; and up to N (200) legal
ones at random: order of the loops, edges along each, copies. A case takes S (4) processor seconds for these, by engine cycle, which
ranks them with what configuration and processor cost about; the default, -O0 and the best two are then run by engine soc, and compared
by its time at the clock of each design. Every result is checked. What a case gave is kept in FOLDER/results.jsonl and not run again;
--write puts the table of all in docs/notebook/tiling_notes.md. Fails if the default takes more than 1.25 times the best, or 1.05 in the geometric mean.
"""

import argparse
import gzip
import itertools
import json
import math
import pathlib
import random
import re
import resource
import sys

import command

EDGES = [1024, 256, 64, 16]
PHASES = "reorder(k,i,j), precompute(B(i,k)*C(k,j),{k,i,j},{kw,iw,jw},w), reorder(i,j,k)"
MATRICES = ["west0067", "west0479", "olm500", "494_bus", "ash219"]
MOST_SECONDS = 60
FOLD, RANK = 8, 4
MEAN, WORST = 1.05, 1.25
# Kernel: loops, expression, operands. Capital ones: the matrix M, its transpose T, its rows or columns reversed R and C, or the same
# folded (order 3); small ones are dense, with the extents of these loops ("r": RANK).
KERNELS = {
    "SpMV": ("ij", "x(i)=B(i,j)*c(j)", "B:M c:j"),
    "SpM*SpM": ("ijk", "X(i,j)=B(i,k)*C(k,j)", "B:M C:T"),
    "SDDMM": ("ijk", "X(i,j)=B(i,j)*c(i,k)*d(k,j)", "B:M c:ir d:rj"),
    "InnerProd": ("ijk", "x=B(i,j,k)*C(i,j,k)", "B:M C:R"),
    "TTV": ("ijk", "X(i,j)=B(i,j,k)*c(k)", "B:M c:k"),
    "TTM": ("ijkr", "X(i,j,r)=B(i,j,k)*c(r,k)", "B:M c:rk"),
    "MTTKRP": ("ijkr", "X(i,r)=B(i,j,k)*c(r,j)*d(r,k)", "B:M c:rj d:rk"),
    "Residual": ("ij", "x(i)=b(i)-C(i,j)*d(j)", "C:M b:i d:j"),
    "MatTransMul": ("ij", "x(i)=a*B(j,i)*c(j)+e*d(i)", "B:T a: e: c:j d:i"),
    "MMAdd": ("ij", "X(i,j)=B(i,j)+C(i,j)", "B:M C:R"),
    "Plus3": ("ij", "X(i,j)=B(i,j)+C(i,j)+D(i,j)", "B:M C:R D:C"),
    "Plus2": ("ijk", "X(i,j,k)=B(i,j,k)+C(i,j,k)", "B:M C:R"),
}
HAND = {
    "SpM*SpM": [["-s", PHASES, "--tile", edges, "--unroll", "auto"]
                for edges in ("kw:128,iw:512,jw:512,i:64,j:64,k:512", "kw:128,iw:512,jw:512,i:64,j:512,k:512", "512")],
    "SpMV": [["--tile", "i:512,j:512", "--unroll", "auto"], ["--tile", "i:2048,j:64", "--unroll", "auto"]],
}


def name_of(path):
    return path.name.split('.')[0]


def read(path):
    text = (gzip.open(path, "rt") if path.suffix == ".gz" else open(path)).read().splitlines()
    lines = [line.split() for line in text if not line.startswith("%")]
    symmetric = "symmetric" in text[0]
    rows, columns = int(lines[0][0]), int(lines[0][1])
    entries = {(int(line[0]) - 1, int(line[1]) - 1) for line in lines[1:] if line}
    return rows, columns, entries | ({(j, i) for i, j in entries} if symmetric else set())


def write(path, extents, entries):
    """Returns the path, with the right ending."""
    rows = [" ".join(str(c + 1) for c in entry) for entry in sorted(entries)]
    if len(extents) == 3:
        path = path.with_suffix(".tns")
        path.write_text("".join(f"{row} 1\n" for row in rows))
    else:
        size = " ".join(map(str, extents))
        path.write_text(f"%%MatrixMarket matrix coordinate integer general\n{size} {len(rows)}\n" + "".join(f"{row} 1\n" for row in rows))
    return path


def arguments_of(kernel, matrix, folder):
    loops, expression, operands = KERNELS[kernel]
    rows, columns, entries = read(matrix)
    folded = "k" in loops and kernel not in ("SpM*SpM", "SDDMM")
    extents = {"i": rows, "j": columns, "k": rows, "r": RANK}
    if folded:
        extents = {"i": -(-rows // FOLD), "j": FOLD, "k": columns, "r": RANK}
    made = {"M": entries, "T": {(j, i) for i, j in entries}, "R": {(rows - 1 - i, j) for i, j in entries},
            "C": {(i, columns - 1 - j) for i, j in entries}}
    out = [expression]
    for operand in operands.split():
        name, what = operand.split(":")
        if name.isupper():
            shape = (columns, rows) if what == "T" else (rows, columns)
            some = made[what]
            if folded:
                some, shape = {(i // FOLD, i % FOLD, j) for i, j in some}, (extents["i"], FOLD, columns)
            out += ["-i", f"{name}:{write(folder / f'{name_of(matrix)}_{what}{len(shape)}.mtx', shape, some)}"]
        elif what:
            size = {loop: extents[loop] for loop in "ijkr"}
            if kernel == "MatTransMul":
                size = {"i": rows, "j": columns}
            out += ["-f", f"{name}:{'d' * len(what)}", "-g", f"{name}:{'x'.join(str(size[loop]) for loop in what)}:1"]
        else:
            out += ["-g", f"{name}::1"]
    return out


def grid():
    for edge in EDGES:
        yield f"{edge}, copies", ["--tile", str(edge), "--unroll", "auto"]
        yield f"{edge}", ["--tile", str(edge), "--unroll", "1"]


def at_random(kernel, draw):
    loops = KERNELS[kernel][0]
    while True:
        order = ",".join(draw.sample(loops, len(loops)))
        names, schedule = [*loops], ["-s", f"reorder({order})"]
        if kernel == "SpM*SpM" and draw.random() < 0.5:
            names, schedule, order = ["kw", "iw", "jw", *loops], ["-s", PHASES], "two kernels"
        edges = ",".join(f"{loop}:{2 ** draw.randint(2, 11)}" for loop in names)
        yield f"{order}; {edges}", [*schedule, "--tile", edges, "--unroll", draw.choice(["1", "2", "auto", "auto"])]


def mappings(kernel, n_random, draw):
    """Those by hand first, then the grid and the random ones in turn: time may end before they do."""
    for by_hand in HAND.get(kernel, []):
        yield f"by hand, {by_hand[-3]}", by_hand
    squares = grid()
    for _, drawn in zip(range(n_random), at_random(kernel, draw)):
        yield from itertools.islice(squares, 1)
        yield drawn


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Case:
    def __init__(self, onyx, folder, arguments, most):
        self.onyx, self.folder, self.arguments, self.most = onyx, folder, arguments + ["--values", "ramp"], most

    def run(self, engine, more):
        return command.run(self.onyx, [*self.arguments, *more, "--engine", engine], f"{self.folder}/out", self.most)

    def cycle(self, more):
        """Cycles, and about what the chip takes, in microseconds; None: not legal."""
        ran = self.run("cycle", more)
        if ran.code:
            return None
        kernels = ran.report.get("kernels") or [ran.report]
        kernels = [kernel for kernel in kernels if "bitstream" in kernel]  # the host computes others
        words = sum(kernel["bitstream"]["words"] for kernel in kernels)
        passes = sum(kernel["subtiles"].get("passes") or kernel["subtiles"]["run"] for kernel in kernels)
        cycles = ran.number("cycles", "kernel")
        return cycles, (cycles + 4000 * len(kernels) + 12 * words + 700 * passes) / ran.number("fmax_mhz")

    def soc(self, more):
        """Microseconds and cycles; 0: no result, or not in time."""
        ran = self.run("soc", more)
        return (0, 0) if ran.code else (ran.number("cycles", "total") / ran.number("fmax_mhz"), ran.number("cycles", "total"))


def measure(case, kernel, name, n_random, seconds, estimated):
    begun, tried, legal = spent(), 0, []
    for label, more in mappings(kernel, n_random, random.Random(name)):
        if spent() - begun > seconds:
            break
        tried += 1
        cycle = case.cycle(more)
        if cycle:
            legal.append((cycle[1], cycle[0], label, more))
    legal.sort()
    default, plain = (case.cycle(more) or (0, 0) for more in ([], ["-O0"]))
    row = {"case": name, "tried": tried, "legal": len(legal), "default_cycle": default[0], "plain_cycle": plain[0]}
    if estimated:
        row |= {"default": default[::-1], "plain": plain[::-1]}
        others = [(cost, cycles, label) for cost, cycles, label, _ in legal[:2]]
    else:
        row |= {"default": case.soc([]), "plain": case.soc(["-O0"])}
        others = [(*case.soc(more), label) for _, _, label, more in legal[:2]]
    row["best"] = min((other for other in others if other[0]), default=None)
    return row


def table(rows):
    lines = ["| kernel and data | soc, `-O0` | soc, default | cycle, `-O0` | cycle, default | best other, soc | which | of | default / best |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        best = row["best"]
        lines.append(f"| {row['case']} | {row['plain'][1]:,} | {row['default'][1]:,} | {row['plain_cycle']:,} | {row['default_cycle']:,} | "
                     f"{best[1]:,} | {best[2]} | {row['legal']} | {row['default'][0] / best[0]:.2f} |")
    return "\n".join(lines) + "\n"


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def put(page, made):
    text = page.read_text()
    new, count = re.subn(r"(<!-- made by tests/bench/default\.py -->\n\n).*?(\n<!-- end -->)", lambda m: m[1] + made + m[2], text, flags=re.S)
    assert count == 1
    page.write_text(new)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onyx")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cases", default="")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--most", type=float, default=MOST_SECONDS, help="wall seconds a run may take")
    parser.add_argument("--matrices", type=pathlib.Path, nargs="+")
    parser.add_argument("--estimated", action="store_true", help="compare by engine cycle and what the processor costs about")
    parser.add_argument("--write", action="store_true")
    at = parser.parse_args()
    matrices = at.source / "../shared/data/matrices"
    if not at.matrices and not matrices.exists():
        print("skipped: no matrices")
        return 77
    at.folder.mkdir(parents=True, exist_ok=True)
    kept = at.folder / "results.jsonl"
    done = {row["case"]: row for row in map(json.loads, kept.read_text().splitlines())} if kept.exists() else {}
    rows = []
    for matrix in at.matrices or [matrices / f"{name}.mtx" for name in MATRICES]:
        for kernel in KERNELS:
            name = f"{kernel} {name_of(matrix)}"
            if not re.search(at.cases, name):
                continue
            if name not in done:
                case = Case(at.onyx, at.folder, arguments_of(kernel, matrix, at.folder), at.most)
                done[name] = measure(case, kernel, name, at.random, at.seconds, at.estimated)
                with open(kept, "a") as file:
                    file.write(json.dumps(done[name]) + "\n")
                print(json.dumps(done[name]), flush=True)
            rows.append(done[name])
    lost = [row["case"] for row in rows if not row["default"][0]]
    rows = [row for row in rows if row["default"][0] and row["best"]]
    ratios = [max(1, row["default"][0] / row["best"][0]) for row in rows]  # the default is one of the mappings
    faster = [row["plain"][0] / row["default"][0] for row in rows if row["plain"][0]]
    made = table(rows) + (f"\n{len(rows)} cases: default / best, the default among them, {mean(ratios):.3f} in the geometric mean, {max(ratios):.2f} at worst; `-O0` / default "
                          f"{mean(faster):.2f}, {min(faster):.2f} at worst.\n")
    print(made, *[f"{name}: there is no result" for name in lost], sep="\n")
    if at.write:
        put(at.source / "docs/notebook/tiling_notes.md", made)
    return 1 if lost or mean(ratios) > MEAN or max(ratios) > WORST else 0


sys.exit(main())
