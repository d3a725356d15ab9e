#!/usr/bin/env python3
"""Random programs whose loops the chip's processor may go through by itself: random_lists.py ONYX FOLDER COUNT SEED. In turn dense vectors,
compressed ones, compressed matrices that change, statements of several kernels, and bf16; empty operands and explicit zeros among them, masks, scalars that change and statements that read what
was there before all of them, in a loop whose end may depend on how many values one has, or on a scalar; on engine soc, where onyx holds each against its
evaluator and the cycle model, and here against engine sam, or cycle, whose sums of bf16 have the same order. Ends with 1 where one is wrong."""
import json
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import quota  # noqa: E402

onyx, folder, count, seed = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
kept = behaviour.watch(__file__, onyx, folder)
folder.mkdir(parents=True, exist_ok=True)
VECTORS = "uvw"
SHAPES = ["{r}(i) = A(i,j) * {a}(j)", "{r}(i) = {b}(i) - A(i,j) * {a}(j)", "{r}(i) = {a}(i) + {b}(i)", "{r}(i) = {a}(i) * {b}(i)", "{r}(i) = {a}(i) - {b}(i)",
          "{r}(i) = ({a}(i) + {b}(i)) >> 1", "{r}(i) = {a}(i) + ({b}(i) >> 2)", "t = {a}(i) * {b}(i)", "swap {a}, {b}"]


def dense_program(draw):
    n = draw.choice([3, 9, 17, 33, 40, 70])
    lines = [f'tensor A: {draw.choice(["ds", "ds", "dd", "ss"])} = random "{n}x{n}:{draw.choice([0.05, 0.2, 0.6])}"', "scalar t = 3"]
    lines += [f'tensor {v}: d = random "{n}:{draw.choice([0.1, 0.5, 1])}"' for v in VECTORS]
    compares = f'{draw.choice(["==", "!=", "<", "<=", ">", ">="])} {draw.choice([0, 1, n // 2, n])}'
    loop = draw.choice([f"repeat {draw.randint(1, 7)}", f"repeat until nnz({draw.choice(VECTORS)}) {compares} max {draw.randint(2, 6)}{' else fail' if n % 2 else ''}",
                        f'repeat until t {draw.choice(["<", ">"])} {draw.choice([0, 100, -100])} max 5 else fail'])
    body = [draw.choice(SHAPES).format(r=draw.choice(VECTORS), a=draw.choice("uv"), b=draw.choice("vw")) for _ in range(draw.randint(1, 4))]
    body = [one for one in body if one != "swap v, v"] + ["w(i) = u(i) + v(i)"]
    return "\n".join([*lines, loop + " {", *(f"    {one}" for one in in_multis(draw, body)), "}", *draw.choice([[], ["u(i) = u(i) + v(i)"]]), "result u, v, w, t"]) + "\n"


SPARSE = ["{r}(i) = A(i,j) * {a}(j)", "{r}(i) = or(j, A(i,j) & {a}(j))", "{r}(j) = max(i, A(i,j) * {a}(i))", "{r}(i) = {a}(i) + {b}(i)", "{r}(i) = {a}(i) * {b}(i)",
          "{r}(i) = {a}(i) - {b}(i)", "{r}(i) = mask(not struct({a}(i)), {b}(i))", "{r}(i) = mask({a}(i), {b}(i))", "{r}(i) = {a}(i) | {b}(i)", "{r}(i) += t * {a}(i)",
          "{r}(i) = ({a}(i) + {b}(i)) >> 3", "t = t + 1", "t = t * 3", "t = max(t, 2)", "t = 7 - t", "s = t", "s = 4", "t = {a}(i) * {b}(i)", "swap u, v", "swap v, w"]


