"""Products and sums of bf16 in whatever order schedules, formats and tiles make of them: bf16_orders.py ONYX [COUNT [ENGINE [SEED]]]

COUNT random products of two to four tensors with normal entries run; no right result is refused (exit code 3), and the error that
report.json has is the one found here, against double precision on the data as they were written. ENGINE `types` runs them on
engine sam without a schedule, with bf16, with scaled integers and with the type that the data choose: of these two the better one.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from quota import Quota, is_trivial  # noqa: E402

try:
    import numpy
except ImportError:
    sys.exit(77)

ONYX, COUNT = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000
ENGINE = sys.argv[3] if len(sys.argv) > 3 else "sam"
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 521
r = random.Random(SEED)
SHAPES = [["ij", "j"], ["ij", "jk"], ["ij", "jk", "k"], ["ij", "jk", "kl"], ["ij", "ij"], ["ij", "i", "j"], ["ij", "jf", "f"], ["i", "i", "i"], ["ij", "jk", "k", "i"]]


def operand(name, indices, extent, folder):
    """A tensor, most of whose entries are there, as a file and as an array."""
    shape = [extent[v] for v in indices]
    values = numpy.zeros(shape)
    for at in numpy.ndindex(*shape):
        if r.random() < 0.8:
            values[at] = r.gauss(0, 1) * 10 ** r.uniform(-2, 2)
    values[tuple(n - 1 for n in shape)] = 1.5  # so that the file has the extents
    lines = [f"{' '.join(str(c + 1) for c in at)} {values[at]!r}" for at in numpy.ndindex(*shape) if values[at]]
    (folder / f"{name}.tns").write_text("\n".join(lines) + "\n")
    return values


def schedule(shapes, names, result):
    """Loops in some order, or a part of the product by itself."""
    every = sorted({v for indices in shapes for v in indices})
    draw = r.random()
    if draw < 0.4 and len(shapes) > 2:
        first = r.randrange(len(shapes) - 1)
        part = "*".join(f"{names[n]}({','.join(shapes[n])})" for n in (first, first + 1))
        return ["-s", f"precompute({part},{{}},{{}})"]
    if draw < 0.8:
        return ["-s", f"reorder({','.join(r.sample(every, len(every)))})"]
    return []


def result_of(path, shape):
    values = numpy.zeros(shape)
    lines = [line for line in path.read_text().split("\n") if line and line[0] not in "%#"]
    for line in lines[path.suffix == ".mtx":]:
        *at, value = line.split()
        values[tuple(int(c) - 1 for c in at[:len(shape)])] = float(value)
    return values


def run(command, folder, exact, scale):
    """Returns the exit code, what is wrong, and the mean relative error, of which none counts more than 1."""
    got = subprocess.run(command, capture_output=True, text=True)
    if got.returncode in (1, 2):
        return got.returncode, None, 1.0
    if got.returncode:
        return 3, f"exit code {got.returncode}: {' '.join(command)}\n{got.stderr}", 1.0
    report = json.loads((folder / "out/report.json").read_text())
    path = next(p for p in ((folder / "out/X.mtx"), (folder / "out/X.tns")) if p.exists())
    values = result_of(path, exact.shape)
    off, said = float(numpy.abs(values - exact).max()), report["accuracy"]["absolute"]["largest"]
    wrong = abs(said - off) > 1e-9 * scale and f"the error is {off}, and {said} is said: {' '.join(command)}"
    counts = (exact != 0) | (values != 0)
    largest = numpy.where(exact == 0, abs(exact).max(), abs(exact))[counts]
    lost = numpy.minimum(abs(values - exact)[counts] / largest, 1).mean() if counts.any() else 0.0
    return 0, wrong or None, float(lost)


def compare_types(command, folder, exact, scale):
    """Returns whether all types ran, and the defects."""
    found = {dtype: run([*command, "--dtype", dtype], folder, exact, scale) for dtype in ("bf16", "q16", "auto")}
    wrong = [text for _, text, _ in found.values() if text]
    (_, _, bf16), (_, _, q16), (code, _, auto) = found.values()
    if not wrong and auto > 1.5 * min(bf16, q16) + 1e-4:
        wrong = [f"the mean error is {auto:.2g}, of bf16 {bf16:.2g}, of q16 {q16:.2g}: {' '.join(command)}"]
    return code == 0, wrong[0] if wrong else None


def check(folder):
    """Returns whether the case ran, the defects, and the values by NumPy."""
    shapes = r.choice(SHAPES)
    names, every = "BCDE"[:len(shapes)], sorted({v for indices in shapes for v in indices})
    extent = {v: r.choice([1, 2, 3, 5, 9]) for v in every}
    data = [operand(n, s, extent, folder) for n, s in zip(names, shapes)]
    result = "".join(v for v in every if r.random() < 0.5)
    access = [f"{n}({','.join(s)})" for n, s in zip(names, shapes)]
    left = f"X({','.join(result)})" if result else "X"
    command = [ONYX, "run", f"{left} = {' * '.join(access)}", "-o", str(folder / "out"), *[w for n in names for w in ("-i", f"{n}:{folder}/{n}.tns")]]
    exact = numpy.einsum(",".join(shapes) + "->" + result, *data)
    scale = float(numpy.einsum(",".join(shapes) + "->" + result, *map(abs, data)).max())
    if ENGINE == "types":
        return *compare_types([*command, "--engine", "sam"], folder, exact, scale), exact
    more = [] if r.random() < 0.5 else ["-O0"]
    command += ["--dtype", "bf16", "--engine", ENGINE, *schedule(shapes, names, result), *more]
    if ENGINE != "sam":
        command += ["--profile", r.choice(["onyx", "onyx-ext"]), "--effort", "1"]
    code, wrong, _ = run(command, folder, exact, scale)
    return code not in (1, 2), wrong, exact


ran, refused, wrong, shares = 0, 0, [], Quota()
while ran < COUNT:
    with tempfile.TemporaryDirectory() as scratch:
        counts, text, values = check(Path(scratch))
    shares.add(counts, is_trivial([0] * (not values.ndim) + values.ravel().tolist()))
    ran, refused = ran + counts, refused + (not counts)
    wrong += [text] if text else []
    if refused > 2 * COUNT or len(wrong) > 5:
        break
print("\n".join(wrong[:3]))
print(f"{ran} ran, {refused} could not be scheduled so, {len(wrong)} wrong")
sys.exit(bool(wrong) or ran < COUNT or shares.failed())
