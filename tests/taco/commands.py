#!/usr/bin/env python3
"""Runs commands that people typed for taco, on made data, and holds every result against the meaning of the expression.

    commands.py ONYX FILE [--engine NAME] [--least PERCENT] [--work DIR] [--show WORD]

FILE has a line for each command: how often it was typed, a tab, the arguments quoted for a shell. The evaluation below is
its own: it reads the expression, visits every point and adds up, and knows nothing of formats and schedules. Prints how
many uses and commands came out right, wrong, or were refused, by code; --show lists the commands of one of these. Fails
where one is wrong, or less than PERCENT of the uses are right. behaviour.py records what each command does.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota, is_trivial  # noqa: E402

# ---- the meaning of an expression ---------------------------------------------------------------

TOKEN = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*|\d+\.?\d*(?:e-?\d+)?|\.\d+|[-+*/(),=])")


class Reader:
    """Index notation as a tree: ("access", name, indices), ("number", n), ("-", a), (sign, a, b)."""

    def __init__(self, text):
        self.tokens, self.at = TOKEN.findall(text), 0
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise ValueError("cannot read " + text)

    def take(self, *words):
        if self.at < len(self.tokens) and self.tokens[self.at] in words:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def chain(self, operand, *signs):
        tree = operand()
        sign = self.take(*signs)
        while sign:
            tree = (sign, tree, operand())
            sign = self.take(*signs)
        return tree

    def terms(self):
        return self.chain(self.product, "+", "-")

    def product(self):
        return self.chain(self.factor, "*", "/")

    def factor(self):
        if self.take("-"):
            return ("-", self.factor())
        if self.take("("):
            tree = self.terms()
            self.take(")")
            return tree
        word = self.tokens[self.at]
        self.at += 1
        if not word[0].isalpha():
            return ("number", float(word))
        return ("access", word, self.indices())

    def indices(self):
        found = []
        if self.take("("):
            while not self.take(")"):
                found.append(self.tokens[self.at])
                self.at += 1
                self.take(",")
        return tuple(found)

    def assignment(self):
        left = self.factor()
        self.take("+")
        self.take("=")
        return left, self.terms()


def accesses(tree):
    if tree[0] == "access":
        yield tree
    for part in tree[1:]:
        if isinstance(part, tuple) and part and tree[0] != "access":
            yield from accesses(part)


def variables(tree):
    return {v for access in accesses(tree) for v in access[2]}


def at_point(tree, data, point):
    kind = tree[0]
    if kind == "access":
        return data[tree[1]].get(tuple(point[v] for v in tree[2]), 0)
    if kind == "number":
        return tree[1]
    a = at_point(tree[1], data, point)
    if len(tree) == 2:
        return -a
    if kind == "*" and a == 0:
        return 0
    b = at_point(tree[2], data, point)
    if kind == "/":
        return int(a / b) if b else 0
    return a + b if kind == "+" else a - b if kind == "-" else a * b


def summed(tree, data, point, extent):
    """The value at a point of the result: each addend is summed over what the point does not say."""
    if tree[0] in "+-":
        parts = [summed(part, data, point, extent) for part in tree[1:]]
        return -parts[0] if len(parts) == 1 else parts[0] + parts[1] if tree[0] == "+" else parts[0] - parts[1]
    over = sorted(variables(tree) - set(point))
    ranges = [range(extent[v]) for v in over]
    return sum(at_point(tree, data, {**point, **dict(zip(over, values))}) for values in itertools.product(*ranges))


def evaluate(left, right, data, extent):
    result, index = {}, sorted(set(left[2]))
    for values in itertools.product(*(range(extent[v]) for v in index)):
        point = dict(zip(index, values))
        value = (int(summed(right, data, point, extent)) + 0x8000) % 0x10000 - 0x8000
        if value:
            result[tuple(point[v] for v in left[2])] = value
    return result


# ---- data ---------------------------------------------------------------------------------------


def schedule_commands(arguments):
    for argument in arguments:
        if argument.startswith("-s="):
            yield from ((name, inside.split(",")) for name, inside in re.findall(r"(\w+)\(([^()]*)\)", argument))


def unify(extent, uses):
    """Every index of one dimension of a tensor runs as far as the others there, the least of them."""
    changed = True
    while changed:
        changed = False
        for _, name, index in uses:
            for _, other, also in uses:
                for v, w in zip(index, also) if name == other else ():
                    if extent[v] != extent[w]:
                        extent[v] = extent[w] = min(extent[v], extent[w])
                        changed = True


def choose_extents(names, arguments, seed):
    """Every variable's extent: what a bound says, more than one block of a split, few points in all."""
    extent, blocks, made = {}, {}, {}
    numbers = random.Random(seed)
    for name, words in schedule_commands(arguments):
        root, times = made.get(words[0], (words[0], 1))
        if name == "split":
            made[words[1]], made[words[2]] = (root, times * int(words[3])), (root, 0)
            blocks.setdefault(root, int(words[3]))
        elif name == "divide":
            made[words[1]] = made[words[2]] = (root, 0)
            blocks.setdefault(root, int(words[3]))
        elif name in ("pos", "fuse"):
            made[words[-1 if name == "fuse" else 1]] = ("", 0)
        elif name == "bound" and words[3] == "MaxExact":
            made[words[1]] = (root, times)
            if root in names and times:
                extent[root] = int(words[2]) * times
    room = 4000
    for v in names:
        room //= extent.get(v, 1)
    free = [v for v in names if v not in extent]
    for n, v in enumerate(free):
        each = max(2, min(9, int(max(room, 1) ** (1 / (len(free) - n)))))
        size = numbers.randint(max(2, each - 2), each)
        if 1 < blocks.get(v, 0) < 48 and blocks[v] + 5 <= room // 3 ** (len(free) - n - 1):
            size = blocks[v] + numbers.randint(1, 5)
        extent[v] = size
        room //= size
    return extent


