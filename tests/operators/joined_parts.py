#!/usr/bin/env python3
"""A reduction joined with operands and a comparison whose zeros count, which no single graph of the chip makes: all of them run, in several
kernels, and agree with the reference: joined_parts.py ONYX FOLDER CASES [SEED]."""
import collections
import pathlib
import random
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from quota import Quota, is_trivial  # noqa: E402

ONYX, FOLDER, CASES, SEED = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int((sys.argv[4:] or ["11"])[0])
FOLDER.mkdir(parents=True, exist_ok=True)
SIZES = {"B": "6x5:0.4:1", "C": "4x6:0.4:2", "D": "5x6:0.4:3", "G": "5x6:0.4:5", "g": "5:0.5:6"}
REDUCED = ["sum(p, C(p,j) * B(j,i))", "sum(p, C(p,j) + B(j,i))", "max(p, C(p,j) * B(j,i))", "min(p, C(p,j) * B(j,i))", "sum(p, C(p,j))",
           "relu(sum(p, C(p,j) * B(j,i)) - 2)"]
OTHERS = ["G(i,j)", "g(i)", "abs(G(i,j) - 1)"]
TESTS = ["(D(i,j) < 7)", "(D(i,j) >= 2)", "(not D(i,j))", "(g(i) == 0)", "(D(i,j) - 3)"]

quota = Quota()
r, ends = random.Random(SEED), collections.Counter()
for _ in range(CASES):
    by, reduced, other = r.choice(["max", "min", "absdiff", "+", "-"]), r.choice(REDUCED), r.choice(OTHERS)
    joined = f"{by}({reduced}, {other})" if by.isalpha() else f"({reduced} {by} {other})"
    expression = f"X(i,j) = {joined} {r.choice('+-*')} {r.choice(TESTS)}"
    operands = [word for name, size in SIZES.items() if f"{name}(" in expression for word in ("-g", f"{name}:{size}")]
    done = subprocess.run([ONYX, "run", expression, *operands, "--engine", "cycle", "--effort", "1", "-o", FOLDER / "out"], capture_output=True,
                          text=True)
    right = done.returncode == 0 and "check: pass" in done.stdout
    ends["right" if right else " ".join(re.findall(r"\[(E\d+)", done.stderr)) or str(done.returncode)] += 1
    written = FOLDER / "out" / "X.mtx"
    quota.add(right, right and is_trivial(re.findall(r"\S+$", written.read_text(), re.MULTILINE)))
    if not right:
        print(expression, done.stderr.splitlines()[:1])
print(f"{CASES} expressions: {dict(ends)}")
sys.exit(ends["right"] != CASES or quota.failed())
