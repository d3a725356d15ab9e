"""How good results are on real matrices: accuracy.py ONYX MATRICES [PAGE]. Runs SpMV, SpM*SpM, SDDMM, PageRank and conjugate
gradients on engine sam with each data type and writes the table of docs/notebook/accuracy.md between its marks, or prints it.
The type that the data choose for the chip is what `onyx compile` says, of a program what its report says. A program of q16
has no quotients and one scale for each tensor: there each product is a command of its own, and numpy does the rest in
float64. A cell says `late` behind MOST_SECONDS."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
import scipy.io
import scipy.sparse

ONYX, MATRICES = sys.argv[1], pathlib.Path(sys.argv[2])
NAMES = ["494_bus", "adder_dcop_05", "ash219", "e05r0500", "lp_share1b", "olm500", "orsreg_1", "sherman1", "west0067", "west0479"]
KERNELS = [("SpMV", "x(i) = A(i,j) * b(j)"), ("SpM\\*SpM", "X(i,j) = A(i,k) * B(j,k)"),
           ("SDDMM", "X(i,j) = A(i,j) * C(i,k) * D(k,j)")]
TYPES = ("int16", "q16", "bf16")
WIDTH, PASSES, MOST_SECONDS = 8, 6, 60
PAGERANK = f"""tensor P: ss
tensor r: d
tensor t: d
repeat {PASSES} {{ t(i) = P(i,j) * r(j); r(i) = NEXT }}
result r
"""
GRADIENTS = f"""tensor A: ss
tensor x: d = all 0
tensor r: d
tensor p: d
tensor t: d
tensor q: d
scalar left
scalar step
scalar along
scalar before
left = r(i) * r(i)
repeat {PASSES} {{
    t(j) = A(i,j) * p(i)
    q(i) = A(i,j) * t(j)
    q(i) = q(i) + p(i)
    along = p(i) * q(i)
    step = left / along
    x(i) = x(i) + step * p(i)
    r(i) = r(i) - step * q(i)
    before = left
    left = r(i) * r(i)
    step = left / before
    p(i) = r(i) + step * p(i)
}}
result x
"""
LATE = {"accuracy": "late", "results": [{"accuracy": "late"}], "type": {"of": "late"}}
r = random.Random(52)


def write(path, values):
    """A vector or a dense matrix."""
    path.write_text("".join(f"{' '.join(str(i + 1) for i in at)} {values[at]:.9g}\n" for at in numpy.ndindex(values.shape)))


def normal(*shape):
    return numpy.array([r.gauss(0, 1) for _ in range(int(numpy.prod(shape)))]).reshape(shape).round(6)


def onyx(command, what, operands, folder, *more):
    """Report of a run, or the output of compiling; None: refused."""
    words = [word for name, path in operands.items() for word in ("-i", f"{name}:{path}")]
    try:
        done = subprocess.run([ONYX, command, what, "-o", str(folder / "out"), *words, *more], capture_output=True,
                              text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return LATE if command == "run" else "late"
    if done.returncode:
        return None
    return json.loads((folder / "out/report.json").read_text()) if command == "run" else done.stdout


def percent(x):
    return f"{100 * x:.2g} %" if x < 0.995 else f"{100 * x:,.0f} %" if x < 1e5 else f"{100 * x:.0e} %"


def cell(a):
    if not a or a == "late":
        return a or "refused"
    if a["verdict"] == "exact":
        return "exact"
    mean, largest = (percent(float(a["relative"][key])) for key in ("mean", "largest"))
    wrapped = f", {a['wrapped']} wrapped" if a["wrapped"] else ""
    return f"{mean}, up to {largest}{wrapped}" if float(a["relative"]["largest"]) else f"exact{wrapped}"


def kernel(expression, dtype, operands, folder):
    report = onyx("run", expression, operands, folder, "--engine", "sam", "--dtype", dtype)
    return cell(report and report["accuracy"])


def chosen(expression, operands, folder):
    said = onyx("compile", expression, operands, folder, "--stop-after", "read")
    return said.split()[0] if said else "none"


def program(text, dtype, operands, folder):
    path = folder / "program.onx"
    path.write_text(text)
    report = onyx("run", str(path), operands, folder, "--engine", "sam", "--dtype", dtype)
    return report["type"]["of"] if report and dtype == "auto" else cell(report and report["results"][0].get("accuracy"))


def product(key, v, rows, folder):
    """The product of a file's matrix and a vector by a command of q16."""
    write(folder / "v.tns", v)
    operands = {"A": folder / f"{key}.mtx", "v": folder / "v.tns"}
    ran = onyx("run", "y(i) = A(i,j) * v(j)", operands, folder, "--engine", "sam", "--dtype", "q16")
    if not ran or ran is LATE:
        raise ArithmeticError
    y = scipy.io.mmread(folder / "out/y.mtx").toarray().reshape(-1)
    return numpy.concatenate([y, numpy.zeros(rows - len(y))])


