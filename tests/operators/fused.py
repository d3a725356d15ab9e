#!/usr/bin/env python3
"""An expression as one kernel of the array against one kernel for each operation, as a library computes it:
fused.py ONYX FOLDER [--write PAGE]. Counts, on engine cycle, cycles and the most bytes of all tensors that are there at once; that an operation
takes no more values than the joined coordinates have; and, on engine sam too, that a mask keeps rows from being scanned;
and that what is chosen unasked is faster than what is not.
--write puts the table of cycles into the page."""
import json
import pathlib
import random
import re
import subprocess
import sys

from random_operators import behaviour, put_table, quota, read, write

page = pathlib.Path(sys.argv.pop(sys.argv.index("--write") + 1)) if "--write" in sys.argv else None
onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
held = behaviour.watch(__file__, onyx, folder)
folder.mkdir(parents=True, exist_ok=True)
N = 60
wrong, shares = [], quota.Quota()  # trivial: a result without entries


def expect(holds, what):
    if not holds:
        wrong.append(what)


def matrix(density, seed, dims=(N, N)):
    r = random.Random(seed)
    places = [(i, j) for i in range(dims[0]) for j in range(dims[1])] if len(dims) == 2 else [(i,) for i in range(dims[0])]
    return list(dims), {at: r.randint(-9, 9) or 1 for at in places if r.random() < density}


def stored(order, cells):
    """Bytes of a compressed tensor: each level's segments and coordinates, and the values, of two bytes each."""
    words, above = len(cells), 1
    for level in range(1, order + 1):
        fibers = len({at[:level] for at in cells})
        words += above + 1 + fibers
        above = fibers
    return 2 * words


def run(expression, operands, engine="cycle", options=()):
    """Returns the folder of the one kernel, the report and the result."""
    out = folder / "out"
    subprocess.run(["rm", "-rf", str(out)], check=True)
    args = [onyx, "run", expression, "--dtype", "int16", "--engine", engine, "--effort", "1", "-o", str(out), "--quiet", *options]
    for name, (dims, cells) in operands.items():
        if re.search(rf"\b{name}\(", expression):
            args += ["-i", f"{name}:{write(folder / name, dims, cells)}", "-d", f"{name}:{','.join(map(str, dims))}"]
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(args)}: {done.stderr}")
    report = json.loads((out / "report.json").read_text())
    shares.add(trivial=not report["result_nnz"])
    return out, report


def fused(expression, operands, options=()):
    out, report = run(expression, operands, options=options)
    expect((out / "netlist.json").exists(), f"{expression} is more than one kernel")
    return report


def apart(steps, operands, options=()):
    """Returns the cycles of all steps; the bytes of all operands and the result; and the most that there are at once, with what lies between."""
    operands, cycles = dict(operands), 0
    used = {name for _, _, expression in steps for name in operands if re.search(rf"\b{name}\(", expression)}
    given = between = most = sum(stored(len(operands[name][0]), operands[name][1]) for name in used)
    for name, order, expression in steps:
        out, report = run(expression, operands, options=options)
        cycles += report["cycles"]["total"]
        cells = read(out / f"{name}.mtx", order)
        operands[name] = ([N] * order, cells)
        between += stored(order, cells)
        most = max(most, between)
    return cycles, given + stored(order, cells), most


def pair(first, second):
    """A kernel of two operations that follow each other."""
    return (f"`(A {first} B) {second} C`".replace("|", "\\|"), f"X(i,j) = (A(i,j) {first} B(i,j)) {second} C(i,j)",
            [("W", 2, f"W(i,j) = A(i,j) {first} B(i,j)"), ("X", 2, f"X(i,j) = W(i,j) {second} C(i,j)")], ())


def moved(report, port):
    """Tokens into each input of tiles whose names end so."""
    return [s["moved"] for s in report["stalls"] if port(s["to"])]


