#!/usr/bin/env python3
"""Every expression that stands in a test, a page or an example, as concrete index notation that reads back as the same text:
read_back.py BIND_CASES SOURCE LEAST: LEAST expressions at least must be ones that can be written so."""
import pathlib
import re
import subprocess
import sys

PLACES = [("tests", "*.py"), ("tests", "*.c"), ("tests", "*.test"), ("docs", "*.md"), ("examples", "*.md"), ("examples", "*.onx")]
STATEMENT = re.compile(r"\w+\s*(?:\([^()=]*\))?\s*\+?=\s*[^=].*")


def expressions(source):
    """Quoted texts that look like statements; one with a brace is made of parts when the test runs."""
    found = set()
    for folder, names in PLACES:
        for path in sorted((source / folder).rglob(names)):
            text = path.read_text(errors="replace")
            candidates = text.splitlines() if path.suffix == ".onx" else re.findall(r'"([^"\n\\]*=[^"\n\\]*)"', text)
            found |= {c.strip() for c in candidates if STATEMENT.fullmatch(c.strip()) and not set("{}%$\t") & set(c)}
    return sorted(found)


tool, source, least = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
known = expressions(source)
done = subprocess.run([tool], input="".join(f"{e}\t\t\n" for e in known), capture_output=True, text=True)
answers = done.stdout.splitlines()
bad = [f"{e}: {a}" for e, a in zip(known, answers) if a.startswith(("not read back", "read back"))]
written = sum(not re.match(r"E\d{4}-", a) for a in answers)
print("\n".join(bad))
print(f"{len(known)} expressions, {written} written as concrete index notation, {len(bad)} of them not read back as the same")
sys.exit(bool(bad) or done.returncode != 0 or len(answers) != len(known) or written < least)
