#!/usr/bin/env python3
"""Where expressions have values, as --dump coordinates prints it.
derivation.py ONYX FOLDER GOLDEN FUNCTIONS [COUNT [SEED]]: what is printed of each expression of GOLDEN are the lines below it. Then COUNT functions with random
iteration spaces, of operands that have some of the loops each: outside of the set that is printed their value is the fill; the loops that visit
what is printed for each come to every point of it, and would not if each visited what the innermost one does; and engine sam computes what the definition says.
derivation.py ... --write writes what is printed into GOLDEN, to be read before it is kept."""
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys

from random_operators import quota, read, write
from spaces import Function, holds

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

ACCESS = re.compile(r"([A-Za-z]\w*)\(([a-z](?:,[a-z])*)\)")


def run(onyx, expression, options, folder):
    return subprocess.run([onyx, "run", expression, *options, "--dump", "coordinates,-", "--engine", "sam", "--quiet", "-o", str(folder / "out")],
                          capture_output=True, text=True)


# ---- the derivation, case by case ----------------------------------------------------------------

def dump(onyx, case, functions, folder):
    """What is printed of the whole expression and of its loops for a line of the golden file: an expression and options."""
    expression, *options = re.split(r" (?=--)", case)
    options = [word for option in options for word in option.split(" ")]
    for name, indices in dict(ACCESS.findall(expression.split("=", 1)[1])).items():
        options += ["-g", f"{name}:{'x'.join('4' for _ in indices.split(','))}:0.5:1"]
    defined = re.findall(r"^def (\w+)", pathlib.Path(functions).read_text(), re.M)
    if any(f"{f}(" in expression for f in defined):
        options += ["--functions", str(functions)]
    done = run(onyx, expression, options, folder)
    lines = (done.stdout + done.stderr).splitlines()
    return lines[-1 - sum(line.startswith("forall") for line in lines):]


def as_written(onyx, path, functions, folder, rewrite):
    wrong, cases, text = 0, 0, []
    for block in re.findall(r"^(?:#.*|\S.*(?:\n    .*)*)", path.read_text(), re.M):
        case, *expected = block.split("\n    ")
        text.append(case)
        if case.startswith("#"):
            continue
        cases += 1
        got = dump(onyx, case, functions, folder)
        text += ["    " + line for line in got]
        if got != expected and not rewrite:
            wrong += 1
            print(case, *got, "expected:", *expected, sep="\n    ")
    if rewrite:
        path.write_text("\n".join(text) + "\n")
    return cases, wrong


# ---- random iteration spaces ---------------------------------------------------------------------

