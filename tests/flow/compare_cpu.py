"""--compare-cpu against NumPy: compare_cpu.py ONYX

A compiler that stands in for `cc` keeps what the generated program computes, which must be what NumPy makes of the operands by einsum, with
values that wrap; one in EVERY of the runs where that is set. Operands are random, one of them empty, or all full; formats are dense and compressed, in several orders of modes. Then: a program that is
changed on the way is found out; without a compiler, and where there is no C for an expression, a note says so and nothing else happens.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from quota import Quota, is_trivial  # noqa: E402

EXTENT = {"i": 7, "j": 11, "k": 5, "l": 6}
# Expression; its value in NumPy; formats: each row one run.
KERNELS = [
    ("x(i) = B(i,j) * c(j)", lambda B, c: B @ c, ["x:d B:ds c:d", "x:s B:ss c:s", "x:d B:ss:1,0 c:s", "x:s B:ds:1,0 c:d", "x:d B:dd c:s", "x:s B:sd c:d"]),
    ("X(i,j) = B(i,k) * C(k,j)", lambda B, C: B @ C, ["X:ss B:ss C:ss", "X:dd B:ds C:ds", "X:ss B:ss C:ss:1,0", "X:ds B:dd C:ss", "X:ss:1,0 B:ds:1,0 C:sd"]),
    ("X(i,j) = B(i,j) * C(i,k) * D(j,k)", lambda B, C, D: B * (C @ D.T), ["X:ss B:ss C:dd D:dd", "X:dd B:ds C:ss D:ss", "X:ss B:ss:1,0 C:ss D:dd"]),
    ("x(i) = b(i) + c(i)", lambda b, c: b + c, ["x:s b:s c:s", "x:d b:d c:s"]),
    ("x(i) = b(i) * c(i)", lambda b, c: b * c, ["x:s b:s c:s", "x:s b:d c:s"]),
    ("x(i) = 3 * b(i) - c(i) * 2", lambda b, c: 3 * b - 2 * c, ["x:s b:s c:s"]),
    ("X(i,j) = B(i,j) + C(i,j)", lambda B, C: B + C, ["X:ss B:ss C:ss", "X:dd B:ds C:ss", "X:ss B:ss:1,0 C:ss:1,0"]),
    ("X(i,j) = B(i,j) * C(i,j)", lambda B, C: B * C, ["X:ss B:ss C:ss", "X:ss B:ds C:dd"]),
    ("X(i,j,k) = B(i,j,k) + C(i,j,k) - D(i,j,k)", lambda B, C, D: B + C - D, ["X:sss B:sss C:sss D:sss", "X:ddd B:dds C:sss D:ddd"]),
    ("X(i,j,k) = B(i,j,k) * C(i,j,k)", lambda B, C: B * C, ["X:sss B:sss C:sss", "X:sss B:sds C:dss"]),
    ("X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", lambda B, C, D: numpy.einsum("ikl,jk,jl->ij", B, C, D), ["X:ss B:sss C:ss D:ss", "X:dd B:sss C:dd D:dd", "X:dd B:dss C:ds:1,0 D:ss"]),
    ("X(i,j) = B(i,j,k) * c(k)", lambda B, c: B @ c, ["X:ss B:sss c:s", "X:dd B:dss c:d"]),
    ("x = b(i) * c(i)", lambda b, c: b @ c, ["b:s c:s", "b:d c:s"]),
    ("x = B(i,j,k) * C(i,j,k)", lambda B, C: (B * C).sum(), ["B:sss C:sss"]),
    ("x(i) = b(i) - C(i,j) * d(j)", lambda b, C, d: b - C @ d, ["x:s b:s C:ss d:s", "x:d b:d C:ds d:d"]),
    ("x(i) = B(i,j)", lambda B: B.sum(1), ["x:s B:ss", "x:d B:ds"]),
    ("x(j) = B(i,j)", lambda B: B.sum(0), ["x:s B:ss", "x:d B:ds"]),
    ("X(i,j) = B(i,j) * C(i,j) + D(i,j)", lambda B, C, D: B * C + D, ["X:ss B:ss C:ss D:ss"]),
]
TENSORS = "bcdBCD"


def operands(expression, how, seed, folder):
    """Writes .tns files; returns name to array, and the options that read them."""
    random, arrays, options = numpy.random.default_rng(seed), {}, []
    for piece in expression.split("=")[1].replace("(", " ").replace(")", " ").split():
        if piece in TENSORS:
            name = piece
        elif piece[0] in EXTENT:
            shape = tuple(EXTENT[v] for v in piece.split(","))
            density = {"random": 0.3, "empty": 0 if name.lower() == "c" else 0.3, "full": 1}[how]
            arrays[name] = random.integers(-300, 300, shape) * (random.random(shape) < density)
            if how == "full":
                arrays[name] = random.integers(1, 300, shape)
            path = folder / f"{name}.tns"
            path.write_text("".join(f"{' '.join(str(c + 1) for c in at)} {arrays[name][tuple(at)]}\n" for at in numpy.argwhere(arrays[name])))
            options += ["-i", f"{name}:{path}"]
    return arrays, options


def compiler(folder, change=""):
    """A `cc` whose programs keep their result beside it, and the C; `change` is a command of sed for the C."""
    (folder / "bin").mkdir(exist_ok=True)
    cc = folder / "bin/cc"
    cc.write_text(f"""#!/bin/bash
