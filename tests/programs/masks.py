#!/usr/bin/env python3
"""Random expressions below masks, of vectors with fills: masks.py ONYX FOLDER COUNT SEED. Plain Python computes the results of masks by a matrix, or by
where a matrix is stored, on compressed and dense vectors, alone and below a reduction. In some of the cases a vector is chosen to be dense below the mask;
without one the choice is never tried, and the command ends with 1. tests/seeds.py judges the rates."""
import json
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

onyx, folder, count, seed = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
MOST = 32767
# Text below the mask, and its value by (a of the row, W of the place, b of the column, a of the column).
BELOW = [
    ("(a(i) + W(i,j) == a(j)) * n(i)", lambda a, w, b, c, i: (plus(a, w) == c) * (i + 1)),
    ("min(a(i), b(j))", lambda a, w, b, c, i: min(a, b)),
    ("min(a(i) + W(i,j), b(j))", lambda a, w, b, c, i: min(plus(a, w), b)),
    ("(a(i) <= a(j)) + (b(j) > 3)", lambda a, w, b, c, i: (a <= c) + (b > 3)),
    ("max(b(j) - W(i,j), n(i))", lambda a, w, b, c, i: max(b - w, i + 1)),
]
MASKS = ("mask(struct(W(i,j)), {})", "mask(C(i,j), {})")
WHOLE = [("X(i,j) = {}", None), ("x(j) = max(i, {})", max), ("x(j) = sum(i, {})", sum)]


def plus(x, y):
    """What is infinite stays so."""
    return MOST if MOST in (x, y) else x + y


def entries(cells):
    return "{" + ", ".join(f"{str(at).replace(' ', '')}: {v}" for at, v in sorted(cells.items())) + "}"


def read(path):
    words = [line.split() for line in path.read_text().splitlines() if line[0] != "%"][1:]
    return {(int(w[0]) - 1, int(w[1]) - 1): int(w[2]) for w in words if int(w[2])}


def wrong(case, number):
    """Runs a case. Returns whether the result differs, and whether vectors were made dense."""
    n = case.randint(5, 40)
    density = case.choice([0.05, 0.2])
    draw = lambda p, values: {i: case.choice(values) for i in range(n) if case.random() < p}
    places = [(i, j) for i in range(n) for j in range(n) if case.random() < density]
    weight = {at: case.randint(1, 9) for at in places}
    chosen = {at: 1 for at in case.sample(places, (len(places) + 1) // 2)}
    fill = {"a": case.choice(["inf", "inf", "5"]), "b": case.choice(["inf", "0"])}
    value = {t: MOST if f == "inf" else int(f) for t, f in fill.items()}
    vector = {"a": draw(0.3, [0, 2, 4, 6, 9]), "b": draw(0.4, [1, 3, 8])}
    below, by = case.choice(BELOW)
    mask = case.choice(MASKS)
    whole, reduce = case.choice(WHOLE)
    if "inf" == fill["b"] and "b(j) -" in below:
        value["b"], fill["b"] = 0, "0"
    text = f"tensor W({n},{n}): ss fill inf = {entries(weight)}\ntensor C({n},{n}): ss = {entries(chosen)}\ntensor n({n}): d = [{', '.join(str(i + 1) for i in range(n))}]\n"
    text += "".join(f"tensor {t}({n}): {case.choice('sssd')} fill {fill[t]} = {entries(vector[t])}\n" for t in "ab")
    text += ("tensor x: s\n" if reduce else "tensor X: ss\n") + whole.format(mask.format(below)) + "\n"
    path, out = folder / "masks.onx", folder / "out"
    path.write_text(text)
    done = subprocess.run([onyx, "run", path, "--engine", "cycle", "--dtype", "int16", "--quiet", "--no-warning", "E0351,E0185", "-o", out], capture_output=True, text=True, check=False)
    of = lambda t, i: vector[t].get(i, value[t])
    cells = {(i, j): by(of("a", i), weight.get((i, j), MOST), of("b", j), of("a", j), i) for i, j in (weight if "struct" in mask else chosen)}
    if reduce:
        rows = {}
        for (_, j), v in cells.items():
            rows.setdefault((j, 0), []).append(v)
        # What is not stored is 0 to a maximum, too.
        cells = {at: max(0, *vs) if reduce is max and len(vs) < n else reduce(vs) for at, vs in rows.items()}
    want = {at: (v + 32768) % 65536 - 32768 for at, v in cells.items()}
    want = {at: v for at, v in want.items() if v}
    if done.returncode:
        print(f"seed {seed + number}: exit {done.returncode}: {done.stderr}\n{text}")
        return True, False, want
    report, got = json.loads((out / "report.json").read_text()), read(out / ("x.mtx" if reduce else "X.mtx"))
    if report["check"] != "pass" or got != want:
        print(f"seed {seed + number}: check {report['check']}\n{text}{got}\n{want}")
    return report["check"] != "pass" or got != want, "below a mask dense" in json.dumps(report), want


folder.mkdir(parents=True, exist_ok=True)
shares, bad, dense = quota.Quota(), 0, 0
for number in range(count):
    is_wrong, is_dense, want = wrong(random.Random(seed + number), number)
    bad += is_wrong
    dense += is_dense
    shares.add(not is_wrong, quota.is_trivial([0, *want.values()]))
print(f"{count} masks, {bad} wrong\nrate dense: {dense} of {count}")
sys.exit(bad > 0 or shares.failed())
