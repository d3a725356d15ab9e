#!/usr/bin/env python3
"""What the array lacks is computed by the host, between kernels on the array: host.py ONYX FUNCTIONS FOLDER ENGINE. Every result is held
against evaluate.py, or what Python computes; the report says which kernels are the host's, and how many values it computed."""
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

from evaluate import Evaluator, quotient, wrap
from random_operators import quota, read, text, write

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

ONYX, FUNCTIONS, FOLDER, ENGINE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
kept = behaviour.watch(__file__, ONYX, FOLDER)
FOLDER.mkdir(parents=True, exist_ok=True)
EXTENTS = {"i": 9, "j": 11, "k": 7, "l": 4}
TENSORS = {"B": "ij", "C": "ij", "D": "jk", "E": "ijk", "F": "ijk", "b": "i", "c": "j", "d": "i", "M": "il", "Q": "ii", "z": "i", "s": ""}
bad, shares = 0, quota.Quota()


def complain(*what):
    global bad
    bad += 1
    print(*what)


def cells_of(name):
    r = random.Random(name)
    dims = [EXTENTS[v] for v in TENSORS[name]]
    density = {"z": 0, "s": 1}.get(name, 0.4)
    return {at: r.choice([0, 1, 2, 3, 5, -1, -4, 9, 100, -32768]) for at in itertools.product(*map(range, dims)) if r.random() < density}


CELLS = {name: cells_of(name) for name in TENSORS}
CELLS["s"] = {(): 3}
DIMS = {name: [EXTENTS[v] for v in index] for name, index in TENSORS.items()}


def access(name, index=None):
    return ("access", name, tuple(index or TENSORS[name]))


def both(first, second):
    return len(CELLS[first].keys() & CELLS[second].keys())


def onyx(command, expression, place, *more):
    names = {a for a in TENSORS if re.search(rf"\b{a}\(", expression) or (a == "s" and "s *" in expression)}
    operands = [word for n in sorted(names) for word in ("-i", f"{n}:{write(FOLDER / n, DIMS[n], CELLS[n])}")]
    return subprocess.run([ONYX, command, expression, *operands, "--dtype", "int16", "-o", str(place), *more], capture_output=True, text=True)


def check(name, result, tree, *more, host=None, array=None, computed=None, semiring="plus_times", stated=None, fill=0):
    """Runs X(result) = tree; host and array: how many kernels each has."""
    if ENGINE == "soc" and name in ("by_number", "along_rows", "outer", "joined", "transposed", "diagonal", "scalar"):
        return None  # each boots the processor, for the same calls
    place = FOLDER / name
    expression = f"X{'(' + ','.join(result) + ')' if result else ''} = {text(tree)}"
    done = onyx("run", expression, place, "--engine", ENGINE, *more)
    if done.returncode:
        return complain(name, done.returncode, done.stderr)
    report = json.loads((place / "report.json").read_text())
    got = read(place / ("X.mtx" if len(result) <= 2 else "X.tns"), len(result))
    e = Evaluator({n: (len(i), CELLS[n], fill) for n, i in TENSORS.items()}, EXTENTS, semiring, stated)
    values = {at: e.value(tree, dict(zip(result, at))) for at in itertools.product(*(range(EXTENTS[v]) for v in result))}
    shares.add(trivial=quota.is_trivial([0] * (not result) + list(values.values())))
    for at, want in values.items():
        if got.get(at, report.get("fill", 0)) != want:
            return complain(name, at, "is", got.get(at, report.get("fill", 0)), "and not", want)
    mine = [k for k in report.get("kernels", []) if k.get("on") in ("host", "processor")]
    of_chip = [k for k in mine if k["on"] == "processor"]  # quotients and remainders, unless a schedule says the host
    if any(k["processor"]["functions"] not in ("m3_div", "m3_rem") for k in of_chip) or (of_chip and "-s" in more):
        complain(name, "has on the processor", of_chip)
    if of_chip and computed is not None and sum(k["processor"]["calls"] for k in of_chip) != computed:
        complain(name, "has", [k["processor"]["calls"] for k in of_chip], "calls and not", computed)
    if ENGINE != "sam" and host is not None and (len(mine), len(report.get("kernels", [])) - len(mine)) != (host, array):
        complain(name, "has", len(mine), "kernels on the host of", len(report.get("kernels", [])))
    if ENGINE != "sam" and computed is not None and sum(k["computed"] for k in mine) != computed:
        complain(name, "computed", [k["computed"] for k in mine], "and not", computed)
    return None


