#!/usr/bin/env python3
"""200 bindings to functions that state expressions: valid ones made from descriptions by renaming, splitting, promoting and fixing indices, and
invalid ones made from such by one mutation, whose failing step is known; some are run and held against Python. Sizes of calls are held against all
sizes: bindings.py CASES ONYX FOLDER."""
import itertools
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys

from binding_cases import CASES, FOLDER, PATTERNS, Binding, answers, finish, paths, run, tell

valid, invalid = [], []
while len(valid) < 110:
    pattern = PATTERNS[len(valid) % len(PATTERNS)]
    b = Binding(pattern)
    b.rename()
    steps = random.sample(["promote", "fix", "split", "part", "map"], random.randint(0, 3))
    for step in sorted(steps, key=["promote", "fix", "split", "part", "map"].index):
        if step != "map":
            getattr(b, step)()
        elif not b.splits and not b.before:
            b.command = "map"
    valid.append(b)


def mutated(pattern, how):
    b = Binding(pattern)
    factors = [f for _, fs in b.terms for f in fs]
    if how == "datatypes":
        b.function = "halves"
    elif how == "another operand":
        b.terms[0][1].append(["N", []])
        return b, "operators"
    elif how == "another sign":
        if len(b.terms) < 2:
            return None
        b.terms[-1][0] = "-" if b.terms[-1][0] == "+" else "+"
        return b, "operators"
    elif how == "an operation less":
        if len(b.terms[0][1]) < 2 or any(v for v in b.terms[0][1][0][1] if v not in b.terms[0][1][1][1]):
            return None
        del b.terms[0][1][0]
        return (b, "operators") if b.terms[0][1] and set(b.result[1]) <= {v for _, fs in b.terms for f in fs for v in f[1]} else None
    elif how == "no reduction":
        if not b.reduced or len(b.terms) > 1:
            return None
        b.result[1] = b.result[1] + [b.var[b.reduced[0]]]
        return b, "operators"
    elif how == "a reduction":
        if b.reduced or not b.result[1] or any(b.result[1] != f[1] for f in factors):
            return None
        b.result[1] = []
        b.command = "bind"
        if len(b.terms) > 1:
            return b, "operators"
        return None  # of a product, the sum stays outside of it
    elif how == "swapped":
        some = [f for f in factors if len(f[1]) == 2 and sum(v in b.result[1] for v in f[1]) == 1]
        if not some or b.function == "symv":  # which takes them in any order
            return None
        random.choice(some)[1].reverse()
        return b, "index variables"
    elif how == "one index twice":
        if len(b.result[1]) < 2:
            return None
        gone, kept = b.result[1]
        for f in factors:
            f[1][:] = [kept if v == gone else v for v in f[1]]
        b.result[1] = [kept]
        del b.extent[gone]
        return b, "index variables"
    elif how == "promoted elsewhere":
        before = [list(f[1]) for f in factors]
        if not b.promote() or not any(len(x) > 1 and len(f[1]) < len(x) for x, f in zip(before, factors)):
            return None
        last = b.before[-1]
        at = int(re.search(r"(\d+)\)$", last).group(1))
        tensor = re.search(r"\((\w+),", last).group(1)
        order = next(len(f[1]) for f in factors if f[0] == tensor)
        if not order:
            return None
        b.before[-1] = f"promote({tensor},{(at + 1) % (order + 1)})"
        return b, "index variables"
    elif how == "not promoted":
        if not b.promote():
            return None
        b.before = [c for c in b.before if not c.startswith("promote")]
        gone = [v for v in b.reduced]
        return b, "index variables"
    elif how == "not fixed":
        b.fix()
        b.before = [c for c in b.before if not c.startswith("fix")]
        return b, "index variables"
    elif how == "a fixed reduction":
        if not b.reduced:
            return None
        b.before.append(f"fix({b.var[b.reduced[0]]})")
        return b, "index variables"
    elif how == "a cut sum":
        if b.function != "biased":
            return None
        b.splits.append(f"split({b.var['k']},ko,ku,2)")
        return b, "index variables"
    elif how == "no tag":
        if b.function != "symv":
            return None
        b.before = random.choice([[], [f"tag({b.called['x']},symmetric)"], [f"tag({b.called['A']},banded)"]])
        return b, "constraints"
    elif how == "an extent":
        if b.function == "symv":
            b.extent[b.var["i"]] += 1
        elif b.function == "small_gemm":
            b.extent[b.var[random.choice("ijk")]] = random.randint(5, 9)
        else:
            return None
        return b, "constraints"
    elif how == "a large part":
        if b.function != "small_gemm":
            return None
        v = b.var[random.choice("ijk")]
        b.extent[v] = 12
        b.splits.append(f"split({v},vo,vu,{random.randint(5, 11)})")
        return b, "constraints"
    elif how == "no extent":
        if b.function not in ("small_gemm", "symv"):
            return None
        del b.extent[b.var["i"]]
        return b, "constraints"
    elif how == "refused":
        if b.function != "dot":
            return None
        b.function = "picky"
        old = b.terms[0][1][0][0]
        b.terms[0][1][0][0] = "q" + old
        if random.random() < 0.5:
            b.terms[0][1].append(["N", []])  # the checker comes first
        return b, "checker"
    return b, how


