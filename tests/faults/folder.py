"""What a command that fails leaves of the results before it: folder.py ONYX FOLDER, which is emptied.

Whatever ends a run - a mistake, the hardware, a signal, a full disk - the files of the last one that came to its end are what
they were, and report.json says so. Of what is half-written nothing stays beside them."""
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

onyx, folder = sys.argv[1], sys.argv[2]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
problems = []
BOARD = ("--board", "onyx-8x8", "--engine", "cycle", "--tile", "4")
GOOD = ("run", "x(i)=b(i)*c(i)", "-g", "b:9:0.7", "-g", "c:9:0.7", *BOARD, "-o", "out", "--io-trace", "--dump", "sam")
FAILING = (
    ("a mistake in the expression", 1, ("run", "x(i)=b(i)*c(i", *BOARD, "-o", "out")),
    ("a file that is missing", 1, ("run", "x(i)=b(i)*c(i)", "-i", "b:none.mtx", "-g", "c:9:0.7", *BOARD, "-o", "out")),
    ("no room on the array", 2, ("run", "x(i)=b(i)*c(i)", "-g", "b:9:0.7", "-g", "c:9:0.7", *BOARD, "--unroll", "64", "-o", "out")),
    ("no room on the array, other names", 2, ("run", "y(i)=b(i)*c(i)", "-g", "b:9:0.7", "-g", "c:9:0.7", *BOARD, "--unroll", "64", "-o", "out")),
    ("a kernel that the chip cannot do", 2, ("compile", "x(i)=b(i)/c(i)", "--functions", "none", *BOARD[:2], "-o", "out")),
)


def claim(holds, what):
    if not holds:
        problems.append(what)


def call(words, **how):
    return subprocess.run([onyx, *words], capture_output=True, text=True, timeout=1200, **how)


def files(under="out"):
    found = {}
    for at, _, names in os.walk(under):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, under)] = hashlib.sha256(file.read()).hexdigest()
    return found


def whole(before, what):
    now = {name: value for name, value in files().items() if not name.startswith("partial/")}
    claim(now == before, f"{what}: of the results before it is changed: "
          f"{sorted(name for name in now.keys() | before.keys() if now.get(name) != before.get(name))}")


done = call(GOOD)
if done.returncode:
    sys.exit(done.stderr)
before = files()
claim({"x.mtx", "report.json", "command.json", "bitstream.bs", "io.trace", "dump/sam.gv"} <= before.keys(), f"a run leaves {sorted(before)}")
with open("out/report.json", encoding="utf-8") as file:
    listed = json.load(file).get("files", {})
claim(listed.keys() == before.keys() - {"report.json"}, f"report.json lists {sorted(listed)}")
claim(len(set(listed.values())) == len({before[name] for name in listed if name in before}), "report.json: checksums do not differ as the files do")
claim(os.stat("out/report.json").st_mtime_ns >= max(os.stat(f"out/{name}").st_mtime_ns for name in before), "report.json is not the last")
claim(not os.path.exists("out/partial"), "a run that is done leaves its partial folder")

for what, code, words in FAILING:
    done = call(words)
    claim(done.returncode == code, f"{what}: exit code {done.returncode}: {done.stderr}")
    whole(before, what)
    if code == 2:
        claim(os.path.exists("out/partial/sam.gv"), f"{what}: nothing partial is left")
        claim(not os.path.exists("out/partial/report.json"), f"{what}: a partial report")

# A run is killed, in the middle and while it writes; the next one clears that away, and only that.
big = ("run", "X(i,j)=B(i,k)*C(k,j)", "-g", "B:500x500:0.1", "-g", "C:500x500:0.1", "--engine", "cycle", "-o", "out")
for how in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
    with subprocess.Popen([onyx, *big], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        until = time.monotonic() + 600
        while not os.path.exists("out/partial/bitstream.bs") and child.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        claim(child.poll() is None, f"{how.name}: the run was faster")
        child.send_signal(how)
        said = child.communicate()[0]
    claim(not said, f"{how.name}: it said {said}")
    whole(before, how.name)
with subprocess.Popen(["true"]) as dead:
    dead.wait()
living = os.getpid()
for name in (f"x.mtx.{dead.pid}.part", f"view.html.{living}.part", "notes.part", f"sub/x.mtx.{dead.pid}.part"):
    os.makedirs(os.path.dirname(f"out/{name}"), exist_ok=True)
    with open(f"out/{name}", "w", encoding="ascii") as file:
        file.write("half")
done = call(GOOD)
now = files()
claim(done.returncode == 0 and not os.path.exists("out/partial"), f"the run after them: {done.stderr}")
claim(now.keys() - before.keys() == {f"view.html.{living}.part", "notes.part", f"sub/x.mtx.{dead.pid}.part"},
      f"swept wrongly, there is more: {sorted(now.keys() - before.keys())}")
claim(all(now.get(name) == before[name] for name in before if name not in ("report.json",)), "the same run leaves other files")

# A disk that gets full while the results are written: nothing is said of results.
for most in range(0, 4096, 128):
    shutil.rmtree("full", ignore_errors=True)
    words = ("run", "x(i)=b(i)", "-g", "b:9:0.7", "--engine", "sam", "-o", "full")  # report.json is longest
    limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
    done = call(words, preexec_fn=limit)
    claim(done.returncode in (0, 1), f"files of {most} bytes: exit code {done.returncode}")
    claim(done.returncode == 0 or "check:" not in done.stdout, f"files of {most} bytes: it says {done.stdout}")
    claim(done.returncode == 0 or not os.path.exists("full/report.json"), f"files of {most} bytes: there is a report")

# Other expressions take the place of what is theirs alone; results stay, since they may be operands.
done = call(("run", "y(i)=x(i)+x(i)", "-i", "x:out/x.mtx", *BOARD, "-o", "out"))
now = files()
claim(done.returncode == 0 and now.get("x.mtx") == before["x.mtx"] and "y.mtx" in now, f"on a result of before: {done.stderr}")
claim("io.trace" not in now and "dump/sam.gv" not in now, "the trace of another run stays")

# A result of another order or format has the same name and other files: after each pair of runs those of the second.
RESULTS = ((("x(i)=b(i)", "-g", "b:9:0.7"), {"x.mtx"}), (("x(i,j,k)=b(i,j,k)", "-g", "b:3x3x3:0.7"), {"x.tns"}),
           (("x(i,j)=b(i,j)", "-g", "b:8x8:0.5", "-f", "x:BCSR"), {"x.mtx", "x.stored"}))
for first, _ in RESULTS:
    for second, wanted in RESULTS:
        for words in (first, second):
            done = call(("run", *words, "--engine", "sam", "-o", "orders"))
        there = {name for name in files("orders") if name.startswith("x.")}
        claim(done.returncode == 0 and there == wanted, f"{second[0]} behind {first[0]} leaves {sorted(there)}")
print(f"{len(problems)} problems")
print("\n".join(problems[:40]))
sys.exit(bool(problems))
