"""The grammar of editors/ knows every word that begins a line in the programs, functions and formats that ship, and its problem matcher
finds the place of a message: editors.py SOURCE ONYX."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

source, onyx = pathlib.Path(sys.argv[1]), sys.argv[2]
grammar = json.loads((source / "editors/syntaxes/onyx.tmLanguage.json").read_text())
package = json.loads((source / "editors/package.json").read_text())
json.loads((source / "editors/language-configuration.json").read_text())
rules = [(re.compile(p["match"]), p) for p in grammar["patterns"]]
bad, words, lines = [], 0, 0


def scopes(line):
    """The name that each word of a line gets, first come, as editors do."""
    at, out = 0, []
    while at < len(line):
        hits = [(m.start(), n, m, p) for n, (r, p) in enumerate(rules) if (m := r.search(line, at)) and m.end() > m.start()]
        if not hits:
            break
        _, _, m, p = min(hits, key=lambda h: h[:2])
        if "name" in p:
            out.append((m[0], p["name"]))
        for group, capture in p.get("captures", {}).items():
            out.append((m[int(group)], capture["name"]))
        at = m.end()
    return out


keys = re.findall(r'^    \{"([a-z_]+)", (?:note|read)_', (source / "frontend/functions/described_fields.c").read_text(), re.M)
if len(keys) < 10:
    bad.append("frontend/functions/described_fields.c has no table of keys where it was")
bad += [f"the grammar does not know {key}: of descriptions" for key in keys if [n for _, n in scopes(f"{key}: x")][:1] == ["variable.other.onyx"]]
extensions = package["contributes"]["languages"][0]["extensions"]
files = [f for e in extensions for f in sorted([*source.glob(f"examples/*{e}"), *source.glob(f"functions/*{e}"), *source.glob(f"formats/*{e}")])]
for extension in extensions:
    if not any(f.suffix == extension for f in files):
        bad.append(f"no file ends with {extension}")
for file in files:
    for line in file.read_text().splitlines():
        lines += 1
        named = scopes(line)
        words += len(named)
        first = re.match(r"\s*(tensor|scalar|param|format|def|repeat|while|if|else|swap|result)\b|\s*(\w+):(?!.*\?)", line)
        if first and file.suffix != ".fn" and named and named[0][1] == "variable.other.onyx":
            bad.append(f"{file.name}: {named[0][0]} is no word of the grammar: {line}")
        if line.lstrip().startswith("#") and named != [(line[line.index("#"):], "comment.line.number-sign.onyx")]:
            bad.append(f"{file.name}: a comment is coloured as {named}")
pattern = package["contributes"]["problemMatchers"][0]["pattern"]
with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "p.onx").write_text("tensor B: ss\nx(i) = B(i,j) * (\n")
    said = subprocess.run([onyx, "run", "p.onx", "--engine", "sam", "-o", "out"], cwd=folder, capture_output=True, text=True, check=False).stderr
found = [m for m in map(re.compile(pattern["regexp"]).match, said.splitlines()) if m]
if not found or found[0][pattern["file"]] != "p.onx" or found[0][pattern["line"]] != "3" or not found[0][pattern["code"]].startswith("E0"):
    bad.append(f"the problem matcher finds nothing in: {said}")
print("\n".join(bad) or f"{len(files)} files, {lines} lines, {words} words; the matcher finds {found[0][0]}")
sys.exit(bool(bad))
