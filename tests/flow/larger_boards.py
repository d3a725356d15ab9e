#!/usr/bin/env python3
"""A board with more of anything takes what a smaller one takes: larger_boards.py ONYX BOARDS FOLDER CASES SEED.

Random kernels on random operands run on a small board and on the same board with more columns, rows, tracks, buffer tiles or words. A
refusal of the larger one is a mistake, and so are cycles that are more than 2 % above the smaller one's, unless the smaller one had to
store operands otherwise, which the larger one has no reason to do."""

import json
import pathlib
import random
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from quota import Quota  # noqa: E402

onyx, boards, folder, cases, seed = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
KERNELS = [("x(i) = B(i,j) * c(j)", "Bc"), ("X(i,j) = B(i,k) * C(k,j)", "BC"), ("X(i,j) = B(i,j) + C(i,j)", "BC"), ("X(i,j) = B(i,j) * C(i,j)", "BC"),
           ("X(i,j) = B(i,j) * C(i,k) * D(j,k)", "BCD"), ("x(i) = b(i) - B(i,j) * c(j)", "bBc"), ("x(j) = 2 * B(i,j) * c(i) + 3 * d(j)", "Bcd"),
           ("X(i,j) = T(i,j,k) * c(k)", "Tc"), ("X(i,j,k) = T(i,j,l) * C(k,l)", "TC"), ("x = T(i,j,k) * S(i,j,k)", "TS")]
MORE = [("array", "width", 4), ("array", "width", 8), ("array", "width", 48), ("array", "height", 4), ("array", "height", 1), ("array", "tracks", -1), ("glb", "bank_bytes", 131072),
        ("mem", "words", 1024)]
rng = random.Random(seed)
shutil.rmtree(folder, ignore_errors=True)
shutil.copytree(boards, folder)
quota, bad, stored, refused, slower = Quota(), [], 0, 0, []


def board(name, change):
    """Writes a board; the small one has four tracks, so that there can be more of them."""
    document = json.loads((boards / "onyx-8x8.json").read_text())
    document["name"] = name
    if change:
        section, member, more = change
        document[section][member] += more if member != "tracks" else 0
        document["glb"]["tiles"] = document["array"]["width"] // document["glb"]["columns_per_tile"]  # they stand over columns
    if not change or change[1] != "tracks":
        document["array"]["tracks"] = 4
    (folder / f"{name}.json").write_text(json.dumps(document))
    return folder / f"{name}.json"


def run(on, kernel, operands):
    done = subprocess.run([onyx, "run", kernel, *operands, "--board", on, "--engine", "cycle", "--deadlock", "warn", "-o", folder / "out", "--explain",
                           "--no-warning", "E0350"], capture_output=True, text=True, check=False)
    cycles = json.loads((folder / "out/report.json").read_text())["cycles"]["total"] if done.returncode == 0 else 0
    return done.returncode, cycles, "this is with" in done.stdout, done.stderr


for number in range(cases):
    kernel, names = rng.choice(KERNELS)
    n = rng.randrange(6, 24)
    operands = []
    for name in names:
        size = "x".join([str(n if name not in "TS" else n // 2)] * (1 if name.islower() else 3 if name in "TS" else 2))
        operands += ["-g", f"{name}:{size}:{rng.choice([0.1, 0.3, 1])}:{number}"]
    if "T" in names:
        operands = [o.replace(f":{n}", f":{n // 2}").replace(f"x{n}:", f"x{n // 2}:") for o in operands]
    change = rng.choice(MORE)
    small, large = run(board("small", None), kernel, operands), run(board("large", change), kernel, operands)
    quota.add(accepted=small[0] == 0, trivial=small[1] < 50)
    what = f"{kernel} {' '.join(operands)} with more {change[1]}"
    stored += small[2]
    if small[0] not in (0, 2):
        bad.append(f"{what}: exit code {small[0]} on the small board: {small[3]}")
    if small[0] == 0 and large[0] != 0:
        bad.append(f"{what}: exit code {large[0]}: {large[3]}")
    if small[0] == large[0] == 0 and large[1] > 1.02 * small[1]:
        (slower if small[2] else bad).append(f"{what}: {large[1]} cycles, {small[1]} on the small board")
print("\n".join(bad))
print(f"{cases} cases, {stored} stored otherwise to fit, {len(slower)} of these slower on the larger board as it is chosen there; {len(bad)} mistakes")
sys.exit(bool(bad) or quota.failed())
