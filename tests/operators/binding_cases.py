"""What bindings.py and capabilities.py share: patterns of functions that state expressions, their descriptions in C, statements that they compute with all
choices open, and runs held against Python. The arguments of both are CASES ONYX FOLDER."""
import itertools
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


def int16(x):
    return (x + 0x8000) % 0x10000 - 0x8000


def bf16(x):
    """The nearest, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", x))[0]
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


WORD = {"int16": int16, "bf16": bf16}


def tell(*one):
    """One more that is wrong."""
    wrong.append(one)
    print(*one)


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
        return  # the functions of a package that is not there
    if done.returncode or not CHECKED.search(done.stdout):
        tell(text, schedule, done.stdout, done.stderr)
        return
    got = {tuple(int(c) - 1 for c in words[:-1]): float(words[-1]) for words in map(str.split, result.read_text().splitlines()) if words}
    want = {p: v for p in itertools.product(*[range(b.extent[v]) for v in b.result[1]]) if (v := value(b, tensors, p, WORD[dtype])) or not p}
    shares.add(trivial=is_trivial([0] * (not b.result[1]) + [want.get(p, 0) for p in itertools.product(*[range(b.extent[v]) for v in b.result[1]])]))
    if {p: v for p, v in got.items() if v or not p} != want:
        tell(text, schedule, got, want)


def answers(files, cases):
    done = subprocess.run([CASES, *files], input="".join("\t".join(c) + "\n" for c in cases), capture_output=True, text=True)
    said = done.stdout.splitlines()
    return said if len(said) == len(cases) else [f"{len(said)} answers: {done.stderr}"] * len(cases)


def finish(*counts):
    print(*counts)
    sys.exit(len(wrong) + kept.count_wrong() > 0 or shares.failed())
