"""Walks the first paths of four new users in a fresh clone, and times each step: paths.py SOURCE [--tests] [--bare] [--write]

README to the first result, the tutorial, the module of Python in an environment of its own, a board in co-simulation. --tests runs
./test.sh, too. --write puts the table into docs/notebook/first_minutes.md and the minutes into README.md. --bare makes a bare Debian 12
in a folder by debootstrap, as root, and walks there: ./try.sh installs the packages as its first step, and steps of their own those of
the later paths. The Debian package and the wheel are made there, and installed in a second bare system. Nothing of ccache is used."""

import argparse
import datetime
import math
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "docs"))
import execute  # noqa: E402


class Walk:
    """Steps in a clone; in a bare system the clone's folder is seen from the system's root."""

    def __init__(self, clone, root=None):
        self.clone, self.root, self.rows = clone, root, []
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CMAKE_", "CCACHE_", "ONYX_", "PYTHON", "VIRTUAL_ENV"))}
        self.environment = {**kept, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "PYTHONDONTWRITEBYTECODE": "1", "OBJCACHE": ""}

    def step(self, path, what, words, until=None, **more):
        """Runs a command, and adds a row: its seconds, or those up to the first line that `until` matches."""
        begin, first, lines, at = time.monotonic(), None, [], more.pop("cwd", self.clone)
        if self.root:
            words = ["chroot", self.root, "sh", "-c", 'cd "$0" && exec "$@"', self.inside(at), *map(self.inside, words)]
        with subprocess.Popen(words, cwd=at, env={**self.environment, **more}, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT) as run:
            for line in run.stdout:
                lines.append(line)
                if until and first is None and re.search(until, line):
                    first = time.monotonic() - begin
        if run.returncode or (until and first is None):
            sys.exit(f"{path}: {what} ended with {run.returncode}\n{''.join(lines[-40:])}")
        if first is not None:
            self.rows.append((path, f"{what}: the first result", first))
        self.rows.append((path, what, time.monotonic() - begin))
        print(f"{path:8} {self.rows[-1][2]:7.1f} s  {what}", flush=True)
        return "".join(lines)

    def inside(self, text):
        """A path as the bare system has it."""
        return str(text).replace(str(self.root), "") if self.root else text


def first_block(page, language):
    return next(block.lines for block in execute.blocks(page) if block.language == language)


def board_commands(page):
    """The commands of the page's first example."""
    text = page.read_text()
    return [line[6:] for line in text[:text.index("\n#", 2)].splitlines() if line.startswith("    $ ")]


def bare_system(folder):
    """Debian 12 with nothing but its package manager."""
    subprocess.run(["debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", folder], check=True, stdout=subprocess.DEVNULL)


def artefacts(w, other):
    """Makes the package and the wheel in the clone, and tries both in the other system, which has neither source nor compiler."""
    w.step("package", "cpack", ["cpack", "--config", "build/CPackConfig.cmake", "-B", "made", "-D", "CPACK_PROJECT_CONFIG_FILE="])
    w.step("wheel", "pip wheel .", ["/usr/bin/python3", "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--wheel-dir", "made", "."], ONYX_BUILD="build")
    place = pathlib.Path(other) / "made"
    place.mkdir()
    package, wheel = (shutil.copy(next((w.clone / "made").glob(pattern)), place) for pattern in ("*.deb", "*.whl"))
    there = Walk(place, other)
    apt = {"DEBIAN_FRONTEND": "noninteractive"}
    there.step("package", "apt-get update", ["apt-get", "update", "-qq"], **apt)
    there.step("package", "apt-get install ./onyx.deb", ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], **apt)
    for engine in ("sam", "cycle", "soc"):
        there.step("package", f"a product by engine {engine}",
                   ["onyx", "run", "x(i)=B(i,j)*c(j)", "-f", "B:ss", "-g", "B:30x30:0.2", "-g", "c:30:0.5", "--engine", engine, "-o", engine], until="check: pass")
    there.step("package", "apt-get remove onyx", ["apt-get", "remove", "-y", "-qq", "onyx"], **apt)
    packages = ["python3-venv", "python3-numpy", "python3-cffi", "python3-scipy"]
    there.step("wheel", f"apt-get install {' '.join(packages)}", ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages], **apt)
    there.step("wheel", "an environment", ["/usr/bin/python3", "-m", "venv", "--system-site-packages", place / "env"])
    there.step("wheel", "pip install onyx.whl", [place / "env/bin/pip", "install", "--quiet", "--no-index", "--no-deps", wheel])
    there.step("wheel", "the first example of docs/python.md",
               [place / "env/bin/python", "-c", "\n".join(first_block(w.clone / "docs/python.md", "python"))])
    w.rows += there.rows


