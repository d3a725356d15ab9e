#!/usr/bin/env python3
"""Runs kernels with random schedules on the array, and holds every result against the meaning of the expression.

    schedules.py ONYX [--count N] [--seed N] [--engine NAME] [--work DIR] [--show WORD]

A schedule never changes a value. So each run has to be right, or refused with a message whose place is the first command
that cannot be: the commands in front of the place run. Prints how many were right and which codes
refused the others; --show lists the runs of one outcome. Fails where a result is wrong, where a refusal names no command,
and where fewer than half of the schedules run: the rest breaks a rule of some command.
"""
import argparse
import collections
import concurrent.futures
import math
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import commands

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import quota  # noqa: E402

# Expressions, formats, and parts of the right side that can have a workspace.
KERNELS = [
    ("y(i)=A(i,j)*x(j)", {"A": "ds", "x": "d", "y": "d"}, ["A(i,j)*x(j)"]),
    ("X(i,j)=B(i,k)*C(k,j)", {"B": "ds", "C": "ds", "X": "ds"}, ["B(i,k)*C(k,j)"]),
    ("X(i,j)=B(i,k)*C(k,j)", {"B": "ss", "C": "dd", "X": "dd"}, ["B(i,k)*C(k,j)"]),
    ("X(i,j)=B(i,j)*C(i,k)*D(k,j)", {"B": "ss", "C": "dd", "D": "dd", "X": "ss"}, ["C(i,k)*D(k,j)", "B(i,j)*C(i,k)"]),
    ("A(i,j)=B(i,k,l)*D(l,j)*C(k,j)", {"A": "dd", "B": "sss", "C": "dd", "D": "dd"}, ["B(i,k,l)*D(l,j)", "D(l,j)*C(k,j)"]),
    ("A(i,j)=B(i,j,k)*c(k)", {"A": "ss", "B": "sss", "c": "d"}, ["B(i,j,k)*c(k)"]),
    ("X(i,j)=B(i,j)+C(i,j)+D(i,j)", {"B": "ss", "C": "ds", "D": "ss", "X": "ss"}, ["B(i,j)+C(i,j)", "C(i,j)"]),
    ("X(i,j)=B(i,k)*C(k,j)+D(i,j)", {"B": "ss", "C": "ss", "D": "ss", "X": "ss"}, ["B(i,k)*C(k,j)", "D(i,j)"]),
    ("a=B(i,j)*C(i,j)", {"B": "ss", "C": "ds"}, ["B(i,j)*C(i,j)"]),
    ("y(i)=a*A(i,j)*x(j)-b*z(i)", {"A": "ds", "x": "s", "z": "s", "y": "d"}, ["A(i,j)*x(j)", "b*z(i)"]),
]


class Schedule:
    """Commands that come one after the other; `loops` is what they leave, as far as one kernel goes."""

    def __init__(self, kernel, extent, numbers):
        self.expression, self.formats, self.parts = kernel
        left, right = commands.Reader(self.expression).assignment()
        self.loops = [*left[2], *sorted(commands.variables(right) - set(left[2]))]
        self.tensors = [access for access in commands.accesses(right) if access[2]]
        self.result, self.extent, self.numbers, self.made, self.text = left[1], extent, numbers, 0, []

    def fresh(self):
        self.made += 1
        return f"v{self.made}"

    def some(self):
        return self.numbers.randrange(len(self.loops))

    def reorder(self):
        listed = self.numbers.sample(self.loops, self.numbers.randint(1, len(self.loops)))
        places = sorted(map(self.loops.index, listed))
        for place, loop in zip(places, listed):
            self.loops[place] = loop
        return f"reorder({','.join(listed)})"

    def cut(self, word):
        at, outer, inner = self.some(), self.fresh(), self.fresh()
        loop = self.loops[at]
        self.loops[at:at + 1] = [outer, inner]
        return f"{word}({loop},{outer},{inner},{self.numbers.choice((1, 2, 3, 4, 8, 32))})"

    def split(self):
        return self.cut("split")

    def divide(self):
        return self.cut("divide")

    def fuse(self):
        if len(self.loops) == 1:
            return "assemble(%s,Insert)" % self.result
        at, made = self.numbers.randrange(len(self.loops) - 1), self.fresh()
        pair = self.loops[at:at + 2]
        self.loops[at:at + 2] = [made]
        return f"fuse({pair[0]},{pair[1]},{made})"

    def pos(self):
        """Mostly of a loop along which the tensor is compressed."""
        _, tensor, index = self.numbers.choice(self.tensors)
        levels = self.formats.get(tensor, "s" * len(index))
        fit = [v for v, level in zip(index, levels) if level == "s" and v in self.loops] or self.loops
        loop, made = self.numbers.choice(fit), self.fresh()
        self.loops[self.loops.index(loop)] = made
        return f"pos({loop},{made},{tensor})"

    def bound(self):
        at, made = self.some(), self.fresh()
        loop, self.loops[at] = self.loops[at], made
        return f"bound({loop},{made},{self.extent.get(loop, 4)},MaxExact)"

    def precompute(self):
        part = self.numbers.choice(self.parts)
        index = sorted(commands.variables(commands.Reader(part).terms()))
        kept = self.numbers.sample(index, self.numbers.randint(0, len(index)))
        if kept and self.numbers.random() < 0.4:
            return f"precompute({part},{kept[0]},{kept[0]})"
        return f"precompute({part},{{{','.join(kept)}}},{{{','.join(kept)}}})"

    def unroll(self):
        return f"unroll({self.loops[self.some()]},{self.numbers.choice((0, 2, 3, 4, 100))})"

    def parallelize(self):
        unit = self.numbers.choice(("CPUThread", "CPUVector", "GPUBlock", "GPUWarp", "GPUThread", "Lanes(2)"))
        races = self.numbers.choice(("NoRaces", "IgnoreRaces", "Atomics", "Temporary", "ParallelReduction"))
        return f"parallelize({self.loops[self.some()]},{unit},{races})"

    def assemble(self):
        return f"assemble({self.result},{self.numbers.choice(('Insert', 'Append'))})"

    def promote(self):
        return "sPromote()"

    def tile(self):
        return f"environment(tile,{self.numbers.choice((4, 8, 16))})"

    def make(self):
        often = [self.reorder] * 4 + [self.split] * 3 + [self.precompute] * 3 + [self.fuse, self.pos, self.parallelize, self.unroll] * 2
        for _ in range(self.numbers.randint(1, 6)):
            self.text.append(self.numbers.choice([*often, self.divide, self.bound, self.assemble, self.promote, self.tile])())
        return ", ".join(dict.fromkeys(self.text))


