#!/usr/bin/env python3
"""Graphs whose operations make other values than 0 of the zeros that pad operands, on engine cycle, against plain Python: padding.py ONYX
FOLDER COUNT SEED. A graph has the coordinates that its operands store, and on the array those alone: 5 is added to values, or operands that
meet are added. Exit code 1 if a value or a coordinate is another."""
import itertools
import pathlib
import random
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from quota import Quota  # noqa: E402

EXTENTS = {"i": 9, "j": 7, "k": 5}
CASES = [  # expression; formats; the edit of its graph; a value of two
    ("X(i,j)=B(i,j)+C(i,j)", {}, "add", lambda b, c: b + c + 5),
    ("X(i,j,k)=B(i,j,k)+C(i,j,k)", {}, "add", lambda b, c: b + c + 5),
    ("x(i)=b(i)*c(i)", {}, "mul", lambda b, c: b + c),
    ("X(i,j)=B(i,j)*C(i,j)", {}, "mul", lambda b, c: b + c),
    ("x(i)=B(i,j)*c(j)", {}, "mul", lambda b, c: b + c),
    ("X(i,j)=B(i,k)*C(k,j)", {"C": "ss:1,0"}, "mul", lambda b, c: b + c),
    ("X(i,k)=B(i,j,k)*c(j)", {}, "mul", lambda b, c: b + c),
    ("X(i,j)=B(i,j)", {}, "arrayvals", lambda b: b + 5),
    ("X(i,j)=B(i,j)", {"B": "sd", "X": "sd"}, "arrayvals", lambda b: b + 5),
    ("X(i,j)=B(i,j)", {"B": "dd"}, "arrayvals", lambda b: b + 5),
    ("X(i,j)=B(i,j)+C(i,j)", {"B": "ds"}, "add", lambda b, c: b + c + 5),
]


def edited(graph, node):
    """The graph with operands added instead of multiplied, or with 5 added to the values of a node."""
    if node == "mul":
        return graph.replace("type=mul", "type=add").replace('type="mul"', 'type="add"')
    at = re.search(rf'^ *(\d+) \[comment="type={node}\b', graph, re.M)[1]
    graph = re.sub(rf"^    {at} -> ", "    900 -> ", graph, flags=re.M)
    five = '    900 [comment="type=add,const1=5" type="add" const1="5"]\n'
    return graph.replace("    0 [", five + "    0 [", 1).replace("\n}", f'\n    {at} -> 900 [type="val" src_port="0" dst_port="0"]\n}}')


def accesses(expression):
    return [(name, tuple(index.split(","))) for name, index in re.findall(r"(\w+)\(([^)]*)\)", expression)]


def reached(cells, index, form):
    """The coordinates to which the levels of an operand lead."""
    dense = len(form) - len(form.rstrip("d"))
    outer = {at[:len(at) - dense] for at in cells} if dense < len(form) else {()}
    inner = list(itertools.product(*(range(EXTENTS[v]) for v in index[len(index) - dense:])))
    return {o + i for o in outer for i in inner}


def definition(expression, formats, value, tensors):
    result, *operands = accesses(expression)
    where = [reached(tensors[name], index, formats.get(name, "s" * len(index)).split(":")[0]) for name, index in operands]
    loops = sorted({v for _, index in [result, *operands] for v in index})
    found = {}
    for point in itertools.product(*(range(EXTENTS[v]) for v in loops)):
        at = dict(zip(loops, point))
        places = [tuple(at[v] for v in index) for _, index in operands]
        stored = [p in w for p, w in zip(places, where)]
        if (any if "+" in expression else all)(stored):
            key = tuple(at[v] for v in result[1])
            found[key] = found.get(key, 0) + value(*(tensors[name].get(p, 0) for (name, _), p in zip(operands, places)))
    return {at: v for at, v in found.items() if v}


def main():
    onyx, folder, count, seed = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    wrong, quota = 0, Quota()
    for case in range(int(count)):
        r = random.Random(int(seed) * 1000 + case)
        expression, formats, node, value = CASES[case % len(CASES)]
        options = [word for name, form in formats.items() for word in ("-f", f"{name}:{form}")]
        graph = subprocess.run([onyx, "sam", expression, *options, "-O0"], capture_output=True, text=True, check=True).stdout
        (folder / "graph.gv").write_text(edited(graph, node))
        tensors, given = {}, []
        for name, index in accesses(expression)[1:]:
            dims, density = [EXTENTS[v] for v in index], r.choice([0, 0.03, 0.2, 0.6])
            cells = {at: r.randint(1, 9) for at in itertools.product(*map(range, dims)) if r.random() < density}
            tensors[name] = cells
            (folder / f"{name}.tns").write_text("".join(f"{' '.join(str(c + 1) for c in at)} {v}\n" for at, v in cells.items()))
            given += ["-i", f"{name}:{folder / name}.tns"]
        given += [word for v in EXTENTS if re.search(rf"[(,]{v}[,)]", expression) for word in ("-d", f"{v}:{EXTENTS[v]}")]
        tile = r.choice([[], ["--tile", "3"], ["--tile", "4"]])
        argv = [onyx, "run", str(folder / "graph.gv"), *given, *tile, "--engine", "cycle", "--effort", "1", "--quiet", "-o", str(folder / "out")]
        done = subprocess.run(argv, capture_output=True, text=True)
        name, index = accesses(expression)[0]
        got = {}
        if not done.returncode:
            path = folder / "out" / (name + (".mtx" if len(index) <= 2 else ".tns"))
            rows = [row.split() for row in path.read_text().splitlines() if row[0] != "%"][len(index) <= 2:]
            got = {tuple(int(c) - 1 for c in row[:len(index)]): int(row[-1]) for row in rows if int(row[-1])}
        want = definition(expression, formats, value, tensors)
        quota.add(accepted=not done.returncode, trivial=not want)
        if done.returncode or got != want:
            wrong += 1
            print(f"case {case}: {expression} {formats}: {' '.join(argv)}\n{done.stderr}")
    print(f"{count} graphs, {wrong} wrong")
    return wrong > 0 or quota.failed()


if __name__ == "__main__":
    sys.exit(main())