A, B, C = matrix(0.25, 1), matrix(0.25, 2), matrix(0.1, 3)
x, m, d = matrix(0.3, 4, (N,)), matrix(0.3, 5, (N,)), matrix(0.3, 6, (N,))
ALL = {"A": A, "B": B, "C": C, "x": x, "m": m, "d": d}
KERNELS = [
    pair("^", "&"),
    ("`mask(C, A + B)`", "X(i,j) = mask(C(i,j), A(i,j) + B(i,j))",
     [("W", 2, "W(i,j) = A(i,j) + B(i,j)"), ("X", 2, "X(i,j) = mask(C(i,j), W(i,j))")], ()),
    ("masked SpMV", "y(i) = mask(m(i), A(i,j) * x(j))",
     [("w", 1, "w(i) = A(i,j) * x(j)"), ("y", 1, "y(i) = mask(m(i), w(i))")], ()),
    ("masked SpMV, complement", "y(i) = mask(not struct(m(i)), A(i,j) * x(j))",
     [("w", 1, "w(i) = A(i,j) * x(j)"), ("y", 1, "y(i) = mask(not struct(m(i)), w(i))")], ()),
    ("masked SpM*SpM", "X(i,j) = mask(C(i,j), A(i,k) * B(k,j))",
     [("W", 2, "W(i,j) = A(i,k) * B(k,j)"), ("X", 2, "X(i,j) = mask(C(i,j), W(i,j))")], ()),
    ("largest of masked neighbours", "y(i) = max(j, mask(A(i,j), abs(x(j))))",
     [("W", 2, "W(i,j) = mask(A(i,j), abs(x(j)))"), ("y", 1, "y(i) = max(j, W(i,j))")], ("-O0",)),
    pair("|", "&"), pair("&", "^"), pair("&", "|"), pair("^", "|"),
]
table = "| kernel | cycles as one | one by one | ratio | bytes at once, as one | one by one |\n|---|---|---|---|---|---|\n"
for name, expression, steps, options in KERNELS:
    one = fused(expression, ALL, options)["cycles"]["total"]
    many, least, most = apart(steps, ALL, options)
    expect(one < many, f"{name}: {one} cycles as one kernel, {many} one by one")
    table += f"| {name} | {one} | {many} | {many / one:.2f} | {least} | {most} |\n"

# Values that operations take: the coordinates of (A or B) and C, a stop for each row that has both, and the end. So that no fiber is
# empty, which the chip's writer mistakes, every row has coordinate 0: the host adds zeros.
report = fused(KERNELS[0][1], ALL)
joined = {at for at in C[1] if at in A[1] or at in B[1]}
rows = {at[0] for at in C[1]} & ({at[0] for at in A[1]} | {at[0] for at in B[1]})
taken = moved(report, lambda to: " alu data" in to)
padded = sum((i, 0) not in joined for i in rows)
expect(taken and max(taken) <= len(joined) + padded + len(rows) + 1,
       f"operations take {taken} tokens, not {len(joined)} values, {padded} padded ones, {len(rows)} stops and the end")

# values that the inner scanner of a masked product puts out: those of rows that the mask has, or that a function of a file is not 0 in
functions = ("--functions", str(pathlib.Path(__file__).parents[2] / "examples/functions.fn"))
for expression, options, has in (("y(i) = mask(m(i), A(i,j) * x(j))", (), lambda i: (i,) in m[1]),
                                 ("y(i) = mask(not struct(m(i)), A(i,j) * x(j))", (), lambda i: (i,) not in m[1]),
                                 ("y(i) = sum(j, left(A(i,j) * x(j), m(i)))", functions, lambda i: (i,) not in m[1])):
    inner = sum(1 for at in A[1] if has(at[0]))
    rows = len({at[0] for at in A[1] if has(at[0])})
    files = [a for n in "Axm" for a in ("-i", f"{n}:{write(folder / n, *ALL[n])}", "-d", f"{n}:{','.join(map(str, ALL[n][0]))}")]
    subprocess.run([onyx, "sam", expression, *options, *files, "--stats", str(folder / "stats.json")], check=True, capture_output=True)
    edges = json.loads((folder / "stats.json").read_text())
    scanner = next(p["id"] for p in edges["primitives"] if p["label"].startswith("fiberlookup j: A1"))
    got = {e["tokens"]["number"] for e in edges["edges"] if e["src"] == scanner}
    expect(got == {inner}, f"{expression} on sam: the scanner of A gives {got}, not {inner}")
    report = fused(expression, ALL, (*options, "-O0", "--tile", str(N)))
    places = {line.split()[0]: f"x{line.split()[1]}y{line.split()[2]} " for line in (folder / "out/design.place").read_text().splitlines()[2:] if line}
    got = {s["moved"] for s in report["stalls"] if s["from"].startswith(places["A1"]) and "coord_out" in s["from"]}
    padded = sum((i, 0) not in A[1] for i in range(N) if has(i))
    expect(report["subtiles"]["run"] == 1 and got == {inner + padded + rows + 1},
           f"{expression} on cycle: the scanner of A gives {got}, not {inner} values, {padded} padded ones, {rows} stops and the end")
    if not options:
        expect([k["saves"] for k in report["masks"]] == ["scans"], f"{expression}: the report says {report['masks']}")

