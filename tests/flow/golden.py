"""What the commands of a .test file said and wrote, command by command as checksums, held against golden/NAME.txt: a line that says
something else changes some word of some file, whoever looks at it. Masked is what tests/record masks: times, folders, keys.

It says that something has changed, not that it is wrong: what the commands have to do, the .test files and the other tests say. A change
that is meant is looked at by record.py (tests/record), which prints the differences of two programs, and accepted by
GOLDEN=renew ctest --test-dir build -R '^flow_'. The files have a list whose commands take a second, need no other tool and write the
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

# Pages of the documentation, what differs from machine to machine, lists that sanitizers shorten, and what is interrupted on purpose.
PASSED_OVER = re.compile(r"\bhelp\b|doctor|version|--progress|timeout|EVERY|kill|&($| )|script -|ulimit|bugreport|TMPDIR")


def short(data):
    return hashlib.sha256(data).hexdigest()[:6]


class Golden:
    def __init__(self, file, work, onyx, source):
        self.path = file.parent / "golden" / f"{file.stem}.txt"
        self.on = self.path.is_file()
        self.lines, self.before, self.folder = [], {}, work / "run"
        self.masks = record.Masks(work, onyx, source)

    def add(self, command, code, out, err):
        """After each command."""
        if not self.on:
            return
        after = record.files_in(self.folder)
        changed = sorted(name for name, status in after.items() if self.before.get(name) != status)
        gone, self.before = sorted(self.before.keys() - after.keys()), after
        if PASSED_OVER.search(command):
            return
        words = [f"{short(command.encode())}", str(code)]
        words += [f"{name}={short(self.masks.printed(text.decode(errors='backslashreplace'), command).encode())}"
                  for name, text in (("out", out), ("err", err)) if text]
        words += [f"{self.masks.text(name)}={self.of(self.folder / name, name)}" for name in changed]
        self.lines.append(" ".join(words + [f"-{self.masks.text(name)}" for name in gone]))

    def of(self, path, name):
        if path.is_symlink():
            return "link"
        return short(self.masks.file(path, name)) if path.is_file() else "none"

    def count_wrong(self, commands):
        """Prints what is not as it was kept; or keeps it."""
        if not self.on:
            return 0
        if os.environ.get("GOLDEN") == "renew":
            self.path.write_text("\n".join(self.lines) + "\n")
            return 0
        names, wrong = {short(c.encode()): c for c in commands}, 0
        kept, found = (dict((line.split(" ", 1)) for line in lines) for lines in (self.path.read_text().splitlines(), self.lines))
        for key in {**kept, **found}:
            if kept.get(key) == found.get(key):
                continue
            wrong += 1
            differs = sorted({word.split("=")[0] for word in {*kept.get(key, "").split()} ^ {*found.get(key, "").split()}})
            print(f"{self.path}: not as it was kept: {', '.join(differs)}\n  command: {names.get(key, 'one that there is no more')}\n"
                  "  tests/record/record.py same --a OLD --b NEW shows the difference; one that is meant: GOLDEN=renew ctest -R '^flow_'")
        return wrong
