#!/usr/bin/env python3
"""Random programs with loops, swaps and statements that share arrays: random_programs.py ONYX FOLDER COUNT SEED ENGINE [PROFILE | loops | scalars | bf16 | dense | dense_bf16 | fused]. What a program
means is computed here, from the data that its files have; every program runs on engine sam and on ENGINE with and without sharing (-O0), on soc also with eight copies. With `loops`
iterates are dense and matrices mostly compressed, so that the chip's processor makes operands of what stores have left: of compressed results, of
several parts, with fills; on ENGINE also with --checkpoint 2 and other sub-tiles in place of -O0. With `scalars` scalars are computed besides, by all
operations of theirs, and with `bf16` in bf16, rounded after each operation, with infinities and NaN; with `dense` quotients and matrices that are dense,
transposed, cut and put together again, and reductions other than sums, which are the processor's, and with `dense_bf16` these in bf16. With `fused` some
tensors are no results, so that their statements may become parts of those that read them: every program runs with --fuse-statements off, on and auto, and
with an empty schedule for every tensor fused, joined, reused or moved in turn, which keeps its statements apart. Ends with 1 where one is wrong; tests/seeds.py
judges the rates."""
import json
import operator
import pathlib
import random
import re
import subprocess
import sys

from program_statements import (CONDITIONS, DENSE, ENDS, FUSED, GRIDS, INF, LESS, NEAREST, REALS, REAL_GRIDS, SCALARS, SHAPES, Unsaid, Values, bf16)

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

onyx, folder, count, seed, engine = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
kept = behaviour.watch(__file__, onyx, folder)
mode = sys.argv[6] if len(sys.argv) > 6 else ""
loops = mode in ("loops", "scalars", "bf16", "dense", "dense_bf16")
profile = ["--profile", mode] if mode and not loops and mode != "fused" else []
real = ["--dtype", "bf16", "--profile", "onyx-ext"] if mode in ("bf16", "dense_bf16") else []
types = real or ["--dtype", "int16"]
folder.mkdir(parents=True, exist_ok=True)
VECTORS, MATRICES = ["u", "v", "w"], ["A", "B", "C", "D", "E"]


class Passes(Exception):
    """A condition did not come to hold."""


ENDS_OF_LOOPS = ("until", "most")  # with `else fail`, and without


