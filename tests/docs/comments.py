"""Comments that cannot be read by somebody who has not read the file: comments.py SOURCE [FOLDER].

Two forms are found. A *stacked* comment is directly followed by another one, so that nothing is left for it to describe. A
*riddle* begins with words that only refer to something else, as "Of ..." or "The same ...". There may be neither. With a
FOLDER only its findings are printed. Without a FOLDER the counts of words.py are held against their bounds, too.
"""

import os
import pathlib
import re
import subprocess
import sys

import words as counted

RIDDLE = re.compile(r"(Of|The same|Same|Ditto|As above|As before|Likewise)\b")
LANGUAGES = {".c": "/*", ".h": "/*", ".cpp": "/*", ".def": "/*", ".sv": "//", ".svh": "//", ".sh": "#", ".py": "#", ".cmake": "#", ".txt": "#"}


def comments(text, mark):
    """(number of the first line, text, whether alone on its lines, number of the next line)."""
    if mark == "/*":
        for found in re.finditer(r"/\*(.*?)\*/|\"(?:\\.|[^\"\\\n])*\"", text, re.S):
            if found[1] is None:
                continue
            first = text.count("\n", 0, found.start())
            alone = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip() and text[found.end():found.end() + 1] in ("\n", "")
            yield first, re.sub(r"\n\s*\*", " ", found[1]).strip(" *\n"), alone, first + found[0].count("\n") + 1
        return
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        found = re.match(r"\s*" + mark + r"+ ?(.*)", lines[at])
        if not found:
            at += 1
            continue
        first, words = at, []
        while at < len(lines) and (more := re.match(r"\s*" + mark + r"+ ?(.*)", lines[at])):
            words.append(more[1])
            at += 1
        yield first, " ".join(words).strip(), True, at


def findings(path):
    text = path.read_text(errors="replace")
    behind = None
    for first, words, alone, after in comments(text, LANGUAGES[path.suffix]):
        if words.startswith("clang-format "):
            continue
        ruler = words.startswith("----")
        if alone and behind == first and LANGUAGES[path.suffix] == "/*":
            yield first, "stacked on the comment before"
        behind = after if alone and not ruler else None
        if RIDDLE.match(words):
            yield first + 1, "a riddle: " + words[:60]


def main():
    source = pathlib.Path(sys.argv[1])
    files = []
    for folder, inner, names in os.walk(source):  # not into the build's folders, in which other tests make and remove some meanwhile
        inner[:] = [name for name in inner if not name.startswith((".", "build")) and name not in ("out", "node_modules")]
        files += [pathlib.Path(folder, name) for name in names if name == "CMakeLists.txt" or pathlib.Path(name).suffix in LANGUAGES.keys() - {".txt"}]
    found = []
    for path in sorted(files):
        where = path.relative_to(source)
        if len(sys.argv) == 2 or where.parts[0] == sys.argv[2]:
            found += [f"{where}:{line}: {what}" for line, what in findings(path)]
    if len(sys.argv) == 2:
        found += counted.judge(source)
    print("\n".join(found))
    return bool(found)


sys.exit(main())
