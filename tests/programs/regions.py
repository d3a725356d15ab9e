#!/usr/bin/env python3
"""Where operands are between batches and passes, as -f B:ss@glb and @host say it: regions.py ONYX EXAMPLES FOLDER. What is loaded is held
against closed forms of the data; the words of each pass are those that the co-simulated bus has counted."""
import json
import pathlib
import re
import subprocess
import sys

from checked import expect, wrong

onyx, examples, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)


def run(*words, engine="soc"):
    done = subprocess.run([onyx, "run", *map(str, words), "--engine", engine, "-o", folder / "out"], capture_output=True, text=True)
    report = json.loads((folder / "out" / "report.json").read_text()) if done.returncode == 0 else {}
    if done.returncode == 0:
        expect(f"{words} checks", report["check"], "pass")
    return done, report


def refused(what, done, code, *texts, exit_code=2):
    expect(f"{what} exits, for one reason", (done.returncode, re.findall(r"\[(E\d+[\w-]*)\]\n", done.stderr)), (exit_code, [code]))
    for text in texts:
        expect(f"{what} says '{text}'", text in done.stderr, True)


def operands(statement):
    return {one["operand"]: one for one in statement["operands"]}


# A matrix in each of five passes: `ds` in one sub-tile is segments (their number, 35 of them), coordinates and values (a number, 156 each),
# of 16 bits.
nonzeros, rows, passes = 156, 34, 5
words = (1 + rows + 1 + 1 + nonzeros + 1 + nonzeros) // 2
program = (examples / "iterated_spmv.onx").read_text().replace('"graph.mtx"', f'"{examples / "graph.mtx"}"')
walks = {}
for region in ("", "@glb", "@host"):
    path = folder / "spmv.onx"
    path.write_text(program.replace("tensor A: ds", f"tensor A: ds{region}"))
    done, report = run(path, "--set", f"steps={passes}")
    if done.returncode:
        expect(f"iterated product {region}", done.stderr, "")
        continue
    walks[region] = (folder / "out" / "x.mtx").read_text()
    times = passes if region == "@host" else 1
    want = {"operand": "A", "region": "host" if region == "@host" else "glb", "stated": bool(region), "loaded": times * words,
            "kept": (passes - times) * words, "from": times, "to": passes}
    expect(f"A{region}", operands(report["statements"][0])["A"], want)
    expect(f"A{region} in the summary", f"A{region}: {times * words} words" in done.stdout, bool(region))
    counted = [each.get("host_words", {"loaded": 0})["loaded"] for each in report["statements"][0]["each"]]
    if region == "@host": # the last passes have the matrix alone: x lies where it was stored
        expect("words of a pass", (counted[2:], min(counted)), ([words] * (passes - 2), words))
    else:
        expect("passes that load", ([n > 0 for n in counted], words <= counted[0] < 2 * words), ([True] + [False] * (passes - 1), True))
    expect("who goes through the loop", report["loops"][0]["on"], "host" if region == "@host" else "processor")
expect("results", len(set(walks.values())), 1)

# Two bitstreams in turn, whose loads share tiles of the global buffer: what is to stay does, and others lie behind it.
drawn = "".join(f'tensor {name}: ss%s = random "40x40:0.2"\n' for name in "ACDEF")
body = """tensor G: ds%s = random "40x40:0.2"
tensor x: d = all 1
tensor y: d
tensor B: ss
repeat 3 {
    y(i) = G(i,j) * x(j)
    B(i,j) = A(i,j) * C(i,j) + D(i,j) * E(i,j) + F(i,j)
    x(i) = B(i,j) * y(j)
}
result x, B
"""
totals, results = [], []
for regions in (("",) * 6, ("@glb", "", "", "@glb", "", "@glb")):
    (folder / "two.onx").write_text((drawn + body) % regions)
    done, report = run(folder / "two.onx", "-s", "B: reorder(i,j)")
    if done.returncode:
        expect("two bitstreams", done.stderr, "")
        continue
    expect("bitstreams", report["bitstreams"], 2)
    totals.append(sum(each.get("host_words", {"loaded": 0})["loaded"] for one in report["statements"] for each in one["each"]))
    results.append([(folder / "out" / f"{name}.mtx").read_text() for name in "xB"])
    all_of = {name: one for statement in report["statements"] for name, one in operands(statement).items()}
    for name, region in zip("ACDEFG", regions):
        if region:
            one = all_of[name]
            expect(f"{name} stays", (one["region"], one["from"], one["to"], one["kept"]), ("glb", 1, 3, 2 * one["loaded"]))
