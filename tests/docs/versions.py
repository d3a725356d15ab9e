"""Versions of file formats in CHANGELOG.md are the code's; files of a release agree: versions.py SOURCE.

CHANGELOG.md, CITATION.cff and NEWS.md state the version of VERSION; cmake/release.py, tried on the change log, leaves no
unreleased line and loses none.
"""

import importlib.util
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
stated, members = {}, set()
for line in (source / "CHANGELOG.md").read_text().splitlines():
    row = re.match(r"\| .* \| `(\w+)` \| (\d+) \|", line)
    if row and row[1] == "format_version":
        members.add(row[2])
    elif row:
        stated[row[1]] = row[2]

held, written = {}, set()
# Other tests make and remove folders in the build's meanwhile.
rooms = [room for room in source.glob("[a-z]*/") if not room.name.startswith(("tests", "build"))]
for path in sorted(path for room in rooms for path in room.rglob("*.[ch]")):
    text = path.read_text()
    held.update(re.findall(r"\b([A-Z]+(?:_[A-Z]+)*_VERSION) = (\d+)", text))
    written.update(re.findall(r"\"format_version\", (\d+)\)", text))

bad = [f"CHANGELOG.md says {stated.get(name)} of {name}, the code {held.get(name)}"
       for name in sorted(stated.keys() | held.keys()) if stated.get(name) != held.get(name)]
if members != written:
    bad.append(f"CHANGELOG.md says that format_version is {sorted(members)}, the code writes {sorted(written)}")
version, log = (source / "VERSION").read_text().strip(), (source / "CHANGELOG.md").read_text()
released = re.findall(r"^## \[([\d.]+)\] - ([\d-]+)$", log, re.M)
cited = re.findall(r"^(?:version|date-released): (.*)$", (source / "CITATION.cff").read_text(), re.M)
if not released or released[0][0] != version or sorted(cited) != sorted(released[0]):
    bad.append(f"VERSION has {version}, CHANGELOG.md {released[:1]}, CITATION.cff {cited}")
if not (source / "NEWS.md").read_text().startswith(f"# onyx {version}\n"):
    bad.append(f"NEWS.md does not begin with version {version}")
if len({name for name, _ in released}) != len(released):
    bad.append("CHANGELOG.md has a release twice")
spec = importlib.util.spec_from_file_location("release", source / "cmake/release.py")
release = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(release)
for name in (version, "9.9.9"):
    folded = release.fold(log, name, "2099-01-01")
    if not re.search(r"^## \[Unreleased\]\n\n## \[", folded, re.M) or f"## [{name}] - 2099-01-01" not in folded:
        bad.append(f"cmake/release.py leaves no empty section Unreleased for {name}")
    if sorted(line for line in folded.splitlines() if line.startswith(("- ", "  "))) != sorted(
            line for line in log.splitlines() if line.startswith(("- ", "  "))):
        bad.append(f"cmake/release.py loses lines for {name}")

print("\n".join(bad) or f"{len(held)} formats, and format_version")
sys.exit(bool(bad) or not held or not written)
