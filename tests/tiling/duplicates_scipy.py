"""500 files whose entries come several to a place, against SciPy: `onyx tile levels` has the sum of each place in double precision,
rounded once, and its warnings count what the rounding changed. Run: duplicates_scipy.py ONYX [FILES]."""
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from quota import Quota  # noqa: E402

try:
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError:
    sys.exit(77)

ONYX, FILES = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
r = random.Random(52)
shares = Quota()  # trivial: no place has two entries


def values(kind, n):
    """Values whose sums are exact in double precision, in any order."""
    most = {"small": 20, "halves": 20, "large": 40000, "huge": 10**9}[kind]
    step = {"small": 1, "halves": 8, "large": 1, "huge": 64}[kind]
    return [r.randint(-most * step, most * step) / step for _ in range(n)]


def matrix():
    rows, columns, n = r.randint(1, 9), r.randint(1, 9), r.randint(1, 40)
    return scipy.sparse.coo_matrix((values(r.choice(["small", "halves", "large", "huge"]), n),
                                    ([r.randrange(rows) for _ in range(n)], [r.randrange(columns) for _ in range(n)])), shape=(rows, columns))


def write_mtx(m, path):
    lines = "".join(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in zip(m.row, m.col, m.data.tolist()))
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{m.shape[0]} {m.shape[1]} {m.nnz}\n{lines}")
    return m


def write_mirrored(m, path):
    """Entries below the diagonal, the mirrored ones negated or not."""
    word, sign = r.choice([("symmetric", 1), ("skew-symmetric", -1)])
    low = [(i, j, v) for i, j, v in zip(m.row, m.col, m.data.tolist()) if i > j]
    n = max(m.shape)
    path.write_text(f"%%MatrixMarket matrix coordinate real {word}\n{n} {n} {len(low)}\n" + "".join(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in low))
    both = low + [(j, i, sign * v) for i, j, v in low]
    return scipy.sparse.coo_matrix(([v for *_, v in both], ([i for i, *_ in both], [j for _, j, _ in both])), shape=(n, n))


def write_tns(m, path):
    path.write_text("".join(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in zip(m.row, m.col, m.data.tolist())))
    return m


def write_coo(m, path):
    scipy.sparse.save_npz(path, m)
    return m


def write_csr(m, path):
    """Rows whose columns come several times, which SciPy lets be."""
    order = numpy.argsort(m.row, kind="stable")
    ends = numpy.searchsorted(m.row[order], numpy.arange(m.shape[0] + 1))
    scipy.sparse.save_npz(path, scipy.sparse.csr_matrix((m.data[order], m.col[order], ends), shape=m.shape))
    return m


def bf16(x):
    """The nearest bfloat16, of two the even one."""
    if x == 0:
        return 0.0
    _, exponent = numpy.frexp(x)
    ulp = numpy.ldexp(1.0, max(int(exponent) - 8, -133))
    return float(numpy.rint(x / ulp) * ulp)


def words(sums, dtype):
    if dtype == "bf16":
        return [bf16(x) for x in sums], 0, 0
    whole = [float(numpy.rint(x)) for x in sums]
    wrapped = [(int(x) + 32768) % 65536 - 32768 for x in whole]
    return [float(x) for x in wrapped], sum(a != b for a, b in zip(sums, whole)), sum(a != b for a, b in zip(whole, wrapped))


def entries(stored):
    nodes = [()]
    for level in stored["levels"]:
        nodes = [at + (level["crd"][i],) for n, at in enumerate(nodes) for i in range(level["seg"][n], level["seg"][n + 1])]
    return {at: float(numpy.float32(v)) for at, v in zip(nodes, stored["vals"])}  # printed with the digits of a float


def count(code, text):
    found = re.search(rf"(\d+) of \d+ values? of .*\[{code}\]", text)
    return int(found[1]) if found else 0


def check(number, folder):
    write, end = r.choice([(write_mtx, ".mtx"), (write_mirrored, ".mtx"), (write_tns, ".tns"), (write_coo, ".npz"), (write_csr, ".npz")])
    dtype, path = r.choice(["int16", "int16", "bf16"]), folder / f"{number}{end}"
    m = write(matrix(), path)
    entries_written = m.nnz
    m.sum_duplicates()
    shares.add(trivial=m.nnz == entries_written)
    made, rounded, wrapped = words(m.data.tolist(), dtype)
    want = dict(zip(zip(m.row.tolist(), m.col.tolist()), made)) or {(0, 0): 0.0}  # an empty tensor gets one explicit zero
    got = subprocess.run([ONYX, "tile", "levels", str(path), "-f", "ss", "--dtype", dtype], capture_output=True, text=True)
    if got.returncode or entries(json.loads(got.stdout)) != want:
        return f"{path.name} as {dtype}: {got.stdout or got.stderr} in place of {want}\n{path.read_text() if end != '.npz' else m}"
    if (count("E0350-rounded", got.stderr), count("E0351-wrapped", got.stderr)) != (rounded, wrapped):
        return f"{path.name}: {rounded} rounded and {wrapped} wrapped, and this is said: {got.stderr}"
    return None


with tempfile.TemporaryDirectory() as scratch:
    failed = [text for text in (check(n, Path(scratch)) for n in range(FILES)) if text]
print("\n".join(failed[:5]) or f"{FILES} files as SciPy has them")
sys.exit(bool(failed) or shares.failed())
