#!/usr/bin/env python3
"""Capabilities of described functions beside plain bindings: symmetric operands and workspaces, accuracy, fixed point, rules of tags, lists of indices;
messages, and what is printed read back: capabilities.py CASES ONYX FOLDER."""
import itertools
import math
import random
import re
import subprocess

from binding_cases import CHECKED, FOLDER, ONYX, PATTERNS, Binding, answers, finish, paths, run, tell

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
        tell(case, "expected", want, "got", got)
for command in ("bind", "map"):  # values, where an entry of either half alone is stored as a zero or not at all
    b = Binding(next(p for p in PATTERNS if p[0] == "symv"))
    b.terms[0][1][[len(of) for _, of in b.terms[0][1]].index(2)][1].reverse()
    b.command = command
    run(b, f"turned_{command}")

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
        tell(case, "is symmetric" if holds else "is not symmetric", "got", got)
if not 40 <= symmetric <= len(cases) - 40:
    tell(symmetric, "symmetric ones of", len(cases))

SYMV = "accelerate(({}) * x(k), symv)"
for e, dtype, says in (("A(i,k) + A(k,i)", "bf16", None), ("A(i,k) + A(k,i) + d(i) * d(k)", "bf16", None), ("d(i) * d(k) + A(i,k) + A(k,i)", "int16", None),
                       ("A(i,k) + d(i) * d(k) + A(k,i)", "bf16", "has no tag 'symmetric'"),  # added up in another order
                       ("mask(S(i,k), A(i,k) + A(k,i))", "int16", "has no tag 'symmetric'")):  # of S a zero may be stored on one side
    done = subprocess.run([ONYX, "run", f"y(i) = ({e}) * x(k)", "-s", ("tag(S,symmetric), " if "S(" in e else "") + SYMV.format(e), "--functions", "library", "--dtype", dtype, "--engine", "sam", "-o", FOLDER / "run",
                           *itertools.chain(*(("-g", f"{t}:{n}") for t, n in (("A", "9x9:0.4:1"), ("S", "9x9:0.4:1"), ("d", "9:1:2"), ("x", "9:1:3")) if f"{t}(" in f"{e}x("))], capture_output=True, text=True)
    if (says not in done.stderr if says else done.returncode or not CHECKED.search(done.stdout)):
        tell(e, dtype, "expected", says, "got", done.stdout, done.stderr)

# ---- how far off a function may be ----------------------------------------------------------------------

(FOLDER / "near.c").write_text("static double near(int n, const double *b, const double *c) { double a = 0; while (n--) a += b[n] * c[n]; return a * 1.00001; }\n")
for line, right in (("", False), ("accuracy: 1e-6\n", False), ("accuracy: 2e-5\n", True), ("accuracy: 0\n", None), ("accuracy: 1 2\n", None)):
    (FOLDER / "near.xf").write_text(f"name: near\ncall: double near(i, b, c)\ncapability: a = b(i) * c(i)\ndatatypes: bf16\nsource: near.c\n{line}")
    done = subprocess.run([ONYX, "functions", "check", FOLDER / "near.xf"], capture_output=True, text=True)
    if (done.returncode, "[E0166-function-check]" in done.stderr, "near.xf:6:11: " in done.stderr) != {True: (0, False, False), False: (3, True, False), None: (1, False, True)}[right]:
        tell(line, right, done.returncode, done.stdout, done.stderr)

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
        tell(name, done.returncode, done.stdout, done.stderr)
    e = of.split("= ")[1]
    got = [*answers([path], [(of, "i:4", f"{how}({e}, fixed_{name})") for how in ("bind", "map")]), *answers([path], [(of, "i:4", "search 3")])]
    want = f"E0167-bind: 'fixed_{name}' does not compute this: datatypes: it is of q15, which saturates where int16 wraps"
    if not all(text.startswith(want) for text in got[:2]) or "fixed" in got[2]:  # the search has none of it, by whatever rewrites
        tell(name, got)
    done = subprocess.run([ONYX, "run", of, "-s", f"bind({e}, fixed_{name})", "--functions", path, "--dtype", "bf16", "-g", "b:4:1:1", "-g", "c:4:1:2", "--engine", "sam", "-o", FOLDER / "run"], capture_output=True, text=True)
    if done.returncode != 1 or "datatypes: it is of q15" not in done.stderr:
        tell(name, "bf16", done.stdout, done.stderr)
