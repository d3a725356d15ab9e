#!/usr/bin/env python3
"""What a switch between two bitstreams of one firmware program takes on engine soc: switches.py ONYX FOLDER. What more passes of a loop cost
beyond those before, in which each bitstream came in once, are switches alone: from the command to where the columns run again."""
import json
import pathlib
import subprocess
import sys

onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
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


def configured(name, steps):
    out = folder / f"{name}_{steps}"
    done = subprocess.run([onyx, "run", folder / f"{name}.onx", "--set", f"steps={steps}", "--unroll", "15", "--engine", "soc", "-o", out, "--quiet"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    report = json.loads((out / "report.json").read_text())
    if report["check"] != "pass" or report["bitstreams"] != 2:
        sys.exit(f"{name}: check {report['check']}, {report['bitstreams']} bitstreams, not 2")
    return [s["cycles"]["config"] for s in report["statements"]]


bad = 0
for name, extent, most in ("alike", 480, 1400), ("others", 300, 1550):  # loads of as many words, or of others: 15 registers more
    (folder / f"{name}.onx").write_text(FORM.format(extent))
    took = [(many - few) // (MANY - FEW) for few, many in zip(configured(name, FEW), configured(name, MANY))]
    print(f"{name}: {took} cycles")
    bad += not all(0 < t < most for t in took)
sys.exit(bad != 0)
