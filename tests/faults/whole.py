"""A folder is whole or old: whole.py ONYX FAIL_NTH FOLDER, which is emptied.

A command that gets the place of another in a folder is killed before each call that changes a folder or waits for the disk, in turn. What
the next reader finds is all that was there before, or all that a command leaves that is not killed; and the command, run again, comes to its
end. Files that are nobody's stay."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

onyx, preload, folder = sys.argv[1:4]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
os.environ["ONYX_NO_SYNC"] = "1"
BOARD = ("--board", "onyx-8x8", "--tile", "4", "--quiet", "-o", "out")
OLD = ("run", "x(i)=b(i)*c(i)", "-g", "b:9:0.7", "-g", "c:9:0.7", "--engine", "cycle", "--io-trace", "--dump", "sam", *BOARD)
NEW = ("run", "x(i)=C(i,j)+D(i,j)", "-g", "C:5x4:0.7", "-g", "D:5x4:0.7", "--engine", "cycle", *BOARD)
problems = []


def call(words, **environment):
    """A command that may be killed waits for the disk, in the preloaded library."""
    environment = os.environ | environment
    if "LD_PRELOAD" in environment:
        del environment["ONYX_NO_SYNC"]
    return subprocess.run([onyx, *words], capture_output=True, text=True, timeout=600, env=environment)


def files():
    """Names and contents, but for how long it took, and where."""
    found = {}
    for at, _, names in os.walk("out"):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                text = file.read()
            if name == "report.json":
                text = re.sub(rb'"(wall_s|seconds|peak_rss_mb)":\s*(\{[^}]*\}|[0-9.e+-]+)', b"", text)
            found[os.path.relpath(path, "out")] = hashlib.sha256(text).hexdigest()
    return found


def old_state():
    shutil.rmtree("out", ignore_errors=True)
    shutil.copytree("old", "out", symlinks=True)


def listed_and_there(what):
    with open("out/report.json", encoding="utf-8") as file:
        listed = json.load(file)["files"]
    for name in listed:
        if not os.path.exists(f"out/{name}"):
            problems.append(f"{what}: {name} is listed and not there")


if call(OLD).returncode or call(("view", "out", "--quiet")).returncode:
    sys.exit("the first command fails")
with open("out/notes.mtx", "w", encoding="ascii") as file:
    file.write("mine")
with open("out/waves.fst", "w", encoding="ascii") as file:
    file.write("mine, and called as a file of a command")
old = files()
os.rename("out", "old")
old_state()
log = os.path.abspath("calls")
done = call(NEW, LD_PRELOAD=preload, FAULT_KIND="kill", FAULT_NTH="0", FAULT_LOG=log)
if done.returncode:
    sys.exit(done.stderr)
new = files()
with open(log, encoding="ascii") as file:
    calls = int(file.read().split()[0])
for gone in ("io.trace", "dump/sam.gv", "view.html"):
    if gone in new or gone not in old:
        problems.append(f"{gone} is there {gone in old} before, {gone in new} after")
if new.get("notes.mtx") != old["notes.mtx"] or new.get("waves.fst") != old["waves.fst"]:
    problems.append("a file that no report lists is gone, or changed")
seen = {"old": 0, "new": 0}
for n in range(1, calls + 1):
    old_state()
    done = call(NEW, LD_PRELOAD=preload, FAULT_KIND="kill", FAULT_NTH=str(n))
    what = f"killed before call {n} of {calls}"
    if done.returncode != -9:
        problems.append(f"{what}: exit code {done.returncode}")
    reader = call(("view", "out", "--quiet", "-o", "page.html"), PATH="/")  # without Graphviz: the folder is what is read
    now = {name: text for name, text in files().items() if not name.startswith("partial/")}
    if reader.returncode:
        problems.append(f"{what}: view: {reader.stderr}")
    for name, state in (("old", old), ("new", new)):
        seen[name] += now == state
    if now not in (old, new):
        mixed = sorted(name for name in now.keys() | new.keys() if now.get(name) != new.get(name))
        problems.append(f"{what}: neither old nor new: {mixed}")
    listed_and_there(what)
    if n % 5 == 0 and (call(NEW).returncode or files() != new):
        problems.append(f"{what}: run again, it leaves something else")
if not (calls > 20 and seen["old"] and seen["new"]):
    problems.append(f"{calls} calls: old {seen['old']} times, new {seen['new']} times")

# A file that is not as listed is noticed.
old_state()
with open("out/design.route", "a", encoding="ascii") as file:
    file.write("# changed\n")
for words, code in ((("view", "out", "-o", "page.html"), "E0956-mixed"),):
    done = call(words)
    if done.returncode != 1 or code not in done.stderr:
        problems.append(f"{words[0]} of a changed folder: {done.returncode} {done.stderr}")
with open("out/command.json", "a", encoding="ascii") as file:
    file.write("\n")
for words in (("cosim", "out"), ("firmware", "out"), ("reduce", "out"), ("bugreport", "out")):
    done = call(words)
    if done.returncode != 1 or "E0956-mixed" not in done.stderr:
        problems.append(f"{words[0]} of a changed folder: {done.returncode} {done.stderr}")
print(f"{calls} points: old {seen['old']} times, new {seen['new']} times; {len(problems)} problems")
print("\n".join(problems[:40]))
sys.exit(bool(problems))