# An accumulator has the reduced loop outside. There a mask saves values that are looked up, but the scanner of its own loop goes through
# all entries: inside of the reduction it saves lookups, outside of it nothing, and the report says so.
scans, lookups, told = {}, {}, {}
S = 30  # so that it is one run
small = {"A": ([S, S], {at: v for at, v in A[1].items() if max(at) < S}), "m": ([S], {at: v for at, v in m[1].items() if at[0] < S})}
for expression, kernel in (("y(i) = max(j, A(i,j))", ""), ("y(i) = max(j, mask(m(i), A(i,j)))", ""), ("y(i) = mask(m(i), max(j, A(i,j)))", "w")):
    out, report = run(expression, small, options=("-O0", "--tile", str(S), "--unroll", "1"))
    parts = report.get("kernels", [report])
    places = {line.split()[0]: f"x{line.split()[1]}y{line.split()[2]} " for line in (out / kernel / "design.place").read_text().splitlines()[2:] if line}
    moves = next((k for k in parts if k.get("tensor") == kernel), report)["stalls"]
    scans[expression] = max(s["moved"] for s in moves if s["from"].startswith(places["A1"]) and "pos_out" in s["from"])
    lookups[expression] = min([s["moved"] for s in moves if "intersect_i" in places and s["from"].startswith(places["intersect_i"])] or [scans[expression]])
    told[expression] = [k["saves"] for part in parts for k in part.get("masks", [])]
entries = small["A"][1]
kept = sum((at[0],) in m[1] for at in entries)
# of the row and the column 0, which the host pads so that nothing that is joined is empty
padded, joined = sum((0, j) not in entries for j in range(S)), S - sum((0, j) in entries for j in range(S) if (0,) in m[1])
plain = len(entries) + S + 1
expect(list(scans.values()) == [plain, plain + padded, plain], f"scans of A: {scans}, not {plain}, of which {padded} are padded once")
expect(list(lookups.values()) == [plain, kept + joined + S + 1, plain], f"lookups of A: {lookups}, {kept} are kept")
expect(list(told.values()) == [[], ["lookups"], ["nothing"]], f"what masks save: {told}")

