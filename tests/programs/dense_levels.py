#!/usr/bin/env python3
"""Which compressed tensors of loops have dense levels, and why not: dense_levels.py ONYX FOLDER. Each row is a program for engine soc with the decision about each tensor, by --explain: a row for
every reason of docs/programs.md, and rows that are run, since infinite values and reductions by max and min had wrong results in dense levels, and statements of
several kernels that the host computes waited in lists."""
import pathlib
import re
import subprocess
import sys

from checked import expect, wrong

onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
A = "tensor A: ss = {(0,0): 1, (1,0): -3, (1,3): 1, (2,1): 2, (3,2): 1, (4,1): 5, (5,4): 1, (5,5): 1}\n"
XY = "tensor x(6): s = {0: 2, 3: 1}\ntensor y(6): s\n"
LINES = "tensor A: ds = random \"20x20:0.1:1031\"\n"  # some columns without entries
Y = "y(i) = A(i,j) * x(j)\n "
BF16, EXTENDED, LIBRARY = ["--dtype", "bf16"], ["--profile", "onyx-ext"], ["--functions", "library"]
COORDINATES, INFINITE = "its stored coordinates are asked for", "a statement of it reads an infinite value of bf16"
# name, tensors, body of the loop, options, what is decided: each tensor that a loop assigns is dense, "", or why not; and whether the program is run
ROWS = [
    ("taken", A + XY, Y + "x(i) = max(x(i), y(i) + 1)", [], {"x": "", "y": ""}, False),
    ("swapped", A + XY, Y + "swap x, y", [], {"y": ""}, True),
    ("format", A + "tensor x(6,6): COO\ntensor y(6,6): ss = {(0,1): 1}\n", "x(i,j) = y(i,j) + A(i,j)\n y(i,j) = x(i,j) + A(i,j)", [], {"x": "its format or its place is stated", "y": "dense levels are expected to take longer"}, False),
    ("schedule", A + XY, Y + "x(i) = y(i)", ["-s", "y: reorder(j,i)"], {"x": "a schedule is for a statement of it", "y": "a schedule is for a statement of it"}, False),
    ("protocol", A + XY, "y(i) = A(i,j) * x(j::follow)\n x(i) = y(i)", [], {"x": "a protocol is stated", "y": "a protocol is stated"}, False),
    ("gathered", A.replace("-3", "3") + XY + "tensor b(20): d = {0: 1, 2: 1}\n", Y + "x(i) = b(y(i))", [], {"x": "", "y": "its values gather, and are looked at"}, False),
    ("beside", A + XY, Y + "x(i) = mask(struct(y(i)), y(i) + 1)", [], {"x": "", "y": COORDINATES + " beside its values"}, False),
    ("matrix", A + "tensor x(6,6): ss = {(0,1): 1}\ntensor y(6,6): ss\n", "y(i,j) = x(i,j) + A(i,j)\n x(i,j) = mask(struct(y(i,j)), A(i,j))", [],
     {"x": "dense levels are expected to take longer", "y": COORDINATES}, False),
    ("fill", A + "tensor x(6): s fill 3 = {0: 2, 3: 1}\ntensor y(6): s fill 3\n", "y(i) = min(x(i), 2)\n x(i) = mask(struct(y(i)), 2)", [], {"x": "", "y": COORDINATES}, False),
    ("function", A + XY, Y + "x(i) = m3_argmax(j, A(i,j) * y(j))", LIBRARY, dict.fromkeys("xy", "a function may ask for more than values"), False),
    ("quotient", A + XY, Y + "x(i) = y(i) / 2", BF16, dict.fromkeys("xy", "a quotient of bf16 depends on which zeros are stored"), False),
    ("infinite", A.replace("-3", "inf") + XY, Y + "x(i) = y(i) * 0.5", BF16, {"x": INFINITE, "y": INFINITE}, True),
    ("grown", A + XY, Y + "x(i) = y(i) * 100000000000000000000", BF16, {"x": INFINITE, "y": INFINITE}, True),
    ("infinite_fill", A + "tensor x(6): s fill inf = {0: 2, 3: 1}\ntensor y(6): s fill inf\n", "y(i) = min(j, mask(A(i,j), x(j)))\n x(i) = min(x(i), y(i) + 1)", BF16,
     {"x": INFINITE, "y": INFINITE}, False),
    ("finite", A + XY, Y + "x(i) = y(i) * 0.5", BF16, {"x": "", "y": ""}, True),
    ("kernels", "tensor x(6): s = {0: 2, 3: 1}\ntensor v(6): s = {4: 1}\ntensor w(6): s fill 3 = {5: 0}\n", "x(i) = relu(x(i))\n x(i) = ifelse(w(i) > 1, v(i), x(i))", BF16 + EXTENDED,
     {"x": "the array refuses dense levels"}, True),
    ("max", LINES + "tensor x(20): s = {11: 0}\n", "x(j) = max(i, A(i,j) * x(i))", EXTENDED, {"x": ""}, True),
    ("min", LINES + "tensor x(20): s = {11: 0}\n", "x(j) = min(i, A(i,j) * x(i))", EXTENDED, {"x": ""}, True),
]
for name, tensors, body, options, want, runs in ROWS:
    path = folder / f"{name}.onx"
    path.write_text(f"{tensors}repeat 3 {{\n {body}\n}}\nresult {'x, y' if 'tensor y' in tensors else 'x'}\n")
    typed = options if "--dtype" in options else ["--dtype", "int16", *options]
    done = subprocess.run([onyx, *(["run", str(path), "--engine", "soc"] if runs else ["compile", str(path)]), "--effort", "1", "--explain", *typed, "-o", str(folder / name)], capture_output=True, text=True, check=False)
    expect(f"{name} ends", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
    got = re.findall(r"^  (dense |sparse) +(\w+) of line \d+:? ?([^;\n]*)", done.stdout, re.M)
    expect(name, {tensor: why if how == "sparse" else "" for how, tensor, why in got}, want)
print(f"{len(ROWS)} programs")
sys.exit(bool(wrong))