B, C, D, E, F, b, c, d, M, s, z = (access(n) for n in "BCDEFbcdMsz")
spmv = ("reduce", "sum", "j", ("*", B, c))
check("quotient", "i", ("/", b, d), host=1, array=0, computed=both("b", "d"))
check("by_empty", "i", ("/", b, z), host=1, array=0, computed=0)
check("by_number", "ij", ("/", B, ("number", 3)), host=0, array=0)
check("everywhere", "i", ("/", b, d), "--fill", "X:7", host=1, array=0, computed=EXTENTS["i"], stated=7)
check("along_rows", "ij", ("/", B, d), host=1, array=0, computed=sum((i,) in CELLS["d"] for i, _ in CELLS["B"]))
check("outer", "ij", ("/", d, c), host=1, array=0, computed=len(CELLS["d"]) * len(CELLS["c"]))
check("joined", "ijk", ("/", B, D), host=1, array=0, computed=sum(j == k for _, j in CELLS["B"] for k, _ in CELLS["D"]))
check("transposed", "i", ("reduce", "sum", "l", ("/", M, ("+", M, ("number", 1)))), "-d", "i:9", "-d", "l:4")
check("diagonal", "i", ("/", access("Q", "ii"), d), host=1, array=1)
check("normalised", "i", ("/", spmv, d), host=1, array=1)
check("scaled", "i", ("+", ("/", spmv, d), ("*", s, b)), host=1, array=2)
check("inside", "i", ("reduce", "sum", "j", ("*", ("/", B, C), c)), host=1, array=1)
check("scalar", "", ("/", ("reduce", "sum", "i", ("/", b, d)), ("number", 7)), host=1, array=2)
check("largest", "i", ("reduce", "max", "j", ("/", B, C)), host=1, array=1)
check("empty", "i", ("reduce", "sum", "j", ("/", ("*", B, z), c)))
# Below a mask only what that lets count is stored, and divided: not all that d and c make.
check("masked", "ij", ("mask", ("struct", "B", ("i", "j")), ("/", ("+", d, c), c)), host=1, array=2,
      computed=sum((j,) in CELLS["c"] and (CELLS["d"].get((i,), 0) + CELLS["c"][j,]) % 65536 != 0 for i, j in CELLS["B"]))
# Nothing is missing here, but one kernel has too many streams: no part of it is the host's.
many = ("+", ("ifelse", E, F, access("E", "ijk")), ("mask", F, ("ifelse", access("D"), B, E)))
check("many_streams", "ijk", many, host=0, array=4)
# As one, the operand of ones would go on growing along i.
check("complement", "i", ("+", ("mask", ("not", ("struct", "b", ("i",))), ("reduce", "and", "j", B)), b), host=0, array=2)
# The chip adds with infinity what is not negative; which these operands are shows when they are read.
check("shortest", "i", ("reduce", "sum", "j", ("*", B, c)), "--semiring", "min_plus", semiring="min_plus", fill=32767, host=1, array=1)
# Where sub-tiles cut the loop of a sum, what is computed of it has another kernel: never of a part of the sum.
row, three = ("reduce", "sum", "j", B), ("--tile", "j:4")
for at, (result, tree, kernels) in enumerate((("ik", ("relu", ("reduce", "sum", "j", ("*", B, D))), 2), ("i", ("abs", spmv), 2),
                                              ("i", ("relu", ("-", row, ("number", 5))), 2), ("i", ("clamp", spmv, ("number", -3), ("number", 5)), 2),
                                              ("i", (">", spmv, b), 2), ("i", ("*", ("relu", row), ("~", spmv)), 3),
                                              ("", ("reduce", "max", "i", ("abs", row)), None))):
    if ENGINE == "soc" and at % 3:
        continue
    check(f"cut_{at}", result, tree, *three, host=kernels and 0, array=kernels)
    if ENGINE in ("cycle", "rtl"):
        check(f"whole_{at}", result, tree, *three, "-O0")
        check(f"copied_{at}", result, tree, *three, "--unroll", "2")
# What is bound is the host's, whatever the array could do; and it may be all.
check("bound_part", "i", ("+", ("*", b, d), b), "-s", "bind(b(i)*d(i),host)", host=1, array=1, computed=both("b", "d"))
check("bound_factors", "i", ("reduce", "sum", "j", ("*", ("*", B, c), d)), "-s", "bind(B(i,j)*d(i),host)", host=1, array=1)
check("bound_sum", "i", ("/", spmv, d), "-s", "bind(sum(j,B(i,j)*c(j))/d(i),host)", host=1, array=1)
check("bound_twice", "i", ("+", ("*", b, d), ("*", b, b)), "-s", "bind(b(i)*d(i),host), bind(b(i)*b(i),host)", host=2, array=1)
check("bound_workspace", "ij", ("+", ("/", B, ("number", 3)), C), "-s", "precompute(B(i,j),{i,j},{i,j},w), bind(w(i,j)/3,host)", host=1, array=2)

