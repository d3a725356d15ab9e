"""Functions beside the array (Figures 7.16 to 7.18, 7.21 and 7.24). SDDMM X(i,j) = M(i,j) * B(i,k) * C(k,j) over the density of M: fused on
the array, and with the product of B and C bound to the host or to the chip's processor, sampled by the array. A sum of two matrices that lie as
coordinates, or as rows. Blocks of a matrix times a matrix. Chip time is all of engine soc, configuration counted; the words that the host writes
into the global buffer are counted beside it, a cycle of the array each. What the host computes takes no time of the chip: its seconds are
those of the machine at hand. Last, the time to find sizes of calls, by the language of conditions and by asking whether a size will do.
study.py says how it is called.
"""

import math
import pathlib
import random
import re
import subprocess
import time

from study import Study

SDDMM, PRODUCT = "X(i,j) = M(i,j) * B(i,k) * C(k,j)", "B(i,k) * C(k,j)"
WAYS = {"fused": [], "host": ["-s", f"bind({PRODUCT}, gemm)"], "m3": ["-s", f"bind({PRODUCT}, m3_gemm)"]}
DENSITIES = ["0.0001", "0.001", "0.01", "0.05", "0.1", "0.2", "0.5", "1"]
BLOCK, SIDE, COLUMNS = 4, 96, 16  # BCSR has blocks of 4 x 4
# Name, conditions of a capability with so many indices, extents: Table of Figure 7.24, a bitstream's limit and a width of vectors.
SIZES = [("product of 4 below 65,536", "i * j * k * l < 65536", (20, 20, 20, 20)), ("a width of 8", "i == 8", (2000,))]


def measured(study, arguments):
    """Microseconds of the chip, with those of transfers, and the host's seconds in functions."""
    ran = study.must_run([*arguments, "--functions", "library", "--engine", "cycle" if study.short else "soc", "--hazards", "warn", "--deadlock", "warn"], 3000)
    kernels = ran.report.get("kernels", [ran.report])
    words = sum(k.get("tiling", {}).get("load_words", 0) + k.get("processor", {}).get("words", 0) for k in kernels)
    us = ran.number("time_us")
    host = sum(k["wall_s"]["run"] for k in kernels if k.get("on") == "host")
    return us, us + us * words / ran.number("cycles", "total"), host, ran


def sddmm(study):
    n, inner, densities = (12, 4, DENSITIES[-1:]) if study.short else (100, 16, DENSITIES)
    csv, with_words, seconds = "density," + ",".join(f"{way}_us,{way}_with_words_us" for way in WAYS) + "\n", {way: [] for way in WAYS}, []
    for density in densities:
        row = [density]
        for way, schedule in WAYS.items():
            us, all_us, host, _ = measured(study, [SDDMM, *schedule, "-g", f"M:{n}x{n}:{density}:1", "-g", f"B:{n}x{inner}:1:2", "-g", f"C:{inner}x{n}:1:3"])
            with_words[way].append(all_us)
            row += [f"{us:.2f}", f"{all_us:.2f}"]
            seconds += [host] if way == "host" else []
        print(",".join(row), flush=True)
        csv += ",".join(row) + "\n"
    study.table("functions_sddmm.csv", csv)
    study.plot("functions_sddmm.svg", [f"{float(d):g}" for d in densities], {"fused": with_words["fused"], "on the host": with_words["host"], "on the processor": with_words["m3"]},
               title="SDDMM, fused, or with the product apart", x_label="density of M", y_label="microseconds", log_y=True)
    print(f"the host's products took {min(seconds):.2g} to {max(seconds):.2g} s here")
    for way in ("host", "m3"):
        print(f"fused and {way}: {crossing(densities, with_words['fused'], with_words[way])}")
    if not study.short:
        study.expect(with_words["fused"][0] < with_words["host"][0], "where M is sparsest, fused takes the chip less than a product of the host's, sampled")
        study.expect(with_words["fused"][-1] > with_words["host"][-1], "where it is full, more")


def crossing(densities, fused, other):
    """Where two curves meet, both straight between two measured densities on scales of logarithms; behind the last, along the last two."""
    x = [math.log(float(d)) for d in densities]
    gap = [math.log(f / o) for f, o in zip(fused, other)]
    for at in range(1, len(x)):
        if gap[at - 1] < 0 <= gap[at]:
            return f"they meet at a density of {100 * math.exp(x[at - 1] + (x[at] - x[at - 1]) * gap[at - 1] / (gap[at - 1] - gap[at])):.2g} %"
    if len(x) < 2 or gap[-1] <= gap[-2]:
        return "they do not meet"
    beyond = math.exp(x[-1] - gap[-1] * (x[-1] - x[-2]) / (gap[-1] - gap[-2]))
    return f"they would meet at {100 * beyond:.2g} %: fused takes {other[-1] / fused[-1]:.2g} times less of a full M"