[ "$1" = --version ] && exit 0
code="${{@: -1}}"
while [ $# -gt 0 ]; do [ "$1" = -o ] && to="$2"; shift; done
cp "$code" {folder}/cpu.c
sed -i '{change}' "$code"
{REAL} -std=gnu11 -Wall -Werror -Wno-unused -O0 -fsanitize=address,undefined -fno-sanitize-recover=all -o "$to.real" "$code" || exit 1
printf '#!/bin/sh\\nulimit -Sv "$(ulimit -Hv)"\\n"%s.real" "$1" "$2" || exit 1\\ncp "$2" {folder}/result\\n' "$to" >"$to"
chmod +x "$to"
""")
    cc.chmod(0o755)


def run(arguments, path=None):
    surroundings = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **({"PATH": path} if path else {})}
    stated = [] if "--dtype" in arguments else ["--dtype", "int16"]
    command = [ONYX, "run", *arguments, *stated, "--compare-cpu"]
    return subprocess.run(command, env=surroundings, capture_output=True, text=True)


def computed(folder, expression, loops):
    """The array that the program wrote, in the order of the expression's indices."""
    left = expression.split("=")[0]
    indices = left[left.index("(") + 1:left.index(")")].split(",") if "(" in left else []
    order = [v for v in loops.split(",") if v in indices]
    out = numpy.zeros([EXTENT[v] for v in order], int)
    data = (folder / "result").read_bytes()
    if "DENSE = 1" in (folder / "cpu.c").read_text():
        out = numpy.frombuffer(data, numpy.int16).reshape(out.shape).astype(int)
    else:
        entries = numpy.frombuffer(data, [("at", "<u4", (len(order),)), ("value", "<i2")])
        ats = [tuple(e) for e in entries["at"].tolist()]
        assert ats == sorted(set(ats)), "entries in their order, each once"
        for at, value in zip(ats, entries["value"].tolist()):
            out[at] = value
    return out.transpose([order.index(v) for v in indices])


def check_kernels(folder):
    compiler(folder)
    count, shares = 0, Quota()
    path = f"{folder}/bin:{os.environ['PATH']}"
    for expression, value, formats in KERNELS:
        for row, text in enumerate(formats):
            for seed, how in enumerate(("random", "empty", "full") if row == 0 else ("random",)):
                count += 1
                if count % int(os.environ.get("EVERY", "1")):
                    continue
                arrays, options = operands(expression, how, 10 * row + seed, folder)
                for one in text.split():
                    options += ["-f", one]
                for index in sorted({c for c in expression if c in EXTENT}):
                    options += ["-d", f"{index}:{EXTENT[index]}"]
                ran = run([expression, *options, "--engine", "sam", "-o", f"{folder}/out"], path)
                what = f"{expression} {text} {how}"
                assert ran.returncode == 0 and "a CPU core took" in ran.stdout, f"{what}\n{ran.stdout}{ran.stderr}"
                report = json.loads((folder / "out/report.json").read_text())
                assert report["cpu"]["us"] > 0 and "speedup" not in report["cpu"], what
                want = numpy.asarray(value(*arrays.values())).astype(numpy.int16)
                got = computed(folder, expression, report["cpu"]["loops"])
                shares.add(trivial=is_trivial([0] * (not want.ndim) + want.ravel().tolist()))
                assert (got == want).all(), f"{what}\n{got}\n{want}\n{(folder / 'cpu.c').read_text()}"
    assert not shares.failed()


ONYX, REAL = sys.argv[1], "/usr/bin/cc"
SPMV = ["x(i) = B(i,j) * c(j)", "-g", "B:20x20:0.2", "-g", "c:20:0.5"]
REFUSED = (
    (1, "there are fills, or operations besides + - * /", "x(i) = max(b(i), c(i))", "-g", "b:9:0.5", "-g", "c:9:0.5"),
    (8, "an operand has an index twice", "x(i) = B(i,i)", "-g", "B:9x9:0.5"),
    (1, "", *SPMV, "--dtype", "bf16"),
    (57, "it has more than 6 index variables", "x(i) = B(i,j) * C(j,k) * D(k,l) * E(l,m) * F(m,n) * G(n,o)",
     *(word for t in "BCDEFG" for word in ("-g", f"{t}:3x3:1"))),
    (120, "it reads more than 16 operands", "x(i) = " + " + ".join(["b(i) * b(i)"] * 12), "-g", "b:9:0.5"),
    (8, "a level of an operand is neither dense nor compressed", "x(i) = B(i,j) * c(j)", "-f", "B:uc", "-g", "B:9x9:0.5", "-g", "c:9:0.5"))
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    check_kernels(folder)

    compiler(folder, "s/ += (V)(/ -= (V)(/")
    ran = run([*SPMV, "--engine", "sam", "-o", f"{folder}/out"], f"{folder}/bin:{os.environ['PATH']}")
    assert ran.returncode == 3 and "E0340-mismatch" in ran.stderr and "--compare-cpu computed" in ran.stderr, ran.stderr

    compiler(folder, "1i no C")
    ran = run([*SPMV, "--engine", "sam", "-o", f"{folder}/out"], f"{folder}/bin:{os.environ['PATH']}")
    assert ran.returncode == 1 and "E0930-tool" in ran.stderr, ran.stderr

    ran = run([*SPMV, "--engine", "sam", "-o", f"{folder}/out"], f"{folder}/nothing")
    assert ran.returncode == 0 and "no C compiler" in ran.stderr and "CPU core" not in ran.stdout, ran.stderr
    assert "no C compiler" in json.loads((folder / "out/report.json").read_text())["cpu"]["why"]

    for place, why, *refused in REFUSED:
        ran = run([*refused, "--engine", "sam", "-o", f"{folder}/out"])
        assert ran.returncode == 0 and f"<expression>:1:{place}: note: --compare-cpu measures nothing: {why}" in ran.stderr, ran.stderr

    # The chip beside it: the configuration is counted, and so many runs pay for it.
    ran = run([*SPMV, "--engine", "soc", "-o", f"{folder}/out"])
    report = json.loads((folder / "out/report.json").read_text())
    cpu, clock = report["cpu"], report["fmax_mhz"]
    assert abs(cpu["speedup"] * report["time_us"] - cpu["us"]) < 1e-6 * cpu["us"], cpu
    saved = cpu["us"] - (report["time_us"] - report["cycles"]["config"] / clock)
    assert (cpu["pays_from_runs"] > 0) == (saved > 0), cpu
    assert f"a CPU core took {cpu['us']:.2f} us in the order {cpu['loops']}, the chip {report['time_us']:.2f}" in ran.stdout, ran.stdout
print("as NumPy computes it")
