"""The versions of file formats that CHANGELOG.md states are those in the code: versions.py SOURCE."""

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
print("\n".join(bad) or f"{len(held)} formats, and format_version")
sys.exit(bool(bad) or not held or not written)
