#!/usr/bin/env python3
"""The same operands with other fills, on engine rtl, by the words that enter the array: fills.py ONYX FOLDER. Coordinates are word for word those
of fill 0; values are as many, and v ^ fill of each, but of those that pad, which are the fill; and the global buffer and the memory tiles hold
as many words. The result is that of evaluate.py."""
import itertools
import json
import pathlib
import random
import struct
import subprocess
import sys

from evaluate import INF, MINUS_INF, Evaluator
from random_operators import quota, read, text, write

onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
SIZE = {"i": 11, "j": 9, "k": 5}
FILLS = {"0": 0, "7": 7, "inf": INF, "-inf": MINUS_INF}
shares = quota.Quota()
SIZES = ("mem_words", "bank_words", "glb_tiles", "loads", "load_words", "batches")


def of(name, *index):
    return "access", name, index


A, B, T, U = of("A", "i", "j"), of("B", "i", "j"), of("T", "i", "j", "k"), of("U", "i", "j", "k")
# Functions that have values wherever an operand is stored, whatever its fill: the loops are the same for all fills.
CASES = [("ij", ("^", A, B), {}), ("ij", ("==", A, B), {"A": "ds", "B": "ds"}), ("ij", ("abs", A), {}), ("ij", ("~", A), {"A": "ds"}),
         ("ij", ("^", A, B), {"A": "ss:1,0"}), ("ijk", ("^", T, U), {}), ("ijk", ("!=", T, U), {"T": "dss"}),
         ("i", ("^", of("a", "i"), of("b", "i")), {}), ("ij", ("^", A, B), {"A": "dd", "B": "dd"}),
         ("ij", ("^", ("^", A, B), of("C", "i", "j")), {})]


def job_of(out):
    """The words of each input stream by its name, run by run."""
    words = (out / "rtl/job.bin").read_bytes()
    word = struct.unpack(f"<{len(words) // 4}I", words)
    place = {line.split()[0]: int(line.split()[1]) for line in (out / "design.place").read_text().splitlines()[2:] if line}
    names = sorted((n for n in place if n.startswith("in_")), key=place.get)
    assert word[0] == int.from_bytes(b"ONXJ", "little") and word[1] == 1 and word[2] == len(names), "another file"
    outputs, at, runs = word[3], 4 + word[3], []
    count, at = word[at], at + 1
    for _ in range(count):
        run = {}
        for name in names:
            length, at = word[at], at + 1
            packed, at = word[at:at + (length + 1) // 2], at + (length + 1) // 2
            run[name] = [half for w in packed for half in (w & 0xFFFF, w >> 16)][:length]
        runs.append(run)
    assert at == len(word) and outputs > 0, "the file goes on"
    return runs


def operands(e):
    found = {e[1]: e[2]} if e[0] == "access" else {}
    for a in e[1:]:
        if isinstance(a, tuple) and e[0] != "access":
            found |= operands(a)
    return found


def case(number, result, tree, formats, edge):
    r, tensors, files = random.Random(number), {}, []
    for name, index in operands(tree).items():
        dims = [SIZE[v] for v in index]
        cells = {at: r.choice([1, 2, 3, 7, -4, 9, 100, INF, MINUS_INF]) for at in itertools.product(*map(range, dims)) if r.random() < 0.3}
        tensors[name] = (len(dims), cells, 0)
        files += ["-i", f"{name}:{write(folder / name, dims, cells)}", "-d", f"{name}:{','.join(map(str, dims))}"]
    for name, levels in formats.items():
        files += ["-f", f"{name}:{levels}"]
    first = next(iter(tensors))
    wrong, want, had = [], None, None
    for shown, fill in FILLS.items():
        out = folder / "out"
        args = [onyx, "run", f"X({','.join(result)}) = {text(tree)}", "--dtype", "int16", "--engine", "rtl", "--effort", "1", "-o", str(out), "--quiet", "--unroll", "1", "--tile", str(edge), *files]
        args += ["--fill", f"{first}:{shown}"] if fill else []
        subprocess.run(["rm", "-rf", str(out)], check=True)
        done = subprocess.run(args, capture_output=True, text=True)
        if done.returncode:
            return [f"{' '.join(args)}: {done.stderr}"]
        report = json.loads((out / "report.json").read_text())
        got, stated = read(out / ("X.mtx" if len(result) <= 2 else "X.tns"), len(result)), report.get("fill", 0)
        e = Evaluator(tensors | {first: (*tensors[first][:2], fill)}, SIZE)
        values = {at: e.value(tree, dict(zip(result, at))) for at in itertools.product(*(range(SIZE[v]) for v in result))}
        shares.add(trivial=quota.is_trivial(values.values()))
        for at, value in values.items():
            if got.get(at, stated) != value:
                wrong.append(f"{' '.join(args)}: {at} is {got.get(at, stated)}")
        sizes, runs = {s: report["tiling"][s] for s in SIZES}, job_of(out)
        vals = f"in_{first}_vals"
        if fill:  # no operand stores a zero, so a zero pads
            expected = [run | {vals: run[vals][:1] + [w and w ^ (fill & 0xFFFF) for w in run[vals][1:]]} for run in want]
        if want is None:
            want, had = runs, sizes
        elif sizes != had:
            wrong.append(f"{' '.join(args)}: {sizes}, with fill 0 {had}")
        elif len(runs) != len(want):
            wrong.append(f"{' '.join(args)}: {len(runs)} runs, with fill 0 {len(want)}")
        else:
            wrong += [f"{' '.join(args)}: run {n}, {name}: {mine.get(name)}, not {words}" for n, (mine, its) in enumerate(zip(runs, expected))
                      for name, words in its.items() if mine.get(name) != words]
    return wrong


bad = [line for n, (result, tree, formats) in enumerate(CASES) for line in case(n, result, tree, formats, 16 if n % 2 else 4)]
print("\n".join(bad[:10]) if bad else f"{len(CASES)} cases have the same coordinates and sizes with fills {', '.join(FILLS)}")
sys.exit(bool(bad) or shares.failed())