class Case:
    def __init__(self, seed):
        r = random.Random(seed)
        self.f = Function(r, "f", r.randint(2, 4), r.random() < 0.1)
        self.loops = r.sample("ijk", r.choice((1, 2, 2, 3, 3)))
        self.same_mask_misses = False  # a point, if every loop visited the set of the whole: a row that a complement leaves is in it
        self.extent = {v: r.randint(2, 4) for v in self.loops}
        self.values = []
        self.operand = {}
        for n, p in enumerate(self.f.names):
            index = r.sample(self.loops, len(self.loops) if n == 0 else r.randint(1, len(self.loops)))
            points = itertools.product(*(range(self.extent[v]) for v in index))
            density, values = r.choice([0.3, 0.5, 0.7]), [v for v in (0, 1, 2, 3, 7, -1, -4) if v != self.f.tested[p]]
            cells = {at: r.choice(values) for at in points if r.random() < density}
            self.operand[p] = ("BCDE"[n], index, cells)

    def words(self, at):
        return [cells.get(tuple(at[v] for v in index), self.f.tested[p]) for p, (_, index, cells) in self.operand.items()]

    def inside(self, text, at, fixed):
        """Whether a point is in a set as it is printed, as far as the loops of `fixed` say where the point is: an operand is there if it stores
        something that agrees with them."""
        def present(access):
            _, index, cells = next(o for o in self.operand.values() if o[0] == access[1].removesuffix("Filled"))
            if access[1].endswith("Filled"):  # a complement has what its operand lacks
                points = itertools.product(*(range(self.extent[v]) for v in index))
                cells = [point for point in points if point not in cells]
            return str(any(all(c == at[v] for c, v in zip(cell, index) if v in fixed) for cell in cells))
        return text == "everywhere" or eval(ACCESS.sub(present, text))

    def visited(self, visits, at):
        return all(self.inside(text, at, self.loops[: n + 1]) for n, text in enumerate(visits))

    def check(self, onyx, folder):
        """Returns the defects, or nothing."""
        (folder / "f.fn").write_text(self.f.definition())
        left = f"X({','.join(self.loops)})"
        expression = f"{left} = f({', '.join(f'{t}({chr(44).join(index)})' for t, index, _ in self.operand.values())})"
        options = ["--functions", str(folder / "f.fn")]
        for p, (t, index, cells) in self.operand.items():
            options += ["-i", f"{t}:{write(folder / t, [self.extent[v] for v in index], cells)}", "--fill", f"{t}:{self.f.tested[p]}"]
        for v in self.loops:
            options += ["-d", f"{v}:{self.extent[v]}"]
        done = run(onyx, expression, options, folder)
        if done.returncode:
            return f"{expression}\n{self.f.definition()}{done.stderr}"
        lines = done.stdout.splitlines()
        whole = lines[-1 - len(self.loops)].rsplit(": ", 1)[1].split("; else ")
        visits = [line.split(": ", 1)[1] for line in lines[-len(self.loops):]]
        order = len(self.loops)
        got = read(folder / "out" / ("X.mtx" if order <= 2 else "X.tns"), order)
        fill = json.loads((folder / "out" / "report.json").read_text()).get("fill", 0)
        for point in itertools.product(*(range(self.extent[v]) for v in self.loops)):
            at = dict(zip(self.loops, point))
            stored = [p for p, (_, index, cells) in self.operand.items() if tuple(at[v] for v in index) in cells]
            within = self.inside(whole[0], at, self.loops)
            value, fault = self.f.value(self.words(at)), None
            self.values.append(value)
            if within != holds(self.f.algebra, stored):
                fault = "is not in the set that the author states" if within else "is in the set that the author states"
            elif not within and value != int(whole[1]):
                fault = f"is {value}, not {whole[1]}"
            elif within and not self.visited(visits, at):
                fault = "is not visited"
            elif got.get(point, fill) != value:
                fault = f"is computed as {got.get(point, fill)}, not {value}"
            self.same_mask_misses |= within and not self.visited([whole[0]] * order, at)
            if fault:
                return f"{expression}, {point} {fault}\n{self.f.definition()}{done.stdout}"
        return None


def main():
    rewrite = sys.argv[-1] == "--write"
    onyx, folder, path, functions, *more = sys.argv[1: len(sys.argv) - rewrite]
    kept = behaviour.watch(__file__, onyx, folder)
    count, first = [*map(int, more), *[60, 1][len(more):]]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cases, wrong = as_written(onyx, pathlib.Path(path), functions, folder, rewrite)
    noticed, shares = 0, quota.Quota()
    for seed in range(first, first + count):
        case = Case(seed)
        fault = case.check(onyx, folder)
        shares.add(not fault, quota.is_trivial(case.values))
        noticed += case.same_mask_misses
        if fault:
            wrong += 1
            print(f"seed {seed}: {fault}")
    print(f"{cases} expressions and {count} random iteration spaces, {wrong} wrong; the innermost loop's mask at every level would miss points of {noticed}")
    return wrong + kept.count_wrong() != 0 or shares.failed() or (count >= 60 and noticed == 0)


if __name__ == "__main__":
    sys.exit(main())
