#!/usr/bin/env python3
"""What the compiler and its own check share, against evaluators of these tests: the precedence of operators, the arithmetic of both data types,
and the readers of files. shared.py ONYX FOLDER COUNT SEED: COUNT flat expressions without parentheses of int16 and as many of bf16, engine sam;
then each symmetry and field of MatrixMarket in both types. Exit code 1 if a value is another."""
import itertools
import pathlib
import random
import re
import subprocess
import sys

import bf16
from evaluate import BINARY, wrap

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

LEVELS = [["||"], ["&&"], ["==", "!=", "<", "<=", ">", ">="], ["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]
COMPARISONS, POINTS = LEVELS[2], 24
FLOATS = {"+": bf16.add, "-": bf16.sub, "*": bf16.mul, "/": bf16.div,
          "==": lambda a, b: float(a == b), "!=": lambda a, b: float(a != b), "<": lambda a, b: float(a < b), "<=": lambda a, b: float(a <= b),
          ">": lambda a, b: float(a > b), ">=": lambda a, b: float(a >= b)}


def remainder(a, b):
    return a if b == 0 else wrap(abs(a) % abs(b) * (1 if a >= 0 else -1))


INTEGERS = {**BINARY, "%": remainder}


def combine(values, signs, apply):
    """The value of v0 s0 v1 s1 v2 ...: the strongest level first, each from the left."""
    values, signs = list(values), list(signs)
    for level in reversed(LEVELS):
        at = 0
        while at < len(signs):
            if signs[at] in level:
                values[at:at + 2] = [apply[signs[at]](values[at], values[at + 1])]
                del signs[at]
            else:
                at += 1
    return values[0]


def write(path, values, field):
    lines = [f"{i} {v}" for i, v in enumerate(values, 1)]
    path.write_text(f"%%MatrixMarket matrix coordinate {field} general\n{len(values)} 1 {len(lines)}\n" +
                    "".join(f"{line.split()[0]} 1 {line.split()[1]}\n" for line in lines))


def run(onyx, folder, expression, options):
    done = subprocess.run([onyx, "run", expression, *options, "--engine", "sam", "--quiet", "--no-check", "-o", str(folder / "out")],
                          capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    result = expression.split("(")[0]
    rows = [line.split() for line in (folder / "out" / f"{result}.mtx").read_text().splitlines() if line[0] != "%"][1:]
    exact = bf16.word if "bf16" in options else float  # files have nine digits
    return {tuple(int(c) - 1 for c in row[:-1]): exact(float(row[-1])) for row in rows}, done.stderr


def flat(onyx, folder, r, kind):
    """Returns (right, wrong, values that differ from each other) of one random flat expression."""
    signs = [r.choice(r.choice(LEVELS[2:] * 4 + LEVELS[:2])) for _ in range(r.choice([2, 3, 3, 4]))]
    if kind == "bf16":
        signs = [s if s in FLOATS else r.choice("+-*/") for s in signs]
    first = next((at for at, s in enumerate(signs) if s in COMPARISONS), None)
    signs = [s if s not in COMPARISONS or at == first else r.choice("+-*") for at, s in enumerate(signs)]  # a chain needs parentheses
    names, data = "bcdef"[:len(signs) + 1], []
    for name in names:
        if kind == "bf16":
            data.append([bf16.word(r.choice([1, -1]) * r.uniform(0.1, 90)) for _ in range(POINTS)])
        else:
            data.append([r.choice([0, 1, 2, 3, 5, 7, 9, 11, 100, 300, -1, -4, -129]) for _ in range(POINTS)])
        write(folder / f"{name}.mtx", data[-1], "real")
    expression = "x(i) = " + " ".join(f"{name}(i) {sign}" for name, sign in zip(names, signs)) + f" {names[-1]}(i)"
    options = [part for name in names for part in ("-i", f"{name}:{folder / name}.mtx", "-f", f"{name}:d")]
    got, said = run(onyx, folder, expression, options + ["--dtype", kind, "--fill", "x:0"])
    if got is None:
        print(f"{expression}: refused\n{said}")
        return 0, 1, 0
    wrong, values = 0, set()
    for at in range(POINTS):
        try:
            want = combine([d[at] for d in data], signs, FLOATS if kind == "bf16" else INTEGERS)
        except ArithmeticError:
            continue
        values.add(want)
        if got.get((at, 0), 0) != want:
            wrong += 1
            print(f"--dtype {kind} {expression} of {[d[at] for d in data]}: {got.get((at, 0), 0)}, expected {want}")
    return not wrong, bool(wrong), len(values)


def file_cases(onyx, folder):
    """Each symmetry and field of a file with values that neither type holds, and with repeated entries."""
    cases, wrong = 0, 0
    for symmetry, field, kind in itertools.product(["general", "symmetric", "skew-symmetric"], ["real", "integer", "pattern"], ["int16", "bf16"]):
        if (symmetry, field) == ("skew-symmetric", "pattern"):
            continue
        entries = [(2, 1, 1.01), (3, 2, -4.3), (4, 1, 300.7), (4, 3, 2.5), (4, 3, 1.26)]
        if symmetry != "skew-symmetric":
            entries.append((3, 3, 7.9))
        if field == "integer":
            entries = [(i, j, int(v)) for i, j, v in entries]
        lines = [f"{i} {j}" + ("" if field == "pattern" else f" {v}") for i, j, v in entries]
        path = folder / "B.mtx"
        path.write_text(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n4 4 {len(lines)}\n" + "\n".join(lines) + "\n")
        exact = {}
        for i, j, v in entries:
            v = bf16.Fraction(1 if field == "pattern" else str(v))
            exact[i - 1, j - 1] = exact.get((i - 1, j - 1), 0) + v
            if symmetry != "general" and i != j:
                exact[j - 1, i - 1] = exact.get((j - 1, i - 1), 0) + (-v if symmetry == "skew-symmetric" else v)
        want = {at: bf16.nearest(v) if kind == "bf16" else float(round(v)) for at, v in exact.items()}
        got, said = run(onyx, folder, "X(i,j) = B(i,j)", ["-i", f"B:{path}", "--dtype", kind])
        cases += 1
        if got != {at: v for at, v in want.items() if v}:
            wrong += 1
            print(f"{symmetry} {field} as {kind}: {got}, expected {want}\n{said}")
    return cases, wrong


def main():
    onyx, folder, count, seed = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    right = wrong = 0
    shares = quota.Quota()
    for kind, n in itertools.product(["int16", "bf16"], range(count)):
        good, bad, values = flat(onyx, folder, random.Random(f"{seed} {kind} {n}"), kind)
        right, wrong = right + good, wrong + bad
        shares.add(good or bad, values < 2)
    cases, misread = file_cases(onyx, folder)
    print(f"{right} flat expressions right, {wrong} wrong; {cases} files, {misread} wrong")
    return wrong > 0 or misread > 0 or shares.failed()


if __name__ == "__main__":
    sys.exit(main())
