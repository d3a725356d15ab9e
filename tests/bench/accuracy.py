"""How good results are on real matrices: accuracy.py ONYX MATRICES [PAGE]. Runs SpMV, SpM*SpM and SDDMM on engine sam with each data type and
writes the table of docs/notebook/accuracy.md between its marks, or prints it."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ONYX, MATRICES = sys.argv[1], pathlib.Path(sys.argv[2])
NAMES = ["494_bus", "adder_dcop_05", "ash219", "e05r0500", "lp_share1b", "olm500", "orsreg_1", "sherman1", "west0067", "west0479"]
KERNELS = [("SpMV", "x(i) = A(i,j) * b(j)"), ("SpM\\*SpM", "X(i,j) = A(i,k) * B(j,k)"), ("SDDMM", "X(i,j) = A(i,j) * C(i,k) * D(k,j)")]
WIDTH = 8
r = random.Random(52)


def shape_of(path):
    for line in path.read_text().splitlines():
        if not line.startswith("%"):
            return tuple(int(n) for n in line.split()[:2])
    raise SystemExit(f"{path} has no size")


def dense(path, *shape):
    """Normal values, as a file says numbers that no type of 16 bits has."""
    lines = [f"{i + 1} {j + 1} {r.gauss(0, 1):.6f}" if len(shape) > 1 else f"{i + 1} {r.gauss(0, 1):.6f}"
             for i in range(shape[0]) for j in range(shape[1] if len(shape) > 1 else 1)]
    path.write_text("\n".join(lines) + "\n")


def run(expression, dtype, operands, folder):
    words = [word for name, path in operands.items() if f"{name}(" in expression for word in ("-i", f"{name}:{path}")]
    subprocess.run([ONYX, "run", expression, "--engine", "sam", "--dtype", dtype, "-o", str(folder / "out"), *words], check=True, capture_output=True)
    return json.loads((folder / "out/report.json").read_text())["accuracy"]


def percent(x):
    return f"{100 * x:.2g} %" if x < 0.995 else f"{100 * x:,.0f} %"


def cell(a):
    if a["verdict"] == "exact":
        return "exact"
    mean, largest = (percent(a["relative"][key]) for key in ("mean", "largest"))
    wrapped = f", {a['wrapped']} of {a['values']} wrapped" if a["wrapped"] else ""
    return f"{mean}, up to {largest}{wrapped}"


def rows():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name in NAMES:
            path = MATRICES / f"{name}.mtx"
            high, wide = shape_of(path)
            dense(folder / "b.tns", wide)
            dense(folder / "C.tns", high, WIDTH)
            dense(folder / "D.tns", WIDTH, wide)
            operands = {"A": path, "B": path, "b": folder / "b.tns", "C": folder / "C.tns", "D": folder / "D.tns"}
            for title, expression in KERNELS:
                yield [name, title] + [cell(run(expression, dtype, operands, folder)) for dtype in ("int16", "bf16")]


table = ["| matrix | kernel | int16 | bf16 |", "|---|---|---|---|"] + [f"| {' | '.join(row)} |" for row in rows()]
if len(sys.argv) > 3:
    page = pathlib.Path(sys.argv[3])
    before, rest = page.read_text().split("<!-- table -->\n")[:2]
    page.write_text(before + "<!-- table -->\n" + "\n".join(table) + "\n<!-- table -->\n" + rest.split("<!-- table -->\n")[-1])
else:
    print("\n".join(table))
