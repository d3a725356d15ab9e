"""Commands in odd combinations whose results are held against the meaning of the expression: values.py ONYX FOLDER COUNT SEED [FIRST [ENGINE]]

Each input is an expression with slices, shifts, diagonals and sums of indices, operands in files of every kind, formats by letters and by
name, a schedule, and options that nobody would give together. The command ends by itself; where it ends with 0 its result, read here,
is what the definition says, and the report agrees; where it does not, a message has a code, and the result is never said to differ (exit
code 3). Some runs are divided into shards and merged, killed and given again, or read once more by the other commands.
Prints the exit codes and what is wrong; the folders of that stay in FOLDER.
"""
import collections
import itertools
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from operand_files import MATRIX_FORMATS, read_result, write  # noqa: E402
from quota import Quota, is_trivial  # noqa: E402

SECONDS = 180
MADE_ONLY = ["CISR", "ELL", "SELL", "JDS", "Skyline"]


def wrap(value):
    return (value + 0x8000) % 0x10000 - 0x8000


# ---- what an expression means -------------------------------------------------------------------
# An index is (terms, shift, slice): terms are (factor, variable), slice is (first, step) or None.
# A tree is ("access", name, indices), ("number", n), (function, tree, ...), ("sum", variables, written, tree).

def plain(variable):
    return ((1, variable),), 0, None