KINDS = ["datatypes", "another operand", "another sign", "an operation less", "no reduction", "a reduction", "swapped", "one index twice",
         "promoted elsewhere", "not promoted", "not fixed", "a fixed reduction", "a cut sum", "no tag", "an extent", "a large part", "no extent", "refused"]
while len(invalid) < 90:
    how = KINDS[len(invalid) % len(KINDS)]
    for pattern in random.sample(PATTERNS, len(PATTERNS)):
        made = mutated(pattern, how)
        if made:
            invalid.append((how, *made))
            break
    else:
        sys.exit(f"no pattern for {how}")

lines = ["\t".join(b.text()) for b in valid] + ["\t".join(b.text()) for _, b, _ in invalid]
done = subprocess.run([CASES, *paths], input="\n".join(lines) + "\n", capture_output=True, text=True)
said = done.stdout.splitlines()
if done.returncode or len(said) != len(lines):
    sys.exit(f"{len(said)} of {len(lines)} answers: {done.stderr}")
for b, line, text in zip(valid, lines, said):
    if f"bind({b.function}" not in text or text.startswith("read back"):
        tell(b.done, line, text)
for (how, b, step), line, text in zip(invalid, lines[len(valid):], said[len(valid):]):
    if not re.match(rf"E0167-bind: '{b.function}' does not compute this: {step}: ", text):
        tell(how, line, f"expected {step}, got {text}")

# ---- some of each kind, to results ---------------------------------------------------------------

kinds = {}
for b in valid:
    kinds.setdefault((tuple(sorted(b.done)), b.command), b)
for number, b in enumerate([*kinds.values()][:12]):
    run(b, number)

shipped = sorted(p.stem for p in pathlib.Path("functions").glob("*.xf") if "\nname: " in p.read_text())
for name in shipped:
    base = re.sub("^(cblas|gsl|m3)_s?(?=ge|do|sy|ax|add|mul)", "", name)
    base = {"add": "vector_add", "multiply": "vector_multiply"}.get(base, base)
    b = Binding(next(p for p in PATTERNS if p[0] == base))
    b.function = name
    if base in ("gemm", "gemv", "dot"):
        b.part() if name == "gemm" else b.fix() if base == "gemv" else b.split()
    run(b, f"of_{name}", ("library",), "bf16" if name == "cblas_sgemm" else "int16")
    if base in ("gemm", "dot") and not b.mask and not name.startswith("m3_"):  # a factor on the array would be rounded by itself
        run(b, f"bf16_of_{name}", ("library",), "bf16")

for name in ("vector_add", "gemm"):  # what is not stored has a value; with a factor beside it, the result has none there
    b = Binding(next(p for p in PATTERNS if p[0] == name))
    b.part()
    b.fill = {b.terms[0][1][0][0]: -3}
    run(b, f"filled_{name}")

# ---- sizes of calls, against all of them --------------------------------------------------------------


def sized(when, extents):
    """The largest product of sizes that keeps a condition, in calls of it and at the ends."""
    best = 0
    for sizes in itertools.product(*[range(1, n + 1) for n in extents]):
        ends = [{s, n % s} - {0} for s, n in zip(sizes, extents)]
        if sizes[0] * sizes[1] * sizes[2] > best and all(when(*at) for at in itertools.product(*ends)):
            best = sizes[0] * sizes[1] * sizes[2]
    return best