def sparse_program(draw, shapes=SPARSE, kinds=("sss", "sss", "ssd", "dss"), most=5):
    n = draw.choice([1, 5, 17, 33, 40, 70, 300])
    lines = [f'tensor A: {draw.choice(["ds", "ss", "ss:1,0"])} = random "{n}x{n}:{draw.choice([0, min(1, 1.5 / n), 0.1, 0.4])}"', "scalar t = 3", "scalar s = 1"]
    formats = draw.choice(kinds)
    lines += [f'tensor {v}: {f} = ' + draw.choice(["{}", "{0: 1}", "{%d: -2}" % (n - 1), f'random "{n}:{draw.choice([0.1, 0.5, 1])}"']) for v, f in zip(VECTORS, formats)]
    lines = [line.replace(":", f"({n}):", 1) if "tensor " in line and "A" not in line else line for line in lines]
    compares = f'{draw.choice(["==", "!=", "<", ">"])} {draw.choice([0, 1, n // 2])}'
    loop = draw.choice([f"repeat {draw.randint(2, 6)}", f"repeat until nnz({draw.choice(VECTORS)}) {compares} max {draw.randint(2, 6)}{' else fail' if n % 2 else ''}",
                        f'repeat until t {draw.choice(["<", ">"])} {draw.choice([5, 100, -100])} max 5 else fail'])
    body = [draw.choice(shapes).format(r=draw.choice(VECTORS), a=draw.choice("uv"), b=draw.choice("vw"), c=draw.choice("uvw")) for _ in range(draw.randint(2, most))]
    body = [one for one in body if not one.startswith("swap") or len({formats[VECTORS.index(v)] for v in (one[5], one[8])}) == 1] + ["t = t + 1"]
    return "\n".join([*lines, loop + " {", *(f"    {one}" for one in in_multis(draw, body)), "}", *draw.choice([[], ["w(i) = u(i) + v(i)"]]), "result u, v, w, t"]) + "\n"


MATRICES = ["{r}(i,j) = {a}(i,j) + A(i,j)", "{r}(i,j) = {a}(i,j) | A(i,j)", "{r}(i,j) = {a}(i,j) * u(i)", "{r}(i,j) = {a}(i,j) * A(i,j)", "{r}(i,j) = {a}(i,j) + {b}(i,j)",
            "{r}(i,j) = A(i,k) * {a}(k,j)", "{r}(i,j) = or(k, {a}(i,k) & A(k,j))", "{r}(i,j) = 3 * {a}(i,j)", "v(i) = {a}(i,j) * u(j)", "u(i) = v(i) >> 1", "t = {a}(i,j) * {b}(i,j)",
            "t = t - 1", "swap B, C", "{r}(i,j) = {a}(i,j) - {b}(i,j)", "{r}(i,j) = {a}(j,i) + A(i,j)", "v(j) = {a}(i,j) * u(i)", "{r}(i,j) = {a}(i,j) & A(j,i)"]


def matrix_program(draw):
    """Matrices that change: where they are cut alike, and none of their values is a fill, their words are copied; else they are made of lists of entries where these are few."""
    n = draw.choice([1, 4, 9, 17, 33, 60])
    f = draw.choice(["ss", "ss", "ds", "sd", "ss:1,0"])
    lines = [f'tensor A: {draw.choice(["ss", "ds"])} = random "{n}x{n}:{draw.choice([0, min(1, 1.5 / n), 0.1, 0.4])}"{draw.choice([" ones", ""])}', "scalar t = 3"]
    lines += [f'tensor {B}({n},{n}): {f} = random "{n}x{n}:{draw.choice([0, min(1, 1.5 / n), 0.2])}"{draw.choice([" ones", ""])}' for B in "BC"]
    lines += [f'tensor {v}({n}): d = all 1' for v in "uvw"]
    loop = draw.choice([f"repeat {draw.randint(2, 4)}", f"repeat {draw.randint(2, 4)}", f"repeat until nnz(B) > {n} max 4 else fail"])
    body = [draw.choice(MATRICES).format(r=draw.choice("BC"), a=draw.choice("BC"), b=draw.choice("BC")) for _ in range(draw.randint(1, 3))] + ["B(i,j) = B(i,j) | A(i,j)"]
    return "\n".join([*lines, loop + " {", *(f"    {one}" for one in in_multis(draw, body)), "}", "v(i) = B(i,j) * u(j)", "w(i) = C(i,j) * u(j)", "result u, v, w, t, B, C"]) + "\n"


SEVERAL = ["{r}(i) = max({b}(i), max(j, A(i,j) * {a}(j)))", "{r}(i) = {b}(i) + max(j, A(i,j) * {a}(j))", "{r}(j) = {a}(j) | or(i, A(i,j) & {b}(i))",
           "{r}(i) = min({a}(i), min(j, A(i,j) + {b}(j)))", "{r}(i) = mask(not struct({a}(i)), or(j, A(i,j) & {b}(j)))", "{r}(i) = max(j, A(i,j) * {a}(j)) * max(j, A(i,j) + {b}(j))",
           "{r}(i) = relu({a}(i) - max(j, A(i,j) * {b}(j)))", "t = max(i, {a}(i)) + max(i, abs({b}(i)))", "t = max(i, max(j, A(i,j) * {a}(j)))",
           "{r}(i) = ({b}(i) - A(i,j) * {a}(j)) / {c}(i)", "{r}(i) = {a}(i) / {b}(i)", "{r}(i) = {a}(i) * 64 / t", "{r}(i) = ({a}(i) + {b}(i)) / 3", "{r}(i) = {a}(i) / t + {b}(i)",
           "t = abs({a}(i))", "t = t + 1"]


