"""What the commands of a .test file said and wrote, command by command as checksums, held against golden/NAME.txt: a line that says
something else changes some word of some file, whoever looks at it. Masked is what tests/record masks: times, folders, keys.

It says that something has changed, not that it is wrong: what the commands have to do, the .test files and the other tests say. A change
that is meant is looked at by record.py (tests/record), which prints the differences of two programs, and accepted by
the command of tests/README.md. The files have a list whose commands take a second, need no other tool and write the
same on every machine; a new list begins by touching it.
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "record"))
import record  # noqa: E402

# Pages of the documentation, what differs from machine to machine or by other compilers, lists that sanitizers shorten, and what is interrupted on purpose.
PASSED_OVER = re.compile(r"\bhelp\b|doctor|version|--progress|timeout|EVERY|kill|(?<!&)&($| )|script -|ulimit|bugreport|TMPDIR|rtl|nowhere|mknod|command -v|bitstream other|377")
# What the ARM compiler makes has another length with another version, and takes other cycles, which are in result.bin: of these commands other
# files alone are kept.
BUILT = re.compile(r"soc|cosim|firmware|onyx program")
DATA = {".bin", ".c", ".h", ".ld", ".mtx", ".tns", ".bs", ".gv", ".place", ".route", ".packed"}


def kept_of(command, names):
    return [name for name in sorted(names) if not BUILT.search(command) or pathlib.Path(name).suffix in DATA and not name.endswith("/result.bin")]


def short(data):
    return hashlib.sha256(data).hexdigest()[:6]


class Kept:
    """What commands said, under a name of each; the file is there where it is to be held against."""

    def __init__(self, path):
        self.path, self.on, self.lines, self.names = path, path.is_file(), {}, {}
        # With sanitizers some lists are shorter, and what a command finds in its folder is what others have left.
        self.fewer = "ASAN_OPTIONS" in os.environ or os.environ.get("EVERY", "1") != "1"

    def add(self, command, words):
        key = short(command.encode())
        while key in self.lines:
            key += "+"  # the same command once more
        self.lines[key], self.names[key] = " ".join(words), command

    def printed(self, command, run, masks, files=()):
        """A command that was run from Python (subprocess.run with texts), and the files that it wrote, by name."""
        texts = () if BUILT.search(command) else (("out", run.stdout), ("err", run.stderr))
        words = [str(run.returncode)] + [f"{name}={short(masks.printed(text, command).encode())}" for name, text in texts if text]
        if files:
            words.append("files=" + short(b"".join(name.encode() + masks.file(files[name], name) for name in kept_of(command, files))))
        self.add(masks.text(command), words)

    def count_wrong(self):
        """Prints what is not as it was kept; or keeps it."""
        if not self.on:
            return 0
        if os.environ.get("GOLDEN") == "renew":
            self.path.write_text("".join(f"{key} {line}\n" for key, line in self.lines.items()))
            return 0
        kept, wrong = dict(line.split(" ", 1) for line in self.path.read_text().splitlines()), 0
        for key in {**kept, **self.lines}:
            # The order is that of names before they were masked: it differs from run to run.
            was, now = (sorted(lines.get(key, "").split()) for lines in (kept, self.lines))
            if was == now or (self.fewer and (key not in kept or key not in self.lines)):
                continue
            wrong += 1
            differs = sorted({word.split("=")[0] for word in {*was} ^ {*now}})
            print(f"{self.path}: not as it was kept: {', '.join(differs[:9])}{' ...' * (len(differs) > 9)}\n  command: {self.names.get(key, 'one that there is no more')}\n"
                  "  tests/record/record.py same --a OLD --b NEW shows the difference; one that is meant: GOLDEN=renew ctest (tests/README.md)")
        return wrong


def masks_of(onyx, folder):
    return record.Masks(pathlib.Path(folder).resolve(), pathlib.Path(onyx).resolve(), HERE.parents[1])


def watch(script, onyx, folder=None, *names, of=None):
    """Keeps what each call of subprocess.run says and writes, where it starts the command or a program of the tests and takes texts; the
    list has the folder's name and those of a part, since a script has several tests, or the script's, or that of what it is of."""
    name = "_".join([of or pathlib.Path(folder or script).stem, *names])
    kept, real = Kept(pathlib.Path(script).parent / "golden" / f"{name}.txt"), subprocess.run
    masks, programs = masks_of(onyx, folder or os.getcwd()), ("onyx", "bind_cases")

    def run(arguments, *rest, **more):
        words = [str(word) for word in arguments] if isinstance(arguments, (list, tuple)) else ["sh"]
        words = words[4:] if words[:2] == ["sh", "-c"] else words  # one with limits
        out = ([to for o, to in zip(words, words[1:]) if o == "-o" and ":" not in to] or [""])[0]
        before = record.files_in(out) if out else {}
        done = real(arguments, *rest, **more)
        if pathlib.Path(words[0]).name in programs and isinstance(done.stdout, str) and not PASSED_OVER.search(" ".join(words[1:])):
            after = record.files_in(out) if out else {}
            kept.printed(" ".join([*words[1:], more.get("input") or ""]), done, masks,
                         {name: pathlib.Path(out, name) for name in after if after[name] != before.get(name)})
        return done

    # With fewer random cases the same command has other data.
    kept.on = kept.on and not (kept.fewer and "EVERY" in pathlib.Path(script).read_text())
    if kept.on:
        subprocess.run = run
    return kept


class Golden(Kept):
    """The same of the commands of a .test file and of what they write."""

    def __init__(self, file, work, onyx, source):
        super().__init__(file.parent / "golden" / f"{file.stem}.txt")
        self.before, self.folder = {}, work / "run"
        self.masks = record.Masks(work, onyx, source)
        self.on = self.on and not (self.fewer and "EVERY" in file.read_text())

    def ran(self, command, code, out, err):
        """After each command."""
        if not self.on:
            return
        after = record.files_in(self.folder)
        changed = kept_of(command, (name for name, status in after.items() if self.before.get(name) != status))
        gone, self.before = kept_of(command, self.before.keys() - after.keys()), after
        if PASSED_OVER.search(command):
            return
        texts = () if BUILT.search(command) else (("out", out), ("err", err))
        words = [str(code)] + [f"{name}={short(self.masks.printed(text.decode(errors='backslashreplace'), command).encode())}"
                               for name, text in texts if text]
        words += [f"{self.masks.text(name)}={self.of(self.folder / name, name)}" for name in changed]
        self.add(command, words + [f"-{self.masks.text(name)}" for name in gone])

    def of(self, path, name):
        if path.is_symlink():
            return "link"
        return short(self.masks.file(path, name)) if path.is_file() else "none"
