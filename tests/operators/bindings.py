#!/usr/bin/env python3
"""200 bindings to functions that state expressions: valid ones made from descriptions by renaming, splitting, promoting and fixing indices, and
invalid ones made from such by one mutation, whose failing step is known; some are run and held against Python: bindings.py CASES ONYX FOLDER."""
import itertools
import math
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys

sys.path.extend(str(pathlib.Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota, is_trivial  # noqa: E402

CASES, ONYX, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
kept = behaviour.watch(__file__, ONYX, FOLDER)
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
random.seed(21)
wrong, shares = [], Quota()

# name, result, terms of (sign, factors), reduced indices, more lines of the description; a factor is a tensor with its indices
CHECKED = re.compile(r"check: (pass|as the reference)")  # the second where 16 bits wrap
PATTERNS = [
    ("gemm", ("X", "ij"), [("+", [("B", "ik"), ("C", "kj")])], "k", []),
    ("gemv", ("y", "i"), [("+", [("A", "ik"), ("x", "k")])], "k", []),
    ("symv", ("y", "i"), [("+", [("A", "ik"), ("x", "k")])], "k", ["when i == k", "tags: A:symmetric"]),
    ("dot", ("a", ""), [("+", [("b", "i"), ("c", "i")])], "i", []),
    ("vector_add", ("x", "i"), [("+", [("b", "i")]), ("+", [("c", "i")])], "", []),
    ("vector_multiply", ("x", "i"), [("+", [("b", "i"), ("c", "i")])], "", []),
    ("axpy", ("y", "i"), [("+", [("a", ""), ("x", "i")]), ("+", [("z", "i")])], "", []),
    ("subtract", ("x", "i"), [("+", [("b", "i")]), ("-", [("c", "i")])], "", []),
    ("ttv", ("X", "ij"), [("+", [("B", "ijk"), ("c", "k")])], "k", []),
    ("small_gemm", ("X", "ij"), [("+", [("B", "ik"), ("C", "kj")])], "k", ["when i <= 4 && j <= 4 && words(B,1) + words(C,1) < 33 && k < 5"]),
    ("column_gemm", ("X", "ij"), [("+", [("B", "ik"), ("C", "kj")])], "k", ["formats: X:dd:1,0 B:dd:1,0 C:dd:1,0"]),
    ("biased", ("y", "i"), [("+", [("b", "i")]), ("+", [("A", "ik"), ("x", "k")])], "k", []),
    ("mttkrp", ("X", "ij"), [("+", [("B", "ikl"), ("C", "kj"), ("D", "lj")])], "kl", []),
]


def access(name, indices):
    return f"{name}({','.join(indices)})" if indices else name


def term(factors):
    return " * ".join(access(*f) for f in factors)


def expression(terms):
    return "".join((f" {sign} " if n or sign == "-" else "") + term(factors) for n, (sign, factors) in enumerate(terms))


def loops(pattern):
    """C that computes a pattern."""
    name, (result, indices), terms, reduced, more = pattern
    layout = dict(re.findall(r"(\w+):dd:(1,0)", " ".join(more)))
    every = sorted({v for _, factors in terms for _, of in factors for v in of})

    def place(tensor, of):
        of = of[::-1] if tensor in layout else of
        at = "0"
        for v in of:
            at = f"({at} * n{v} + {v})"
        return f"{tensor}[{at}]"
    body = ""
    for sign, factors in terms:
        around = [v for v in every if v in indices or any(v in of for _, of in factors)]
        value = " * ".join(place(t, of) if of else t for t, of in factors)
        body += "".join(f"for (int {v} = 0; {v} < n{v}; {v}++) " for v in around) + f"{place(result, indices)} {sign}= {value}; "
    parameters = [f"int n{v}" for v in every] + [f"const double {'*' if of else ''}{t}" for _, factors in terms for t, of in factors]
    arguments = every + [t for _, factors in terms for t, _ in factors] + [result]
    return f"static void {name}({', '.join(parameters + [f'double *{result}'])}) {{ {body}}}\n", f"void {name}({', '.join(arguments)})"


def describe(pattern):
    name, (result, indices), terms, _, more = pattern
    code, call = loops(pattern)
    (FOLDER / f"{name}.c").write_text(code)
    when = "".join(" " + line for line in more if line.startswith("when"))
    lines = [f"name: {name}", f"call: {call}", f"capability: {access(result, indices)} = {expression(terms)}{when}", "datatypes: int16, bf16",
             f"source: {name}.c", *[line for line in more if not line.startswith("when")]]
    path = FOLDER / f"{name}.xf"
    path.write_text("\n".join(lines) + "\n")
    return path


paths = [describe(p) for p in PATTERNS]
(FOLDER / "halves.xf").write_text("name: halves\ncall: void halves(i, b, x)\ncapability: x(i) = 0.5 * b(i)\ndatatypes: bf16\nsource: halves.c\n")
(FOLDER / "picky.c").write_text("#include <string.h>\nstatic double picky(int n, const double *b, const double *c) { return n * b[0] * c[0]; }\n"
                                "static int permits(const char *expression) { return !strchr(expression, 'q'); }\n")
(FOLDER / "picky.xf").write_text("name: picky\ncall: double picky(i, b, c)\ncapability: a = b(i) * c(i)\ndatatypes: int16\nsource: picky.c\nchecker: permits\n")
paths += [FOLDER / "halves.xf", FOLDER / "picky.xf"]

NAMES = [a + b for a in "BCDEFGHbcdefgh" for b in ("", "a", "e", "o")]
INDICES = [a + b for a in "ijklmnpqrs" for b in ("", "x", "z")]


class Binding:
    """A statement and a schedule that bind a pattern, with all choices open."""

    def __init__(self, pattern):
        self.function, (result, indices), terms, self.reduced, self.more = pattern
        every = sorted({v for _, factors in terms for _, of in factors for v in of})
        names = random.sample(NAMES, 8)
        self.var = dict(zip(every, random.sample(INDICES, len(every))))
        small = self.function == "small_gemm"
        self.extent = {self.var[v]: random.randint(2, 4) if small else random.randint(3, 9) for v in every}
        if self.function == "symv":
            self.extent[self.var["k"]] = self.extent[self.var["i"]]
        self.called, self.result = {}, [names[0], [self.var[v] for v in indices]]
        self.terms = []
        for sign, factors in terms:
            self.terms.append([sign, []])
            for t, of in factors:
                self.called[t] = names[len(self.called) + 1]
                self.terms[-1][1].append([self.called[t], [self.var[v] for v in of]])
        self.before = [f"tag({self.called['A']},symmetric)"] if self.function == "symv" else []
        self.splits, self.command, self.mask, self.fill = [], "bind", None, {}
        self.done = []

    def rename(self):
        """Renaming is in the constructor; this shuffles what has no order."""
        for _, factors in self.terms:
            random.shuffle(factors)
        if all(sign == "+" for sign, _ in self.terms):
            random.shuffle(self.terms)
        self.done.append("rename")

    def cuttable(self):
        return [self.var[v] for v in self.var if self.function != "biased" or v != "k"]

    def split(self):
        some = [] if self.function == "symv" else self.cuttable()  # of symv, parts of i and k would differ
        for v in random.sample(some, random.randint(min(1, len(some)), len(some))):
            self.splits.append(f"{random.choice(['split', 'divide'])}({v},{v}o,{v}u,{random.randint(2, 4)})")
        self.done.append("split")

    def promote(self):
        free = [v for v in self.result[1]]
        if not free or self.function == "symv":
            return False
        v = random.choice(free)
        operands = [f for _, factors in self.terms for f in factors if v in f[1]]
        self.result[1] = [r for r in self.result[1] if r != v]
        for operand in operands:
            self.before.append(f"promote({operand[0]},{operand[1].index(v)})")
            operand[1] = [o for o in operand[1] if o != v]
        del self.extent[v]
        self.var = {a: c for a, c in self.var.items() if c != v}
        self.done.append("promote")
        return True

    def fix(self):
        v = next(n for n in INDICES if n not in self.extent)
        self.extent[v] = random.randint(2, 4)
        everywhere = len(self.terms) > 1  # each term has it: an added operand without it would be repeated
        operands = [f for _, factors in self.terms for f in factors]
        for operand in operands if everywhere else random.sample(operands, random.randint(1, len(operands))):
            operand[1].insert(random.randint(0, len(operand[1])), v)
        self.result[1].insert(random.randint(0, len(self.result[1])), v)
        self.before.append(f"fix({v})")
        self.done.append("fix")

    def part(self):
        """A factor beside it, so that it is only a part of the right side."""
        if not self.result[1] or self.splits:
            return False
        self.mask = ["M", list(self.result[1])]
        self.done.append("part")
        return True

    def text(self):
        terms = ""
        for n, (sign, factors) in enumerate(self.terms):
            inner = sorted({v for _, of in factors for v in of} - set(self.result[1])) if len(self.terms) > 1 else []
            terms += f" {sign} " * (n > 0 or sign == "-") + "".join(f"sum({v}, " for v in inner) + term(factors) + ")" * len(inner)
        terms = terms.strip()
        right = terms
        if self.mask:
            right = access(*self.mask) + " * " + (f"({terms})" if len(self.terms) > 1 else terms)
        schedule = ", ".join([*self.splits, *self.before, f"{self.command}({terms}, {self.function})"])
        return f"{access(*self.result)} = {right}", " ".join(f"{v}:{n}" for v, n in self.extent.items()), schedule


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
        wrong.append((b.done, line, text))
for (how, b, step), line, text in zip(invalid, lines[len(valid):], said[len(valid):]):
    if not re.match(rf"E0167-bind: '{b.function}' does not compute this: {step}: ", text):
        wrong.append((how, line, f"expected {step}, got {text}"))
for one in wrong:
    print(*one)

# ---- some of each kind, to results ---------------------------------------------------------------


def int16(x):
    return (x + 0x8000) % 0x10000 - 0x8000


def bf16(x):
    """The nearest, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


WORD = {"int16": int16, "bf16": bf16}


def value(b, tensors, point, word=int16):
    """What the statement has at a point of the result, which becomes a word once, at the end."""
    at = dict(zip(b.result[1], point))
    total = 0
    for sign, factors in b.terms:
        inner = sorted({v for _, of in factors for v in of} - set(at))
        for more in itertools.product(*[range(b.extent[v]) for v in inner]):
            where, product = {**at, **dict(zip(inner, more))}, 1
            for name, of in factors:
                product *= tensors[name].get(tuple(where[v] for v in of), b.fill.get(name, 0))
            total += product if sign == "+" else -product
    if b.mask:
        total *= tensors["M"].get(tuple(at[v] for v in b.mask[1]), 0)
    return word(total)


def make(b):
    tensors = {}
    for name, of in [f for _, factors in b.terms for f in factors] + ([b.mask] if b.mask else []):
        every = list(itertools.product(*[range(b.extent[v]) for v in of]))
        tensors[name] = {p: random.choice([1, -2, 3, 7, 300, -1000]) for p in every if random.random() < 0.6 or not of or p == every[-1]}
        if any(f"tag({name}," in c for c in b.before):
            tensors[name] = {p: tensors[name].get(tuple(sorted(p)), 0) for p in every}
    return tensors


def run(b, number, functions=tuple(paths), dtype="int16"):
    tensors, arguments = make(b), []
    for name, cells in tensors.items():
        path = FOLDER / f"{name}.tns"
        path.write_text("".join(" ".join(str(c + 1) for c in p) + f" {v}\n" for p, v in sorted(cells.items()) if v) or f"{0}\n")
        arguments += ["-i", f"{name}:{path}"]
    text, extents, schedule = b.text()
    result = FOLDER / f"result{number}.tns"
    done = subprocess.run([ONYX, "run", text, "-s", schedule, *itertools.chain(*(("-d", e) for e in extents.split())), *arguments, "--engine", "sam", "--dtype", dtype,
                           *itertools.chain(*(("--functions", p) for p in functions)), *itertools.chain(*(("--fill", f"{t}:{v}") for t, v in b.fill.items())), "-o", FOLDER / "run", "-o", f"{b.result[0]}:{result}"],
                          capture_output=True, text=True)
    if functions == ("library",) and done.returncode == 1 and "[E0164-function-build]" in done.stderr and "apt install lib" in done.stderr:
        return []  # the functions of a package that is not there
    if done.returncode or not CHECKED.search(done.stdout):
        return [(text, schedule, done.stdout, done.stderr)]
    got = {tuple(int(c) - 1 for c in words[:-1]): float(words[-1]) for words in map(str.split, result.read_text().splitlines()) if words}
    want = {p: v for p in itertools.product(*[range(b.extent[v]) for v in b.result[1]]) if (v := value(b, tensors, p, WORD[dtype])) or not p}
    shares.add(trivial=is_trivial([0] * (not b.result[1]) + [want.get(p, 0) for p in itertools.product(*[range(b.extent[v]) for v in b.result[1]])]))
    return [] if {p: v for p, v in got.items() if v or not p} == want else [(text, schedule, got, want)]


kinds = {}
for b in valid:
    kinds.setdefault((tuple(sorted(b.done)), b.command), b)
for number, b in enumerate([*kinds.values()][:12]):
    wrong += run(b, number)
    if wrong:
        print(*wrong[-1])

shipped = sorted(p.stem for p in pathlib.Path("functions").glob("*.xf") if "\nname: " in p.read_text())
for name in shipped:
    base = re.sub("^(cblas|gsl|m3)_s?(?=ge|do|sy|ax|add|mul)", "", name)
    base = {"add": "vector_add", "multiply": "vector_multiply"}.get(base, base)
    b = Binding(next(p for p in PATTERNS if p[0] == base))
    b.function = name
    if base in ("gemm", "gemv", "dot"):
        b.part() if name == "gemm" else b.fix() if base == "gemv" else b.split()
    wrong += run(b, f"of_{name}", ("library",), "bf16" if name == "cblas_sgemm" else "int16")
    if base in ("gemm", "dot") and not b.mask and not name.startswith("m3_"):  # a factor on the array would be rounded by itself
        wrong += run(b, f"bf16_of_{name}", ("library",), "bf16")
    if wrong:
        print(*wrong[-1])

for name in ("vector_add", "gemm"):  # what is not stored has a value; with a factor beside it, the result has none there
    b = Binding(next(p for p in PATTERNS if p[0] == name))
    b.part()
    b.fill = {b.terms[0][1][0][0]: -3}
    wrong += run(b, f"filled_{name}")
    if wrong:
        print(*wrong[-1])

# ---- sizes of calls, against all of them --------------------------------------------------------------


def answers(files, cases):
    done = subprocess.run([CASES, *files], input="".join("\t".join(c) + "\n" for c in cases), capture_output=True, text=True)
    said = done.stdout.splitlines()
    return said if len(said) == len(cases) else [f"{len(said)} answers: {done.stderr}"] * len(cases)


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
        wrong.append((when, extents, "expected", want, "got", product, text))
        print(*wrong[-1])
for when, extents, want in (("i <= 2048", (2000,), 2000), ("i * j <= 65536", (2000, 2000), 65536), ("i * j * k * l <= 65536", (20,) * 4, 65536), ("i == 8", (2000,), 8),
                            ("i == 8", (2001,), None)):  # of the last one a call of one coordinate is left
    at, of = ",".join("abcd"[:len(extents)]), ",".join("ijkl"[:len(extents)])
    path.write_text(f"name: cube\ncall: void cube({of}, B, C, X)\ncapability: X({of}) = B({of}) + C({of}) when {when}\ndatatypes: int16\nsource: cube.c\n")
    text = answers([path], [(f"Y({at}) = D({at}) + E({at})", " ".join(f"{v}:{n}" for v, n in zip("abcd", extents)), f"map(D({at}) + E({at}), cube)")])[0]
    product = math.prod(int((re.search(rf"split\({v},{v}0,{v}1,(\d+)\)", text) or [0, n])[1]) for v, n in zip("abcd", extents))
    if ("bind(cube)" not in text or product != want) if want else "constraints: " not in text:
        wrong.append((when, extents, "expected", want, "got", product, text))
        print(*wrong[-1])



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
        wrong.append((text, extents, "expected", want, "got", sizes, got))
        print(*wrong[-1])
    found = math.prod(sizes) if "bind(cube" in got and "fix(" not in got else 0
    asked += queries(smt, extents, found)
    expected += ["sat", "unsat"] if found else ["unsat"]
if shutil.which("z3"):
    said = subprocess.run(["z3", "-smt2", "-in"], input=asked, capture_output=True, text=True).stdout.split()
    if said != expected:
        wrong.append(("z3 finds other sizes", [n for n, (a, b) in enumerate(zip(said, expected)) if a != b], said[:9]))
        print(*wrong[-1])
else:
    print("z3 is not installed: sizes are those of an enumeration in Python alone")

# ---- symmetric operands, whose indices may have any order ------------------------------------------------

CUBE = FOLDER / "symmetric_cube.xf"
CUBE.write_text("name: symmetric_cube\ncall: void symmetric_cube(i, j, k, A, b, X)\ncapability: X(i,j) = A(i,j,k) * b(k) when i == j && j == k\n"
                "datatypes: int16\ntags: A:symmetric\nsource: symmetric_cube.c\n")
cases, wanted = [], []
for order in itertools.permutations("ijk"):
    for tag in ("tag(S,symmetric), ", ""):
        e = f"S({','.join(order)}) * b(k)"
        cases.append((f"X(i,j) = {e}", "i:3 j:3 k:3", f"{tag}bind({e}, symmetric_cube)"))
        wanted.append("bind(symmetric_cube,tag(S,symmetric))" if tag else "constraints: A is S" if order == ("i", "j", "k") else
                      "constraints: A is S" if order == ("j", "i", "k") else "index variables: ")
for index in ("i,k", "k,i"):
    for tag, says in (("tag(S,symmetric), ", "bind(symv,tag(S,symmetric))"), ("", "constraints: A is S(i,k)" if index == "i,k" else "index variables: "),
                      ("tag(x,symmetric), ", "constraints: A is S(i,k)" if index == "i,k" else "index variables: ")):
        cases.append((f"y(i) = S({index}) * x(k)", "i:6 k:6", f"{tag}bind(S({index}) * x(k), symv)"))
        wanted.append(says)
for case, want, got in zip(cases, wanted, answers([*paths, CUBE], cases)):
    if want not in got:
        wrong.append((case, "expected", want, "got", got))
        print(*wrong[-1])
for command in ("bind", "map"):  # values, where an entry of either half alone is stored as a zero or not at all
    b = Binding(next(p for p in PATTERNS if p[0] == "symv"))
    b.terms[0][1][[len(of) for _, of in b.terms[0][1]].index(2)][1].reverse()
    b.command = command
    wrong += run(b, f"turned_{command}")
    if wrong:
        print(*wrong[-1])

# ---- symmetric workspaces, against matrices of numbers -------------------------------------------------


def symmetric_factor():
    """A factor as text of two indices, and as its value at two coordinates."""
    t, how = random.choice("ABS"), random.randrange(5)
    if how == 0:
        return lambda a, b: f"d({a})", lambda m, a, b: m["d"][a]
    if how == 1:
        u = random.choice("ABS")
        return lambda a, b: f"sum(l, {t}({a},l) * {u}({b},l))", lambda m, a, b: sum(m[t][a][l] * m[u][b][l] for l in range(4))
    return (lambda a, b: f"{t}({a},{b})", lambda m, a, b: m[t][a][b]) if how < 4 else (lambda a, b: f"{t}({b},{a})", lambda m, a, b: m[t][b][a])


def mirrored(factors):
    return [(lambda a, b, f=f: f[0](b, a), lambda m, a, b, f=f: f[1](m, b, a)) for f in factors]


def is_mirrored(terms):
    """By values: an identity of polynomials of low degree that holds for some random numbers holds."""
    numbers = {t: [[random.randint(-99, 99) for _ in range(4)] for _ in range(4)] for t in "AB"} | {"d": [random.randint(-99, 99) for _ in range(4)]}
    half = [[random.randint(-99, 99) for _ in range(4)] for _ in range(4)]
    numbers["S"] = [[half[min(a, b)][max(a, b)] for b in range(4)] for a in range(4)]
    at = [[sum(math.prod(f[1](numbers, a, b) for f in factors) for factors in terms) for b in range(4)] for a in range(4)]
    return all(at[a][b] == at[b][a] for a in range(4) for b in range(a))


cases, wanted = [], []
for n in range(200):
    terms = [[symmetric_factor() for _ in range(random.randint(1, 2))] for _ in range(random.randint(1, 2))]
    if n % 2:
        terms += [random.sample(turned := mirrored(factors), len(turned)) for factors in terms]
        random.shuffle(terms)
    texts = [" * ".join(f[0]("i", "k") for f in factors) for factors in terms]
    if len(texts) == 1 == len(terms[0]) or any({"i", "k"} - set(re.findall(r"\b[ik]\b", t)) for t in texts):
        continue  # a term that is repeated along an index would be a workspace of fewer indices; a tensor alone is none
    e = f"({' + '.join(texts)}) * x(k)"
    cases.append((f"y(i) = {e}", "i:4 k:4" + " l:4" * ("l" in e), ("tag(S,symmetric), " if "S(" in e else "") + f"accelerate({e}, symv)"))
    wanted.append((is_mirrored(terms), n % 2))
symmetric = 0
for case, (holds, made), got in zip(cases, wanted, answers(paths, cases)):
    found = "bind(symv" in got and "tag(w,symmetric)" in got
    symmetric += found
    if found != holds or (made and not holds) or (not found and "constraints: A is w(i,k), which has no tag 'symmetric'" not in got):
        wrong.append((case, "is symmetric" if holds else "is not symmetric", "got", got))
        print(*wrong[-1])
if not 40 <= symmetric <= len(cases) - 40:
    wrong.append((symmetric, "symmetric ones of", len(cases)))

SYMV = "accelerate(({}) * x(k), symv)"
for e, dtype, says in (("A(i,k) + A(k,i)", "bf16", None), ("A(i,k) + A(k,i) + d(i) * d(k)", "bf16", None), ("d(i) * d(k) + A(i,k) + A(k,i)", "int16", None),
                       ("A(i,k) + d(i) * d(k) + A(k,i)", "bf16", "has no tag 'symmetric'"),  # added up in another order
                       ("mask(S(i,k), A(i,k) + A(k,i))", "int16", "has no tag 'symmetric'")):  # of S a zero may be stored on one side
    done = subprocess.run([ONYX, "run", f"y(i) = ({e}) * x(k)", "-s", ("tag(S,symmetric), " if "S(" in e else "") + SYMV.format(e), "--functions", "library", "--dtype", dtype, "--engine", "sam", "-o", FOLDER / "run",
                           *itertools.chain(*(("-g", f"{t}:{n}") for t, n in (("A", "9x9:0.4:1"), ("S", "9x9:0.4:1"), ("d", "9:1:2"), ("x", "9:1:3")) if f"{t}(" in f"{e}x("))], capture_output=True, text=True)
    if (says not in done.stderr if says else done.returncode or not CHECKED.search(done.stdout)):
        wrong.append((e, dtype, "expected", says, "got", done.stdout, done.stderr))
        print(*wrong[-1])

# ---- how far off a function may be ----------------------------------------------------------------------

(FOLDER / "near.c").write_text("static double near(int n, const double *b, const double *c) { double a = 0; while (n--) a += b[n] * c[n]; return a * 1.00001; }\n")
for line, right in (("", False), ("accuracy: 1e-6\n", False), ("accuracy: 2e-5\n", True), ("accuracy: 0\n", None), ("accuracy: 1 2\n", None)):
    (FOLDER / "near.xf").write_text(f"name: near\ncall: double near(i, b, c)\ncapability: a = b(i) * c(i)\ndatatypes: bf16\nsource: near.c\n{line}")
    done = subprocess.run([ONYX, "functions", "check", FOLDER / "near.xf"], capture_output=True, text=True)
    if (done.returncode, "[E0166-function-check]" in done.stderr, "near.xf:6:11: " in done.stderr) != {True: (0, False, False), False: (3, True, False), None: (1, False, True)}[right]:
        wrong.append((line, right, done.returncode, done.stdout, done.stderr))
        print(*wrong[-1])

# ---- fixed point that saturates --------------------------------------------------------------------------

(FOLDER / "fixed.c").write_text("""static short clamp(long long x) { return x > 32767 ? 32767 : x < -32768 ? -32768 : x; }
static void add(int n, const short *b, const short *c, short *x) { while (n--) x[n] = clamp(b[n] + c[n]); }
static int dot(int n, const short *b, const short *c) { long long a = 0; while (n--) a += b[n] * c[n]; return clamp(a >> 15); }
static void wrapping(int n, const short *b, const short *c, short *x) { while (n--) x[n] = b[n] + c[n]; }
static int integers(int n, const short *b, const short *c) { long long a = 0; while (n--) a += b[n] * c[n]; return clamp(a); }
""")
for name, call, says in (("add", "void add(i, b, c, x)", None), ("dot", "int dot(i, b, c)", None), ("wrapping", "void wrapping(i, b, c, x)", "E0166-function-check"),
                         ("integers", "int integers(i, b, c)", "E0166-function-check")):
    of = "x(i) = b(i) + c(i)" if "void" in call else "a = b(i) * c(i)"
    path = FOLDER / f"fixed_{name}.xf"
    path.write_text(f"name: fixed_{name}\ncall: {call}\ncapability: {of}\ndatatypes: q15\nsource: fixed.c\nruns: m3\n")
    done = subprocess.run([ONYX, "functions", "check", path], capture_output=True, text=True)
    if done.returncode != (3 if says else 0) or (f"[{says}]" not in done.stderr or "of q15, where i = " not in done.stderr if says else not done.stdout.startswith("1 checked")):
        wrong.append((name, done.returncode, done.stdout, done.stderr))
        print(*wrong[-1])
    e = of.split("= ")[1]
    got = [*answers([path], [(of, "i:4", f"{how}({e}, fixed_{name})") for how in ("bind", "map")]), *answers([path], [(of, "i:4", "search 3")])]
    want = f"E0167-bind: 'fixed_{name}' does not compute this: datatypes: it is of q15, which saturates where int16 wraps"
    if not all(text.startswith(want) for text in got[:2]) or "fixed" in got[2]:  # the search has none of it, by whatever rewrites
        wrong.append((name, got))
        print(*wrong[-1])
    done = subprocess.run([ONYX, "run", of, "-s", f"bind({e}, fixed_{name})", "--functions", path, "--dtype", "bf16", "-g", "b:4:1:1", "-g", "c:4:1:2", "--engine", "sam", "-o", FOLDER / "run"], capture_output=True, text=True)
    if done.returncode != 1 or "datatypes: it is of q15" not in done.stderr:
        wrong.append((name, "bf16", done.stdout, done.stderr))
        print(*wrong[-1])
for text, place in (("capability: Z(i) = f(X(i))\ndatatypes: q15", "3:12"), ("capability: Z(i) = f(X(i))\ndatatypes: q15, int16", "3:12"), ("capability: Z(i) = f(X(i))\ndatatypes: q31", "3:12")):
    (FOLDER / "fixed.xf").write_text(f"call: int f(X)\n{text}\nsource: fixed.c\nruns: m3\n")
    done = subprocess.run([ONYX, "functions", "--functions", FOLDER / "fixed.xf"], capture_output=True, text=True)
    if done.returncode != 1 or "[E0163-description]" not in done.stderr or f"fixed.xf:{place}:" not in done.stderr:
        wrong.append((text, done.stderr))
        print(*wrong[-1])

# ---- tags that follow by rules of the user's -------------------------------------------------------------

RULES = FOLDER / "rules"
RULES.mkdir()
for name, text in (("sum", "R(i,j) = A(i,j) + B(i,j)\ntags: A:banded B:banded"), ("scaled", "R(i,j) = a * A(i,j)\ntags: A:banded"),
                   ("turned", "R(i,j) = A(j,i)\ntags: A:banded"), ("product", "R(i,j) = A(i,k) * B(k,j) when i <= 6\ntags: A:diagonal B:banded")):
    (RULES / f"{name}.xf").write_text(f"# what is banded\nrule: banded\ncapability: {text}\ndatatypes: int16\n")
(RULES / "banded_mv.c").write_text("static void banded_mv(int n, int m, const double *a, const double *x, double *y) { for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) y[i] += a[i * m + k] * x[k]; }\n")
(RULES / "banded_mv.xf").write_text("name: banded_mv\ncall: void banded_mv(i, k, A, x, y)\ncapability: y(i) = A(i,k) * x(k)\ndatatypes: int16\ntags: A:banded\nsource: banded_mv.c\n")
TAGGED = [  # what the workspace is, tags that are said, whether it is banded
    ("C(i,k) + D(i,k)", "CD", True), ("C(i,k) + D(i,k)", "C", False), ("D(i,k) + C(i,k)", "CD", True), ("C(k,i) + D(k,i)", "CD", False), ("3 * C(i,k)", "C", True),
    ("C(i,k) * D(i,k)", "CD", False), ("C(i,k) - D(i,k)", "CD", False), ("C(i,k) + D(i,k) + E(i,k)", "CDE", False), ("C(i,k) + C(i,k)", "C", True), ("d(i) * C(i,k)", "C", False)]
cases = [(f"y(i) = ({e}) * x(k)", "i:6 k:6", "".join(f"tag({t},banded), " for t in tags) + f"accelerate(({e}) * x(k), banded_mv)") for e, tags, _ in TAGGED]
cases.append(("y(i) = (C(i,k) + D(i,k)) * x(k)", "i:6 k:6", "tag(C,banded), tag(D,banded), precompute(C(i,k) + D(i,k),{i,k},{i,k},w), bind(w(i,k) * x(k), banded_mv)"))
cases.append(("y(i) = (C(i,k) + D(i,k) + E(i,k)) * x(k)", "i:6 k:6", "tag(C,banded), tag(D,banded), tag(E,banded), "
              "precompute(C(i,k) + D(i,k),{i,k},{i,k},v), precompute(v(i,k) + E(i,k),{i,k},{i,k},w), bind(w(i,k) * x(k), banded_mv)"))
for extent in (6, 7):  # a rule has conditions, too
    cases.append(("y(i) = C(i,l) * D(l,k) * x(k)", f"i:{extent} k:5 l:4", "tag(C,diagonal), tag(D,banded), precompute(C(i,l) * D(l,k),{i,k},{i,k},w), bind(w(i,k) * x(k), banded_mv)"))
for case, holds, got in zip(cases, [*(holds for *_, holds in TAGGED), True, True, True, False], answers(sorted(RULES.glob("*.xf")), cases)):
    if ("tag(w,banded)" in got and "bind(banded_mv" in got) if not holds else ("tag(w,banded)" not in got or "bind(banded_mv" not in got):
        wrong.append((case, "is banded" if holds else "is not banded", "got", got))
        print(*wrong[-1])
done = subprocess.run([ONYX, "functions", "--functions", RULES], capture_output=True, text=True)
if not re.search(r"^=> banded +rule +int16 +R\(i,j\) = A\(i,j\) \+ B\(i,j\), A:banded, B:banded +\S+sum.xf$", done.stdout, re.M):
    wrong.append(("the list has no rule", done.stdout, done.stderr))
    print(*wrong[-1])
done = subprocess.run([ONYX, "run", "y(i) = (C(i,k) + D(i,k)) * x(k)", "-s", cases[0][2], "--functions", RULES, "-g", "C:6x6:0.5:1", "-g", "D:6x6:0.5:2", "-g", "x:6:1:3", "--engine", "sam", "-o", FOLDER / "run"],
                      capture_output=True, text=True)
if done.returncode or "on the host: banded_mv" not in done.stdout or not CHECKED.search(done.stdout):
    wrong.append(("a rule", done.stdout, done.stderr))
    print(*wrong[-1])
for text, says, place in (("rule: banded", "the rule has no 'capability'", "1:1"), ("rule: 7", "expected a tag", "1:7"), ("rule: banded\ncapability: R(i) = A(i)", "the rule has no 'datatypes'", "1:1"),
                          ("rule: banded\ncapability: R(i) = A(i)\ndatatypes: int16\ncall: void f(A)", "has no 'call'", "1:1"),
                          ("rule: banded\ncapability: R(i) = A(i)\ndatatypes: int16\ntags: R:banded", "tags:", "4:7")):
    (FOLDER / "rule.xf").write_text(text + "\n")
    done = subprocess.run([ONYX, "functions", "--functions", FOLDER / "rule.xf"], capture_output=True, text=True)
    if done.returncode != 1 or f"rule.xf:{place}:" not in done.stderr or (says not in done.stderr):
        wrong.append((text, "expected", says, place, "got", done.stderr))
        print(*wrong[-1])

# ---- lists of indices, for each order -------------------------------------------------------------------

LISTS = FOLDER / "lists"
LISTS.mkdir()
(LISTS / "add.c").write_text("static void add(int order, const int *extent, const double *b, const double *c, double *x) { int n = 1;\n"
                             "    while (order--) n *= *extent++;\n    for (int i = 0; i < n; i++) x[i] = b[i] + c[i];\n}\n")
(LISTS / "contract.c").write_text("static void contract(int oi, const int *i, int oj, const int *j, int k, const double *b, const double *c, double *x) {\n"
                                  "    int rows = 1, columns = 1;\n    while (oi--) rows *= *i++;\n    while (oj--) columns *= *j++;\n"
                                  "    for (int r = 0; r < rows; r++) for (int l = 0; l < k; l++) for (int s = 0; s < columns; s++)\n"
                                  "        x[r * columns + s] += b[r * k + l] * c[l * columns + s];\n}\n")
RANGES = {"(1...)": (1, 12), "(2...)": (2, 12), "(1...4)": (1, 4), "(2...4)": (2, 4)}


def list_file(name, lists, call, capability):
    path = LISTS / f"{name}.xf"
    path.write_text("".join(f"list: {one}\n" for one in lists) + f"name: {name}\ncall: void {call}\ncapability: {capability}\ndatatypes: int16\nsource: {call.split('(')[0]}.c\n")
    return path


def over(vs):
    return f"({','.join(vs)})" if vs else ""


cases, wanted, files = [], [], []
for n, (text, (least, most)) in enumerate(RANGES.items()):
    files.append(list_file(f"add{n}", ["I" + text], "add(order(I), I, b, c, x)", "x(I...) = b(I...) + c(I...)"))
    files.append(list_file(f"rows{n}", ["I" + text], "add(order(I), I, b, c, x)", "x(I...,m,n) = b(I...,m,n) + c(I...,m,n)"))
    for order in range(1, 7):
        at = over("pqrstu"[:order])
        for name, beside in ((f"add{n}", 0), (f"rows{n}", 2)):
            cases.append((f"X{at} = B{at} + C{at}", " ".join(f"{v}:3" for v in "pqrstu"[:order]), f"bind(B{at} + C{at}, {name})"))
            wanted.append(f"bind({name}_{order - beside})" if least <= order - beside <= most else "index variables: ")
files.append(list_file("contract", ["I(1...2)", "J(...3)"], "contract(order(I), I, order(J), J, k, B, C, X)", "X(I...,J...) = B(I...,k) * C(k,J...)"))
for a, b in itertools.product(range(1, 4), range(5)):
    i, j = "pqr"[:a], "stuv"[:b]
    e = f"B{over([*i, 'k'])} * C{over(['k', *j])}"
    cases.append((f"X{over([*i, *j])} = {e}", " ".join(f"{v}:3" for v in [*i, *j, "k"]), f"bind({e}, contract)"))
    wanted.append(f"bind(contract_{a}_{b})" if a < 3 and b < 4 else "index variables: ")
for case, want, got in zip(cases, wanted, answers(files, cases)):
    if want not in got:
        wrong.append((case, "expected", want, "got", got))
        print(*wrong[-1])

CONDITIONS = {"product(I) <= 40": lambda e: math.prod(e) <= 40, "all(I, I < 6)": lambda e: all(n < 6 for n in e), "any(I, I == 4)": lambda e: 4 in e,
              "order(I) * 3 >= I1": lambda e: len(e) * 3 >= e[0], "product(I) < 99 && all(I, I % 2 == 0 || I > 3)": lambda e: math.prod(e) < 99 and all(n % 2 == 0 or n > 3 for n in e)}
files = [list_file(f"when{n}", ["I(1...4)"], "add(order(I), I, b, c, x)", f"x(I...) = b(I...) + c(I...) when {text}") for n, text in enumerate(CONDITIONS)]
cases, wanted = [], []
for n in range(200):
    which, extents = n % len(CONDITIONS), [random.randint(1, 7) for _ in range(random.randint(1, 4))]
    at = over("pqrs"[:len(extents)])
    cases.append((f"X{at} = B{at} + C{at}", " ".join(f"{v}:{e}" for v, e in zip("pqrs", extents)), f"bind(B{at} + C{at}, when{which})"))
    wanted.append(f"bind(when{which}_{len(extents)})" if [*CONDITIONS.values()][which](extents) else "constraints: ")
for case, want, got in zip(cases, wanted, answers(files, cases)):
    if want not in got:
        wrong.append((case, "expected", want, "got", got))
        print(*wrong[-1])

# map takes the member of which least has to be said; accelerate finds it by the same name. They run, and hold to what they state.
for text, schedule, says in (("X(p,q) = B(p,q) + C(p,q)", "map(B(p,q) + C(p,q), add0)", "on the host: add0_2"),
                             ("X(p,q,r) = B(p,k) * C(k,q,r)", "map(B(p,k) * C(k,q,r), contract)", "on the host: contract_1_2"),
                             ("X(p,q) = (A(p,k) + A(k,p)) * C(k,q)", "accelerate((A(p,k) + A(k,p)) * C(k,q), contract)", "on the host: contract_1_1")):
    done = subprocess.run([ONYX, "run", text, "-s", schedule, "--functions", LISTS / "add0.xf", "--functions", LISTS / "contract.xf", "--engine", "sam", "-o", FOLDER / "run",
                           *itertools.chain(*(("-g", f"{t}:{'x'.join('5' * (of.count(',') + 1))}:0.5:{n}") for n, (t, of) in enumerate(dict(re.findall(r"([ABC])\(([^()]*)\)", text.split("=")[1])).items())))],
                          capture_output=True, text=True)
    if done.returncode or not CHECKED.search(done.stdout) or says not in done.stdout:
        wrong.append((text, schedule, done.stdout, done.stderr))
        print(*wrong[-1])
done = subprocess.run([ONYX, "functions", "check", LISTS / "contract.xf"], capture_output=True, text=True)
if not done.stdout.startswith("8 checked"):
    wrong.append(("lists, checked", done.stdout, done.stderr))
    print(*wrong[-1])
for lists, says, place in ((["I(3...2)"], "expected a name and how many", "1:7"), (["I(1..2)"], "expected a name and how many", "1:7"), (["I(...13)"], "expected a name and how many", "1:7"),
                           (["I(...)", "J(...)"], "more than 64 lengths", "1:1"), (["I(1...2)"] * 5, "at most 4 lists", "5:7"), (["I"], "expected a name and how many", "1:7")):
    path = list_file("mistake", lists, "add(order(I), I, b, c, x)", "x(I...) = b(I...) + c(I...)")
    done = subprocess.run([ONYX, "functions", "--functions", path], capture_output=True, text=True)
    if done.returncode != 1 or "[E0163-description]" not in done.stderr or says not in done.stderr or f"mistake.xf:{place}:" not in done.stderr:
        wrong.append((lists, "expected", says, place, "got", done.stderr))
        print(*wrong[-1])

# ---- messages ------------------------------------------------------------------------------------------

X = ("X(i,j) = B(i,k) * C(k,j)", "i:5 j:6 k:7")
E = "B(i,k) * C(k,j)"
V = ("y(i) = S(i,k) * x(k)", "i:6 k:6")
SAID = [  # schedule, what is said or written
    (f"fix(i,j), bind({E}, dot)", "suchthat(forall(i, forall(j, forall(k, X(i,j) += B(i,k) * C(k,j)))), bind(dot,fix(i,j)))"),
    (f"map({E}, dot)", "suchthat(forall(i, forall(j, forall(k, X(i,j) += B(i,k) * C(k,j)))), bind(dot,fix(i,j)))"),
    (f"bind(sum(k, {E}), gemm)", "suchthat(forall(i, forall(j, forall(k, X(i,j) += B(i,k) * C(k,j)))), bind(gemm))"),
    ("bind(B(i,k), gemm)", "E0167-bind: 'gemm' does not compute this: operators: they are not those of X(i,j) = sum(k, B(i,k) * C(k,j))"),
    (f"map({E}, small_gemm)", "suchthat(forall(i0, forall(i1, forall(j0, forall(j1, forall(k0, forall(k1, X(i,j) += B(i,k) * C(k,j))))))), "
                              "split(i,i0,i1,4), split(j,j0,j1,4), split(k,k0,k1,4), bind(small_gemm))"),
    (f"bind({E}, small_gemm)", "E0167-bind: 'small_gemm' does not compute this: constraints: i <= 4 does not hold, where i is 5"),
    (f"bind({E}, symv)", "E0167-bind: 'symv' does not compute this: index variables: none match those of y(i) = sum(k, A(i,k) * x(k)) when i == k"),
    ("split(i,io,iu,2), split(k,ko,ku,2), tag(S,symmetric), bind(S(i,k) * x(k), symv)", "E0167-bind: 'symv' does not compute this: constraints: A is a part of S(i,k) in each call, and no part has the tag 'symmetric'"),
    ("tag(S,symmetric), bind(S(i,k) * x(k), symv)", "suchthat(forall(i, forall(k, y(i) += S(i,k) * x(k))), bind(symv,tag(S,symmetric)))"),
    ("tag(S,banded), bind(S(i,k) * x(k), symv)", "E0167-bind: 'symv' does not compute this: constraints: A is S(i,k), which has no tag 'symmetric'"),
    (f"split(i,io,iu,2), fix(iu), bind({E}, gemm)", "E0167-bind: loop 'iu' is a part of another"),
    (f"split(i,io,iu,2), split(iu,ip,iv,2), bind({E}, gemm)", "E0141-replaced-loop: the kernel has been scheduled already"),
    (f"split(i,io,iu,2), map({E}, gemm)", "E0141-replaced-loop: the kernel has been scheduled already"),
    (f"split(i,io,iu,2), bind(B(i,k), vector_add)", "E0141-replaced-loop: the kernel has been scheduled already"),
    (f"unroll(i,2), bind({E}, gemm)", "E0141-replaced-loop: the kernel has been scheduled already"),
    (f"map({E}, cgra, gemm, 1)", "E0102-syntax: expected 'host', or a function of --functions that is described, found 'cgra'"),
    (f"map({E}, gemm, gemm, 1)", "E0167-bind: map has an expression and a function"),
    (f"map({E}, host)", "E0167-bind: nothing is to be found for the host: it computes any expression"),
    (f"fix(i), bind({E}, host)", "E0167-bind: fix, promote and tag are for functions that state an expression"),
    ("fix(i)", "E0167-bind: this is about the bind or map that comes next, and none does"),
    ("fix(q)", "E0114-schedule-variable: the expression has no index variable 'q'"),
    ("promote(X,0)", "E0103-unknown-tensor: the expression has no operand 'X'"),
    ("promote(B,3)", "E0142-number: 3 is no whole number from 0 to 2"),
    ("tag(B,2)", "E0102-syntax: expected a tag, found '2'"),
]
for (schedule, want), got in zip(SAID, answers(paths, [(*(V if "S(" in schedule else X), schedule) for schedule, _ in SAID])):
    if got != want:
        wrong.append((schedule, "expected", want, "got", got))
        print(*wrong[-1])

PICKY = [("a = q(i) * c(i)", "bind(q(i) * c(i), picky)", "checker"), ("a = q(i) * c(i) * d(i)", "bind(q(i) * c(i) * d(i), picky)", "checker"),
         ("a = q(i) * c(i)", "map(q(i) * c(i), picky)", "checker"), ("a = q(i) * c(i) * d(i)", "map(q(i) * c(i) * d(i), picky)", "operators")]
for (text, schedule, step), got in zip(PICKY, answers(paths, [(text, "i:4", schedule) for text, schedule, _ in PICKY])):
    if not got.startswith(f"E0167-bind: 'picky' does not compute this: {step}: "):
        wrong.append((schedule, "expected", step, "got", got))
        print(*wrong[-1])

GOOD = ["name: mine", "call: void mine(i, k, A, x, y)", "capability: y(i) = A(i,k) * x(k)", "datatypes: int16", "source: mine.c"]
MISTAKES = [  # line, its text, code, place
    (3, "capability: y(i) = A(i,k) * x(k", "E0102-syntax", "3:32"),
    (3, "capability: y(i) = A(i,k) * x(k) when i < 4 ||", "E0102-syntax", "3:47"),
    (3, "capability: y(i) = A(i,k) * x(k) when i", "E0163-description", "3:39"),
    (3, "capability: y(i) = A(i,k) * x(k) when i < 4 && (i || k < 2)", "E0163-description", "3:51"),
    (3, "capability: y(i) = A(i,k) * x(k) when (i < 4) + 1 == 2", "E0163-description", "3:47"),
    (3, "capability: y(i) = A(i,k) * x(k) when j < 4", "E0163-description", "3:39"),
    (3, "capability: y(i) = A(i,k) * x(k) when i < 4.5", "E0163-description", "3:43"),
    (3, "capability: y(i) = A(i,k) * x(k) when words(B,0) < 4", "E0163-description", "3:45"),
    (3, "capability: y(i) = A(i,k) * x(k) when words(A,2) < 4", "E0163-description", "3:47"),
    (3, "capability: y(i) = A(i,k) * x(k) when i < 4 k", "E0102-syntax", "3:45"),
    (3, "capability: y(i) = A(i,i)", "E0163-description", "3:20"),
    (3, "capability: y(i) = A(i,k) * A(k,i)", "E0163-description", "3:29"),
    (3, "capability: y(i) = i(i,k) * x(k)", "E0163-description", "3:20"),
    (3, "capability: y(i) = A(i(0:3),k) * x(k)", "E0163-description", "3:20"),
    (3, "capability: y(i) = isqrt(x(i)) * A(i,k)", "E0163-description", "3:20"),
    (2, "call: double mine(i, k, A, x, y)", "E0163-description", "2:7"),
    (2, "call: void mine(i, j, A, x, y)", "E0163-description", "2:20"),
    (5, "formats: A:ds", "E0163-description", "5:10"),
    (5, "formats: Z:dd", "E0103-unknown-tensor", "1:1"),
    (5, "tags: y:symmetric", "E0163-description", "5:7"),
    (5, "tags: symmetric", "E0163-description", "5:7"),
    (5, "checker: 7", "E0102-syntax", "5:10"),
    (5, "properties: commutative", "E0163-description", "5:13"),
    (5, "package:", "E0163-description", "5:9"),
    (1, "name: gemv twice", "E0102-syntax", "1:12"),
    (1, "name: max", "E0163-description", "1:7"),
    (1, "tags: A:symmetric", "E0163-description", "1:7"),
]
(FOLDER / "mistakes").mkdir(exist_ok=True)
for n, (line, text, code, place) in enumerate(MISTAKES):
    path = FOLDER / "mistakes" / "mine.xf"
    lines = [*GOOD[:line - 1], text, *GOOD[line:]]
    if line == 1 and text.startswith("tags"):
        lines[2] = "capability: y(i) = mine(A(i))"
    path.write_text("\n".join(lines) + "\n")
    done = subprocess.run([ONYX, "sam", "y(i) = b(i)", *["--functions", "library"] * ("isqrt" in text), "--functions", path], capture_output=True, text=True)
    if done.returncode != 1 or f"[{code}]" not in done.stderr or f":{place}: " not in done.stderr:
        wrong.append((text, "expected", code, place, "got", done.returncode, done.stderr))
        print(*wrong[-1])

nowhere = FOLDER / "nowhere.xf"
nowhere.write_text("name: nowhere\ncall: void nowhere(i, b, x)\ncapability: x(i) = 2 * b(i)\ndatatypes: int16\nheaders: no_such_header.h\npackage: libno-such-dev\n")
cell = FOLDER / "cell.tns"
cell.write_text("1 5\n")
for words in (["run", "y(i) = 2 * c(i)", "-s", "bind(2 * c(i), nowhere)", "-i", f"c:{cell}", "--functions", nowhere, "--engine", "sam", "-o", FOLDER / "run"],
              ["functions", "check", nowhere]):
    done = subprocess.run([ONYX, *words], capture_output=True, text=True)
    if done.returncode != 1 or "[E0164-function-build]" not in done.stderr or "apt install libno-such-dev" not in done.stderr:
        wrong.append((words, done.returncode, done.stderr))
        print(*wrong[-1])

# ---- what is printed reads back ------------------------------------------------------------------------


def listed(folder):
    done = subprocess.run([ONYX, "functions", "--functions", folder], capture_output=True, text=True)
    return {line.split()[0]: re.search(r"int16(?:, bf16)? +(.*) \S+$", line).group(1).strip() for line in done.stdout.splitlines() if str(folder) in line}


first, again = FOLDER / "first", FOLDER / "again"
for folder in (first, again):
    folder.mkdir(exist_ok=True)
for path in paths:
    if path.stem != "halves":
        text = path.read_text().replace(f"source: {path.stem}.c", f"source: ../{path.stem}.c")
        (first / f"own_{path.name}").write_text(text.replace("name: ", "name: own_"))
said = listed(first)
for name, text in said.items():
    fields = re.split(r", (?=\w+:\w)", text)
    lines = [line for line in (first / f"{name}.xf").read_text().splitlines() if not line.startswith(("capability", "formats", "tags"))]
    lines.append(f"capability: {fields[0]}")
    for field in fields[1:]:
        lines.append(f"{'formats' if re.search(':d+:', field) else 'tags'}: {field}")
    merged = {}
    for line in lines:
        key, value = line.split(": ", 1)
        merged[key] = f"{merged[key]} {value}" if key in merged else value
    (again / f"{name}.xf").write_text("\n".join(f"{k}: {v}" for k, v in merged.items()) + "\n")
if len(said) != len(paths) - 1 or listed(again) != said:
    wrong.append(("the list", said, "reads back as", listed(again)))
    print(*wrong[-1])
done = subprocess.run([ONYX, "functions", "check", first], capture_output=True, text=True)
checked = sum(len(re.search("datatypes: (.*)", p.read_text()).group(1).split(",")) for p in first.glob("*.xf"))
if done.returncode != 3 or done.stderr.count("E0166-function-check") != 1 or "own_picky of int16, where i = " not in done.stderr or \
        not done.stdout.startswith(f"{checked - 1} checked"):
    wrong.append(("the check", done.returncode, done.stdout, done.stderr))
    print(*wrong[-1])

# ---- what calls cannot have ----------------------------------------------------------------------------

big = FOLDER / "big.tns"
big.write_text("".join(f"{i} {j} 32767\n" for i in range(1, 4) for j in range(1, 4)))
triple = FOLDER / "triple.xf"
triple.write_text("name: triple\ncall: void triple(i, j, A, B, C, D, X)\ncapability: X(i,j) = A(i,j) * B(i,j) * C(i,j) * D(i,j)\ndatatypes: int16\nsource: triple.c\n")
(FOLDER / "triple.c").write_text("static void triple(int n, int m, const double *a, const double *b, const double *c, const double *d, double *x) "
                                 "{ for (int i = 0; i < n * m; i++) x[i] = a[i] * b[i] * c[i] * d[i]; }\n")
for schedule, more, code, status in (("bind(A(i,j)*B(i,j)*C(i,j)*D(i,j), triple)", ["-d", "i:3", "-d", "j:3"], "E0168-inexact", 2),
                                     ("bind(A(i,j)*B(i,j)*C(i,j)*D(i,j), triple)", ["-d", "i:9000", "-d", "j:9000"], "E0322-everywhere", 2)):
    done = subprocess.run([ONYX, "run", "X(i,j) = A(i,j) * B(i,j) * C(i,j) * D(i,j)", "--functions", triple, "-s", schedule, *more, "--dtype", "int16", "--engine", "sam",
                           *itertools.chain(*(("-i", f"{t}:{big}") for t in "ABCD")), "-o", FOLDER / "run"], capture_output=True, text=True)
    if done.returncode != status or f"[{code}]" not in done.stderr:
        wrong.append((schedule, more, "expected", code, "got", done.returncode, done.stderr))
        print(*wrong[-1])
print(len(valid), "valid,", len(invalid), "invalid,", min(len(kinds), 12) + len(shipped), "run")
sys.exit(len(wrong) + kept.count_wrong() > 0 or shares.failed())