def before(schedule, column):
    """The commands in front of the command at the column, counted from 1."""
    commas = [0] + [at.start() for at in re.finditer(r", (?=[a-zP]+\()", schedule[:column], re.I)]
    return schedule[:commas[-1]]


def run(onyx, engine, work, seed):
    """The outcome, whether the result has one value everywhere, and what was said."""
    numbers = random.Random(seed)
    kernel = KERNELS[seed % len(KERNELS)]
    folder = os.path.join(work, str(seed))
    os.makedirs(folder)
    left, right = commands.Reader(kernel[0]).assignment()
    extent = {v: numbers.randint(3, 9) for v in sorted({*left[2], *commands.variables(right)})}
    schedule = Schedule(kernel, extent, numbers).make()
    data = {}
    line = [onyx, "run", kernel[0], "-s", schedule, "--dtype", "int16", "--engine", engine]
    line += [f"-f={name}:{levels}" for name, levels in kernel[1].items()]
    for _, name, index in commands.accesses(right):
        data[name] = commands.make_tensor(index, kernel[1].get(name, "s"), extent, numbers)
        line += ["-i", name + ":" + (commands.write_tensor(folder, name, index, extent, data[name]) if index else "")]
        if not index:
            line[-1] += os.path.join(folder, name + ".tns")
            with open(line[-1].split(":", 1)[1], "w", encoding="ascii") as out:
                print(data[name][()], file=out)
    result = os.path.join(folder, "result.tns")
    done = subprocess.run([*line, f"-o={left[1]}:{result}"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    said = done.stdout + done.stderr
    refused = re.search(r"^(\S*?):(?:1:(\d+):)?.*(?:error|does not fit): .*\[(E\d{4}[-\w]*)\]", said, re.M)
    want = commands.evaluate(left, right, data, extent)
    points = math.prod(extent[v] for v in left[2])
    trivial = bool(left[2]) and quota.is_trivial([*want.values(), *[0] * (points > len(want))])
    if done.returncode == 0:
        outcome = "right" if commands.read_result(result) == want else "wrong"
    elif not refused or done.returncode not in (1, 2):
        outcome = f"unnamed exit {done.returncode}"
    elif refused.group(1) != "<schedule>":
        outcome = "unnamed " + refused.group(3)
    else:
        line[4] = before(schedule, int(refused.group(2)))
        first = subprocess.run([*line, f"-o={left[1]}:{result}"], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        outcome = ("" if first.returncode == 0 else "unnamed: the commands before are refused, too: ") + refused.group(3)
        said += shlex.join(line) + first.stderr if first.returncode else ""
    shutil.rmtree(folder)
    return outcome, trivial, shlex.join(["onyx", *line[1:]]) + "\n" + said


def main():
    options = argparse.ArgumentParser()
    options.add_argument("onyx")
    options.add_argument("--count", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--engine", default="cycle")
    options.add_argument("--work")
    options.add_argument("--show")
    given = options.parse_args()
    work = tempfile.mkdtemp(dir=given.work)
    counts, bad, cases = collections.Counter(), 0, quota.Quota(least_accepted=0.5)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        seeds = range(given.seed, given.seed + given.count)
        for seed, (outcome, trivial, said) in zip(seeds, pool.map(lambda n: run(os.path.abspath(given.onyx), given.engine, work, n), seeds)):
            counts[outcome] += 1
            cases.add(outcome == "right", trivial)
            failed = outcome == "wrong" or outcome.startswith("unnamed")
            bad += failed
            if failed or (given.show and given.show in outcome):
                print(f"seed {seed}: {outcome}: {said}")
    shutil.rmtree(work)
    for outcome, count in counts.most_common():
        print(f"{outcome:30} {count:6} {100 * count / given.count:6.1f} %")
    if cases.failed() or bad:
        sys.exit(f"{bad} wrong or refused without a command's name")


if __name__ == "__main__":
    main()
