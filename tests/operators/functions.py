#!/usr/bin/env python3
"""Functions of files: their values on three engines against what Python computes, and mistakes in files: functions.py ONYX FUNCTIONS FOLDER."""
import json
import math
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

ONYX, FUNCTIONS, FOLDER = sys.argv[1:4]
kept = behaviour.watch(__file__, ONYX, FOLDER)
MINUS = -0x8000


def word(value):
    return (int(value) + 0x8000) % 0x10000 - 0x8000


def magnitude(x):
    return word(abs(x))


VALUES = {  # function: expression, what it is of b and c
    "bitwise_and": ("x(i) = bitwise_and(b(i), c(i))", lambda b, c: b & c),
    "apart": ("x(i) = apart(b(i), c(i))", lambda b, c: magnitude(word(b - c)) if b and c else 0),
    "left": ("x(i) = left(b(i), c(i))", lambda b, c: 0 if c else b),
    "quadratic": ("x(i) = quadratic(b(i) + c(i))", lambda b, c: word(word(b + c) ** 2 + 2 * word(b + c))),
    "leaky": ("x(i) = leaky(b(i) - c(i))", lambda b, c: word(b - c) >> 2 if word(b - c) < 0 else word(b - c)),
    "larger_magnitude": ("x(i) = larger_magnitude(b(i), c(i))", lambda b, c: max(magnitude(b), magnitude(c))),
}