def make_tensor(index, levels, extent, numbers):
    """Coordinates to values: dense tensors are nearly full, and the last coordinate says how far they reach."""
    density = 0.8 if set(levels) <= {"d"} else 0.4
    sizes = [extent[v] for v in index]
    data = {c: numbers.choice((-2, -1, 1, 2, 3)) for c in itertools.product(*map(range, sizes)) if numbers.random() < density}
    data[tuple(size - 1 for size in sizes)] = 1
    return data


def write_tensor(folder, name, index, extent, data):
    path = os.path.join(folder, name + (".mtx" if 1 <= len(index) <= 2 else ".tns"))
    with open(path, "w", encoding="ascii") as out:
        if path.endswith(".mtx"):
            sizes = [extent[v] for v in index] + [1] * (2 - len(index))
            print(f"%%MatrixMarket matrix coordinate integer general\n{sizes[0]} {sizes[1]} {len(data)}", file=out)
        for coordinates, value in sorted(data.items()):
            padded = [c + 1 for c in coordinates] + [1] * (2 - len(index) if path.endswith(".mtx") else 0)
            print(*padded, value, file=out)
    return path


def read_result(path):
    with open(path, encoding="ascii") as lines:
        rows = [line.split() for line in lines if line.strip() and line[0] not in "%#"]
    return {tuple(int(c) - 1 for c in row[:-1]): int(row[-1]) for row in rows if int(row[-1])}


# ---- one command --------------------------------------------------------------------------------


def run(onyx, engine, work, number, arguments):
    """"right", "wrong", or the code of the refusal; what was said; and whether the result is the same at all points."""
    folder = os.path.join(work, str(number))
    os.makedirs(folder)
    left, right = Reader(arguments[0]).assignment()
    used = {access[1]: access[2] for access in accesses(right)}
    levels = {m.group(1): m.group(2) for m in (re.match(r"-f=(\w+):(\w*)", a) for a in arguments[1:]) if m}
    names = list(dict.fromkeys([*left[2], *(v for index in used.values() for v in index)]))
    for access in accesses(right):
        names += [v for v in access[2] if v not in names]
    extent = choose_extents(names, arguments[1:], number)
    unify(extent, [left, *accesses(right)])
    numbers = random.Random(number)
    line, data = [onyx, "run", *arguments, *([] if any("bf16" in a for a in arguments) else ["--dtype", "int16"]), "--engine", engine], {}
    for name, index in used.items():
        data[name] = make_tensor(index, levels.get(name, "s"), extent, numbers)
        line += ["-i", name + ":" + write_tensor(folder, name, index, extent, data[name])]
    for v in left[2]:
        if all(v not in access[2] for access in accesses(right)):
            line += ["-d", f"{v}:{extent[v]}"]
    result = os.path.join(folder, "result.tns")
    line.append("-o=" + left[1] + ":" + result)
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    said = done.stdout + done.stderr
    trivial = False
    if done.returncode == 0:
        want = evaluate(left, right, data, extent)
        trivial = is_trivial([0, *want.values()])
        outcome = "right" if read_result(result) == want else "wrong"
    else:
        codes = re.findall(r"error\[?.*?(E\d{4}[-\w]*)|(E\d{4}[-\w]*)", said)
        outcome = next((a or b for a, b in codes), "exit %d" % done.returncode)
        outcome = "wrong" if done.returncode == 3 else outcome
    shutil.rmtree(folder)
    return outcome, done, shlex.join(["onyx", *line[1:]]) + "\n" + said, trivial


def main():
    options = argparse.ArgumentParser()
    options.add_argument("onyx")
    options.add_argument("file")
    options.add_argument("--engine", default="sam")
    options.add_argument("--least", type=float, default=0)
    options.add_argument("--work")
    options.add_argument("--show")
    given = options.parse_args()
    if not os.path.exists(given.file):
        print(given.file, "is not there: skipped")
        sys.exit(77)
    with open(given.file, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if line.strip() and line[0] != "#"]
    todo = [(int(uses), shlex.split(words)) for uses, words in lines]
    work = tempfile.mkdtemp(dir=given.work)
    kept = behaviour.Seen("commands" if given.engine == "sam" else "commands_" + given.engine)
    masks = behaviour.masks_of(given.onyx, work)
    uses, commands, shares = collections.Counter(), collections.Counter(), Quota()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = pool.map(lambda n: run(os.path.abspath(given.onyx), given.engine, work, n, todo[n][1]), range(len(todo)))
        for (count, _), (outcome, done, said, trivial) in zip(todo, runs):
            done.stdout = re.sub(r"\S*/onyx-\w{6}/", "<made>/", done.stdout)
            kept.printed(" ".join(done.args[1:]), done, masks)
            uses[outcome] += count
            commands[outcome] += 1
            shares.add(outcome == "right", trivial)
            if outcome == "wrong" or (given.show and given.show in outcome):
                print(count, said, sep="\t")
    shutil.rmtree(work)
    total = sum(uses.values())
    print(f"{'outcome':30} {'uses':>6} {'%':>6} {'commands':>9}")
    for outcome, count in uses.most_common():
        print(f"{outcome:30} {count:6} {100 * count / total:6.1f} {commands[outcome]:9}")
    if kept.count_wrong() or shares.failed():
        sys.exit(1)
    if uses["wrong"] or uses["right"] < given.least / 100 * total:
        sys.exit(f"{uses['wrong']} wrong, {100 * uses['right'] / total:.1f} % right, {given.least:.1f} % wanted")


if __name__ == "__main__":
    main()
