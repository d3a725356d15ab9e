"""Comments behind statements without a verb: fragments.py SOURCE prints them.

A comment behind a declaration, a member or a row of a table is a label; behind a statement there is a clause, with a verb of
verbs.txt. A name alone, as of a register or a state, labels a statement, too.
"""

import pathlib
import re
import sys

VERBS = set(line for line in pathlib.Path(__file__).with_name("verbs.txt").read_text().split("\n", 1)[1].split())
LANGUAGES = (".c", ".h", ".cpp", ".sv", ".svh")
BEHIND = re.compile(r"^[ \t]*(?P<code>\S.*?)[ \t]+(?://|/\*)[ \t]*(?P<comment>[^/].*?)(?:\*/)?[ \t]*$", re.M)
STATEMENT = re.compile(r"(\} )?(if|else|for|while|switch|return|do|break|continue)\b"
                       r"|[*&(]*[a-z_]\w*((->|\.|::)\w+|\[[^\]]*\])* ?([-+*/%|&^]?=(?!=)|<<=|>>=|\+\+|--|\()")


def fragments(text):
    """(number of the line, comment) of each fragment."""
    for found in BEHIND.finditer(text):
        code = re.sub(r'"(\\.|[^"\\])*"', '""', found["code"])
        words = re.findall(r"[a-z][a-z']+", re.sub(r"`[^`]*`", " ", found["comment"]))
        if code.count('"') % 2 or "//" in code or "/*" in code or not STATEMENT.match(code):
            continue
        if words and not any(word in VERBS for word in words):
            yield text.count("\n", 0, found.start()) + 1, found["comment"].strip()


def main():
    source = pathlib.Path(sys.argv[1])
    for path in sorted(source.rglob("*")):
        where = path.relative_to(source)
        if path.suffix in LANGUAGES and not where.parts[0].startswith(("build", ".", "out")):
            for line, comment in fragments(path.read_text(errors="replace")):
                print(f"{where}:{line}: {comment}")


if __name__ == "__main__":
    main()
