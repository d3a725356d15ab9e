"""Holds a folder's timeline.json against its report.json: timeline.py DIR

The changes of a channel, added up, give at least the cycles of each state that the report has (it does not count flushes and what comes behind
the last output), and exactly its tokens; the shares of the bins are those of the changes.
"""

import json
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1])
record, report = (json.loads((folder / name).read_text()) for name in ("timeline.json", "report.json"))
names = {"m": "moved", "s": "stalled", "h": "held", "v": "starved", "i": "idle"}
assert record["exact_until"] == record["cycles"] and record["cycles"] >= report["cycles"]["kernel"]
for channel, counted in ((c, s) for c in record["channels"] for s in report["stalls"] if (c["from"], c["to"]) == (s["from"], s["to"])):
    changes, cycle = [], 0
    for letter, after in re.findall("([mshvi])([0-9A-Z]*)", channel["changes"]):
        cycle += int(after or "0", 36)
        changes.append((cycle, letter))
    ends = [begin for begin, _ in changes[1:]] + [record["cycles"]]
    states = "".join(letter * (end - begin) for (begin, letter), end in zip(changes, ends))
    assert states.count("m") >= counted["moved"], (channel["to"], states.count("m"), counted)
    for letter, name in names.items():
        assert states.count(letter) >= counted[name] or letter in "iv", (channel["to"], name, states.count(letter), counted)
    for b in range(0, -(-record["cycles"] // record["bin"])):
        part = states[b * record["bin"]:(b + 1) * record["bin"]]
        for at, letter in enumerate("mshv"):
            share = int(channel["bins"][4 * b + at], 36) / 35
            assert abs(share - part.count(letter) / len(part)) <= 0.5 / 35 + 1e-9, (channel["to"], b, letter)
print("channels have the sums of report.json")
