#!/usr/bin/env python3
"""What programs take with their statements apart and fused: fused.py ONYX EXAMPLES FOLDER [ENGINE...]. Prints a row a program and engine: statements,
cycles and words of the host, with --fuse-statements off and auto. Every run is compared with the reference, and the results of both with each other."""
import json
import pathlib
import subprocess
import sys

onyx, examples, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
engines = sys.argv[4:] or ["cycle", "soc"]
GRAPH = 'tensor A: ss = random "60x60:0.08:1" ones\n'
WORDS = 'tensor X: ss = random "60x16:0.3:2"\n'
PROGRAMS = {
    "sampled product": 'tensor A: ss = random "100x100:0.03:1"\ntensor B: ss = random "100x20:0.2:2"\ntensor C: ss = random "20x100:0.2:3"\n'
                       "T(i,j) = B(i,k) * C(k,j)\nX(i,j) = A(i,j) * T(i,j)\n",
    "add, multiply, relu": "".join(f'tensor {t}: ss = random "100x100:0.05:{n}"\n' for n, t in enumerate("ABC", 1)) +
                           "S(i,j) = A(i,j) + B(i,j)\nT(i,j) = S(i,j) * C(i,j)\nX(i,j) = relu(T(i,j))\n",
    "masked scores": GRAPH + WORDS + "S(i,j) = X(i,f) * X(j,f)\nT(i,j) = mask(A(i,j), S(i,j))\nm(i) = max(j, T(i,j))\nresult T, m\n",
    "gated layer": GRAPH + WORDS + 'tensor G: ss = random "60x16:0.3:5"\nN(i,f) = A(i,j) * X(j,f)\nS(i,f) = X(i,f) - N(i,f)\nY(i,f) = N(i,f) + G(i,f) * S(i,f)\n',
    "isomorphism layer": GRAPH + WORDS + 'tensor W: ss:1,0 = random "16x8:0.5:4"\nN(i,f) = A(i,j) * X(j,f)\nS(i,f) = 2 * X(i,f) + N(i,f)\n'
                         "T(i,k) = S(i,f) * W(f,k)\nY(i,k) = relu(T(i,k))\n",
    "truss": GRAPH + "repeat 3 {\n    S(i,j) = A(i,k) * A(k,j)\n    T(i,j) = mask(A(i,j), S(i,j))\n    U(i,j) = T(i,j) >= 1\n    A(i,j) = A(i,j) * U(i,j)\n}\nresult A\n",
    "squares of a residual": 'tensor A: ss = random "80x80:0.1:1"\ntensor x: d = random "80:1:2"\ntensor b: d = random "80:1:3"\n'
                             "q(i) = A(i,j) * x(j)\nr(i) = b(i) - q(i)\ns(i) = r(i) * r(i)\n",
    "weights in a loop": 'tensor A: ss = random "80x80:0.1:1"\ntensor B: ss = random "80x80:0.1:2"\ntensor x: d = all 1\ntensor y: d\n'
                         "repeat 5 {\n    W(i,j) = A(i,j) * B(i,j)\n    y(i) = W(i,j) * x(j)\n    x(i) = min(y(i), 9)\n}\nresult x\n",
}


def run(path, engine, how):
    out = folder / how
    done = subprocess.run([onyx, "run", path, "--engine", engine, "--fuse-statements", how, "--quiet", "--no-warning", "E0351,E0129", "-o", out],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0]
    report = json.loads((out / "report.json").read_text())
    if report["check"] != "pass":
        sys.exit(f"{path} {engine} {how}: check {report['check']}")
    words = sum(each.get("host_words", {}).get(way, 0) for one in report["statements"] for each in one["each"] for way in ("loaded", "collected"))
    results = {one["tensor"]: (out / f"{one['tensor']}.mtx").read_text() for one in report["results"]}
    return (len(report["statements"]), report["total_cycles"], words), results if report["type"]["of"] == "int16" else {}


folder.mkdir(parents=True, exist_ok=True)
paths = {path.stem: path for path in sorted(examples.glob("*.onx"))}
for name, text in PROGRAMS.items():
    paths[name] = folder / f"{name.replace(' ', '_').replace(',', '')}.onx"
    paths[name].write_text(text)
print("| program | engine | statements | cycles | cycles, fused | words of the host | fused |\n|---|---|---|---|---|---|---|")
for name, path in paths.items():
    for engine in engines:
        (apart, want), (fused, got) = run(path, engine, "off"), run(path, engine, "auto")
        if apart and fused and want != got:
            sys.exit(f"{name} {engine}: fused the results are others")
        if not apart or not fused:
            print(f"| {name} | {engine} | {want if not apart else got} |", flush=True)
        elif apart[0] != fused[0] or apart[1] != fused[1]:
            print(f"| {name} | {engine} | {apart[0]}, {fused[0]} | {apart[1]:,} | {fused[1]:,} | {apart[2]:,} | {fused[2]:,} |", flush=True)
