"""Looks whether pages and pictures are well-formed: check_pages.py FILE.html|FILE.svg...

What is opened is closed, in turn, but for elements whose end HTML implies; every row of a table has as many cells as its first one;
JSON in a page can be read; a picture's marks are in its view box."""
import html.parser
import json
import pathlib
import sys

VOID = {"meta", "link", "br", "img", "input", "hr", "base"}
IMPLIED = {"td", "th", "tr", "li", "p", "option", "dt", "dd", "thead", "tbody"}
# What an element that is opened ends.
ENDS = {"td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"}, "li": {"li"}, "option": {"option"}, "dt": {"dt", "dd"},
        "dd": {"dt", "dd"}, "tbody": {"td", "th", "tr", "thead"}}
# Numbers of a mark that lie within the view box, across and down.
ACROSS, DOWN = ("x", "x1", "x2", "cx"), ("y", "y1", "y2", "cy")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.columns, self.cells, self.box, self.json = [], [], [], 0, None, None

    def complain(self, what):
        self.wrong.append(f"line {self.getpos()[0]}: {what}")

    def leave(self, tag):
        if tag == "tr" and self.columns:
            self.columns[-1] = self.columns[-1] or self.cells
            if self.cells != self.columns[-1]:
                self.complain(f"a row of {self.cells} cells in a table of {self.columns[-1]}")
        elif tag == "table":
            self.columns.pop()
        elif tag == "svg":
            self.box = None

    def mark(self, tag, numbers):
        if self.box:
            for names, low, size in ((ACROSS, *self.box[::2]), (DOWN, *self.box[1::2])):
                for name in names:
                    if name in numbers and not low <= float(numbers[name]) <= low + size:
                        self.complain(f"{tag} at {name}={numbers[name]} is outside of the picture")

    def handle_startendtag(self, tag, attrs):
        self.mark(tag, dict(attrs))

    def handle_starttag(self, tag, attrs):
        said = dict(attrs)
        if len(said) != len(attrs):
            self.complain(f"an attribute of {tag} comes twice")
        while self.open and self.open[-1] in ENDS.get(tag, ()):
            self.leave(self.open.pop())
        self.mark(tag, said)
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self.columns.append(0)
        elif tag == "tr":
            self.cells = 0
        elif tag in ("td", "th"):
            self.cells += int(said.get("colspan", 1))
        elif tag == "svg" and "viewbox" in said:
            self.box = [float(n) for n in said["viewbox"].split()]
        elif tag == "script" and said.get("type") == "application/json":
            self.json = ""

    def handle_data(self, data):
        if self.json is not None:
            self.json += data

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in IMPLIED:
            self.leave(self.open.pop())
        if not self.open or self.open[-1] != tag:
            self.complain(f"</{tag}> ends nothing")
            return
        self.leave(self.open.pop())
        if self.json is not None:
            try:
                json.loads(self.json)
            except ValueError as fault:
                self.complain(f"no JSON: {fault}")
            self.json = None


def what_is_wrong(text):
    page = Page()
    page.feed(text)
    page.close()
    if set(page.open) - IMPLIED:
        page.complain(f"open at the end: {page.open}")
    return page.wrong


def count_wrong(texts):
    """Prints what is wrong with each of the texts, as (name, bytes), and returns with how many something is."""
    count = 0
    for name, text in texts:
        wrong = what_is_wrong(text.decode("utf-8"))
        count += bool(wrong)
        for one in wrong[:5]:
            print(f"{name}: {one}")
    return count


if __name__ == "__main__":
    sys.exit(count_wrong([(path, pathlib.Path(path).read_bytes()) for path in sys.argv[1:]]) != 0)
