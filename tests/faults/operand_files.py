"""Files of every kind that hold a tensor, written at random without a library, and files of results read back."""
import gzip
import itertools
import struct
import zipfile

MATRIX_FORMATS = ["COO", "CSR", "CSC", "DCSR", "DCSC", "Dense", "DenseByColumn", "BCSR", "BCSC", "CSB", "DIA", "Diagonals", "BDIA", "Band", "Ragged",
                  "VBL", "Bitmap", "RLE", "PackBits", "Hash", "DOK", "C2SR", "BlocksAndRows", "DiagonalsAndRows"]


def npy(kind, shape, content, fortran=False):
    head = f"{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + content


def numbers(kind, values):
    letter = {"i2": "h", "i4": "i", "i8": "q", "f4": "f", "f8": "d", "i1": "b"}[kind[1:]]
    return struct.pack((">" if kind[0] == ">" else "<") + str(len(values)) + letter, *values)


def matrix_market(dice, dims, cells):
    """Text of a matrix or vector: as coordinates or as an array, entries in any order, some in two parts, some comments."""
    rows, columns = (list(dims) + [1, 1])[:2]
    two = {(c + (0, 0))[:2]: v for c, v in cells.items()}
    if dice.random() < 0.15:
        kind = dice.choice(("integer", "real"))
        body = "".join(f"{two.get((r, c), 0)}\n" for c in range(columns) for r in range(rows))
        return f"%%MatrixMarket matrix array {kind} general\n{rows} {columns}\n{body}"
    symmetry = "general"
    if len(dims) == 2 and rows == columns:
        if all(two.get((c, r)) == v for (r, c), v in two.items()):
            symmetry = "symmetric"
        elif all(r != c and two.get((c, r)) == -v for (r, c), v in two.items()):
            symmetry = "skew-symmetric"
    entries = [(at, v) for at, v in two.items() if symmetry == "general" or at[0] >= at[1]]
    dice.shuffle(entries)
    pattern = all(v == 1 for _, v in entries) and symmetry != "skew-symmetric"
    kind = dice.choice(("pattern", "integer")) if pattern else dice.choice(("integer", "real"))
    lines = []
    for (r, c), v in entries:
        if kind == "pattern":
            lines.append(f"{r + 1} {c + 1}")
        elif dice.random() < 0.1:
            part = dice.randint(-5, 5)
            lines += [f"{r + 1} {c + 1} {part}", f"{r + 1} {c + 1} {v - part}"]
        else:
            lines.append(f"{r + 1} {c + 1} {v}" + (dice.choice((".0", "e0", ".25")) if kind == "real" and v > 0 else ""))
    comment = dice.choice(("", "", "% a comment\n%\n"))
    return f"%%MatrixMarket matrix coordinate {kind} {symmetry}\n{comment}{rows} {columns} {len(lines)}\n" + "".join(f"{l}\n" for l in lines)


def frostt(dice, cells):
    lines = [" ".join(str(c + 1) for c in at) + f" {v}" for at, v in cells.items()]
    dice.shuffle(lines)
    return dice.choice(("", "# a comment\n")) + "".join(l + "\n" for l in lines)


def dense_array(dice, dims, cells):
    fortran = dice.random() < 0.3
    kind = dice.choice(("<i2", ">i2", "<i4", ">i4", "<i8", "<f4", "<f8", ">f8"))
    order = list(itertools.product(*map(range, reversed(dims)))) if fortran else list(itertools.product(*map(range, dims)))
    values = [cells.get(tuple(reversed(at)) if fortran else at, 0) for at in order]
    shape = "(" + "".join(f"{d}, " for d in dims) + ")"
    return npy(kind, shape, numbers(kind, values), fortran)


def sparse_archive(dice, path, dims, cells):
    """What scipy.sparse.save_npz writes: coo, csr, csc, bsr or dia."""
    form, kind = dice.choice(("coo", "csr", "csc", "dia", "bsr")), dice.choice(("<i4", "<i8"))
    arrays = {"format": npy("|S3", (), form.encode()), "shape": npy("<i8", (2,), numbers("<i8", list(dims)))}
    data = lambda values: npy("<i4", f"({len(values)},)", numbers("<i4", values))
    whole = lambda values: npy(kind, f"({len(values)},)", numbers(kind, values))
    entries = sorted(cells.items())
    if form == "coo":
        dice.shuffle(entries)
        arrays |= {"row": whole([r for (r, _), _ in entries]), "col": whole([c for (_, c), _ in entries]), "data": data([v for _, v in entries])}
    elif form in ("csr", "csc"):
        major = 0 if form == "csr" else 1
        entries.sort(key=lambda e: e[0][major])
        pointers = [sum(e[0][major] < n for e in entries) for n in range(dims[major] + 1)]
        arrays |= {"indices": whole([e[0][1 - major] for e in entries]), "indptr": whole(pointers), "data": data([v for _, v in entries])}
    elif form == "dia":
        offsets = sorted({c - r for r, c in cells})
        table = [cells.get((c - o, c), 0) for o in offsets for c in range(dims[1])]
        arrays |= {"offsets": whole(offsets), "data": npy("<i4", f"({len(offsets)}, {dims[1]})", numbers("<i4", table))}
    else:
        high, wide = (dice.choice([n for n in (1, 2, 3, 4) if d % n == 0]) for d in dims)
        blocks = sorted({(r // high, c // wide) for r, c in cells})
        table = [cells.get((R * high + r, C * wide + c), 0) for R, C in blocks for r in range(high) for c in range(wide)]
        arrays |= {"indices": whole([C for _, C in blocks]), "indptr": whole([sum(R < n for R, _ in blocks) for n in range(dims[0] // high + 1)]),
                   "data": npy("<i4", f"({len(blocks)}, {high}, {wide})", numbers("<i4", table))}
    with zipfile.ZipFile(path, "w", dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as packed:
        for name, content in arrays.items():
            packed.writestr(f"{name}.npy", content)


def write(dice, folder, name, dims, cells, convert):
    """A file that holds the tensor; `convert` stores it in a format by the command."""
    kinds = ["mtx"] * 3 + ["npy", "npz", "stored"] if len(dims) == 2 else ["mtx", "npy", "tns"] if len(dims) == 1 else ["mtx"] if not dims else ["tns", "npy"]
    kind = dice.choice(kinds)
    if kind == "tns" and not cells:
        kind = "npy"
    path = folder / f"{name}.{kind}"
    if kind == "npz":
        sparse_archive(dice, path, dims, cells)
    elif kind == "npy":
        path.write_bytes(dense_array(dice, dims, cells))
    elif kind == "tns":
        path.write_text(frostt(dice, cells))
    elif kind == "stored":
        source = folder / f"{name}.mtx"
        source.write_text(matrix_market(dice, dims, cells))
        if not convert(source, dice.choice(MATRIX_FORMATS), path):
            path = source
    else:
        text = matrix_market(dice, dims, cells)
        text = text.replace("\n", "\r\n") if dice.random() < 0.1 else text
        path.write_bytes((b"\xef\xbb\xbf" if dice.random() < 0.1 else b"") + text.encode())
    if kind != "stored" and dice.random() < 0.15:
        packed = folder / f"{path.name}.gz"
        packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path = packed
    return path


def read_result(path):
    with open(path, encoding="ascii") as lines:
        rows = [line.split() for line in lines if line.strip() and line[0] not in "%#"]
    if str(path).endswith(".mtx"):
        rows = rows[1:]
    return {tuple(int(c) - 1 for c in row[:-1]): float(row[-1]) for row in rows}
