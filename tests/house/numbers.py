#!/usr/bin/env python3
"""Fails where a floating-point number is read from text, or printed, by a function that knows the caller's locale.

    numbers.py SOURCE     a line for each such call: file, line, what stands there; exit code 1 if there is one

support/number.h has the functions to use. What a program says that is generated and run apart (a string within a string) does not count, nor
do tests.
"""
import pathlib
import re
import sys

from count import files_of

READERS = re.compile(r"\b(?:strto(?:d|f|ld)|atof|wcsto[df])\s*\(")
SCANNERS = re.compile(r"\b[vf]?s?scanf\s*\(")
PRINTERS = re.compile(r"\b(?:f|s|sn|v|vf|vs|vsn|d|vd|as|vas)?printf\s*\(")
JSON = re.compile(r"\bcJSON_(?:Print|Parse)\w*\s*\(")
FLOAT = re.compile(r"%[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?[lL]?[aefgAEFG]")
ALLOWED = ("support/number.c", "support/json.c")


def argument_strings(text, at):
    """The strings of the call whose parenthesis opens at `at`, except strings of nested calls."""
    depth, found, i = 0, [], at
    while i < len(text):
        string = re.compile(r'"((?:\\.|[^"\\])*)"|\'(?:\\.|[^\'\\])*\'').match(text, i)
        if string:
            if depth == 1 and string[1] is not None:
                found.append(string[1])
            i = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            break
        i += 1
    return "".join(found)


def in_string(line, column):
    return len(re.findall(r'(?<!\\)"', line[:column])) % 2 == 1


def calls(path, text):
    comments = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    for pattern, always in ((READERS, True), (JSON, True), (SCANNERS, False), (PRINTERS, False)):
        for m in pattern.finditer(comments):
            start = comments.rfind("\n", 0, m.start()) + 1
            if in_string(comments[start:m.start()], m.start() - start):
                continue
            if always or FLOAT.search(argument_strings(comments, m.end() - 1).replace("%%", "")):
                yield f"{path}:{comments.count(chr(10), 0, m.start()) + 1}: {m.group().rstrip('( ')}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = []
    for path in files_of(root, ".c", ".h", ".cpp"):
        name = str(path.relative_to(root))
        if not name.startswith("tests/") and name not in ALLOWED:
            found += calls(name, path.read_text(errors="replace"))
    print("\n".join(found) or "numbers are read and printed by support/number.h alone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
