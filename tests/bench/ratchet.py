"""Cycles of the rows of docs/notebook/results.md, kept: a row that becomes more than 2 % slower fails.

    ratchet.py SOURCE ONYX FOLDER SAMPLE [SEED]   runs SAMPLE rows of a seed from outside (tests/seeds.py), or `all`; rows of the page that are not the
                                                  kept ones are counted by house (stale_rows)
    ratchet.py SOURCE ONYX FOLDER write           runs all rows, and lowers what is kept; what is slower stays as it was

cycles.txt has a line for each row, `KERNEL | DATA | CYCLES`. A row may be slower where a line `slower KERNEL | DATA | CYCLES | REASON` says why.
"""
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parent))
sys.path.append(str(pathlib.Path(__file__).parents[1]))
import command  # noqa: E402
import results  # noqa: E402
import seeds  # noqa: E402

SLOWER, FILE = 1.02, pathlib.Path(__file__).with_name("cycles.txt")


def kept(text):
    """{(kernel, data): cycles that a row may take}, and which are named as slower."""
    rows, slower = {}, {}
    for line in text.splitlines():
        parts = [part.strip() for part in line.removeprefix("slower ").split("|")]
        if line.startswith("#") or len(parts) < 3:
            continue
        if line.startswith("slower "):
            if len(parts) == 4 and len(parts[3]) > 20:
                slower[parts[0], parts[1]] = int(parts[2])
            continue
        rows[parts[0], parts[1]] = int(parts[2])
    return rows, slower


def rows(source):
    there = (source / "../shared/data/matrices").exists()
    return [(kernel, data) for kernel in results.KERNELS for data in results.SETS if data.order == kernel[4] and (there or not data.file)]


def measure(source, onyx, folder, kernel, data):
    _, expression, operands, schedule, _ = kernel
    arguments = [expression] + (["-s", schedule] if schedule else []) + data.options(operands, source / "../shared/data/matrices")
    ran = command.run(onyx, arguments + ["--engine", "cycle", "--hazards", "warn", "--deadlock", "warn"], folder, results.MOST_SECONDS)
    return None if ran.code else int(ran.number("cycles", "total"))


def judge(found, limits):
    best, slower = limits
    bad = 0
    for row, cycles in found.items():
        may = max(best.get(row, 0) * SLOWER, slower.get(row, 0) * SLOWER)
        if row not in best or cycles is None or cycles > may:
            bad += 1
            print(f"{' | '.join(row)}: {cycles} cycles, {best.get(row, 'none')} are kept: name the row and the reason in tests/bench/cycles.txt")
    return bad


def main():
    source, onyx, folder, how = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3], sys.argv[4]
    limits, all_rows = kept(FILE.read_text()), rows(source)
    pathlib.Path(folder).parent.mkdir(parents=True, exist_ok=True)
    chosen = all_rows
    if how not in ("all", "write"):
        seed = int(sys.argv[5]) if len(sys.argv) > 5 else seeds.outside(source)
        chosen = random.Random(seed).sample(all_rows, int(how))
        print(f"rows of seed {seed}")
    found = {(kernel[0], data.name): measure(source, onyx, folder, kernel, data) for kernel, data in chosen}
    for row, cycles in found.items():
        print(f"{' | '.join(row)} | {cycles}", flush=True)
    if how == "write":
        head = [line for line in FILE.read_text().splitlines() if line.startswith(("#", "slower "))]
        lines = [f"{' | '.join(row)} | {min(cycles, limits[0].get(row, cycles))}" for row, cycles in found.items() if cycles]
        FILE.write_text("\n".join(head + lines) + "\n")
        return 0
    return judge(found, limits) > 0


if __name__ == "__main__":
    sys.exit(main())