# Remainders have the sign of what is divided; the processor has one for each value that may not be 0.
done = onyx("run", "X(i) = b(i) % d(i)", FOLDER / "remainder", "--engine", ENGINE)
got = read(FOLDER / "remainder/X.mtx", 1) if done.returncode == 0 else {}
want = {i: wrap(v - w * quotient(v, w)) for (i,), v in CELLS["b"].items() for w in [CELLS["d"].get((i,), 0)]}
if done.returncode or any(got.get((i,), 0) != want.get(i, 0) for i in range(EXTENTS["i"])):
    complain("remainder", done.stderr, got, want)
if ENGINE != "sam" and f"m3_rem: {len(CELLS['b'])} calls" not in done.stdout:
    complain("remainder", done.stdout)

# A scalar may have the name of an index, where that means nothing or in parentheses of its own.
CELLS["j"], DIMS["j"] = {(): 3}, []
rows = {i: [wrap(CELLS["B"].get((i, at), 0)) for at in range(EXTENTS["j"])] for i in range(EXTENTS["i"])}
for name, expression, want in (("bound", "min(j, B(i,j)) + j", lambda row: min(row) + 3), ("inside", "max(j, min((j), B(i,j)))", lambda row: max(min(3, v) for v in row)),
                               ("beside", "min((j), B(i,j))", lambda row: min(3, wrap(sum(row)))), ("each", "min(j, (j) - B(i,j)) - j", lambda row: min(wrap(3 - v) for v in row) - 3)):
    done = onyx("run", f"X(i) = {expression}", FOLDER / "scalar", "--engine", ENGINE, "-i", f"j:{write(FOLDER / 'j', [], CELLS['j'])}")
    got = read(FOLDER / "scalar/X.mtx", 1) if done.returncode == 0 else {}
    fill = json.loads((FOLDER / "scalar/report.json").read_text()).get("fill", 0) if done.returncode == 0 else 0
    if done.returncode or any(got.get((i,), fill) != wrap(want(row)) for i, row in rows.items()):
        complain("scalar", name, done.returncode, done.stderr, got)

# In floating point: the quotient of what both store, rounded once; it is infinite where a 0 is stored.
half = {n: {at: v % 16 + 1 for at, v in CELLS[n].items()} for n in "bd"}
for n in "bd":
    write(FOLDER / f"half_{n}", DIMS[n], half[n])
done = subprocess.run([ONYX, "run", "x(i) = b(i) / d(i)", "--dtype", "bf16", "-i", f"b:{FOLDER}/half_b.mtx", "-i", f"d:{FOLDER}/half_d.mtx",
                       "--engine", ENGINE, "-o", str(FOLDER / "bf16"), "-o", f"x:{FOLDER}/bf16.tns"], capture_output=True, text=True)
lines = (FOLDER / "bf16.tns").read_text().splitlines() if done.returncode == 0 else []
got = {(int(row[0]) - 1,): float(row[1]) for row in map(str.split, lines) if len(row) == 2 and row[0][0] not in "#%"}
want = {at: v / half["d"][at] for at, v in half["b"].items() if at in half["d"]}
if not want or any(abs(got.get(at, 0) - v) > v / 256 for at, v in want.items()) or {at for at, v in got.items() if 0 < v < float("inf")} != set(want):
    complain("bf16", done.stderr, got, want)

