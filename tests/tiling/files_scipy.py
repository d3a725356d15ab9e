"""Files that are no text: what `onyx tile levels` reads of arrays of NumPy, archives of SciPy and gzip files is what
wrote them, and what is malformed is refused with its code. Archives and arrays are made by hand, with Python's own
library; those of NumPy and SciPy, where they are installed, besides."""
import gzip
import io
import json
import os
import random
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from quota import Quota, is_trivial  # noqa: E402

ONYX = sys.argv[1]
FOLDER = Path(tempfile.mkdtemp())
failed, shares = [], Quota()


def onyx(path, levels):
    got = subprocess.run([ONYX, "tile", "levels", str(path), "-f", levels, "--dtype", "bf16"], capture_output=True, text=True)
    return got.returncode, got.stdout, got.stderr


def entries(stored):
    """The entries of levels that are all compressed."""
    nodes = [()]
    for level in stored["levels"]:
        nodes = [at + (level["crd"][i],) for n, at in enumerate(nodes) for i in range(level["seg"][n], level["seg"][n + 1])]
    return dict(zip(nodes, stored["vals"]))


def expect(name, content, want, order=2):
    path = FOLDER / name
    path.write_bytes(content)
    code, out, err = onyx(path, "s" * order)
    got = entries(json.loads(out)) if code == 0 else err
    shares.add(code == 0, is_trivial([0, *want.values()]))
    if not want and got == {(0,) * order: 0.0}:  # an empty tensor gets one explicit zero
        got = {}
    if got != want:
        failed.append(f"{name}: {got} in place of {want}")


def refuse(name, content, code, message):
    path = FOLDER / name
    path.write_bytes(content)
    status, _, err = onyx(path, "ss")
    if status != 1 or f"[{code}]" not in err or message not in err:
        failed.append(f"{name}: {status} {err}\n  in place of {code} {message}")


# ---- by hand ---------------------------------------------------------------------------------------


def npy(descr, shape, values, fortran=False, version=1):
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    wide = 2 if version == 1 else 4
    text += b" " * (-(len(text) + 8 + wide + 1) % 64) + b"\n"
    letters = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "f2": "e",
               "f4": "f", "f8": "d"}
    data = values if isinstance(values, bytes) else struct.pack(
        (">" if descr[0] == ">" else "<") + f"{len(values)}{letters[descr[1:]]}", *values)
    return b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(wide, "little") + text + data


