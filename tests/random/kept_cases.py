#!/usr/bin/env python3
"""kept_cases.py ONYX FOLDER NAME PROGRAM ARGUMENTS: runs array_cases, each case in a folder of its own, and holds what the commands said and
wrote against golden/NAME.txt (flow/golden.py)."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "flow"))
import golden  # noqa: E402

onyx, folder, name, *program = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
code = subprocess.run(program, env={**os.environ, "KEPT": folder}, check=False).returncode
kept, masks = golden.Kept(pathlib.Path(__file__).parent / "golden" / f"{name}.txt"), golden.masks_of(onyx, folder)
engine = "cycle" if len(program) < 4 or program[3] == "factors" else "soc"
cases = sorted(pathlib.Path(folder).iterdir(), key=lambda path: int(path.name))
each = int(program[1]) // 50 + 1
for some in (cases[i:i + each] for i in range(0, len(cases), each)):  # by the ends of their names
    files = {str(path.relative_to(folder)): path for case in some for path in case.rglob("*") if path.is_file() and path.name != "log"}
    parts = {part: masks.file(files[part], part) for part in golden.kept_of(engine, files)}
    kept.add(f"cases {some[0].name} to {some[-1].name}", [f"{end}={golden.short(b''.join(parts[part] for part in parts if part.endswith(end)))}"
                                                          for end in sorted({pathlib.Path(part).suffix for part in parts})])
failed = code or kept.count_wrong() != 0
if not failed:
    shutil.rmtree(folder)  # a quarter of a GB
sys.exit(failed)
