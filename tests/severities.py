#!/usr/bin/env python3
"""The severity of each diagnostic code: severities.py SOURCE

A code is reported as an error (exit 1), as beyond the hardware (2), as a wrong result (3) or as a warning, always as the same but for the
codes in MIXED. Its row in docs/errors/ begins with "warning" exactly if a warning is all that it is; tests/flow/ expects the exit code
beside the message that belongs to it. A code that a macro or a helper reports is known by its row alone.
"""
import collections
import pathlib
import re
import sys

ROOMS = ("support sam frontend tiling lower_onyx pnr bitstream firmware dense host rtl_models kernel graphs engines autoschedule report exchange "
         "compile programs options sweep cli").split()
EXITS = {"error": 1, "unmappable": 2, "mismatch": 3}
MIXED = {
    "E0784-wrong-board": {"error", "warning"}, "E0805-bank-collision": {"error", "warning"}, "E0930-tool": {"error", "warning"},
    "E0118-too-large": {"error", "unmappable"}, "E0124-dense-result": {"error", "unmappable"}, "E0356-banks": {"error", "unmappable"},
    "E0984-dense-registers": {"error", "unmappable"}, "E0942-points": {"error", "mismatch", "unmappable"},
}
CODE = r"E\d{4}-[a-z0-9-]+"


def severities(source):
    """The severities of each code in the sources."""
    found = collections.defaultdict(set)
    for room in ROOMS:
        for path in (source / room).rglob("*"):
            if path.suffix not in (".c", ".h", ".cpp", ".def"):
                continue
            text = path.read_text(errors="replace")
            for call in re.finditer(r"diag_(error|warning|unmappable|mismatch)\s*\(([^;]{0,200})", text):
                for code in re.findall(rf'"({CODE})"', call[2]):
                    found[code].add(call[1])
    return found


def rows(source):
    return {row[1]: row[2] for path in (source / "docs/errors").glob("*.md")
            for row in re.finditer(rf"^\| *`?({CODE})`? *\| *(.*)$", path.read_text(), re.M)}


def expectations(source):
    """[(file, exit code, codes)] of the commands of tests/flow/ that state both."""
    for path in sorted((source / "tests/flow").glob("*.test")):
        for command in re.split(r"^(?=\$ )", path.read_text(), flags=re.M)[1:]:
            stated = re.search(r"^exit (\d+)$", command, re.M)
            codes = re.findall(rf"^err .*\[({CODE})\]", command, re.M)
            if stated and codes and "||" not in command.split("\n")[0] and ";" not in command.split("\n")[0]:
                yield path.name, int(stated[1]), codes


def main():
    source = pathlib.Path(sys.argv[1])
    found, documented, bad = severities(source), rows(source), []
    for code, kinds in sorted(found.items()):
        said = re.match(r"(a )?warning", documented.get(code, "")) is not None
        if len(kinds) > 1 and MIXED.get(code) != kinds:
            bad.append(f"{code} is {' and '.join(sorted(kinds))}")
        if said != (kinds == {"warning"}):
            bad.append(f"{code} is {' and '.join(sorted(kinds))}, and its row in docs/errors/ says {'' if said else 'no '}warning")
    for name, code, codes in expectations(source):
        kinds = set().union(*(found.get(one, set()) for one in codes))
        if kinds and code not in {EXITS.get(kind, code) for kind in kinds}:
            bad.append(f"tests/flow/{name}: exit {code} beside {', '.join(codes)}, {' and '.join(sorted(kinds))}")
    print("\n".join(bad) or f"{len(found)} codes, {sum(1 for _ in expectations(source))} exit codes")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
