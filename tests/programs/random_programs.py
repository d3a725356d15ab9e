#!/usr/bin/env python3
"""Random programs whose statements share arrays: random_programs.py ONYX FOLDER COUNT SEED ENGINE [PROFILE]. Every program runs on the engine with and
without sharing (-O0); onyx holds it against its evaluator, and the results of both, and those of engine sam, are compared here. Ends with 1
where one is wrong; a program that is refused is counted, and one in ten may be."""
import json
import pathlib
import random
import subprocess
import sys

onyx, folder, count, seed, engine = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
profile = ["--profile", sys.argv[6]] if len(sys.argv) > 6 else []
folder.mkdir(parents=True, exist_ok=True)
VECTORS = ["u", "v", "w"]
SHAPES = ["{r}(i) = A(i,j) * {a}(j)", "{r}(i) = A(j,i) * {a}(j) + {b}(i)", "{r}(i) = {a}(i) + {b}(i)", "{r}(i) = {a}(i) * {b}(i)", "{r}(i) = {a}(i) - {b}(i)",
          "{r}(i) = max({a}(i), {b}(i))", "{r}(i) = mask(not struct({a}(i)), {b}(i))", "{r}(i) += {a}(i)", "{r}(i) = s * {a}(i)", "{r}(i) = relu({a}(i) - {b}(i))",
          "{r}(i) = A(i,j) * {a}(i) * {b}(j)", "t = {a}(i) * {b}(i)", "s = s + 1", "B(i,j) = A(i,j) * {a}(i)", "B(i,j) = B(i,j) + A(i,j)", "{r}(i) = B(i,j) * {a}(j)",
          "{r}(i) = ({a}(i) + {b}(i)) >> 1", "{r}(i) = max(j, A(i,j) & {a}(j))"]


def program(draw):
    n = draw.randint(3, 40)
    lines = [f'tensor A: {draw.choice(["ss", "ds", "sd", "dd", "ss:1,0"])} = random "{n}x{n}:{draw.choice([0, 0.05, 0.2, 0.6])}"',
             f'tensor B: ss = random "{n}x{n}:{draw.choice([0.05, 0.3])}"', "scalar s = 2", "scalar t = 0"]
    lines += [f'tensor {v}: {draw.choice("ds")} = random "{n}:{draw.choice([0, 0.1, 0.5, 1])}"' for v in VECTORS]
    body = [draw.choice(SHAPES).format(r=draw.choice(VECTORS), a=draw.choice(VECTORS), b=draw.choice(VECTORS)) for _ in range(draw.randint(2, 5))]
    outside = draw.choice(SHAPES).format(r=draw.choice(VECTORS), a=draw.choice(VECTORS), b=draw.choice(VECTORS))
    lines += [outside] * draw.randint(0, 1) + [f"repeat {draw.randint(1, 3)} {{", *(f"    {one}" for one in body), "}", "result u, v, w, B"]
    return "\n".join(lines) + "\n"


def results(path, how, *options):
    """The results' lines and the report, or what it was refused for."""
    out = folder / how
    done = subprocess.run([onyx, "run", str(path), "--engine", how, "-o", str(out), "--quiet", "--no-warning", "E0351,E0129", *options], capture_output=True, text=True)
    if done.returncode:
        return None, f"exit {done.returncode}: {done.stderr.strip()}"
    return [(out / f"{t}.mtx").read_text() for t in "uvwB"], json.loads((out / "report.json").read_text())


wrong = refused = shared = 0
for number in range(count):
    text = program(random.Random(seed + number))
    path = folder / "random.onx"
    path.write_text(text)
    want, why = results(path, "sam")
    if want is None:
        sys.exit(f"seed {seed + number}: engine sam: {why}\n{text}")
    for options in [[], ["-O0"]]:
        got, report = results(path, engine, *profile, *options)
        if got is None and not report.startswith("exit 2"):
            wrong += 1
            print(f"seed {seed + number} {options}: {report}\n{text}")
        elif got is None:
            refused += 1
            print(f"seed {seed + number} {options}: {report.splitlines()[0]}")
        elif got != want or report["check"] != "pass":
            wrong += 1
            print(f"seed {seed + number} {options}: wrong, check {report['check']}\n{text}")
        else:
            shared += any("shares" in s for s in report["statements"])
print(f"{count} programs, {shared} with an array that statements share, {refused} runs refused, {wrong} wrong")
sys.exit(wrong > 0 or shared * 3 < count or refused * 5 > count)
