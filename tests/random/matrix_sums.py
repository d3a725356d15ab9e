"""Random sums of matrices on the matrix reducer of profile onyx-ext, on engines cycle, rtl and soc, against NumPy.

matrix_sums.py ONYX FOLDER CASES SEED: products and sums of two to three operands whose summed loop is outside of two loops of the
result, with edges that do not divide, empty operands and explicit zeros. Fails at the first wrong result; prints how many of the
kernels had the reducer, and what was refused.
"""

import collections
import pathlib
import random
import re
import subprocess
import sys

import numpy

ONYX, FOLDER, CASES, SEED = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
# Expression, a loop order with a sum outside of two loops of the result, and what NumPy makes of it.
KERNELS = [
    ("X(i,j)=B(i,k)*C(k,j)", "k,i,j", "ik,kj->ij"),
    ("X(i,j)=B(k,i)*C(k,j)", "k,j,i", "ki,kj->ij"),
    ("X(i,j)=B(k,i)*C(k)*D(k,j)", "k,i,j", "ki,k,kj->ij"),
    ("X(i,j)=B(k,i,j)", "k,i,j", "kij->ij"),
    ("X(i,j)=B(i,k,l)*C(k,j)*D(l,j)", "k,i,l,j", "ikl,kj,lj->ij"),
    ("X(h,i,j)=B(h,k,i)*C(k,j)", "h,k,i,j", "hki,kj->hij"),
]


def write(path, tensor, zeros, draw):
    """A file of the stored entries, of which some are zero."""
    entries = [(at, value) for at, value in numpy.ndenumerate(tensor) if value] + [(at, 0) for at in zeros]
    draw.shuffle(entries)
    path.write_text("".join(" ".join(str(c + 1) for c in at) + f" {value}\n" for at, value in entries))


def read(path, shape):
    """A Matrix Market or FROSTT file."""
    out = numpy.zeros(shape, dtype=numpy.int64)
    lines = [line.split() for line in path.read_text().splitlines() if line and line[0] not in "%#"]
    for *at, value in lines[path.suffix == ".mtx":]:
        out[tuple(int(c) - 1 for c in at)] = int(value)
    return out


def case(seed, told):
    draw, values = random.Random(seed), numpy.random.default_rng(seed)
    expression, order, product = draw.choice(KERNELS)
    extent = {v: draw.choice([1, 2, 5, 9, 17, 33]) for v in "hijkl"}
    names = re.findall(r"([A-Z])\(", expression)[1:]
    inputs, result = product.split("->")
    command, operands = [ONYX, "run", expression, "-s", f"reorder({order})"], []
    for name, index in zip(names, inputs.split(",")):
        shape = tuple(extent[v] for v in index)
        density = draw.choice([0, 0.05, 0.2, 0.2, 0.5, 1]) / (4 if len(shape) == 3 else 1)
        tensor = values.integers(-99, 100, shape) * (values.random(shape) < density)
        corner = tuple(n - 1 for n in shape)  # says how large the tensor is
        zeros = [at for at in numpy.ndindex(shape) if not tensor[at] and (at == corner or draw.random() < 0.02)]
        file = FOLDER / f"{name}.tns"
        write(file, tensor, zeros, draw)
        command += ["-i", f"{name}:{file}"]
        operands.append(tensor)
    tile = draw.choice(["8", "16", "32", "i:64,j:16", "i:4,j:32", "k:3,i:32,j:32"])
    command += ["--tile", tile, "--profile", "onyx-ext", "--hazards", "off"]
    want = numpy.einsum(product, *operands)
    want = ((want + 32768) % 65536) - 32768
    for engine in ("cycle", "rtl", "soc"):
        out = FOLDER / "out"
        subprocess.run(["rm", "-rf", str(out)], check=True)
        ran = subprocess.run([*command, "--engine", engine, "-o", str(out)], capture_output=True, text=True, check=False)
        if ran.returncode == 2 or (ran.returncode == 1 and engine == "cycle"):
            codes = re.findall(r"\[(E\d+)-", ran.stderr)
            told["refused " + (codes[-1] if codes else ran.stderr[-200:])] += 1
            return True
        files = list(out.glob("X.mtx")) + list(out.glob("X.tns"))
        if ran.returncode or not files or not numpy.array_equal(read(files[0], want.shape), want):
            print(f"seed {seed}, {engine}: {' '.join(command)}\n{ran.stdout}{ran.stderr}")
            return False
    used = any("vec_reduce_inst_inner" in file.read_text() for file in out.rglob("netlist.json"))
    told["right, with the matrix reducer" if used else "right, without"] += 1
    return True


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    told = collections.Counter()
    good = all(case(SEED * 1000003 + n, told) for n in range(CASES))
    print(", ".join(f"{count} {what}" for what, count in sorted(told.items())))
    sys.exit(not good or not told["right, with the matrix reducer"])


main()
