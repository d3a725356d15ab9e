"""Lines that the tests ran, by room: coverage.py SOURCE BUILD [ROOM]

BUILD is what the preset `coverage` builds (gcc --coverage), after its tests. A line of a file that several programs are made of
counts as run if one of them ran it. With ROOM: each of its files, with the lines that nothing ran.
"""

import collections
import json
import pathlib
import subprocess
import sys


def counts(source, build):
    """For each file of a room, and each line: its execution count. Objects without a run count their lines as well."""
    lines = collections.defaultdict(collections.Counter)
    notes = sorted(build.rglob("*.gcno"))
    for first in range(0, len(notes), 50):  # a command line has an end
        asked = ["gcov", "--json-format", "--stdout", *notes[first:first + 50]]
        done = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        for text in done.stdout.splitlines():
            document = json.loads(text)
            for file in document["files"]:
                path = pathlib.Path(document["current_working_directory"], file["file"])
                try:
                    name = path.resolve().relative_to(source)
                except ValueError:
                    continue  # of the system
                if name.parts[0] == "tests" or build in (source / name).parents:
                    continue  # what tests are made of, and what was made
                for line in file["lines"]:
                    lines[str(name)][line["line_number"]] += line["count"]
    return lines


def ranges(numbers):
    """1, 2, 3, 7 as "1-3 7"."""
    text, first, last = [], None, None
    for number in [*sorted(numbers), None]:
        if first is not None and number != last + 1:
            text.append(f"{first}-{last}" if last > first else f"{first}")
            first = None
        first = number if first is None else first
        last = number
    return " ".join(text)


def row(name, of):
    ran = sum(count > 0 for count in of)
    return f"{name:<24} {len(of):>7} {ran:>7} {100 * ran / max(len(of), 1):>6.1f} %"


def main():
    source, build = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
    lines = counts(source, build)
    if not lines:
        sys.exit(f"{build} has no files of gcc --coverage: cmake --preset coverage, then build and test there")
    print(f"{'':<24} {'lines':>7} {'run':>7} {'share':>8}")
    if len(sys.argv) > 3:
        for name in sorted(name for name in lines if name.split("/")[0] == sys.argv[3]):
            print(row(name, list(lines[name].values())))
            print("    " + (ranges(n for n, count in lines[name].items() if not count) or "all ran"))
        return
    rooms = collections.defaultdict(list)
    for name in sorted(lines):
        rooms[name.split("/")[0]] += lines[name].values()
    for room, of in rooms.items():
        print(row(room + "/", of))
    print(row("all", [count for of in rooms.values() for count in of]))


main()
