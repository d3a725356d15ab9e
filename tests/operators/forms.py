#!/usr/bin/env python3
"""Statements that the compiler computes in another form than they are written in, on random operands against NumPy: squares of differences, factors
beside operations over unions, sums beside what is added to them, matrices that are scaled, loops that are fused, constants in functions, operands that are dense together. forms.py ONYX FOLDER COUNT SEED ENGINE"""
import pathlib
import subprocess
import sys

import numpy as np
from random_operators import behaviour, quota, read, write

onyx, folder, count, seed, engine = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
kept = behaviour.watch(__file__, onyx, folder)
SIZES = {"i": (2, 6, 11, 25), "j": (3, 6, 14), "k": (2, 5, 9)}  # of one in eight cases all are 1


def wrap(a):
    return (np.asarray(a, np.int64) + 32768) % 65536 - 32768


def relu(a):
    return np.maximum(a, 0)


def quotient(a, b):
    return np.where(b == 0, 0, np.trunc(a / np.where(b == 0, 1, b)))


# Expression, its operands with their indices, and its value of arrays: an axis of each array is an index, where it has that.
UNIONS = {"abs({0} - {1})": lambda a, b: abs(wrap(a - b)), "max({0}, {1})": np.maximum, "min({0}, {1})": np.minimum, "relu({0} + {1})": lambda a, b: relu(wrap(a + b))}
FORMS = [
    ("X(i,k) = sum(j, (A(i,j) - C(k,j)) * (A(i,j) - C(k,j)))", {"A": "ij", "C": "kj"}, lambda A, C: (wrap(A[:, None] - C[None]) ** 2).sum(2)),
    ("X(i) = b(i) + sum(j, (A(i,j) - y(j)) * (A(i,j) - y(j)))", {"A": "ij", "y": "j", "b": "i"}, lambda A, y, b: b + (wrap(A - y) ** 2).sum(1)),
    ("X(i,j) = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j))", {"A": "ij", "B": "ij"}, lambda A, B: wrap(A - B) ** 2),
    ("X(i,j) = mask(A(i,j), (x(i) - y(j)) * (x(i) - y(j)))", {"A": "ij", "x": "i", "y": "j"}, lambda A, x, y: np.where(A != 0, wrap(x[:, None] - y) ** 2, 0)),
    ("X(i,k) = relu(A(i,j) * H(j,k) + c(k))", {"A": "ij", "H": "jk", "c": "k"}, lambda A, H, c: relu(wrap(A @ H + c))),
    ("X(i,k) = A(i,j) * H(j,k) + C(i,k)", {"A": "ij", "H": "jk", "C": "ik"}, lambda A, H, C: A @ H + C),
    ("X(i,k) = x(i) * A(i,j) * y(j) * H(j,k)", {"A": "ij", "H": "jk", "x": "i", "y": "j"}, lambda A, H, x, y: (x[:, None] * A * y) @ H),
    ("X(i) = (b(i) - A(i,j) * y(j)) / d(i)", {"A": "ij", "y": "j", "b": "i", "d": "i"},
     lambda A, y, b, d: quotient(wrap(b - A @ y), d)),
    ("X(i,j) = A(i,j) / (x(i) * y(j))", {"A": "ij", "x": "i", "y": "j"}, lambda A, x, y: quotient(A, wrap(x[:, None] * y))),
    ("X(i,j) = (x(i) + y(j)) / A(i,j)", {"A": "ij", "x": "i", "y": "j"}, lambda A, x, y: quotient(wrap(x[:, None] + y), A)),
    ("X(i,k) = A(i,k) / sum(j, B(i,j) * H(j,k))", {"A": "ik", "B": "ij", "H": "jk"}, lambda A, B, H: quotient(A, wrap(B @ H))),
    ("X(i,j) = A(i,j) % (x(i) - B(i,j))", {"A": "ij", "B": "ij", "x": "i"}, lambda A, B, x: A - wrap(x[:, None] - B) * quotient(A, wrap(x[:, None] - B)).astype(int)),
    ("X(i,j) = (A(i,j) + B(i,j)) * (C(i,j) - D(j,i))", {"A": "ij", "B": "ij", "C": "ij", "D": "ji"}, lambda A, B, C, D: (A + B) * (C - D.T)),
    ("X(i,j,k) = A(i,j,k) * B(k,j,i)", {"A": "ijk", "B": "kji"}, lambda A, B: A * B.transpose(2, 1, 0)),
    ("X(i,j,l) = A(i,j,k) * H(k,l)", {"A": "ijk", "H": "kl"}, lambda A, H: A @ H),
    ("X = A(i,j) * B(i,j)", {"A": "ij", "B": "ij"}, lambda A, B: (A * B).sum()),
    ("X(i,j) = relu(abs(A(i,j) - 2) - 3)", {"A": "ij"}, lambda A: relu(wrap(abs(wrap(A - 2)) - 3))),
    ("X(i,j) = mask(A(i,j) - 3 > 0, abs(B(i,j) - 2) - 2)", {"A": "ij", "B": "ij"}, lambda A, B: np.where(A > 3, abs(wrap(B - 2)) - 2, 0)),
    ("X(i) = sum(j, relu(A(i,j) - 2) * y(j))", {"A": "ij", "y": "j"}, lambda A, y: relu(wrap(A - 2)) @ y),
    ("X(i) = A(i,j) * (x(j) + z(j))", {"A": "ij", "x": "j", "z": "j"}, lambda A, x, z: A @ (x + z)),
    ("X(i,k) = A(i,k) * B(i,j) * H(j,k)", {"A": "ik", "B": "ij", "H": "jk"}, lambda A, B, H: A * (B @ H)),
    ("X(i,k) = mask(A(i,k), B(i,j) * H(j,k))", {"A": "ik", "B": "ij", "H": "jk"}, lambda A, B, H: np.where(A != 0, B @ H, 0)),
    ("X(i,k) = or(j, A(i,j) && H(j,k))", {"A": "ij", "H": "jk"}, lambda A, H: ((A != 0).astype(int) @ (H != 0)) > 0),
    ("X(i,k) = sum(j, relu(A(i,j)) * H(j,k) * (C(i,k) > 2))", {"A": "ij", "H": "jk", "C": "ik"}, lambda A, H, C: (relu(A) @ H) * (C > 2)),
    ("X(i,j) = mask(not A(i,j), B(i,j) + C(i,j))", {"A": "ij", "B": "ij", "C": "ij"}, lambda A, B, C: np.where(A == 0, B + C, 0)),
    ("X(i,l) = A(i,j,k) * B(j,l) * H(k,l)", {"A": "ijk", "B": "jl", "H": "kl"}, lambda A, B, H: np.einsum("ijk,jl,kl->il", A, B, H)),
]
for call, of in UNIONS.items():
    FORMS += [
        (f"X(i,j) = A(i,j) * {call.format('x(i)', 'y(j)')}", {"A": "ij", "x": "i", "y": "j"}, lambda A, x, y, of=of: A * of(x[:, None], y)),
        (f"X(i) = sum(j, A(i,j) * z(j) * {call.format('x(i)', 'y(j)')})", {"A": "ij", "z": "j", "x": "i", "y": "j"}, lambda A, z, x, y, of=of: (A * z * of(x[:, None], y)).sum(1)),
        (f"X(i,j) = D(i,j) - C(i,j) * {call.format('A(i,j)', 'B(i,j)')}", {"A": "ij", "B": "ij", "C": "ij", "D": "ij"}, lambda A, B, C, D, of=of: D - C * of(A, B)),
    ]
