#!/usr/bin/env python3
"""What a switch between two bitstreams of one firmware program takes on engine soc: switches.py ONYX EXAMPLES FOLDER. What more passes of a loop
cost beyond those before, in which each bitstream came in once, are switches alone: from the command to where the columns run again. From the last
store of the run before to the first start it is what the chip's model has counted. The reset between two bitstreams clears the registers of the global
buffer on the chip, so each of a kernel's streams is set anew: 5 writes a load, 6 a store, one a tile that words pass, at 31 cycles at least."""
import json
import pathlib
import subprocess
import sys

onyx, examples, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
FEW, MANY = 2, 4

# Two statements, 15 copies of each: 15 loads and 15 stores, which is what there is beside the bank of the bitstreams, in 745 words.
FORM = """
param steps = 2
tensor x: d = random "480:1.0"
tensor y: d
tensor v: d = random "{0}:1.0"
tensor w: d
repeat steps {{ y(i) = 3 * x(i); w(j) = v(j) + 2; swap x, y; swap v, w }}
result x, v
"""


def run(source, out, *options):
    done = subprocess.run([onyx, "run", source, *options, "--engine", "soc", "-o", out, "--quiet", "--fuse-statements", "off"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{source.name}: {done.stderr}")
    report = json.loads((out / "report.json").read_text())
    if report["check"] != "pass" or report["bitstreams"] != 2:
        sys.exit(f"{source.name}: check {report['check']}, {report['bitstreams']} bitstreams, not 2")
    return report


def configured(name, steps):
    report = run(folder / f"{name}.onx", folder / f"{name}_{steps}", "--set", f"steps={steps}", "--unroll", "15")
    return [s["cycles"]["config"] for s in report["statements"]]


def from_last_store(out):
    """By the words of a bitstream that came in more than once: the longest of those behind the first."""
    counted = [json.loads(path.read_text()) for path in out.rglob("stats.json")]
    return {s["words"]: s["most"] for s in max(counted, key=lambda stats: stats["cgra_cycles"])["switches"] if s["times"] > 1}


bad = 0
for name, extent, most, most_in_all in ("alike", 480, 7750, 8950), ("others", 300, 7750, 8950):  # loads of as many words, or of others
    (folder / f"{name}.onx").write_text(FORM.format(extent))
    took = [(many - few) // (MANY - FEW) for few, many in zip(configured(name, FEW), configured(name, MANY))]
    in_all = from_last_store(folder / f"{name}_{MANY}")
    print(f"{name}: {took} cycles, from the last store {in_all}")
    bad += not all(0 < t < most for t in took) or not in_all or not all(most < t < most_in_all for t in in_all.values())
# Where few registers change it is the lengths of outputs and what goes between processor and host, or items of the list, that make it longer.
for name, most in ("bfs", {"seen": 2609, "depth": 2904}), ("kmeans", {"size": 2447, "far": 2404}):  # beside 31 for each tile that words pass
    run(examples / f"{name}.onx", folder / name)
    in_all = from_last_store(folder / name)
    print(f"{name}: from the last store {in_all}")
    bad += len(in_all) != 2
    for statement, limit in most.items():
        words = [int(line.split()[0], 16) for line in (folder / name / statement / "bitstream.bs").read_text().splitlines()]
        tiles = max(word >> 8 & 255 for word in words) // 2 + 1
        bad += not 0 < in_all.get(len(words), 0) < limit + 31 * tiles
sys.exit(bad != 0)
