#!/usr/bin/env python3
"""Semirings of two names on random products against plain Python: semirings.py ONYX FOLDER CASES SEED [ENGINE].

A product has a value where both sides are stored; what is absent is the identity of the addition. Every third case is
a statement of a program, whose operands have fill 0 or the identity.
"""
import itertools
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

ADD = {"plus": (lambda a, b: a + b, 0), "times": (lambda a, b: a * b, 1), "min": (min, 32767), "any": (min, 32767),
       "max": (max, -32768), "lor": (lambda a, b: int(a or b), 0), "land": (lambda a, b: int(a and b), 1),
       "bor": (lambda a, b: a | b, 0), "band": (lambda a, b: a & b, -1), "bxor": (lambda a, b: a ^ b, 0)}
MULTIPLY = {"times": lambda a, b: a * b, "plus": lambda a, b: a + b, "minus": lambda a, b: a - b,
            "rminus": lambda a, b: b - a, "min": min, "max": max, "first": lambda a, b: a, "second": lambda a, b: b,
            "pair": lambda a, b: 1, "oneb": lambda a, b: 1, "land": lambda a, b: int(bool(a and b)),
            "lor": lambda a, b: int(bool(a or b)), "iseq": lambda a, b: int(a == b), "isne": lambda a, b: int(a != b),
            "islt": lambda a, b: int(a < b), "isle": lambda a, b: int(a <= b), "isgt": lambda a, b: int(a > b),
            "isge": lambda a, b: int(a >= b), "band": lambda a, b: a & b, "bor": lambda a, b: a | b,
            "bxor": lambda a, b: a ^ b}

POSITIONS = {"firsti": lambda i, k, j: i, "firstj": lambda i, k, j: k, "secondi": lambda i, k, j: k,
             "secondj": lambda i, k, j: j, "firsti1": lambda i, k, j: i + 1, "firstj1": lambda i, k, j: k + 1,
             "secondi1": lambda i, k, j: k + 1, "secondj1": lambda i, k, j: j + 1}


def wrapped(value):
    return (value + 32768) % 65536 - 32768


def matrix(r, rows, columns):
    return {(i, j): r.randint(-4, 5) for i in range(rows) for j in range(columns) if r.random() < 0.5}


def write(path, entries, rows, columns):
    lines = [f"{i + 1} {j + 1} {v}" for (i, j), v in sorted(entries.items())]
    header = ["%%MatrixMarket matrix coordinate integer general", f"{rows} {columns} {len(lines)}"]
    path.write_text("\n".join(header + lines) + "\n")


def value_at(A, B, i, j, inner, plus, times):
    add, absent = ADD[plus]
    both = [k for k in range(inner) if (i, k) in A and (k, j) in B]
    products = [POSITIONS[times](i, k, j) if times in POSITIONS else MULTIPLY[times](A[i, k], B[k, j]) for k in both]
    value = absent
    for product in products:
        value = add(value, int(bool(product)) if plus in ("lor", "land") else product)
    return wrapped(value), bool(products)


def read(path):
    lines = path.read_text().split("\n")
    fill = next((int(float(line.split()[2].strip(":"))) for line in lines if line.startswith("% fill")), 0)
    rows = [line.split() for line in lines if line and not line.startswith("%")][1:]
    return fill, {(int(i) - 1, int(j) - 1): int(v) for i, j, v in rows}


def run(onyx, folder, r, plus, times, engine):
    """What is wrong, and whether any product has a value."""
    rows, inner, columns = (r.randint(2, 5) for _ in range(3))
    A, B = matrix(r, rows, inner), matrix(r, inner, columns)
    write(folder / "A.mtx", A, rows, inner)
    write(folder / "B.mtx", B, inner, columns)
    name, product = f"{plus}{r.choice('_,')}{times}", "X(i,j) = A(i,k) * B(k,j)"
    fills = [r.choice(["", f" fill {ADD[plus][1]}"]) for _ in range(2)]
    (folder / "in.onx").write_text(f'tensor A: ss{fills[0]} = "A.mtx"\ntensor B: ss{fills[1]} = "B.mtx"\n'
                                   f"Y(i,j) = A(i,k) * B(k,j) semiring any_pair\n{product} semiring {name}\n")
    what = ["in.onx"] if r.random() < 1 / 3 else [product, "--semiring", name, "-i", "A:A.mtx", "-i", "B:B.mtx"]
    command = [onyx, "run", *what, "--dtype", "int16", "--engine", engine, "-o", "out", "--quiet"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return done.stderr, True
    fill, got = read(folder / "out/X.mtx")
    want = {(i, j): value_at(A, B, i, j, inner, plus, times) for i in range(rows) for j in range(columns)}
    wrong = {at: (got.get(at, fill), value) for at, (value, _) in want.items() if got.get(at, fill) != value}
    return f"{what} {fills} {wrong}" if wrong else "", any(some for _, some in want.values())


def main(onyx, folder, cases, seed, engine="sam"):
    folder, r = pathlib.Path(folder), random.Random(int(seed))
    folder.mkdir(parents=True, exist_ok=True)
    names = list(itertools.product(ADD, [*MULTIPLY, *POSITIONS]))
    r.shuffle(names)
    bad, shares = 0, quota.Quota()
    for plus, times in itertools.islice(itertools.cycle(names), int(cases)):
        wrong, some = run(onyx, folder, r, plus, times, engine)
        shares.add(trivial=not some)
        bad += bool(wrong)
        if wrong:
            print(plus, times, wrong)
    print(f"{cases} semirings, {bad} wrong")
    return bad != 0 or shares.failed()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
