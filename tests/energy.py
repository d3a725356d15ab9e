"""The estimate of energy by hand: energy.py SOURCE REPORT.json

The report is of x(i) = b(i) * c(i) in one run of one copy, both operands with entries at the same four coordinates. Its counts are
compared with what the array's documents say it does (docs/storage.md, docs/primitives.md), its roofline with its streams, its energy with
an own sum over report/energy.def. Then the published power of a dense kernel must lie within what the coefficients say of its work
(docs/energy.md).
"""

import json
import pathlib
import re
import sys

source, report = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
text = (source / "report/energy.def").read_text()
least, most = map(float, re.search(r"^ENERGY_SCALING\(([\d.]+), ([\d.]+)\)$", text, re.M).groups())
coefficient = {}
for name, low, high, node in re.findall(r'^ENERGY\(\w+, "(\w+)", ([\d.]+), ([\d.]+), (\d+),', text, re.M):
    by = (least, most) if node == "45" else (1, 1)
    coefficient[name] = (float(low) * by[0], float(high) * by[1])


def energy(counts):
    low, high = (sum(n * coefficient[name][end] for name, n in counts.items()) for end in (0, 1))
    return low, sum(n * (coefficient[name][0] * coefficient[name][1]) ** 0.5 for name, n in counts.items()), high


counts, cycles = report["energy"]["counts"], report["cycles"]["total"]
# A level's block is its length, 2, with positions 0 and 4, then the length 4 and the coordinates; values are the length and themselves.
stream = (1 + 2 + 1 + 4) + (1 + 4)
# A memory writes a line when it is full, and reads it before where it is not: 2 accesses for the two positions, 1 for four words. It reads each line
# once. A level has a line of positions and one of coordinates.
level, values = 2 + 1 + 1 + 1, 1 + 1
expected = {"operation": 4, "buffer": 3 * stream, "memory": 3 * (level + values), "clock": cycles * 32 * 16, "processor": 0}
for name, n in expected.items():
    assert counts[name] == n, (name, counts[name], n)
moved = [(s["from"].split()[1], s["to"].split()[1], s["moved"]) for s in report["stalls"]]
assert counts["token"] == sum(n for _, to, n in moved if not to.startswith("io_")), counts
assert counts["hop"] > sum(n for _, _, n in moved), counts
for value, want in zip((report["energy"]["nj"][k] for k in ("low", "typical", "high")), energy(counts)):
    assert abs(value - want / 1000) <= 0.005 * value, (value, want)
for k in ("low", "typical", "high"):
    assert abs(report["energy"]["mw"][k] * report["time_us"] - report["energy"]["nj"][k]) <= 0.011 * report["energy"]["nj"][k], k

roofline = report["roofline"]
spent = roofline["spent"]
assert roofline["loads"] == roofline["stores"] == 1 + 2 + 1 + 4, roofline
assert abs(sum(spent.values()) - 1) < 1e-9 and abs(spent["computing"] - 4 / cycles) < 1e-9, (spent, cycles)

multiplies = 571 / 0.85 / 2
published = 2 * multiplies / 756 * 1000 * (0.78 / 0.66) ** 2
dense = energy({"operation": 2 * multiplies, "hop": 3 * 384, "memory": 128, "buffer": 32, "clock": 32 * 16})
assert dense[0] < published < dense[2], (dense, published)
assert (round(published), *(round(dense[i], -1) for i in (0, 2, 1))) == (1241, 370, 4030, 1170), (published, dense)
print(f"as by hand; a dense cycle takes {published:.0f} pJ, published, {dense[0]:.0f} to {dense[2]:.0f} here, typically {dense[1]:.0f}")