class Meaning:
    """Values at points, by definition; `largest` is the largest magnitude that came up on the way."""

    def __init__(self, tensors, extents):
        self.tensors, self.extents, self.largest = tensors, extents, 0

    def coordinate(self, index, point):
        terms, shift, part = index
        at = sum(factor * point[v] for factor, v in terms) + shift
        return part[0] + at * part[1] if part else at

    def value(self, tree, point):
        kind = tree[0]
        if kind == "access":
            dims, cells = self.tensors[tree[1]]
            at = tuple(self.coordinate(index, point) for index in tree[2])
            result = cells.get(at, 0) if all(0 <= a < d for a, d in zip(at, dims)) else 0
        elif kind == "number":
            result = tree[1]
        elif kind == "sum":
            result = 0
            for values in itertools.product(*(range(self.extents[v]) for v in tree[1])):
                result = self.keep(result + self.value(tree[3], {**point, **dict(zip(tree[1], values))}))
        else:
            a = [self.value(t, point) for t in tree[1:]]
            result = {"+": lambda: a[0] + a[1], "-": lambda: a[0] - a[1], "*": lambda: a[0] * a[1], "neg": lambda: -a[0], "abs": lambda: abs(a[0]),
                      "relu": lambda: max(a[0], 0), "max": lambda: max(a), "min": lambda: min(a),
                      "/": lambda: 0 if a[1] == 0 else abs(a[0]) // abs(a[1]) * (1 if (a[0] < 0) == (a[1] < 0) else -1)}[kind]()
        return self.keep(result)

    def keep(self, value):
        self.largest = max(self.largest, abs(value))
        return wrap(value)


def index_text(index):
    terms, shift, part = index
    if part:
        first, step, end = part[0], part[1], part[2]
        return f"{terms[0][1]}({first}:{end}" + (f":{step})" if step > 1 else ")")
    text = "+".join(v if factor == 1 else f"{factor}*{v}" for factor, v in terms)
    return text + (f"{shift:+d}" if shift else "")


def text_of(tree, inside=False):
    kind = tree[0]
    if kind == "access":
        indices = ",".join(map(index_text, tree[2]))
        return f"{tree[1]}({indices})" if indices else tree[1]
    if kind == "number":
        return str(tree[1]) if tree[1] >= 0 else f"({tree[1]})"
    if kind == "sum":
        return f"sum({', '.join(tree[1])}, {text_of(tree[3])})" if tree[2] else text_of(tree[3], inside)
    if kind in "+-*/":
        left, right = text_of(tree[1], kind in "*/"), text_of(tree[2], kind != "+")
        whole = f"{left} {kind} {right}"
        return f"({whole})" if inside else whole
    if kind == "neg":
        return f"(-{text_of(tree[1], True)})"
    return f"{kind}({', '.join(map(text_of, tree[1:]))})"


# ---- commands -----------------------------------------------------------------------------------

class Case:
    def __init__(self, dice):
        self.dice = dice
        self.variables = list("ijkl")[:dice.choice((1, 2, 2, 3, 3, 4))]
        small = dice.random() < 0.8
        self.extents = {v: dice.choice((1, 2, 3, 4, 5, 7, 9) if small else (2, 8, 17, 33, 40) if len(self.variables) < 4 else (3, 9, 12)) for v in self.variables}
        self.result = [v for v in self.variables if dice.random() < 0.6][:3]
        dice.shuffle(self.result)
        self.summed = [v for v in self.variables if v not in self.result]
        self.tensors, self.dense, self.used = {}, {}, set()
        self.tree = self.expression()
        self.meaning = Meaning(self.tensors, self.extents)

    def index(self, v):
        """An index over v, and how far the tensor goes along it."""
        dice, n = self.dice, self.extents[v]
        kind = dice.randrange(12)
        if kind == 0:
            first, step = dice.randrange(4), dice.choice((1, 1, 2, 3))
            end = first + (n - 1) * step + 1
            return (((1, v),), 0, (first, step, end)), end + dice.randrange(3)
        if kind == 1:
            return (((1, v),), dice.choice((-2, -1, 1, 2)), None), n
        return plain(v), n

    def access(self, variables):
        dice = self.dice
        known = [n for n, (dims, _) in self.tensors.items() if len(dims) == len(variables)]
        if known and dice.random() < 0.15:
            name = dice.choice(known)
            if self.tensors[name][0] == [self.extents[v] for v in variables]:
                return ("access", name, tuple(map(plain, variables)))
        if len(variables) == 1 and dice.random() < 0.06 and self.extents[variables[0]] > 1:
            variables = variables * 2
            indices, dims = [plain(v) for v in variables], [self.extents[v] for v in variables]
        else:
            indices, dims = zip(*map(self.index, variables)) if variables else ((), ())
        name = "BCDEFGHKLM"[len(self.tensors)]
        density, values = dice.choice((0, 0.1, 0.3, *(0.6,) * 4, *(0.8,) * 9, *(1,) * 4)), dice.choice(((1,), *((1, 2, 3, -1, -2),) * 4, *((0, 5, -7, 100),) * 2, (30000, -30000, 7)))
        cells = {at: dice.choice(values) for at in itertools.product(*map(range, dims)) if dice.random() < density or not dims}
        if len(dims) == 2 and dims[0] == dims[1] and dice.random() < 0.3:
            sign = dice.choice((1, 1, -1))
            cells = {at: v for at, v in cells.items() if at[0] > at[1] or (at[0] == at[1] and sign == 1)}
            cells |= {(c, r): sign * v for (r, c), v in cells.items()}
        self.tensors[name] = (list(dims), cells)
        return ("access", name, tuple(indices))

    def factor(self, variables):
        dice = self.dice
        if len(self.tensors) > 6:
            return ("number", dice.choice((1, 2, 3)))
        kind = dice.randrange(14)
        if kind == 0:
            return (dice.choice(("abs", "relu", "neg")), self.access(variables))
        if kind == 1:
            return (dice.choice("+-"), self.access(variables), self.access(variables))
        if kind == 2:
            return (dice.choice(("max", "min")), self.access(variables), self.access(variables))
        if kind == 3 and not variables:
            return ("number", dice.choice((2, 3, -1)))
        return self.access(variables)

    def term(self, summed):
        """A product whose factors have all variables between them; sums over `summed` stand around it."""
        dice, left = self.dice, self.result + summed
        if dice.random() < 0.2 and self.result:
            left = [v for v in left if v in summed or dice.random() < 0.7]
        dice.shuffle(left)
        parts, product = [], None
        while left:
            n = min(len(left), dice.choice((1, 2, 2, 3)))
            parts.append(left[:n])
            left = left[n:]
        for part in parts or [[]]:
            extra = [v for v in self.result + summed if v not in part and dice.random() < 0.25]
            both = (part + extra)[:3]
            one = self.factor(both)
            product = one if product is None else ("*", product, one)
        if dice.random() < 0.1:
            product = (dice.choice("*/"), product, self.access([v for v in self.result if dice.random() < 0.5]))
            if product[0] == "/" and summed:
                product = ("*", *product[1:])
        return product

    def expression(self):
        dice, count, tree = self.dice, self.dice.choice((1, 1, 1, 2, 2, 3)), None
        for n in range(count):
            summed = self.summed if n == 0 else [v for v in self.summed if dice.random() < 0.3]
            one = self.term(summed)
            if summed:
                inside = re.search(r'"(abs|relu|max|min)"', json.dumps(one))  # of a function the sum would be inside
                one = ("sum", tuple(summed), bool(inside) or count > 1 or dice.random() < 0.3, one)
            tree = one if tree is None else (dice.choice("++-"), tree, one)
        if dice.random() < 0.06:
            tree = (dice.choice(("max", "min")), self.written(tree), ("number", dice.choice((0, 1))))
        missing = [v for v in self.result if v not in used_variables(tree)]
        if missing:
            tree = ("+", self.written(tree), self.access(self.result))
        return tree

    def written(self, tree):
        if tree[0] == "sum":
            return ("sum", tree[1], True, tree[3])
        return (tree[0], *(self.written(t) for t in tree[1:])) if tree[0] in "+-" else tree

    def expected(self):
        found = {}
        for values in itertools.product(*(range(self.extents[v]) for v in self.result)):
            found[values] = self.meaning.value(self.tree, dict(zip(self.result, values)))
        return found


def used_variables(tree):
    if tree[0] == "access":
        return {v for index in tree[2] for _, v in index[0]}
    if tree[0] == "sum":
        return used_variables(tree[3])
    return set().union(*(used_variables(t) for t in tree[1:] if isinstance(t, tuple)))


def accesses(tree):
    if tree[0] == "access":
        yield tree
    for part in tree[1:]:
        if isinstance(part, tuple) and part and isinstance(part[0], str) and tree[0] != "access" and part[0] not in "ijkl":
            yield from accesses(part)


def letters(dice, order, kinds):
    modes = list(range(order))
    dice.shuffle(modes)
    return "".join(dice.choice(kinds) for _ in modes) + (":" + ",".join(map(str, modes)) if dice.random() < 0.7 else "")


def schedule_of(dice, case):
    """Scheduling commands; some of them do not fit the expression, which a message must say."""
    names = list(case.variables)
    kind = dice.randrange(10)
    if kind < 3:
        dice.shuffle(names)
        return f"reorder({','.join(names)})"
    v = dice.choice(names)
    if kind == 3:
        return f"split({v},{v}0,{v}1,{dice.choice((1, 2, 3, 4, 8))})"
    if kind == 4:
        return f"divide({v},{v}0,{v}1,{dice.choice((1, 2, 3))})"
    if kind == 5:
        return f"unroll({v},{dice.choice((1, 2, 3))})"
    if kind == 6:
        return f"parallelize({v},{dice.choice(('CPUThread', 'GPUBlock', 'CPUVector'))},{dice.choice(('NoRaces', 'IgnoreRaces', 'Atomics'))})"
    access = dice.choice(list(accesses(case.tree)))
    if kind == 7 and len(names) > 1:
        return f"fuse({names[0]},{names[1]},f)"
    if kind == 8:
        return f"pos({v},{v}p,{access[1]})"
    used = sorted(used_variables(access))
    if dice.random() < 0.5:
        return f"bind({text_of(access)},host)"
    return f"precompute({text_of(access)},{{{','.join(used)}}},{{{','.join(u + 'w' for u in used)}}},w)"


ANY = [["--seed", "7"], ["--no-warning", "E0350"], ["--quiet"], ["--diagnostics=json"], ["--log", "a.log"], ["--dtype", "int16"], ["-O0"], ["-O2"], ["-O3"],
       ["--dump", "cin,sam,statement,coordinates"], ["--functions", "none"], ["--functions", "library"]]
ARRAY = [["--tile", "{e}"], ["--tile", "{v}:{e}"], ["--tile", "auto"], ["--glb-tile", "{e}"], ["--unroll", "2"], ["--unroll", "3"], ["--unroll", "auto"],
         ["--dispatch", "dynamic"], ["--dispatch", "sorted"], ["--dispatch", "inorder"], ["--buffers", "2"], ["--profile", "onyx-ext"],
         ["--profile", "onyx-ext", "--streams", "tensors"], ["--streams", "levels"], ["--no-pipeline"], ["--no-balance"], ["--deadlock", "warn"], ["--jobs", "2"],
         ["--search", "2", "--functions", "library"], ["--search", "1", "--functions", "library", "--explain"], ["--io-trace"], ["--wave"],
         ["--board", "onyx-8x8"], ["--hazards", "warn"], ["--dtype", "bf16", "--profile", "onyx-ext"]]
SAM = [["--timing", "sam"], ["--fifo", "3"], ["--stats", "stats.json"], ["--trace", "trace"], ["--dtype", "bf16"]]


def options_of(dice, case, engine):
    line, seen = [], set()
    for _ in range(dice.choice((0, 1, 1, 2, 3, 4))):
        words = [w.format(e=dice.choice((1, 2, 3, 4, 8, 16)), v=dice.choice(case.variables)) for w in dice.choice(ANY + (SAM if engine == "sam" else ARRAY) * 2)]
        keys = {w[:2] if w.startswith("-O") else w for w in words if w.startswith("-")}
        if not keys & seen:
            line += words
            seen |= keys
    return line


class Round:
    def __init__(self, onyx, folder, engine):
        self.onyx, self.folder, self.engine, self.codes, self.outcomes = onyx, folder, engine, collections.Counter(), collections.Counter()
        self.shares = Quota()
        self.kept = behaviour.Seen("values")
        self.masks = behaviour.masks_of(onyx, folder)
        self.environment = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=1:allocator_may_return_null=1",
                                UBSAN_OPTIONS="print_stacktrace=1")

    def call(self, line, work, kill_after=None):
        process = subprocess.Popen([str(self.onyx), *map(str, line)], cwd=work, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, messages = process.communicate(timeout=kill_after or SECONDS)
            return process.returncode, out.decode(errors="replace"), messages.decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, "", ""

    def line_of(self, dice, case, work):
        """The command line without its engine's options and folder."""
        def convert(source, form, path):
            return self.call(["tile", "convert", source, "-f", form, "-o", path], work)[0] == 0
        left = "X" + (f"({','.join(case.result)})" if case.result else "")
        line, stated = [f"{left} = {text_of(case.tree)}"], set()
        for name in sorted({a[1] for a in accesses(case.tree)}):
            dims, cells = case.tensors[name]
            path = write(dice, work, name, dims, cells, convert)
            line += ["-i", f"{name}:{path.name}"]
            if len(dims) and ".tns" in path.name:
                line += ["-d", f"{name}:{','.join(map(str, dims))}"]
            if dims and dice.random() < 0.75:
                form = dice.choice(MATRIX_FORMATS + MADE_ONLY) if len(dims) == 2 and dice.random() < 0.3 else letters(dice, len(dims), "ddsssu")
                line += ["-f", f"{name}:{form}"]
        for v in case.variables:
            if v in used_variables(case.tree):
                direct = any(len(a[2]) and any(index == plain(v) for index in a[2]) for a in accesses(case.tree))
                if not direct or dice.random() < 0.3:
                    line += ["-d", f"{v}:{case.extents[v]}"]
        if case.result and dice.random() < 0.5:
            line += ["-f", "X:" + letters(dice, len(case.result), "dss")]
        if dice.random() < 0.35:
            line += ["-s", schedule_of(dice, case)]
        return line

    def as_program(self, case, line, work):
        """The same as a program file, without what a program has no place for."""
        items, words = [], iter(line[2:])
        given, sizes, levels, rest = {}, {}, {}, ["run", "case.onx"]
        for word in words:
            if word in ("-i", "-d", "-f", "-s"):
                name, value = next(words).split(":", 1) if word != "-s" else (next(words), "")
                {"-i": given, "-d": sizes, "-f": levels, "-s": {}}[word][name] = value
            elif word in ("--dispatch", "--glb-tile", "--search", "--functions", "--fifo", "--stats", "--trace", "--timing", "--dump"):
                next(words)
            elif word not in ("--explain", "--io-trace", "-O3", "X:other.tns"):
                rest.append(word)
        if rest[-1] == "-o":
            rest.pop()
        for name, path in given.items():
            dims = case.tensors[name][0]
            stated = name in sizes or name not in levels or case.dice.random() < 0.3
            items.append((f"tensor {name}" + (f"({','.join(map(str, dims))})" if stated else "") + (f": {levels[name]}" if name in levels else "")
                          if dims else f"scalar {name}") + (f' = "{path}"' if dims else f" = {case.tensors[name][1][()]}"))
        (work / "case.onx").write_text("\n".join(items) + f"\n{line[1]}\nresult X\n")
        return rest

    def judged(self, case, line, work, out="out", file=None):
        """The defects of a result, or nothing."""
        report = json.loads((work / out / "report.json").read_text())
        fill = report.get("fill", next((r.get("fill", 0) for r in report.get("results", []) if isinstance(r, dict)), 0))
        want = {at: value for at, value in case.expected().items() if value != fill}
        if "bf16" in line and (case.meaning.largest > 256 or "/" in json.dumps(case.tree)):
            return None
        path = file or next(p for p in (work / out / "X.mtx", work / out / "X.tns") if p.exists())
        got = {at[:len(case.result)]: v for at, v in read_result(path).items() if v != fill}
        if "bf16" in line and any(v != int(v) for v in got.values()):
            return None  # a file's .25, which only int16 drops
        if got != want:
            return f"wrong: {sorted(want.items())[:5]} wanted, got {sorted(got.items())[:5]}"
        if report.get("check") != "pass" or report.get("result_nnz", len(want)) != len(want):
            return f"the report says check {report.get('check')} and {report['result_nnz']} nonzeros of {len(want)}"
        return None

    def ended(self, code, messages):
        """The defects in the end of a command, or nothing."""
        if code is None:
            return f"takes longer than {SECONDS} s"
        if re.search(r"Sanitizer|runtime error:|PROGRAM ERROR|internal fault", messages):
            return "a fault: " + messages[-900:]
        if code not in (0, 1, 2):
            return f"exit code {code}: {messages[-600:]}"
        if code and not re.search(r"E0\d{3}-[a-z0-9-]+", messages):
            return f"no code: {messages[-600:]}"
        return None

    def one(self, number, seed):
        dice = random.Random(f"{seed} {number}")
        case = Case(dice)
        work = self.folder / str(number)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        engine = self.engine or dice.choice(("sam", "sam", "cycle", "cycle", "cycle", "cycle", "cycle", "soc"))
        common = self.line_of(dice, case, work) + ["--engine", engine]
        line = ["run", *common, *options_of(dice, case, engine), "-o", "out"]
        line += [] if "--dtype" in line else ["--dtype", "int16"]
        if dice.random() < 0.15:
            line += ["-o", "X:other.tns"]
        what = dice.choice(("run", "run", "run", "run", "killed", "shards" if engine == "cycle" else "run", "twice"))
        if dice.random() < 0.2:
            line = self.as_program(case, line, work)
        if what == "killed":
            self.call(line, work, dice.choice((0.02, 0.05, 0.1, 0.2, 0.5)))
        if what == "twice":
            self.call(["run", "X(i,j)=B(i,j)", "-g", "B:9x9:0.4", "--engine", "cycle", "--board", "onyx-8x8", "-o", "out", "--quiet"], work)
        code, out, messages = self.call(line, work)
        if what in ("run", "shards") and code is not None:
            made = behaviour.record.files_in(work / "out") if code == 0 and engine != "soc" else ()
            self.kept.printed(f"{number} {shlex.join(map(str, line))}", subprocess.CompletedProcess(line, code, out, messages), self.masks,
                              {name: work / "out" / name for name in made})
        wrong = self.ended(code, messages)
        points = list(case.expected().values()) if code == 0 else []
        self.shares.add(code == 0, is_trivial([0] * (len(points) < 2) + points))
        if not wrong and code == 0:
            wrong = self.judged(case, line, work)
            if not wrong and "X:other.tns" in line:
                wrong = self.judged(case, line, work, file=work / "other.tns")
            if not wrong and what == "shards" and "--jobs" not in line and line[1] != "case.onx":
                wrong = self.shards(case, line, work)
            if not wrong and engine != "sam" and dice.random() < 0.15:
                wrong = self.others(work)
        if not wrong and list(work.rglob("*.part")):
            wrong = f"left {list(work.rglob('*.part'))}"
        codes = re.findall(r"(?:error|does not fit|differs): .*\[(E0\d{3}-[a-z0-9-]+)\]", messages) + re.findall(r'"code":"(E0\d{3}-[a-z0-9-]+)","severity":"(?:error|unm)', messages) if code else []
        self.outcomes[codes[0] if codes else f"exit {code}"] += 1
        if wrong:
            print(f"{number}: onyx {shlex.join(map(str, line))}: {what}: {wrong}", flush=True)
            return 1
        if codes and os.environ.get("SHOW") and re.search(os.environ["SHOW"], codes[0]):
            print(f"{number}: onyx {shlex.join(map(str, line))}: {messages[:500]}", flush=True)
        shutil.rmtree(work)
        return 0

    def shards(self, case, line, work):
        line = [w for w in line if w != "X:other.tns"]
        if line[-1] == "-o":
            line.pop()
        words = [w for w in line if w not in ("--wave", "--io-trace")]
        words[words.index("out")] = None
        for n in (1, 2, 3):
            code, _, messages = self.call([w or f"s{n}" for w in words] + ["--shard", f"{n}/3"], work)
            if code:
                return self.ended(code, messages)
        made, more = ["s2", "s1", "s3"], True
        while more:  # shards of the next kernel, once the shards of the kernels in front are there
            given = list(made)
            for n in (1, 2):
                made.append(f"s{len(made) + 1}")
                code, _, messages = self.call(["merge", *given, "--shard", f"{n}/2", "-o", made[-1]], work)
                if code and "no kernel on the array is left" not in messages:
                    return self.ended(code, messages)
                more = not code
                if not more:
                    break
        code, _, messages = self.call(["merge", *given, "-o", "whole"], work)
        if code:
            return f"merge: {self.ended(code, messages) or messages}"
        return self.judged(case, line, work, "whole")

    def others(self, work):
        """Commands that read the folder, if it has a bitstream."""
        out = work / "out"
        if not (out / "bitstream.bs").exists():
            return None
        report = json.loads((out / "report.json").read_text())
        design = ["--board", report["board"]] + (["--profile", report["profile"]] if report["profile"] != "onyx" else [])
        for words in (["view", "out"], ["bits", "verify", "out/bitstream.bs", "--design", "out", *design], ["bitgen", "out", "-o", "again.bs", *design],
                      ["bits", "diff", "out/bitstream.bs", "again.bs", *design]):
            code, said, messages = self.call(words, work)
            if code:
                return f"onyx {shlex.join(words)}: exit code {code}: {said[-300:]}{messages[-600:]}"
        if (out / "bitstream.bs").read_bytes() != (work / "again.bs").read_bytes():
            return "bitgen makes another bitstream"
        return None


def control():
    """The evaluation of a case worked out by hand, and of results that differ."""
    tensors = {"B": ([2, 3], {(0, 0): 2, (1, 2): 3}), "c": ([3], {(0,): 5, (2,): -7})}
    meaning = Meaning(tensors, {"i": 2, "j": 3})
    product = ("sum", ("j",), True, ("*", ("access", "B", (plain("i"), plain("j"))), ("access", "c", (plain("j"),))))
    assert [meaning.value(product, {"i": i}) for i in (0, 1)] == [10, -21]
    assert meaning.value(("access", "c", ((((1, "i"),), 1, None),)), {"i": 1}) == -7 and meaning.value(("access", "c", ((((1, "i"),), 3, None),)), {"i": 1}) == 0
    assert text_of(product) == "sum(j, B(i,j) * c(j))" and wrap(32768) == -32768


def main():
    onyx, folder, count, seed = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3]), sys.argv[4]
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    control()
    folder.mkdir(parents=True, exist_ok=True)
    round_ = Round(onyx, folder, sys.argv[6] if len(sys.argv) > 6 else None)
    found = sum(round_.one(number, seed) for number in range(first, first + count))
    print(f"{count} inputs, {dict(round_.outcomes.most_common())}, {found} found")
    return round_.kept.count_wrong() + found != 0 or round_.shares.failed()


if __name__ == "__main__":
    sys.exit(main())