class Program:
    shapes, conditions, fill, results, start = SHAPES, CONDITIONS, 0, "uvwB", {"s": 2, "t": 0, "q": 1}

    def __init__(self, draw):
        self.draw, self.n = draw, draw.randint(3, 40)
        self.kinds = {v: draw.choice("ds") for v in VECTORS}
        self.kinds.update(A=draw.choice(["ss", "ds", "sd", "dd", "ss:1,0"]), B="ss")
        self.data = {v: self.values(self.n, draw.choice([0, 0.1, 0.5, 1])) for v in VECTORS}
        self.data["A"] = self.matrix(draw.choice([0, 0.05, 0.2, 0.6]))
        self.data["B"] = self.matrix(draw.choice([0.05, 0.3]))
        self.steps = [self.assign() for _ in range(draw.randint(0, 1))] + [self.loop(1)]
        if not any("=" in line and "repeat" not in line and "if " not in line for line in self.lines(self.steps)): # swaps alone are no program
            self.steps.append(self.assign())

    def values(self, n, density):
        return [self.draw.choice([-3, -1, 1, 2, 9, 250, -32768]) if self.draw.random() < density else 0 for _ in range(n)]

    def matrix(self, density):
        return [self.values(self.n, density) for _ in range(self.n)]

    def assign(self):
        r, a, b = (self.draw.choice(VECTORS) for _ in range(3))
        text, gives, value = self.draw.choice(self.shapes)
        return ("assign", text.format(r=r, a=a, b=b), r if gives == "r" else gives, lambda m: value(m, m.old[a], m.old[b], m.old[r]))

    def step(self, depth):
        draw = self.draw
        x, y = draw.sample(VECTORS, 2)
        kind = draw.random()
        if kind < 0.08 and self.kinds[x] == self.kinds[y]:
            return ("swap", x, y)
        if kind < 0.14:
            both = [self.assign(), self.assign()]
            return ("multi", both) if both[0][2] != both[1][2] and not re.search(r"[+]=|nnz|[(,]q[,)]", both[0][1] + both[1][1]) else both[0]
        if kind < 0.2 and depth < 2:
            return self.branches(depth) if draw.random() < 0.4 else self.loop(depth + 1)
        return self.assign()

    def branches(self, depth):
        """An if by a condition, often with an else."""
        a = self.draw.choice(VECTORS)
        text, holds = self.draw.choice(self.conditions)
        body = [self.step(depth + 1) for _ in range(self.draw.randint(1, 2))]
        other = [self.step(depth + 1)] if self.draw.random() < 0.6 else []
        return ("if", text.format(a=a), lambda m: holds(m, m.old[a]), other, body)

    def loop(self, depth):
        draw = self.draw
        body = [self.step(depth) for _ in range(draw.randint(2, 5) if depth == 1 else draw.randint(1, 2))]
        if draw.random() < 0.15:
            a = draw.choice(VECTORS)
            text, holds = draw.choice(self.conditions)
            return (draw.choice(ENDS_OF_LOOPS), text.format(a=a), lambda m: holds(m, m.old[a]), draw.randint(2, 6), body)
        return ("repeat", draw.randint(1, 3), body)

    def lines(self, steps, indent=""):
        for one in steps:
            if one[0] == "assign":
                yield indent + one[1]
            elif one[0] == "swap":
                yield f"{indent}swap {one[1]}, {one[2]}"
            else:
                until = f"repeat until {one[1]} max {one[-2]}"
                head = {"multi": "multi", "repeat": f"repeat {one[1]}", "until": f"{until} else fail", "most": until, "if": f"if {one[1]}"}[one[0]]
                yield f"{indent}{head} {{"
                yield from self.lines(one[-1], indent + "    ")
                if one[0] == "if" and one[-2]:
                    yield indent + "} else {"
                    yield from self.lines(one[-2], indent + "    ")
                yield indent + "}"

    def write(self, folder):
        for name, value in self.data.items():
            rows = value if name in MATRICES else [[x] for x in value]
            cells = [(i + 1, j + 1, x) for i, row in enumerate(rows) for j, x in enumerate(row) if x != self.fill]
            text = f"%%MatrixMarket matrix coordinate {'real' if real else 'integer'} general\n{len(rows)} {len(rows[0])} {len(cells)}\n"
            (folder / f"{name}.mtx").write_text(text + "".join(f"{i} {j} {x}\n" for i, j, x in cells))
        fill = " fill inf" if self.fill else ""
        head = [f'tensor {name}: {self.kinds[name]}{fill} = "{name}.mtx"' for name in self.data] + ["scalar s = 2", "scalar t = 0", "scalar q = 1"]
        text = "\n".join([*head, *self.lines(self.steps), "result " + ", ".join(self.results), ""])
        (folder / "random.onx").write_text(text)
        return text

    def run(self, m, steps):
        for one in steps:
            m.old = m.now
            if one[0] == "assign":
                m.now = {**m.now, one[2]: one[3](m)}
            elif one[0] == "swap":
                m.now = {**m.now, one[1]: m.now[one[2]], one[2]: m.now[one[1]]}
            elif one[0] == "multi":
                m.now = {**m.now, **{part[2]: part[3](m) for part in one[1]}}
            elif one[0] == "repeat":
                for _ in range(one[1]):
                    self.run(m, one[2])
            elif one[0] == "if":
                self.run(m, one[4] if one[2](m) else one[3])
            else:
                for passes in range(one[3] + 1):
                    m.old = m.now
                    if one[2](m):
                        break
                    if passes == one[3] and one[0] == "until":
                        raise Passes
                    if passes == one[3]:
                        break
                    self.run(m, one[4])

    def meaning(self):
        """The results' entries, or None where a loop does not end."""
        m = Values(self.n, {**self.data, **self.start}, self.fill)
        try:
            self.run(m, self.steps)
        except Passes:
            return None
        rows = {name: value if name in MATRICES else [[x] for x in value] if name in self.data else [[value]] for name, value in m.now.items()}
        return [{(i + 1, j + 1): "nan" if x != x else x for i, row in enumerate(rows[name]) for j, x in enumerate(row) if x != self.fill} for name in self.results]


