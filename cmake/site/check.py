"""Holds a site together: check.py HTML. Every link and picture inside of the site leads to a file, and to an anchor that it has; nothing is
fetched from a network; the search loads its index by a script, which works from a file; every error code has its place in the index."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loads = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script") and given.get("src") or tag == "link" and given.get("rel") == "stylesheet":
            self.loads.append(given.get("src") or given["href"])


def wrong_in(path, pages):
    for target in [*pages[path].links, *pages[path].loads]:
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc:
            if target in pages[path].loads and parts.scheme != "data":
                yield f"{path}: loads {target}"
            continue
        file = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        if not file.is_file():
            yield f"{path}: {target} leads nowhere"
        elif parts.fragment and file in pages and urllib.parse.unquote(parts.fragment) not in pages[file].anchors:
            yield f"{path}: {target}: the page has no such anchor"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in root.rglob("*.html")}
    bad = [line for path in sorted(pages) for line in wrong_in(path, pages)]
    codes = {anchor for anchor in pages[root / "error_index.html"].anchors if anchor[:1] == "e" and anchor[1:5].isdigit()}
    if len(codes) < 300:
        bad.append(f"the index has {len(codes)} error codes")
    if not (root / "searchindex.js").is_file() or "searchindex.js" not in (root / "search.html").read_text():
        bad.append("search.html does not load searchindex.js by a script")
    print("\n".join(bad) or f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(codes)} error codes")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