folder.mkdir(parents=True, exist_ok=True)
bad, shares = 0, quota.Quota()
for case in range(count):
    random = np.random.default_rng(seed + case)
    expression, operands, value = FORMS[case % len(FORMS)]
    extent = {index: int(random.choice(sizes)) if case % 8 else 1 for index, sizes in {**SIZES, "l": (4, 7)}.items()}
    most = 300 if random.random() < 0.3 else 9
    arrays, arguments = {}, []
    for name, indices in operands.items():
        shape = tuple(extent[index] for index in indices)
        arrays[name] = (random.random(shape) < random.choice([0.05, 0.3, 0.7, 0.9, 1], p=[0.05, 0.15, 0.3, 0.3, 0.2])) * random.integers(-most, most + 1, shape)
        cells = {tuple(int(c) for c in at): int(arrays[name][tuple(at)]) for at in np.argwhere(arrays[name])}
        cells.setdefault(tuple(int(random.integers(n)) for n in shape), 0)  # a stored zero
        cells = {at: v if v else int(arrays[name][at]) for at, v in cells.items()}
        arguments += ["-i", f"{name}:{write(folder / f'{name}{case}', list(shape), cells)}"]
        if random.random() < 0.3:
            arguments += ["-f", f"{name}:{''.join(random.choice(['s', 'd'], len(indices)))}"]
    arguments += [word for index in sorted(set("".join(operands.values()))) for word in ("-d", f"{index}:{extent[index]}")]
    want = wrap(value(**arrays))
    shares.add(trivial=quota.is_trivial([0] * (not want.ndim) + want.ravel().tolist()))
    run = subprocess.run([onyx, "run", expression, "--dtype", "int16", "--engine", engine, "--effort", "1", "-o", folder / "out", "--quiet", *arguments], capture_output=True, text=True)
    got = np.zeros(want.shape, np.int64)
    if run.returncode == 0:
        for at, v in read(folder / "out" / ("X.tns" if want.ndim > 2 else "X.mtx"), want.ndim).items():
            got[at] = v
    if run.returncode or not np.array_equal(got, want):
        bad += 1
        print(f"case {case}: exit {run.returncode}: {expression} {' '.join(map(str, arguments))}\n{run.stderr}")
print(f"{count} cases, {bad} wrong")
sys.exit(bad + kept.count_wrong() != 0 or shares.failed())
