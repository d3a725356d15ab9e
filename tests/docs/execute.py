"""Runs what the documentation shows: execute.py SOURCE PROGRAMS FILE.md...

A fence of language `console` is a session in sh: commands after "$ ", each with the output it must give (none shown: any
output). In it "..." stands for any text, alone on a line for any lines; seconds ("0.013 s") are not compared; a last line "[N]" is
an exit code. A fence of language `python` is run as a script. All fences of a file run in one folder, in which tests/data and examples are those of the source. Any other fence
or indented block that shows a command is a mistake, unless "<!-- not run: REASON -->" stands on the line before it.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

LOOKS_LIKE_A_COMMAND = re.compile(r"^\s*(\$ |(build/)?onyx(-cosim)? |cmake |ctest |sqlite3 |import onyx)")


class Block:
    def __init__(self, language, first, lines, excused):
        self.language, self.first, self.lines, self.excused = language, first, lines, excused


def blocks(path):
    """Fenced and indented blocks, with the number of their first line."""
    found, lines, at = [], path.read_text().splitlines(), 0
    while at < len(lines):
        excused = at > 0 and lines[at - 1].startswith("<!-- not run: ")
        fence = re.match(r"^```(\w*)", lines[at])
        first = at + (1 if fence else 0)
        end = first
        if fence:
            while end < len(lines) and not lines[end].startswith("```"):
                end += 1
            found.append(Block(fence[1], first + 1, lines[first:end], excused))
            at = end + 1
        elif lines[at].startswith("    "):
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            found.append(Block("indented", first + 1, textwrap.dedent("\n".join(lines[first:end])).split("\n"), excused))
            at = end
        else:
            at += 1
    return found


def commands(block):
    """(line number, command, shown lines) of a console block."""
    found = []
    for offset, line in enumerate(block.lines):
        if line.startswith("$ "):
            found.append((block.first + offset, line[2:], []))
        elif found and found[-1][1].endswith("\\"):
            found[-1] = (found[-1][0], found[-1][1][:-1] + line.strip(), [])
        elif found:
            found[-1][2].append(line)
        else:
            raise SystemExit(f"line {block.first + offset}: output before the first command")
    return found


def matches(shown, output):
    def line_pattern(line):
        if line == "...":
            return r"(?:.*\n)*?"
        text = ".*?".join(re.escape(part) for part in line.split("..."))
        return re.sub(r"\d+\\\.\d+\\ s\b", r"\\d+\\.\\d+ s", text) + r"\n"

    while shown and not shown[-1]:
        shown = shown[:-1]
    return re.fullmatch("".join(line_pattern(line) for line in shown), output.rstrip("\n") + "\n") is not None


def run(arguments, folder, environment):
    done = subprocess.run(arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=1200)
    return done.returncode, done.stdout


def main():
    source, programs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", PYTHONPATH=str(source / "bindings/python"),
                       ONYX_LIBRARY=str(programs / "libonyx.so"), PYTHONDONTWRITEBYTECODE="1", LC_ALL="C")
    python = subprocess.run([sys.executable, "-c", "import cffi, scipy"], capture_output=True).returncode == 0
    count = failures = unrun = 0

    def complain(name, line, text):
        nonlocal failures
        failures += 1
        print(f"{name}:{line}: {text}")

    for name in sys.argv[3:]:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "tests").mkdir()
            shutil.copytree(source / "tests/data", pathlib.Path(folder) / "tests/data")
            shutil.copytree(source / "examples", pathlib.Path(folder) / "examples")
            (pathlib.Path(folder) / "build").symlink_to(programs)
            for block in blocks(source / name):
                if block.excused:
                    continue
                unrun += block.language == "python" and not python
                if block.language == "python" and python:
                    count += 1
                    code, output = run([sys.executable, "-c", "\n".join(block.lines)], folder, environment)
                    if code:
                        complain(name, block.first, f"exit code {code}\n{output}")
                elif block.language == "console" or (block.language == "indented" and block.lines[0].startswith("$ ")):
                    for line, command, shown in commands(block):
                        count += 1
                        want = 0
                        if shown and re.fullmatch(r"\[\d+\]", shown[-1]):
                            want = int(shown.pop()[1:-1])
                        code, output = run(["sh", "-c", command], folder, environment)
                        if code != want:
                            complain(name, line, f"exit code {code}, expected {want}: {command}\n{output}")
                        elif shown and not matches(shown, output):
                            complain(name, line, f"{command}\n-- shown\n" + "\n".join(shown) + f"\n-- given\n{output}")
                elif block.language != "python" and any(LOOKS_LIKE_A_COMMAND.match(line) for line in block.lines):
                    complain(name, block.first, "a command in a block that is not run")
    print(f"{count} commands, {failures} failures" + (f", {unrun} blocks of Python not run: there is no cffi or scipy" if unrun else ""))
    return 1 if failures or not count else 77 if unrun else 0


if __name__ == "__main__":
    sys.exit(main())
