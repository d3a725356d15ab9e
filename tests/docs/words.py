"""Shares of pointing words, figures that read backwards, and wide lines, each with a bound: words.py SOURCE [--lower | --list NAME].

A *pointing* word (it, that, which, so, one, ...) names nothing: its share of a text measures how much a reader must already know.
Counted are comments of six words or more, by room, and pages of 150 words or more, without code, tables' rulers and links' targets.
In pages of the manual a sentence has 25 words on average, at most.
A figure *reads backwards* as "669,158 cycles for 852,854": now for before. A line is *wide* with more than 120 columns, but for
tables and links in pages; in sources a line of a comment is counted.

A *fragment* is a comment behind a statement without a verb (fragments.py).

words.txt has the bound of each: the last count. A count above its bound fails; --lower writes lower bounds after a change that earns them. A room or page that words.txt does not name has the aim as its bound. --list NAME prints the sentences that count.
"""

import collections
import pathlib
import re
import subprocess
import sys

import fragments

POINTING = re.compile(r"\b(it|they|that|those|these|what|which|so|such|likewise|one|others|there|then|them)\b", re.I)
BACKWARDS = re.compile(r"\b\d[\d,.]{2,}(?: [a-zµ*\\]+){0,4} for \d[\d,.]*\d\b(?! (?:bits?|words?|tiles?|rows?|columns?|streams?|copies|MHz)\b)")
AIM = {"comments": 3.5, "page": 4.0, "sentence": 25}  # per cent, per cent, words
SOURCES = (".c", ".h", ".cpp", ".sv", ".svh", ".def")
WIDTH = 120


def names_of(source):
    listed = subprocess.run(["git", "-C", str(source), "ls-files"], capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return listed.stdout.splitlines()
    paths = (path.relative_to(source) for path in source.rglob("*") if path.is_file())
    return sorted(str(path) for path in paths if not path.parts[0].startswith(("build", ".", "out")))


def comments_of(text):
    """Comments of a source, without `code`: between /* and */, and runs of lines that begin with //."""
    found = re.findall(r"/\*(.*?)\*/", text, re.S)
    lines = []
    for line in [*text.splitlines(), ""]:
        comment = re.match(r"\s*//+\s?(.*)", line)
        if comment:
            lines.append(comment[1])
        elif lines:
            found.append(" ".join(lines))
            lines = []
    words = (re.sub(r"`[^`]*`|[*]", " ", comment).split() for comment in found)
    return [" ".join(one) for one in words if len(one) >= 6]


def prose_of(text):
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"^    .*$", "", text, flags=re.M)
    text = re.sub(r"`[^`]*`", "X", text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def sentence_words(text):
    """Words of the sentences of a page's prose, without tables, and their number."""
    text = re.sub(r"^[|#].*$", "", prose_of(text), flags=re.M)
    paragraphs = (" ".join(one.split()) for one in re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", text))
    lengths = [len(one.split()) for text in paragraphs for one in re.split(r"(?<=[.!?]) (?=[A-Z`*(])", text)]
    lengths = [length for length in lengths if length > 2]
    return sum(lengths), len(lengths)


def wide_in(name, text):
    if name.endswith(".md"):
        lines = re.sub(r"```.*?```", "", text, flags=re.S).splitlines()
        return sum(len(line) > WIDTH and not line.startswith(("|", "[")) for line in lines)
    return sum(len(line) > WIDTH and re.match(r"\s*(//|/?\*)", line) is not None for line in text.splitlines())


class Counts:
    def __init__(self, source):
        self.source = source
        self.words, self.points = collections.Counter(), collections.Counter()
        self.totals = collections.Counter({"wide/pages": 0, "wide/comments": 0, "backwards/pages": 0, "backwards/comments": 0,
                                           "fragments/comments": 0, "fragments/tests": 0})
        self.texts = collections.defaultdict(list)  # of each name, for --list
        self.sentences = {}  # words a sentence, of pages of the manual
        for name in names_of(source):
            if name.endswith((".md", *SOURCES)) and (source / name).is_file():
                self.add(name, (source / name).read_text(errors="replace"))

    def add(self, name, text):
        page = name.endswith(".md")
        texts = [prose_of(text)] if page else comments_of(text)
        kind = "pages" if page else "comments"
        self.totals[f"wide/{kind}"] += wide_in(name, text)
        if name.endswith(fragments.LANGUAGES):
            self.totals["fragments/tests" if name.startswith("tests/") else "fragments/comments"] += sum(1 for _ in fragments.fragments(text))
        if page and len(texts[0].split()) < 150:
            return
        if page and re.fullmatch(r"README\.md|docs/\w+\.md", name):
            length, number = sentence_words(text)
            self.sentences[f"sentence/{name}"] = length / max(1, number)
        own = f"page/{name}" if page else f"comments/{name.split('/')[0]}"
        for one in texts:
            self.words[own] += len(one.split())
            self.points[own] += len(POINTING.findall(one))
            self.totals[f"backwards/{kind}"] += len(BACKWARDS.findall(one))
            self.texts[own].append((name, one))

    def manual(self):
        """Words of docs/*.md, code included, without tables' rulers and bars."""
        words = " ".join(path.read_text() for path in sorted((self.source / "docs").glob("*.md"))).split()
        return sum(re.fullmatch(r"[-:|]+", word) is None for word in words)

    def share(self, name):
        return 100 * self.points[name] / max(1, self.words[name])

    def all(self):
        """Every count by its name, shares rounded up to a tenth of a per cent."""
        shares = {name: -(-1000 * self.points[name] // max(1, self.words[name])) / 10 for name in self.words}
        return {**shares, **self.totals, **self.sentences}


def bounds_of(path):
    rows = (line.split() for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return {name: float(bound) for name, bound in rows}


def aim_of(name):
    return AIM.get(name.split("/")[0], 0)


def judge(source):
    """Counts above their bounds, as lines."""
    counts, bounds = Counts(source), bounds_of(pathlib.Path(__file__).with_name("words.txt"))
    return [f"{name}: {value:g}, and the bound is {bounds.get(name, aim_of(name)):g} (tests/docs/words.py --list {name})"
            for name, value in sorted(counts.all().items())
            if value > bounds.get(name, aim_of(name))]


def lower(source):
    path = pathlib.Path(__file__).with_name("words.txt")
    head = "".join(line for line in path.read_text().splitlines(keepends=True) if line.startswith("#"))
    bounds = bounds_of(path)
    rows = []
    for name, value in sorted(Counts(source).all().items()):
        bound = min(value, bounds.get(name, value if not bounds else aim_of(name)))
        if bound > aim_of(name) or name.split("/")[0] not in AIM:
            rows.append(f"{name} {bound:g}\n")
    path.write_text(head + "".join(rows))


def show(source, name):
    for file, text in Counts(source).texts[name]:
        for sentence in re.split(r"(?<=[.:;])\s+", text):
            if POINTING.search(sentence) or BACKWARDS.search(sentence):
                print(f"{file}: {' '.join(sentence.split())}")


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    if sys.argv[2:3] == ["--list"]:
        show(root, sys.argv[3])
    elif sys.argv[2:3] == ["--lower"]:
        lower(root)
    else:
        table = Counts(root)
        for row in sorted(table.words, key=lambda one: -table.share(one)):
            print(f"{table.share(row):5.1f} % of {table.words[row]:6}  {row}")
        for row, number in sorted(table.totals.items()):
            print(f"{number:8} {row}")
        print(f"{table.manual():8} words of the manual, of 60,000")
