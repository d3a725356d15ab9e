"""Fails every n-th allocation, file, close and rename of a command, one after the other, and fills its disk: faults.py
ONYX SHIM STEP COMMAND...  with {out} for its folder; STEP > 1 takes every STEP-th allocation only.

Whatever fails, the command ends by itself with exit code 1 and a message with a code, or did without and its output is
what it is undisturbed; and each file that it left is complete. Where it did not run out of memory nothing leaks."""
import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

onyx, shim, step, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
work = tempfile.mkdtemp()
log = f"{work}/log"
problems = []
messages = set()


def run(out, kind="", nth=0, before=None):
    shutil.rmtree(out, ignore_errors=True)
    env = None if before else dict(os.environ, LD_PRELOAD=shim, FAULT_KIND=kind, FAULT_NTH=str(nth), FAULT_LOG=log)
    if os.path.exists(log):
        os.remove(log)
    line = [onyx] + [word.replace("{out}", out) for word in command]
    return subprocess.run((before or []) + line, env=env, capture_output=True, text=True, timeout=300)


def calls_and_live():
    with open(log, encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def same(name, path, wanted):
    if name == "report.json":  # has wall times in it
        with open(path, encoding="utf-8") as one, open(wanted, encoding="utf-8") as other:
            return json.load(one).keys() == json.load(other).keys()
    return filecmp.cmp(path, wanted, shallow=False)


def files(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


def judge(what, done, out, parts):
    left = files(out)
    if parts:
        left = {name for name in left if not name.endswith(".part")}
    wanted = files(good)
    bad = [name for name in left if name not in wanted or not same(name, f"{out}/{name}", f"{good}/{name}")]
    messages.add(done.stderr)
    if done.returncode not in (0, 1):
        problems.append(f"{what}: exit code {done.returncode}: {done.stderr[-300:]}")
    elif done.returncode == 1 and not re.search(r"error: .*\[E0\d{3}-[a-z-]+\]", done.stderr):
        problems.append(f"{what}: no message: {done.stderr[-300:]}")
    elif done.returncode == 0 and left != wanted:
        problems.append(f"{what}: exit code 0, but {sorted(wanted - left)} lack")
    if done.returncode == 0 and done.stdout.count("\n") != undisturbed.stdout.count("\n"):
        problems.append(f"{what}: exit code 0, but standard output is cut off")
    if bad:
        problems.append(f"{what}: exit code {done.returncode}, incomplete: {sorted(bad)}")


good, out = f"{work}/good", f"{work}/out"
undisturbed = run(out)
if undisturbed.returncode:
    sys.exit(f"the command fails by itself: {undisturbed.stderr}")
shutil.move(out, good)  # files may name their folder
live = calls_and_live()[1]
runs = harmless = 0
for kind in ("malloc", "open", "close", "rename"):
    run(out, kind)
    calls = calls_and_live()[0]
    for nth in range(1, calls + 1, step if kind == "malloc" else 1):
        done = run(out, kind, nth)
        judge(f"{kind} {nth} of {calls}", done, out, kind == "malloc")
        if kind != "malloc" and done.returncode in (0, 1) and calls_and_live()[1] > live:
            problems.append(f"{kind} {nth} of {calls}: {calls_and_live()[1] - live} blocks are not freed")
        runs += 1
        harmless += done.returncode == 0
    print(f"{kind}: {calls} calls")
# A disk that is full after so many blocks of 1024 bytes.
for blocks in (0, 1, 2, 3, 5, 8, 13, 21, 34, 55):
    done = run(out, before=["sh", "-c", f"trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"", "sh"])
    judge(f"files of {blocks} blocks", done, out, False)
    runs += 1
with open("/dev/full", "w", encoding="ascii") as full:
    line = [onyx] + [word.replace("{out}", out) for word in command]
    done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 1 or "cannot write standard output" not in done.stderr:
        problems.append(f"/dev/full: exit code {done.returncode}: {done.stderr}")
shutil.rmtree(work)
if not any("E0005-memory" in text for text in messages):
    problems.append("no run ended with E0005-memory")
print(f"{runs} runs, of which {harmless} did without; {len(problems)} problems")
print("\n".join(problems[:40]))
sys.exit(bool(problems))
