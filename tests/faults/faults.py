"""Fails every n-th allocation, file, close, rename and write to disk of a command, one after the other, and fills its
disk: faults.py ONYX SHIM STEP [PREPARATION... --] COMMAND...  STEP > 1 takes every STEP-th allocation only. Words:
{out} is the command's folder, {in} one that the preparation filled, {copy} {out} that begins as a copy of it; a command
that begins with onyx-cosim is that program, others are onyx.

Whatever fails, the command ends by itself with exit code 1 and a message with a code, or did without and its output is
what it is undisturbed; and each file that it left is complete. Where it did not run out of memory nothing leaks. A
results file of a sweep is whole, and the same command goes on with it."""
import filecmp
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

onyx, shim, step = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.environ["ONYX_NO_SYNC"] = "1"
*before, command = [words.split("\n") for words in "\n".join(sys.argv[4:]).split("\n--\n")]
work = tempfile.mkdtemp()
log, prepared = f"{work}/log", f"{work}/in"
problems = []
messages = set()


def line_of(words, out):
    program = onyx
    if words[0] == "onyx-cosim":
        program, words = os.path.join(os.path.dirname(onyx), "onyx-cosim"), words[1:]
    return [program] + [w.replace("{out}", out).replace("{copy}", out).replace("{in}", prepared) for w in words]


def start_over(out):
    shutil.rmtree(out, ignore_errors=True)
    if any("{copy}" in word for word in command):
        shutil.copytree(prepared, out)
    elif "{out}" not in command:  # else it makes its folder itself
        os.mkdir(out)


def run(out, kind="", nth=0, before=None, again=False):
    if not again:
        start_over(out)
    env = dict(os.environ)
    if not before and not again:
        del env["ONYX_NO_SYNC"]  # waiting for the disk fails, too
        env |= {"LD_PRELOAD": shim, "FAULT_KIND": kind, "FAULT_NTH": str(nth), "FAULT_LOG": log}
    if os.path.exists(log) and not again:
        os.remove(log)
    return subprocess.run((before or []) + line_of(command, out), env=env, capture_output=True, text=True, timeout=300)


def calls_and_live():
    with open(log, encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


TIMES = {"wall_s", "seconds", "stage_seconds", "wall_seconds", "cgra_cycles_per_second", "peak_rss_mb", "files"}  # `files` has the checksum of what holds times


def timeless(value):
    """All content except times, which differ from run to run."""
    if isinstance(value, dict):
        return {name: timeless(one) for name, one in value.items() if name not in TIMES}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def same(name, path, wanted):
    if name.endswith("report.json") or name.endswith("stats.json"):  # wall times are in it
        with open(path, encoding="utf-8") as one, open(wanted, encoding="utf-8") as other:
            return timeless(json.load(one)) == timeless(json.load(other))
    if name.endswith(".db"):
        return whole(path)
    return name.endswith(".log") or filecmp.cmp(path, wanted, shallow=False)


def whole(path):
    """Of a sweep: not damaged, and without half a row. It may be empty: not made yet."""
    with sqlite3.connect(path) as db:
        good = db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        rows = db.execute("SELECT state, report FROM point").fetchall() if db.execute("PRAGMA user_version").fetchone()[0] else []
    return good and all(state != "done" or json.loads(report) for state, report in rows)


def goes_on(what, out):
    done = run(out, again=True)
    if done.returncode or not os.path.exists(f"{out}/sweep.db") or not whole(f"{out}/sweep.db"):
        problems.append(f"{what}: the same command does not go on: {done.returncode}: {done.stderr[-300:]}")


def passing(name):
    """Unfinished files, possibly left by an interrupted command."""
    return name.endswith("-journal") or ".db.work/" in name or name.startswith("firmware/")


def files(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


def is_version(out, version):
    """Whether the folder has the files of one version, each as it is there."""
    left = {name for name in files(out) if not passing(name) and not name.startswith("partial/")}
    return left == files(version) and all(same(name, f"{out}/{name}", f"{version}/{name}") for name in left)


def judge_copy(what, done, out):
    """Over an earlier run: what there was before, or all that the command leaves; what is ready goes to its place with the next reader."""
    messages.add(done.stderr)
    if done.returncode not in (0, 1) or done.returncode and not re.search(r"error: .*\[E0\d{3}-[a-z-]+\]", done.stderr):
        problems.append(f"{what}: exit code {done.returncode}: {done.stderr[-300:]}")
    if os.path.isdir(f"{out}/ready"):
        subprocess.run([onyx, "view", out, "-o", f"{work}/x.html", "--quiet"], capture_output=True, check=False)
    if not is_version(out, good) and (done.returncode == 0 or not is_version(out, prepared)):
        problems.append(f"{what}: exit code {done.returncode}, neither the earlier run nor this: {sorted(files(out) ^ files(good))}")


def judge(what, done, out, parts):
    if copied:
        judge_copy(what, done, out)
        return
    left = files(out)
    if parts:
        left = {name for name in left if not name.endswith(".part")}
    if done.returncode:
        left = {name for name in left if not passing(re.sub("^(partial|ready)/", "", name))}
    wanted = files(good)
    whole_name = {name: re.sub("^(partial|ready)/", "", name) for name in left}
    bad = [name for name, its in whole_name.items() if its not in wanted or not same(its, f"{out}/{name}", f"{good}/{its}")]
    messages.add(done.stderr)
    if done.returncode not in (0, 1):
        problems.append(f"{what}: exit code {done.returncode}: {done.stderr[-300:]}")
    elif done.returncode == 1 and not re.search(r"error: .*\[E0\d{3}-[a-z-]+\]", done.stderr):
        problems.append(f"{what}: no message: {done.stderr[-300:]}")
    elif done.returncode == 0 and left != wanted:
        problems.append(f"{what}: exit code 0, but {sorted(wanted - left)} lack")
    if done.returncode == 0 and done.stdout.count("\n") != undisturbed.stdout.count("\n"):
        problems.append(f"{what}: exit code 0, but standard output is cut off")
    if any(name.endswith(".db") for name in wanted):
        goes_on(what, out)
    if bad:
        problems.append(f"{what}: exit code {done.returncode}, incomplete: {sorted(bad)}")


copied = any("{copy}" in word for word in command)
good, out = f"{work}/good", f"{work}/out"
for words in before:
    subprocess.run(line_of(words, out), check=True, stdout=subprocess.DEVNULL)
undisturbed = run(out)
if undisturbed.returncode:
    sys.exit(f"the command fails by itself: {undisturbed.stderr}")
shutil.move(out, good)  # files may name their folder
live = calls_and_live()[1]
runs = harmless = 0
for kind in ("malloc", "open", "close", "rename", "disk"):
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
    start_over(out)
    done = subprocess.run(line_of(command, out), stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
    if undisturbed.stdout and (done.returncode != 1 or "cannot write standard output" not in done.stderr):
        problems.append(f"/dev/full: exit code {done.returncode}: {done.stderr}")
shutil.rmtree(work)
if not any("E0005-memory" in text for text in messages):
    problems.append("no run ended with E0005-memory")
print(f"{runs} runs, of which {harmless} did without; {len(problems)} problems")
print("\n".join(problems[:40]))
sys.exit(bool(problems))
