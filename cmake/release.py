"""Makes the tree ready for the tag of a release: release.py SOURCE VERSION DATE

Moves the lines of "Unreleased" in CHANGELOG.md into the section of VERSION (a new one, or, before its tag, the existing
section), and writes VERSION, CITATION.cff and the title of NEWS.md. CONTRIBUTING.md has the steps around.
"""
import pathlib
import re
import sys


def fold(text, version, date):
    """The change log with an empty section Unreleased."""
    head, body, rest = re.fullmatch(r"(.*?## \[Unreleased\]\n)(.*?)(?=## )(.*)", text, re.S).groups()
    lines = body.strip()
    known = re.match(rf"## \[{re.escape(version)}\] - [\d-]+\n", rest)
    title = f"## [{version}] - {date}\n"
    if not known:
        return f"{head}\n{title}\n" + (f"{lines}\n\n" if lines else "") + rest
    end = re.search(r"\n## (?!#)", rest[known.end():])
    section = rest[known.end():known.end() + end.start()].rstrip()
    section += f"\n\n### Up to {date}\n\n{lines}" if lines else ""
    return f"{head}\n{title}{section}\n{rest[known.end() + end.start():]}"


def main():
    source, version, date = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]

    def renew(name, change):
        path = source / name
        path.write_text(change(path.read_text()))

    renew("CHANGELOG.md", lambda text: fold(text, version, date))
    renew("VERSION", lambda _: version + "\n")
    renew("CITATION.cff", lambda text: re.sub(r"^version: .*$", f"version: {version}", re.sub(
        r"^date-released: .*$", f"date-released: {date}", text, flags=re.M), flags=re.M))
    renew("NEWS.md", lambda text: re.sub(r"\A# onyx .*", f"# onyx {version}", text))


if __name__ == "__main__":
    main()
