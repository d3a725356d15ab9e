"""Leaves columns out of a CSV file, by name: columns.py FILE NAME..."""
import csv
import sys

path, *left_out = sys.argv[1:]
with open(path, encoding="utf-8", newline="") as file:
    rows = list(csv.DictReader(file))
kept = [name for name in rows[0] if name not in left_out]
assert len(kept) == len(rows[0]) - len(left_out), f"{path} lacks a column of {left_out}"
with open(path, "w", encoding="utf-8", newline="") as file:
    csv.DictWriter(file, kept, extrasaction="ignore").writerows([dict(zip(kept, kept))] + rows)
