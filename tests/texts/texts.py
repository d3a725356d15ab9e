#!/usr/bin/env python3
"""Texts that commands print, whole: texts.py ONYX FOLDER [--write] [NAME ...]

Each NAME.text holds commands ("$ " and the command, run by sh in an empty folder of the file), each followed by all that it prints on
standard output and standard error, then "exit N" where N is not 0. Times are '#' (tests/record/record.py masks them). A difference is
printed and fails, and so does a command with an option that it does not read, but in message_*.text; --write replaces what is expected by
what was printed, for a reviewer to read.
"""
import difflib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "record"))
import record  # noqa: E402


def printed(command, folder, environment, masks):
    ran = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    text = masks.text(ran.stdout.decode(errors="backslashreplace"))
    text += "\n" if text and not text.endswith("\n") else ""
    return f"$ {command}\n{text}" + (f"exit {ran.returncode}\n" if ran.returncode else "")


def main():
    write = "--write" in sys.argv
    onyx, folder, *names = [word for word in sys.argv[1:] if word != "--write"]
    onyx, folder = pathlib.Path(onyx).resolve(), pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    wrong = commands = 0
    for path in sorted(HERE.glob("*.text")):
        if names and path.stem not in names:
            continue
        work = folder.resolve() / path.stem
        work.mkdir(parents=True)
        environment = dict(os.environ, SRC=str(HERE.parents[1]), PATH=f"{onyx.parent}:{os.environ['PATH']}", COLUMNS="80")
        masks, was = record.Masks(work, onyx, HERE.parents[1]), path.read_text()
        comments = [line for line in was.splitlines(keepends=True) if line.startswith("# ")]
        lines = [line[2:] for line in was.splitlines() if line.startswith("$ ")]
        now = "".join(comments) + "".join(printed(line, work, environment, masks) for line in lines)
        commands += len(lines)
        if not path.stem.startswith("message_") and "[E0902-option]" in now:
            wrong += 1
            print(f"{path}: a command has an option that it does not read")
        if write:
            path.write_text(now)
        elif now != was:
            wrong += 1
            print("".join(difflib.unified_diff(was.splitlines(True), now.splitlines(True), str(path), "now")))
    print(f"{commands} commands, {wrong} files differ")
    return bool(wrong) or not commands


if __name__ == "__main__":
    sys.exit(main())
