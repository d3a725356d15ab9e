"""Behaviour of the commands that a test starts: exit code, output and files of each, written to the folder that $SEEN names.

Without SEEN nothing is recorded. With it, the first run writes SEEN/NAME.json: a list of commands in the order of their runs, each with
a checksum for every part (exit code, stdout, stderr, file). A later run compares itself with that list and counts every difference as a
failure. mutation_c works so: the first run is the one without a mutant. Where SEEN/texts exists, the parts themselves are stored there
under their checksums, so that base.py can print what differs between two versions. record.py says what is masked.
"""
import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess

import record

TREE = pathlib.Path(__file__).resolve().parents[2]
# Differ from run to run: times, progress, interruptions, temporary names, what else the machine has.
PASSED_OVER = re.compile(r"\bhelp\b|doctor|version|--progress|timeout|EVERY|kill|(?<!&)&($| )|script -|ulimit|bugreport|TMPDIR|rtl|nowhere|mknod|"
                         r"command -v|bitstream other|377")


def masks_of(onyx, folder):
    return record.Masks(pathlib.Path(folder).resolve(), pathlib.Path(onyx).resolve(), TREE)


class Seen:
    """The list of a test; `on` if recorded."""

    def __init__(self, name):
        folder = os.environ.get("SEEN")
        self.on, self.rows = bool(folder), {}
        self.path = pathlib.Path(folder or ".", f"{name}.json")
        self.texts = pathlib.Path(folder or ".", "texts")

    def add(self, command, parts):
        """`parts`: bytes by name. The same command once more is another row."""
        key, again = command, 1
        while key in self.rows:
            again += 1
            key = f"{command} # {again}"
        self.rows[key] = {name: self.digest(data) for name, data in parts.items()}

    def digest(self, data):
        digest = hashlib.sha256(data).hexdigest()
        if self.texts.is_dir() and not (self.texts / digest).exists():
            (self.texts / digest).write_bytes(data)
        return digest

    def printed(self, command, run, masks, files=None):
        """A command that was run with texts (subprocess.run), and the files that it wrote: paths by name."""
        if not self.on:
            return
        parts = {"exit": str(run.returncode), "stdout": masks.printed(run.stdout or "", command), "stderr": masks.printed(run.stderr or "", command)}
        parts = {name: text.encode() for name, text in parts.items()}
        parts |= {f"file {masks.text(name)}": masks.file(files[name], name) for name in sorted(files or ())}
        self.add(masks.text(command), parts)

    def count_wrong(self):
        """Writes a missing list; else prints and counts the commands with differing parts."""
        if not self.on:
            return 0
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(self.rows))
            return 0
        before, wrong = json.loads(self.path.read_text()), 0
        for command in collections.ChainMap(self.rows, before):
            was, now = (rows.get(command, {}) for rows in (before, self.rows))
            differ = sorted(part for part in {*was, *now} if was.get(part) != now.get(part))
            wrong += bool(differ)
            if differ:
                print(f"{self.path}: {', '.join(differ[:9])}{' ...' * (len(differ) > 9)} differ from the first run\n  command: {command}")
        return wrong


def watch(script, onyx, folder=None, *names, of=None):
    """Records every call of subprocess.run that starts onyx (or another program of the tests) and takes texts, with the files below its
    option -o. The list is named after the folder and parts of it, since a script has several tests; else after the script, or `of`."""
    seen, real = Seen("_".join([of or pathlib.Path(folder or script).stem, *names])), subprocess.run
    masks, programs = masks_of(onyx, folder or os.getcwd()), ("onyx", "bind_cases")

    def run(arguments, *rest, **more):
        words = [str(word) for word in arguments] if isinstance(arguments, (list, tuple)) else ["sh"]
        words = words[4:] if words[:2] == ["sh", "-c"] else words  # one with limits
        out = ([to for o, to in zip(words, words[1:]) if o == "-o" and ":" not in to] or [""])[0]
        before = record.files_in(out) if out else {}
        done = real(arguments, *rest, **more)
        if pathlib.Path(words[0]).name in programs and isinstance(done.stdout, str) and not PASSED_OVER.search(" ".join(words[1:])):
            after = record.files_in(out) if out else {}
            seen.printed(" ".join([*words[1:], more.get("input") or ""]), done, masks,
                         {name: pathlib.Path(out, name) for name in after if after[name] != before.get(name)})
        return done

    if seen.on:
        subprocess.run = run
    return seen


class Commands(Seen):
    """The same of the commands of a .test file and of what they write in their folder."""

    def __init__(self, file, work, onyx, source):
        super().__init__(file.stem)
        self.before, self.folder = {}, work / "run"
        self.masks = record.Masks(work, onyx, source)

    def ran(self, command, code, out, err):
        """After each command."""
        if not self.on:
            return
        after = record.files_in(self.folder)
        changed = sorted(name for name, status in after.items() if self.before.get(name) != status)
        gone, self.before = self.before.keys() - after.keys(), after
        if PASSED_OVER.search(command):
            return
        parts = {"exit": str(code).encode()}
        parts |= {name: self.masks.printed(text.decode(errors="backslashreplace"), command).encode() for name, text in (("stdout", out), ("stderr", err))}
        parts |= {f"file {self.masks.text(name)}": self.masks.kept(self.folder / name, name) for name in changed}
        self.add(self.masks.text(command), parts | {f"gone {self.masks.text(name)}": b"" for name in gone})
