"""Twenty matrices, three kernels, two types: `onyx study` runs docs/notebook/studies/matrices.toml and draws the charts; the tables of the
charts are compared with the stored ones, or renewed with the charts. study.py says how this program is called."""

import pathlib
import subprocess

from study import Study

study = Study()
study.need_matrices()
out = pathlib.Path(study.folder)
subprocess.run([study.onyx, "study", study.kept / "matrices.toml", "-o", out, "--quiet"], check=True)
for file in sorted(out.glob("matrices_*")):
    if file.suffix == ".csv":
        study.table(file.name, file.read_text())
    elif study.write:
        (study.kept / file.name).write_text(file.read_text())
study.end()
