"""onyx tile levels and stats against SciPy: levels_scipy.py ONYX. Exit 77 without SciPy.

Level storage in every format and order of modes is CSR, CSC or a dense array by SciPy; statistics of sub-tiles are
counted again from the coordinates; four processes at once write the same bytes as one."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from quota import Quota, is_trivial  # noqa: E402

try:
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError:
    sys.exit(77)

onyx, shares = sys.argv[1], Quota()


def levels(path, form):
    return subprocess.run([onyx, "tile", "levels", path, "-f", form], check=True, capture_output=True).stdout


def same(got, want):
    assert numpy.array_equal(numpy.array(got), want), (got, want)


def check_levels(path, matrix):
    csr, csc = matrix.tocsr(), matrix.tocsc()
    for m in (csr, csc):
        m.sort_indices()
    for form, want in (("ds:0,1", csr), ("ds:1,0", csc)):
        got = json.loads(levels(path, form))
        same(got["levels"][1]["seg"], want.indptr)
        same(got["levels"][1]["crd"], want.indices)
        same(got["vals"], want.data)
    for form, want in (("ss:0,1", csr), ("ss:1,0", csc)):
        got = json.loads(levels(path, form))
        rows = numpy.nonzero(numpy.diff(want.indptr))[0]
        same(got["levels"][0]["seg"], [0, len(rows)])
        same(got["levels"][0]["crd"], rows)
        same(got["levels"][1]["seg"], want.indptr[numpy.append(rows, len(want.indptr) - 1)])
        same(got["levels"][1]["crd"], want.indices)
        same(got["vals"], want.data)
    for form, want in (("dd:0,1", matrix.toarray()), ("dd:1,0", matrix.toarray().T)):
        same(json.loads(levels(path, form))["vals"], want.flatten())


def check_stats(path, matrix, edge):
    printed = subprocess.run([onyx, "tile", "stats", path, "--tile", str(edge), "--json"], check=True, capture_output=True)
    got = json.loads(printed.stdout)[0]
    tiles = {}
    for row, col in zip(matrix.row, matrix.col):
        tiles.setdefault((row // edge, col // edge), []).append(row)
    entries = [len(t) for t in tiles.values()]
    rows = [len(set(t)) for t in tiles.values()]
    assert got["subtiles"] == -(-matrix.shape[0] // edge) * -(-matrix.shape[1] // edge)
    assert got["filled"] == len(tiles)
    for have, want in ((got["entries"], entries), (got["levels"][0]["crd"], rows), (got["levels"][1]["crd"], entries)):
        assert (have["min"], have["max"]) == (min(want), max(want)), (have, want)
        assert abs(have["mean"] - sum(want) / len(want)) < 1e-9
    assert got["levels"][1]["seg"]["max"] == max(rows) + 1
    for b, have in enumerate(got["histogram"]):
        assert have == sum(n.bit_length() - 1 == b for n in entries), b


with tempfile.TemporaryDirectory() as folder:
    for shape, density, seed in (((30, 41), 0.1, 1), ((1, 9), 0.5, 2), ((64, 3), 0.02, 3), ((300, 300), 0.05, 4)):
        random = numpy.random.RandomState(seed)
        matrix = scipy.sparse.random(*shape, density, random_state=random, data_rvs=lambda n: random.randint(1, 99, n)).tocoo()
        path = os.path.join(folder, "m.mtx")
        scipy.io.mmwrite(path, matrix, field="integer", symmetry="general")
        check_levels(path, matrix)
        shares.add(trivial=is_trivial(matrix.data.tolist()))
        for edge in (1, 4, 32):
            check_stats(path, matrix, edge)
    one = levels(path, "ss:1,0")
    together = [subprocess.Popen([onyx, "tile", "levels", path, "-f", "ss:1,0"], stdout=subprocess.PIPE) for _ in range(4)]
    for process in together:
        assert process.communicate()[0] == one
sys.exit(shares.failed())
