#!/usr/bin/env python3
"""The recorder itself: two records of one program are equal; a record of one that differs in a cycle, a message, an
exit code, a file or a file's name says so, and says nothing else. Usage: test_record.py ONYX FOLDER"""
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
onyx, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
failures = 0


def recorder(*arguments):
    return subprocess.run([sys.executable, HERE / "record.py", *map(str, arguments)], capture_output=True, text=True)


def record(program, name):
    out = folder / f"{name}.record"
    ran = recorder("record", "--onyx", program, "--out", out, "--only", "^record/noticing$")
    if ran.returncode:
        sys.exit(f"{name}: the recorder ends with {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return out


def expect(name, ran, code, lines):
    """`lines`: which parts must be said to differ, and no other."""
    global failures
    told = re.findall(r"^  (.*) differs$", ran.stdout, re.M)
    if ran.returncode == code and sorted(told) == sorted(lines):
        print(f"{name}: as expected")
        return
    failures += 1
    print(f"{name}: exit code {ran.returncode}, {told} differ; expected {code}, {lines}\n{ran.stdout}{ran.stderr}")


def faulty(name, after, commands="*"):
    """A program that does what onyx does, then, if its arguments are like `commands`, `after` with the exit code in
    $code and the outputs in "$0".*."""
    (folder / name).mkdir()
    program = folder / name / "onyx"
    program.write_text(f'#!/bin/sh\n"{onyx}" "$@" >"$0.out" 2>"$0.err"\ncode=$?\n'
                       f'case "$*" in {commands}) {after} ;; esac\n'
                       'cat "$0.out"\ncat "$0.err" >&2\nexit $code\n')
    program.chmod(0o755)
    return program


# What base.txt announces is about two commits.
nothing = folder / "nothing.txt"
nothing.touch()


def compare(record):
    return recorder("compare", first, record, "--exceptions", nothing)


first = record(onyx, "first")
expect("the same program twice", compare(record(onyx, "second")), 0, [])

# The wrapper alone changes nothing, so what follows is due to the fault.
wrapped = record(faulty("none", ":"), "wrapped")
expect("a wrapper", compare(wrapped), 0, [])
slower = r"""sed -i 's/"kernel":\t\([0-9]*\)/"kernel":\t1\1/' out/report.json"""
for name, commands, fault, differing in (
        ("a cycle", '*" -o out"', slower, "file out/report.json"),
        ("a message", '*" -o refused"', """sed -i 's/Onyx adds/Onyx ads/' "$0.err\"""", "stderr"),
        ("a summary", '*" -o out"', """sed -i 's/check: pass/check: Pass/' "$0.out\"""", "stdout"),
        ("an exit code", '*" -o refused"', "code=1", "exit"),
        ("a file less", '*" -o two"', "rm two/x.mtx", "file two/x.mtx"),
        ("a file more", '*" -o out"', ": >out/more", "file out/more"),
        ("a word of a bitstream", '*" -o out"', "sed -i '3s/^./F/' out/bitstream.bs", "file out/bitstream.bs"),
        ("a row of a sweep", '*" --csv "*', "sed -i 's/done/down/' sweep.csv", "file sweep.csv")):
    program = faulty(name.replace(" ", "_"), fault, commands)
    expect(name, compare(record(program, "faulty")), 1, [differing])

# An exception allows the lines it speaks of, and no other difference.
listed = folder / "exceptions.txt"
cycle = record(faulty("again", slower, '*" -o out"'), "faulty")
for name, lines, code in (("an exception", '"kernel":', 0), ("an exception of another line", '"total":', 1)):
    listed.write_text(f"# a comment\nnoticing :: ^onyx run :: report.json$ :: {lines} :: a test\n")
    expect(name, recorder("compare", first, cycle, "--exceptions", listed), code, ["file out/report.json"] * code)
for name, part, lines, code in (("a wide exception", "(stdout|file .*)", ".", 1), ("every line of a file", "report.json$", ".", 0)):
    listed.write_text(f"noticing :: .* :: {part} :: {lines} :: a test\n")
    expect(name, recorder("compare", first, cycle, "--exceptions", listed), code, [])

sys.exit(1 if failures else 0)
