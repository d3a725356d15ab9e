#!/usr/bin/env python3
"""Statements of a block as one kernel with several results: joined.py ONYX FOLDER ENGINE. Plain Python computes what each program results in; it runs with
--fuse-statements off, auto and on, with smaller sub-tiles, and with an empty schedule for each joined statement, which keeps it apart. Results are equal,
joined statements are those stated (engine soc: off, auto and kept apart alone), and they take fewer cycles than apart."""
import json
import pathlib
import subprocess
import sys

onyx, folder, engine = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
folder.mkdir(parents=True, exist_ok=True)
N = 19
A = {(i, j): (3 * i + 5 * j) % 7 - 3 or 5 for i in range(N) for j in range(N) if (7 * i + 11 * j + i * j) % 13 < 3}
x, w = [(5 * i + 2) % 17 - 8 for i in range(N)], [(7 * i + 4) % 19 - 9 for i in range(N)]
DATA = (f"tensor A({N},{N}): ss = {{{', '.join(f'({i},{j}): {v}' for (i, j), v in A.items())}}}\n"
        f"tensor x({N}): d = {x}\ntensor w({N}): d = {w}\n")


def times(vector, turned=False):
    y = [0] * N
    for (i, j), v in A.items():
        y[j if turned else i] += v * vector[i if turned else j]
    return y


def passes(n):
    """What bfs and waves do: two statements of a pass that read the same values."""
    a, b = list(x), list(w)
    for _ in range(n):
        c = times(a)
        a, b = [u + v for u, v in zip(b, c)], [u - v for u, v in zip(a, c)]
    return a, b


def both(n):
    a, b = list(x), list(w)
    for _ in range(n):
        a, b = [u + v for u, v in zip(a, times(b))], [u - v for u, v in zip(b, times(a))]
    return a, b


squares = sum(v * v for v in x)
LOOP = f"tensor a({N}): d\ntensor b({N}): d\ntensor c({N}): d\ntensor d({N}): d\na(i) = x(i) * 1\nb(i) = w(i) * 1\n"
# The text, the results, and the lines of statements that run with an earlier one.
PROGRAMS = {
    "same": ("y(i) = A(i,j) * x(j)\nz(i) = A(i,j) * w(j)\nresult y, z\n", {"y": times(x), "z": times(w)}, [5]),
    "turned": ("y(i) = A(i,j) * x(j)\nz(j) = A(i,j) * w(i)\nresult y, z\n", {"y": times(x), "z": times(w, True)}, [5]),
    "three": ("y(i) = A(i,j) * x(j)\nz(i) = A(i,j) * w(j)\nt(i) = x(i) + w(i)\nresult y, z, t\n",
              {"y": times(x), "z": times(w), "t": [u + v for u, v in zip(x, w)]}, [5, 6]),
    "behind": ("y(i) = A(i,j) * x(j)\nt(i) = y(i) * y(i)\nz(i) = A(i,j) * w(j)\nresult y, z, t\n",
               {"y": times(x), "z": times(w), "t": [v * v for v in times(x)]}, [6]),
    "printed": ("y(i) = A(i,j) * x(j)\nz(i) = x(i) * x(i)\nprint \"z\", z\nresult y, z\n", {"y": times(x), "z": [v * v for v in x]}, [5]),
    "value": ("y(i) = x(i) * 2\ns = x(i) * x(i)\nresult y, s\n", {"y": [2 * v for v in x], "s": [squares]}, [5]),
    "needed": ("y(i) = A(i,j) * x(j)\nz(i) = A(i,j) * y(j)\nresult y, z\n", {"y": times(x), "z": times(times(x))}, []),
    "changed": ("y(i) = A(i,j) * x(j)\nx(i) = w(i) * 3\nz(i) = A(i,j) * x(j)\nresult y, x, z\n",
                {"y": times(x), "x": [3 * v for v in w], "z": times([3 * v for v in w])}, []),
    "loop": (LOOP + "repeat 4 {\n    c(i) = A(i,j) * a(j)\n    d(i) = b(i) + c(i)\n    b(i) = a(i) - c(i)\n    swap a, d\n}\nresult a, b\n",
             dict(zip("ab", passes(4))), [13]),
    "multi": (LOOP + "repeat 3 {\n    multi {\n        a(i) = a(i) + A(i,j) * b(j)\n        b(i) = b(i) - A(i,j) * a(j)\n    }\n}\nresult a, b\n",
              dict(zip("ab", both(3))), [13]),
    # The first statement of the multi has no entry in any pass, so the kernel runs for the others alone.
    "nothing": (f"tensor u({N}): d = {{0: 3}}\ntensor v({N}): s = {{5: 2}}\ntensor z({N}): d\nrepeat 2 {{\n    multi {{\n        u(i) = u(i) * v(i)\n"
                "        v(i) = u(i) + v(i)\n        z(i) = v(i) * v(i)\n    }\n}\nresult u, v, z\n",
                {"u": [0] * N, "v": [3, 0, 0, 0, 0, 2] + [0] * (N - 6), "z": [9, 0, 0, 0, 0, 4] + [0] * (N - 6)}, [10, 11]),
}


def run(name, *options):
    out = folder / name
    done = subprocess.run([onyx, "run", folder / f"{name}.onx", "--engine", engine, "--dtype", "int16", "--quiet", "--no-warning", "E0351,E0129", "-o", out, *options],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr
    got = {}
    for tensor, values in PROGRAMS[name][1].items():
        lines = [line.split() for line in (out / f"{tensor}.mtx").read_text().splitlines() if line[0] != "%"][1:]
        got[tensor] = {int(line[0]) - 1: int(line[2]) for line in lines if int(line[2])}
    return got, json.loads((out / "report.json").read_text())


def word(v):
    return (v + 32768) % 65536 - 32768


wrong = 0
for name, (text, results, joined) in PROGRAMS.items():
    (folder / f"{name}.onx").write_text(DATA + text)
    want = {t: {i: word(v) for i, v in enumerate(values) if word(v)} for t, values in results.items()}
    done = {"off": run(name, "--fuse-statements", "off"), "": run(name)}
    apart, auto = done["off"][1], done[""][1]
    names = {one["tensor"] for one in auto["fusions"] if one.get("joined")}
    ways = [["--fuse-statements", "off"], [], *([] if engine == "soc" else [["--fuse-statements", "on"], ["--tile", "8"], ["--checkpoint", "1"]]),
            *(["-s", f"{one}:"] for one in sorted(names))]
    for way in ways:
        got, report = done.get("".join(way[1:2]) if way[:1] != ["-s"] else None) or run(name, *way)
        lines = [one["line"] for one in report["fusions"] if one.get("joined")] if got else []
        if got != want or report["check"] != "pass":
            wrong += 1
            print(f"{name} {way}: {got if got else report}, expected {want}")
        elif way[:1] == ["-s"] and any(one["tensor"] == way[1][:-1] and one.get("joined") for one in report["fusions"]) or (way == ["--fuse-statements", "off"] and lines):
            wrong += 1
            print(f"{name} {way}: joined {lines}")
        elif not way and lines != joined:
            wrong += 1
            print(f"{name}: joined {lines}, expected {joined}: {report['fusions']}")
    if joined and auto["total_cycles"] >= apart["total_cycles"]:
        wrong += 1
        print(f"{name}: {auto['total_cycles']} cycles, {apart['total_cycles']} apart")
sys.exit(wrong != 0)