def quotient(a, b):
    return 0 if b == 0 else word(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def remainder(a, b):
    return word(a - quotient(a, b) * b)


def euclid(a, b):
    return word(math.gcd(a, b))


def root(x):
    return math.isqrt(x) if x > 0 else 0


VALUES |= {  # functions with loops, and the remainder, which the host computes
    "gcd": ("x(i) = gcd(b(i), c(i))", euclid),
    "power": ("x(i) = power(b(i), c(i) & 15)", lambda b, c: word(pow(b, c & 15))),
    "root": ("x(i) = root(b(i) | c(i))", lambda b, c: root(b | c)),
    "digits": ("x(i) = digits(b(i)) - digits(c(i))", lambda b, c: sum(map(int, str(abs(b)))) - sum(map(int, str(abs(c))))),
    "nested": ("x(i) = gcd(gcd(b(i), 12), digits(c(i)) * 3)", lambda b, c: euclid(euclid(b, 12), 3 * sum(map(int, str(abs(c)))))),
    "percent": ("x(i) = b(i) % c(i)", remainder),
    "percents": ("x(i) = 2 * b(i) % 7 / 2 % (c(i) + 1)", lambda b, c: remainder(quotient(remainder(word(2 * b), 7), 2), word(c + 1))),
}
B = {0: 5, 1: -7, 3: 300, 4: MINUS, 6: 255, 8: -1, 9: 4}
C = {1: 3, 2: 9, 3: -300, 4: 1, 5: -20000, 6: 15, 9: 4, 10: 32767}
MISTAKES = [  # file, code, line and column
    ("def f(x,y,z): { while (x > 0) { x = x - y; } return x + z; }", "E0160-loop", "1:15"),
    ("def f(x): { for (;;) { } }", "E0158-function-file", "1:11"),
    ("def f(x): { while (x > 0) { return 1; } }", "E0158-function-file", "1:11"),
    ("def f(x): { while (x > 0) { t = 1; x = x - 1; } return t; }", "E0158-function-file", "1:56"),
    ("def f(x): { do { x = x - 1; } return x; }", "E0102-syntax", "1:31"),
    ("def f(x): { while x > 0 { x = 1; } return x; }", "E0102-syntax", "1:19"),
    ("def f(x): { while (x > 0) { break; } return x; }", "E0102-syntax", "1:34"),
    ("def f(x): { while (x != 3) { x = x; } return x; } properties: idempotent", "E0161-endless", "1:5"),
    ("def f(x,y): { while (x > y) { x = y; } return x + y; } properties: commutative", "E0159-property", "1:68"),
    ("def f(x): { return y; }", "E0158-function-file", "1:20"),
    ("def f(x): { return f(x - 1); }", "E0158-function-file", "1:20", "no function 'f' here"),
    ("def f(x): { return sqrt(x); }", "E0158-function-file", "1:20", "no function 'sqrt' here"),
    ("def f(x): { int t = x; }", "E0158-function-file", "1:11"),
    ("def f(x): { return x; x = 1; }", "E0158-function-file", "1:23"),
    ("def f(x): { if (x > 0) { return x; } }", "E0158-function-file", "1:13"),
    ("def f(x): { if (x > 0) { t = 1; } return t; }", "E0158-function-file", "1:42"),
    ("def f(x,x): { return x; }", "E0158-function-file", "1:9"),
    ("def min(x): { return x; }", "E0158-function-file", "1:5"),
    ("def f(x): { return x; }\ndef f(x): { return x; }", "E0158-function-file", "2:5"),
    ("def f(x): 0 => { return 0; }", "E0158-function-file", "1:5"),
    ("def f(x): 0 => { return x + 1; } x => { return x; }", "E0158-function-file", "1:11"),
    ("def f(x,y): y,x => { return x + y; }", "E0158-function-file", "1:13"),
    ("def f(x): { return sum(j, x); }", "E0158-function-file", "1:20"),
    ("def f(x): { return pow(x, 40); }", "E0152-function", "1:27"),
    ("def f(x): { return ldexp(x, 15); }", "E0152-function", "1:29"),
    ("def f(x): { return x % ; }", "E0102-syntax", "1:24"),
    ("def f(x): { return x }", "E0102-syntax", "1:22"),
    ("def f(): { return 1; }", "E0102-syntax", "1:7"),
    ("def f(x) { return x; }", "E0102-syntax", "1:10"),
    ("f(x): { return x; }", "E0102-syntax", "1:1"),
    ("def f(x,y): { return x - y; } properties: commutative", "E0159-property", "1:43"),
    ("def f(x,y): { return x - y; } properties: associative", "E0159-property", "1:43"),
    ("def f(x,y): { if (x == 5 && y == -3) { return 1; } return x + y; } properties: commutative", "E0159-property", "1:80"),
    ("def f(x,y): { if (x == 6 && y == 4) { return 1; } return x | y; } properties: associative", "E0159-property", "1:79"),
    ("def f(x,y): { if (x == 7 && y == 0) { return 1; } return x & y; } iteration_space: {x != 0} & {y != 0}", "E0159-property", "1:67"),
    ("def f(x,y): { return x + y; } properties: idempotent", "E0159-property", "1:43"),
    ("def f(x,y): { return x + y; } properties: annihilator=0", "E0159-property", "1:43"),
    ("def f(x,y): { return x - y; } properties: identity=0", "E0159-property", "1:43"),
    ("def f(x): { return x; } properties: commutative", "E0159-property", "1:37"),
    ("def f(x,y): { return x + y; } iteration_space: {x != 0} & {y != 0}", "E0159-property", "1:31"),
    ("def f(x,y): { return x + y; } iteration_space: {x != 0} | {x != 1}", "E0158-function-file", "1:60"),
    ("def f(x,y): { return x + y; } iteration_space: {z != 0}", "E0158-function-file", "1:49"),
    ("def f(x): { return x; } iteration_space: " + " | ".join(["{x != 0}"] * 200), "E0158-function-file", "1:1461"),
    ("def f(x): { return x; } iteration_space: ~everywhere", "E0159-property", "1:25"),
    ("def f(x,y): { return x + y; } properties: pretty", "E0102-syntax", "1:43"),
    ("def f(x,y): { return x * y; } properties: annihilator=nothing", "E0158-function-file", "1:55"),
]
bad = 0


def run(*arguments):
    return subprocess.run([ONYX, *arguments], capture_output=True, text=True)


def complain(*what):
    global bad
    bad += 1
    print(*what)


def write_vector(name, values):
    with open(name, "w") as out:
        out.write("".join(f"{i + 1} {v}\n" for i, v in values.items()))
    return name


def read_vector(name, number=int):
    with open(name) as lines:
        rows = [line.split() for line in lines if not line.startswith(("#", "%"))]
    return {int(row[0]) - 1: number(row[1]) for row in rows if len(row) == 2}


os.makedirs(FOLDER, exist_ok=True)
operands = {"b": write_vector(f"{FOLDER}/b.tns", B), "c": write_vector(f"{FOLDER}/c.tns", C)}
for engine in ("sam", "cycle", "rtl"):
    for name, (expression, function) in VALUES.items():
        place = f"{FOLDER}/{engine}_{name}"
        done = run("run", "--dtype", "int16", expression, "--functions", FUNCTIONS, "-d", "i:11", "-i", f"b:{operands['b']}", "-i", f"c:{operands['c']}",
                   "--engine", engine, "-o", place, "-o", f"x:{place}.tns")
        if done.returncode:
            complain(name, engine, done.stderr)
            continue
        got = read_vector(f"{place}.tns")
        expected = {i: function(B.get(i, 0), C.get(i, 0)) for i in range(11)}
        fill = function(0, 0)  # which the file leaves out
        if any(got.get(i, fill) != value for i, value in expected.items()):
            complain(name, engine, got, expected)
# Regions of a function with loops are the array's: the host computes where no parameter is 0.
with open(f"{FOLDER}/cycle_gcd/report.json") as report:
    kernels = json.load(report)["kernels"]
where = [(kernel.get("on"), kernel.get("computed")) for kernel in kernels]
if where != [("host", len(B.keys() & C.keys())), (None, None)]:
    complain("regions", kernels)
# No tile of the array runs a loop: without the host the message says what does. A function that comes to no end is an error, too.
for engine, refused in (("cycle", "gcd(b(i), c(i))"), ("rtl", "gcd(b(i), c(i))"), ("soc", "gcd(b(i), c(i))"), ("cycle", "b(i) % c(i)"),
                        ("cycle", "b(i) / c(i)")):
    done = run("run", "--dtype", "int16", f"x(i) = {refused}", "--functions", FUNCTIONS, "--functions", "none", "-d", "i:11", "-i", f"b:{operands['b']}", "-i", f"c:{operands['c']}",
               "--engine", engine, "-o", f"{FOLDER}/refused")
    if done.returncode != 2 or "[E0410-not-on-chip]" not in done.stderr or "--engine sam" not in done.stderr:
        complain(refused, "on", engine, done.returncode, done.stderr)
# A function of bf16 runs on the array, too; halves of small numbers are exact.
with open(f"{FOLDER}/half.fn", "w") as out:
    out.write("def half_of_larger(x,y):\n  { float t = max(x, y); return t * 0.5; }\nproperties: commutative\n")
small = {"b": write_vector(f"{FOLDER}/small_b.tns", {0: 5, 1: -7, 3: 30}), "c": write_vector(f"{FOLDER}/small_c.tns", {1: 3, 2: -9, 3: 31})}
for engine, more in (("sam", []), ("cycle", ["--profile", "onyx-ext"])):
    place = f"{FOLDER}/half_{engine}"
    done = run("run", "x(i) = half_of_larger(b(i), c(i))", "--functions", f"{FOLDER}/half.fn", "--dtype", "bf16", "-d", "i:5", "-i", f"b:{small['b']}",
               "-i", f"c:{small['c']}", "--engine", engine, *more, "-o", place, "-o", f"x:{place}.tns")
    got = read_vector(f"{place}.tns", float) if done.returncode == 0 else {}
    if {i: v for i, v in got.items() if v} != {0: 2.5, 1: 1.5, 3: 15.5}:
        complain("half_of_larger", engine, got, done.stderr)
# An iteration space may have a complement: a value that is stored is another than the tested one.
with open(f"{FOLDER}/left.fn", "w") as out:
    out.write("def only_left(x,y):\n  { r = x; s = y; while (s != 0) { r = 0; s = 0; } return r; }\niteration_space: {x != 0} & ~{y != 0}\n")
done = run("run", "--dtype", "int16", "x(i) = only_left(b(i), c(i))", "--functions", f"{FOLDER}/left.fn", "-d", "i:11", "-i", f"b:{operands['b']}", "-i", f"c:{operands['c']}",
           "--engine", "sam", "-o", f"{FOLDER}/left", "-o", f"x:{FOLDER}/left.tns")
got = read_vector(f"{FOLDER}/left.tns") if done.returncode == 0 else {}
if {i: v for i, v in got.items() if v} != {i: v for i, v in B.items() if v and not C.get(i, 0)}:
    complain("only_left", got, done.stderr)
# A complement in bf16 counts minus zero as the tested value, too.
with open(f"{FOLDER}/left_bf16.fn", "w") as out:
    out.write("def only_left(x,y):\n  { if (y != 0) { return 0; } return x; }\niteration_space: {x != 0} & ~{y != 0}\n")
done = run("run", "x(i) = only_left(b(i), c(i))", "--functions", f"{FOLDER}/left_bf16.fn", "--dtype", "bf16", "-d", "i:5", "-i", f"b:{small['b']}",
           "-i", f"c:{small['c']}", "--engine", "sam", "-o", f"{FOLDER}/left_bf16", "-o", f"x:{FOLDER}/left_bf16.tns")
got = read_vector(f"{FOLDER}/left_bf16.tns", float) if done.returncode == 0 else {}
if {i: v for i, v in got.items() if v} != {0: 5}:
    complain("only_left of bf16", got, done.stderr)
with open(f"{FOLDER}/endless.fn", "w") as out:
    out.write("def reach_three(x):\n  { while (x != 3) { x = x / 2; } return x; }\n")
done = run("run", "--dtype", "int16", "x(i) = reach_three(b(i))", "--functions", f"{FOLDER}/endless.fn", "-i", f"b:{operands['b']}", "-d", "i:11", "--engine", "sam",
           "-o", f"{FOLDER}/endless")
if done.returncode != 1 or "[E0161-endless]" not in done.stderr or "endless.fn:1:5" not in done.stderr:
    complain("endless", done.returncode, done.stderr)
# A program applies them, too, and a function whose author states an annihilator meets.
with open(f"{FOLDER}/program.onx", "w") as out:
    out.write(f'tensor b: s = "{os.path.abspath(operands["b"])}"\ntensor x: s\nx(i) = leaky(b(i))\nresult x\n')
done = run("run", "--dtype", "int16", f"{FOLDER}/program.onx", "--functions", FUNCTIONS, "--engine", "sam", "-o", f"{FOLDER}/program")
if done.returncode:
    complain("program", done.stderr)
graph = run("sam", "x(i) = apart(b(i), c(i)) ", "--functions", FUNCTIONS)
if "intersect" not in graph.stdout:
    complain("apart does not meet:", graph.stdout, graph.stderr)
for text, code, place, *says in MISTAKES:
    with open(f"{FOLDER}/bad.fn", "w") as out:
        out.write(text)
    done = run("sam", "x(i) = b(i)", "--functions", f"{FOLDER}/bad.fn")
    if done.returncode != 1 or f"[{code}]" not in done.stderr or f"bad.fn:{place}:" not in done.stderr or any(what not in done.stderr for what in says):
        complain(text, "expected", code, place, "and not", done.returncode, done.stderr)
done = run("sam", "x(i) = leaky(b(i), b(i))", "--functions", FUNCTIONS)
if "[E0152-function]" not in done.stderr:
    complain("two arguments for one", done.stderr)
print(f"{3 * len(VALUES) + 2} runs and {len(MISTAKES) + 1} mistakes, {bad} wrong")
sys.exit(bad + kept.count_wrong() != 0)
