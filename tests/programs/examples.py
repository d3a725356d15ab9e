#!/usr/bin/env python3
"""The programs of examples/ against plain Python: examples.py ONYX EXAMPLES FOLDER ENGINE [NAME...]. What is expected is computed by
walking over lists of edges; no tensor, no loop over statements."""
import heapq
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path.extend(str(pathlib.Path(__file__).parents[1] / room) for room in ("", "record", "flow"))
import check_reports  # noqa: E402
import behaviour  # noqa: E402
import quota  # noqa: E402

onyx, examples, folder, engine = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
names = sys.argv[5:]
kept = behaviour.watch(__file__, onyx, folder, *names)
folder.mkdir(parents=True, exist_ok=True)
bad, shown = 0, quota.Quota()


def graph(name):
    lines = [line.split() for line in (examples / name).read_text().splitlines() if line[0] != "%"]
    near = {v: {} for v in range(int(lines[0][0]))}
    for words in lines[1:]:
        i, j = int(words[0]) - 1, int(words[1]) - 1
        near[i][j] = near[j][i] = int(words[2]) if len(words) > 2 else 1
    return near


def breadth_first(start=0):
    near, depth, front = graph("graph.mtx"), {}, {start}
    while front:
        depth.update(dict.fromkeys(front, max(depth.values(), default=0) + 1))
        front = {w for v in front for w in near[v]} - set(depth)
    return depth


def shortest_paths(start=0):
    near, far, todo = graph("roads.mtx"), {}, [(0, start)]
    while todo:
        d, v = heapq.heappop(todo)
        if v not in far:
            far[v] = d
            for w, length in near[v].items():
                heapq.heappush(todo, (d + length, w))
    return far


def components():
    near, label = graph("islands.mtx"), {}
    for v in near:
        todo = [] if v in label else [v]
        while todo:
            w = todo.pop()
            if w not in label:
                label[w] = v
                todo += near[w]
    return label


