#!/usr/bin/env python3
"""Quotients of bf16 whose fills are infinite, with exp and max around, below a mask, point by point in double precision:
quotients.py ONYX FOLDER CASES [ENGINE]."""
import itertools
import math
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from quota import Quota, is_trivial  # noqa: E402

ONYX, FOLDER, CASES, ENGINE = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), (sys.argv[4:] or ["sam"])[0]
FOLDER.mkdir(parents=True, exist_ok=True)
SIZES = {"i": 5, "j": 6}
OPERANDS = {"A": "ij", "B": "ij", "l": "i", "r": "j"}


class Unknown(Exception):
    """0 / 0, or infinity less infinity: what an absent operand makes of it is another question."""


def divide(x, y):
    if y == 0 or math.isinf(x) and math.isinf(y):
        if x == 0 or math.isinf(y):
            raise Unknown
        return math.copysign(math.inf, x)
    return x / y


def add(x, y):
    if math.isinf(x) and math.isinf(y) and x != y:
        raise Unknown
    return x + y


def times(x, y):
    if math.isinf(x) and y == 0 or math.isinf(y) and x == 0:
        raise Unknown
    return x * y


BINARY = {"/": divide, "+": add, "-": lambda x, y: add(x, -y), "*": times, "max": max, "min": min}


def names(e):
    return {e} if isinstance(e, str) else set() if isinstance(e, int) else set().union(*map(names, e[1:]))


def tree(r, depth):
    if depth == 0 or r.random() < 0.2:
        return r.choice(["B", "l", "r"] if r.random() < 0.8 else [1, 2, 7])
    if r.random() < 0.3:
        of = tree(r, depth - 1)
        return ("exp", of if names(of) else "r")
    return (r.choice(["/", "/", "/", "/", "+", "-", "*", "max", "min"]), tree(r, depth - 1), tree(r, depth - 1))


def text(e):
    if isinstance(e, (str, int)):
        return f"{e}({','.join(OPERANDS[e])})" if e in OPERANDS else str(e)
    if e[0] in ("exp", "max", "min"):
        return f"{e[0]}({', '.join(map(text, e[1:]))})"
    return f"({text(e[1])} {e[0]} {text(e[2])})"


def value(e, at, data):
    if isinstance(e, int):
        return float(e)
    if isinstance(e, str):
        return data[e].get(tuple(at[v] for v in OPERANDS[e]), 0.0)
    parts = [value(a, at, data) for a in e[1:]]
    if e[0] == "exp":
        return math.exp(parts[0]) if parts[0] < 80 else math.inf
    return BINARY[e[0]](*parts)


def near(a, b):
    """A quotient of what is absent may be NaN (docs/index_notation.md, Values)."""
    return a == b or math.isnan(a) or (abs(b) > 1e30 and abs(a) > 1e30) or abs(a - b) <= 0.06 * max(abs(a), abs(b), 0.5)


quota = Quota()
bad = compared = infinite = refused = 0
for case in range(CASES):
    r = random.Random(case)
    e = tree(r, r.choice([2, 2, 3]))
    if isinstance(e, (str, int)) or not names(e):
        continue
    data, options = {}, []
    for name in ["A"] + sorted(names(e) - {"A"}):
        places = list(itertools.product(*(range(SIZES[v]) for v in OPERANDS[name])))
        data[name] = {p: r.choice([-2.0, -1.0, 0.5, 1.0, 3.0]) for p in places if r.random() < 0.5} or {places[0]: 1.0}
        (FOLDER / f"{name}.tns").write_text("".join(" ".join(str(c + 1) for c in p) + f" {v}\n" for p, v in data[name].items()))
        options += ["-i", f"{name}:{FOLDER / name}.tns", "-d", f"{name}:" + ",".join(str(SIZES[v]) for v in OPERANDS[name])]
    expression = f"X(i,j) = mask(A(i,j), {text(e)})"
    done = subprocess.run([ONYX, "run", expression, *options, "--dtype", "bf16", "--engine", ENGINE, "--effort", "1", "-o", f"X:{FOLDER}/X.tns",
                           "-o", FOLDER / "out"], capture_output=True, text=True)
    if done.returncode:
        refused += done.returncode == 2
        bad += done.returncode != 2
        print(case, expression, done.returncode, done.stderr.splitlines()[-1:])
        continue
    rows = [line.split() for line in (FOLDER / "X.tns").read_text().splitlines() if not line.startswith("#")]
    got = {tuple(int(c) - 1 for c in row[:-1]): float(row[-1]) for row in rows if row}
    quota.add(trivial=is_trivial(got.values()))
    for at in itertools.product(range(SIZES["i"]), range(SIZES["j"])):
        try:
            want = value(e, dict(zip("ij", at)), data) if at in data["A"] else 0.0
        except Unknown:
            continue
        compared += 1
        infinite += math.isinf(want)
        if not near(got.get(at, 0.0), want):
            bad += 1
            print(case, expression, at, "is", got.get(at, 0.0), "and should be", want)
            break
print(f"{CASES} expressions, {compared} values compared, {infinite} of them infinite; {refused} refused, {bad} wrong")
sys.exit(bad > 0 or quota.failed() or compared < 10 * CASES)
