#!/usr/bin/env python3
"""A checkpoint is taken by the same command alone: checkpoints.py ONYX FOLDER. A loop that does not end leaves one; other text, data, settings,
data type or bitstreams (another placement) give it another mark, and then the program begins anew; the same command goes on."""
import json
import pathlib
import subprocess
import sys

onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
TEXT = """param least = 30000
tensor A: ss = "A.mtx"
tensor x(3): d = all 1
scalar s = 0
repeat until s > least max 3 else fail {
    x(i) = A(i,j) * x(j)
    s = 1
}
result x
"""
DATA = "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 1\n2 3 1\n3 1 2\n"
bad = 0


def run(*options, text=TEXT, data=DATA):
    """The mark and the passes that were written in all: 3, and no more where the command went on."""
    (folder / "p.onx").write_text(text)
    (folder / "A.mtx").write_text(data)
    done = subprocess.run([onyx, "run", str(folder / "p.onx"), "--engine", "cycle", "--checkpoint", "1", "-o", str(folder / "out"), *options],
                          capture_output=True, text=True)
    if "[E0960-passes]" not in done.stderr:
        sys.exit(f"{options}: {done.stderr}")
    found = json.loads((folder / "out/checkpoint.json").read_text())
    return found["of"], found["state"]["x"] if "x" in found["state"] else found["state"]["tensors"]


first, state = run()
for what, again in (("the same command", run()), ("the same command", run())):
    if again != (first, state):
        bad += 1
        print(f"{what} has another checkpoint")
for what, options, changed in (("other bitstreams", ["--seed", "77"], {}), ("another data type", ["--dtype", "bf16"], {}), ("a setting", ["--set", "least=29999"], {}),
                               ("other text", [], {"text": TEXT.replace("s = 1", "s = 2")}), ("other data", [], {"data": DATA.replace("3 1 2", "3 1 1")}),
                               ("other coordinates", [], {"data": DATA.replace("3 1 2", "3 2 2")})):
    if run(*options, **changed)[0] == first:
        bad += 1
        print(f"the checkpoint of {what} has the same mark")
again = run()
kept = folder / "out/checkpoint.json"
kept.write_text(kept.read_text().replace('"passes":', '"passes": 1').replace('"passes": 1\t3', '"passes": 2'))
if again[0] != first or run() != again:
    bad += 1
    print("a damaged checkpoint was taken")
_, state = run(text=TEXT.replace("s > least", "s < -least").replace("s = 1", "s = s + 30000"))
if [90000] not in [tensor.get("wide") for tensor in state.values()]:
    bad += 1
    print("a checkpoint lacks the 32 bits of a scalar:", state)
print(f"{bad} problems")
sys.exit(bad > 0)