class Fused(Program):
    """Temporaries in blocks and loops."""
    shapes, results, last, before = FUSED, "uvwB", "u", None

    def __init__(self, draw):
        super().__init__(draw)
        if draw.random() < 0.5: # a block alone
            self.steps = [self.assign() for _ in range(draw.randint(3, 7))]

    def matrix(self, density):
        self.n = min(self.n, 13)
        self.data = {v: value[:self.n] for v, value in self.data.items()}
        if "p" not in self.data:
            self.data |= {v: [0] * self.n for v in "pz"} | {v: [[0] * self.n for _ in range(self.n)] for v in "DE"}
            self.kinds |= {v: self.draw.choice("ds") for v in "pz"} | {v: self.draw.choice(["ss", "ss", "ds", "ss:1,0"]) for v in "DE"}
        return super().matrix(density)

    def assign(self):
        draw = self.draw
        r, a, b = (draw.choice("uvwpzpzpz") for _ in range(3))
        m, o = (draw.choice("BDEDE") for _ in range(2))
        text, gives, value = draw.choice(self.shapes)
        if draw.random() < 0.7: # what was assigned last is read
            wants = [shape for shape in self.shapes if ("{o}" if self.last in "BDE" else "{a}") in shape[0]]
            text, gives, value = draw.choice(wants)
            a, o = (a, self.last) if self.last in "BDE" else (self.last, o)
        if self.before and draw.random() < 0.3: # the same expression again, for another result
            text, gives, value, a, b, o = self.before
        self.before = text, gives, value, a, b, o
        self.last = {"r": r, "m": m}.get(gives, self.last)
        old = o if "{o}" in text else r
        def meaning(now):
            now.to = now.old[m]
            return value(now, now.old[a], now.old[b], now.old[old])
        return ("assign", text.format(r=r, a=a, b=b, m=m, o=o), {"r": r, "m": m}.get(gives, gives), meaning)

    def step(self, depth):
        return super().step(depth) if self.draw.random() < 0.3 else self.assign()


class Loop(Program):
    """Dense vectors, and a matrix of any format with empty rows, in one loop."""
    fills, body = [0, 0, INF], (1, 4)

    def choose(self):
        self.shapes, self.conditions = (NEAREST if self.fill else DENSE), ENDS

    def __init__(self, draw):
        self.fill = draw.choice(self.fills)
        self.choose()
        super().__init__(draw)
        self.kinds.update(dict.fromkeys(VECTORS, "d"), A=draw.choice(["ss", "ss", "ds", "sd", "ss:1,0"]))
        self.tiles = draw.choice([[], ["--tile", "8"], ["--tile", "8", "--unroll", "2"], ["--tile", "16"]])

    def values(self, n, density):
        values = [0, 1, 2, 9, 250] if self.fill else [-3, -1, 1, 2, 9, 250, -32768]
        return [self.draw.choice(values) if self.draw.random() < density else self.fill for _ in range(n)]

    def matrix(self, density):
        rows = super().matrix(density)
        return [[self.fill] * self.n if self.draw.random() < 0.3 else row for row in rows]

    def loop(self, depth):
        body = [self.step(2) for _ in range(self.draw.randint(*self.body))]
        body = [one for one in body if one[0] != "multi"] or [self.assign()]
        text, holds = self.draw.choice(self.conditions)
        a = self.draw.choice(VECTORS)
        if self.draw.random() < 0.7:
            return ("repeat", self.draw.randint(3, 7), body)
        return (self.draw.choice(ENDS_OF_LOOPS), text.format(a=a), lambda m: holds(m, m.old[a]), self.draw.randint(2, 6), body)