if len(totals) == 2:
    expect("fewer words with @glb", totals[1] < totals[0], True)
    expect("the same results", results[0], results[1])
done, _ = run(folder / "two.onx", "-O0")
refused("a program for each bitstream", done, "E0719-stays", "two.onx:6:13: does not fit: G cannot stay in the global buffer", "-O0")

# What has to be in a bank and is longer; by array, level and limit.
long = ("y(i) = B(i,j) * c(j)", "-f", "y:d", "-g", "B:3000x3000:0.02:1", "-g", "c:3000:1:2", "--tile", "100", "--unroll", "1")
done, _ = run(*long, "-f", "B:ss@glb", "-f", "c:d")
refused("longer than a bank", done, "E0719-stays", "values of B cannot stay in the global buffer: they want 181012 words", "and its bank has 65536", "help: without @glb")
done = subprocess.run([onyx, "compile", *long, "-f", "B:ss@glb", "-f", "c:d", "-o", folder / "out"], capture_output=True, text=True)
expect("nothing runs after compile, so nothing is loaded", done.returncode, 0)

# Mistakes.
mistakes = [(("-f", "B:ss@dram"), "'@dram' is no region of this chip", "@host may be meant", "B:ss@dram\n         ^~~~"),
            (("-f", "B:ss:1,0@onChip"), "'@onChip' is no region", "@glb may be meant"), (("-f", "B:ss@"), "'@' is no region"),
            (("-f", "y:d@glb"), "a region is that of an operand, and y is the result")]
for options, *texts in mistakes:
    refused(options, run("y(i) = B(i,j) * c(j)", *options, "-g", "B:9x9:0.5", "-g", "c:9:1")[0], "E0178-region", *texts, exit_code=1)
for format, code, *texts in (("ss@dram", "E0178-region", "bad.onx:1:14: error: '@dram'", "@host may be meant"),
                             ("ss@", "E0178-region", "bad.onx:1:13: error: '@' is no region"),
                             ("CSR@chip", "E0178-region", "bad.onx:1:15: error: '@chip'"),
                             ("sx", "E0111-level-format", "bad.onx:1:12: error: level 1 of B: there is no level format 'x'"),
                             ("sq", "E0112-singleton", "bad.onx:1:12: error: level 1 of B"),
                             ("ss:1,1", "E0110-format", "bad.onx:1:16: error: the mode order is not a permutation"),
                             ("ss:1", "E0102-syntax", "bad.onx:1:16: error: expected ',' and the next mode")):
    (folder / "bad.onx").write_text(f'tensor B: {format} = random "9x9:0.5"\ntensor c: d = all 1\ny(i) = B(i,j) * c(j)\n')
    refused(format, run(folder / "bad.onx")[0], code, *texts, exit_code=1)
(folder / "bad.onx").write_text('tensor B: ss = random "9x9:0.5"\ntensor c: d = all 1\ntensor y: d@glb\ny(i) = B(i,j) * c(j)\n')
refused("a result", run(folder / "bad.onx")[0], "E0178-region", "bad.onx:3:12: error: a region is that of an operand, and y is the result",
        "bad.onx:4:1: note: this one", exit_code=1)

# Formats by name, parts of a tensor, and engines without a global buffer.
done, report = run("y(i) = B(i,j) * c(j)", "-f", "B:CSR@host", "-g", "B:9x9:0.5", "-g", "c:9:1")
expect("a format by name", (done.returncode, operands(report)["B"]["region"] if report else done.stderr), (0, "host"))
done, report = run("y(i) = B(i,j) * c(j)", "-f", "B:uq@host", "-g", "B:9x9:0.5", "-g", "c:9:1")
expect("what the host re-packs is said", (done.returncode, "scans no uq: the host re-packs B" in done.stderr), (0, True))
done, report = run("y(i) = B(i(0:4),j) * c(j)", "-f", "B:ss@glb", "-g", "B:9x9:0.5", "-g", "c:9:1")
expect("a slice", (done.returncode, operands(report)["B"]["stated"] if report else done.stderr), (0, True))
done, report = run("y(i) = B(i,j) * c(j)", "-f", "B:ss@glb", "-g", "B:9x9:0.5", "-g", "c:9:1", engine="cycle")
expect("engine cycle", (done.returncode, "B@glb: nothing was loaded" in done.stdout, "operands" in report), (0, True, False))
sys.exit(bool(wrong))
