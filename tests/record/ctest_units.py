"""Tests of ctest as units of a record: scripts and programs that write what they saw to $SEEN (behaviour.py, tests/seen.h).

The tests are those of one build folder. A record of another version's program runs the same tests: arguments that name a program of
the build folder name the one of the other folder instead. Whether the test itself passes is a part of the record.
"""
import json
import os
import pathlib
import re
import subprocess

TIME_LIMIT = 1800  # seconds
CASES = 100  # of a program in C that are one row of the record


class Unit:
    def __init__(self, test, build):
        self.name, self.test, self.build = f"test/{test['name']}", test, build
        self.properties = {p["name"]: p["value"] for p in test.get("properties", ())}
        self.commands, self.needs, self.needs_cosim = [test["name"]], [], False

    def words(self, other):
        """The command with the programs of the build folder `other`; None where one has not been built there."""
        words = []
        for word in self.test["command"]:
            path = pathlib.Path(word)
            if path.is_relative_to(self.build) and path.is_file():
                path = other / path.relative_to(self.build)
                if not path.is_file():
                    return None
            words.append(str(path) if path.is_absolute() else word)
        return [word for word in words if not word.startswith("-seconds=")]  # of a harness: changes that are not recorded

    def record(self, onyx, work, store):
        seen = work / re.sub(r"\W", "_", self.name)
        for folder in (seen / "texts", work / "tmp", self.build / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        words = self.words(onyx.parent)
        if not words:
            store.add(self.name, 0, self.test["name"], {"skipped": b"a program is not built"})
            return self.name, 0
        environment = dict(os.environ, **dict(e.split("=", 1) for e in self.properties.get("ENVIRONMENT", ())), SEEN=str(seen),
                           SEEN_BUILD=str(self.build), TMPDIR=str(work / "tmp"), PYTHONDONTWRITEBYTECODE="1")
        run = subprocess.run(words, cwd=self.properties.get("WORKING_DIRECTORY", self.build), env=environment, stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=TIME_LIMIT, check=False)
        store.add(self.name, 0, self.test["name"], {"exit": str(run.returncode).encode()})
        rows = sorted(rows_of(seen).items())
        for position, (command, parts) in enumerate(rows, 1):
            store.add(self.name, position, command, parts)
        return self.name, len(rows)


def rows_of(seen):
    """What the test wrote: parts by name, by command."""
    rows = {}
    for path in seen.glob("*.json"):
        for command, parts in json.loads(path.read_text()).items():
            rows[command] = {name: (seen / "texts" / digest).read_bytes() for name, digest in parts.items()}
    for path in seen.glob("*.txt"):
        cases = re.split(rb"^(?=---- \d+$)", path.read_bytes(), flags=re.M)
        for first in range(0, len(cases), CASES):
            rows[f"cases from {first:6}"] = {"texts": b"".join(cases[first:first + CASES])}
    return rows


def units_of(build):
    """The tests that have a command: their programs are built."""
    listing = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
    return [Unit(test, build) for test in json.loads(listing)["tests"] if "command" in test]
