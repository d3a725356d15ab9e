#!/usr/bin/env python3
"""Functions that files describe (.xf): every one that ships against what Python computes, expressions with them on ENGINE, and mistakes in
descriptions: described.py ONYX FOLDER ENGINE."""
import itertools
import json
import math
import pathlib
import platform
import random
import struct
import subprocess
import sys

sys.path.extend(str(pathlib.Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
import quota  # noqa: E402

ONYX, FOLDER, ENGINE = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
kept = behaviour.watch(__file__, ONYX, FOLDER)
FOLDER.mkdir(parents=True, exist_ok=True)
bad, shares = 0, quota.Quota()


def complain(*what):
    global bad
    bad += 1
    print(*what)


def run(*arguments):
    return subprocess.run([ONYX, *map(str, arguments)], capture_output=True, text=True)


def bf16(x):
    """The nearest, ties to even."""
    if math.isnan(x) or math.isinf(x):
        return x
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


def int16(x):
    return (int(round(x)) + 0x8000) % 0x10000 - 0x8000


WORD = {"int16": int16, "bf16": bf16}
ONE = {"int16": 32767, "bf16": 1}


def softmax(x, at, one):
    powers = [math.exp(v - max(x)) for v in x]
    return [one * p / sum(powers) for p in powers]


def largest(x, count, sign=1):
    kept = sorted(range(len(x)), key=lambda i: (-sign * x[i], i))[:count]
    return [v if i in kept else 0 for i, v in enumerate(x)]


def place(x, at, best):
    first = x.index(best(x))
    return [c if i == first else 0 for i, c in enumerate(at)]


ALONG = {  # of the values of a fiber, their coordinates, and 1
    "softmax": softmax,
    "sort": lambda x, at, one: sorted(x),
    "sort_down": lambda x, at, one: sorted(x, reverse=True),
    "reverse": lambda x, at, one: x[::-1],
    "top4": lambda x, at, one: largest(x, 4),
    "largest": lambda x, at, one: largest(x, 1),
    "smallest": lambda x, at, one: largest(x, 1, -1),
    "prefix_sum": lambda x, at, one: list(itertools.accumulate(x)),
    "prefix_max": lambda x, at, one: list(itertools.accumulate(x, max)),
    "normalise": lambda x, at, one: [v * one / sum(map(abs, x)) for v in x],
    "argmax": lambda x, at, one: place(x, at, max),
    "argmin": lambda x, at, one: place(x, at, min),
}
for each in ("argmax", "argmin"):
    ALONG[each + "1"] = lambda x, at, one, name=each: ALONG[name](x, [c + 1 for c in at], one)
ALONG |= {"m3_" + name: ALONG[name] for name in ("softmax", "sort", "sort_down", "top4", "prefix_sum", "prefix_max", "argmax", "argmin")}


def saturated(x):
    return min(max(math.floor(x), -32768), 32767)


VALUES = {  # data type, what it is of one value or two
    "sigmoid": ("bf16", lambda x: 1 / (1 + math.exp(-x))),
    "gelu": ("bf16", lambda x: x * math.erfc(-x * math.sqrt(0.5)) / 2),
    "log": ("bf16", lambda x: math.nan if x < 0 else math.log(x) if x else -math.inf),
    "exp": ("bf16", math.exp),
    "expm1": ("bf16", math.expm1),
    "log1p": ("bf16", lambda x: math.log1p(x) if x > -1 else -math.inf),
    "sqrt": ("bf16", lambda x: math.sqrt(x) if x >= 0 else math.nan),
    "cbrt": ("bf16", lambda x: math.copysign(abs(x) ** (1 / 3), x)),
    "tanh": ("bf16", math.tanh),
    "sin": ("bf16", math.sin),
    "cos": ("bf16", math.cos),
    "atan": ("bf16", math.atan),
    "erf": ("bf16", math.erf),
    "hypot": ("bf16", math.hypot),
    "atan2": ("bf16", math.atan2),
    "lcm": ("int16", math.lcm),
    "isqrt": ("int16", lambda x: math.isqrt(x) if x > 0 else 0),
    "q15_mul": ("int16", lambda x, y: saturated(x * y / 32768)),
    "popcount": ("int16", lambda x: bin(x & 0xFFFF).count("1")),
    "icbrt": ("int16", lambda x: int(math.copysign(max(r for r in range(33) if r ** 3 <= abs(x)), x))),
    "ilog2": ("int16", lambda x: x.bit_length() - 1 if x > 0 else 0),
    "q15_add": ("int16", lambda x, y: saturated(x + y)),
    "q15_sub": ("int16", lambda x, y: saturated(x - y)),
    "floor_div": ("int16", lambda x, y: x // y if y else 0),
    "floor_mod": ("int16", lambda x, y: x % y if y else 0),
    "sinh": ("bf16", math.sinh),
    "cosh": ("bf16", math.cosh),
    "asinh": ("bf16", math.asinh),
    "erfc": ("bf16", math.erfc),
    "q15_div": ("int16", lambda x, y: saturated(x * 32768 / y) if y else 0),
    "m3_div": ("int16", lambda x, y: int16(int(math.copysign(abs(x) // abs(y), x * y))) if y else 0),
    "m3_rem": ("int16", lambda x, y: int(math.fmod(x, y)) if y else x),
    "m3_gcd": ("int16", math.gcd),
    "m3_exp": ("bf16", math.exp),
}
DIMS = {"i": 7, "j": 12, "k": 5, "d": 4}
CHOICE = {"int16": [1, 2, 3, -1, -5, 40, 300, -32768, 32767], "bf16": [0.5, 1, 2, 3, -1, -0.75, 1.5]}


def cells(name, index, density, dtype, choice=None):
    r = random.Random(name + dtype)
    values = choice or CHOICE[dtype]
    return {at: r.choice(values) for at in itertools.product(*[range(DIMS[v]) for v in index]) if r.random() < density}


def write(name, index, data):
    path = FOLDER / f"{name}.tns"
    path.write_text("".join(" ".join(str(c + 1) for c in at) + f" {v}\n" for at, v in data.items()))
    return ["-i", f"{name}:{path}", "-d", f"{name}:" + ",".join(str(DIMS[v]) for v in index)]


def read(path):
    rows = [line.split() for line in path.read_text().splitlines() if not line.startswith(("#", "%"))]
    return {tuple(int(c) - 1 for c in row[:-1]): float(row[-1]) for row in rows if row}


def compute(expression, result, operands, dtype, *more, engine=ENGINE):
    out, folder = FOLDER / f"{result}.tns", FOLDER / f"out_{engine}"
    out.unlink(missing_ok=True)
    done = run("run", expression, "--functions", "library", "--engine", engine, "--dtype", dtype, "-o", folder, "-o", f"{result}:{out}", "--json",
               *itertools.chain(*operands), *more)
    if done.returncode or json.loads(done.stdout)["check"] != "pass":
        complain(expression, dtype, done.returncode, done.stdout[:300], done.stderr)
        return None, None
    return read(out), json.loads(done.stdout)


def same(what, got, expected, near=0.0, fill=0):
    """bf16 may be off by its last bit, and by `near`; the file leaves the fill out."""
    shares.add(got is not None, quota.is_trivial([fill, *expected.values()]))
    if got is None:
        return
    for at in set(got) | set(expected):
        a, b = got.get(at, fill), expected.get(at, fill)
        if not (abs(a - b) <= near + (abs(b) / 128 if isinstance(b, float) else 0) or (math.isnan(a) and math.isnan(b)) or a == b):
            complain(what, at, "is", a, "and not", b)
            return


def along(function, data, mode, dtype):
    """The function over the values that are not 0, fiber by fiber."""
    out = {}
    word = int if (function, dtype) == ("prefix_sum", "int16") else WORD[dtype]  # the host has 32 bits
    for key in {at[:mode] + at[mode + 1:] for at in data}:
        fiber = sorted(at for at in data if at[:mode] + at[mode + 1:] == key and data[at] != 0)
        if fiber:
            made = ALONG[function]([data[at] for at in fiber], [at[mode] for at in fiber], ONE[dtype])
            out |= {at: word(v) for at, v in zip(fiber, made)}
    return out


if ENGINE == "sam":  # each that ships; a host's kernel is the same on every engine
    by_name = [text for path in pathlib.Path("functions").glob("*.xf") if "\nname: " not in (text := path.read_text())]
    shipped = {line.split("=")[1].split("(")[0].strip() for text in by_name for line in text.splitlines() if line.startswith("capability")}
    if shipped != set(ALONG) | set(VALUES) or len(shipped) < 38:
        complain("these functions ship, or are tested, but not both:", shipped ^ (set(ALONG) | set(VALUES)))
    lengths = [len(path.read_text().splitlines()) for path in pathlib.Path("functions").glob("*.xf")]
    if max(lengths) > 45 or sum(lengths) > 25 * len(lengths):
        complain("descriptions are too long:", lengths)
    # what runs on the processor of the chip: a compiler that has neither a library nor registers of floating point takes it
    bare = ["cc", "-ffreestanding", "-nostdinc", *["-mgeneral-regs-only"] * (platform.machine() in ("x86_64", "aarch64"))]
    for path in map(pathlib.Path, ("functions/integers.c", "functions/processor.c")):
        done = subprocess.run([*bare, "-Wall", "-Wextra", "-Werror", "-S", "-o", "-", path], capture_output=True, text=True)
        if done.returncode or "double" in path.read_text():
            complain(path, "needs more than integers:", done.stderr)
    types = {text.split(" = ")[1].split("(")[0]: text.split("datatypes: ")[1].split("\n")[0] for text in by_name}
    for name, dtype in itertools.product(ALONG, WORD):
        if dtype not in types[name]:
            continue
        data = cells("B", "ij", 0.4, dtype) | {(0, 0): 0, (0, 3): 7}  # an explicit zero counts as nothing
        data = {at: v for at, v in data.items() if at[0] != 4} | {(5, j): 0 for j in range(DIMS["j"])}  # a row of nothing, and one of zeros
        got, _ = compute(f"Y(i,j) = {name}(j, B(i,j))", "Y", [write("B", "ij", data)], dtype)
        same((name, dtype), got, along(name, data, 1, dtype), near=3 if (name, dtype) == ("m3_softmax", "int16") else 0)
    for name, (dtype, function) in VALUES.items():
        two = function in (math.hypot, math.atan2, math.lcm, math.gcd) or name.startswith(("q15", "floor", "m3_div", "m3_rem"))
        b, c = cells("b", "j", 0.6, dtype), cells("c", "j", 0.6, dtype)
        got, _ = compute(f"y(j) = {name}(b(j){', c(j)' if two else ''})", "y", [write("b", "j", b)] + [write("c", "j", c)] * two, dtype)
        same(name, got, {(j,): WORD[dtype](function(b.get((j,), 0), c.get((j,), 0)) if two else function(b.get((j,), 0))) for j in range(DIMS["j"])},
             fill=WORD[dtype](function(0, 0) if two else function(0)))

# Around a function the array runs as it does around any part of the host.
S, V = cells("S", "ij", 0.5, "bf16"), cells("V", "jk", 0.6, "bf16")
operands = [write("S", "ij", S), write("V", "jk", V)]
P = along("softmax", S, 1, "bf16")
want = {(i, k): float(sum(P.get((i, j), 0) * V.get((j, k), 0) for j in range(DIMS["j"]))) for i in range(DIMS["i"]) for k in range(DIMS["k"])}
got, report = compute("Y(i,k) = softmax(j, S(i,j)) * V(j,k)", "Y", operands, "bf16", "--dump", "cin")
same("softmax times V", got, want, 0.05)
if report:
    cin = next(FOLDER.rglob("cin.txt")).read_text()
    if "suchthat(forall(i, forall(j, w(i,j) = softmax(j, S(i,j)))), bind(host))" not in cin:
        complain("no kernel of the host in", cin)
    if [k.get("on") for k in report["kernels"]] != ["host", None] or \
            (report["kernels"][0].get("computed"), report["kernels"][0].get("calls")) != (len(S), len({i for i, j in S})):
        complain("the report says", [{k: v for k, v in kernel.items() if not isinstance(v, (dict, list))} for kernel in report["kernels"]])

# Attention in one expression: the scores are exact in bf16, so that the bound is that of the last product.
small = [1, -1, 2]
M, Q, K = cells("M", "ij", 0.5, "bf16", [1]), cells("Q", "id", 1, "bf16", small), cells("K", "jd", 1, "bf16", small)
scores = {(i, j): sum(Q[i, d] * K[j, d] for d in range(DIMS["d"])) for i, j in M}
P = along("softmax", scores, 1, "bf16")
want = {(i, k): float(sum(P.get((i, j), 0) * V.get((j, k), 0) for j in range(DIMS["j"]))) for i in range(DIMS["i"]) for k in range(DIMS["k"])}
got, report = compute("Y(i,k) = softmax(j, M(i,j) * Q(i,d) * K(j,d)) * V(j,k)", "Y",
                      [write("M", "ij", M), write("Q", "id", Q), write("K", "jd", K), operands[1]], "bf16")
same("attention", got, want, 0.05)
if report and len(report["kernels"]) != 3:
    complain("attention is of", len(report["kernels"]), "kernels")

B, C, E = cells("B", "ij", 0.5, "int16", [1, 2, 3, -4, 7]), cells("C", "ij", 0.5, "int16", [1, 2, -4]), cells("E", "ijk", 0.3, "int16", [1, 5, -3, 9])
both = [write("B", "ij", B), write("C", "ij", C)]
less = {at: B.get(at, 0) - C.get(at, 0) for at in set(B) | set(C)}
got, _ = compute("Y(i,j) = sort(i, B(i,j) - C(i,j))", "Y", both, "int16")
same("sort of a difference", got, along("sort", less, 0, "int16"))
got, _ = compute("y(i) = sum(j, argmax(j, B(i,j)))", "y", both[:1], "int16")
same("argmax as a sum", got, {at[:1]: v for at, v in along("argmax", B, 1, "int16").items() if v})
got, _ = compute("y(i) = prefix_sum(j, B(i,j))", "y", both[:1], "int16")  # the sum over j is around the function
sums = along("prefix_sum", B, 1, "int16")
same("a sum of what a function makes", got, {(i,): sum(v for at, v in sums.items() if at[0] == i) for i in range(DIMS["i"])})
got, _ = compute("Y(k,i,j) = reverse(j, E(i,j,k))", "Y", [write("E", "ijk", E)], "int16")
same("along the middle index", got, {(k, i, j): v for (i, j, k), v in along("reverse", E, 1, "int16").items()})
got, _ = compute("Y(j,i) = top4(j, B(i,j)) * C(i,j)", "Y", both, "int16", "-s", "bind(top4(j, B(i,j)) * C(i,j), host)")
four = along("top4", B, 1, "int16")
same("bound by a schedule", got, {(j, i): v * C.get((i, j), 0) for (i, j), v in four.items()})
got, _ = compute("y(i) = sort(i, prefix_sum(i, b(i)))", "y", [write("b", "i", {(1,): 3, (2,): -7, (5,): 2})], "int16")
same("one of another", got, {(1,): -4, (2,): -2, (5,): 3})

for part, name, says in (("top4(j, B(i,j))", "top4", None), ("top4(j, B(i,j)) * C(i,j)", "top4", "operators"), ("top4(j, B(i,j))", "sort", "operators"),
                         ("top4(j, B(i,j))", "exp", "datatypes"), ("C(i,j)", "lcm", "operators"), ("C(i,j)", "sigmoid", "datatypes"),
                         ("sum(j, top4(j, B(i,j)) * C(i,j))", "top4", "operators: a reduction"),
                         ("sum(j, top4(j, B(i,j)) * C(i,j))", "exp", "datatypes")):
    done = run("run", "y(i) = sum(j, top4(j, B(i,j)) * C(i,j))", "--functions", "library", "--engine", ENGINE, *itertools.chain(*both), "-o", FOLDER / "bound",
               "-o", f"y:{FOLDER}/bound.tns", "-s", f"bind({part}, {name})")
    if says and (done.returncode != 1 or f": {says}" not in done.stderr or "[E0167-bind]" not in done.stderr):
        complain("bind", part, name, "expected", says, "got", done.returncode, done.stderr)
    if not says:
        want = {}
        for (i, j), v in four.items():
            want[i,] = want.get((i,), 0) + v * C.get((i, j), 0)
        if done.returncode:
            complain("bind", part, name, done.stderr)
        else:
            same(("bind", part, name), read(FOLDER / "bound.tns"), {at: int16(v) for at, v in want.items() if v})

# What is refused.
for expression, more, code, status in (
        ("y(i) = softmax(k, b(i))", [], "E0152-function", 1),
        ("y(i) = softmax(b(i))", [], "E0102-syntax", 1),
        ("y(i) = sqrt(b(i))", ["--dtype", "int16"], "E0152-function", 1),
        ("y(i) = lcm(b(i))", [], "E0152-function", 1),
        ("Y(i,j) = softmax(j, B(i,j))", ["--functions", "none"], "E0165-fiber-function", 2),
        ("Y(j,i) = softmax(j, B(i,j))", ["--functions", "none", "-s", "reorder(i,j)"], "E0165-fiber-function", 2)):
    done = run("compile", expression, "--functions", "library", "-d", "i:7", *["-d", "j:12"] * ("j" in expression), "-o", FOLDER / "refused", *more)
    if done.returncode != status or f"[{code}]" not in done.stderr:
        complain(expression, done.returncode, done.stderr)

GOOD = ["call: void f(length, values, result)", "capability: Y(i) = mine(i, X(i))", "datatypes: int16, bf16", "source: f.c"]
F = "void f(int n, const double *in, double *out) { for (int i = 0; i < n; i++) out[i] = 2 * in[i]; }\n"
PATH = FOLDER / "mine.xf"


def with_description(lines, source=F, expression="Y(i,j) = mine(j, B(i,j))"):
    (FOLDER / "f.c").write_text(source)
    PATH.write_text("\n".join(lines) + "\n")
    return run("run", expression, "--functions", PATH, *both[0], "--dtype", "int16", "--engine", "sam", "-o", FOLDER / "mine", "-o", f"Y:{FOLDER}/mine.tns")


def changed(at, line):
    return [*GOOD[:at], line, *GOOD[at + 1:]]


MISTAKES = [  # description, code, line and column
    (GOOD[1:], "E0163-description", "1:1"),
    ([GOOD[0], *GOOD[2:]], "E0163-description", "1:1"),
    ([*GOOD[:2], GOOD[3]], "E0163-description", "1:1"),
    ([*GOOD, GOOD[3]], "E0163-description", "5:1"),
    ([*GOOD, "colour: red"], "E0163-description", "5:1"),
    ([*GOOD, "flags -O3"], "E0102-syntax", "5:7"),
    (changed(0, "call: f(length, values, result)"), "E0163-description", "1:7"),
    (changed(0, "call: double f(length, values, result)"), "E0163-description", "1:7"),
    (changed(0, "call: void f(length, valeus, result)"), "E0163-description", "1:22"),
    (changed(0, "call: void f(length, values, result"), "E0102-syntax", "1:36"),
    (changed(0, "call: void f(length, values, result) twice"), "E0102-syntax", "1:38"),
    (changed(0, "call: void f(" + "a(" * 9 + "length" + ")" * 9 + ")"), "E0163-description", "1:30"),
    (changed(0, "call: void"), "E0102-syntax", "1:11"),
    (changed(1, "capability: Y(i) = mine(j, X(i))"), "E0163-description", "2:25"),
    (changed(1, "capability: Y(i) = mine(i, X(j))"), "E0163-description", "2:28"),
    (changed(1, "capability: Y(i) = mine(i, X(i), Z(i))"), "E0163-description", "2:34"),
    (changed(1, "capability: Y(i) = mine(i, X(i)) when tagged"), "E0102-syntax", "2:34"),
    (changed(1, "capability: Y(i) = max(i, X(i))"), "E0163-description", "2:20"),
    (changed(1, "capability: Y = mine(i, X(i))"), "E0102-syntax", "2:15"),
    (changed(2, "datatypes: int32"), "E0163-description", "3:12"),
    (changed(2, "datatypes: bf16"), "E0152-function", "1:10"),
    (changed(3, "source: f.py"), "E0163-description", "4:9"),
    ([*GOOD, "sensitivity: low"], "E0163-description", "5:14"),
    (changed(0, "call: void f(values, values, result)"), "E0164-function-build", "1:10"),
    (changed(0, "call: void f(length, length, result)"), "E0164-function-build", "1:10"),
    (changed(0, "call: void f(length, coordinates, result)"), "E0164-function-build", "1:10"),
    (changed(3, "source: missing.c"), "E0164-function-build", "1:10"),
    ([*GOOD, "libraries: no_such_library"], "E0164-function-build", "1:10"),
]
if ENGINE == "sam":
    for lines, code, where in MISTAKES:
        done = with_description(lines)
        if done.returncode != 1 or f"[{code}]" not in done.stderr or f":{where}: " not in done.stderr.splitlines()[0]:
            complain(lines, "expected", code, where, "got", done.returncode, done.stderr)
    doubled = {at: 2 * v for at, v in B.items()}
    # objects, set-up, tear-down and a call as an argument; then a shared object, which a header declares
    source = F + "#include <stdlib.h>\nstatic int twice(int n) { return 2 * n; }\nvoid g(int *count, int n, const double *in, double *out) { *count = n / 2; f(*count, in, out); }\n"
    for lines, text in ((GOOD, F),
                        (["call: void g(&count, twice(length), values, copy)", *GOOD[1:], "object: int count", "object: double *copy",
                          "setup: copy = malloc((size_t)(length + 1) * sizeof *copy)", "setup: copy[length] = 0",
                          "teardown: for (int i = 0; i < length; i++) result[i] = copy[i]", "teardown: free(copy)", "flags: -O1 -g"], source)):
        done = with_description(lines, text)
        if done.returncode:
            complain(lines, done.stderr)
        else:
            same(lines, read(FOLDER / "mine.tns"), doubled)
    done = with_description(["# \0", *GOOD])
    if done.returncode != 1 or "E0006-encoding" not in done.stderr:
        complain("a zero byte in a comment", done.stderr)
    done = with_description(["# a comment", *GOOD[::-1]])
    if done.returncode:
        complain("fields in any order", done.stderr)
    (FOLDER / "headers").mkdir(exist_ok=True)
    (FOLDER / "headers" / "f.h").write_text("void f(int n, const double *in, double *out);\n")
    (FOLDER / "g.c").write_text(F)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", FOLDER / "f.so", FOLDER / "g.c"], check=True)
    done = with_description([*GOOD[:3], "source: f.so", "headers: f.h", "include: headers"])
    if done.returncode:
        complain("a shared object", done.stderr)
    else:
        same("a shared object", read(FOLDER / "mine.tns"), doubled)
sys.exit(bad + kept.count_wrong() != 0 or shares.failed())