SIZES = [("i * j * k <= 65535", None, (64, 64, 64)), ("words(X,2) < 60 && i != j", lambda i, j, k: i * j * k < 60 and i != j, (7, 7, 7)),
         ("i - k < 3 && 2 * j <= k", lambda i, j, k: i - k < 3 and 2 * j <= k, (9, 8, 7)),
         ("k - i < 3 && 2 * k <= j", lambda i, j, k: k - i < 3 and 2 * k <= j, (9, 8, 7)),
         ("(i < 3 || j > 4) && i + j + k <= 12", lambda i, j, k: (i < 3 or j > 4) and i + j + k <= 12, (9, 8, 7)),
         ("words(B,0) + words(C,1) / 2 <= 11 && k % 2 == 0", lambda i, j, k: i + i * j // 2 <= 11 and k % 2 == 0, (6, 5, 8)),
         ("i % 4 == 0", lambda i, j, k: i % 4 == 0, (10, 3, 3))]
for n, (when, holds, extents) in enumerate(SIZES):
    path = FOLDER / "cube.xf"
    path.write_text(f"name: cube\ncall: void cube(i, j, k, B, C, X)\ncapability: X(i,j,k) = B(i,j,k) + C(i,j,k) when {when}\ndatatypes: int16\nsource: cube.c\n")
    text = answers([path], [("Y(a,b,c) = D(a,b,c) + E(a,b,c)", " ".join(f"{v}:{n}" for v, n in zip("abc", extents)), "map(D(a,b,c) + E(a,b,c), cube)")])[0]
    product = 1
    for v, extent in zip("abc", extents):
        size = re.search(rf"split\({v},{v}0,{v}1,(\d+)\)", text)
        product *= int(size.group(1)) if size else extent
    want = 65520 if holds is None else sized(holds, extents)
    if (product != want) if want else ("E0167-bind: 'cube' does not compute this: constraints: " not in text):
        tell(when, extents, "expected", want, "got", product, text)
for when, extents, want in (("i <= 2048", (2000,), 2000), ("i * j <= 65536", (2000, 2000), 65536), ("i * j * k * l <= 65536", (20,) * 4, 65536), ("i == 8", (2000,), 8),
                            ("i == 8", (2001,), None)):  # of the last one a call of one coordinate is left
    at, of = ",".join("abcd"[:len(extents)]), ",".join("ijkl"[:len(extents)])
    path.write_text(f"name: cube\ncall: void cube({of}, B, C, X)\ncapability: X({of}) = B({of}) + C({of}) when {when}\ndatatypes: int16\nsource: cube.c\n")
    text = answers([path], [(f"Y({at}) = D({at}) + E({at})", " ".join(f"{v}:{n}" for v, n in zip("abcd", extents)), f"map(D({at}) + E({at}), cube)")])[0]
    product = math.prod(int((re.search(rf"split\({v},{v}0,{v}1,(\d+)\)", text) or [0, n])[1]) for v, n in zip("abcd", extents))
    if ("bind(cube)" not in text or product != want) if want else "constraints: " not in text:
        tell(when, extents, "expected", want, "got", product, text)



def quotient(a, b):
    return int(a / b) if b else 0


OPERATIONS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": quotient, "%": lambda a, b: a - b * quotient(a, b) if b else 0,
              "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "==": lambda a, b: a == b,
              "!=": lambda a, b: a != b, "||": lambda a, b: a or b, "&&": lambda a, b: a and b}
PARTS = {"i": lambda i, j, k: i, "j": lambda i, j, k: j, "k": lambda i, j, k: k, "words(B,0)": lambda i, j, k: i, "words(C,1)": lambda i, j, k: i * j,
         "words(X,2)": lambda i, j, k: i * j * k}
