"""What a report says frees streams is compiled: so many copies fit, and one more does not."""
import json
import subprocess
import sys

KEPT = {"y(i)=A(i,j)*x(j)": {"A": "ss", "x": "s", "y": "s"}, "X(i,j)=A(i,k)*B(k,j)": {}}


def fits(expression, how, copies):
    formats = dict(KEPT[expression])
    options = []
    if how.startswith("-f "):
        name, levels = how[3:].split(":")
        formats[name] = levels
    elif how:
        options = ["-s", how[4:-1]]
    for name, levels in formats.items():
        options += ["-f", f"{name}:{levels}"]
    ran = subprocess.run(["onyx", "compile", expression, *options, "-O0", "--unroll", str(copies), "-o", "freed"], capture_output=True, text=True)
    assert ran.returncode == 0 or "E0510" in ran.stderr, ran.stderr
    return ran.returncode == 0


report = json.load(open(sys.argv[1]))
expression, freed = report["expression"], report["freed"]
assert fits(expression, "", freed["room"]) and not fits(expression, "", freed["room"] + 1), freed
for one in freed["by"]:
    print(one["how"])
    assert one["copies"] > freed["room"] and (one["loads"] < freed["loads"] or one["stores"] < freed["stores"]), one
    assert fits(expression, one["how"], one["copies"]) and not fits(expression, one["how"], one["copies"] + 1), one
