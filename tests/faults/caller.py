"""Commands whose parent left them signals that are ignored or held back, and another locale: caller.py ONYX FOLDER, which is emptied.

What they print and leave is what they print and leave otherwise, and they end."""
import os
import shutil
import signal
import subprocess
import sys

onyx, folder = sys.argv[1], sys.argv[2]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
BOARD = ("--board", "onyx-8x8", "--tile", "4")
KERNEL = ("x(i)=b(i)*c(i)", "-g", "b:40:0.7", "-g", "c:40:0.7", *BOARD)
COMMANDS = {
    "soc": ("run", *KERNEL, "--engine", "soc", "-o", "soc"),
    "jobs": ("run", *KERNEL, "--engine", "cycle", "--jobs", "2", "-o", "jobs"),
    "sweep": ("sweep", "x(i)=b(i)*c(i)", "-g", "b:9:0.7", "-g", "c:9:0.7", "--board", "onyx-8x8", "--engine", "cycle", "--tile", "3,4",
              "--jobs", "2", "--db", "sweep.db"),
    "doctor": ("doctor",),
}


def ignore(*numbers):
    return lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers]


def hold_back():
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()) - {signal.SIGINT})


STATES = {
    "as usual": None,
    "SIGCHLD ignored": ignore(signal.SIGCHLD),
    "SIGTERM and SIGPIPE ignored": ignore(signal.SIGTERM, signal.SIGPIPE),
    "all signals held back": hold_back,
}


def results(name):
    path = os.path.join(name, "x.mtx")
    return open(path).read() if os.path.exists(path) else ""


problems = []
usual = {}
for state, prepare in STATES.items():
    for name, words in COMMANDS.items():
        if name == "sweep" and os.path.exists("sweep.db"):
            os.remove("sweep.db")
        try:
            run = subprocess.run([onyx, *words], capture_output=True, text=True, timeout=300, preexec_fn=prepare,
                                 env=os.environ | {"LC_ALL": "de_DE.UTF-8"})
        except subprocess.TimeoutExpired:
            problems.append(f"{name}, {state}: does not end")
            continue
        got = (run.returncode, results(name))
        if usual.setdefault(name, got) != got:
            problems.append(f"{name}, {state}: exit code {run.returncode}, otherwise {usual[name][0]}\n{run.stderr}")
print("\n".join(problems) or f"{len(COMMANDS)} commands, {len(STATES)} states of signals")
sys.exit(bool(problems))