class Scalars(Loop):
    """Statements of scalars in the loop, and tests of them."""
    fills, body, results = [0], (3, 7), "uvwst"

    def choose(self):
        self.shapes = SCALARS
        self.conditions = [(f"{x} {sign} 3", lambda m, a, x=x, holds=holds: holds(getattr(m, x), 3))
                           for x in "st" for sign, holds in (("<", operator.lt), (">=", operator.ge), ("!=", operator.ne))]


class Reals(Scalars):
    def choose(self):
        self.shapes, self.conditions = REALS, LESS

    def __init__(self, draw):
        super().__init__(draw)
        self.start = {"s": 2.0, "t": 0.0, "at": draw.randrange(self.n)}
        some = [bf16(draw.choice([-1, 1]) * draw.random() * 10.0 ** draw.choice([-3, 0, 0, 1, 19])) for _ in range(9)] + [1.0]
        self.data = {v: [draw.choice(some) for _ in range(self.n)] for v in VECTORS} | {"e": [1.5 * (i == self.start["at"]) for i in range(self.n)]}
        self.kinds["e"] = "s"


class Grids(Scalars):
    """Dense matrices and vectors in the loop."""
    results, some = "uvwstBC", GRIDS

    def choose(self):
        super().choose()
        self.shapes = self.some

    def __init__(self, draw):
        super().__init__(draw)
        self.n = min(self.n, 13)
        self.data = {v: self.values(self.n, draw.choice([0, 0.5, 1])) for v in VECTORS} | {v: [self.values(self.n, p) for _ in range(self.n)] for v, p in (("B", 1), ("C", 0.6))}
        self.kinds.update(B="dd", C="dd")
        self.tiles = draw.choice([["--tile", "4"], ["--tile", "8"], ["--tile", "8", "--unroll", "2"], ["--tile", "16"]])

    def step(self, depth):
        return ("swap", "B", "C") if self.draw.random() < 0.1 else super().step(depth)


class RealGrids(Grids):
    some = REAL_GRIDS

    def choose(self):
        self.start = {"s": 2.0, "t": 0.0}
        self.shapes, self.conditions = self.some, [one for one in LESS if not one[1](Values(1, self.start), None)] # which do not hold from the first

    def values(self, n, density):
        """Numbers of which quotients are rounded, infinite and subnormal."""
        draw = self.draw
        return [bf16(draw.choice([-1, 1]) * (1 + draw.random()) * 10.0 ** draw.choice([-38, -3, 0, 0, 1, 19])) if draw.random() < density else 0.0 for _ in range(n)]


def entries(path):
    lines = [line.split() for line in path.read_text().splitlines() if line[0] != "%"]
    values = {(int(i), int(j)): (bf16(float(x)) if real else int(x)) for i, j, x in lines[1:]}
    return {at: "nan" if x != x else x for at, x in values.items() if x or mode in ("", "loops")}


def results(path, how, *options):
    """The results' entries and the report, or what it was refused for."""
    out = folder / how
    done = subprocess.run([onyx, "run", str(path), "--engine", how, "--effort", "1", "-o", str(out), "--quiet", "--no-warning", "E0351,E0129", *types, *options], capture_output=True, text=True)
    if done.returncode:
        return None, f"exit {done.returncode}: {done.stderr.strip()}"
    return [entries(out / f"{t}.mtx") for t in made.results], json.loads((out / "report.json").read_text())


