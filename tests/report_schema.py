"""docs/report.md names every member docs/report.schema.json has, and no other: report_schema.py SOURCE.

The flow tests hold what the commands write against the schema (tests/flow/check_reports.py), so the three agree."""
import json
import re
import sys


def members(schema, into):
    if isinstance(schema, dict):
        into.update(schema.get("properties", {}))
        for value in schema.values():
            members(value, into)
    elif isinstance(schema, list):
        for value in schema:
            members(value, into)
    return into


with open(f"{sys.argv[1]}/docs/report.schema.json", encoding="utf-8") as file:
    schema = json.load(file)
in_schema = members(schema, set())
with open(f"{sys.argv[1]}/docs/report.md", encoding="utf-8") as file:
    text = file.read()
quoted = set()
for word in re.findall(r"`([a-z0-9_.]+)`", text):
    quoted.update(part for part in word.split(".") if part)
rows = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
in_rows = {part for row in rows for word in re.findall(r"`([a-z0-9_.]+)`", row) for part in word.split(".") if part}
bad = [f"docs/report.md does not name {name}" for name in sorted(in_schema - quoted)]
bad += [f"docs/report.schema.json has no {name}" for name in sorted(in_rows - in_schema)]
# The members of a kernel among several, in the section of that name or as members of engine cycle.
several = re.search(r"^### Several kernels$.*?(?=^## )", text, re.MULTILINE | re.DOTALL)[0]
bad += [f"'Several kernels' of docs/report.md does not name {name}" for kind in ("kernel", "host_kernel")
        for name in sorted(schema["$defs"][kind]["properties"]) if f"`{name}`" not in several]
print("\n".join(bad) or f"{len(in_schema)} members")
sys.exit(bool(bad))
