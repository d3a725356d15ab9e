"""The edges of the process: edges.py ONYX SOURCE FOLDER COUNT SEED [KEPT]; the folder is emptied.

Each case is a command that works, with one thing around it changed: a word of a placement, a route or a record; a folder, a link or
nothing in place of a file, for inputs and outputs; the locale; a signal some milliseconds after the start; a system call that fails
(strace). Whatever it is, the command ends by itself with exit code 0 to 3 (130 after a signal, or the signal itself), an error has its
code, no half-written file stays, and what the command reads is as it was. What broke one is kept in KEPT, by default FOLDER/found."""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import quota  # noqa: E402

onyx, source, folder, count, seed = os.path.abspath(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]).resolve(), int(sys.argv[4]), sys.argv[5]
kept = pathlib.Path(sys.argv[6]).resolve() if len(sys.argv) > 6 else folder / "found"
SECONDS = 60
BOARD = ["--board", "onyx-8x8"]
PLACED = ["pack", *BOARD, "--place", "place"]
COMMANDS = (  # words, the files among them that are text, files that are written
    (["sta", *PLACED, "--route", "route"], ("pack", "place", "route"), ()),
    (["sta", *PLACED, "--route", "route"], ("place", "route"), ()),
    (["route", *PLACED, "-o", "new"], ("pack", "place"), ("new",)),
    (["pnr", "pack", *BOARD, "--fixed", "place", "--effort", "1", "-o", "new"], ("place", "pack"), ("new",)),
    (["bitgen", "design", *BOARD, "-o", "new.bs"], ("design/design.place", "design/design.route", "design/netlist.json"), ("new.bs",)),
    (["bits", "verify", "design/bitstream.bs", *BOARD, "--design", "design"], ("design/design.place", "design/design.route", "design/bitstream.bs"), ()),
    (["bits", "to-verilog", "design/bitstream.bs", *BOARD, "-o", "new.sv"], ("design/bitstream.bs",), ("new.sv",)),
    (["merge", "design", "-o", "new"], ("design/command.json", "design/report.json"), ("new",)),
    (["reduce", "design", "--time-limit", "5", "-o", "new", "--quiet"], ("design/command.json",), ("new",)),
    (["view", "two", "-o", "new.html"], ("two/report.json", "two/sam.gv"), ("new.html",)),
    (["sam", "x(i)=b(i)*c(i)", "-i", "b:b.mtx", "-i", "c:c.mtx", "-o", "x:new.mtx", "--stats", "stats.json"], ("b.mtx", "c.mtx"), ("new.mtx", "stats.json")),
    (["run", "x(i)=b(i)*c(i)", "-i", "b:b.mtx", "-i", "c:c.mtx", "--engine", "sam", "-o", "new", "--quiet"], ("b.mtx", "c.mtx"), ("new",)),
    (["tile", "convert", "b.mtx", "-f", "ss", "-o", "new.stored"], ("b.mtx",), ("new.stored",)),
    (["tile", "stats", "b.mtx", "--tile", "4"], ("b.mtx",), ()),
    (["run", "x(i)=own(b(i))*c(i)", "-i", "b:b.mtx", "-i", "c:c.mtx", "--functions", "own.xf", "--call-seconds", "1", "--engine", "sam", "-o", "new", "--quiet"],
     ("own.xf", "own.c", "b.mtx"), ("new",)),
    (["run", "X(i,j)=B(i,j)", "-i", "B:b.mtx", "-f", "B:Own", "--formats", "own.formats", "--engine", "sam", "-o", "new", "--quiet"], ("own.formats",), ("new",)),
)
LOCALES = ("C", "de_DE.UTF-8", "tr_TR.UTF-8", "fa_IR", "C.UTF-8", "no_SUCH", "")
CALLS = ("openat", "read", "write", "fstat", "close", "rename", "mkdir", "unlink", "fsync", "flock", "mmap", "getcwd", "newfstatat")
ERRORS = ("EIO", "ENOSPC", "EINTR", "EACCES", "EMFILE", "ENOMEM", "EROFS")
WORDS = ("", "0", "-1", "1", "7", "65536", "4294967296", "99999999999999999999", "nan", "0x10", "x", "p0", "m1", "I0", "PORT", "REG", "SB", "Net",
         "data_in_0", "\x01", "\u00e9", "#", "%s", "{}", "[]", "null", "true", '"', ",", ":")
