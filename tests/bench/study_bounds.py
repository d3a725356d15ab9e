"""What primitives that nobody has built could save at most: bit vectors, a locator in compressed levels, run-length scanners.
study.py says how it is called; with Yosys their area is printed, too.

The cycles are those of the loop that intersects, summed over all its pairs of fibers of the real matrices, by what the array takes: a scanner gives
two coordinates in three cycles (test_rtl_skip: 1,498 for 1,000), a joiner takes one a cycle, a fiber has a stop. Everything else is taken to cost
nothing, which is what makes it a bound.
"""

import numpy
import scipy.io
import scipy.sparse

from study import Study

SCAN, WORD, STOP = 1.5, 16, 1
MATRICES = ["west0067", "west0479", "494_bus", "olm500", "bcspwr06"]
# What the array has for it, where the second operand is stored dense; then what it lacks, and a module of bounds.sv.
BOUNDS = {"dense, located": None, "bit vectors": "bound_bit_join", "bit vectors of 16 under compressed chunks": "bound_bit_join",
          "locator": "bound_locate", "ranges": "bound_range_scan"}
DENSITIES = [0.01, 0.02, 0.05, 0.1, 0.2]


def chunks(pattern):
    """Whether any coordinates exist in each 16 of a row."""
    entries = pattern.tocoo()
    out = scipy.sparse.csr_matrix((numpy.ones(entries.nnz), (entries.row, entries.col // WORD)), (pattern.shape[0], -(-pattern.shape[1] // WORD)))
    out.data[:] = 1
    return out


def in_runs(pattern):
    """Number of coordinates of each row with an adjacent coordinate."""
    out = numpy.zeros(pattern.shape[0])
    for row in range(pattern.shape[0]):
        crd = numpy.sort(pattern.indices[pattern.indptr[row]:pattern.indptr[row + 1]])
        beside = numpy.diff(crd) == 1
        out[row] = numpy.count_nonzero(numpy.append(beside, False) | numpy.insert(beside, 0, False))
    return out


def lengths(pattern):
    return numpy.diff(pattern.indptr).astype(float)


def all_pairs(a, b):
    """Lengths of the fibers of each pair of rows of both, and how many coordinates they share."""
    return lengths(a)[:, None], lengths(b)[None, :], (a @ b.T).toarray()


def same_rows(a, b):
    return lengths(a), lengths(b), numpy.asarray(a.multiply(b).sum(axis=1)).ravel()


def intersected(a, b, both, scan_a, scan_b):
    """Cycles of each pair: the slowest of two scanners and the joiner."""
    return numpy.maximum(numpy.maximum(scan_a, scan_b), a + b - both) + STOP


def cycles(a, b, pairs):
    """Cycles by coordinates, then by each of BOUNDS, of the pairs in which no fiber is empty."""
    la, lb, both = pairs(a, b)
    ca, cb, chunks_both = pairs(chunks(a), chunks(b))
    runs_a, runs_b = (in_runs(a)[:, None], in_runs(b)[None, :]) if pairs is all_pairs else (in_runs(a), in_runs(b))
    words = -(-a.shape[1] // WORD)
    there = (la > 0) & (lb > 0)
    each = [intersected(la, lb, both, SCAN * la, SCAN * lb), SCAN * la + 0 * lb + STOP, numpy.maximum(SCAN * words, words + both) + STOP,
            numpy.maximum(SCAN * numpy.maximum(ca, cb), ca + cb - chunks_both + both) + STOP, numpy.minimum(la, lb) + STOP,
            intersected(la, lb, both, SCAN * la - runs_a / 2, SCAN * lb - runs_b / 2)]
    return [float(numpy.sum(numpy.where((la > 0) | (0 * lb > 0) if bound == "dense, located" else there, e, 0))) for bound, e in zip(["", *BOUNDS], each)]


def pattern_of(matrix):
    out = scipy.sparse.csr_matrix(abs(matrix), dtype=float)
    out.eliminate_zeros()
    out.data[:] = 1
    return out


def random(rows, columns, density, seed):
    return pattern_of(scipy.sparse.random(rows, columns, density, "csr", random_state=numpy.random.RandomState(seed)))


def kernels(b):
    n = b.shape[1]
    yield "SpM*SpM, i,j,k", cycles(b, pattern_of(b.T), all_pairs)
    yield "product with a matrix that is half full", cycles(b, random(b.shape[0], n, 0.5, 1), same_rows)
    yield "SpMV, vector compressed, 30 %", cycles(b, random(1, n, 0.3, 2), all_pairs)


study = Study()
study.need_matrices()
rows = [(f"rows of 2000, {density:.0%} full", "random", cycles(random(100, 2000, density, 3), random(100, 2000, density, 4), all_pairs))
        for density in DENSITIES]
for matrix in MATRICES[:1] if study.short else MATRICES:
    b = pattern_of(scipy.io.mmread(study.matrices / f"{matrix}.mtx"))
    rows += [(kernel, matrix, found) for kernel, found in kernels(b)]
csv = "kernel,matrix,coordinates," + ",".join(f"\"{bound}\"" for bound in BOUNDS) + "\n" + "".join(
    f"\"{kernel}\",{matrix}," + ",".join(f"{c:.0f}" for c in found) + "\n" for kernel, matrix, found in rows)
print(csv, end="")
names = list(dict.fromkeys(kernel for kernel, _, _ in rows))
for kernel in names:
    ratios = numpy.array([[found[0] / other for other in found[1:]] for k, _, found in rows if k == kernel])
    print(kernel, " ".join(f"{mean:.2f}" for mean in numpy.exp(numpy.log(ratios).mean(axis=0))))
for module in dict.fromkeys(filter(None, BOUNDS.values())):
    print(f"{module}: {study.cells(module)} cells")
study.table("bounds.csv", csv)
by = {(kernel, matrix): found for kernel, matrix, found in rows}
study.expect(by["rows of 2000, 2% full", "random"][2] > by["rows of 2000, 2% full", "random"][0], "bit vectors lose where rows of 2000 are 2 % full")
study.expect(by["rows of 2000, 10% full", "random"][2] < by["rows of 2000, 10% full", "random"][0], "and win where they are 10 % full")
study.expect(study.short or all(found[2] > found[0] for (kernel, matrix), found in by.items() if kernel == "SpM*SpM, i,j,k" and matrix != "west0067"),
             "plain bit vectors take more cycles than coordinates where rows have hundreds of coordinates")
study.end()