for text, place in (("capability: Z(i) = f(X(i))\ndatatypes: q15", "3:12"), ("capability: Z(i) = f(X(i))\ndatatypes: q15, int16", "3:12"), ("capability: Z(i) = f(X(i))\ndatatypes: q31", "3:12")):
    (FOLDER / "fixed.xf").write_text(f"call: int f(X)\n{text}\nsource: fixed.c\nruns: m3\n")
    done = subprocess.run([ONYX, "functions", "--functions", FOLDER / "fixed.xf"], capture_output=True, text=True)
    if done.returncode != 1 or "[E0163-description]" not in done.stderr or f"fixed.xf:{place}:" not in done.stderr:
        tell(text, done.stderr)

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
        tell(case, "is banded" if holds else "is not banded", "got", got)
done = subprocess.run([ONYX, "functions", "--functions", RULES], capture_output=True, text=True)
if not re.search(r"^=> banded +rule +int16 +R\(i,j\) = A\(i,j\) \+ B\(i,j\), A:banded, B:banded +\S+sum.xf$", done.stdout, re.M):
    tell("the list has no rule", done.stdout, done.stderr)
done = subprocess.run([ONYX, "run", "y(i) = (C(i,k) + D(i,k)) * x(k)", "-s", cases[0][2], "--functions", RULES, "-g", "C:6x6:0.5:1", "-g", "D:6x6:0.5:2", "-g", "x:6:1:3", "--engine", "sam", "-o", FOLDER / "run"],
                      capture_output=True, text=True)
if done.returncode or "on the host: banded_mv" not in done.stdout or not CHECKED.search(done.stdout):
    tell("a rule", done.stdout, done.stderr)
for text, says, place in (("rule: banded", "the rule has no 'capability'", "1:1"), ("rule: 7", "expected a tag", "1:7"), ("rule: banded\ncapability: R(i) = A(i)", "the rule has no 'datatypes'", "1:1"),
                          ("rule: banded\ncapability: R(i) = A(i)\ndatatypes: int16\ncall: void f(A)", "has no 'call'", "1:1"),
                          ("rule: banded\ncapability: R(i) = A(i)\ndatatypes: int16\ntags: R:banded", "tags:", "4:7")):
    (FOLDER / "rule.xf").write_text(text + "\n")
    done = subprocess.run([ONYX, "functions", "--functions", FOLDER / "rule.xf"], capture_output=True, text=True)
    if done.returncode != 1 or f"rule.xf:{place}:" not in done.stderr or (says not in done.stderr):
        tell(text, "expected", says, place, "got", done.stderr)

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
        tell(case, "expected", want, "got", got)

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
        tell(case, "expected", want, "got", got)

# map takes the member of which least has to be said; accelerate finds it by the same name. They run, and hold to what they state.
for text, schedule, says in (("X(p,q) = B(p,q) + C(p,q)", "map(B(p,q) + C(p,q), add0)", "on the host: add0_2"),
                             ("X(p,q,r) = B(p,k) * C(k,q,r)", "map(B(p,k) * C(k,q,r), contract)", "on the host: contract_1_2"),
                             ("X(p,q) = (A(p,k) + A(k,p)) * C(k,q)", "accelerate((A(p,k) + A(k,p)) * C(k,q), contract)", "on the host: contract_1_1")):
    done = subprocess.run([ONYX, "run", text, "-s", schedule, "--functions", LISTS / "add0.xf", "--functions", LISTS / "contract.xf", "--engine", "sam", "-o", FOLDER / "run",
                           *itertools.chain(*(("-g", f"{t}:{'x'.join('5' * (of.count(',') + 1))}:0.5:{n}") for n, (t, of) in enumerate(dict(re.findall(r"([ABC])\(([^()]*)\)", text.split("=")[1])).items())))],
                          capture_output=True, text=True)
    if done.returncode or not CHECKED.search(done.stdout) or says not in done.stdout:
        tell(text, schedule, done.stdout, done.stderr)
