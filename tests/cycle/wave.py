"""Waveforms against the run's other accounts: wave.py ONYX; exits with 77 where fst2vcd is missing."""

import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile


def moved_tokens(vcd):
    """By tile and port, the tokens that arrived, cycle by cycle."""
    names, scope, now, value = {}, "", 0, {}
    moved = collections.defaultdict(list)
    channels = []

    def pass_to(cycle):
        for port, token, activity in channels:
            if value.get(activity) == "moves":
                moved[port] += [value[token]] * (cycle - now)

    for line in vcd.splitlines():
        words = line.split()
        if line.startswith("$scope"):
            scope = words[2]
        elif line.startswith("$var"):
            names[f"{scope}.{words[4]}"] = words[3]
        elif line.startswith("$enddefinitions"):
            channels = [(n, names[n], names[n + "_is"]) for n in names if n + "_is" in names]
        elif line.startswith("#"):
            pass_to(int(line[1:]))
            now = int(line[1:])
        elif line.startswith("s"):
            value[words[-1]] = words[0][1:] if len(words) > 1 else ""
    pass_to(now + 1)
    return moved


def run(onyx, engine, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([onyx, "run", *arguments, "--engine", engine, "--wave", "--quiet", "-o", folder], check=True)
        vcd = subprocess.run(["fst2vcd", f"{folder}/waves.fst"], check=True, capture_output=True, text=True).stdout
        shown = [line for line in pathlib.Path(f"{folder}/waves.gtkw").read_text().splitlines() if "." in line and line[0] != "["]
        return moved_tokens(vcd), json.loads(pathlib.Path(f"{folder}/report.json").read_text()), shown


def main():
    if not shutil.which("fst2vcd"):
        print("skipped: fst2vcd is not there")
        return 77
    onyx = sys.argv[1]
    # A copy takes all its input: as many tokens as the accounts say, on every channel.
    copy = ["X(i,j)=B(i,j)", "-g", "B:40x50:0.1:3", "--tile", "16"]
    moved, report, shown = run(onyx, "cycle", *copy)
    assert len(report["stalls"]) > 10
    for channel in report["stalls"]:
        tile, primitive, port = channel["to"].split(" ")
        name = f"{tile}_{primitive}.{port}"
        assert len(moved[name]) == channel["moved"], (name, len(moved[name]), channel["moved"])
        assert name in shown and name + "_is" in shown, name
    # The same tokens under the firmware, at other times.
    on_soc, _, shown_too = run(onyx, "soc", *copy)
    assert on_soc == moved and shown_too == shown, set(on_soc) ^ set(moved)
    # The words of the result, by their block headers: segments, coordinates and values of x = (5, 0, 7).
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(f"{folder}/b.tns").write_text("1 5\n3 7\n")
        moved, _, _ = run(onyx, "cycle", "x(i)=b(i)", "-i", f"b:{folder}/b.tns")
    outputs = sorted(words for name, words in moved.items() if "_io_out." in name)
    assert outputs == [["2", "0", "2", "2", "0", "2"], ["2", "5", "7"]], outputs
    # Stop and done tokens have names.
    tokens = {token for words in moved.values() for token in words}
    assert {"S0", "D"} <= tokens, tokens
    print("waves and accounts agree")
    return 0


sys.exit(main())
