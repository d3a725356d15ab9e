"""Terminal, page and report.json say the same of who waited: figures.py ONYX FOLDER RUNS SEED.

Random kernels run on engine cycle, with copies that start together and apart. The lines of the summary are the page's, and every
share is the report's cycles divided by the kernel's."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from quota import Quota  # noqa: E402

onyx, folder, runs, seed = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
KERNELS = ["X(i,j) = B(i,k) * C(k,j)", "X(i,j) = B(i,j) * C(i,j)", "X(i,j) = B(i,j) + C(i,j)", "x(i) = B(i,j) * C(i,j)"]
PLAIN = dict(os.environ, PATH="")  # pages without drawings of graphs, which take most of the time
rng = random.Random(seed)
bad, apart, lines_seen, quota = [], 0, 0, Quota()
shutil.rmtree(folder, ignore_errors=True)


def check(name, is_so, what):
    if not is_so:
        bad.append(f"{name}: {what}")


def one(number):
    global apart, lines_seen
    n = rng.randrange(8, 60)
    words = [rng.choice(KERNELS), "-g", f"B:{n}x{n}:{rng.choice([0.05, 0.1, 0.3])}:{number}", "-g", f"C:{n}x{n}:0.2:{number + 100}"]
    words += rng.choice([[], ["--unroll", "2"], ["--unroll", "2", "--dispatch", "dynamic", "--tile", "8"], ["--tile", "16"]])
    out = folder / str(number)
    ran = subprocess.run([onyx, "run", *words, "--engine", "cycle", "--explain", "--deadlock", "warn", "-o", out], capture_output=True, text=True, check=False)
    name = " ".join(words)
    quota.add(accepted=ran.returncode != 2, trivial="  bound  " not in ran.stdout)
    if ran.returncode == 2:
        return False
    check(name, ran.returncode == 0, f"exit code {ran.returncode}: {ran.stderr}")
    if ran.returncode:
        return True
    report = json.loads((out / "report.json").read_text())
    kernel = report["cycles"]["kernel"] or 1
    for b in report["bottlenecks"]:
        check(name, abs(b["share"] - b["cycles"] / kernel) < 1e-9, f"share of {b['tile']}")
        check(name, b["share"] <= 1.000001, f"{b['tile']} made others wait for {b['share']} of the cycles")
    for s in report["stalls"]:
        check(name, abs(s["waited"] - (s["stalled"] + s["held"]) / kernel) < 1e-9, f"waited of {s['from']}")
        check(name, abs(s["busy"] - s["moved"] / kernel) < 1e-9, f"busy of {s['from']}")
    subprocess.run([onyx, "view", out, "--quiet"], env=PLAIN, check=True)
    page = (out / "view.html").read_text()
    data = json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.S)[1])
    shown = data["runs"][0]["kernels"][0]
    said = [line.split(None, 1)[1] for line in ran.stdout.splitlines() if re.match(r"  (bound|waits) ", line)]
    lines_seen += len(said)
    check(name, shown["verdict"] == said, f"the page says {shown['verdict']}, the terminal {said}")
    check(name, shown["report"]["bottlenecks"] == report["bottlenecks"], "bottlenecks of the page")
    for percent, tile in re.findall(r"(x\d+y\d+ \w+)(?: stalled its neighbours)? for (\d+) %", "".join(said[:1])):
        share = [b["share"] for b in report["bottlenecks"] if b["tile"] == percent]
        check(name, share and abs(100 * share[0] - int(tile)) <= 0.51, f"{percent}: {tile} %, the report has {share}")
    apart += report.get("dispatch", {}).get("how") == "dynamic"
    return True


done = sum(one(number) for number in range(runs))
check("all", done >= runs * 0.8, f"only {done} of {runs} runs fit")
check("all", apart >= runs * 0.1, f"only {apart} of {runs} had copies that start apart")
check("all", lines_seen >= runs, f"only {lines_seen} lines")
print("\n".join(bad) or f"{done} runs, {apart} with copies that start apart: {lines_seen} lines, the same everywhere")
sys.exit(bool(bad) or quota.failed())
