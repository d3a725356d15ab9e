"""The two books and a gallery as static HTML: make.py SOURCE ONYX FOLDER [ITEMS]

Puts the pages of docs/ into FOLDER/source as sphinx wants them, with a gallery (gallery.py; the first ITEMS of it, or all), an index of
error codes and the tables of contents, runs sphinx-build, and leaves the site in FOLDER/html. Exit code 77: sphinx, the theme or the
reader of Markdown is missing."""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ERROR_ROW = re.compile(r"^\| (E\d{4})(-[\w-]+)? \|", re.M)
# The manual's parts: title, and the pages in the order of reading.
PARTS = {
    "Use": "subjects tutorial glossary index_notation operators functions schedule programs project numbers limits storage tiling faster "
           "report diagnostics failures cycle energy comparison sweep python deadlock errata program host exchange boards silicon stability trust",
    "What a stage reads and writes": "dump ir_sam simulator ir_onyx array_operators pnr bitstream dense firmware cosim",
    "Tables": "primitives registers",
    "Change": "extending",
}


def linked(text, name, pages):
    """A page's text with links that lead somewhere on the site: folders to their index, docs/PAGE.md in words to the page."""
    up = "../" * name.count("/")

    def link(match):
        target, _, anchor = match[2].partition("#")
        if re.match(r"[a-z]+:", target) or target.endswith((".png", ".svg", ".json")):
            return match[0]
        path = (pathlib.PurePosixPath("/docs") / name).parent / target
        parts = []
        for part in path.parts[1:]:
            parts = parts[:-1] if part == ".." else [*parts, part]
        inside = "index.md" if parts == ["docs", "README.md"] else "/".join(parts[1:])
        if parts[:1] != ["docs"]:
            return match[1]
        inside = "error_index.md" if inside == "errors" else inside
        inside = inside if inside.endswith(".md") or not target else f"{inside}/README.md"
        return f"[{match[1]}]({up}{inside}{'#' + anchor if anchor else ''})" if target and inside in {*pages, "index.md", "error_index.md"} else match[0] if not target else match[1]

    def mention(match):
        return f"[{match[1]}]({up}{match[1]}.md)" if f"{match[1]}.md" in pages else match[0]

    fence, lines = False, []
    for line in text.split("\n"):
        fence ^= line.startswith("```")
        if not fence and not line.startswith("    "):
            line = re.sub(r"\[([^\]]*)\]\(([^) ]+)\)", link, line)
            line = re.sub(r"`?\bdocs/([a-z_/]+)\.md`?", mention, line)
        lines.append(line)
    return "\n".join(lines)


def error_index(docs):
    """A table of all codes, each linked to its row; and the pages of errors with an anchor in front of each row's table."""
    rows = []
    for path in sorted((docs / "errors").glob("*.md")):
        for line in path.read_text().splitlines():
            code = re.match(r"\| `?(E\d{4})(-[\w-]+)?`? \| (.*?) \|", line)
            if code:
                rows.append((code[1], code[2] or "", code[3], path.stem))
    lines = ["# Index of error codes", "", "Every code that a message ends with, and where the code is explained. "
             "`onyx help CODE` prints the same.", "", "| code | meaning | part |", "|---|---|---|"]
    for code, name, meaning, part in sorted(rows):
        lines.append(f'| <span id="{code.lower()}">{code}{name}</span> | {meaning} | [{part}](errors/{part}.md) |')
    return "\n".join(lines) + "\n"


def toctree(caption, names):
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", ":maxdepth: 1", "", *names, "```", ""])


def index_page(docs, pages):
    """The first page: the index of the documentation, with the trees of both books behind."""
    def of(folder):
        return [name[:-3] for name in sorted(pages) if name.startswith(f"{folder}/") and name != f"{folder}/README.md"]

    text = linked((docs / "README.md").read_text(), "README.md", pages)
    trees = [toctree("Gallery", ["gallery"])]
    trees += [toctree(title, names.split()) for title, names in PARTS.items()]
    trees += [toctree("Errors", ["error_index", *of("errors")]), toctree("Decisions", ["decisions/README", *of("decisions")]),
              toctree("Notebook", ["notebook/README", *of("notebook")])]
    listed = {f"{name}.md" for names in PARTS.values() for name in names.split()}
    missing = {name for name in pages if "/" not in name and name != "README.md"} - listed
    if missing:
        sys.exit(f"make.py: no part of the site has {', '.join(sorted(missing))}")
    return text + "\n" + "\n".join(trees)


def put_pages(source, target):
    docs = source / "docs"
    pages = {str(path.relative_to(docs)) for path in docs.rglob("*.md")}
    for name in pages - {"README.md"}:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(linked((docs / name).read_text(), name, pages))
    for path in docs.rglob("*"):
        if path.suffix in (".png", ".svg", ".json"):
            (target / path.relative_to(docs)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target / path.relative_to(docs))
    (target / "index.md").write_text(index_page(docs, pages))
    (target / "error_index.md").write_text(error_index(docs))


def main():
    if any(importlib.util.find_spec(module) is None for module in ("sphinx", "furo", "myst_parser")):
        print("sphinx, furo or myst_parser is missing: Debian's packages python3-sphinx, furo, python3-myst-parser")
        return 77
    source, onyx, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    target = folder / "source"
    shutil.rmtree(folder, ignore_errors=True)
    (target / "_static").mkdir(parents=True)
    shutil.copy(HERE / "conf.py", target)
    shutil.copy(HERE / "site.css", target / "_static")
    put_pages(source, target)
    gallery = [sys.executable, HERE / "gallery.py", source, onyx, target, *sys.argv[4:5]]
    build = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-d", folder / "doctrees", target, folder / "html"]
    return subprocess.run(gallery, check=False).returncode or subprocess.run(build, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
