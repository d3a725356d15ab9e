#!/usr/bin/env python3
"""Loops in which compressed matrices change, against plain Python: matrices.py ONYX FOLDER ENGINE. Products whose sums are cut, parts that are combined, another order of the levels
than that in which they were stored, explicit zeros, rows and whole matrices without entries. On engine soc small ones are the chip's processor's, as far as that is expected to take
less than the host; `passes` are those that it makes alone. Ends with 1 where one is wrong."""
import json
import pathlib
import random
import subprocess
import sys

sys.path.extend(str(pathlib.Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
import quota  # noqa: E402

onyx, folder, engine = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
kept = behaviour.watch(__file__, onyx, folder)
folder.mkdir(parents=True, exist_ok=True)


def wrap(value):
    return (value + 0x8000) % 0x10000 - 0x8000


def entries(cells):
    return "{" + ", ".join(f"({i},{j}): {v}" for (i, j), v in sorted(cells.items())) + "}"


def cells(draw, rows, columns, density, values):
    return {(i, j): draw.choice(values) for i in range(rows) for j in range(columns) if draw.random() < density}


def without(fill, matrix):
    return {at: v for at, v in matrix.items() if v != fill}


def product(a, b, plus, times):
    out = {}
    for (i, k), x in a.items():
        for (l, j), y in b.items():
            if k == l:
                out[i, j] = plus(out[i, j], times(x, y)) if (i, j) in out else times(x, y)
    return {at: wrap(v) for at, v in out.items()}


def closure(draw, n, density):
    """Which vertices reach which: (or, and) products, of which those of other words have explicit zeros."""
    a, steps = cells(draw, n, n, density, [1, 2, 3]), 3
    r = dict(a)
    for _ in range(steps):
        r = {at: r.get(at, 0) | v for at, v in {**dict.fromkeys(r, 0), **product(r, a, lambda x, y: x | y, lambda x, y: x & y)}.items()}
        r = without(0, r)
    return f"""tensor A({n},{n}): ss = {entries(a)}
tensor R({n},{n}): ss = {entries(a)}
tensor N: ss
repeat {steps} {{
    N(i,j) = or(k, R(i,k) & A(k,j))
    R(i,j) = R(i,j) | N(i,j)
}}
result R
""", {"R": r}


def powers(draw, n, density, steps=3):
    """R = R * A, whose k is cut where n is longer than a sub-tile: parts are added up."""
    a = cells(draw, n, n, density, [-1, 1, 2])
    r = cells(draw, n, n, density, [-1, 1, 3])
    text = f"""tensor A({n},{n}): ss = {entries(a)}
tensor R({n},{n}): ss = {entries(r)}
repeat {steps} {{
    R(i,j) = R(i,k) * A(k,j)
}}
result R
"""
    for _ in range(steps):
        r = without(0, product(r, a, lambda x, y: x + y, lambda x, y: x * y))
    return text, {"R": r}


def turned(draw, n, m, density):
    """A difference, zeros among its values, whose columns are summed up; and both sums."""
    a = cells(draw, n, m, density, [1, 2, 3])
    c = {at: draw.choice([v, 1]) for at, v in a.items()} | cells(draw, n, m, density / 4, [2])
    b = without(0, {at: wrap(a.get(at, 0) - c.get(at, 0)) for at in {*a, *c}})
    v, w = {}, {}
    for (i, j), x in b.items():
        v[j] = wrap(v.get(j, 0) + 3 * x * (i + 1))
        w[i] = wrap(w.get(i, 0) + 3 * x)
    return f"""tensor A({n},{m}): ss = {entries(a)}
tensor C({n},{m}): ss = {entries(c)}
tensor B({n},{m}): ss
tensor u({n}): d = {[i + 1 for i in range(n)]}
tensor one({m}): d = all 1
tensor v({m}): d
tensor w({n}): d
repeat 3 {{
    B(i,j) = A(i,j) - C(i,j)
    v(j) += B(i,j) * u(i)
    w(i) += B(i,j) * one(j)
}}
result B, v, w
""", {"B": b, "v": {(j, 0): x for j, x in v.items() if x}, "w": {(i, 0): x for i, x in w.items() if x}}


def listed(draw, n, density):
    """A sum that is loaded by columns and times another matrix: where the product is stored over its words, a list of entries is left of it, which the host reads. For n = 4 and 5 that
    is at a multiple of four that is none of eight."""
    a, c = cells(draw, n, n, density, [1, 2, 3]), cells(draw, n, n, density, [2, 3])
    b = without(0, {at: wrap(a.get(at, 0) + c.get(at, 0)) for at in {*a, *c}})
    v = {}
    for (i, j), x in b.items():
        v[j, 0] = v.get((j, 0), 0) + 2 * x
    return f"""tensor A({n},{n}): ss = {entries(a)}
tensor C({n},{n}): ss = {entries(c)}
tensor B({n},{n}): ss
tensor E({n},{n}): ss
tensor u({n}): d = all 1
tensor v({n}): d
repeat 2 {{
    B(i,j) = A(i,j) + C(i,j)
    v(j) += B(i,j) * u(i)
    E(i,j) = B(i,k) * C(k,j)
}}
result B, v, E
""", {"B": b, "v": v, "E": without(0, product(b, c, lambda x, y: x + y, lambda x, y: x * y))}


def nearest(draw, n, means):
    """What k-means asks: which mean is nearest to each point; distances are loaded by points and by means."""
    points = [(draw.randrange(9), draw.randrange(9)) for _ in range(n)]
    mean = [(2 + 3 * c, 12 - 3 * c) for c in range(means)]
    inside, size = {}, {}
    for p, (x, y) in enumerate(points):
        far = [abs(x - a) + abs(y - b) for a, b in mean]
        for c in range(means):
            if far[c] == min(far):
                inside[p, c] = 1
                size[c, 0] = size.get((c, 0), 0) + 1
    return f"""tensor P({n},2): dd = {entries({(p, f): v for p, point in enumerate(points) for f, v in enumerate(point)})}
tensor mean({means},2): dd = {entries({(c, f): v for c, one in enumerate(mean) for f, v in enumerate(one)})}
tensor far: ss
tensor least: s
tensor in({n},{means}): ss
tensor size({means}): d
repeat 3 {{
    far(p,c) = sum(f, abs(P(p,f) - mean(c,f)))
    least(p) = min(c, far(p,c))
    in(p,c) = far(p,c) == least(p)
    size(c) = in(p,c)
}}
result in, size
""", {"in": inside, "size": size}


def structure(draw, n, density):
    """A matrix with explicit zeros that nothing changes, asked where it is stored; and one that changes, which holds none."""
    a = cells(draw, n, n, density, [-2, 0, 0, 3])
    b = cells(draw, n, n, density, [1, 5])
    degree, inside, outside = {}, {}, {}
    for i, j in a:
        degree[i, 0] = degree.get((i, 0), 0) + 1
    for at, v in b.items():
        (inside if at in a else outside)[at] = v
    return f"""tensor A({n},{n}): ss = {entries(a)}
tensor B({n},{n}): ss = {entries(b)}
tensor C({n},{n}): ss = {entries(a)}
tensor degree: s
tensor inside: ss
tensor outside: ss
tensor left: ss
scalar stored
repeat 2 {{
    degree(i) = struct(A(i,j))
    inside(i,j) = mask(struct(A(i,j)), B(i,j))
    outside(i,j) = mask(not struct(A(i,j)), B(i,j))
    left(i,j) = struct(C(i,j))
    C(i,j) = C(i,j) * 2
    stored = nnz(A)
}}
result degree, inside, outside, left, stored
""", {"degree": degree, "inside": inside, "outside": outside, "left": dict.fromkeys(without(0, a), 1),
      "stored": {(0, 0): len(without(0, a))}}


draw = random.Random(3)
one_copy = ["--unroll", "1"]
# Name, program and what comes of it, options, least passes of the processor alone on engine soc.
cases = [("closure", closure(draw, 5, 0.25), one_copy, 3),
         ("closure_cut", closure(draw, 21, 0.08), [*one_copy, "--tile", "8"], 0),
         ("powers", powers(draw, 5, 0.3), one_copy, 3),
         ("powers_cut", powers(draw, 20, 0.05), [*one_copy, "--tile", "8"], 0),
         ("powers_of_nothing", powers(draw, 6, 0), one_copy, 0),
         ("powers_to_nothing", powers(random.Random(8), 9, 0.04), one_copy, 0),
         ("turned", turned(draw, 6, 5, 0.3), one_copy, 3),
         ("turned_long", turned(draw, 40, 23, 0.1), ["--tile", "16"], 0),
         ("turned_nothing", turned(draw, 5, 7, 0), one_copy, 0),
         *((f"listed_{n}", listed(random.Random(seed), n, 0.3), one_copy, 2) for n, seed in ((3, 2), (4, 1), (5, 1))),
         ("nearest", nearest(draw, 7, 2), one_copy, 3),
         ("structure", structure(draw, 9, 0.3), [], 0),
         ("structure_cut", structure(draw, 21, 0.1), ["--tile", "8"], 0)]
bad, shares = 0, quota.Quota()
for name, (text, want), options, passes in cases:
    path, out = folder / f"{name}.onx", folder / name
    path.write_text(text)
    done = subprocess.run([onyx, "run", path, "--dtype", "int16", "--engine", engine, *options, "-o", out, "--quiet", "--no-warning", "E0351,E0129"], capture_output=True, text=True)
    if done.returncode:
        bad += 1
        print(f"{name}: exit {done.returncode}: {done.stderr}")
        continue
    report = json.loads((out / "report.json").read_text())
    shares.add(trivial=all(quota.is_trivial([0, *cells_of.values()]) for cells_of in want.values()))
    for tensor, cells_of in want.items():
        lines = [line.split() for line in (out / f"{tensor}.mtx").read_text().splitlines() if line[0] != "%"][1:]
        got = {(int(w[0]) - 1, int(w[1]) - 1): int(w[2]) for w in lines}
        if got != cells_of:
            bad += 1
            print(f"{name}, {tensor}: {got}, expected {cells_of}")
    alone = sum(one.get("on_processor", 0) for loop in report["loops"] for one in loop["each"])
    if report["check"] != "pass" or (engine == "soc" and alone < passes):
        bad += 1
        print(f"{name}: check {report['check']}, {alone} passes of the processor alone, {passes} expected: {report['loops']}")
    if engine == "soc":
        print(f"{name}: {report['total_cycles']} cycles, {alone} passes of the processor alone {[loop.get('why') for loop in report['loops']]}")
sys.exit(kept.count_wrong() + bad > 0 or shares.failed())
