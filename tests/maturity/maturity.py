"""The table of what shows that a part is right: maturity.py SOURCE BUILD check | write

`check` also follows the tests that docs/notebook/features.md names. `write` makes docs/notebook/maturity.md of evidence.txt and the results of the last run of ctest (all of it); `check` compares the page with what it is
when all tests pass, and evidence.txt with the tests and parts there are.
"""

import json
import pathlib
import re
import subprocess
import sys


def read_evidence(path):
    """[(title, columns, {part: {column: tests}}, covered files)]"""
    tables = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "table":
            tables.append({"title": rest, "columns": [], "parts": {}, "every": {}, "covers": [], "ran": []})
            continue
        table = tables[-1]
        if word == "columns":
            table["columns"] = [c.strip() for c in rest.split(",")]
        elif word == "ran":
            table["ran"].append(rest)
        elif word == "covers":
            table["covers"].append(rest.split(" ", 1))
        elif word == "every":
            add(table["every"], table, rest, number)
        else:
            name, _, rest = line.partition(":")
            table["parts"][name] = {}
            for piece in filter(None, (p.strip() for p in rest.split(";"))):
                add(table["parts"][name], table, piece, number)
    modes = read_modes(path.with_name("modes.txt"))
    for table in tables:
        for name, part in table["parts"].items():
            for column, tests in table["every"].items():
                part.setdefault(column, tests)
            for column in table["ran"]:
                part[column] = [test for test in part.get(column, []) if name.lower() in modes.get(test, ())]
    return tables


def read_modes(path):
    """{test: modes of tiles in its netlists}, as they were when it ran."""
    return {test: set(words.split()) for test, _, words in (line.partition(":") for line in path.read_text().splitlines() if line and line[0] != "#")}


def add(to, table, piece, number):
    column, _, tests = piece.rpartition(" = ")
    if column not in table["columns"]:
        raise SystemExit(f"evidence.txt:{number}: there is no column '{column}'")
    to[column] = tests.split()


def known_tests(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    return {test["name"] for test in json.loads(shown)["tests"]}


def last_results(build):
    """Passed or not, by name, in the last run of ctest, where a test that skipped a case has not passed; and the modes that tests printed."""
    path = pathlib.Path(build, "Testing", "Temporary", "LastTest.log")
    name, results, modes, skipped = None, {}, {}, False
    log = path.read_text(errors="replace") if path.is_file() else ""
    for line in log.splitlines():
        started = re.match(r"\d+/\d+ Testing: (\S+)$", line)
        name, skipped = (started[1], False) if started else (name, skipped or line.startswith("[  SKIPPED ]") or line == "Test Skipped.")
        if line.startswith("modes:"):
            modes.setdefault(name, set()).update(line.split()[1:])
        if line in ("Test Passed.", "Test Failed."):
            results[name] = line == "Test Passed." and not skipped
    return results, modes


def features(document, tests):
    """Mistakes in the rows "| 1 | feature | how | `test`, `test` |": numbers in order, and tests that exist."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in document.read_text().splitlines() if re.match(r"\| \d", line)]
    for number, row in enumerate(rows, 1):
        named = re.findall(r"`(\w+)`", row[-1])
        if len(row) != 4 or row[0] != str(number) or not named or set(named) - tests:
            yield f"{document.name}: row {number} has not a feature, a way and tests that exist: {' | '.join(row)}"
    if len(rows) < 64:
        yield f"{document.name}: only {len(rows)} features"


def page(tables, passed):
    yield "# What shows that a part is right"
    yield ""
    yield "Made by `cmake --build build --target maturity` from `tests/maturity/evidence.txt` and the results of a run of all"
    yield "tests; a test compares the page. A number is how many of the tests named for the part and column passed, of how many;"
    yield "a test that skipped a case did not pass; empty: no test of the kind. Kernels count where a netlist had the mode. What"
    yield "the tests do: the READMEs of their folders, docs/notebook/proofs.md, docs/notebook/fidelity.md."
    for table in tables:
        yield ""
        yield f"## {table['title']}"
        yield ""
        yield "| | " + " | ".join(table["columns"]) + " |"
        yield "|---|" + "---|" * len(table["columns"])
        for name, evidence in table["parts"].items():
            cells = []
            for column in table["columns"]:
                tests = evidence.get(column, [])
                cells.append(f"{sum(passed(t) for t in tests)} of {len(tests)}" if tests else "")
            yield f"| {name} | " + " | ".join(cells) + " |"


def main():
    source, build, action = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    tables = read_evidence(source / "tests/maturity/evidence.txt")
    document = source / "docs/notebook/maturity.md"
    if action == "write":
        results, modes = last_results(build)
        modes = read_modes(source / "tests/maturity/modes.txt") | modes
        (source / "tests/maturity/modes.txt").write_text("# Modes of tiles in the netlists of a test, as it ran (`cmake --build build --target maturity`).\n" +
                                                         "".join(f"{test}: {' '.join(sorted(of))}\n" for test, of in sorted(modes.items())))
        tables = read_evidence(source / "tests/maturity/evidence.txt")
        document.write_text("\n".join(page(tables, lambda t: results.get(t, False))) + "\n")
        return 0
    tests, bad = known_tests(build), 0
    claimed, ran = read_modes(source / "tests/maturity/modes.txt"), last_results(build)[1]
    for test in claimed.keys() & ran.keys():
        if claimed[test] - ran[test]:
            print(f"{test}: its netlists have no {sorted(claimed[test] - ran[test])}, which tests/maturity/modes.txt says")
            bad = 1
    for mistake in features(source / "docs/notebook/features.md", tests):
        print(mistake)
        bad = 1
    for table in tables:
        for name, evidence in table["parts"].items():
            for test in {t for used in evidence.values() for t in used} - tests:
                print(f"{name}: there is no test '{test}'")
                bad = 1
        for path, pattern in table["covers"]:
            missing = set(re.findall(pattern, (source / path).read_text(), re.M)) ^ set(table["parts"])
            if missing:
                print(f"{path} and '{table['title']}' differ in {sorted(missing)}")
                bad = 1
    if document.read_text() != "\n".join(page(tables, lambda t: True)) + "\n":
        print("docs/notebook/maturity.md is not what all passing tests give: cmake --build build --target maturity")
        bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
