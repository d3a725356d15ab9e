"""Random programs of scaled integers: scaled.py ONYX FOLDER CASES [SEED [ENGINE]]

Statements of products, sums, differences, maxima, masks and literals with fractions, a loop that swaps two vectors, in random order. A
program runs, or is refused because 16 bits or equal scales are not to be had; where it runs no word wraps, every result file has
multiples of its scale, and the error in report.json is that against NumPy. One program in eight runs without a type, too: the data choose
the type, stated as bf16 or q16, whose worst result has the smaller mean error, where int16 does not hold the values.
"""
import json
import pathlib
import random
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from quota import Quota, is_trivial, is_beyond  # noqa: E402

try:
    import numpy
except ImportError:
    sys.exit(77)

ONYX, FOLDER, CASES = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
SEED, ENGINE = int(sys.argv[4]) if len(sys.argv) > 4 else 52, (sys.argv[5:] or ["sam"])[0]
FOLDER.mkdir(parents=True, exist_ok=True)
N = 5


def number(r):
    """Few digits behind the point, many, or none."""
    return r.choice([r.randint(-9, 9), r.randint(-40, 40) / 8, round(r.gauss(0, 3), 3)])


def term(r, vectors, scalars):
    """The text of a term, and its value."""
    name = r.choice(sorted(vectors))
    text, value = f"{name}(i)", vectors[name]
    form = r.randrange(6)
    if form == 0:
        other = r.choice(sorted(vectors))
        return f"{text} * {other}(i)", value * vectors[other]
    if form == 1:
        factor = r.choice([2, 0.5, -1.25, 3])
        return f"{factor} * {text}", factor * value
    if form == 2:
        return f"abs({text})", abs(value)
    if form == 3 and scalars:
        scalar = r.choice(sorted(scalars))
        return f"{scalar} * {text}", scalars[scalar] * value
    return text, value


def program(r):
    """The text, and the values of its results."""
    matrix = numpy.array([[number(r) if r.random() < 0.5 else 0 for _ in range(N)] for _ in range(N)], float)
    matrix[N - 1, N - 1] = 1
    vectors = {v: numpy.array([number(r) for _ in range(N)], float) for v in "ab"}
    scalars, lines = {}, []
    (FOLDER / "A.tns").write_text("".join(f"{i + 1} {j + 1} {float(v)!r}\n" for (i, j), v in numpy.ndenumerate(matrix) if v))
    for name, v in vectors.items():
        lines.append(f"tensor {name}({N}): d = [{', '.join(repr(float(x)) for x in v)}]")
    lines = ["dtype q16", 'tensor A: ss = "A.tns"', *lines, *(f"tensor {v}({N}): d" for v in "uvw"), "scalar s"]
    for name in "uvw":
        if r.random() < 0.3:
            of = r.choice(sorted(vectors))
            lines.append(f"{name}(i) = A(i,j) * {of}(j)")
            vectors[name] = matrix @ vectors[of]
        else:
            (one, x), (other, y) = term(r, vectors, scalars), term(r, vectors, scalars)
            sign = r.choice(["+", "-", "max"])
            lines.append(f"{name}(i) = max({one}, {other})" if sign == "max" else f"{name}(i) = {one} {sign} {other}")
            vectors[name] = {"+": x + y, "-": x - y, "max": numpy.maximum(x, y)}[sign]
        if r.random() < 0.3:
            lines.append(f"s = sum(i, {name}(i))")
            scalars["s"] = vectors[name].sum()
    if r.random() < 0.3:
        lines.append("repeat 2 { u(i) = v(i) + w(i); swap u, w }")
        for _ in range(2):
            vectors["u"], vectors["w"] = vectors["w"], vectors["v"] + vectors["w"]
    lines.append("result u, v, w")
    return "\n".join(lines) + "\n", {name: vectors[name] for name in "uvw"}


def read(path):
    """The scale of a result, and its values."""
    text = path.read_text()
    scale = re.search(r"^% scale (-?\d+)", text, re.M)
    lines = [line.split() for line in text.splitlines() if not line.startswith("%")][1:]
    values = numpy.zeros(N)
    for i, _, value in lines:
        values[int(i) - 1] = float(value)
    return int(scale[1]) if scale else 0, values


def worst(options):
    """The type of the program run with these options, the mean error of its worst result, and whether a value is off by more than itself,
    whose share the choice bounds; none where the program is refused."""
    done = subprocess.run([ONYX, "run", FOLDER / "p.onx", "--engine", "sam", "-o", FOLDER / "typed", *options], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(done.stderr)
    if done.returncode:
        return None, 9.0, False
    report = json.loads((FOLDER / "typed/report.json").read_text())
    errors = [one["accuracy"]["relative"] for one in report["results"]]
    return report["type"]["of"], max(float(e["mean"]) for e in errors), any(float(e["largest"]) > 1 for e in errors)


def check_choice(text):
    """What is wrong with the type that the data choose."""
    (FOLDER / "p.onx").write_text(text.replace("dtype q16\n", ""))
    chosen, error, bounded = worst([])
    of = {word: worst(["--dtype", word]) for word in ("bf16", "q16")}
    bounded = bounded or any(one[2] for one in of.values())
    good = chosen == "int16" or (chosen in of and (bounded or error <= min(one[1] for one in of.values()) + 1e-9))
    return None if good else f"{chosen} with an error of {error} is chosen from {of}\n{text}"


def check(r, quota):
    """Returns whether the program ran, and what is wrong."""
    text, want = program(r)
    if r.random() < 1 / 8:
        wrong = check_choice(text)
        if wrong:
            return False, wrong
    (FOLDER / "p.onx").write_text(text)
    done = subprocess.run([ONYX, "run", FOLDER / "p.onx", "--engine", ENGINE, "--effort", "1", "-o", FOLDER / "out"], capture_output=True, text=True)
    if done.returncode:
        codes = set(re.findall(r"error: .*\[(E\d+)", done.stderr))
        return False, None if done.returncode == 1 and codes and codes <= {"E0183", "E0184"} else done.stderr + text
    if "E0351" in done.stderr:
        return True, done.stderr + text
    report = json.loads((FOLDER / "out/report.json").read_text())
    for result in report["results"]:
        scale, got = read(FOLDER / f"out/{result['tensor']}.mtx")
        words = got * 2.0 ** scale
        off = abs(got - want[result["tensor"]]).max()
        if (words != numpy.rint(words)).any() or abs(words).max() > 32768:
            return True, f"{result['tensor']} is {got}, no words of scale {scale}\n{text}"
        if abs(off - result["accuracy"]["absolute"]["largest"]) > 1e-9 * max(1, abs(want[result["tensor"]]).max()):
            return True, f"{result['tensor']} is off by {off}, and the report says {result['accuracy']['absolute']['largest']}\n{text}"
        quota.add(trivial=is_trivial(got))
    return True, None


quota, ran, wrong = Quota(), 0, []
for case in range(CASES):
    counts, text = check(random.Random(SEED * 100003 + case), quota)
    ran += counts
    wrong += [f"case {case}: {text}"] if text else []
print("\n".join(wrong[:3]))
print(f"{ran} of {CASES} programs ran, {len(wrong)} wrong")
sys.exit(bool(wrong) or quota.failed() or is_beyond(CASES, CASES - ran, 4 / 5))
