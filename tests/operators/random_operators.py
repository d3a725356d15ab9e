#!/usr/bin/env python3
"""Random expressions of functions, also of files, reductions, fills, masks and semirings on engine sam, or another, against evaluate.py.
random_operators.py ONYX FOLDER COUNT [SEED [ENGINE [PROFILE]]] [--jobs N] [--resume]: prints every wrong one, and those that take too long, how
many were refused by code, and last how many were right, refused, slow and wrong. The exit code is 1 if one is wrong, or fewer ran than should.
FOLDER/results.txt has a line for each that is done; --resume goes on behind those that were not wrong, and counts them."""
import argparse
import collections
import functools
import itertools
import json
import multiprocessing
import pathlib
import random
import signal
import subprocess
import sys

from evaluate import INF, MINUS_INF, Evaluator, SEMIRING
from spaces import Function

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

PROCESSOR_S = 60  # what takes more of the processor is slow, whatever else runs beside it
STUCK_S = 3600  # a command that takes no processor either
TRIES = 6  # of data and expressions until a result has two values
LEVELS = ["&&", "==", "|", "^", "&", "<<", "+", "*"]
STRENGTH = {"||": 0, "&&": 1, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "|": 4, "^": 5, "&": 6, "<<": 7, ">>": 7, "+": 8, "-": 8, "*": 9, "/": 9}


def text(e, least=0):
    kind = e[0]
    if kind == "number":
        return str(e[1]) if e[1] >= 0 or not least else f"({e[1]})"
    if kind == "access":
        return e[1] + (f"({','.join(e[2])})" if e[2] else "")
    if kind == "struct":
        return f"struct({e[1]}({','.join(e[2])}))"
    if kind == "reduce":
        return f"{e[1]}({e[2]}, {text(e[3])})"
    if kind in STRENGTH:
        s = STRENGTH[kind]
        left, right = (s + 1, s + 1) if s == 3 else (s, s + 1)
        whole = f"{text(e[1], left)} {kind} {text(e[2], right)}"
        return f"({whole})" if s < least else whole
    if kind == "neg":
        return f"(-({text(e[1])}))"
    if kind == "~":
        return f"~({text(e[1])})"
    if kind == "not":
        return f"(not ({text(e[1])}))"
    if kind == "call":
        return f"{e[1]}({', '.join(text(a) for a in e[2:])})"
    return f"{kind}({', '.join(text(a) for a in e[1:])})"