def several_program(draw):
    """Statements of several kernels, with a workspace between, and quotients, which are the processor's."""
    return sparse_program(draw, SEVERAL, ["ddd", "ddd", "sss", "dsd", "ssd"], 3)


REALS = ["{r}(i) = A(i,j) * {a}(j)", "{r}(j) = A(i,j) * {a}(i)", "{r}(i) = {b}(i) - s * {a}(i)", "{r}(i) = {a}(i) + s * {b}(i)", "{r}(i) = s * {a}(i)", "{r}(i) = {a}(i) * {b}(i)",
         "{r}(i) = max({a}(i), {b}(i))", "{r}(i) += A(i,j) * {a}(j)", "t = {a}(i) * {b}(i)", "t = {a}(i) * {a}(i)", "s = t / s", "s = 1 / (1 + abs(t))", "s = s / 3", "s = min(t, s) - 0.25",
         "swap u, v", "swap v, w"]


def real_program(draw):
    """Bf16: sums of parts, quotients of scalars; profile onyx-ext."""
    return sparse_program(draw, REALS, ["ddd", "ddd", "ddd", "sss", "dsd"], 6)


def in_multis(draw, body):
    """Puts some statements that follow each other, of different results, into one multi."""
    out = []
    for one in body:
        results = {x.strip().replace("(", " ").split()[0] for x in out[-1].split(";")} if out else set()
        plain = not one.startswith("swap") and "+=" not in one
        if plain and out and not out[-1].startswith("swap") and "+=" not in out[-1] and one.replace("(", " ").split()[0] not in results and draw.random() < 0.4:
            out[-1] += "; " + one
        else:
            out.append(one)
    return ["multi { %s }" % one if ";" in one else one for one in out]


def run(path, engine, *options):
    """The results' lines and the loops of the report, or the message."""
    out = folder / engine
    done = subprocess.run([onyx, "run", str(path), "--engine", engine, *options, "--effort", "1", "-o", str(out), "--quiet", "--no-warning", "E0351,E0129"], capture_output=True, text=True)
    if done.returncode:
        return None, f"exit {done.returncode}: {done.stderr.strip()}"
    report = json.loads((out / "report.json").read_text())
    names = path.read_text().rsplit("result ", 1)[1].split(", ")
    return [(out / f"{t.strip()}.mtx").read_text() for t in names] + [report["check"]], report["loops"]


wrong = alone = 0
shares = quota.Quota()
for number in range(count):
    draw = random.Random(seed + number)
    text = (dense_program, sparse_program, dense_program, sparse_program, matrix_program, several_program, real_program)[number % 7](draw)
    options = draw.choice([[], ["--tile", "16"], ["--tile", "16", "--unroll", "1"]]) if number % 7 in (4, 6) else draw.choice([[], [], ["--tile", "32"]]) if number % 7 in (1, 3) else []
    options = [*options, "--fuse-statements", "off"] if number % 7 == 3 else options  # compressed vectors stay compressed
    real = ["--dtype", "bf16", "--profile", "onyx-ext"] if number % 7 == 6 else []
    types = real or ["--dtype", "int16"]
    path = folder / "random.onx"
    path.write_text(text)
    (want, why), (got, loops) = run(path, "cycle", *types, *options) if real else run(path, "sam", *types), run(path, "soc", *types, *options)
    if got != want or want is None and not ("[E0960-passes]" in why and "[E0960-passes]" in loops):
        wrong += 1
        print(f"seed {seed + number} {options}: {why if want is None else ''} {loops if got is None else 'other results'}\n{text}")
    else: # how a loop without an end is made is not in a report
        shares.add(got is not None, got and all(quota.is_trivial(line.split()[-1] for line in one.splitlines()[2:]) for one in got[:-1]))
        alone += got is None or all(loop["on"] == "processor" for loop in loops)
print(f"{count} programs, {wrong} wrong\nrate alone: {alone} of {count}")
sys.exit(kept.count_wrong() > 0 or wrong > 0 or shares.failed())