# SMT-LIB writes these operations so; its div rounds down where the divisor is above 0.
IN_SMT = {"words(B,0)": "i", "words(C,1)": "(* i j)", "words(X,2)": "(* i j k)", "==": "=", "!=": "distinct", "&&": "and", "||": "or", "/": "quotient", "%": "rest"}
SMT = """(define-fun whole ((a Int) (b Int)) Int (ite (= b 0) 0 (div (abs a) (abs b))))
(define-fun quotient ((a Int) (b Int)) Int (ite (= (< a 0) (< b 0)) (whole a b) (- (whole a b))))
(define-fun rest ((a Int) (b Int)) Int (ite (= b 0) 0 (- a (* b (quotient a b)))))
"""


def joined(signs, a, b):
    """A part of a condition: as text, as a function, and for z3."""
    sign = random.choice(signs)
    return f"({a[0]}) {sign} ({b[0]})", lambda *at: OPERATIONS[sign](a[1](*at), b[1](*at)), f"({IN_SMT.get(sign, sign)} {a[2]} {b[2]})"


def number(depth):
    if depth == 0 or random.random() < 0.3:
        n = random.randint(0, 40)
        return random.choice([*((t, f, IN_SMT.get(t, t)) for t, f in PARTS.items()), (str(n), lambda i, j, k: n, str(n))])
    return joined("+-*/%", number(depth - 1), number(depth - 1))


def condition(depth=1):
    if depth and random.random() < 0.4:
        return joined(["||"], condition(0), condition(0))
    return joined(["<", "<=", ">", ">=", "==", "!="], number(2), number(2))


def queries(holds, extents, best):
    """Asks whether sizes that keep the condition, in whole calls and at the ends, have the product `best`, and whether some have a larger one."""
    sizes = []
    for some in itertools.product(*[range(1, n + 1) for n in extents]):
        ends = itertools.product(*[{z, n % z} - {0} for z, n in zip(some, extents)])
        sizes.append(f"(and (= size {math.prod(some)}) {' '.join('(holds %d %d %d)' % at for at in ends)})")
    return f"""(push)(declare-const size Int)
(define-fun holds ((i Int) (j Int) (k Int)) Bool {holds})
(assert (or false {' '.join(sizes)}))
{f'(push)(assert (= size {best}))(check-sat)(pop)' if best else ''}(assert (> size {best}))(check-sat)(pop)
"""


cases, wanted, cubes = [], [], []
for n in range(1000):
    text, holds, smt = condition() if random.random() < 0.5 else joined(["&&"], condition(), condition())
    text = re.sub(r"^\((.*)\) && \((.*)\)$", r"\1 && \2", text)
    extents = tuple(random.randint(1, 5) for _ in "abc")
    cubes.append(FOLDER / f"cube{n}.xf")
    cubes[-1].write_text(f"name: cube{n}\ncall: void cube(i, j, k, B, C, X)\ncapability: X(i,j,k) = B(i,j,k) + C(i,j,k) when {text}\ndatatypes: int16\n")
    cases.append(("Y(a,b,c) = D(a,b,c) + E(a,b,c)", " ".join(f"{v}:{e}" for v, e in zip("abc", extents)), f"map(D(a,b,c) + E(a,b,c), cube{n})"))
    wanted.append((text, extents, sized(holds, extents), smt))
asked, expected = SMT, []
for (text, extents, want, smt), got in zip(wanted, answers(cubes, cases)):
    sizes = [int((re.search(rf"split\({v},{v}0,{v}1,(\d+)\)", got) or [0, e])[1]) for v, e in zip("abc", extents)]
    if (math.prod(sizes) != want or "bind(cube" not in got or "fix(" in got) if want else \
            ("constraints: " not in got and "fix(" not in got):
        tell(text, extents, "expected", want, "got", sizes, got)
    found = math.prod(sizes) if "bind(cube" in got and "fix(" not in got else 0
    asked += queries(smt, extents, found)
    expected += ["sat", "unsat"] if found else ["unsat"]
if shutil.which("z3"):
    said = subprocess.run(["z3", "-smt2", "-in"], input=asked, capture_output=True, text=True).stdout.split()
    if said != expected:
        tell("z3 finds other sizes", [n for n, (a, b) in enumerate(zip(said, expected)) if a != b], said[:9])
else:
    print("z3 is not installed: sizes are those of an enumeration in Python alone")
finish(len(valid), "valid,", len(invalid), "invalid,", min(len(kinds), 12) + len(shipped), "run")
