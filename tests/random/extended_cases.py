"""Random kernels on a primitive of profile onyx-ext, on engines cycle, rtl and soc, against NumPy.

extended_cases.py ONYX FOLDER KIND CASES SEED: kernels of a kind (KINDS) with edges that do not divide, empty operands and explicit zeros. Fails
at the first wrong result; prints how many of the kernels had the primitive, and what was refused.
"""

import collections
import json
import pathlib
import random
import re
import subprocess
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

ONYX, FOLDER, KIND, CASES, SEED = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
LEAST, MOST = -32768, 32767


def product(spec):
    return lambda operands, stored: numpy.einsum(spec, *operands)


def within(least, most):
    """A reduction of rows that takes what is stored, where there is something, or else its identity."""
    def of(operation, identity):
        return lambda operands, stored: operation(numpy.where(stored[0], operands[0], identity), axis=1, initial=identity)
    return of(numpy.max, least), of(numpy.min, most)


LARGEST, SMALLEST = within(LEAST, MOST)
# For each kind: what its netlists have, how large values are, and kernels: expression, order of loops, what NumPy makes of it, options.
KINDS = {
    # A sum is outside of two loops of the result.
    "matrices": ("vec_reduce_inst_inner", 99, [
        ("X(i,j)=B(i,k)*C(k,j)", "k,i,j", product("ik,kj->ij"), []),
        ("X(i,j)=B(k,i)*C(k,j)", "k,j,i", product("ki,kj->ij"), []),
        ("X(i,j)=B(k,i)*C(k)*D(k,j)", "k,i,j", product("ki,k,kj->ij"), []),
        ("X(i,j)=B(k,i,j)", "k,i,j", product("kij->ij"), []),
        ("X(i,j)=B(i,k,l)*C(k,j)*D(l,j)", "k,i,l,j", product("ikl,kj,lj->ij"), []),
        ("X(h,i,j)=B(h,k,i)*C(k,j)", "h,k,i,j", product("hki,kj->hij"), [])]),
    "vectors": ('"vector_reduce"', 99, [
        ("X(i,j)=B(i,k)*C(k,j)", "i,k,j", product("ik,kj->ij"), []),
        ("X(i)=B(i,j)*C(j)", "j,i", product("ij,j->i"), []),
        ("X(i)=B(j,i)", "j,i", product("ji->i"), []),
        ("X(i,j)=B(i,k,j)", "i,k,j", product("ikj->ij"), []),
        ("X(h,i,j)=B(h,i,k)*C(k,j)", "h,i,k,j", product("hik,kj->hij"), [])]),
    "operations": (r'(reg_cr|vec_reduce)_inst_op"', 30000, [
        ("X(i)=max(j,B(i,j))", "i,j", LARGEST, ["--fill", f"B:{LEAST}"]),
        ("X(i)=min(j,B(i,j))", "i,j", SMALLEST, ["--fill", f"B:{MOST}"]),
        ("X(i)=max(j,B(i,j))", "j,i", LARGEST, ["--fill", f"B:{LEAST}"]),
        ("X(i)=max(j,B(i,j))", "i,j", lambda operands, stored: operands[0].max(axis=1), []),
        ("X(i)=or(j,B(i,j)&C(i,j))", "i,j", lambda operands, stored: numpy.bitwise_or.reduce(operands[0] & operands[1], axis=1), [])]),
    "regions": ('"region_join"', 99, [
        ("X(i,j)=mask(not struct(C(j)),B(i,j))", "i,j", lambda operands, stored: numpy.where(stored[0], 0, operands[1]), []),
        ("X(i,j)=(B(i,j)^C(i,j))&D(i,j)", "i,j", lambda operands, stored: (operands[0] ^ operands[1]) & operands[2], [])]),
    # Integers below 256, which bfloat16 has exactly, whatever the order of the sum.
    "bf16": (r'(reg_cr|vec_reduce)_inst_bf16"', 3, [
        ("X(i)=B(i,j)*C(j)", "i,j", product("ij,j->i"), ["--dtype", "bf16"]),
        ("X(i,j)=B(i,k)*C(k,j)", "i,j,k", product("ik,kj->ij"), ["--dtype", "bf16"]),
        ("X(i,j)=B(i,k)*C(k,j)", "i,k,j", product("ik,kj->ij"), ["--dtype", "bf16"]),
        ("X(i,j)=B(i,j)*C(i,k)*D(k,j)", "i,j,k", lambda operands, stored: operands[0] * (operands[1] @ operands[2]), ["--dtype", "bf16"])]),
}
SIGN, LARGE, KERNELS = KINDS[KIND]
kept = behaviour.watch(__file__, ONYX, FOLDER)
shares, modes = quota.Quota(), set()


