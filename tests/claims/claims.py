#!/usr/bin/env python3
"""Sentences of the manual with "never", "always" or "refused", each with a mutant that breaks it and the test that fails then.

    claims.py SOURCE check BUILD              each page says the words, each file has the line once, each test is there
    claims.py SOURCE try BUILD FOLDER FILE    builds the mutants of the rows of a table, of claims.txt by the word `all`, and runs their tests
    claims.py SOURCE draw N SEED              prints N sentences of the manual, drawn at random, for a reader to try (docs/notebook/claims.md)

A row of claims.txt is three lines: `PAGE: words`; `FILE: old => new`, which changes the one line that has `old`; the tests, of which one must fail.
A mutant is its file's object, in a copy of its library, and the programs of the test linked anew: the build folder stays as it is.
"""
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def read(path):
    """[(page, words, file, old, new, tests)]"""
    rows = []
    for row in re.split(r"\n\s*\n", re.sub(r"^#.*\n", "", path.read_text(), flags=re.M).strip()):
        page, words, file, old, new, tests = re.fullmatch(r"([^:]+): (.*)\n([^:]+): (.*) => (.*)\n(.*)", row).groups()
        rows.append((page, words, file, old, new, tests.split()))
    return rows


def sentences(source):
    """[(page, sentence)] of the prose of the manual."""
    found = []
    for path in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        text = re.sub(r"^```.*?^```|^[|#].*?$|^ {4}.*?$", "", path.read_text(), flags=re.M | re.S)
        for paragraph in re.split(r"\n\s*\n|\n[-*] ", text):
            found += [(path.name, one) for one in re.split(r"(?<=[.:;]) (?=[A-Z`])", " ".join(paragraph.split())) if len(one.split()) > 7 and one[0] not in "!<"]
    return found


def tests_of(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    return {test["name"]: test for test in json.loads(shown)["tests"]}


def check(source, build):
    bad, tests = [], tests_of(build)
    for page, words, file, old, _, names in read(HERE / "claims.txt"):
        if words not in " ".join((source / page).read_text().split()):
            bad.append(f"{page} does not say: {words}")
        if (source / file).read_text().count(old) != 1:
            bad.append(f"{file} has not once: {old}")
        bad += [f"there is no test {name}" for name in names if name not in tests]
    print("\n".join(bad) or f"{len(read(HERE / 'claims.txt'))} claims")
    return bool(bad)


class Mutant:
    def __init__(self, source, build, folder):
        self.source, self.build, self.folder = source, build, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.commands, self.passes = {}, {}

    def ninja(self, target):
        """The command for a target."""
        if target not in self.commands:
            done = subprocess.run(["ninja", "-C", self.build, "-t", "commands", "-s", target], capture_output=True, text=True, check=True)
            self.commands[target] = done.stdout.strip().splitlines()[-1]
        return self.commands[target]

    def object_of(self, file):
        done = subprocess.run(["ninja", "-C", self.build, "-t", "query", self.library_of(file)], capture_output=True, text=True, check=True)
        return next(line.strip() for line in done.stdout.splitlines() if line.strip().endswith(f"/{pathlib.PurePath(file).name}.o"))

    def library_of(self, file):
        room = str(pathlib.PurePath(file).parent)
        return {"firmware/target": "tests/firmware/libonyx_firmware_native.a", "rtl_models/cycle": "rtl_models/cycle/libonyx_cycle.a"}.get(room, f"{room}/libonyx_{room.replace('/', '_')}.a")

    def make(self, file, old, new):
        """Compiles the changed file into a copy of its library; returns whether the compiler takes it."""
        text = (self.source / file).read_text()
        changed = self.folder / pathlib.PurePath(file).name
        changed.write_text(text.replace(old, new))
        words = shlex.split(self.ninja(self.object_of(file)))
        words[words.index("-c") + 1] = str(changed)
        out = self.folder / (changed.name + ".o")
        words[words.index("-o") + 1] = str(out)
        words = [word for word in words if word != "-Werror"]
        if "-MF" in words:
            words[words.index("-MF") + 1] = str(self.folder / "d")
        if subprocess.run(words, cwd=self.build, capture_output=True, check=False).returncode:
            return False
        return subprocess.run(["ar", "r", self.copy(file), out], capture_output=True, check=False).returncode == 0

    def copy(self, file):
        """Copies the library of a file; returns the copy's path."""
        library = self.folder / pathlib.PurePath(self.library_of(file)).name
        library.write_bytes((pathlib.Path(self.build) / self.library_of(file)).read_bytes())
        return library

    def link(self, program, file):
        """Links a program of the build folder with the changed library; returns its path."""
        path = self.folder / pathlib.PurePath(program).name
        command = self.ninja(program).replace(f" {self.library_of(file)}", f" {self.folder / pathlib.PurePath(self.library_of(file)).name}")
        command = command.replace(f"-o {program} ", f"-o {path} ")
        subprocess.run(["sh", "-c", command], cwd=self.build, check=True, capture_output=True)
        return path

    def fails(self, test, file):
        """Whether a test fails with the mutant in its programs."""
        words = []
        if "command" not in test:  # its program is not built
            return False
        for word in test["command"]:
            program = word.removeprefix(f"{self.build}/")
            if program != word and pathlib.Path(word).is_file() and "." not in pathlib.PurePath(word).name:
                word = str(self.link(program, file))
            words.append(word.replace(f"{self.build}/", f"{self.folder}/") if not pathlib.Path(word).is_file() else word)
        where = next((p["value"] for p in test["properties"] if p["name"] == "WORKING_DIRECTORY"), self.build)
        try:
            done = subprocess.run(words, cwd=where, capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return True
        return done.returncode not in (0, 77)

    def notices(self, test, file, old, new):
        """Whether a test fails with the new line and passes with the old one: if it fails with both, in a program elsewhere, it shows nothing.

        A program linked with an unchanged copy of a library is the same, whichever library is the copy: a test is tried so once."""
        key = test["name"]
        if not self.make(file, old, new):
            print(f"no mutant: {file}: {new}")
            return False
        if not self.fails(test, file):
            return False
        if key not in self.passes:
            self.copy(file)
            self.passes[key] = not self.fails(test, file)
        return self.passes[key]


def attempt(source, build, folder, how):
    rows = read(HERE / "claims.txt" if how == "all" else pathlib.Path(how))
    tests, mutant, survived = tests_of(build), Mutant(source, build, folder), 0
    for page, words, file, old, new, names in rows:
        noticed = next((name for name in names if mutant.notices(tests[name], file, old, new)), None)
        survived += noticed is None
        print(f"{'noticed by ' + noticed if noticed else 'SURVIVES ' + ' '.join(names)}: {file}: {old} => {new} ({page}: {words})", flush=True)
    print(f"{len(rows) - survived} of {len(rows)} noticed")
    return survived > 0


def main():
    source, action, build = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], str(pathlib.Path(sys.argv[3]).resolve())
    if action == "draw":
        n, seed = int(sys.argv[3]), int(sys.argv[4])
        drawn = random.Random(seed).sample(sentences(source), n)
        print("\n".join(f"{page}: {one}" for page, one in sorted(drawn)))
        return 0
    if action == "check":
        return check(source, build)
    if not pathlib.Path(build, "build.ninja").is_file():
        print("skipped: mutants are linked by the commands of Ninja")
        return 77
    return attempt(source, build, pathlib.Path(sys.argv[4]).resolve(), sys.argv[5])


if __name__ == "__main__":
    sys.exit(main())