class Case:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.functions = {}
        self.semiring = self.r.choice(["plus_times"] * 6 + list(SEMIRING))
        self.vars = ["i", "j", "k", "l", "m"][: self.r.choice([1, 2, 2, 3, 3, 3, 4, 5])]
        # Every fourth case has functions of a file; the array's mapping is searched for long where these stand in more loops.
        self.own = random.Random(seed * 31 + 7) if seed % 4 == 3 and len(self.vars) < 4 else None
        self.extents = {v: self.r.choice([1, 2, 3, 4] if len(self.vars) < 5 else [1, 2, 3]) for v in self.vars}
        result = [v for v in self.vars if self.r.random() < 0.6]
        self.r.shuffle(result)
        self.result, self.summed, self.tensors, self.formats = result, [v for v in self.vars if v not in result], {}, {}
        tree = self.expression(self.r.choice([1, 2, 2, 3]), list(result), list(self.summed))
        self.tree = tree
        self.stated = self.r.choice([None] * 5 + [0, 1, INF])

    def tensor(self, scope):
        order = min(len(scope), self.r.choice([0, 1, 1, 2, 2, 3, 5]))
        known = [n for n, (o, _, _) in self.tensors.items() if o <= len(scope)]
        if known and self.r.random() < 0.15:
            name = self.r.choice(known)
            index = self.r.sample(scope, self.tensors[name][0])
            if all(self.dims[name][m] == self.extents[v] for m, v in enumerate(index)):
                return name, tuple(index)
        index = tuple(self.r.sample(scope, order))
        name = "BCDEFGHKLM"[len(self.tensors) % 10] + ("x" * (len(self.tensors) // 10))
        dims = [self.extents[v] for v in index]
        density = self.r.choice([0, 0.2, 0.5, 0.5, 0.8, 1])
        default = SEMIRING[self.semiring][2]
        fill = default if self.r.random() < 0.7 else self.r.choice([0, 1, -1, 7, INF, MINUS_INF])
        values = [0, 1, 1, 2, 3, 5, -1, -4, 9, 100, fill, INF if fill == INF else 4, MINUS_INF if fill == MINUS_INF else 6]
        cells = {c: self.r.choice(values) for c in itertools.product(*map(range, dims)) if self.r.random() < density or not dims}
        self.tensors[name] = (order, cells, fill)
        self.dims = getattr(self, "dims", {})
        self.dims[name] = dims
        modes = list(range(order))
        self.r.shuffle(modes)
        self.formats[name] = "".join(self.r.choice("dsss") for _ in modes) + (":" + ",".join(map(str, modes)) if modes else "")
        return name, index

    def expression(self, depth, scope, to_sum):
        if to_sum and (depth > 0 and self.r.random() < 0.5 or depth == 0):
            v = to_sum.pop()
            how = self.r.choice(["sum"] * 3 + ["min", "max", "and", "or", "xor", "prod"])
            body = self.expression(max(depth - 1, 0), scope + [v], to_sum)
            return ("reduce", how, v, self.using(body, v, scope + [v]))
        if depth == 0:
            return self.leaf(scope)
        if self.own and self.own.random() < 0.6:
            return self.call(depth - 1, scope, to_sum)
        kinds = ["binary"] * 6 + ["unary"] * 2 + ["mask", "ifelse", "clamp", "number", "structure"]
        kind, deeper = self.r.choice(kinds), depth - 1
        one = lambda: self.expression(deeper, scope, to_sum)
        if kind == "unary":
            signs = ["~", "abs", "relu", "not"] + (["neg"] if self.semiring == "plus_times" else [])
            return (self.r.choice(signs), one())
        if kind == "mask":
            return ("mask", self.condition(one, scope), one())
        if kind == "ifelse":
            return ("ifelse", one(), one(), one())
        if kind == "clamp":
            return ("clamp", one(), ("number", self.r.choice([-3, 0, 1])), ("number", self.r.choice([2, 5])))
        if kind == "structure" and scope:
            return self.condition(one, scope)
        operators = ["+", "+", "*", "*", "min", "max", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "<<", ">>"]
        operators += ["-", "/"] if self.semiring == "plus_times" else []
        if self.semiring == "plus_pair":
            operators = [o for o in operators if o != "*"]
        a, b = one(), ("number", self.r.choice([0, 1, 2, 3, 7])) if kind == "number" else one()
        return (self.r.choice(operators), *((a, b) if self.r.random() < 0.8 else (b, a)))

    def call(self, depth, scope, to_sum):
        """A function of a file, one in ten with a loop; its arguments stand in it several times, so they are small."""
        f = Function(self.own, f"f{len(self.functions)}", self.own.randint(1, 3), self.own.random() < 0.1)
        self.functions[f.name] = f
        numbers = [self.own.random() < 0.1 for _ in f.names[1:]] + [False]
        return ("call", f.name, *(("number", self.own.choice([0, 1, 7])) if n else self.expression(min(depth, 1), scope, to_sum) for n in numbers))

    def condition(self, one, scope):
        if not scope or self.r.random() < 0.4:
            return one()
        name, index = self.tensor(scope)
        if not index:
            return one()
        inside = ("struct", name, index)
        return ("not", inside) if self.r.random() < 0.5 else inside

    def using(self, e, v, scope):
        """A reduction must use its variable."""
        if v in json.dumps(e).replace('"', " ").split() or any(v in a[2] for a in accesses(e)):
            return e
        for _ in range(50):
            name, index = self.tensor(scope)
            if v in index:
                return (self.r.choice(["+", "min", "max"]), e, ("access", name, index))
        name, index = self.tensor([v])
        while v not in index:
            name, index = self.tensor([v])
        return ("+", e, ("access", name, index))

    def leaf(self, scope):
        return ("access", *self.tensor(scope))


def accesses(e):
    if e[0] in ("access", "struct"):
        yield e
    for a in e[1:]:
        if isinstance(a, tuple) and a and isinstance(a[0], str) and e[0] not in ("access", "struct"):
            yield from accesses(a)


def write(path, dims, cells):
    if len(dims) > 2:
        lines = [" ".join(str(c + 1) for c in at) + f" {v}" for at, v in sorted(cells.items())]
        path.with_suffix(".tns").write_text("\n".join(lines) + "\n")
        return path.with_suffix(".tns")
    shape = (dims + [1, 1])[:2]
    lines = [f"{(at + (0, 0))[0] + 1} {(at + (0, 0))[1] + 1} {v}" for at, v in sorted(cells.items())]
    head = f"%%MatrixMarket matrix coordinate integer general\n{shape[0]} {shape[1]} {len(lines)}\n"
    path.with_suffix(".mtx").write_text(head + "".join(line + "\n" for line in lines))
    return path.with_suffix(".mtx")


def read(path, order):
    cells = {}
    lines = [line for line in path.read_text().splitlines() if line and line[0] not in "%#"]
    for line in lines[1 if path.suffix == ".mtx" else 0:]:
        words = line.split()
        cells[tuple(int(w) - 1 for w in words[:order])] = int(float(words[-1]))
    return cells


def put_table(page, program, table):
    """Writes what a program of this folder has made into its place in the page."""
    begin, end = f"<!-- made by tests/operators/{program} -->\n", "<!-- end -->"
    text = page.read_text()
    page.write_text(text[: text.index(begin) + len(begin)] + table + text[text.index(end, text.index(begin)):])


def command(onyx, case, folder, engine):
    left = "X" + (f"({','.join(case.result)})" if case.result else "")
    args = [onyx, "run", f"{left} = {text(case.tree)}", "--dtype", "int16", "--engine", engine, "--effort", "1", "-o", str(folder / "out"), "--quiet"]
    if case.semiring != "plus_times":
        args += ["--semiring", case.semiring]
    if case.stated is not None:
        args += ["--fill", f"X:{'inf' if case.stated == INF else case.stated}"]
    if case.functions:
        (folder / "own.fn").write_text("".join(f.definition() for f in case.functions.values()))
        args += ["--functions", str(folder / "own.fn")]
    used = {a[1] for a in accesses(case.tree)}
    for v in case.vars:
        if v in case.result or any(v in a[2] for a in accesses(case.tree)):
            args += ["-d", f"{v}:{case.extents[v]}"]
    for name in sorted(used):
        order, cells, fill = case.tensors[name]
        args += ["-i", f"{name}:{write(folder / name, case.dims[name], cells)}"]
        if order:
            args += ["-f", f"{name}:{case.formats[name]}"]
        if fill != SEMIRING[case.semiring][2]:
            args += ["--fill", f"{name}:{'inf' if fill == INF else '-inf' if fill == MINUS_INF else fill}"]
    return args


def meaning(case):
    """The value at each point of the result."""
    # A value that is the fill is not in the structure of a dense operand, also where the file has the point.
    tensors = {name: (order, {at: v for at, v in cells.items() if v != fill or set(case.formats[name].split(":")[0]) != {"d"}}, fill)
               for name, (order, cells, fill) in case.tensors.items()}
    e = Evaluator(tensors, case.extents, case.semiring, case.stated, {name: f.value for name, f in case.functions.items()})
    return {at: e.value(case.tree, dict(zip(case.result, at))) for at in itertools.product(*(range(case.extents[v]) for v in case.result))}


def interesting(seed):
    """A case of the seed, one whose result has several values if there is such a one soon, and what it means."""
    for again in range(TRIES):
        case = Case(seed + again * 4000004)  # seed % 4 stays
        want = meaning(case)
        if not quota.is_trivial([0] * (not case.result) + list(want.values())):
            return case, want, False
    return case, want, True


def run(onyx, seed, folder, engine="sam", profile="onyx"):
    """Returns "right", a code, "slow" or "wrong", the command with what it said, and whether the case is trivial."""
    case, wanted, trivial = interesting(seed)
    folder.mkdir(parents=True, exist_ok=True)
    args = command(onyx, case, folder, engine) + (["--profile", profile] if profile != "onyx" else [])
    limited = ["sh", "-c", f'ulimit -c 0; ulimit -S -t {PROCESSOR_S}; exec "$@"', "sh", *args]
    try:
        done = subprocess.run(limited, capture_output=True, text=True, timeout=STUCK_S)
    except subprocess.TimeoutExpired:
        return "wrong", f"stuck for {STUCK_S} s: {' '.join(args)}", trivial
    shown = " ".join(f"'{a}'" if " " in a or "(" in a else a for a in args) + "\n" + done.stderr
    if done.returncode == -signal.SIGXCPU:
        return "slow", shown, trivial
    codes = [w.strip("[]") for w in done.stderr.split() if w.startswith("[E")]
    if done.returncode in (1, 2) and codes:
        return codes[0].split("-")[0], shown, trivial
    if done.returncode:
        return "wrong", f"exit code {done.returncode}: {shown}", trivial
    order = len(case.result)
    got = read(folder / "out" / ("X.mtx" if order <= 2 else "X.tns"), order)
    fill = json.loads((folder / "out" / "report.json").read_text()).get("fill", 0)
    for at, want in wanted.items():
        if got.get(at, fill) != want:
            return "wrong", f"{at} is {got.get(at, fill)}, expected {want}: {shown}", trivial
    return "right", shown, trivial


def play(options, seed):
    """Of one worker, which has a folder of its own."""
    folder = options.folder / f"job{(*multiprocessing.current_process()._identity, 1)[0]}"
    return seed, *run(options.onyx, seed, folder, options.engine, options.profile)


def known(options, results):
    """What is known of seeds from a run before: all but what was wrong, which is played again."""
    if not options.resume or not results.exists():
        return {}
    rows = [line.split() for line in results.read_text().splitlines()]
    return {int(row[2]): row[3] for row in rows if len(row) == 4 and row[:2] == [options.engine, options.profile] and row[3] != "wrong"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onyx")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("engine", nargs="?", default="sam")
    parser.add_argument("profile", nargs="?", default="onyx")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    kept = behaviour.watch(__file__, options.onyx, options.folder)
    results, chosen, shares = options.folder / "results.txt", range(options.seed, options.seed + options.count), quota.Quota()
    outcome = known(options, results)
    with results.open("a" if options.resume else "w") as file, multiprocessing.Pool(options.jobs) as pool:
        todo = [seed for seed in chosen if seed not in outcome]
        for seed, what, why, trivial in (pool.imap_unordered if options.jobs > 1 else map)(functools.partial(play, options), todo):
            outcome[seed] = what
            shares.add(what == "right", trivial)
            print(options.engine, options.profile, seed, what, file=file, flush=True)
            if what in ("wrong", "slow"):
                print(f"seed {seed}, {what}: {why}", flush=True)
    counts = collections.Counter(outcome[seed] for seed in chosen)
    codes = {code: n for code, n in sorted(counts.items()) if code[0] == "E"}
    print("refused:", ", ".join(f"{n} {code}" for code, n in codes.items()) or "none")
    print(f"{counts['right']} right, {sum(codes.values())} refused, {counts['slow']} slow, {counts['wrong']} wrong")
    print(f"rate right: {counts['right']} of {options.count}")
    return bool(kept.count_wrong() or counts["wrong"] or shares.failed())


if __name__ == "__main__":
    sys.exit(main())