def walk(source, tests, bare):
    with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as other:
        if bare:
            bare_system(work)
            subprocess.run(["cp", "-a", f"{work}/.", other], check=True)
        clone = pathlib.Path(work) / "onyx"
        subprocess.run(["git", "clone", "--quiet", str(source), str(clone)], check=True)
        w = Walk(clone, work if bare else None)
        w.step("README", "./try.sh", ["./try.sh"], until="accuracy  exact")
        said = w.step("tutorial", "all commands of docs/tutorial.md", ["/usr/bin/python3", "tests/install/tutorial.py", "build", "."])
        w.rows += [("tutorial", name, float(seconds)) for seconds, name in re.findall(r"^ *([\d.]+) s  (.*)$", said, re.M)]
        if bare:
            w.step("Python", "apt-get install python3-venv", ["apt-get", "install", "-y", "-qq", "python3-venv"], DEBIAN_FRONTEND="noninteractive")
        w.step("Python", "an environment", ["/usr/bin/python3", "-m", "venv", "--system-site-packages", f"{work}/env"])
        w.step("Python", "pip install .", [f"{work}/env/bin/pip", "install", "--quiet", "--no-index", "--no-deps", "."], ONYX_BUILD="build")
        w.step("Python", "the first example of docs/python.md", [f"{work}/env/bin/python", "-c", "\n".join(first_block(clone / "docs/python.md", "python"))],
               cwd=work)
        if bare:
            w.step("board", "apt-get install openocd", ["apt-get", "install", "-y", "-qq", "openocd"], DEBIAN_FRONTEND="noninteractive")
        for command in board_commands(clone / "docs/program.md"):
            w.step("board", command.split("(")[0].split('"')[0].strip(), ["sh", "-c", f'PATH="$PWD/build:$PATH"; {command}'])
        if bare:
            artefacts(w, other)
        if tests:
            w.step("tests", "./test.sh", ["./test.sh"], until=r"^\d+ passed, 0 failed$")
        return w.rows


def page(rows, bare):
    lines = ["# First minutes", "", "What a new user waits for, step by step, on a fresh clone. For people who ask how long the set-up takes.", "",
             f"`tests/bench/paths.py . --write` on {datetime.date.today():%-d %B %Y}, {os.cpu_count()} processors, {platform.system()} {platform.machine()},",
             "a bare system: the packages are installed by the steps." if bare else "packages installed before.", "", "| path | step | seconds |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {path} | {what} | {seconds:.1f} |" for path, what, seconds in rows), ""])


def minutes(seconds):
    n = math.ceil(seconds / 60)
    return f"{n} minute{'s' if n > 1 else ''}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("source", type=pathlib.Path)
    arguments.add_argument("--tests", action="store_true")
    arguments.add_argument("--bare", action="store_true")
    arguments.add_argument("--write", action="store_true")
    said = arguments.parse_args()
    rows = walk(said.source.resolve(), said.tests, said.bare)
    text = page(rows, said.bare)
    print(text)
    if not said.write:
        return
    written = said.source / "docs/notebook/first_minutes.md"
    _, heading, rest = written.read_text().partition("\n## In a bare system\n")
    written.write_text(text + heading + rest)
    readme = said.source / "README.md"
    whole = {what: seconds for _, what, seconds in rows}
    now = re.sub(r"(\./try\.sh +# installs what is missing; )[^:]* on", rf"\g<1>{minutes(whole['./try.sh'])} on", readme.read_text())
    if "./test.sh" in whole:
        now = re.sub(r"(\./test\.sh +# )[^:]* on", rf"\g<1>{minutes(whole['./test.sh'])} on", now)
    readme.write_text(now)


if __name__ == "__main__":
    main()
