"""Formats against a second implementation: formats_check.py ONYX SOURCE [ENGINES [FORMATS]]

What `onyx tile convert` writes of random matrices in every format that ships is read back by Python: by decoders of its own for each
kind of level, and where levels follow from primitives its arrays are also made again from the entries. Parts hold the entries that a query
in Python gives them. Then SpMV and SpM*SpM of what was stored, in every format, on the engines (sam,cycle), against products in Python;
and random queries of `onyx tile query`. With `pairs` in place of engines, the sum of products of two matrices, each in every format, on sam.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.extend(str(Path(__file__).parents[1] / room) for room in ("", "record"))
import behaviour  # noqa: E402
from quota import Quota  # noqa: E402

ONYX, SOURCE = sys.argv[1], Path(sys.argv[2])
ENGINES = sys.argv[3].split(",") if len(sys.argv) > 3 else ["sam", "cycle"]
FOLDER = Path(tempfile.mkdtemp())
ONLY = sys.argv[4].split(",") if len(sys.argv) > 4 else []
EVERY = int(os.environ.get("EVERY", 1))  # one in so many formats
kept = behaviour.watch(__file__, ONYX, FOLDER, *sys.argv[3:], of="formats")
INDIRECT = {"ELL", "SELL", "CISR", "JDS"}
TARGETS = INDIRECT | {"Skyline"}  # have arrays that `encode` does not make; the former have the coordinates of all indices
failed, shares = [], Quota()  # trivial: no entry


def onyx(*words):
    words += ("--dtype", "int16") * (words[0] == "run" and "--dtype" not in words)
    got = subprocess.run([ONYX, *map(str, words)], capture_output=True, text=True)
    if got.returncode:
        failed.append(f"onyx {' '.join(map(str, words))}: {got.stderr}")
    return got


def definitions():
    seen = 0
    for line in (SOURCE / "formats/named.formats").read_text().splitlines():
        m = re.match(r"format (\w+) = \(([^)]*)\) -> (?:\(|decompose)", line)
        seen += m is not None
        if m and (m.group(1) in ONLY if ONLY else seen % EVERY == 0):
            yield m.group(1), m.group(2).split(",")


# ---- a stored file, decoded ------------------------------------------------------------------------


class Stored:
    def __init__(self, lines):
        assert lines[0] == "%%onyx stored 1"
        m = re.match(r"format \w+ = \(([^)]*)\) -> \((.*)\) levels\((.*)\)$", lines[1])
        self.index = m.group(1).split(",")
        self.maps = split_commas(m.group(2))
        self.kinds = m.group(3).split(", ")
        self.dim = [int(n) for n in lines[2].split()[1:]]
        self.levels = []
        for line in lines[3:-1]:
            head, *rest = line.split()
            if head == "level":
                self.levels.append({"size": int(rest[1])})
            else:
                assert int(rest[0][:-1]) == len(rest) - 1
                self.levels[-1][head] = [int(n) for n in rest[1:]]
        self.vals = [float(v) for v in lines[-1].split()[2:]]


def whole_files(path):
    """The parts of a stored tensor, or the one that it is, each as if it were a file."""
    lines = path.read_text().splitlines()
    if lines[0] != "%%onyx stored 2":
        return [lines]
    begins = [n for n, line in enumerate(lines) if line.startswith("format ")]
    assert lines[1].split()[:2] == ["parts", str(len(begins))]
    return [["%%onyx stored 1", *lines[a:b]] for a, b in zip(begins, [*begins[1:], len(lines)])]


def split_commas(text):
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]


def evaluate(expression, index, at):
    return eval(expression.replace("div", "//").replace("mod", "%"), {}, dict(zip(index, at)))


def lowest(expression, index, dim):
    """Of a sum of terms that each rise or fall with their index."""
    return min(evaluate(expression, index, at) for at in itertools.product(*[(0, n - 1) for n in dim]))


PROBES = []  # of each entry of a hashed level, how many places are looked at until it is found


def probe(table, coordinate):
    at = [(coordinate + n) % len(table) for n in range(len(table))]
    n = next(n for n, place in enumerate(at) if table[place] in (coordinate, -1))
    assert table[at[n]] == coordinate, f"{coordinate} is not found in {table}"
    return n + 1


NOTED = {}  # of each kind, which of the five properties all its levels had so far


def take_note(kind, fibers, children, size):
    labelled = {above: [c for c in fiber if c is not None] for above, fiber in fibers.items()}
    own = NOTED.setdefault(kind, dict.fromkeys(("full", "ordered", "unique", "branchless", "compact"), True))
    own["full"] &= all(len(set(fiber)) == size for fiber in labelled.values())
    own["ordered"] &= all(fiber == sorted(fiber) for fiber in labelled.values())
    own["unique"] &= all(len(fiber) == len(set(fiber)) for fiber in labelled.values())
    own["branchless"] &= all(n == 1 for n in children)
    own["compact"] &= all(None not in fiber for fiber in fibers.values())


def check_properties():
    """What the table of level kinds says of each: always (Y) or as the data are (C), and what it denies (N) was seen not to hold."""
    for line in (SOURCE / "sam/level_kinds.def").read_text().splitlines():
        m = re.match(r'KIND\(\w+, "(\w+)", [^,]+, (\w), (\w), (\w), (\w), (\w),', line)
        for said, (name, held) in zip(m.groups()[1:], NOTED.get(m.group(1), {}).items()) if m else ():
            if {"Y": True, "N": False}.get(said, held) != held:
                failed.append(f"the table says {said} of {name} of a {m.group(1)} level, and that is {held} of those here")
        if m and m.group(1) not in NOTED:
            failed.append(f"there was no {m.group(1)} level")
    if not PROBES or sum(PROBES) > 3 * len(PROBES):
        failed.append(f"{len(PROBES)} entries of hashed levels are found with {sum(PROBES)} probes")


def decode(s):
    """All entries that are no zero: places are followed down the levels; then which indices have these coordinates is looked up."""
    where = {}
    direct = [l for l, e in enumerate(s.maps) if "(" not in e and s.kinds[l] != "offset"]
    for at in itertools.product(*map(range, s.dim)):
        where.setdefault(tuple(evaluate(s.maps[l], s.index, at) for l in direct), []).append(at)
    places = [((), True)]  # coordinates, and whether there is anything, in the order of places
    for l, (kind, level, expression) in enumerate(zip(s.kinds, s.levels, s.maps)):
        low = 0 if "(" in expression else lowest(expression, s.index, s.dim)
        size, pos, crd, ofs = level["size"], level.get("pos"), level.get("crd"), level.get("ofs")
        made = []
        fibers, children = {}, []  # coordinates by those above, -1 where a place has none; how many there are below each place
        for p, (above, there) in enumerate(places):
            first = len(made)
            if kind == "dense":
                made += [(above + (low + c,), there) for c in range(size)]
            elif kind in ("compressed", "repeating"):
                made += [(above + (crd[n],), there) for n in range(pos[p], pos[p + 1])]
            elif kind in ("singleton", "chained"):
                made.append((above + (crd[p],), there and crd[p] >= low))
            elif kind == "hashed":
                PROBES.extend(probe(crd[p * size:(p + 1) * size], c) for c in crd[p * size:(p + 1) * size] if c >= 0)
                made += [(above + (c + low,), there and c >= 0) for c in crd[p * size:(p + 1) * size]]
            elif kind == "band":
                made += [(above + (crd[p] + n,), there) for n in range(pos[p + 1] - pos[p])]
            elif kind == "ragged":
                made += [(above + (low + n,), there) for n in range(pos[p + 1] - pos[p])]
            elif kind == "bitmap":
                words = -(-size // 16)
                made += [(above + (low + c,), there) for c in range(size) if crd[p * words + c // 16] >> c % 16 & 1]
            elif kind == "range":  # of i below j - i
                rows, columns = s.dim
                assert s.maps[l - 1] == "j - i" and expression == "i"
                made += [(above + (c,), there) for c in range(rows) if 0 <= c + above[-1] < columns]
            elif kind == "offset":
                made.append((above + (above[-1] + above[-2],), there))
            elif kind == "blocks":
                for n in range(pos[p], pos[p + 1]):
                    length = ofs[n + 1] - ofs[n]
                    made += [(above + (crd[n] - length + c,), there) for c in range(length)]
            elif kind in ("runs", "packbits"):
                at = low
                for n in range(pos[p], pos[p + 1]):
                    length = 1 if kind == "runs" else ofs[n + 1] - ofs[n]
                    if length == 1:
                        made.append((above + (range(at, crd[n]),), there))
                    else:
                        assert length == crd[n] - at
                        made += [(above + (c,), there) for c in range(at, crd[n])]
                    at = crd[n]
                assert at == low + size
            else:
                assert kind in ("triangular", "symmetric", "skew")
                made += [(above + (c,), there) for c in range(min(size, above[-1] + (kind != "skew")))]
            if there:
                below = [(at[-1], ok) for at, ok in made[first:]]
                fibers.setdefault(above, []).extend(c if ok else None for at, ok in below for c in (at if isinstance(at, range) else [at]))
                children.append(len(below))
        take_note(kind, fibers, children, None if kind in ("range", "offset") else len(range(size)))
        places = made
    assert len(places) == len(s.vals), (len(places), len(s.vals))
    entries = {}
    for (at, there), value in zip(places, s.vals):
        for last in at[-1] if isinstance(at[-1], range) else at[-1:]:
            if not there or not value:
                continue
            key = at[:-1] + (last,)
            found = where[tuple(key[l] for l in direct)]
            assert len(found) == 1 and found[0] not in entries
            entries[found[0]] = value
            if s.kinds[-1] in ("symmetric", "skew"):
                entries[found[0][::-1]] = value if s.kinds[-1] == "symmetric" or key[-1] == key[-2] else -value
    return entries


def encode(entries, s):
    """The arrays again, where all levels are dense, compressed, repeating or singletons."""
    mapped = {tuple(evaluate(e, s.index, at) for e in s.maps): v for at, v in entries.items()}
    groups, levels = [sorted(mapped)], []
    for l, kind in enumerate(s.kinds):
        made, level = [], {"size": s.levels[l]["size"]}
        low = lowest(s.maps[l], s.index, s.dim)
        if kind == "dense":
            made = [[e for e in g if e[l] == low + c] for g in groups for c in range(level["size"])]
        elif kind in ("compressed", "repeating"):
            last = l + 1
            while kind == "repeating" and last < len(s.kinds) and s.kinds[last] in ("singleton", "chained"):
                last += 1
            level["pos"], level["crd"] = [0], []
            for g in groups:
                for c, below in itertools.groupby(g, key=lambda e: e[l:last]):
                    level["crd"].append(c[0])
                    made.append(list(below))
                level["pos"].append(len(level["crd"]))
        elif kind in ("singleton", "chained"):
            level["crd"] = [g[0][l] for g in groups]
            made = groups
        else:
            return None
        groups = made
        levels.append(level)
    return levels, [sum(mapped[e] for e in g) for g in groups]


# ---- queries ---------------------------------------------------------------------------------------


def ask(query, index, entries):
    """The answers by key: "count_distinct(j div 3) by (i div 2)"."""
    m = re.match(r"(\w+)(?:\((.*)\))? by \((.*)\)$", query)
    keys, groups = split_commas(m.group(3)) if m.group(3) else [], {}
    for at, value in entries.items():
        of = evaluate(m.group(2), index, at) if m.group(2) else value
        groups.setdefault(tuple(evaluate(k, index, at) for k in keys), []).append(of)
    how = {"count": len, "count_distinct": lambda of: len(set(of)), "min": min, "max": max}[m.group(1)]
    return {key: how(of) for key, of in groups.items()}, keys


def check_queries():
    def some():
        return random.choice(("i", "j", "j - i", "i + j - 3", "i div 3", "j mod 5", "2 * i - j div 4"))

    for n in range(20):
        dim = (random.randint(1, 40), random.randint(1, 40))
        entries = matrix(*dim, random.choice((0, 0.05, 0.4)))
        query = random.choice(("count", f"count_distinct({some()})", "count_distinct", f"min({some()})", f"max({some()})"))
        query += f" by ({', '.join(some() for _ in range(random.randint(0, 3)))})"
        write(FOLDER / "q.mtx", dim, entries)
        got = onyx("tile", "query", FOLDER / "q.mtx", f"(i,j) -> {query}").stdout
        want = ask(query, "ij", entries)[0]
        if got != "".join(" ".join(map(str, [*key, int(want[key])])) + "\n" for key in sorted(want)):
            failed.append(f"{query} of {dim}: {got} in place of {want}")


def check_parts(name, wholes, entries, number):
    """Each part has the entries that are its own: BlocksAndRows, DiagonalsAndRows."""
    line = next(l for l in (SOURCE / "formats/named.formats").read_text().splitlines() if l.startswith(f"format {name} "))
    rest = dict(entries)
    for part, whole in zip(split_commas(re.search(r"decompose\((.*)\)", line).group(1)), wholes, strict=True):
        m = re.match(r"(\w+)(?: where (.*) >= (\d+))?$", part)
        answers, keys = ask(m.group(2), "ij", rest) if m.group(2) else ({}, [])
        own = {at: v for at, v in rest.items() if not m.group(2) or answers[tuple(evaluate(k, "ij", at) for k in keys)] >= int(m.group(3))}
        rest = {at: v for at, v in rest.items() if at not in own}
        if decode(whole) != own:
            failed.append(f"{name}: matrix {number} has other entries in {m.group(1)}")


# ---- data, and products ----------------------------------------------------------------------------


def matrix(rows, columns, density, half=None):
    entries = {}
    for i, j in itertools.product(range(rows), range(columns)):
        if random.random() < density and not (half and j > i) and not (half == "skew" and i == j):
            entries[i, j] = float(random.randint(1, 4))
            if half in ("symmetric", "skew") and i != j:
                entries[j, i] = entries[i, j] * (1 if half == "symmetric" else -1)
    return entries


def write(path, dim, entries):
    at = "".join("".join(f"{c + 1} " for c in k) + f"{v:g}\n" for k, v in sorted(entries.items()))
    path.write_text(at if len(dim) > 2 else
                    f"%%MatrixMarket matrix coordinate integer general\n{dim[0]} {dim[1] if len(dim) > 1 else 1} {len(entries)}\n" + (
                        at if len(dim) > 1 else re.sub(r" ", " 1 ", at)))


def read(path):
    lines = [line.split() for line in path.read_text().splitlines() if line[0] != "%"][1:]
    return {(int(a) - 1, int(b) - 1): float(v) for a, b, v in lines if float(v)}


def holds(path, name, want):
    """Whether a stored result, which may be in parts, has these entries, and the arrays that follow from them."""
    have, wholes = {}, [Stored(lines) for lines in whole_files(path)]
    if name == "Skyline":  # as many values as lie between
        return sorted(v for v in wholes[0].vals if v) == sorted(want.values())
    for whole in wholes:
        have |= decode(whole)
    again = None if name in TARGETS or len(wholes) > 1 else encode(want, wholes[0])
    return have == want and again in (None, (wholes[0].levels, wholes[0].vals))


def check_kernels(name, half):
    """B as it is stored, times itself and times a vector; the first result is stored in the format, too."""
    entries = matrix(21, 21, 0.15, half)
    vector = {(j,): float(random.randint(1, 9)) for j in range(21) if random.random() < 0.7}
    product, times = {}, {}
    for (i, k), b in entries.items():
        times[i, 0] = times.get((i, 0), 0) + b * vector.get((k,), 0)
        for j in range(21):
            if (k, j) in entries:
                product[i, j] = product.get((i, j), 0) + b * entries[k, j]
    write(FOLDER / "b.mtx", (21, 21), entries)
    write(FOLDER / "c.mtx", (21,), vector)
    onyx("tile", "convert", FOLDER / "b.mtx", "-f", name, "-o", FOLDER / "b.stored")
    path = FOLDER / ("b.mtx" if name in TARGETS else "b.stored")
    for engine, (expression, want, result) in itertools.product(ENGINES, (("X(i,j) = B(i,k) * C(k,j)", product, "X"),
                                                                          ("x(i) = B(i,k) * c(k)", times, "x"))):
        other = ["-i", f"C:{path}", "-f", f"C:{name}"] if result == "X" else ["-i", f"c:{FOLDER / 'c.mtx'}"]
        stored = result == "X" and name != "Skew"  # whose square is symmetric
        other += ["-f", f"X:{name}"] if stored else []
        got = onyx("run", expression, "-i", f"B:{path}", "-f", f"B:{name}", *other, "--engine", engine, "--explain", "-o", FOLDER / "out")
        want = {k: v for k, v in want.items() if v}
        if got.returncode == 0 and read(FOLDER / "out" / f"{result}.mtx") != want:
            failed.append(f"{name}: {expression} on {engine} is wrong")
        if got.returncode == 0 and stored and not holds(FOLDER / "out" / "X.stored", name, want):
            failed.append(f"{name}: {expression} on {engine} is stored wrong")
        plain = name in ("CSR", "CSC", "DCSR", "DCSC", "Dense", "DenseByColumn")
        if got.returncode == 0 and plain == ("E0352-repacked" in got.stderr or "in blocks" in got.stdout or " along diagonals " in got.stdout):
            failed.append(f"{name}: {got.stderr}")


def check_pairs():
    """x = B(i,j) * C(i,j), for all ordered pairs of formats."""
    b, c = (matrix(13, 13, 0.3) for _ in "bc")
    names = [name for name, index in definitions() if len(index) == 2 and name not in TARGETS | {"Triangular", "Symmetric", "Skew"}]
    for tensor, entries in (("B", b), ("C", c)):
        write(FOLDER / f"{tensor}.mtx", (13, 13), entries)
        for name in names:
            onyx("tile", "convert", FOLDER / f"{tensor}.mtx", "-f", name, "-o", FOLDER / f"{tensor}{name}.stored")
    for one, other in itertools.product(names, repeat=2):
        onyx("run", "x = B(i,j) * C(i,j)", "-i", f"B:{FOLDER / f'B{one}.stored'}", "-f", f"B:{one}", "-i", f"C:{FOLDER / f'C{other}.stored'}", "-f",
             f"C:{other}", "--engine", "sam", "-o", FOLDER / "out")
        if read(FOLDER / "out" / "x.mtx") != {(0, 0): sum(v * c.get(at, 0) for at, v in b.items())}:
            failed.append(f"{one} times {other} is wrong")
    return len(names) ** 2


random.seed(4)
if ENGINES == ["pairs"]:
    count = check_pairs()
    print("\n".join(failed) or f"{count} pairs, all as they should be")
    sys.exit(bool(failed))
for name, index in definitions():
    half = name.lower() if name in ("Triangular", "Symmetric", "Skew") else None
    for n in range(4):
        dim = [random.randint(1 if n else 9, 12 if len(index) > 2 else 70) for _ in index]
        if half:
            dim[1] = dim[0]
        if len(dim) == 2:
            entries = matrix(*dim, random.choice((0, 0.05, 0.1, 0.2, 0.3, 0.4)) if n else 0.3, half)
            if name in ("BlocksAndRows", "DiagonalsAndRows"):  # what their parts are for
                entries |= {(i, j): 2.0 for i, j in itertools.product(*map(range, dim)) if i // 4 == j // 8 or i == j + 3}
        else:
            entries = {at: 1.0 + n for at in itertools.product(*map(range, dim)) if random.random() < 0.2}
        suffix = "tns" if len(dim) > 2 else "mtx"
        shares.add(trivial=not entries)
        if len(dim) > 2:
            entries[tuple(d - 1 for d in dim)] = 9.0  # a .tns file says no extents
        write(FOLDER / f"t.{suffix}", dim, entries)
        if len(dim) == 1:
            continue  # .mtx has no vectors: test_tiling_formats
        onyx("tile", "convert", FOLDER / f"t.{suffix}", "-f", name, "-o", FOLDER / "t.stored")
        wholes = [Stored(lines) for lines in whole_files(FOLDER / "t.stored")]
        if len(wholes) > 1:
            check_parts(name, wholes, entries, n)
        elif name == "Skyline":
            own = [[j for a, j in entries if a == i] for i in range(dim[0])]
            if wholes[0].vals != [entries.get((i, j), 0) for i, js in enumerate(own) for j in range(min(js, default=0), max(js, default=-1) + 1)]:
                failed.append(f"{name}: matrix {n} of {dim} is another one")
        elif decode(wholes[0]) != entries:
            failed.append(f"{name}: matrix {n} of {dim} is another one")
        again = None if name in TARGETS or len(wholes) > 1 else encode(entries, wholes[0])
        if again and again != (wholes[0].levels, wholes[0].vals):
            failed.append(f"{name}: matrix {n} of {dim} has other arrays: {wholes[0].levels} in place of {again[0]}")
        onyx("tile", "convert", FOLDER / "t.stored", "-o", FOLDER / f"again.{suffix}")
        if (FOLDER / f"again.{suffix}").read_text() != (FOLDER / f"t.{suffix}").read_text():
            failed.append(f"{name}: matrix {n} of {dim} does not come back")
    if len(index) == 2:
        check_kernels(name, half)


def check_elsewhere(text, words, want):
    """onyx compile chooses what onyx run does, and onyx firmware and cosim what is in the folder."""
    for command in (("compile", text, *words), ("firmware", FOLDER / "out", "--json"), ("cosim", FOLDER / "out")):
        got = onyx(*command)
        if got.returncode or "E0352" in got.stderr or (command[0] != "firmware" and "a dense band along diagonals" not in got.stdout):
            failed.append(f"{command}: {got.stdout}{got.stderr}")
    if read(FOLDER / "out" / "x.mtx") != {k: v for k, v in want.items() if v}:
        failed.append(f"{text} on cosim is wrong")


def check_diagonals():
    """Matrices of a few diagonals, or of a band, times a vector, by rows and by columns: in dense products along them where onyx chooses so, which
    it does of tri-diagonal ones; else it says how else, as with -O0 and of what is written out."""
    chosen = 0
    for n in range(12):
        dim = (random.randint(1, 40), random.randint(1, 40)) if n > 3 else (200, 200)
        at = random.sample(range(1 - dim[0], dim[1]), min(sum(dim) - 1, random.randint(0, 6))) if n % 2 and n > 3 else [*range(-1 - n // 4, 2 + n // 4)]
        entries = {(i, i + d): float(random.randint(-9, 9) or 1) for i in range(dim[0]) for d in at if 0 <= i + d < dim[1] and (n < 4 or random.random() < 0.9)}
        by_rows = n % 3 != 2
        vector = {(j,): float(random.randint(-9, 9) or 1) for j in range(dim[by_rows]) if n < 4 or random.random() < 0.8}
        write(FOLDER / "b.mtx", dim, entries)
        write(FOLDER / "c.mtx", (dim[by_rows],), vector)
        want = {}
        for (i, j), v in entries.items():
            out, other = (i, j) if by_rows else (j, i)
            want[out, 0] = want.get((out, 0), 0) + v * vector.get((other,), 0)
        text = "x(i) = B(i,j) * c(j)" if by_rows else "x(j) = c(i) * B(i,j)"
        words = ["-i", f"B:{FOLDER / 'b.mtx'}", "-i", f"c:{FOLDER / 'c.mtx'}", "-f", f"B:{random.choice(('DIA', 'Diagonals')) if n else 'DIA'}", "-o", FOLDER / "out"]
        for more in (["--engine", "cycle"], ["--engine", random.choice(("sam", "cycle")), "-O0"]):
            got = onyx("run", text, *words, *more)
            dense = "a dense band along" in got.stdout or "dense product" in got.stdout
            chosen += dense
            if read(FOLDER / "out" / "x.mtx") != {k: v for k, v in want.items() if v} or dense == ("E0352-repacked" in got.stderr) or (dense and "-O0" in more):
                failed.append(f"{text} of {dim}, diagonals {at}, {more}: {got.stdout}{got.stderr}")
            if not n and ("a dense band along diagonals -1, 0 and 1 of B" not in got.stdout if len(more) == 2 else "B has 3 diagonals, in a band of 3" not in got.stderr):
                failed.append(f"{more}: {got.stdout}{got.stderr}")
        if not n:
            check_elsewhere(text, words, want)
    if chosen < 4:
        failed.append(f"only {chosen} products along diagonals were chosen")
    for text in ("B(i,i-1) * c(i-1) + B(i,i) * c(i) + B(i,i+1) * c(i+1)", "sum(d, B(i,i+d-1) * c(i+d-1))"):
        entries = {(i, j): float(random.randint(1, 9)) for i in range(30) for j in (i - 1, i, i + 1) if 0 <= j < 30}
        vector = {(j,): float(random.randint(1, 9)) for j in range(30)}
        write(FOLDER / "b.mtx", (30, 30), entries)
        write(FOLDER / "c.mtx", (30,), vector)
        onyx("run", f"x(i) = {text}", "-i", f"B:{FOLDER / 'b.mtx'}", "-i", f"c:{FOLDER / 'c.mtx'}", "-f", "B:dd", "-f", "c:d", *(("-d", "d:3") if "sum" in text else ()),
             "--engine", "cycle", "-o", FOLDER / "out")
        if read(FOLDER / "out" / "x.mtx") != {(i, 0): sum(entries.get((i, j), 0) * vector[j,] for j in range(30)) for i in range(30)}:
            failed.append(f"{text} is wrong")


def check_mutations():
    """Zeros filled in and trimmed again, nodes merged and split: nothing is lost, values that a file has twice are one, and what is stored differs by the
    zeros alone."""
    (FOLDER / "own.formats").write_text("format Split = (i,j) -> (i,j) trim(0,1)\nformat Joined = (i,j) -> (i,j) merge(0) trim(1,1)\n"
                                        "format Filled = (i,j) -> (i,j)\n")
    n, m = random.randint(5, 20), random.randint(5, 20)
    entries = {(i, j): float(random.randint(1, 9)) for i in range(n) for j in range(m) if random.random() < 0.3}
    twice = [(i, j, 2.0) for i, j in random.sample(sorted(entries), len(entries) // 3)]
    lines = [(i, j, v - 2 * ((i, j, 2.0) in twice)) for (i, j), v in entries.items()] + twice
    random.shuffle(lines)
    (FOLDER / "b.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n{n} {m} {len(lines)}\n" + "".join(
        f"{i + 1} {j + 1} {v:.0f}\n" for i, j, v in lines))
    files, source = [], FOLDER / "b.mtx"
    for number, name in enumerate(("Split", "Joined", "Filled", "Joined", "Split")):
        onyx("tile", "convert", source, "-f", name, "--formats", FOLDER / "own.formats", "-o", FOLDER / f"{number}.stored")
        source = FOLDER / f"{number}.stored"
        files.append(source.read_text())
    values = [[float(v) for v in text.split("vals ", 1)[1].split(":")[1].split()] for text in files]
    at_once = [values[0] == [v for _, v in sorted(entries.items())], files[0] == files[4], files[1] == files[3], len(values[2]) == n * m,
               [v for v in values[2] if v] == values[1], "level repeating" in files[0], "level compressed" in files[1]]
    onyx("tile", "convert", source, "-o", FOLDER / "back.mtx")
    if not all(at_once) or read(FOLDER / "back.mtx") != entries:
        failed.append(f"filled, trimmed, merged and split: {at_once}")


def image(n, m):
    """A matrix of runs of equal values, zeros too."""
    pixels, value = {}, 0.0
    for at in itertools.product(range(n), range(m)):
        value = float(random.choice((0, 0, -3, 17, 200))) if random.random() < 0.15 else value
        pixels |= {at: value} if value else {}
    return pixels


def check_blending():
    """Two images of runs, one above the other: alpha blending in eighths, with one value for each run, which takes less than one for each pixel."""
    n, cycles = 24, {}
    b, c = image(n, n), image(n, n)
    write(FOLDER / "B.mtx", (n, n), b)
    write(FOLDER / "C.mtx", (n, n), c)
    want = {at: float((3 * b.get(at, 0) + 5 * c.get(at, 0)) // 8) for at in b.keys() | c.keys()}
    for form, engine in itertools.product(("DCSR", "RLE", "PackBits"), ("sam", "cycle")):
        for tensor in "BC":
            onyx("tile", "convert", FOLDER / f"{tensor}.mtx", "-f", form, "-o", FOLDER / f"{tensor}.stored")
        got = onyx("run", "X(i,j) = (3 * B(i,j) + 5 * C(i,j)) >> 3", "-i", f"B:{FOLDER / 'B.stored'}", "-i", f"C:{FOLDER / 'C.stored'}", "-f", f"B:{form}",
                   "-f", f"C:{form}", "--engine", engine, "-o", FOLDER / "out")
        cycles[form, engine] = json.loads((FOLDER / "out" / "report.json").read_text())["cycles"]["kernel"] if engine == "cycle" else 0
        if read(FOLDER / "out" / "X.mtx") != {at: v for at, v in want.items() if v}:
            failed.append(f"images in {form} are blended wrong on {engine}")
        by_runs = form != "DCSR" and engine == "cycle"
        if by_runs != ("one value for each run" in got.stdout) or (by_runs and "E0352" in got.stderr):
            failed.append(f"{form} on {engine}: {got.stdout}{got.stderr}")
    if not cycles["RLE", "cycle"] == cycles["PackBits", "cycle"] < 0.6 * cycles["DCSR", "cycle"]:
        failed.append(f"blending by runs: {cycles}")


def check_runs():
    """Values at the same places of matrices that are stored by runs, and their sums along rows and over all, against Python; what is no such
    expression is re-packed."""
    shapes = {"B(i,j) * C(i,j)": lambda b, c, d: b * c, "B(i,j) - C(i,j)": lambda b, c, d: b - c, "B(i,j) * B(i,j) - C(i,j)": lambda b, c, d: b * b - c,
              "B(i,j) + C(i,j) * d(i)": lambda b, c, d: b + c * d, "min(B(i,j), C(i,j))": lambda b, c, d: min(b, c), "-C(i,j) * B(i,j) + B(i,j) * d(i)": lambda b, c, d: b * d - c * b,
              "mask(C(i,j), B(i,j))": lambda b, c, d: b if c else 0}
    chosen = [0, 0]
    for number in range(16):
        how = 1 + number % 2 if number > 9 else 0  # each value; sums along rows; the sum of all
        n, m = random.randint(1, 20), random.randint(1, 60) * (1 + 3 * (how > 0))
        b, c = (image(n, m) if random.random() < 0.9 else {} for _ in "bc")
        d = {(i,): float(random.randint(-9, 9)) for i in range(n) if random.random() < 0.7}
        for tensor, entries in (("B", b), ("C", c)):
            write(FOLDER / f"{tensor}.mtx", (n, m), entries)
        write(FOLDER / "d.mtx", (n,), d)
        text, value = random.choice(list(shapes.items()))
        words = [w for t in "BC" if f"{t}(" in text for w in ("-i", f"{t}:{FOLDER / t}.mtx", "-f", f"{t}:{random.choice(('RLE', 'PackBits'))}")]
        left = (f"X(i,j) = {text}", f"X(i) = sum(j, {text})", f"X = sum(i, j, {text})")[how]
        want = {(i, j): value(b.get((i, j), 0), c.get((i, j), 0), d.get((i,), 0)) for i in range(n) for j in range(m)}
        totals = {}
        for (i, j), v in want.items():
            at = (i if how < 2 else 0, j if how < 1 else 0)
            totals[at] = totals.get(at, 0) + v
        for engine in ("cycle", "rtl"):
            if engine == "rtl" and (not how or chosen[1] != 1 or "one value for each run" not in got.stdout):
                continue  # the first sum by runs alone
            got = onyx("run", left, *words, *(("-i", f"d:{FOLDER / 'd.mtx'}") if "d(" in text else ()), "--engine", engine, "-o", FOLDER / "out")
            if read(FOLDER / "out" / "X.mtx") != {at: (v + 32768) % 65536 - 32768 for at, v in totals.items() if (v + 32768) % 65536 - 32768}:
                failed.append(f"{left} of {n} x {m} in runs on {engine}: {got.stdout}{got.stderr}")
            chosen[how > 0] += engine == "cycle" and "one value for each run" in got.stdout
    b = image(30, 30)
    write(FOLDER / "B.mtx", (30, 30), b)
    for text, value in (("B(i,i)", sum(v for (i, j), v in b.items() if i == j)), ("sum(i, j, B(i,j) + 2)", sum(b.values()) + 1800)):
        got = onyx("run", f"X = {text}", "-i", f"B:{FOLDER / 'B.mtx'}", "-f", "B:RLE", "--engine", "cycle", "-o", FOLDER / "out")
        if read(FOLDER / "out" / "X.mtx") != ({(0, 0): (value + 32768) % 65536 - 32768} if value % 65536 else {}):
            failed.append(f"{text} in runs: {got.stdout}{got.stderr}")
    if chosen[0] < 4 or chosen[1] < 2:
        failed.append(f"only {chosen[0]} of 10 were computed by runs, and {chosen[1]} of 6 sums")


if EVERY == 1 and not ONLY:
    check_properties()
if not ONLY:
    check_blending()
    check_runs()
    check_queries()
    check_mutations()
    check_diagonals()

subprocess.run(["rm", "-r", str(FOLDER)], check=True)
print("\n".join(failed) or "all as they should be")
sys.exit(bool(failed) + kept.count_wrong() != 0 or shares.failed())
