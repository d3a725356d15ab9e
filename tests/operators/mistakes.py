#!/usr/bin/env python3
"""Mistakes in expressions of functions, each refused with its code at its place: mistakes.py ONYX FOLDER."""
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

EXPRESSIONS = [  # expression, code, column
    ("x(i) = max(b(i))", "E0152-function", 8), ("x(i) = abs(b(i), c(i))", "E0152-function", 8), ("x(i) = clamp(b(i), 1)", "E0152-function", 8),
    ("x(i) = ifelse(b(i), c(i))", "E0152-function", 8), ("x(i) = mask(b(i))", "E0152-function", 8), ("x(i) = struct(b(i) + c(i))", "E0152-function", 15),
    ("x(i) = relu()", "E0102", 13), ("x(i) = min(b(i),)", "E0102", 17), ("x(i) = min(b(i)", "E0102", 16), ("x(i) = b(i) &", "E0102", 14),
    ("x(i) = b(i) <", "E0102", 14), ("x(i) = b(i) < c(i) < d(i)", "E0102", 20), ("x(i) = b(i) == c(i) != d(i)", "E0102", 21),
    ("x(i) = && b(i)", "E0102", 8), ("x(i) = b(i) | | c(i)", "E0102", 15), ("x(i) = b(i) ! c(i)", "E0101", 13), ("x(i) = not", "E0105", 3),
    ("x(i) = not ()", "E0102", 13), ("x(i) = ~", "E0102", 9), ("x(i) = max(B(i,j), c(j))", "E0109", 8), ("x(i) = B(i,j) > c(j)", "E0109", 8),
    ("x(i) = B(i,j) && c(j)", "E0109", 8), ("x(i) = min(i, b(i))", "E0108", 0), ("x(i) = sum(b(i))", "E0102", 12), ("x(i) = prod(b(i))", "E0102", 13),
    ("x(i) = min(j, B(i,j), C(i,j))", "E0152-function", 8), ("max(i) = b(i)", "E0117", 1), ("x(i) = b(i) << ", "E0102", 16), ("x(i) = b(i) >> >> 1", "E0102", 16),
    ("x(i) = b(i) * i", "E0117", 15), ("x(i) = min(j, B(i,j) + j)", "E0117", 24), ("x(i) = B(i,j) * j", "E0117", 17), ("i = b(i)", "E0117", 1),
    ("x(i) = min(j k, B(i,j))", "E0102", 14), ("x(i) = b(i) = c(i)", "E0102", 13), ("x(i) = b(i(0:2)", "E0102", 16), ("x(i) = and(b(i))", "E0152-function", 8),
]
EXPRESSIONS += [(f"x(i) = {text}", "E0152-function", 8) for text in ("exp(b(i))", "foo(2, b(i))", "my_own(B(i,j), c(j))", "foo (j, B(i,j))")]
EXPRESSIONS += [("x(i) = b(3)", "E0105", 3), ("x(i) = b(i) + gcd( b(i), c(i))", "E0152-function", 15), ("x(i) = v(i(:4)) * foo(j, relu(B(i,j)))", "E0152-function", 19)]
EXPRESSIONS += [("y_i = min_k A_{ij}", "E0108-sum", 7), ("y_i = min_i A_{ij}", "E0108-sum", 11),
                ("y(i) = x(9-i(0:3))", "E0156-modifier", 10), ("y(i) = x(9-i+2147483647)", "E0156-modifier", 10)]
SYNTAX = [
    ("x(i) = v(i(::-))", 15), ("y_i = min_3 A_i", 11), ("y_i = min_{j A_i", 15),
    ("x(i) = b(-3)", 10), ("x(i) = b(i c(i)", 12), ("x(i) = v(i(3:4,5))", 15), ("x(i) = v(i::leap)", 13), ("x(i) = coalesce(x(permit(i)))", 29),
    ("x(i) = (b(i) + c(i)", 20), ("x(i) b(i)", 6), ("x(i) = b(i) c(i)", 13), ("x(i) = b(i)))", 12), ("x(i) = clamp(b(i), 1 2, 3)", 22), ("x(i) = max(, b(i))", 12),
    ("x(i) = b(i) || && c(i)", 16), ("x(i) = ifelse b(i), c(i), d(i)", 15), ("= b(i)", 1), ("x(i) = struct()", 15), ("x(i) = b(i) + -", 16),
]
OPTIONS = [
    (["x(i) = b(i) & c(i)", "--dtype", "bf16"], "E0152-function"), (["x(i) = or(j, B(i,j))", "--dtype", "bf16"], "E0152-function"), (["x(i) = ~b(i)", "--dtype", "bf16"], "E0152-function"),
    (["x(i) = b(i)", "--fill", "c:1"], "E0153-fill"), (["x(i) = b(i)", "--fill", "b"], "E0153-fill"), (["x(i) = b(i)", "--fill", "b:70000"], "E0153-fill"),
    (["x(i) = b(i)", "--fill", "b:0.5"], "E0153-fill"), (["x(i) = b(i)", "--fill", "b:nan"], "E0153-fill"), (["x(i) = b(i) - c(i)", "--semiring", "min_plus"], "E0154-semiring"),
    (["x(i) = b(i) / c(i)", "--semiring", "max_min"], "E0154-semiring"), (["x(i) = -b(i)", "--semiring", "lor_land"], "E0154-semiring"),
    (["x(i) = b(i) * (c(i) + d(i))", "--semiring", "plus_pair"], "E0152-function"),
    (["x(i) = b(i) * c(i)", "--semiring", "min_bor", "--dtype", "bf16"], "E0154-semiring"),
    (["x(i) = mask(not struct(m(i)), b(i))", "-d", "i:100000000", "-g", "m:100000000:0.00000001", "-g", "b:100000000:0.00000001"], "E0155-complement"),
]
bad = 0
kept = behaviour.Seen("mistakes")
masks = behaviour.masks_of(sys.argv[1], sys.argv[2])


def check(arguments, code, column):
    global bad
    done = subprocess.run([sys.argv[1], "sam", *arguments], capture_output=True, text=True)
    kept.printed(" ".join(arguments), done, masks)
    place = f"<expression>:1:{column}:" if column else ""
    if done.returncode not in (1, 2) or f"[{code}" not in done.stderr or place not in done.stderr:
        bad += 1
        print(f"{arguments}: expected {code} {place}, exit code {done.returncode}: {done.stderr}")


for expression, code, column in EXPRESSIONS:
    check([expression], code, column)
for expression, column in SYNTAX:
    check([expression], "E0102", column)
for arguments, code in OPTIONS:
    check(arguments, code, 0)
print(f"{len(EXPRESSIONS) + len(SYNTAX) + len(OPTIONS)} mistakes, {bad} not refused as they should be")
bad += kept.count_wrong()
sys.exit(bad != 0)