done = subprocess.run([ONYX, "functions", "check", LISTS / "contract.xf"], capture_output=True, text=True)
if not done.stdout.startswith("8 checked"):
    tell("lists, checked", done.stdout, done.stderr)
for lists, says, place in ((["I(3...2)"], "expected a name and how many", "1:7"), (["I(1..2)"], "expected a name and how many", "1:7"), (["I(...13)"], "expected a name and how many", "1:7"),
                           (["I(...)", "J(...)"], "more than 64 lengths", "1:1"), (["I(1...2)"] * 5, "at most 4 lists", "5:7"), (["I"], "expected a name and how many", "1:7")):
    path = list_file("mistake", lists, "add(order(I), I, b, c, x)", "x(I...) = b(I...) + c(I...)")
    done = subprocess.run([ONYX, "functions", "--functions", path], capture_output=True, text=True)
    if done.returncode != 1 or "[E0163-description]" not in done.stderr or says not in done.stderr or f"mistake.xf:{place}:" not in done.stderr:
        tell(lists, "expected", says, place, "got", done.stderr)

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
        tell(schedule, "expected", want, "got", got)

PICKY = [("a = q(i) * c(i)", "bind(q(i) * c(i), picky)", "checker"), ("a = q(i) * c(i) * d(i)", "bind(q(i) * c(i) * d(i), picky)", "checker"),
         ("a = q(i) * c(i)", "map(q(i) * c(i), picky)", "checker"), ("a = q(i) * c(i) * d(i)", "map(q(i) * c(i) * d(i), picky)", "operators")]
for (text, schedule, step), got in zip(PICKY, answers(paths, [(text, "i:4", schedule) for text, schedule, _ in PICKY])):
    if not got.startswith(f"E0167-bind: 'picky' does not compute this: {step}: "):
        tell(schedule, "expected", step, "got", got)

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
        tell(text, "expected", code, place, "got", done.returncode, done.stderr)

nowhere = FOLDER / "nowhere.xf"
nowhere.write_text("name: nowhere\ncall: void nowhere(i, b, x)\ncapability: x(i) = 2 * b(i)\ndatatypes: int16\nheaders: no_such_header.h\npackage: libno-such-dev\n")
cell = FOLDER / "cell.tns"
cell.write_text("1 5\n")
for words in (["run", "y(i) = 2 * c(i)", "-s", "bind(2 * c(i), nowhere)", "-i", f"c:{cell}", "--functions", nowhere, "--engine", "sam", "-o", FOLDER / "run"],
              ["functions", "check", nowhere]):
    done = subprocess.run([ONYX, *words], capture_output=True, text=True)
    if done.returncode != 1 or "[E0164-function-build]" not in done.stderr or "apt install libno-such-dev" not in done.stderr:
        tell(words, done.returncode, done.stderr)

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
    tell("the list", said, "reads back as", listed(again))
done = subprocess.run([ONYX, "functions", "check", first], capture_output=True, text=True)
checked = sum(len(re.search("datatypes: (.*)", p.read_text()).group(1).split(",")) for p in first.glob("*.xf"))
if done.returncode != 3 or done.stderr.count("E0166-function-check") != 1 or "own_picky of int16, where i = " not in done.stderr or \
        not done.stdout.startswith(f"{checked - 1} checked"):
    tell("the check", done.returncode, done.stdout, done.stderr)

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
        tell(schedule, more, "expected", code, "got", done.returncode, done.stderr)
finish(len(paths), "functions described")