def npz(method=zipfile.ZIP_DEFLATED, **arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in arrays.items():
            archive.writestr(name + ".npy", content)
    return out.getvalue()


def csr(indptr=(0, 2, 3), indices=(0, 2, 1), data=(1.0, 0.0, 3.0), shape=(2, 3), name=b"csr"):
    return dict(format=npy("|S3", "()", name), shape=npy("<i8", "(2,)", shape),
                indptr=npy("<i4", f"({len(indptr)},)", indptr), indices=npy("<i4", f"({len(indices)},)", indices),
                data=npy("<f8", f"({len(data)},)", data))


SMALL = {(0, 0): 1.0, (0, 2): 0.0, (1, 1): 3.0}
for kind in ("i1", "i2", "i4", "i8", "f2", "f4", "f8"):
    for order in "<>":
        expect(f"a{kind}.npy", npy(order + kind, "(2, 3)", [0, -2, 3, 4, 0, 0]), {(0, 1): -2.0, (0, 2): 3.0, (1, 0): 4.0})
for kind in ("u1", "u2", "u4", "u8"):
    expect(f"a{kind}.npy", npy("<" + kind, "(2, 2)", [0, 200, 3, 0], version=2), {(0, 1): 200.0, (1, 0): 3.0})
expect("truth.npy", npy("|b1", "(2, 2)", [True, False, False, True]), {(0, 0): 1.0, (1, 1): 1.0})
expect("column.npy", npy("<i4", "(2, 3)", [1, 4, 2, 5, 3, 6], fortran=True, version=3),
       {(i, j): 1.0 + 3 * i + j for i in range(2) for j in range(3)})
expect("three.npy", npy("<i4", "(2, 1, 2)", [1, 0, 0, 4]), {(0, 0, 0): 1.0, (1, 0, 1): 4.0}, 3)
expect("half.npy", npy("<f2", "(1, 3)", [0.5, -2.0 ** -20, 96]), {(0, 0): 0.5, (0, 1): -9.53674316e-07, (0, 2): 96.0})
expect("none.npy", npy("<f8", "(3, 4)", [0.0] * 12), {})
expect("csr.npz", npz(**csr()), SMALL)
expect("stored.npz", npz(zipfile.ZIP_STORED, **csr()), SMALL)
expect("one.npz", npz(arr_0=npy("<i4", "(2, 2)", [0, 7, 0, 0])), {(0, 1): 7.0})
MTX = b"%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 2 5\n2 3 -7\n"
expect("m.mtx.gz", gzip.compress(MTX), {(0, 1): 5.0, (1, 2): -7.0})
expect("b.mtx.gz", gzip.compress(b"\xef\xbb\xbf" + MTX), {(0, 1): 5.0, (1, 2): -7.0})  # a byte-order mark
expect("t.tns.gz", gzip.compress(MTX[:0]) + gzip.compress(b"1 2 5\n") + gzip.compress(b"2 3 -7\n"), {(0, 1): 5.0, (1, 2): -7.0})
expect("n.npy.gz", gzip.compress(npy("<i4", "(2, 2)", [0, 7, 0, 0])), {(0, 1): 7.0})
expect("z.npz.gz", gzip.compress(npz(**csr())), SMALL)
for content in (MTX, gzip.compress(MTX)):  # a name without an extension
    expect("pipe", content, {(0, 1): 5.0, (1, 2): -7.0})
expect("array", npy("<i4", "(2, 2)", [0, 7, 0, 0]), {(0, 1): 7.0})
expect("archive", gzip.compress(npz(**csr())), SMALL)

refuse("x.npy", b"hello", "E0314-array", "byte 0: this is no NumPy array")
refuse("x.npy", npy("<c16", "(2,)", b"\0" * 32), "E0314-array", "byte 21: numbers of this kind")
refuse("x.npy", npy("|O", "(2,)", b""), "E0314-array", "numbers of this kind")
refuse("x.npy", npy("<f8", "(2, 2)", [1.0] * 3), "E0314-array", "32 bytes of data should follow, 24 do")
refuse("x.npy", npy("<f8", "(2, 2", [1.0] * 4), "E0314-array", "should stand here")
refuse("x.npy", npy("<f8", "(9999999999, 2)", []), "E0314-array", "too many dimensions, or numbers")
refuse("x.npy", npy("<f8", "(2, 2)", [1.0] * 4).replace(b"True", b"Flse").replace(b"False", b"Flase"), "E0314-array",
       "True or False")
refuse("x.npy", npy("<f8", "(3,)", [1.0] * 3).replace(b"shape", b"shade"), "E0314-array", "should stand here")
refuse("x.npy", npy("<f8", "(3,)", [1.0] * 3)[:9], "E0314-array", "byte 0")
refuse("x.npy", npy("<f8", "(2, 2, 2)", [1.0] * 8), "E0110-format", "B has 3 levels")
good = npz(**csr())
refuse("x.npz", good[:-30], "E0315-archive", "the archive has no directory")
refuse("x.npz", good.replace(b"PK\1\2", b"PK\1\3"), "E0315-archive", "the directory should go on")
refuse("x.npz", good.replace(b"PK\3\4", b"PK\3\5"), "E0315-archive", "format.npy should begin here")
refuse("x.npz", npz(zipfile.ZIP_STORED, **csr()).replace(b"csr", b"css"), "E0315-archive", "the checksum of format.npy differs")
refuse("x.npz", npz(zipfile.ZIP_BZIP2, **csr()), "E0315-archive", "packed by method 12")
refuse("x.npz", npz(**csr(name=b"lil")), "E0314-array", "there is no format 'lil'")
refuse("x.npz", npz(**csr(indices=(0, 3, 1))), "E0314-array", "'indices.npy', element 1: 3 is outside 0..2")
refuse("x.npz", npz(**csr(indptr=(0, 4, 3))), "E0314-array", "'indptr.npy', element 1: 4 is outside 0..3")
refuse("x.npz", npz(**csr(indptr=(0, 3))), "E0314-array", "'indptr.npy' has 2 elements where there should be 3")
refuse("x.npz", npz(**csr(data=(1.0,))), "E0314-array", "'data.npy' has 1 elements where there should be 3")
refuse("x.npz", npz(**{k: v for k, v in csr().items() if k != "indptr"}), "E0314-array", "holds no indptr.npy")
refuse("x.npz", npz(a=npy("<i4", "(1,)", [1]), b=npy("<i4", "(1,)", [1])), "E0315-archive", "it holds 2 files")
refuse("x.npz", b"", "E0315-archive", "no directory")
refuse("x.mtx.gz", gzip.compress(MTX)[:-9], "E0315-archive", "the compressed data end too early")
refuse("x.mtx.gz", MTX, "E0315-archive", "the compressed data are damaged")
refuse("x.mtx.gz", gzip.compress(MTX.replace(b" 5", b" x")), "E0302-number", "x.mtx.gz:3:5")
refuse("x.mtx", MTX.replace(b"general", b"hermitian"), "E0301-banner", "'hermitian' is not a known symmetry")
refuse("x.zip", good, "E0312-extension", "is neither .mtx, .tns, .csv, .npy, .npz nor .stored")

# ---- by NumPy and SciPy ----------------------------------------------------------------------------

try:
    import numpy
    import scipy.sparse
except ImportError:
    numpy = None
random.seed(19)
for n in range(6 if numpy else 0):
    rows, columns = 2 * random.randint(1, 12), 3 * random.randint(1, 9)
    dense = numpy.zeros((rows, columns))
    for _ in range(random.randint(0, rows * columns // 3)):
        dense[random.randrange(rows), random.randrange(columns)] = random.randint(-100, 100)
    want = {(i, j): dense[i, j] for i in range(rows) for j in range(columns) if dense[i, j]}
    for name, array in (("c", dense), ("fortran", numpy.asfortranarray(dense)), ("short", dense.astype(">i2"))):
        out = io.BytesIO()
        numpy.save(out, array)
        expect(f"{name}{n}.npy", out.getvalue(), want)
    for name in ("csr", "csc", "coo", "bsr", "dia"):
        for packed in (True, False):
            matrix = scipy.sparse.coo_matrix(dense)
            matrix = matrix.tobsr((2, 3)) if name == "bsr" else matrix.asformat(name)
            out = io.BytesIO()
            scipy.sparse.save_npz(out, matrix, compressed=packed)
            expect(f"{name}{n}.npz", out.getvalue(), want)
    if n == 0:  # blocks that are stored by column
        blocks = scipy.sparse.coo_matrix(dense).tobsr((2, 3))
        blocks.data = numpy.asfortranarray(blocks.data)
        out = io.BytesIO()
        scipy.sparse.save_npz(out, blocks)
        expect("fortran.npz", out.getvalue(), want)


# ---- long files of text ----------------------------------------------------------------------------


def long_files():
    """What is longer than a piece is read piece by piece, and has the entries and the messages of what is not."""
    r = random.Random(6)
    at = [(r.randrange(900), r.randrange(700), r.randint(1, 9)) for _ in range(120000)]
    want = {}
    for i, j, v in at:
        want[i, j] = want.get((i, j), 0) + v
    lines = "".join(f"{i + 1} {j + 1} {v}{' ' * (i % 7)}\n" for i, j, v in at)
    head = f"%%MatrixMarket matrix coordinate integer general\n% {'of random numbers ' * 40}\n900 700 {len(at)}\n"
    matrix, middle = head + lines, len(head) + len(lines) // 2
    assert len(matrix) > 1 << 20
    begun = lines.index("\n", len(lines) // 2) + 1
    long = f"% {'2 2 1 ' * 300000}\n"  # a comment longer than a piece, which is no data
    expect("long.mtx", matrix.encode(), want)
    expect("long.mtx.gz", gzip.compress(matrix[:middle].encode()) + gzip.compress(matrix[middle:].encode()) + bytes(200), want)
    expect("long.tns.gz", gzip.compress(("# all\n" + lines[:-1]).encode()), want)  # without the last end of a line
    expect("marked.mtx", b"\xef\xbb\xbf" + matrix.encode(), want)
    expect("comment.mtx", (head + lines[:begun] + long + lines[begun:]).encode(), want)
    last = len(matrix.splitlines())
    expect_mistake("bad.mtx", (matrix[:-2].rstrip() + "x\n").encode(), f"bad.mtx:{last}:", "E0302-number")
    expect_mistake("more.mtx.gz", gzip.compress((matrix + "1 1 1\n").encode()), f"more.mtx.gz:{last + 1}:1:", "E0309-extra")
    expect_mistake("short.mtx", matrix[:middle].encode(), "the file ends after", "E0306-truncated")
    expect_mistake("cut.mtx.gz", gzip.compress(r.randbytes(1 << 21))[:-9], "end too early", "E0315-archive")
    expect_mistake("behind.mtx.gz", gzip.compress(matrix.encode(), 0) + b"x" * 99, "damaged", "E0315-archive")
    # A file of which little is kept takes little memory, plain or packed.
    few = b"%%MatrixMarket matrix coordinate integer general\n" + (b"% " + b"nothing " * 100 + b"\n") * 40000 + b"9 9 1\n2 3 4\n"
    for name, content in (("few.mtx", few), ("few.mtx.gz", gzip.compress(few, 0))):
        path = FOLDER / name
        path.write_bytes(content)
        got = subprocess.run([sys.executable, "-c", "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
                              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", ONYX, "tile", "query", str(path),
                              "(i,j) -> max(j) by (i)"], capture_output=True, text=True, check=True).stdout.split()
        if got[:2] != ["1", "2"] or "MEMORY" in os.environ and int(got[2]) * 1024 * 2 > len(few):
            failed.append(f"{name} of {len(few)} bytes took {got}")


def expect_mistake(name, content, where, code):
    path = FOLDER / name
    path.write_bytes(content)
    got = onyx(path, "ss")
    if got[0] != 1 or where not in got[2] or code not in got[2]:
        failed.append(f"{name}: {where} {code} should be in {got[2][:300]}")


# What newer SciPy and PyData write: tensors of other orders than 2.
CUBE = dict(coords=npy("<i8", "(3, 2)", (0, 1, 2, 0, 1, 3)), data=npy("<f8", "(2,)", (5, 7)), shape=npy("<i8", "(3,)", (2, 3, 4)))
WANT = {(0, 2, 1): 5.0, (1, 0, 3): 7.0}
expect("cube.npz", npz(format=npy("|S3", "()", b"coo"), **CUBE), WANT, 3)
expect("pydata.npz", npz(fill_value=npy("<f8", "()", (0,)), **CUBE), WANT, 3)
refuse("filled.npz", npz(fill_value=npy("<f8", "()", (2,)), **CUBE), "E0314-array", "fill value is not 0")
refuse("gcxs.npz", npz(compressed_axes=npy("<i8", "(1,)", (0,)), **CUBE), "E0314-array", "GCXS is not read")
refuse("rows.npz", npz(format=npy("|S3", "()", b"coo"), **{**CUBE, "shape": npy("<i8", "(2,)", (2, 3))}), "E0314-array", "row.npy")
refuse("few.npz", npz(format=npy("|S3", "()", b"coo"), **{**CUBE, "shape": npy("<i8", "(4,)", (2, 3, 4, 5))}), "E0314-array", "a row for each dimension")
expect("vector.npz", npz(format=npy("|S3", "()", b"csr"), shape=npy("<i8", "(1,)", (6,)), indptr=npy("<i4", "(2,)", (0, 2)),
                         indices=npy("<i4", "(2,)", (1, 4)), data=npy("<f8", "(2,)", (5, 7))), {(1,): 5.0, (4,): 7.0}, 1)
expect("line.npz", npz(format=npy("|S3", "()", b"coo"), shape=npy("<i8", "(1,)", (6,)), coords=npy("<i8", "(1, 2)", (1, 4)),
                       data=npy("<f8", "(2,)", (5, 7))), {(1,): 5.0, (4,): 7.0}, 1)


def tar(**files):
    """An archive, packed, as the SuiteSparse collection has them; names have a folder."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(f"folder/{name.replace('_', '.')}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return out.getvalue()


MATRIX = b"%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 3\n"
expect("karate.tar.gz", tar(a_txt=b"x" * 700, karate_mtx=MATRIX), {(1, 0): 3.0})
expect("karate.tar.gz", tar(other_mtx=MATRIX), {(1, 0): 3.0})
expect("karate.tar.gz", tar(other_mtx=b"", karate_mtx=MATRIX), {(1, 0): 3.0})
refuse("karate.tar.gz", tar(a_mtx=MATRIX, b_mtx=MATRIX), "E0315-archive", "holds no karate.mtx")
refuse("karate.tar.gz", tar(a_txt=b"x"), "E0315-archive", "holds no karate.mtx")
refuse("karate.tar.gz", gzip.compress(gzip.decompress(tar(karate_mtx=MATRIX))[:530]), "E0315-archive", "cut off")

long_files()
for path in FOLDER.iterdir():
    path.unlink()
FOLDER.rmdir()
print("\n".join(failed) or "all as they should be")
sys.exit(bool(failed) or shares.failed())