def pagerank(times, n):
    rank = numpy.ones(n)
    for _ in range(PASSES):
        rank = 0.75 * times(rank) + 0.25
    return rank


def gradients(forth, back, b):
    x, left_of, p = numpy.zeros(len(b)), b.copy(), b.copy()
    left = left_of @ left_of
    for _ in range(PASSES):
        q = back(forth(p)) + p
        step = left / (p @ q)
        x, left_of, before = x + step * p, left_of - step * q, left
        left = left_of @ left_of
        p = left_of + left / before * p
    return x


def compared(run, want):
    """As report.json compares a result."""
    try:
        got = run()
    except ArithmeticError:
        return "refused"
    off = numpy.abs(got - want) / numpy.where(want == 0, numpy.abs(want).max(), numpy.abs(want))
    return cell({"verdict": "differs", "wrapped": 0, "relative": {"mean": off.mean(), "largest": off.max()}})


def columns_of_one(links):
    return (links @ scipy.sparse.diags(1 / numpy.maximum(links.sum(axis=0).A1, 1))).tocsr()


def iterations(name, A, folder):
    """PageRank over the pattern, of A A' where A is no square, and gradients for I + A A' with A scaled below 1."""
    links = abs(A).sign()
    P = columns_of_one(links if A.shape[0] == A.shape[1] else (links @ links.T).sign())
    B = (A / 2 ** numpy.ceil(numpy.log2(abs(A).max()))).tocsr()
    for key, M in ("P", P), ("B", B), ("T", B.T):
        scipy.io.mmwrite(folder / f"{key}.mtx", M.tocoo(), precision=9)
    P, B = (scipy.io.mmread(folder / f"{key}.mtx").tocsr() for key in "PB")
    n, b = P.shape[0], normal(B.shape[0])
    write(folder / "one.tns", numpy.ones(n))
    write(folder / "rhs.tns", b)
    rank = {"P": folder / "P.mtx", "r": folder / "one.tns"}
    start = {"A": folder / "B.mtx", "r": folder / "rhs.tns", "p": folder / "rhs.tns"}
    texts = {"int16": PAGERANK.replace("NEXT", "(3 * t(i)) / 4 + 1"), "bf16": PAGERANK.replace("NEXT", "0.75 * t(i) + 0.25")}
    by_q16 = compared(lambda: pagerank(lambda v: product("P", v, n, folder), n), pagerank(lambda v: P @ v, n))
    yield [name, "PageRank", program(texts["int16"], "int16", rank, folder), by_q16,
           *(program(texts["bf16"], dtype, rank, folder) for dtype in ("bf16", "auto"))]
    by_q16 = compared(lambda: gradients(lambda v: product("T", v, B.shape[1], folder), lambda v: product("B", v, B.shape[0], folder), b),
                      gradients(lambda v: B.T @ v, lambda v: B @ v, b))
    yield [name, "CG", program(GRADIENTS, "int16", start, folder), by_q16,
           *(program(GRADIENTS, dtype, start, folder) for dtype in ("bf16", "auto"))]


def rows():
    for name in NAMES:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            path = MATRICES / f"{name}.mtx"
            A = scipy.io.mmread(path).tocsr()
            for key, shape in ("b", A.shape[1:]), ("C", (A.shape[0], WIDTH)), ("D", (WIDTH, A.shape[1])):
                write(folder / f"{key}.tns", normal(*shape))
            operands = {"A": path, "B": path, **{key: folder / f"{key}.tns" for key in "bCD"}}
            for title, expression in KERNELS:
                own = {key: file for key, file in operands.items() if f"{key}(" in expression}
                yield [name, title] + [kernel(expression, dtype, own, folder) for dtype in TYPES] + [chosen(expression, own, folder)]
            yield from iterations(name, A, folder)


table = [f"| matrix | kernel | {' | '.join(TYPES)} | chosen |", "|---|---|---|---|---|---|"]
for row in rows():
    table.append(f"| {' | '.join(row)} |")
    print(table[-1], flush=True)
if len(sys.argv) > 3:
    page = pathlib.Path(sys.argv[3])
    before, _, after = page.read_text().split("<!-- table -->\n")
    page.write_text(before + "<!-- table -->\n" + "\n".join(table) + "\n<!-- table -->\n" + after)