strace = shutil.which("strace")


def work_on(text, dice):
    """One or two words of a text exchanged, dropped, doubled, or lines exchanged."""
    for _ in range(dice.randrange(1, 3)):
        if not dice.randrange(4):
            lines = text.split("\n")
            a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
            how = dice.randrange(4)
            if how == 0:
                lines[a], lines[b] = lines[b], lines[a]
            elif how == 1:
                del lines[a]
            elif how == 2:
                lines.insert(a, lines[b])
            else:
                lines = lines[:a]
            text = "\n".join(lines)
            continue
        places = [m.span() for m in re.finditer(r"[^\s,:\"(){}\[\]]+", text)]
        if not places:
            return text
        begin, end = dice.choice(places)
        other = dice.choice(places)
        word = dice.choice((dice.choice(WORDS), text[other[0]:other[1]], text[begin:end] * 2))
        text = text[:begin] + word + text[end:]
    return text


def run(words, where, environment, kill_after=None, inject=None):
    argv = [onyx, *words]
    if inject:
        argv = [strace, "-f", "-qq", "-o", "/dev/null", "-e", f"inject={inject}", *argv]
    with subprocess.Popen(argv, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        try:
            if kill_after is not None:
                time.sleep(kill_after[0])
                child.send_signal(kill_after[1])
            said = child.communicate(timeout=SECONDS)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            child.kill()
            return None, child.communicate()[0].decode(errors="replace")
    return child.returncode, said


def snapshot(where):
    return {str(p.relative_to(where)): p.read_bytes() for p in sorted(where.rglob("*")) if p.is_file() and not p.is_symlink()}


def with_change(whole, where, name):
    """The snapshot of a copy in which the file of that name differs."""
    path = where / name
    if path.is_file() and not path.is_symlink():
        return {**whole, name: path.read_bytes()}
    return {at: text for at, text in whole.items() if at != name and not at.startswith(name + "/")}


def complaint(code, said, before, after, changed, kill, written):
    if code is None:
        return f"does not end in {SECONDS} s"
    if re.search(r"Sanitizer|runtime error:|internal fault", said):
        return "a fault: " + said[:300]
    signals = (130, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP, 143, 129)
    if code not in (0, 1, 2, 3) and not (kill and code in signals):
        return f"exit code {code}: {said[:300]}"
    if code in (1, 2, 3) and not kill and not re.search(r"\[E\d{4}-", said) and "E0" not in said:
        return f"exit code {code} without a code: {said[:200]}"
    for name, text in before.items():
        top = name.split("/")[0]
        if after.get(name) != text and top not in written and name not in changed and not name.startswith("design/reduced"):
            return f"it changed {name}"
    if not kill:
        parts = [name for name in after if name.endswith(".part") and name not in before]
        if parts:
            return f"it left {parts}"
    return ""


def prepare(good):
    (good / "b.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n9 1 4\n1 1 3\n4 1 -2\n5 1 7\n9 1 1\n")
    (good / "c.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n9 1 3\n1 1 2\n5 1 5\n8 1 1\n")
    (good / "own.c").write_text("#include <stdlib.h>\ndouble own_value(double x) {\n    double y = 0;\n    for (int i = 0; i < 3; i++)\n        y += abs((int)x) / (i + 1);\n    return y;\n}\n")
    (good / "own.xf").write_text("call: double own_value(X)\ncapability: Y(i) = own(X(i))\ndatatypes: int16\nsource: own.c\n")
    (good / "own.formats").write_text("format Own = (i,j) -> (j, i) merge(0) trim(1,1)\n")
    for name, engine in (("design", "cycle"), ("two", "sam")):
        made = subprocess.run([onyx, "run", "x(i)=b(i)*c(i)", "-i", "b:b.mtx", "-i", "c:c.mtx", "--engine", engine, *(BOARD if engine != "sam" else []), "-o", name,
                               "--quiet"], cwd=good, capture_output=True, text=True)
        if made.returncode:
            sys.exit(made.stderr)
    for name, of in (("pack", "design.packed"), ("place", "design.place"), ("route", "design.route")):
        shutil.copy(good / "design" / of, good / name)


def replace_by_node(path, dice):
    """A folder, a link to nothing, a link to itself, or nothing at all."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif path.exists() or path.is_symlink():
        path.unlink()
    how = dice.randrange(5)
    if how == 0:
        path.mkdir()
    elif how == 1:
        path.symlink_to("nowhere")
    elif how == 2:
        path.symlink_to(path.name)
    elif how == 3:
        path.write_bytes(b"")


def main():
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(kept, ignore_errors=True)
    good = folder / "good"
    good.mkdir(parents=True)
    prepare(good)
    whole = snapshot(good)
    kinds, codes, found, shares = {}, {}, 0, quota.Quota()
    begin = time.monotonic()
    clean = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"} | {"ONYX_NO_SYNC": "1"}
    for number in range(count):
        dice = random.Random(f"{seed} {number}")
        work = folder / str(number)
        shutil.copytree(good, work)
        words, texts, written = dice.choice(COMMANDS)
        kind = dice.choices(("text", "node", "locale", "signal", "call"), (10, 4, 2, 2, 2 if strace else 0))[0]
        environment, changed, kill, inject, what, same = dict(clean), set(), None, None, "", False
        if kind == "text":
            name = dice.choice(texts)
            text = (work / name).read_text(encoding="utf-8", errors="surrogateescape")
            other = work_on(text, dice)
            same = other == text
            (work / name).write_text(other, encoding="utf-8", errors="surrogateescape")
            what = name
        elif kind == "node":
            name = dice.choice((*texts, *written))
            replace_by_node(work / name, dice)
            changed.add(name)
            what = name
        elif kind == "locale":
            environment["LC_ALL"] = what = dice.choice(LOCALES)
        elif kind == "signal":
            kill = (dice.random() * 0.05, dice.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
            what = str(kill)
        else:
            call = dice.choice(CALLS)
            first = 24 if call == "mmap" else 1  # the loader, which has no way to say so, makes those before
            inject = what = f"{call}:error={dice.choice(ERRORS)}:when={dice.randrange(first, first + 39)}"
        before = with_change(whole, work, what) if kind in ("text", "node") else whole
        code, said = run(words, work, environment, kill, inject)
        kinds[kind] = kinds.get(kind, 0) + 1
        codes[code] = codes.get(code, 0) + 1
        shares.add(code == 0, same)
        # A program whose libraries cannot be loaded is not ours to judge.
        loading = inject and re.search(r"error while loading shared libraries|cannot (open|load|map)|^strace:|AddressSanitizer failed to allocate", said, re.M)
        wrong = "" if loading else complaint(code, said, before, snapshot(work), changed, kill, set(written) | ({"design"} if words[0] == "reduce" else set()))
        if kind == "locale" and not wrong and code != 0 and words[0] not in ("merge", "reduce"):
            wrong = f"exit code {code} in another locale: {said[:200]}"
        if wrong:
            found += 1
            shutil.copytree(work, kept / str(number), symlinks=True, dirs_exist_ok=True)
            print(f"{number}: onyx {' '.join(words)} ({kind} {what}): {wrong}", flush=True)
        shutil.rmtree(work, ignore_errors=True)  # what a signal has ended may have a child for a moment
    print(f"{count} cases in {time.monotonic() - begin:.0f} s, {kinds}, exit codes {codes}, {found} found")
    return found != 0 or shares.failed()


sys.exit(main())
