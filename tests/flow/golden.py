"""What the commands of a .test file said and wrote, command by command as checksums, held against golden/NAME.txt: a line that says
something else changes some word of some file, whoever looks at it. Masked is what tests/record masks: times, folders, keys.

It says that something has changed, not that it is wrong: what the commands have to do, the .test files and the other tests say. A change
that is meant is looked at by record.py (tests/record), which prints the differences of two programs, and accepted by
GOLDEN=renew ctest --test-dir build -R '^flow_|^record_|mistakes'. The files have a list whose commands take a second, need no other tool and write the
same on every machine; a new list begins by touching it.
"""
import hashlib
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "record"))
import record  # noqa: E402

# Pages of the documentation, what differs from machine to machine or by other compilers, lists that sanitizers shorten, and what is interrupted on purpose.
PASSED_OVER = re.compile(r"\bhelp\b|doctor|version|--progress|timeout|EVERY|kill|&($| )|script -|ulimit|bugreport|TMPDIR|soc|rtl")


def short(data):
    return hashlib.sha256(data).hexdigest()[:6]


class Kept:
    """What commands said, under a name of each; the file is there where it is to be held against."""

    def __init__(self, path):
        self.path, self.on, self.lines, self.names = path, path.is_file(), {}, {}

    def add(self, command, words):
        key = short(command.encode())
        while key in self.lines:
            key += "+"  # the same command once more
        self.lines[key], self.names[key] = " ".join(words), command

    def printed(self, command, run, folder):
        """A command that was run from Python (subprocess.run with texts), where what it wrote is of no interest."""
        texts = {name: re.sub(rf"{re.escape(str(folder))}\b", "<work>", record.steady("", text)) for name, text in (("out", run.stdout), ("err", run.stderr)) if text}
        self.add(command, [str(run.returncode), *(f"{name}={short(text.encode())}" for name, text in texts.items())])

    def count_wrong(self):
        """Prints what is not as it was kept; or keeps it."""
        if not self.on:
            return 0
        if os.environ.get("GOLDEN") == "renew":
            self.path.write_text("".join(f"{key} {line}\n" for key, line in self.lines.items()))
            return 0
        kept, wrong = dict(line.split(" ", 1) for line in self.path.read_text().splitlines()), 0
        for key in {**kept, **self.lines}:
            if kept.get(key) == self.lines.get(key):
                continue
            wrong += 1
            differs = sorted({word.split("=")[0] for word in {*kept.get(key, "").split()} ^ {*self.lines.get(key, "").split()}})
            print(f"{self.path}: not as it was kept: {', '.join(differs[:9])}{' ...' * (len(differs) > 9)}\n  command: {self.names.get(key, 'one that there is no more')}\n"
                  "  tests/record/record.py same --a OLD --b NEW shows the difference; one that is meant: GOLDEN=renew ctest (tests/README.md)")
        return wrong


class Golden(Kept):
    """The same of the commands of a .test file and of what they write."""

    def __init__(self, file, work, onyx, source):
        super().__init__(file.parent / "golden" / f"{file.stem}.txt")
        self.before, self.folder = {}, work / "run"
        self.masks = record.Masks(work, onyx, source)

    def ran(self, command, code, out, err):
        """After each command."""
        if not self.on:
            return
        after = record.files_in(self.folder)
        changed = sorted(name for name, status in after.items() if self.before.get(name) != status)
        gone, self.before = sorted(self.before.keys() - after.keys()), after
        if PASSED_OVER.search(command):
            return
        words = [str(code)] + [f"{name}={short(self.masks.printed(text.decode(errors='backslashreplace'), command).encode())}"
                               for name, text in (("out", out), ("err", err)) if text]
        words += [f"{self.masks.text(name)}={self.of(self.folder / name, name)}" for name in changed]
        self.add(command, words + [f"-{self.masks.text(name)}" for name in gone])

    def of(self, path, name):
        if path.is_symlink():
            return "link"
        return short(self.masks.file(path, name)) if path.is_file() else "none"
