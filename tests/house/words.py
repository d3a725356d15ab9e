#!/usr/bin/env python3
"""Words of identifiers keep the meaning that words.txt states.

    words.py SOURCE     a line for each identifier of C that has a word in another meaning; exit code 1 if there is one

Identifiers are cut at underscores. Tests, comments and strings do not count.
"""
import pathlib
import re
import sys

from count import files_of

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|([A-Za-z_]\w*)', re.S)


def rows(text):
    for line in text.splitlines():
        if line and line[0] != "#":
            word, opposite, allowed, meaning = line.split(" :: ")
            yield word, opposite, re.compile("(?!)" if allowed == "-" else allowed), meaning


def check(table, sources):
    """A line for each identifier of {file: text} with a word in another meaning."""
    found = []
    for path, text in sources.items():
        names = sorted({m[1] for m in TOKEN.finditer(text) if m[1]})
        parts = {name: set(name.lower().split("_")) for name in names}
        present = set().union(*parts.values()) if parts else set()
        for word, opposite, allowed, meaning in table:
            if word in present and opposite not in present:
                found += [f"{path}: {name}: `{word}` is: {meaning}" for name in names
                          if word in parts[name] and not allowed.fullmatch(f"{path} {name}")]
    return found


def main():
    here, source = pathlib.Path(__file__).resolve().parent, pathlib.Path(sys.argv[1])
    table = list(rows((here / "words.txt").read_text()))
    own = {"a/b.c": "int left_of, x; /* way */ char *s = \"beside\";", "a/c.h": "int left, right;"}
    if len(check([("left", "right", re.compile("(?!)"), ""), ("way", "-", re.compile("(?!)"), "")], own)) != 1:
        sys.exit("words.py does not notice a word")
    sources = {str(p.relative_to(source)): p.read_text() for p in files_of(source, ".c", ".h", ".def")
               if source / "tests" not in p.parents}
    found = check(table, sources)
    print("\n".join(found) or f"{len(table)} words, {len(sources)} files")
    sys.exit(bool(found) or len(sources) < 500)


main()
