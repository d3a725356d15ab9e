"""Names of output files that are no plain files: nodes.py ONYX FOLDER. The nodes are made in FOLDER, which is emptied.

A device and a pipe are written through and stay what they are, a full device is an error, of a symbolic link the target is
replaced, a pipe without a reader waits until it is interrupted, and what is written to a descriptor stands between what
was and what will be there."""
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time

onyx, folder = sys.argv[1], sys.argv[2]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
try:
    os.mknod("probe", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.close(os.open("probe", os.O_WRONLY))
except PermissionError:
    print("device nodes cannot be made here")
    sys.exit(77)
problems = []
SMALL = ("-g", "b:9:0.7", "-g", "c:9:0.7")
# What writes the file {}, and how its name ends.
WRITERS = (
    (("view", "good", "-o", "{}"), "html"),
    (("bitgen", "good", "--board", "onyx-8x8", "-o", "{}"), "bs"),
    (("bits", "to-verilog", "good/bitstream.bs", "--board", "onyx-8x8", "-o", "{}"), "sv"),
    (("pnr", "good/design.packed", "--board", "onyx-8x8", "-o", "new", "--heat", "{}"), "json"),
    (("pnr", "good/design.packed", "--board", "onyx-8x8", "-o", "new", "--svg", "{}"), "svg"),
    (("sam", "x(i)=b(i)*c(i)", *SMALL, "--stats", "{}"), "json"),
    (("sam", "x(i)=b(i)*c(i)", *SMALL, "--trace", "{}"), "txt"),
    (("sam", "x(i)=b(i)*c(i)", *SMALL, "-o", "x:{}"), "tns"),
    (("run", "x(i)=b(i)*c(i)", *SMALL, "--tile", "4", "--engine", "cycle", "--board", "onyx-8x8", "-o", "new", "-o", "x:{}"), "mtx"),
    (("sweep", "report", "sweep.db", "--csv", "{}"), "csv"),
    (("sweep", "report", "sweep.db", "--html", "{}"), "html"),
)


def line(words, name):
    return [onyx] + [word.replace("{}", name) for word in words]


def call(words, name="", **how):
    return subprocess.run(line(words, name), text=True, stderr=subprocess.PIPE, timeout=1200, **{"stdout": subprocess.PIPE, **how})


def must(words, name=""):
    done = call(words, name)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")


def claim(holds, what):
    if not holds:
        problems.append(what)


def content(name):
    with open(name, "rb") as file:
        return file.read()


def device(words, end, what):
    name = f"null.{end}"
    os.mknod(name, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    done = call(words, name)
    claim(done.returncode == 0, f"{what}: a device: exit code {done.returncode}: {done.stderr}")
    claim(stat.S_ISCHR(os.lstat(name).st_mode), f"{what}: a device is replaced")


def full_device(words, end, what):
    name = f"full.{end}"
    os.mknod(name, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    done = call(words, name)
    claim(done.returncode == 1 and "No space left on device [E0004-write]" in done.stderr,
          f"{what}: a full device: exit code {done.returncode}: {done.stderr}")
    claim(stat.S_ISCHR(os.lstat(name).st_mode), f"{what}: a full device is replaced")


def link(words, end, what, wanted):
    os.makedirs("elsewhere", exist_ok=True)
    for old in (True, False):
        name, target = f"link.{old}.{end}", f"elsewhere/{old}.{end}"
        os.symlink(target, f"second.{name}")
        os.symlink(f"second.{name}", name)
        if old:
            with open(target, "w", encoding="ascii") as file:
                file.write("old")
        done = call(words, name)
        claim(done.returncode == 0, f"{what}: a link: exit code {done.returncode}: {done.stderr}")
        claim(os.path.islink(name) and os.path.islink(f"second.{name}"), f"{what}: a link is replaced")
        claim(os.path.exists(target) and content(target) == wanted, f"{what}: the target of a link is not what was written")


def pipe(words, end, what, wanted):
    name = f"pipe.{end}"
    got = []
    os.mkfifo(name)
    reader = threading.Thread(target=lambda: got.append(content(name)), daemon=True)
    reader.start()
    done = call(words, name)
    reader.join(20)
    claim(done.returncode == 0, f"{what}: a pipe: exit code {done.returncode}: {done.stderr}")
    claim(stat.S_ISFIFO(os.lstat(name).st_mode), f"{what}: a pipe is replaced")
    claim(got == [wanted], f"{what}: from a pipe comes something else")


def unread_pipe(words, end, what):
    name = f"unread.{end}"
    os.mkfifo(name)
    with subprocess.Popen(line(words, name), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        time.sleep(1)
        claim(child.poll() is None, f"{what}: it does not wait for the reader of a pipe")
        child.send_signal(signal.SIGINT)
        try:
            code = child.wait(120)
        except subprocess.TimeoutExpired:
            child.kill()
            code = None
        claim(code in (130, -signal.SIGINT), f"{what}: interrupted while it waits for a reader: {code}")


def descriptor(words, end, what, wanted):
    name = f"said.{end}"
    with open(name, "w", encoding="ascii") as said:
        said.write("before\n")
        said.flush()
        done = call(words, "/dev/fd/1" if end not in ("tns", "mtx") else f"fd.{end}", stdout=said)
    claim(done.returncode == 0, f"{what}: a descriptor: exit code {done.returncode}: {done.stderr}")
    claim(content(name).startswith(b"before\n") and wanted in content(name), f"{what}: a descriptor does not get it in its place")


for end in ("tns", "mtx"):
    os.symlink("/proc/self/fd/1", f"fd.{end}")
must(("run", "x(i)=b(i)*c(i)", *SMALL, "--tile", "4", "--engine", "cycle", "--board", "onyx-8x8", "-o", "good"))
must(("sweep", "x(i)=b(i)", "-g", "b:9:0.7", "--tile", "4,8", "--board", "onyx-8x8", "--engine", "cycle", "--db", "sweep.db", "--quiet"))
here = os.getcwd()
for number, (words, end) in enumerate(WRITERS):
    what = " ".join(words)
    os.makedirs(f"w{number}")
    for name in ("good", "sweep.db", "fd.tns", "fd.mtx"):
        os.symlink(f"../{name}" if not name.startswith("fd") else "/proc/self/fd/1", f"w{number}/{name}")
    os.chdir(f"w{number}")
    must(words, f"plain.{end}")
    wanted = content(f"plain.{end}")
    device(words, end, what)
    full_device(words, end, what)
    link(words, end, what, wanted)
    pipe(words, end, what, wanted)
    if number in (0, 6, 8):
        unread_pipe(words, end, what)
    descriptor(words, end, what, wanted)
    left = [name for name in os.listdir(".") + os.listdir("elsewhere") if name.endswith(".part")]
    claim(not left, f"{what}: leaves {left}")
    os.chdir(here)
print(f"{len(WRITERS)} writers, {len(problems)} problems")
print("\n".join(problems[:40]))
sys.exit(bool(problems))
