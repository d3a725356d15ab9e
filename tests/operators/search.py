#!/usr/bin/env python3
"""--search against all that can be: which functions compute which operands of an expression. The oracle tries every function on every choice of
operands, of their indices and of those that are fixed, computes the rest of the expression, and compares values on random data: it knows no rewrites and no
rules of matching. search.py CASES ONYX FOLDER [all]: all runs every schedule that is found, too."""
import itertools
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

sys.path.extend(str(pathlib.Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota, is_trivial  # noqa: E402

CASES, ONYX, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
random.seed(7)
wrong, shares = [], Quota()
kept = behaviour.watch(__file__, ONYX, FOLDER)

FUNCTIONS = {  # operands with their indices, result's indices, the value
    "gemm": (("ik", "kj"), "ij", lambda b, c: b * c), "dot": (("i", "i"), "", lambda b, c: b * c), "vector_add": (("i", "i"), "i", lambda b, c: b + c),
    "gemv": (("ik", "k"), "i", lambda a, x: a * x), "vector_multiply": (("i", "i"), "i", lambda b, c: b * c),
    "axpy": (("", "i", "i"), "i", lambda a, x, z: a * x + z)}
TWINS = {"cblas_gemm": "gemm", "cblas_dot": "dot", "cblas_add": "vector_add"}
FEW, MANY = ["gemm", "dot", "vector_add"], [*FUNCTIONS, *TWINS]
EXPRESSIONS = [  # result's indices, operands with theirs, the value of a point; a sum over all other indices is around each term
    ("x(i) = b(i) + c(i)", "i", {"b": "i", "c": "i"}, [["b"], ["c"]]),
    ("a = b(i) * c(i)", "", {"b": "i", "c": "i"}, [["b", "c"]]),
    ("y(i) = A(i,k) * x(k)", "i", {"A": "ik", "x": "k"}, [["A", "x"]]),
    ("X(i,j) = B(i,k) * C(k,j)", "ij", {"B": "ik", "C": "kj"}, [["B", "C"]]),
    ("x(i) = a(i) + b(i) + c(i)", "i", {"a": "i", "b": "i", "c": "i"}, [["a"], ["b"], ["c"]]),
    ("X(i,j) = M(i,j) * B(i,k) * C(k,j)", "ij", {"M": "ij", "B": "ik", "C": "kj"}, [["M", "B", "C"]])]
EXTENT = {"i": 2, "j": 3, "k": 4}


def points(indices):
    return itertools.product(*[range(EXTENT[v]) for v in indices])


def value(result, of, terms, tensors):
    """The expression, whose terms are products, at each point of the result."""
    out = {}
    for point in points(result):
        at, total = dict(zip(result, point)), 0
        for term in terms:
            inner = sorted({v for t in term for v in of[t]} - set(result))
            for more in points(inner):
                where, product = {**at, **dict(zip(inner, more))}, 1
                for t in term:
                    product *= tensors[t][tuple(where[v] for v in of[t])]
                total += product
        out[point] = total
    return out


def embeddings(indices, wanted):
    """The ways in which an operand's indices, in their order, are those of a function, with one coordinate (None) in the others."""
    for places in itertools.combinations(range(len(wanted)), len(indices)):
        yield [indices[places.index(n)] if n in places else None for n in range(len(wanted))]


def called(operands, names, of, fixed, images, tensors):
    """What a function makes of operands, for every coordinate of fixed indices: its indices and values; None: they are no such operands."""
    wanted, free, compute = operands
    image = {}
    for indices, embedded in zip(wanted, images):
        for v, w in zip(indices, embedded):
            if image.setdefault(v, w) != w:
                return None
    if len({w for w in image.values() if w}) != sum(w is not None for w in image.values()):
        return None
    kept = sorted(fixed) + [image[v] for v in free if image[v]]
    summed = [image[v] for v in image if v not in free and image[v]]
    made = {}
    for point in points(kept):
        at = dict(zip(kept, point))
        made[point] = 0
        for more in points(summed):
            where = {**at, **dict(zip(summed, more))}
            made[point] += compute(*[tensors[t][tuple(where[v] for v in of[t])] for t in names])
    return "".join(kept), made


def oracle(expression, functions):
    """All (function, operands) that compute a part."""
    _, result, of, terms = expression
    tensors = {t: {p: random.randint(2, 40) for p in points(indices)} for t, indices in of.items()}
    want, found = value(result, of, terms, tensors), set()
    shares.add(trivial=is_trivial([0] * (len(want) < 2) + list(want.values())))
    of, tensors = {**of, "1": ""}, {**tensors, "1": {(): 1}}
    for function in functions:
        operands = FUNCTIONS[TWINS.get(function, function)]
        scaled = operands[0][0] == ""  # by a number, which may be 1
        some = [t for t in of if t != "1"]
        for names in [*itertools.permutations(some, len(operands[0])), *(("1", *two) for two in itertools.permutations(some, len(operands[0]) - 1) if scaled)]:
            every = sorted({v for t in names for v in of[t]})
            for fixed in itertools.chain(*(itertools.combinations(every, n) for n in range(len(every) + 1))):
                kept = ["".join(v for v in of[t] if v not in fixed) for t in names]
                for images in itertools.product(*(embeddings(k, w) for k, w in zip(kept, operands[0]))):
                    made = called(operands, names, of, fixed, images, tensors)
                    if not made:
                        continue
                    # the rest: what the function made times the other factors of a term, or beside the other terms
                    tensors_of = frozenset(names) - {"1"}
                    for rest in rests(terms, tensors_of):
                        if made and value(result, {**of, "w": made[0]}, rest, {**tensors, "w": made[1]}) == want:
                            found.add((function, tensors_of))
    return found


def rests(terms, names):
    for term in terms:
        if set(names) <= set(term):
            yield [["w", *(t for t in term if t not in names)] if u is term else u for u in terms]
    whole = [t for t in terms if set(t) <= set(names)]
    if whole and set(names) == {t for u in whole for t in u}:
        yield [["w"], *(t for t in terms if t not in whole)]


def searched(expression, functions, depth):
    text, _, of, _ = expression
    paths = [pathlib.Path("functions") / f"{f}.xf" for f in functions]
    extents = " ".join(f"{v}:{n}" for v, n in EXTENT.items() if any(v in indices for indices in of.values()))
    done = subprocess.run([CASES, *paths], input=f"{text}\t{extents}\tsearch {depth}\n", capture_output=True, text=True)
    found = set()
    for one in done.stdout.strip("\n").split("\t"):
        bound = re.search(r"suchthat\((?:forall\(\w+, )*([\w(),]+) \+?= ([^=]*?)\)*, bind\((\w+)", one)
        if not bound:
            wrong.append((text, "a binding without a function:", one))
            continue
        found.add((bound.group(3), frozenset(t for t in of if re.search(rf"\b{t}\(", bound.group(2)))))
    return found


for expression in EXPRESSIONS:
    for functions in (FEW, MANY):
        want, begin = oracle(expression, functions), time.monotonic()
        got, seconds = searched(expression, functions, 3), time.monotonic() - begin
        if got != want:
            wrong.append((expression[0], len(functions), "functions: lacks", want - got, "has", got - want))
        print(f"{expression[0]}: {len(got)} parts and functions, of {len(functions)} functions, in {seconds:.3f} s")



def write(tensor, cells):
    path = FOLDER / f"{tensor}.tns"
    path.write_text("".join(" ".join(str(c + 1) for c in p) + f" {v}\n" for p, v in sorted(cells.items())))
    return ["-i", f"{tensor}:{path}"]


def run_all(expression, functions):
    """Runs every schedule listed by the command."""
    text, result, of, terms = expression
    tensors = {t: {p: random.randint(1, 40) for p in points(indices)} for t, indices in of.items()}
    common = ["--dtype", "int16", *itertools.chain(*(write(t, cells) for t, cells in tensors.items())), *itertools.chain(*(("--functions", f"functions/{f}.xf") for f in functions))]
    want = {p: (v + 0x8000) % 0x10000 - 0x8000 for p, v in value(result, of, terms, tensors).items()}
    done = subprocess.run([ONYX, "run", text, *common, "--search", "3", "--explain", "--engine", "cycle", "-o", FOLDER / "run"], capture_output=True, text=True)
    found = re.findall(r'^  \d+\. -s "(.*?)"(?: of (.*))?: [^:]*$', done.stdout, re.M)
    for schedule, right in found:
        out = FOLDER / "out.tns"
        left = text.split("=")[0]
        again = subprocess.run([ONYX, "run", f"{left}= {right}" if right else text, *common, "-s", schedule, "--engine", "sam", "-o", FOLDER / "one",
                                "-o", f"{left.split('(')[0].strip()}:{out}"], capture_output=True, text=True)
        got = {tuple(int(c) - 1 for c in words[:-1]): int(float(words[-1])) for words in map(str.split, out.read_text().splitlines()) if words} \
            if again.returncode == 0 else again.stderr
        if got != want:
            wrong.append((text, schedule, right, "has", got, "expected", want))
    print(f"{text}: {len(found)} schedules run")


if sys.argv[4:] == ["all"]:
    for expression in EXPRESSIONS:
        run_all(expression, [f for f in MANY if "package: " not in (pathlib.Path("functions") / f"{f}.xf").read_text()])

# Rewrites: how many it takes until a part is found.
REWRITES = [("x(i) = b(i) + c(i)", "axpy", "bc", 1),
            ("x(i) = a(i) * b(i) + a(i) * c(i)", "vector_add", "bc", 1), ("x(i) = a(i) * (b(i) + c(i))", "vector_add", "bc", 0),
            ("x(i) = a(i) * (b(i) + c(i))", "axpy", "abc", None),
            ("X(i,j) = B(i,k) * C(k,j) + B(i,k) * D(k,j)", "vector_add", "CD", 2), ("X(i,j) = B(i,k) * (C(k,j) + D(k,j))", "gemm", "BC", 1),
            ("y(i) = a(i) * b(i) + a(i) * c(i) + a(i) * d(i)", "vector_add", "bc", 1)]
for text, function, operands, first in REWRITES:
    of = {t: "".join(re.findall(r"\w", i)) for t, i in re.findall(r"(\w)\(([\w,]+)\)", text.split("=")[1])}
    for depth in range(4):
        there = (function, frozenset(operands)) in searched((text, "", of, None), list(FUNCTIONS), depth)
        if there != (first is not None and depth >= first):
            wrong.append((text, function, operands, "at depth", depth, "found" if there else "not found"))

# The command: what is found is listed and taken where it pays, and the result is right.
WIDE = ["-g", "B:20x30:1:1", "-g", "C:30x20:1:2", "-g", "D:20x20:0.02:3"]
for text, functions, more, binds in (("x(i) = a(i) * b(i) + a(i) * c(i)", "vector_add", ["-g", "a:10:1:1", "-g", "b:10:1:2", "-g", "c:10:1:3"], True),
                                     ("X(i,j) = D(i,j) * B(i,k) * C(k,j)", "gemm", WIDE, False)):
    done = subprocess.run([ONYX, "run", text, "--functions", f"functions/{functions}.xf", "--search", "3", "--explain", *more, "--engine", "cycle",
                           "-o", FOLDER / "run"], capture_output=True, text=True)
    listed = re.findall(r"^  (\d+)\. (.*): (\d+) cycles expected$", done.stdout, re.M)
    costs = [int(cost) for _, _, cost in listed]
    if done.returncode or "check: pass" not in done.stdout or len(listed) < 2 or costs != sorted(costs) or \
            binds != (f", on the host: {functions}" in done.stdout.replace("kernel w", "kernel w,").replace(",,", ",")) or \
            [what for _, what, _ in listed].count("as it stands") != 1:
        wrong.append((text, done.returncode, done.stdout, done.stderr))
# A search takes a factor out of sums of int16, and rewrites nothing of bf16, which that rounds otherwise; what a rewrite does not change is listed once.
for dtype, rewritten in (("int16", True), ("bf16", False)):
    done = subprocess.run([ONYX, "run", "x(i) = a(i) * b(i) + a(i) * c(i)", "--functions", "functions/vector_add.xf", "--functions", "functions/vector_multiply.xf", "--dtype", dtype,
                           "--search", "3", "--explain", "-g", "a:10:1:1", "-g", "b:10:1:2", "-g", "c:10:1:3", "--engine", "cycle", "-o", FOLDER / "run"], capture_output=True, text=True)
    if done.returncode or (" of a(i) * (b(i) + c(i)): " in done.stdout) != rewritten or \
            len(re.findall(r'^  \d+\. -s "map\(a\(i\) \* b\(i\), vector_multiply\)"', done.stdout, re.M)) != 1:
        wrong.append(("rewrites of", dtype, done.returncode, done.stdout, done.stderr))
absent = FOLDER / "absent.xf"
absent.write_text("name: absent\ncall: void absent(i, b, c, x)\ncapability: x(i) = b(i) + c(i)\ndatatypes: int16\nheaders: no_such_header.h\npackage: libno-such-dev\n")
for functions, taken in ((["functions/vector_add.xf"], "vector_add"), ([], None)):
    done = subprocess.run([ONYX, "run", "x(i) = a(i) + b(i)", "-g", "a:10:1:1", "-g", "b:10:1:2", "--search", "0", "--explain", "--engine", "cycle",
                           *itertools.chain(*(("--functions", f) for f in [absent, *functions])), "-o", FOLDER / "run"], capture_output=True, text=True)
    if done.returncode or "1. -s \"map(a(i) + b(i), absent)\": " not in done.stdout or "check: pass" not in done.stdout or \
            (f"on the host: {taken}" in done.stdout) != bool(taken):
        wrong.append(("a function that is not installed", done.returncode, done.stdout, done.stderr))
for more, code in ((["-s", "reorder(i)", "--search", "1"], "E0903-option-value"), (["--search", "4"], "E0903-option-value"),
                   (["--search", "1", "--engine", "sam"], "E0906-engine-option")):
    done = subprocess.run([ONYX, "run", "x(i) = a(i) * b(i)", "-g", "a:30:1:1", "-g", "b:30:1:2", *more, "-o", FOLDER / "run"], capture_output=True, text=True)
    if done.returncode != 1 or f"[{code}]" not in done.stderr:
        wrong.append((more, "expected", code, "got", done.returncode, done.stderr))
for one in wrong:
    print(*one)
sys.exit(len(wrong) + kept.count_wrong() > 0 or shares.failed())
