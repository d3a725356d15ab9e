#!/usr/bin/env python3
"""The formulas of a paper on functions, fills, slices and reductions, in the notation of expressions: each becomes a graph with the
operations that it needs, or where what the host stores for it is needed, too, runs as the reference says: formulas.py ONYX."""
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

MASKED = ["y(i) = mask(not struct(m(i)), A(i,j) * x(j))", "-d", "i:20", "-d", "j:20", "-g", "m:20:0.3", "-g", "A:20x20:0.2", "-g", "x:20:0.5"]
PRODUCT = ["A(i,j) = B(i,k) * C(k,j)"]
EDGES = ["-d", "i:8", "-d", "j:8"]
RUNS = "check: pass"
FORMULAS = [  # arguments, the operations of its graph, or that it runs
    (["A(i,j,k) = xor(B(i,j,k), C(i,j,k), D(i,j,k))"], ("union", "xor")),
    (["y(i) = min(j, A(i,j))"], ("min",)),
    (["A(i,j) = B(i(0:2),j(0:2)) + C(i(1:3),j(2:4))", "-g", "B:8x8:0.3", "-g", "C:8x8:0.3"], RUNS),
    (["a(i) = b(i(0:8:2)) + c(i(0:8:2))", "-g", "b:8:0.5", "-g", "c:8:0.5"], RUNS),
    (MASKED, RUNS),
    ([*MASKED, "--semiring", "lor_land"], RUNS),
    ([*MASKED, "--semiring", "min_plus"], RUNS),
    ([*PRODUCT, "--semiring", "lor_land"], ("land", "lor")),
    ([*PRODUCT, "--semiring", "min_plus"], ("addhigh", "min")),
    (["X(i,k) = sum(j, B(i,j,k))", "--fill", "X:inf", "-s", "reorder(i,j,k)", "-f", "B:ssd", "-g", "B:9x5x4:0.05"], RUNS),
    (["X = a + mask(min(b, c), d)", "--fill", "X:inf", "--fill", "c:-1"], ("addhigh",)),
    (["E(i,j) = (S(i,j) && R(i,j)) ^ (T(i,j) && R(i,j))"], ("union", "intersect", "xor", "land")),
    (["E(i,j) = xor(Img(i,j) > 80 && R(i,j), Img(i,j) > 75 && R(i,j))"], ("xor", "land", "gt")),
    (["o = max(i, min(j, max(k, A(i,j,k))))", *EDGES, "-d", "k:8"], ("max", "min")),
    (["o = max(i, min(j, max(k, min(l, max(m, A(i,j,k,l,m))))))", *EDGES, "-d", "k:8", "-d", "l:8", "-d", "m:8"], ("max", "min")),
]
kept = behaviour.watch(__file__, sys.argv[1])
bad = 0
for arguments, nodes in FORMULAS:
    done = subprocess.run([sys.argv[1], "sam", *arguments], capture_output=True, text=True)
    if nodes == RUNS:
        missing = [] if RUNS in done.stdout else [RUNS]
    else:
        missing = [node for node in nodes if f'type="{node}"' not in done.stdout and f'op="{node}"' not in done.stdout]
    if done.returncode or missing:
        bad += 1
        print(arguments, done.returncode, missing, done.stderr)
print(f"{len(FORMULAS)} formulas, {bad} wrong")
sys.exit(bad + kept.count_wrong() != 0)
