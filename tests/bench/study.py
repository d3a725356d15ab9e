"""A study that runs the command: what it measures is kept below docs/notebook/studies, or compared with what is there.

STUDY.py ONYX DRAW SOURCE FOLDER [--write|--short]: the programs, the source tree, a folder for the runs. --short takes a
few small cases, and looks only at what also holds for them: so that the script still runs when somebody wants it.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import command

SPMSPM = "X(i,j)=B(i,k)*C(k,j)"


class Study:
    def __init__(self):
        self.onyx, self.draw, source, self.folder = sys.argv[1:5]
        self.write, self.short = "--write" in sys.argv[5:], "--short" in sys.argv[5:]
        self.kept = pathlib.Path(source) / "docs/notebook/studies"
        self.matrices = pathlib.Path(source).parent / "shared/data/matrices"
        self.failed = 0
        pathlib.Path(self.folder).mkdir(parents=True, exist_ok=True)

    def run(self, arguments, most_seconds):
        return command.run(self.onyx, arguments, f"{self.folder}/run", most_seconds)

    def must_run(self, arguments, most_seconds):
        """Ends the program unless the result is present, and correct."""
        ran = self.run(arguments, most_seconds)
        if ran.code:
            sys.exit(f"onyx run {' '.join(arguments)}: {ran.code}")
        return ran

    def squared(self, matrix):
        """Arguments of SpM*SpM of a matrix with itself, or of two random ones; warnings of hazards only."""
        path = self.matrices / f"{matrix}.mtx"
        operands = ["-g", "B:256x256:0.01", "-g", "C:256x256:0.01"] if matrix == "random" else \
            ["-i", f"B:{path}", "-i", f"C:{path}", "--values", "ramp"]
        return [SPMSPM, "-f", "C:ss:1,0", *operands, "--hazards", "warn"]

    def need_matrices(self):
        if not self.matrices.is_dir():
            print("skipped: no matrices")
            sys.exit(0)

    def expect(self, holds, what):
        """The ordering the dissertation shows: said when it does not hold, and the program fails."""
        print(f"{'holds' if holds else 'DOES NOT HOLD'}: {what}", flush=True)
        self.failed += not holds

    def table(self, name, text, of_this_machine=False):
        """Kept, or compared; what depends on the machine at hand is only kept."""
        if self.write:
            (self.kept / name).write_text(text)
        elif not self.short and not of_this_machine:
            self.expect((self.kept / name).read_text() == text, f"docs/notebook/studies/{name} is what was measured")

    def plot(self, name, category, series, published=None, **how):
        """Bars; `series` is name to values, and so is `published`, of others. Drawn in any case, kept with --write."""
        bars = [{"name": s, "y": y} for s, y in series.items()]
        bars += [{"name": s, "y": y, "published": True} for s, y in (published or {}).items()]
        wanted = {"category": category, "series": bars, **how}
        svg = subprocess.run([self.draw], input=json.dumps(wanted), stdout=subprocess.PIPE, text=True, check=True).stdout
        if self.write:
            (self.kept / name).write_text(svg)

    def cells(self, module):
        """Cells of a module of bounds.sv in Yosys' generic library, as of docs/notebook/next_chip.md; None: it is not looked for, or not there."""
        yosys = shutil.which("yosys")
        if self.short or not yosys:
            return None
        script = f"read_verilog -sv {pathlib.Path(__file__).with_name('bounds.sv')}; synth -flatten -top {module}; tee -q -o /dev/stdout stat"
        said = subprocess.run([yosys, "-q", "-p", script], check=True, stdout=subprocess.PIPE, text=True).stdout
        return int(re.findall(r"Number of cells: +(\d+)", said)[-1])

    def end(self):
        sys.exit(self.failed > 0)