def pagerank(steps=10):
    near = graph("graph.mtx")
    rank = {v: 64 for v in near}
    for _ in range(steps):
        rank = {v: 10 + (27 * sum(rank[w] // len(near[w]) for w in near[v])) // 32 for v in near}
    return rank


def waves(steps=6):
    near = graph("graph.mtx")
    high, fast = {v: 1000 * (v == 0) for v in near}, dict.fromkeys(near, 0)
    for _ in range(steps):
        pull = {v: sum(high[w] - high[v] for w in near[v]) >> 4 for v in near}
        high, fast = {v: high[v] + (fast[v] >> 2) for v in near}, {v: fast[v] + pull[v] for v in near}
    return {v: h for v, h in high.items() if h}


def walks(steps=3):
    near = graph("graph.mtx")
    at = {0: 1}
    for _ in range(steps):
        after = {}
        for v, n in at.items():
            for w in near[v]:
                after[w] = after.get(w, 0) + n
        at = after
    return at


def flow(steps=8):
    near, at = graph("graph.mtx"), {}
    for _ in range(steps):
        sums = {v: {0: 4000, 33: -4000}.get(v, 0) + sum(at.get(w, 0) for w in near[v]) for v in near}
        at = {v: q for v, s in sums.items() if (q := int(s / (len(near[v]) + 1)))}
    return at


def central(steps=6):
    near = graph("graph.mtx")
    x = dict.fromkeys(near, 10)
    for _ in range(steps):
        y = {v: sum(x[w] for w in near[v]) for v in near}
        x = {v: y[v] * 160 // sum(y.values()) for v in near}
    return {v: one for v, one in x.items() if one}


def matrix(path):
    lines = [line.split() for line in path.read_text().splitlines() if line[0] != "%"]
    return {(int(words[0]) - 1, int(words[1]) - 1): float(words[2]) if "." in words[2] or "e" in words[2] else int(words[2]) for words in lines[1:]}


def read(path):
    cells = matrix(path)
    return cells if any(j for _, j in cells) else {i: v for (i, _), v in cells.items()}


def dense(name, rows, columns):
    cells = matrix(examples / name)
    return [[cells.get((i, j), 0) for j in range(columns)] for i in range(rows)]


def times(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def graph_network():
    near = graph("graph.mtx")
    first, second = [[0] * 4 for _ in range(8)], [[0] * 3 for _ in range(4)]
    for i, j, v in ((0, 0, 2), (1, 0, -1), (2, 0, 1), (3, 1, 3), (4, 1, -2), (0, 1, -1), (5, 2, 2), (6, 2, -1), (2, 2, 1), (7, 3, 2), (4, 3, 1), (1, 3, -1)):
        first[i][j] = v
    for i, j, v in ((0, 0, 1), (1, 0, -1), (1, 1, 2), (2, 1, -1), (2, 2, 1), (3, 2, 1), (0, 2, -1)):
        second[i][j] = v
    known = times(dense("features.mtx", 34, 8), first)
    hidden = [[max(0, sum(known[w][k] for w in near[v])) for k in range(4)] for v in near]
    known = times(hidden, second)
    return {(v, c): score for v in near for c in range(3) if (score := sum(known[w][c] for w in near[v]))}


class Close(dict):
    """Numbers that 8 bits of a mantissa come near to."""

    def __eq__(self, other):
        return set(self) >= set(other) and all(abs(v - other.get(i, 0)) < 0.05 for i, v in self.items())

    def __ne__(self, other):
        return not self == other


def solution():
    near = graph("graph.mtx")
    rows = [[(1 + len(near[i])) * (i == j) - (j in near[i]) for j in near] + [{0: 8.0, 33: -8.0}.get(i, 0.0)] for i in near]
    return Close(enumerate(solved(rows)))


def clusters():
    points, means = dense("points.mtx", 24, 2), [[1, 1], [12, 9], [9, 14]]
    while True:
        own = [[] for _ in means]
        for x, y in points:
            far = [abs(x - a) + abs(y - b) for a, b in means]
            for c in range(3):
                if far[c] == min(far):
                    own[c].append((x, y))
        after = [[sum(p[f] for p in mine) // len(mine) if mine else 0 for f in range(2)] for mine in own]
        if after == means:
            return {(c, f): v for c, mean in enumerate(means) for f, v in enumerate(mean) if v}
        means = after


def attention():
    near, known, out = graph("graph.mtx"), dense("features.mtx", 34, 8), {}
    for v in near:
        scores = {w: sum(x * y for x, y in zip(known[v], known[w])) for w in near[v]}
        powers = {w: math.exp(s - max(scores.values())) for w, s in scores.items()}
        for f in range(8):
            value = sum(p * known[w][f] for w, p in powers.items()) / sum(powers.values() or [1])
            out |= {(v, f): value} if value else {}
    return Close(out)


def solved(rows):
    """The unknowns of a system, whose rows have the right side as last element; the rows change."""
    for k, pivot in enumerate(rows):
        for other in rows:
            if other is not pivot:
                factor = other[k] / pivot[k]
                other[:] = [x - factor * y for x, y in zip(other, pivot)]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def least_squares():
    """The factor of als.onx: of every row of the cube by itself, the normal equations of all that the other factors say of it."""
    text = (examples / "als.onx").read_text()
    b, c = ({tuple(map(int, at.split(","))): float(v) for at, v in re.findall(r"\((\d+,\d+)\): (\d+)", line)}
            for line in text.splitlines() if line.startswith(("tensor B", "tensor C")))
    cube = {tuple(int(w) - 1 for w in line.split()[:3]): float(line.split()[3]) for line in (examples / "cube.tns").read_text().splitlines()}
    size = [1 + max(at[n] for at in cube) for n in range(3)]
    pairs = [[b.get((j, r), 0) * c.get((k, r), 0) for r in range(3)] for j in range(size[1]) for k in range(size[2])]
    out = {}
    for i in range(size[0]):
        values = [cube.get((i, j, k), 0) for j in range(size[1]) for k in range(size[2])]
        normal = [[sum(p[r] * p[s] for p in pairs) for s in range(3)] + [sum(p[r] * v for p, v in zip(pairs, values))] for r in range(3)]
        out |= {(i, r): v for r, v in enumerate(solved(normal))}
    return Close(out)


def run(name, result, want, *options):
    global bad
    out = folder / name
    done = subprocess.run([onyx, "run", str(examples / f"{name}.onx"), "--engine", engine, "-o", str(out), *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name} {options}: {done.stderr}")
    got, report = read(out / f"{result}.mtx"), json.loads((out / "report.json").read_text())
    shown.add(trivial=quota.is_trivial([0, *want.values()]))
    if want != got or report["check"] != "pass":
        bad += 1
        print(f"{name} {options}: {got}, expected {want}; check {report['check']}")
    array = [s for s in report["statements"] if s["on"] == "array"]
    if not array or not all(s["runs"] == len(s["each"]) for s in report["statements"]):
        bad += 1
        print(f"{name}: the report counts no runs of the array")
    line = json.loads((out / "program_timeline.json").read_text())["runs"] if engine != "sam" else []
    for s in array if line else []:
        mine = [one for one in line if report["statements"][one["statement"]] is s]
        if any(sum(one[kind] for one in mine) != s["cycles"][kind] for kind in ("config", "kernel", "firmware")):
            bad += 1
            print(f"{name}, line {s['line']}: the time line's cycles {mine} are not the statement's {s['cycles']}")
    # The chip counts its cycles by itself: shares of a list's cycles are all of them.
    chip = {(stats["cgra_cycles"], stats["check_cycles"]) for stats in (json.loads(path.read_text()) for path in out.rglob("stats.json")) if engine == "soc"}
    if len(chip) == 1 and abs(min(chip)[0] - min(chip)[1] - report["total_cycles"]) > sum(s["runs"] for s in array):
        bad += 1
        print(f"{name} {options}: {report['total_cycles']} cycles of the statements, {min(chip)} of the chip and of checks")
    for s in array:
        if sum(one["cycles"] for one in s["each"]) != s["cycles"]["total"]:
            bad += 1
            print(f"{name}, line {s['line']}: the cycles of all runs are not those of the statement")
    return report


tests = {"bfs": lambda: run("bfs", "depth", breadth_first()),
         "sssp": lambda: run("sssp", "far", shortest_paths()),
         "components": lambda: run("components", "label", components()),
         "pagerank": lambda: run("pagerank", "rank", pagerank()),
         "graph_network": lambda: run("graph_network", "Y", graph_network()),
         "gradients": lambda: run("gradients", "x", solution()),
         "als": lambda: run("als", "A", least_squares()),
         "attention": lambda: run("attention", "Y", attention()),
         "kmeans": lambda: run("kmeans", "mean", clusters()),
         "waves": lambda: run("waves", "high", waves()),
         "jacobi": lambda: run("jacobi", "x", flow()),
         "power": lambda: run("power", "x", central()),
         "iterated_spmv": lambda: run("iterated_spmv", "x", walks())}
if set(tests) != {path.stem for path in examples.glob("*.onx")}:
    sys.exit("an example has no test here")
reports = {}
for name in names or tests:
    report = reports[name] = tests[name]()
    print(f"{name}: {report['total_cycles']} cycles, loops {[one['passes'] for loop in report['loops'] for one in loop['each']]}")
components = reports.get("components", {}).get("loops", [{}])[0].get("each")
if engine == "soc" and components not in (None, [{"pass": "", "passes": 5, "on_processor": 5}]):
    bad += 1
    print(f"the host went through the loop of components: {components}")
for name, passes in (("bfs", 4), ("sssp", 5), ("waves", 6), ("jacobi", 8), ("power", 6)):
    if engine != "soc" or name not in reports:
        continue
    # Frontiers, masks and the number of the step stay on the chip: the host writes before the first pass, and takes the result.
    report = reports[name]
    words = [each.get("host_words", {}) for statement in report["statements"] for each in statement["each"]]
    if report["loops"][0]["each"] != [{"pass": "", "passes": passes, "on_processor": passes}] or sum(bool(w.get("loaded")) for w in words) != 1:
        bad += 1
        print(f"the host went through the loop of {name}: {report['loops']}, {words}")
if engine == "soc" and "iterated_spmv" in (names or tests):
    # The array is configured once, and the matrix is loaded once, however many passes there are: what the chip's model counts.
    def figures(steps):
        report = run("iterated_spmv", "x", walks(steps), "--set", f"steps={steps}")
        return report["statements"][0]

    two, five = figures(2), figures(5) # a loop of one pass is compiled for what the vector holds then
    if five["cycles"]["config"] > 1.2 * two["cycles"]["config"]: # cycles of the array for one of the processor are those of the whole run
        bad += 1
        print(f"configured more than once: {five['cycles']}, two passes {two['cycles']}")
    # The processor goes through the loop by itself: the host writes before the first pass, however many there are, and takes one vector.
    report = run("iterated_spmv", "x", walks(5), "--set", "steps=5")
    if [(loop["on"], loop["each"]) for loop in report["loops"]] != [("processor", [{"pass": "", "passes": 5, "on_processor": 5}])]:
        bad += 1
        print(f"the host went through the loop: {report['loops']}")
    words, before = ([each.get("host_words", {}) for each in figures["each"]] for figures in (five, two))
    if any(w.get("loaded") or w.get("kept") for w in words[1:]) or words[0]["kept"] or words[0]["loaded"] - before[0]["loaded"] > 20:
        bad += 1
        print(f"the host wrote in later passes: {words}")
    if any(w.get("collected") for w in words[1:-1]) or not 17 <= words[-1]["collected"] <= 20:
        bad += 1
        print(f"the host took results in between: {words}")
if engine == "soc" and "iterated_spmv" in (names or tests):
    # Two copies load the vector in two blocks each: the processor puts the first copy's together of parts, and copies them. Of a long vector of
    # many parts that takes longer than what the host would do is taken to cost, and the host does it.
    report = run("iterated_spmv", "x", walks(), "--unroll", "2", "--tile", "i:16,j:17")
    (folder / "long.onx").write_text("""tensor A: ss = random "900x900:0.003"
tensor x: d = all 1
tensor y: d
repeat 3 {
    y(i) = A(i,j) * x(j)
    swap x, y
}
result x
""")
    done = subprocess.run([onyx, "run", folder / "long.onx", "--engine", "soc", "--unroll", "4", "--tile", "i:225,j:450", "-o", folder / "long", "--quiet"], capture_output=True, text=True)
    long = json.loads((folder / "long" / "report.json").read_text()) if done.returncode == 0 else {"loops": [{"each": []}]}
    if report["loops"][0]["each"][0]["on_processor"] < 2 or long.get("check") != "pass" or long["loops"][0]["each"][0]["on_processor"] > 1 or "sooner" not in long["loops"][0]["why"]:
        bad += 1
        print(f"who puts vectors together: {report['loops']}; exit {done.returncode}: {done.stderr} {long['loops']}")
if engine == "soc" and "iterated_spmv" in (names or tests):
    # What the processor has left of the loop lies in a bank that a statement of another bitstream uses: it is taken before.
    drawn = "".join(f'tensor {name}: ss = random "16x16:0.2"\n' for name in "ACDEFH")
    (folder / "over.onx").write_text(drawn + """tensor G: ds = random "16x16:0.4"
tensor x: d = all 1
tensor y: d
tensor B: ss
repeat 2 {
    y(i) = G(i,j) * x(j)
    swap x, y
}
B(i,j) = A(i,j) * C(i,j) + D(i,j) * E(i,j) + F(i,j) + H(i,j)
result x, B
""")
    done = subprocess.run([onyx, "run", folder / "over.onx", "-s", "B: reorder(i,j)", "--engine", "soc", "-o", folder / "over", "--quiet"], capture_output=True, text=True)
    report = json.loads((folder / "over" / "report.json").read_text()) if done.returncode == 0 else {}
    if report.get("check") != "pass" or report["bitstreams"] != 2 or report["loops"][0]["on"] != "processor":
        bad += 1
        print(f"results that are stored over: exit {done.returncode}: {done.stderr} {report}")
if engine == "soc" and "iterated_spmv" in (names or tests):
    # A compressed matrix that changes, from pass to pass with other entries: the processor copies what is stored to where it is loaded.
    cells = {(i, j): i + j + 1 for i in range(12) for j in range(12) if (5 * i + 7 * j) % 11 < 2}
    (folder / "cells.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n12 12 {len(cells)}\n" + "".join(f"{i + 1} {j + 1} {x}\n" for (i, j), x in cells.items()))
    (folder / "changes.onx").write_text("""tensor A: ss = "cells.mtx"
tensor B: ss = {(0,0): 2, (11,3): 1}
tensor x: d = all 1
repeat 3 {
    B(i,j) = B(i,j) + A(i,j)
    x(i) = B(i,j) * x(j)
}
result x
""")
    B, x = {(0, 0): 2, (11, 3): 1}, [1] * 12
    for _ in range(3):
        B = {at: B.get(at, 0) + cells.get(at, 0) for at in {*B, *cells}}
        x = [(sum(v * x[j] for (i, j), v in B.items() if i == row) + 0x8000) % 0x10000 - 0x8000 for row in range(12)]
    done = subprocess.run([onyx, "run", folder / "changes.onx", "--engine", "soc", "-o", folder / "changes", "--quiet", "--dtype", "int16", "--no-warning", "E0351"], capture_output=True, text=True)
    report = json.loads((folder / "changes" / "report.json").read_text()) if done.returncode == 0 else {"loops": [{}]}
    lines = [line.split() for line in (folder / "changes" / "x.mtx").read_text().splitlines() if line[0] != "%"][1:] if done.returncode == 0 else []
    if {int(w[0]) - 1: int(w[2]) for w in lines} != {i: v for i, v in enumerate(x) if v} or report["loops"][0].get("on") != "processor":
        bad += 1
        print(f"a matrix that changes: exit {done.returncode}: {done.stderr} {report['loops']} {lines}, expected {x}")
if engine == "soc" and "kmeans" in (names or tests):
    # With dense matrices the processor goes through the loop: transposed loads, the least along an index, a quotient with a vector, a swap.
    dense = (examples / "kmeans.onx").read_text().replace(": ss", ": dd").replace("least: s", "least: d").replace("far(p,c) == least(p)", "relu(1 - (far(p,c) - least(p)))")
    (folder / "dense.onx").write_text(dense)
    (folder / "points.mtx").write_text((examples / "points.mtx").read_text())
    done = subprocess.run([onyx, "run", folder / "dense.onx", "--engine", "soc", "-o", folder / "dense", "--quiet"], capture_output=True, text=True)
    report = json.loads((folder / "dense" / "report.json").read_text()) if done.returncode == 0 else {"loops": []}
    same = done.returncode == 0 and all((folder / "dense" / f"{t}.mtx").read_text() == (folder / "kmeans" / f"{t}.mtx").read_text() for t in ("mean", "size"))
    if not same or report["check"] != "pass" or [loop["each"] for loop in report["loops"]] != [[{"pass": "", "passes": 4, "on_processor": 4}]]:
        bad += 1
        print(f"clusters by dense matrices: exit {done.returncode}: {done.stderr} {report['loops']}")
if engine == "soc" and "iterated_spmv" in (names or tests):
    # A chip that does otherwise than the cycle model ahead of it: one step less of a list, one bit of what is taken in the end.
    home = folder / "tampered"
    home.mkdir(exist_ok=True)
    shutil.copy(onyx, home / "onyx")
    (home / "onyx-cosim").write_text("#!" + sys.executable + """
import os, subprocess, sys
child = subprocess.Popen([os.environ["COSIM"], *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
result = sys.argv[sys.argv.index("--result") + 1]
while True:
    line = child.stdout.readline()
    words = bytearray(open(result, "rb").read())
    at = {b"ONXL": 8, b"ONXR": 30}[bytes(words[:4])]
    words[at] ^= os.environ["TAMPER"].encode() == bytes(words[:4])
    open(result, "wb").write(words)
    os.write(1, line)
    names = b""
    while names.count(b"\\0") < 3:
        names += os.read(0, 1) or sys.exit(child.communicate() and child.returncode)
    result = names.split(b"\\0")[1]
    child.stdin.write(names)
    child.stdin.flush()
""")
    (home / "onyx-cosim").chmod(0o755)
    cosim = pathlib.Path(onyx).resolve().parent / "onyx-cosim"
    for tamper, code, says in (("", 0, ""), ("ONXL", 3, "[E0344-later]"), ("ONXR", 3, "[E0344-later]")):
        done = subprocess.run([home / "onyx", "run", examples / "iterated_spmv.onx", "--engine", "soc", "-o", folder / "tampered_run", "--quiet"],
                              capture_output=True, text=True, env={**os.environ, "COSIM": str(cosim), "TAMPER": tamper, "ONYX_HOME": str(examples.resolve().parent)})
        if done.returncode != code or says not in done.stderr:
            bad += 1
            print(f"tampered {tamper}: exit {done.returncode}: {done.stderr}")
if engine != "sam" and "sssp" in (names or tests):
    # All three statements are on one array, which is configured once; with -O0 each has its own.
    report = run("sssp", "far", shortest_paths())
    folders = [s["folder"] for s in report["statements"]]
    shares = {s["folder"]: sorted(s.get("shares", [])) for s in report["statements"]}
    bytes_of = {(folder / "sssp" / name / "bitstream.bs").read_bytes() for name in folders}
    if shares != {name: sorted(set(folders) - {name}) for name in folders} or len(bytes_of) != 1:
        bad += 1
        print(f"sssp: what shares an array: {shares}, {len(bytes_of)} bitstreams")
    configured = [s["cycles"]["config"] for s in report["statements"]]
    # The others' streams, once: beside a run of the statement before, if that is one run, and else, in sub-tiles, by themselves.
    apart = [s["cycles"]["config"] for s in run("sssp", "far", shortest_paths(), "--tile", "16")["statements"]]
    if engine == "soc" and (not 2000 < configured[0] < 4000 or any(configured[1:]) or not 2000 < apart[0] < 4000 or any(not 0 < c < 1600 for c in apart[1:])):
        bad += 1
        print(f"sssp: cycles of configuration by statement: {configured}, in sub-tiles {apart}")
    alone = run("sssp", "far", shortest_paths(), "-O0")
    # With -O0 the host goes through the loop, and what it packs takes no cycle of the chip: what is compared is how long it is configured.
    if any("shares" in s for s in alone["statements"]) or (engine == "soc" and sum(s["cycles"]["config"] for s in alone["statements"]) < 5 * sum(configured)):
        bad += 1
        print(f"sssp: {report['total_cycles']} cycles on one array, {alone['total_cycles']} with -O0")
if engine == "soc" and "bfs" in (names or tests):
    # Two bitstreams in the global buffer take turns: the array goes from one to the other without a boot. The smaller one, 135 words on six streams, in 2,500 cycles: the reset
    # between them clears the registers of the buffer on the chip (tests/programs/switches.py).
    two = ("--fuse-statements", "off") # fused the statements fit one bitstream
    report = run("bfs", "depth", breadth_first(), *two)
    runs = json.loads((folder / "bfs" / "program_timeline.json").read_text())["runs"]
    turns = {n: [r["config"] for r in runs if r["statement"] == n] for n in (1, 4)}
    if report.get("bitstreams") != 2 or not 2000 < turns[1][0] < 4000 or not 2000 < turns[4][0] < 4500 or any(
            not 600 < c < 2900 for c in turns[1][1:]) or any(not 600 < c < 2500 for c in turns[4][1:]):
        bad += 1
        print(f"bfs: {report.get('bitstreams')} bitstreams, cycles of configuration {turns}")
    waved = run("bfs", "depth", breadth_first(), "--wave", *two)
    alone = run("bfs", "depth", breadth_first(), "-O0")
    configured, apart = (sum(s["cycles"]["config"] + s["cycles"].get("verify", 0) for s in one["statements"]) for one in (report, waved)) # as above
    if "bitstreams" in waved or "bitstreams" in alone or apart < 1.4 * configured:  # every boot checks its program and data
        bad += 1
        print(f"bfs: configured and checked in {configured} cycles, {apart} with --wave")
if engine == "soc" and "pagerank" in (names or tests):
    # Edges by full vectors, in place of the default ones.
    chosen, default = run("pagerank", "rank", pagerank()), run("pagerank", "rank", pagerank(), "--tile", "16")
    if chosen["total_cycles"] > 0.6 * default["total_cycles"]:
        bad += 1
        print(f"pagerank: {chosen['total_cycles']} cycles, {default['total_cycles']} on 16-wide sub-tiles")
for name in ("gradients", "als") if engine == "cycle" and not names else ():
    # Statements that run one after the other are on one array: 4 and 3 switches a pass with the first array that has room for each.
    body = [s for s in json.loads((folder / name / "report.json").read_text())["statements"] if s["runs"] > 1 and s["on"] == "array"]
    arrays = [{s["folder"], *(s.get("shares") or [])} for s in body]
    switches = sum(a != b for a, b in zip(arrays, arrays[1:] + arrays[:1]))
    if switches > 2:
        bad += 1
        print(f"{name}: {switches} switches of bitstreams a pass")
if engine == "cycle" and not names:
    # Edges, copies and kernels by what the program will have computed by then: two layers, the second one with a function of a sum.
    draw = random.Random(5)
    edges, words = ([(draw.randrange(300), draw.randrange(wide), draw.randrange(1, 5)) for _ in range(many)] for wide, many in ((300, 1500), (200, 3000)))
    weights = [(l, k, draw.randrange(-4, 5)) for l in range(200) for k in range(8)]
    layers = folder / "layers"
    shutil.rmtree(layers, ignore_errors=True)
    layers.mkdir()
    for name, extents, entries in (("A", "300 300", edges), ("H", "300 200", words), ("W", "200 8", weights)):
        lines = [f"{i + 1} {j + 1} {v}" for i, j, v in entries]
        (layers / f"{name}.mtx").write_text("\n".join(["%%MatrixMarket matrix coordinate integer general", f"{extents} {len(lines)}", *lines, ""]))
    (layers / "layers.onx").write_text("".join(f"tensor {n}: ss = \"{n}.mtx\"\n" for n in "AHW") + "tensor T: ss\ntensor Y: ss\n"
                                       "T(i,k) = H(i,l) * W(l,k)\nY(i,k) = max(sum(j, A(i,j) * T(j,k)) - 50, 0)\nresult Y\n")
    middle, want = {}, {}
    for to, left, right in ((middle, words, weights), (want, edges, None)):
        for i, j, v in left:
            for l, k, w in right or [(l, k, w) for (l, k), w in middle.items() if l == j]:
                to[i, k] = to.get((i, k), 0) + v * w * (l == j)
    want = {at: v - 50 for at, v in want.items() if v > 50}
    shown.add(trivial=quota.is_trivial(want.values()))
    cycles = {}
    for options in ((), ("--tile", "16")):
        subprocess.run([onyx, "run", layers / "layers.onx", "--engine", "cycle", "-o", layers / "out", "--quiet", *options], check=True)
        got = [line.split() for line in (layers / "out" / "Y.mtx").read_text().splitlines() if line[0] != "%"][1:]
        if {(int(i) - 1, int(k) - 1): int(v) for i, k, v in got} != want:
            bad += 1
            print(f"layers {options}: {len(got)} values, {len(want)} wanted, or other ones")
        report = json.loads((layers / "out" / "report.json").read_text())
        cycles[options] = report["total_cycles"]
        copies = [s["compiled"]["unroll"] for s in report["statements"]]
        if (max(copies) > 1) == bool(options):
            bad += 1
            print(f"layers {options}: copies {copies}")
    if cycles[()] > 0.5 * cycles["--tile", "16"]:
        bad += 1
        print(f"layers: cycles {cycles}")
if not names:
    run("bfs", "depth", breadth_first(16), "--set", "start=16")
    run("pagerank", "rank", pagerank(0), "--set", "steps=0")
bad += check_reports.count_wrong(examples.parent, [(str(path), "report", path.read_bytes()) for path in folder.glob("*/report.json")])
sys.exit(bad + kept.count_wrong() != 0 or shown.failed())
