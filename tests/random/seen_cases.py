#!/usr/bin/env python3
"""seen_cases.py ONYX FOLDER PROGRAM ARGUMENTS: runs array_cases. With $SEEN every case has a folder of its own, and behaviour.py records the
files that the commands of each case wrote."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

onyx, folder, *program = sys.argv[1:]
seen, masks = behaviour.Seen("cases"), behaviour.masks_of(onyx, folder)
shutil.rmtree(folder, ignore_errors=True)
code = subprocess.run(program, env={**os.environ, **({"EACH": folder} if seen.on else {})}, check=False).returncode
for case in sorted(pathlib.Path(folder).glob("*") if seen.on else (), key=lambda path: int(path.name)):
    files = {str(path.relative_to(case)): path for path in case.rglob("*") if path.is_file() and path.name != "log"}
    seen.add(f"case {case.name}", {f"file {name}": masks.file(files[name], name) for name in sorted(files)})
failed = code or seen.count_wrong() != 0
if not failed:
    shutil.rmtree(folder, ignore_errors=True)  # a quarter of a GB
sys.exit(failed)