def sums(study):
    csv = "nonzeros,levels_of_coordinates_us,levels_of_rows_us,converted_us\n"
    for nonzeros in [200] if study.short else [1000, 10000]:
        n = 200 if study.short else 1000
        operands = ["X(i,j) = B(i,j) + C(i,j)", "-g", f"B:{n}x{n}:{nonzeros / n / n:g}:1", "-g", f"C:{n}x{n}:{nonzeros / n / n:g}:2"]
        row = [measured(study, [*operands, *formats])[0] for formats in (["-f", "B:ss", "-f", "C:ss"], ["-f", "B:CSR", "-f", "C:CSR"], ["-f", "B:COO", "-f", "C:COO"])]
        csv += f"{nonzeros}," + ",".join(f"{us:.2f}" for us in row) + "\n"
    print(csv, end="", flush=True)
    study.table("functions_sum.csv", csv)


def blocks(study):
    """A matrix of BLOCK x BLOCK blocks that are full, times a full one."""
    side = 16 if study.short else SIDE
    csv = "blocks,entries_us,in_blocks_us,product_on_the_processor_us\n"
    for density in [0.2] if study.short else [0.05, 0.2]:
        r = random.Random(3)
        every = [(i, j) for i in range(side // BLOCK) for j in range(side // BLOCK)]
        some = r.sample(every, max(1, round(density * len(every))))
        path = pathlib.Path(study.folder) / "blocks.mtx"
        cells = sorted((BLOCK * i + y, BLOCK * j + x) for i, j in some for y in range(BLOCK) for x in range(BLOCK))
        path.write_text(f"%%MatrixMarket matrix coordinate integer general\n{side} {side} {len(cells)}\n" + "".join(f"{i + 1} {j + 1} {1 + (i + j) % 9}\n" for i, j in cells))
        whole = [f"X(i,j) = {PRODUCT}", "-i", f"B:{path}", "-g", f"C:{side}x{COLUMNS}:1:2"]
        row = [measured(study, [*whole, *how])[1] for how in ([], ["-f", "B:BCSR", "-f", "C:BCSR"], WAYS["m3"])]
        csv += f"{density}," + ",".join(f"{us:.2f}" for us in row) + "\n"
    print(csv, end="", flush=True)
    study.table("functions_blocks.csv", csv)


def answer(cases, description, lines):
    """What is said of each line, and the seconds that takes beside the start of the program, the least of five times."""
    def once(text):
        start = time.perf_counter()
        said = subprocess.run([cases, description], input=text, capture_output=True, text=True, check=True).stdout
        return time.perf_counter() - start, said
    every = [(once(""), once("".join(line + "\n" for line in lines))) for _ in range(5)]
    return max(0, min(b[0] for _, b in every) - min(a[0] for a, _ in every)), every[0][1][1].splitlines()


def sizes(study):
    """By the language: `map`. By asking: sizes from the largest down, and random ones, each a `bind` that holds or not, until one does."""
    cases, csv = str(pathlib.Path(study.onyx).parent / "bind_cases"), "conditions,language_s,size,linear_s,asked,size,random_s,asked,size\n"
    for name, when, extents in SIZES:
        names = "ijkl"[:len(extents)]
        of, at = ",".join(names), ",".join("pqrs"[:len(extents)])
        description = pathlib.Path(study.folder) / "limit.xf"
        description.write_text(f"name: limit\ncall: void limit({', '.join(names)}, b, c, x)\ncapability: x({of}) = b({of}) + c({of}) when {when}\ndatatypes: int16\n")
        e, dimensions = f"B({at}) + C({at})", " ".join(f"{v}:{n}" for v, n in zip("pqrs", extents))
        line = f"X({at}) = {e}\t{dimensions}\t"
        seconds, said = answer(cases, description, [line + f"map({e}, limit)"])
        size = math.prod(int((re.search(rf"split\({v},{v}0,{v}1,(\d+)\)", said[0]) or [0, n])[1]) for v, n in zip("pqrs", extents))
        row = f'"{name}",{seconds:.5f},{size}'
        r = random.Random(1)
        for turn in ("linear", "random"):
            lines, some = [], list(extents)
            for _ in range(40 if study.short else 4000):
                if turn == "random":
                    some = [r.randint(1, n) for n in extents]
                lines.append(line + "".join(f"split({v},{v}0,{v}1,{n}), " for v, n in zip("pqrs", some)) + f"bind({e}, limit)")
                if eval(when, {}, dict(zip(names, some))) and all(n % z == 0 or eval(when, {}, {**dict(zip(names, some)), v: n % z}) for v, n, z in zip(names, extents, some)):
                    break
                if turn == "linear":
                    at_end = len(some) - 1
                    while at_end and some[at_end] == 1:
                        some[at_end] = extents[at_end]
                        at_end -= 1
                    some[at_end] -= 1
            seconds, said = answer(cases, description, lines)
            tried = next((n + 1 for n, text in enumerate(said) if "bind(limit" in text), len(said))
            row += f",{seconds:.5f},{tried},{math.prod(some)}"
        print(row, flush=True)
        csv += row + "\n"
    study.table("functions_sizes.csv", csv, of_this_machine=True)


study = Study()
sddmm(study)
sums(study)
blocks(study)
sizes(study)
study.end()
