"""Time-outs of tests hold on a busy machine, and test.sh runs each quick and full test: timeouts.py SOURCE BUILD

ctest may end a quick or full test only after 20 times the seconds that costs.txt has for it (with one other test beside it), or that the tests
left out there take at most: a machine with a load of 16 on two processors is 8 times as slow, and the sanitizers are beside that."""
import json
import pathlib
import subprocess
import sys

FACTOR, LEAST, UNASKED = 20, 5, 1500  # costs.txt begins at 5 s; a test without a time-out has ctest's own
source, build = sys.argv[1:3]
costs = {}
for line in pathlib.Path(source, "tests/costs.txt").read_text(encoding="ascii").splitlines():
    if len(line.split()) == 3:
        costs[line.split()[0]] = float(line.split()[2])
listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
count, problems, names = 0, [], set()
for test in json.loads(listed)["tests"]:
    properties = {one["name"]: one["value"] for one in test.get("properties", [])}
    names.add(test["name"])
    labels = set(properties.get("LABELS", []))
    if "once" in labels and "quick" not in labels:
        problems.append(f"{test['name']}: label once leaves it out of preset ci, and sanitizers run label quick alone")
    if not {"quick", "full"} & labels:
        continue
    count += 1
    limit, need = properties.get("TIMEOUT", UNASKED), FACTOR * costs.get(test["name"], LEAST)
    if limit < need:
        problems.append(f"{test['name']}: {limit:.0f} s, and it takes {need / FACTOR:.0f} s without a load: at least {need:.0f}")
problems += [f"{name} is in costs.txt, and no test" for name in sorted(costs.keys() - names)]
print("\n".join(problems + [f"{count} tests, {len(problems)} problems"]))
sys.exit(bool(problems) or not count)
