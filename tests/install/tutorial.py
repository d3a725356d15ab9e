"""Follows docs/tutorial.md as a newcomer does: tutorial.py BUILD SOURCE

What is installed of BUILD goes to a folder of its own, another one is empty but for the matrix that the tutorial names; every command runs there
as it is written, in its order, and the program in Python in between, with nothing else of the source tree in reach. Prints how long each
section took.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "docs"))
import execute  # noqa: E402


def main():
    build, source = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
    tutorial = source / "docs/tutorial.md"
    headings = {n: line[3:] for n, line in enumerate(tutorial.read_text().split("\n"), 1) if line.startswith("## ")}
    spent, failures, done = {}, [], set()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run(["cmake", "--install", build, "--prefix", work / "usr"], check=True, stdout=subprocess.DEVNULL)
        folder, home = work / "empty", work / "home"
        (folder / "tests/data").mkdir(parents=True)
        home.mkdir()
        shutil.copy(source / "tests/data/karate.mtx", folder / "tests/data")
        environment = {"PATH": f"{work}/usr/bin:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C", "TMPDIR": str(work),
                       "PYTHONPATH": f"{work}/usr/lib/python3/dist-packages", "PYTHONDONTWRITEBYTECODE": "1"}

        def step(line, words, want=0, shown=None):
            begin = time.monotonic()
            code, output = execute.run(words, folder, environment)
            section = headings[max(n for n in headings if n < line)]
            spent[section] = spent.get(section, 0) + time.monotonic() - begin
            if code != want or (shown and not execute.matches(shown, output)):
                failures.append(f"tutorial.md:{line}: exit code {code}, expected {want}\n{output}")
            done.add(line)

        python = subprocess.run(["/usr/bin/python3", "-c", "import cffi, scipy"], capture_output=True).returncode == 0
        for block in execute.blocks(tutorial):
            if block.language == "console":
                for line, command, shown in execute.commands(block):
                    want = int(shown.pop()[1:-1]) if shown and re.fullmatch(r"\[\d+\]", shown[-1]) else 0
                    step(line, ["sh", "-c", command], want, shown)
            elif block.language == "python" and python:
                step(block.first, ["/usr/bin/python3", "-c", "\n".join(block.lines)])
    for section, seconds in spent.items():
        print(f"{seconds:6.1f} s  {section}")
    print("\n".join(failures), end="\n" if failures else "")
    print(f"{len(done)} steps in {sum(spent.values()):.1f} s, {len(failures)} failures")
    return bool(failures) or not done


if __name__ == "__main__":
    sys.exit(main())
