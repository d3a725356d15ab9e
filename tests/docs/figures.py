#!/usr/bin/env python3
"""Figures in the prose of the manual, each with the command that gives it.

    figures.py SOURCE ONYX FOLDER [N [SEED]]   runs the commands of N rows of figures.txt, by a seed from outside (tests/seeds.py), or of all rows
    figures.py SOURCE count                    prints the figures in prose that no row has; house counts them

A row of figures.txt is three lines: `PAGE: words of the page around the figure, which is in {braces}`; the command, words after `onyx`; the
figure's place in report.json, as cycles.total. The page has these words, and the report that number, or the test fails.

A constant has `source FILE` in place of the command, and texts of that file, ` ... ` between them, each with a number in {braces}, 1 << 14 too.
They add up to the figure; behind `- `, `* ` and `/ ` one is subtracted, multiplies or divides. All these rows are checked each time."""
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
FIGURE = re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d{4,})(?![\w,-]|\.\d)")


def read(path):
    """[(page, words, figure, command, place)]"""
    lines = [line for line in path.read_text().splitlines() if line.strip() and line[0] != "#"]
    rows = []
    for head, command, place in zip(lines[::3], lines[1::3], lines[2::3]):
        page, words = head.split(": ", 1)
        figure = re.search(r"\{([\d,]+)\}", words)
        rows.append((page, words.replace("{", "").replace("}", ""), int(figure[1].replace(",", "")), command.strip(), place.strip()))
    return rows


def constant(source, command, place):
    """The number that texts of a source file make, or the text that it lacks."""
    text, total = " ".join((source / command.removeprefix("source ")).read_text().split()), 0
    for part in place.split(" ... "):
        sign, words = (part[0], part[2:]) if part[:2] in ("- ", "* ", "/ ") else ("+", part)
        written = re.search(r"[{]((?:0x)?[0-9a-f]+)(?: << (\d+))?[}]", words)
        if words.replace(written[0], written[0][1:-1]) not in text:
            return f"missing: {words}"
        number = int(written[1], 0) << int(written[2] or 0)
        total = {"+": total + number, "-": total - number, "*": total * number, "/": total // (number or 1)}[sign]
    return total


def prose(text):
    """Lines outside of fences, examples and tables, without code and links."""
    fence = False
    for number, line in enumerate(text.splitlines(), 1):
        fence ^= line.startswith("```")
        if not fence and not line.startswith(("    ", "|", "```")):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)|https?://\S+|\((?:VLSI|ASPLOS|OOPSLA|Zeller and Hildebrandt) \d{4}\)|\bPLDI \d{4}\)", "", line)


def pages(source):
    return [source / "README.md", *sorted((source / "docs").glob("*.md"))]


def untagged(source):
    """Figures of four digits and more without a row."""
    tagged = {}
    for page, _, figure, _, _ in read(HERE / "figures.txt"):
        tagged.setdefault(page, []).append(figure)
    found = []
    for path in pages(source):
        name = str(path.relative_to(source))
        mine = tagged.get(name, [])
        for number, line in prose(path.read_text()):
            found += [f"{name}:{number}: {m[1]}" for m in FIGURE.finditer(line) if int(m[1].replace(",", "")) not in mine]
    return found


def measure(onyx, folder, source, command, place):
    """The number of the report, None without the data, or the message."""
    if command.startswith("source "):
        return constant(source, command, place)
    words = [word.replace("{data}", str(source / "../shared/data")).replace("{source}", str(source)) for word in shlex.split(command)]
    words += ["--dtype", "int16"] if words[0] == "run" and "--dtype" not in words else []
    paths = [re.sub(r"^\w+:", "", word) for word in words if "shared/data" in word]
    if not all(os.path.exists(path) for path in paths):
        return None
    done = subprocess.run([onyx, *words, "--quiet", "-o", folder], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip()[-300:]
    found = json.loads(pathlib.Path(folder, "report.json").read_text())
    for name in place.split("."):
        found = found[int(name)] if name.isdigit() else found[name]
    return found


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] == "count":
        print("\n".join(untagged(source)))
        return 0
    sys.path.append(str(HERE.parent))
    import seeds
    rows, bad, skipped = read(HERE / "figures.txt"), 0, 0
    for page, words, _, _, _ in rows:
        if words not in " ".join((source / page).read_text().split()):
            bad += 1
            print(f"{page} does not say: {words}")
    if len(sys.argv) > 4:
        seed = int(sys.argv[5]) if len(sys.argv) > 5 else seeds.outside(source)
        always = [row for row in rows if row[3].startswith("source ")]
        runs = [row for row in rows if row not in always]
        rows = always + random.Random(seed).sample(runs, min(int(sys.argv[4]), len(runs)))
        print(f"rows of seed {seed}")
    for page, words, figure, command, place in rows:
        got = measure(sys.argv[2], sys.argv[3], source, command, place)
        skipped += got is None
        if got is not None and got != figure:
            bad += 1
            print(f"{page}: {words}\n    onyx {command}\n    {place} is {got}, the page says {figure}")
    print(f"{len(rows)} figures, {bad} wrong, {skipped} without their data")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
