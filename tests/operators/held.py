#!/usr/bin/env python3
"""Functions along an index over random expressions of operands in random formats: what dense levels hold takes part, of compressed ones what
is stored, by a second definition: held.py ONYX FOLDER CASES [SEED]."""
import itertools
import json
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from quota import Quota, is_trivial  # noqa: E402

ONYX, FOLDER, CASES = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 52
FOLDER.mkdir(parents=True, exist_ok=True)
ROWS, COLUMNS = 4, 5
PLACES = list(itertools.product(range(ROWS), range(COLUMNS)))
ALL = {"i", "j"}


def first_of(best):
    return lambda x, at: [c if n == x.index(best(x)) else 0 for n, c in enumerate(at)]


FUNCTIONS = {
    "sort": lambda x, at: sorted(x), "reverse": lambda x, at: x[::-1], "prefix_sum": lambda x, at: list(itertools.accumulate(x)),
    "prefix_max": lambda x, at: list(itertools.accumulate(x, max)), "argmax": first_of(max), "argmin": first_of(min),
    "argmax1": lambda x, at: first_of(max)(x, [c + 1 for c in at]), "m3_sort": lambda x, at: sorted(x),
    "m3_prefix_sum": lambda x, at: list(itertools.accumulate(x)), "m3_argmin": first_of(min),
}


class Value:
    """Values at all places, and the indices along which wherever there is a value there is one at every coordinate."""

    def __init__(self, text, at, held):
        self.text, self.at, self.held = text, at, held


def operand(r, name):
    levels = "".join(r.choice("sd") for _ in range(2))
    at = {p: r.choice([-7, -2, 1, 3, 5]) if r.random() < 0.4 else 0 for p in PLACES}
    held = ALL if levels == "dd" else {"j"} if levels[1] == "d" else set()
    options = ["-i", f"{name}:{FOLDER / name}.tns", "-d", f"{name}:{ROWS},{COLUMNS}", "-f", f"{name}:{levels}"]
    (FOLDER / f"{name}.tns").write_text("".join(f"{i + 1} {j + 1} {v}\n" for (i, j), v in at.items() if v))
    return Value(f"{name}(i,j)", at, held), options


def vector(r, name):
    level = r.choice("sd")
    x = [r.choice([-3, 0, 2]) for _ in range(COLUMNS)]
    (FOLDER / f"{name}.tns").write_text("".join(f"{j + 1} {v}\n" for j, v in enumerate(x) if v))
    options = ["-i", f"{name}:{FOLDER / name}.tns", "-d", f"{name}:{COLUMNS}", "-f", f"{name}:{level}"]
    return Value(f"{name}(j)", {p: x[p[1]] for p in PLACES}, ALL if level == "d" else {"i"}), options


def join(sign, x, y):
    make = {"*": lambda a, b: a * b, "+": lambda a, b: a + b, "-": lambda a, b: a - b}[sign]
    held = x.held & y.held
    if sign != "*" and ALL in (x.held, y.held):
        held = ALL
    return Value(f"({x.text} {sign} {y.text})", {p: make(x.at[p], y.at[p]) for p in PLACES}, held)


def expression(r):
    """Returns a value and the options of its operands."""
    x, options = operand(r, "B")
    form = r.randrange(6)
    if form in (1, 2):
        y, more = operand(r, "C") if form == 1 else vector(r, "c")
        x, options = join(r.choice("*+-"), x, y), options + more
    elif form == 3:
        x = Value(f"({x.text} - 4)", {p: v - 4 for p, v in x.at.items()}, ALL)
    elif form == 4:
        x = Value(f"relu({x.text})", {p: max(v, 0) for p, v in x.at.items()}, x.held)
    elif form == 5:
        x = Value(f"abs({x.text} * 2)", {p: abs(v * 2) for p, v in x.at.items()}, x.held)
    return x, options


def along(name, x, index):
    made = {}
    for outer in range(COLUMNS if index == "i" else ROWS):
        fiber = [p for p in PLACES if p[1 if index == "i" else 0] == outer]
        stored = [p for p in fiber if x.at[p]]
        takes = fiber if x.held == ALL or (index in x.held and stored) else stored
        if takes:
            made.update(zip(takes, FUNCTIONS[name]([x.at[p] for p in takes], [p[0 if index == "i" else 1] for p in takes])))
    return {p: v for p, v in made.items() if v}


def read(path):
    rows = [line.split() for line in path.read_text().splitlines() if not line.startswith(("#", "%"))]
    return {tuple(int(c) - 1 for c in row[:-1]): int(row[-1]) for row in rows if row and row[-1] != "0"}


bad, quota = 0, Quota()
seen = set()
for case in range(CASES):
    r = random.Random(SEED * 100003 + case)
    (x, options), name, index = expression(r), r.choice(sorted(FUNCTIONS)), r.choice("ij")
    text = f"X(i,j) = {name}({index}, {x.text})"
    done = subprocess.run([ONYX, "run", text, *options, "--engine", r.choice(["sam", "cycle"]), "-o", f"X:{FOLDER / 'X.tns'}", "-o", FOLDER / "out",
                           "--effort", "1"], capture_output=True, text=True)
    took = "all" if x.held == ALL else "fibers" if index in x.held else "stored"
    seen.add(took)
    want = along(name, x, index)
    if done.returncode or read(FOLDER / "X.tns") != want:
        bad += 1
        print(case, text, [o for o in options if ":" in o and not o.endswith(".tns")], done.stderr, "wanted", want, "got",
              read(FOLDER / "X.tns") if not done.returncode else done.returncode)
        continue
    quota.add(trivial=is_trivial(want.get(p, 0) for p in PLACES))
    said = f"{name}: only" in done.stdout
    report = json.loads((FOLDER / "out" / "report.json").read_text())
    sections = [k["along"]["takes"] for k in report.get("kernels", [report]) if "along" in k]
    if said == (took == "all") or sections != [took]:
        bad += 1
        print(case, text, "took", took, "but the summary and the report say", said, sections)
print(f"{CASES} cases, {bad} wrong; took {', '.join(sorted(seen))}")
sys.exit(bad > 0 or quota.failed() or (CASES > 40 and len(seen) < 3))
