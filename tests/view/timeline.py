"""Holds a folder's timeline.json against its report.json: timeline.py DIR

Engine cycle: the changes of a channel, added up, give at least the cycles of each state that the report has (it does not count flushes and what
comes behind the last output), and exactly its tokens; the shares of the bins are those of the changes. Engine soc: the time line is as long as
the report says, copies work in the cycles of the kernel, every word of a stream passes the IO tile, and every word of the bitstream a
configuration.


A program's folder has program_timeline.json instead: its runs are those of the report, one after the other, and every kernel's records lie within
the runs of its statement.
"""

import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
if (folder / "program_timeline.json").exists():
    line, report = (json.loads((folder / name).read_text()) for name in ("program_timeline.json", "report.json"))
    at = 0
    for run in line["runs"]:
        assert run["begin"] == at and run["config"] + run["kernel"] + run["firmware"] <= run["cycles"], run
        at += run["cycles"]
    for number, statement in enumerate(report["statements"]):
        own = [run for run in line["runs"] if run["statement"] == number]
        assert [run["pass"] for run in own] == [one["pass"] for one in statement["each"]], (own, statement["each"])
        assert all(run["cycles"] >= one["cycles"] for run, one in zip(own, statement["each"])), own
        for part in ("config", "kernel", "firmware"):
            assert sum(run[part] for run in own) == statement["cycles"][part], (part, own, statement)
    assert line["records"] and {record["kernel"] for record in line["records"]} == set(range(len(line["kernels"])))
    for record in line["records"]:
        lanes, name = len(line["kernels"][record["kernel"]]["channels"]), line["kernels"][record["kernel"]]["name"]
        number = [s.get("folder") for s in report["statements"]].index(name.split("/")[0])
        assert any(run["begin"] == record["begin"] for run in line["runs"] if run["statement"] == number) or "/" in name, record["begin"]
        assert len(record["bins"]) == lanes and all(len(b) == 4 * -(-record["cycles"] // record["bin"]) for b in record["bins"]), name
        assert record["exact_until"] == 0 or len(record["changes"]) == lanes, name
    assert sum(len(b) for record in line["records"] for b in record["bins"]) <= 1 << 19
    assert sum(len(c) for record in line["records"] for c in record.get("changes", [])) <= 1 << 20
    last = max(record["begin"] + record["cycles"] for record in line["records"])
    assert at <= line["cycles"] == max(at, last), (at, last, line["cycles"])
    print("runs and records lie on one axis")
    sys.exit()
record, report = (json.loads((folder / name).read_text()) for name in ("timeline.json", "report.json"))
names = {"m": "moved", "s": "stalled", "h": "held", "v": "starved", "i": "idle"}


def states_of(channel):
    """A letter for each cycle."""
    changes, cycle = [], 0
    for letter, after in re.findall("([mshvi])([0-9A-Z]*)", channel["changes"]):
        cycle += int(after or "0", 36)
        changes.append((cycle, letter))
    ends = [begin for begin, _ in changes[1:]] + [record["cycles"]]
    return "".join(letter * (end - begin) for (begin, letter), end in zip(changes, ends))


if record.get("sampled"):
    """Counters that were read now and then: the shares give the sums of the report, and every run lies on its copy's lane."""
    assert record["exact_until"] == 0 and record["cycles"] == report["cycles"]["kernel"], record["cycles"]
    counted = {(s["from"], s["to"]): s for s in report["stalls"]}
    widths = [min(record["bin"], record["cycles"] - at) for at in range(0, record["cycles"], record["bin"])]
    assert len(widths) <= 256 and len(record["channels"]) >= len(counted) > 0
    for channel in record["channels"]:
        shares = [[int(digit, 36) / 35 for digit in channel["bins"][4 * b:4 * b + 4]] for b in range(len(widths))]
        assert len(channel["bins"]) == 4 * len(widths), channel["to"]
        for at, name in enumerate(("moved", "stalled", "held")):
            spent = sum(width * share[at] for width, share in zip(widths, shares))
            if "kind" not in channel:
                wanted = counted[channel["from"], channel["to"]][name]
                assert abs(spent - wanted) <= 0.5 / 35 * record["cycles"] + 1, (channel["to"], name, spent, wanted)
            elif name == "moved":
                wanted = sum(run["cycles"] for run in record["runs"] if f"copy {run['copy']}" == channel["from"])
                assert abs(spent - wanted) <= 0.5 / 35 * record["cycles"] + 1, (channel["from"], spent, wanted)
    assert record["runs_in_all"] == len(record["runs"]) > 0
    for before, run in ((a, b) for n, b in enumerate(record["runs"]) for a in record["runs"][:n] if a["copy"] == b["copy"]):
        assert run["begin"] >= before["begin"] + before["cycles"] or run["begin"] == before["begin"], (before, run)
    assert max(run["begin"] + run["cycles"] for run in record["runs"]) == record["cycles"]
    print("samples have the sums of report.json")
    sys.exit()
assert record["exact_until"] == record["cycles"]
if report["engine"] == "soc":
    by_kind = {kind: {c["to"]: states_of(c) for c in record["channels"] if c.get("kind") == kind} for kind in ("copy", "load", "store", "processor", "configuration")}
    moved = {c["from"] if " io_in " in c["from"] else c["to"]: states_of(c).count("m") for c in record["channels"] if "kind" not in c}
    work = sum("m" in cycle for cycle in zip(*by_kind["copy"].values()))
    assert record["cycles"] == report["cycles"]["total"] + report["cycles"].get("verify", 0), (record["cycles"], report["cycles"])
    assert len(by_kind["copy"]) == report["unroll"] and 0 <= work - report["cycles"]["kernel"] <= 2 * report["subtiles"]["passes"], work
    assert [len(by_kind[k]) for k in ("processor", "configuration")] == [1, 1] and len(by_kind["load"]) + len(by_kind["store"]) == report["tiles"]["io"]
    for to, states in [*by_kind["load"].items(), *by_kind["store"].items()]:
        column = to.split(" ")[0]
        assert states.count("m") == next(n for at, n in moved.items() if at.split(" ")[0] == column), (to, states.count("m"))
    assert all(states.count("m") >= report["bitstream"]["words"] for states in by_kind["configuration"].values())
    assert all(set(states) >= {"m", "s"} for states in by_kind["processor"].values())
    print("lanes have the sums of report.json")
    sys.exit()
assert record["cycles"] >= report["cycles"]["kernel"]
for channel, counted in ((c, s) for c in record["channels"] for s in report["stalls"] if (c["from"], c["to"]) == (s["from"], s["to"])):
    states = states_of(channel)
    assert states.count("m") >= counted["moved"], (channel["to"], states.count("m"), counted)
    for letter, name in names.items():
        assert states.count(letter) >= counted[name] or letter in "iv", (channel["to"], name, states.count(letter), counted)
    for b in range(0, -(-record["cycles"] // record["bin"])):
        part = states[b * record["bin"]:(b + 1) * record["bin"]]
        for at, letter in enumerate("mshv"):
            share = int(channel["bins"][4 * b + at], 36) / 35
            assert abs(share - part.count(letter) / len(part)) <= 0.5 / 35 + 1e-9, (channel["to"], b, letter)
print("channels have the sums of report.json")
