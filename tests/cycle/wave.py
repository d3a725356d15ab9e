"""Waveforms against the run's other accounts: wave.py ONYX [rtl]; exits with 77 where fst2vcd is missing."""

import collections
import json
import pathlib
import re
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


def moved_on_wires(vcd):
    """The same for a netlist's wires: valid and ready after one clock edge arrive at the next."""
    names, wires, value, scopes = {}, {}, {}, []
    moved = collections.defaultdict(list)
    for line in vcd.splitlines():
        words = line.split()
        if line.startswith("$scope"):
            scopes.append(words[2] + "." if words[1] == "struct" else "")
        elif line.startswith("$upscope"):
            scopes.pop()
        elif line.startswith("$var"):
            names[scopes[-1] + words[4]] = words[3]
        elif line.startswith("$enddefinitions"):
            inputs = [n[: -len(".valid")] for n in names if re.fullmatch(r"x\d+y\d+_in\d+\.valid", n)]
            wires = {n: [names[n + end] for end in (".valid", "_ready", ".data")] for n in inputs}
        elif line.startswith("#"):
            for name, (valid, ready, data) in wires.items():
                if value.get(valid) == value.get(ready) == "1":
                    moved[name].append(int(value[data], 2))
        elif words and line[0] in "01":
            value[line[1:]] = line[0]
        elif line.startswith("b"):
            value[words[1]] = words[0][1:]
    return moved


def compare_netlist(onyx, copy, moved, shown):
    """Engine rtl: as many tokens through every input, and the wires GTKWave is told of are there."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([onyx, "run", *copy, "--engine", "rtl", "--wave", "--quiet", "-o", folder], check=True)
        vcd = subprocess.run(["fst2vcd", f"{folder}/waves.fst"], check=True, capture_output=True, text=True).stdout
        save = pathlib.Path(f"{folder}/waves.gtkw").read_text().splitlines()
        named = [f"{0x10000 + level:05X} S{level}" for level in range(64)] + ["10100 D", "10200 N"]
        assert pathlib.Path(f"{folder}/tokens.txt").read_text().splitlines() == named
    wires = moved_on_wires(vcd)
    titles = [line[1:].split() for line in save if line.startswith("-")]
    signals = [line.split(".")[-2] for line in save if line.endswith(".data[16:0]")]
    assert len(titles) == len(signals) == len(wires) == len(moved)
    for (tile, primitive, port), signal in zip(titles, signals):
        tokens = moved[f"{tile}_{primitive}.{port}"]
        assert f"{tile}_{primitive}.{port}" in shown
        got = wires[signal]
        assert [str(word & 0xFFFF) for word in got if word < 1 << 16] == [t for t in tokens if t.isdigit()], signal
        assert len(got) == len(tokens), signal


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
    if sys.argv[2:] == ["rtl"]:
        compare_netlist(onyx, copy, moved, shown)
        print("the netlist's wires and the accounts agree")
        return 0
    # Under the firmware the tokens are the same, at other times.
    on_soc, _, shown_too = run(onyx, "soc", *copy)
    of_chip = {name for name in on_soc if name.endswith((".load", ".store", ".is"))}
    assert {n: t for n, t in on_soc.items() if n not in of_chip} == moved, set(on_soc) ^ set(moved)
    assert [name for name in shown_too if not name.removesuffix("_is").endswith((".load", ".store", ".is"))] == shown
    # A store takes the words at its IO tile.
    stores = [name for name in of_chip if name.endswith(".store")]
    assert stores and all(on_soc[name] == moved[name.removesuffix("store") + "f2io"] for name in stores), stores
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