# Without the host it is refused, and what fits is the same, bit for bit.
if ENGINE == "cycle":
    # Rows by a number each, or columns: computed where the matrix has entries, and not at all 36,000,000 coordinates of the indices.
    for expression in ("X(i,j) = B(i,j) / d(i)", "X(i,j) = B(i,j) / d(j)", "X(i,j) = mask(struct(B(i,j)), exp(d(i) - d(j)))",
                       "X(i,j) = mask(B(i,j), max(d(i) + d(j), 0.2 * (d(i) + d(j))))"):
        done = subprocess.run([ONYX, "run", expression, "--dtype", "bf16", "-g", "B:6000x6000:0.0005:1", "-g", "d:6000:1:2", "--engine", ENGINE,
                               "-o", str(FOLDER / "rows")], capture_output=True, text=True)
        report = json.loads((FOLDER / "rows/report.json").read_text()) if done.returncode == 0 else {"kernels": [{}]}
        if report.get("check") != "pass" or not report["result_nnz"] <= report["kernels"][0]["computed"] < 19000:
            complain(expression, done.stderr, report)
        elif report["peak_rss_mb"] > 2000:  # nor does the check
            complain(expression, "takes", report["peak_rss_mb"], "MB")
    done = onyx("run", "X(i) = b(i) / d(i)", FOLDER / "none", "--engine", ENGINE, "--functions", "none")
    if done.returncode != 2 or "[E0410-not-on-chip]" not in done.stderr:
        complain("none", done.returncode, done.stderr)
    for expression in ("X(i) = B(i,j) * c(j)", "X(i,k) = B(i,j) * D(j,k)", "X(i,j) = B(i,j) + C(i,j)", "X(i,j) = B(i,j) * M(i,l) * F(i,j,k)",
                       "X(i,k) = E(i,j,k) * c(j)", "X(i) = relu(b(i) - d(i)) + max(b(i), d(i))", "X(i,j) = mask(not struct(b(i)), B(i,j))"):
        made = []
        for which in (["--functions", "none"], [], ["--functions", "library"]):
            done = onyx("compile", expression, FOLDER / "same", *which)
            made.append({path.relative_to(FOLDER / "same"): path.read_bytes() for path in (FOLDER / "same").rglob("*")
                         if path.is_file() and path.name not in ("report.json", "command.json")} if not done.returncode else done.stderr)
            if isinstance(made[-1], dict) and not any(path.name == "bitstream.bs" for path in made[-1]):
                complain(expression, "has no bitstream", sorted(made[-1]))
            shutil.rmtree(FOLDER / "same")
        if isinstance(made[0], str) or any(one != made[0] for one in made):
            complain("the array runs something else with the library", expression, [type(one) is dict or one for one in made])
    # A program has firmware for its kernels on the array; values nobody can list are refused.
    done = onyx("compile", "X(i) = B(i,j) * c(j) / d(i)", FOLDER / "compiled")
    done = subprocess.run([ONYX, "firmware", str(FOLDER / "compiled")], capture_output=True, text=True)
    if done.returncode or done.stdout.count("app.elf") != 1:
        complain("firmware", done.stdout, done.stderr)
    # A page shows what is on the array; where nothing is, there is no page and no firmware.
    for command, where, code in (("view", "compiled", 0), ("view", "quotient", 1), ("firmware", "quotient", 1)):
        done = subprocess.run([ONYX, command, str(FOLDER / where)], capture_output=True, text=True)
        if done.returncode != code or ("E0930" in done.stderr) or (code == 1 and "[E0950-not-compiled]" not in done.stderr):
            complain(command, where, done.returncode, done.stderr)
    done = subprocess.run([ONYX, "run", "X(i,j) = gcd(u(i), v(j))", "--functions", FUNCTIONS, "-g", "u:20000:0.1:1", "-g", "v:20000:0.1:2", "--engine",
                           ENGINE, "-o", str(FOLDER / "large")], capture_output=True, text=True)
    if done.returncode != 2 or "[E0322-everywhere]" not in done.stderr:
        complain("large", done.returncode, done.stderr)
    for schedule, code in (("bind(b(i)*d(i),gpu)", "E0102-syntax"), ("bind(b(i)*c(i),host)", "E0151-subexpression"), ("bind(b(i)*d(i))", "E0102-syntax"),
                           ("split(i,i0,i1,4), bind(b(i)*d(i),host)", "E0141-replaced-loop"), ("bind(b(i)*d(i),host), split(i,i0,i1,4)", "E0141-replaced-loop")):
        done = onyx("run", "X(i) = b(i) * d(i)", FOLDER / "mistake", "--engine", ENGINE, "-s", schedule)
        if f"[{code}]" not in done.stderr or "<schedule>:1:" not in done.stderr or done.returncode != 1:
            complain(schedule, done.returncode, done.stderr)
    # In a program the array keeps the rest of the statement.
    (FOLDER / "mean.onx").write_text("tensor B(9,11): ss = \"B.mtx\"\ntensor d(9): s = \"d.mtx\"\nrepeat 2 {\n  x(i) = sum(j, B(i,j)) / d(i)\n}\nresult x\n")
    done = subprocess.run([ONYX, "run", str(FOLDER / "mean.onx"), "--engine", ENGINE, "--effort", "1", "-o", str(FOLDER / "program")], capture_output=True, text=True)
    rows = {i: wrap(sum(v for (r, _), v in CELLS["B"].items() if r == i)) for i in range(9)}
    got = read(FOLDER / "program/x.mtx", 1) if done.returncode == 0 else {}
    statement = json.loads((FOLDER / "program/report.json").read_text())["statements"][0] if done.returncode == 0 else {}
    if any(got.get((i,), 0) != quotient(rows[i], CELLS["d"].get((i,), 0)) for i in range(9)) or statement.get("on") != "array":
        complain("program", done.stderr, got, statement)
sys.exit(bad + kept.count_wrong() > 0 or shares.failed())
