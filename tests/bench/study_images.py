"""Figure 3.25: edges in images of a head, (Img > t2 and ROI) xor (Img > t1 and ROI), by the entries that are read and by the pixels that there are.
Images are made: a textured head of a share of the pixels, a region of interest inside of it. Every edge is compared with the pixels'.
Runtime is engine cycle, the array alone, with one copy of one kernel. study.py says how it is called.
"""

import math
import pathlib
import random

from study import Study

EDGES = "E(i,j) = (T(i,j) && R(i,j)) ^ (S(i,j) && R(i,j))"
PIXELS = [48, 96, 192, 384]  # along each side
HEADS = [2, 5, 10, 20, 40]   # per cent of the pixels


def image(side, head):
    """Brightness of a head of that share in per cent, and its region of interest, an ellipse of half of it: dictionaries by pixel."""
    draw = random.Random(f"{side} {head}")
    waves = [(draw.uniform(0.5, 3), draw.uniform(0, 7), draw.uniform(0, 7)) for _ in range(6)]
    tall = math.sqrt(head / 100 * side * side / math.pi * 1.3)
    wide, middle = tall / 1.3, (side - 1) / 2
    brightness, region = {}, set()
    for i in range(side):
        for j in range(side):
            y, x = (i - middle) / tall, (j - middle) / wide
            if x * x + y * y <= 1:
                brightness[i, j] = sum(math.sin(f * 5 * x + a) * math.cos(f * 5 * y + b) for f, a, b in waves) + draw.uniform(0, 0.5)
            if x * x + y * y <= 0.5:
                region.add((i, j))
    return brightness, region


def put(path, side, pixels):
    lines = "".join(f"{i + 1} {j + 1} 1\n" for i, j in sorted(pixels))
    path.write_text(f"%%MatrixMarket matrix coordinate integer general\n{side} {side} {len(pixels)}\n{lines}")
    return str(path)


def stored(path):
    lines = [line.split() for line in path.read_text().split("\n") if line and not line.startswith("%")][1:]
    return {(int(i) - 1, int(j) - 1) for i, j, value in lines if int(value)}


def measure(study, side, head):
    """Entries read by the kernel, entries of the result, and cycles."""
    brightness, region = image(side, head)
    bright = sorted(brightness.values())
    over = [{at for at, b in brightness.items() if b > bright[len(bright) * share // 100]} for share in (75, 80)]
    folder = pathlib.Path(study.folder)
    operands = [w for name, pixels in zip("STR", (*over, region)) for w in ("-i", f"{name}:{put(folder / (name + '.mtx'), side, pixels)}")]
    ran = study.must_run([EDGES, *operands, "-s", "fuse(i,j,f)", "--unroll", "1", "--engine", "cycle"], 3600)
    edges = (over[1] & region) ^ (over[0] & region)
    study.expect(stored(folder / "run/E.mtx") == edges, f"{side} x {side}, head of {head} %: the {len(edges)} edges are those of the pixels")
    return len(over[0]) + len(over[1]) + 2 * len(region), len(edges), ran.number("cycles", "kernel")


def fit(xs, ys):
    """The line through points, by least squares: slope, value at 0, and the explained share of the variance."""
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    xx, xy, yy = sum((x - x0) ** 2 for x in xs), sum((x - x0) * (y - y0) for x, y in zip(xs, ys)), sum((y - y0) ** 2 for y in ys)
    return xy / xx, y0 - xy / xx * x0, xy * xy / xx / yy


study = Study()
cases = [(48, 2), (48, 40)] if study.short else [(side, head) for side in PIXELS for head in HEADS]
rows = [(side, head, *measure(study, side, head)) for side, head in cases]
csv = "side,head_per_cent,entries_read,edges,cycles\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
print(csv, end="")
study.table("images.csv", csv)
if not study.short:
    cycles, entries, pixels = [r[4] for r in rows], [r[2] for r in rows], [r[0] ** 2 for r in rows]
    for name, xs in (("entries", entries), ("pixels", pixels)):
        slope, begin, share = fit(xs, cycles)
        print(f"cycles = {begin:.0f} + {slope:.3f} * {name}, which explains {100 * share:.1f} % of their variance")
    study.expect(fit(entries, cycles)[2] > 0.95 > fit(pixels, cycles)[2], "runtime goes by the entries, not by the pixels")
    study.plot("images.svg", [f"{side} x {side}" for side in PIXELS],
               {f"head of {head} %": [c for s, h, *_, c in rows if h == head] for head in HEADS},
               title="Edges of images", x_label="pixels", y_label="cycles of the array", log_y=True)
study.expect(rows[0][4] < rows[-1][4], "a larger head takes longer")
study.end()