# What nobody stores counts once for each value of the result: ones have one coordinate of each row at which nothing is stored, and all of a row
# that is full, here of values below or above 0; another row is empty. Of operands that are united, nothing is where none of them stores something:
# row 3 is full by both together.
for word, best, sign in (("max", max, -1), ("min", min, 1)):
    cells = {at: v for at, v in entries.items() if at[0] not in (3, 5)} | {(3, j): sign * (j + 1) for j in range(S)}
    vector = {(j,): j % 3 + 1 for j in range(S)}
    half = {at: v for at, v in cells.items() if at[0] != 3 or at[1] % 2}
    other = {(j, 3): sign * 2 * (j + 1) for j in range(0, S, 2)} | {(j, 6): sign for j in range(1, S)}
    for expression, tensors, value in (
            ("A(i,j) * x(j)", {"A": ([S, S], cells), "x": ([S], vector)}, lambda i, j: cells.get((i, j), 0) * vector[j,]),
            ("A(i,j) - B(j,i)", {"A": ([S, S], half), "B": ([S, S], other)}, lambda i, j: half.get((i, j), 0) - other.get((j, i), 0)),
            ("A(i,j) + B(j,i)", {"A": ([S, S], half), "B": ([S, S], other)}, lambda i, j: half.get((i, j), 0) + other.get((j, i), 0))):
        out, report = run(f"y(i) = {word}(j, {expression})", tensors, options=("-O0", "--tile", str(S), "--unroll", "1"))
        values = {(i,): best(value(i, j) for j in range(S)) for i in range(S)}
        got = read(out / "y.mtx", 1)
        expect({at: v for at, v in got.items() if v} == {at: v for at, v in values.items() if v}, f"{word} of {expression}: {got}, not {values}")
        places = [line.split() for line in (out / "design.place").read_text().splitlines() if line.startswith("ones")]
        ones = max(s["moved"] for s in report["stalls"] for _, column, row, *_ in places if s["from"].startswith(f"x{column}y{row} "))
        expect(ones <= S - 1 + S + S + 1, f"{word} of {expression}: {ones} coordinates of ones and stops")

# A fill is a constant and has no coordinates: what has one is met once, so the mask is stored once.
report = fused("y(i) = max(j, mask(A(i,j), x(j)))", ALL, ("--fill", "x:-inf"))
expect([k["saves"] for k in report["masks"]] == ["lookups"], f"a mask beside a fill: the report says {report['masks']}")

# On profile onyx-ext masks go into sums, too; and where its joiners could stand still, a union is met as on the chip.
for name, expression, steps, options in KERNELS[1:5]:
    stated = ("-f", "x:s") if "x(" in expression else ()
    on_chip, extended = (fused(expression, ALL, ("--profile", profile, *stated))["cycles"]["total"] for profile in ("onyx", "onyx-ext"))
    expect(extended <= 1.02 * on_chip, f"{name}: {extended} cycles on onyx-ext, {on_chip} on onyx")


def generated(expression, *options):
    args = [onyx, "run", expression, "--dtype", "int16", "--engine", "cycle", "--effort", "1", "-o", str(folder / "out"), "--quiet", *options]
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(args)}: {done.stderr}")
    return json.loads((folder / "out" / "report.json").read_text())


# A vector beside a mask is stored dense where that is faster; a mask that takes little away is applied by a kernel of its own.
for mask in ("m(i)", "not struct(m(i))"):
    operands = ("-g", "A:400x400:0.03:1", "-g", "x:400:0.3:4", "-g", "m:400:0.5:5")
    chosen, stated = (generated(f"y(i) = mask({mask}, A(i,j) * x(j))", *operands, *more) for more in ((), ("-f", "x:s")))
    expect("x:d" in chosen["dense"] and 2 * chosen["cycles"]["total"] < stated["cycles"]["total"],
           f"masked SpMV: {chosen['cycles']['total']} cycles chosen, {stated['cycles']['total']} with x compressed")
operands = ("-g", "A:60x60:0.25:1", "-g", "B:60x60:0.25:2", "-g", "C:60x60:0.1:3")
product = "X(i,j) = mask(not struct(C(i,j)), A(i,k) * B(k,j))"
compressed = ("-f", "A:ss", "-f", "B:ss")
chosen, one = (generated(product, *operands, *compressed, *more) for more in ((), ("-s", "reorder(i,j,k)")))
expect(len(chosen.get("kernels", [])) == 2 and 1.5 * chosen["cycles"]["total"] < one["cycles"]["total"],
       f"masked SpM*SpM: {chosen['cycles']['total']} cycles chosen, {one['cycles']['total']} as one kernel")

print("\n".join(wrong) if wrong else table)
if page and not wrong:
    put_table(page, "fused.py", table)
sys.exit(held.count_wrong() > 0 or bool(wrong) or shares.failed())