def write(path, tensor, zeros, draw):
    """A file of the stored entries, of which some are zero."""
    entries = [(at, value) for at, value in numpy.ndenumerate(tensor) if value] + [(at, 0) for at in zeros]
    draw.shuffle(entries)
    path.write_text("".join(" ".join(str(c + 1) for c in at) + f" {value}\n" for at, value in entries))


def read(path, shape, fill):
    """A Matrix Market or FROSTT file; elsewhere there is the fill."""
    out = numpy.full(shape, fill, dtype=numpy.int64)
    lines = [line.split() for line in path.read_text().splitlines() if line and line[0] not in "%#"]
    for *at, value in lines[path.suffix == ".mtx":]:
        out[tuple(int(c) - 1 for c in at[:len(shape)])] = int(float(value))
    return out


def case(seed, told):
    draw, values = random.Random(seed), numpy.random.default_rng(seed)
    full = draw.random() < 0.9  # else operands may be empty
    expression, order, wanted, options = draw.choice(KERNELS)
    extent = {v: draw.choice([1, 2, 5, 9] if KIND == "bf16" else [1, 2, 5, 9, 17, 33]) for v in "hijkl"}
    tensors = [(name, index.split(",")) for name, index in re.findall(r"\b([A-Z])\(([\w,]+)\)", expression)]
    command, operands, stored = [ONYX, "run", expression, "-s", f"reorder({order})", *([] if "--dtype" in options else ["--dtype", "int16"]), *options], [], []
    for name, index in tensors[1:]:
        shape = tuple(extent[v] for v in index)
        density = draw.choice([0.2, 0.3, 0.5, 1] if full else [0, 0.05, 0.2]) / (2 if len(shape) == 3 else 1)
        tensor = values.integers(-LARGE, LARGE + 1, shape) * (values.random(shape) < density)
        corner = tuple(n - 1 for n in shape)  # says how large the tensor is
        zeros = [at for at in numpy.ndindex(shape) if not tensor[at] and (at == corner or draw.random() < 0.02)]
        file = FOLDER / f"{name}.tns"
        write(file, tensor, zeros, draw)
        command += ["-i", f"{name}:{file}"]
        operands.append(tensor)
        stored.append(tensor != 0)
        for at in zeros:
            stored[-1][at] = True
    loops = set(order.split(","))
    tile = draw.choice([t for t in ("8", "16", "32", "i:64,j:16", "i:4,j:32", "k:3,i:32,j:32") if set(re.findall("[a-z]", t)) <= loops])
    command += ["--tile", tile, "--profile", "onyx-ext", "--hazards", "off"]
    want = (wanted(operands, stored).astype(numpy.int64) + 32768) % 65536 - 32768
    for engine in ("cycle", "rtl", "soc"):
        out = FOLDER / "out"
        subprocess.run(["rm", "-rf", str(out)], check=True)
        ran = subprocess.run([*command, "--engine", engine, "-o", str(out)], capture_output=True, text=True, check=False)
        if ran.returncode == 2 or (ran.returncode == 1 and engine == "cycle"):
            codes = re.findall(r"\[(E\d+)-", ran.stderr)
            shares.add(False)
            told["refused " + (codes[-1] if codes else ran.stderr[-200:])] += 1
            return True
        files = list(out.glob("X.mtx")) + list(out.glob("X.tns"))
        fill = json.loads((out / "report.json").read_text()).get("fill", 0) if files else 0
        if ran.returncode or not files or not numpy.array_equal(read(files[0], want.shape, fill), want):
            print(f"seed {seed}, {engine}: {' '.join(command)}\n{ran.stdout}{ran.stderr}")
            return False
    shares.add(True, quota.is_trivial([0, *want.flat]))
    netlists = [file.read_text() for file in out.rglob("netlist.json")]
    modes.update(mode for text in netlists for mode in re.findall(r'"mode":\s*"(\w+)"', text))
    used = any(re.search(SIGN, text) for text in netlists)
    told[f"right, with {KIND}" if used else "right, without"] += 1
    return True


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    told = collections.Counter()
    good = all(case(SEED * 1000003 + n, told) for n in range(CASES))
    print(", ".join(f"{count} {what}" for what, count in sorted(told.items())))
    print("modes:", *sorted(modes))  # of tiles in the netlists: tests/maturity credits these
    sys.exit(kept.count_wrong() or not good or shares.failed() or not told[f"right, with {KIND}"])


main()