def kept_apart(number):
    """Keeps the statements of every tensor that was fused, joined, reused or moved as written, by an empty schedule: nothing changes. Returns how many were wrong."""
    report = json.loads((folder / engine / "report.json").read_text())
    names, bad = {one["tensor"] for one in report["fusions"] if one["fused"] or one.get("joined") or "reused" in one or "moved" in one}, 0
    text, want = made.write(folder), made.meaning()
    for name in sorted(names):
        got, again = results(folder / "random.onx", engine, "--fuse-statements", "on", "-s", f"{name}:")
        if got is None and ("E0960-passes" in again and want is None or again.startswith("exit 2") or "E0903" in again):
            continue
        if got != want or any(one["tensor"] == name and (one["fused"] or one.get("joined")) for one in again["fusions"]):
            bad += 1
            print(f"seed {seed + number} with {name} apart: {'wrong' if got else again}\n{text}")
    return bad


said = wrong = refused = shared = endless = alone = ran = shown = looped = tried = fused = joined = reused = 0
shares = quota.Quota()
for number in range(count):
    made = {"fused": Fused, "loops": Loop, "scalars": Scalars, "bf16": Reals, "dense": Grids, "dense_bf16": RealGrids}.get(mode, Program)(random.Random(seed + number))
    try:
        text, want = made.write(folder), made.meaning()
    except Unsaid:
        continue
    said += 1
    endless += want is None
    ways = [[], [*made.tiles, "--checkpoint", "2"]] if loops else [profile, [*profile, "-O0"]]
    if mode == "fused":
        ways = [["--fuse-statements", "on"], ["--fuse-statements", "off"], []]
    elif engine == "soc" and not loops:  # so many copies that each kernel is a firmware program of its own
        ways.append([*profile, "--tile", "2", "--unroll", "8"])
    before, not_fused = ran, ""
    # Engine sam divides zeros of dense operands, too, which may be NaN then (docs/index_notation.md).
    for how, options in (("cycle" if mode == "dense_bf16" else "sam", []), *((engine, way) for way in ways)):
        got, report = results(folder / "random.onx", how, *options)
        tried += how == engine
        if got is None and want is None and "[E0960-passes]" in report:
            tried -= how == engine
            continue
        if got is None and not report.startswith("exit 2"):
            wrong += 1
            print(f"seed {seed + number} {how} {options}: {report}\n{text}")
        elif got is None:
            refused += 1
            print(f"seed {seed + number} {how} {options}: {report.splitlines()[0]}")
            not_fused = report if "on" in options else not_fused
        elif got != want or report["check"] != "pass":
            wrong += 1
            print(f"seed {seed + number} {how} {options}: wrong, check {report['check']}\n{text}")
        elif how == engine:
            ran += 1
            wrong += not_fused != ""  # statements that run apart are not refused together
            if options is not ways[0]:  # what a program shows is counted once
                continue
            shown += 1
            fused += any(one["fused"] for one in report["fusions"])
            joined += any(one.get("joined") for one in report["fusions"])
            reused += any("reused" in one for one in report["fusions"])
            if mode == "fused":
                wrong += kept_apart(number)
            looped += bool(report["loops"])
            shared += any("shares" in s for s in report["statements"])
            alone += any(one.get("on_processor", 0) for loop in report["loops"] for one in loop["each"])
            if loops and not options and engine == "soc":
                print(f"seed {seed + number}: " + "; ".join(f"{loop['on']} {loop.get('why', '')} {[one['on_processor'] for one in loop['each']]}" for loop in report["loops"]))
    if want is not None:
        shares.add(ran > before, all(quota.is_trivial([0, *cells.values()]) for cells in want))
print(f"{count} programs, {endless} whose loop does not end, {refused} ways refused, {wrong} wrong")
print(f"rate stated: {said} of {count}\nrate accepted: {ran} of {tried}\nrate shared: {shared} of {shown}\nrate alone: {alone} of {looped}\nrate fused: {fused} of {shown}\nrate joined: {joined} of {shown}\nrate reused: {reused} of {shown}")
sys.exit(kept.count_wrong() > 0 or wrong > 0 or shares.failed())
