#!/usr/bin/env python3
"""environment(name,n) in schedules: environment.py ONYX FOLDER. Copies and edges of sub-tiles as the options would have them, equal results in
all configurations, held against plain Python; and contradictions, each with both places."""
import itertools
import json
import pathlib
import random
import subprocess
import sys

from checked import expect, wrong

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from quota import Quota, is_trivial  # noqa: E402

onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def run(*words):
    done = subprocess.run([onyx, "run", *map(str, words), "--engine", "cycle", "-o", folder / "out", "--quiet"], capture_output=True, text=True)
    return done, json.loads((folder / "out" / "report.json").read_text()) if done.returncode == 0 else {}


def entries(path):
    lines = [line.split() for line in path.read_text().splitlines() if line[0] != "%"]
    return {int(i): int(x) for i, _, x in (line if len(line) == 3 else (line[0], 1, line[1]) for line in lines[1:]) if int(x)}


rng = random.Random(7)
rows, columns = 48, 40
cells = {(i, j): rng.randint(-9, 9) for i in range(rows) for j in range(columns) if i % 7 and rng.random() < 0.2}
vector = [rng.randint(-5, 5) for _ in range(columns)]
(folder / "B.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n{rows} {columns} {len(cells)}\n" + "".join(f"{i + 1} {j + 1} {x}\n" for (i, j), x in cells.items()))
(folder / "c.mtx").write_text(f"%%MatrixMarket matrix array integer general\n{columns} 1\n" + "".join(f"{x}\n" for x in vector))
want = {}
for (i, j), x in cells.items():
    want[i + 1] = want.get(i + 1, 0) + x * vector[j]
want = {i: x for i, x in want.items() if x}
given = ("y(i) = B(i,j) * c(j)", "-f", "y:d", "-i", f"B:{folder / 'B.mtx'}", "-i", f"c:{folder / 'c.mtx'}")

configurations, shares = 0, Quota()
for copies, edge in itertools.product((1, 2, 3), ("tile,8", "tile,16", "tile_i,12", "tileJ,20", "")):
    said = f"environment(unroll,{copies})" + (f", environment({edge})" if edge else "")
    done, report = run(*given, "-s", f"reorder(i,j), {said}")
    shares.add(done.returncode == 0, is_trivial(want.get(i + 1, 0) for i in range(rows)))
    if done.returncode:
        expect(said, done.stderr, "")
        continue
    configurations += 1
    expect(f"{said}: copies", (report["check"], report["unroll"]), ("pass", copies))
    expect(f"{said}: result", entries(folder / "out" / "y.mtx"), want)
    name, _, n = edge.partition(",")
    options = ["--unroll", copies] + (["--tile", n if name == "tile" else f"{name[-1].lower()}:{n}"] if edge else [])
    _, same = run(*given, "-s", "reorder(i,j)", *options)
    expect(f"{said}: as {options}", [report[key] for key in ("cycles", "subtiles")], [same[key] for key in ("cycles", "subtiles")])
    expect(f"{said}: with the same option", run(*given, "-s", f"reorder(i,j), {said}", *options)[0].returncode, 0)
expect("configurations", configurations >= 10, True)

mistakes = [("environment(unroll,2)", ("--unroll", "4"), "E0179-environment", "environment(unroll,2) contradicts --unroll 4", "help: leave one"),
            ("environment(unroll,2)", ("--unroll", "auto"), "E0179-environment", "contradicts --unroll auto"),
            ("environment(tile,8)", ("--tile", "16"), "E0179-environment", "environment(tile,8) contradicts --tile 16"),
            ("environment(tile_i,8)", ("--tile", "i:4"), "E0179-environment", "environment(tile_i,8) contradicts --tile i:4"),
            ("environment(tile,8)", ("--tile", "auto"), "E0179-environment", "contradicts --tile auto"),
            ("environment(tile,8), reorder(i,j), environment(tile,9)", (), "E0179-environment", "<schedule>:1:48: error", "<schedule>:1:13: note: the other one"),
            ("environment(tileN,8)", (), "E0903-option-value", "'n' must be a loop of i,j"),
            ("environment(fifoDepth,)", (), "E0102-syntax", "expected a number"),
            ("environment(warps,2)", (), "E0179-environment", "there are unroll (copies, --unroll), tile and"),
            ("environment(unroll,0)", (), "E0179-environment", "unroll is a whole number from 1 to 64")]
for said, options, code, *texts in mistakes:
    done, _ = run(*given, "-s", said, *options)
    expect(f"{said} {options}", (done.returncode != 0, f"[{code}]" in done.stderr, [text for text in texts if text not in done.stderr]), (True, True, []))

# In a program such commands are about the statement that they name: the other one has a copy and its own edges.
(folder / "two.onx").write_text(f'tensor B: ss = "B.mtx"\ntensor c: d = "c.mtx"\ntensor y: d\ntensor z: d\ny(i) = B(i,j) * c(j)\nz(i) = y(i) + y(i)\n')
done, report = run(folder / "two.onx", "-s", "y: environment(unroll,2), environment(tile_i,12)")
expect("a program", done.returncode and done.stderr, 0)
if not done.returncode:
    expect("copies of y", (report["check"], report["statements"][0]["compiled"]["unroll"]), ("pass", 2))
    expect("z", entries(folder / "out" / "z.mtx"), {i: 2 * x for i, x in want.items()})
done, _ = run(folder / "two.onx", "-s", "y: environment(unroll,2)", "--unroll", "3")
expect("a program's contradiction", (done.returncode, "contradicts --unroll 3" in done.stderr), (1, True))
sys.exit(bool(wrong) or shares.failed())
