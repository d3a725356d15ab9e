#!/usr/bin/env python3
"""Functions of the chip's processor (runs: m3 of a description), on ENGINE soc: every one that ships makes there what it makes here, on random
inputs; gcd by regions; those of a user's file, and what is none for the processor: processor.py ONYX FOLDER."""
import json
import math
import pathlib
import random
import subprocess
import sys

sys.path.extend(str(pathlib.Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
import quota  # noqa: E402

onyx, folder = sys.argv[1:]
kept = behaviour.watch(__file__, onyx, folder)
FOLDER = pathlib.Path(folder)
FOLDER.mkdir(parents=True, exist_ok=True)
wrong, shares = [], quota.Quota()  # trivial: a file of one value


def is_trivial(path):
    return quota.is_trivial(line.split()[-1] for line in path.read_text().splitlines() if line[0] not in "%#")


def complain(*what):
    print(*what)
    wrong.append(what[0])


def run(*arguments, status=0):
    done = subprocess.run([onyx, "run", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != status:
        complain(arguments, done.returncode, done.stdout[-500:], done.stderr)
    return done


def program(name, text, *more, engine):
    path, out = FOLDER / f"{name}.onx", FOLDER / f"{name}_{engine}"
    path.write_text(text)
    done = run(path, "--functions", "library", "--engine", engine, "--json", "-o", out, *more)
    report = json.loads(done.stdout) if not done.returncode else {"statements": []}
    if report["statements"] and report["check"] != "pass":
        complain(name, engine, report["check"])
    return out, report


def described(path):
    return dict(line.split(": ", 1) for line in path.read_text().splitlines() if line[0] != "#")


# Every function that is called by its name, in one program of a boot: the run itself holds each call against this machine (E0343), and here
# results are those of engine cycle, which calls the same C natively; descriptions expect cycles of the right size.
ours = {path.stem: f for path in sorted(pathlib.Path("functions").glob("*.xf")) if (f := described(path)).get("runs") == "m3"}
named = {name: f for name, f in ours.items() if "name" not in f}
if len(named) < 20:
    complain("only", len(named), "functions of the processor")
for dtype in ("int16", "bf16"):
    text, uses = "", []
    r = random.Random(dtype)
    words = {"int16": lambda: r.choice([r.randint(-40, 40), r.randint(-32768, 32767), -32768, 32767, -1, 1]),
             "bf16": lambda: r.choice([r.randint(-40, 40) / 8, r.randint(-200, 200), 0.125, 300])}[dtype]
    for name, dims in (("b", (150,)), ("c", (150,)), ("B", (12, 40))):
        cells = [(tuple(r.randrange(n) for n in dims), words()) for _ in range(90 if len(dims) == 1 else 160)]
        cells += [((0,) * len(dims), words()), (tuple(n - 1 for n in dims), words())]
        (FOLDER / f"{name}.tns").write_text("".join(" ".join(str(c + 1) for c in at) + f" {v}\n" for at, v in dict(cells).items()))
        text += f'tensor {name}: {"s" * len(dims)} = "{name}.tns"\n'
    for name, f in named.items():
        if dtype not in f["datatypes"]:
            continue
        result = f"r{len(uses)}"
        along, two = "(i, X(i))" in f["capability"], f["capability"].count("(i)") > 2
        text += f"{result}(i,j) = {name}(j, B(i,j))\n" if along else f"{result}(i) = {name}(b(i){', c(i)' if two else ''})\n"
        uses.append((result, name))
    text += "result " + ", ".join(result for result, _ in uses) + "\n"
    folders, reports = zip(*(program(f"all_{dtype}", text, "--dtype", dtype, engine=engine) for engine in ("cycle", "soc")))
    for (result, name), *steps in zip(uses, *(report["statements"] for report in reports)):
        shares.add(trivial=is_trivial(next(folders[0].glob(f"{result}.*"))))
        if len({next(folder.glob(f"{result}.*")).read_text() for folder in folders}) > 1:
            complain(name, dtype, "makes something else on the processor")
        expected, measured = (step.get("processor", {}) for step in steps)
        if (expected.get("measured"), measured.get("measured"), steps[1]["on"]) != (False, True, "processor") or measured["functions"] != name:
            complain(name, dtype, "is not on the processor", expected, measured)
        elif expected["calls"] != measured["calls"] or not 0.4 < expected["cycles"] / measured["cycles"] < 2.5:
            complain(name, dtype, "expects", expected, "and takes", measured)

# gcd: where one side alone is stored its magnitude is the array's, and the processor has what both have.
REGIONS = """tensor B: s = "b.tns"
tensor C: s = "c.tns"
both(i) = mask(struct(C(i)), B(i))
other(i) = mask(struct(B(i)), C(i))
common(i) = m3_gcd(both(i), other(i))
x(i) = common(i) + mask(not struct(C(i)), abs(B(i))) + mask(not struct(B(i)), abs(C(i)))
result x
"""


r = random.Random(5)
sides = [{r.randrange(200): r.randint(1, 400) for _ in range(90)} for _ in "BC"]
for name, side in zip("bc", sides):
    (FOLDER / f"{name}.tns").write_text("".join(f"{i + 1} {v}\n" for i, v in (side | {199: 5}).items()))
    side[199] = 5
for engine in ("cycle", "soc"):
    out, report = program("regions", REGIONS, engine=engine)
    rows = [line.split() for line in next(out.glob("x.*")).read_text().splitlines() if line[0] not in "%#"]
    got = {int(row[0]) - 1: int(row[-1]) for row in rows[1:]}
    want = {i: math.gcd(sides[0].get(i, 0), sides[1].get(i, 0)) for i in set(sides[0]) | set(sides[1])}
    calls = [s["processor"]["calls"] for s in report["statements"] if "processor" in s]
    if got != want or calls != [len(set(sides[0]) & set(sides[1]))]:
        complain("gcd by regions", engine, calls, len(set(sides[0]) & set(sides[1])), {i: (got.get(i), want.get(i)) for i in set(got) | set(want) if got.get(i) != want.get(i)})

# Calls are made while the array runs a statement before or behind them that has nothing to do with them (in banks that it does not use, or E0805
# ends the run), and not while it runs one that reads what they make. All of it is what engine cycle makes.
BESIDE = """tensor A: ss = random "200x200:0.15:1"
tensor x: s = random "200:0.5:2"
tensor B: ss = random "9x40:0.3:3"
y(i) = A(i,j) * x(j)
S(i,j) = m3_softmax(j, B(i,j))
T(i,j) = m3_sort(j, B(i,j))
u(i) = 2 * sum(j, T(i,j))
v(i) = A(i,j) * x(j)
result y, S, T, u, v
"""
folders, (modelled, measured) = zip(*(program("beside", BESIDE, "--fuse-statements", "off", engine=engine) for engine in ("cycle", "soc")))
for result in "ySTuv":
    if len({next(folder.glob(f"{result}.*")).read_text() for folder in folders}) > 1:
        complain(result, "is something else where the processor works beside the array")
took = [s.get("processor", {}).get("beside", 0) for s in measured["statements"]]
if [bool(n) for n in took] != [False, True, False, False, False] or any("beside" in s.get("processor", {}) for s in modelled["statements"]):
    complain("beside the array", took)
# The last statement is the first one alone (and computed anew, since nothing is fused), so that what is saved is known: most of the time in which the array runs.
beside, alone = (s["cycles"]["total"] - s["cycles"]["config"] for s in (measured["statements"][0], measured["statements"][4]))
if alone + took[1] - beside < measured["statements"][4]["cycles"]["kernel"] / 2:
    complain("beside the array", alone, took[1], "are", beside, "together")

# Functions of whole tensors, bound by a schedule; several calls, since the product is cut.
for expression, schedule, operands in (("X(i,j) = M(i,j) * B(i,k) * C(k,j)", "bind(B(i,k) * C(k,j), m3_gemm)", ("M:14x9:0.3:1", "B:14x11:0.5:2", "C:11x9:0.5:3")),
                                       ("y(i) = a(i) * A(i,k) * x(k)", "bind(A(i,k) * x(k), m3_gemv)", ("a:9:0.7:1", "A:9x13:0.6:2", "x:13:0.8:3")),
                                       ("y(i) = A(i,k) * x(k)", "fix(i), bind(A(i,k) * x(k), m3_dot)", ("A:6x13:0.6:2", "x:13:0.8:3"))):
    files, took = [], []
    for engine in ("cycle", "soc"):
        out = FOLDER / f"bound_{engine}"
        done = run(expression, "--functions", "library", "-s", schedule, *(w for o in operands for w in ("-g", o)), "--engine", engine, "--json", "-o", out)
        if done.returncode:
            break
        report = json.loads(done.stdout)
        one = [k["processor"] for k in report.get("kernels", [report]) if "processor" in k]
        if report["check"] != "pass" or len(one) != 1 or one[0]["measured"] != (engine == "soc"):
            complain(expression, engine, report["check"], one)
        took.append(one[0]["cycles"])
        files.append(next(out.glob(f"{expression[0]}.mtx")).read_text())
    if len(set(files)) > 1:
        complain(expression, "is something else on the processor")
    if len(took) == 2 and not 0.5 < took[0] / took[1] < 2:
        complain(expression, "is expected to take", took[0], "and takes", took[1])

# A function of numbers alone, whose rows have no extents.
(FOLDER / "both.c").write_text("int both(int a, int b) { return a * b; }\n")
(FOLDER / "both.xf").write_text("name: both\ncall: int both(a, b)\ncapability: y = a * b\ndatatypes: int16\nsource: both.c\nruns: m3\n")
done = run("z = x * w", "--functions", FOLDER / "both.xf", "-s", "bind(x * w, both)", "-g", "x::1:3", "-g", "w::1:4", "--engine", "soc", "-o", FOLDER / "both")
if "both: 1 call of 3 words" not in done.stdout or "check: pass" not in done.stdout:
    complain("a function of numbers", done.stdout)

# What a user brings, and what is refused where the program is built.
HEAD = "capability: Z(i) = f(X(i))\ndatatypes: int16\nsource: f.c\nruns: m3\n"
for source, call, code, says, status in (
        ("static const int step = 3; int f(int x) { return x * step; }", "int f(X)", None, None, 0),
        ("int f(int x) { return x < 2 ? x : f(x - 1) * x + f(x - 2); }", "int f(X)", "E0169-processor", "f calls itself", 1),
        ("#define APART __attribute__((noinline, noclone))\nint f(int);\nAPART static int g(int x) { __asm volatile(\"\"); return f(x) * x; }\n"
         "APART int f(int x) { __asm volatile(\"\"); return x < 2 ? x : g(x - 2) + 3 * x; }",
         "int f(X)", "E0169-processor", "calls itself", 1),
        ("int f(int x) { return (int)(x * 0.3); }", "int f(X)", "E0169-processor", "undefined reference to `__aeabi_", 1),
        ("#include <stdlib.h>\nint f(int x) { int *p = malloc(400); *p = x; x = p[0]; return x; }", "int f(X)", "E0169-processor", "", 1),
        ("static int a(int x) { return x; } static int b(int x) { return -x; }\nint (*volatile which)(int) = a; int f(int x) { which = x & 1 ? a : b; return which(x); }",
         "int f(X)", "E0169-processor", "by a pointer", 1),
        ("int f(int x) { volatile int a[9000]; a[x & 7] = x; return a[x & 7]; }", "int f(X)", "E0169-processor", "stack", 1),
        ("static int a[9000]; int f(int x) { a[x & 4095] += x; return a[x & 4095]; }", "int f(X)", "E0169-processor", "DATA", 1),
        ("int f(int x) { return x + (int)sizeof(long); }", "int f(X)", "E0343-processor", "on this machine", 3),
        ("int f(int x) { return x; }", "double f(X)", "E0163-description", "no floating point", 1)):
    (FOLDER / "f.c").write_text(source + "\n")
    (FOLDER / "f.xf").write_text(f"call: {call}\n{HEAD}")
    done = run("z(i) = f(x(i))", "--functions", FOLDER / "f.xf", "-g", "x:20:0.5:3", "--engine", "soc", "-o", FOLDER / "user", status=status)
    if code and (f"[{code}]" not in done.stderr or says not in done.stderr or "f.xf:" not in done.stderr):
        complain(source, "expected", code, says, "got", done.stderr)
# Where one of two functions cannot be linked, the message names its description, the first or the second.
for name in "fg":
    (FOLDER / f"{name}.xf").write_text(f"call: int {name}(X)\n{HEAD}".replace("f(X(i))", f"{name}(X(i))").replace("f.c", f"{name}.c"))
for right, wrong_one in ("fg", "gf"):
    (FOLDER / f"{right}.c").write_text(f"int {right}(int x) {{ return x; }}\n")
    (FOLDER / f"{wrong_one}.c").write_text(f"int {wrong_one}(int x) {{ return (int)(x * 0.3); }}\n")
    done = run("z(i) = f(x(i)) + g(y(i))", "--functions", FOLDER / "f.xf", "--functions", FOLDER / "g.xf", "-g", "x:20:0.5:3", "-g", "y:20:0.5:5",
               "--engine", "soc", "-o", FOLDER / "user", status=1)
    if "[E0169-processor]" not in done.stderr or f"{wrong_one}.xf:" not in done.stderr or f"{right}.xf:" in done.stderr:
        complain("of two functions", wrong_one, "is wrong, and it says", done.stderr)
for line, says in (("runs: dsp", "expected a processor"), ("scalar: cube", "expected an operation of the chip"), ("runs: m3\nlibraries: m", "no libraries"), ("cycles: 5 5", "cycles are of a function"),
                   ("runs: m3\ncycles: 5", "two numbers"), ("runs: m3\nruns: m3", "already")):
    (FOLDER / "f.xf").write_text(f"call: int f(X)\ncapability: Z(i) = f(X(i))\ndatatypes: int16\nsource: f.c\n{line}\n".replace("int f", "int f" if "m3" in line else "double f"))
    done = run("z(i) = f(x(i))", "--functions", FOLDER / "f.xf", "-g", "x:20:0.5:3", "--engine", "sam", "-o", FOLDER / "user", status=1)
    if "[E0163-description]" not in done.stderr or says not in done.stderr:
        complain(line, "expected", says, "got", done.stderr)
sys.exit(kept.count_wrong() > 0 or bool(wrong) or shares.failed())
