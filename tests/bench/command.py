"""The onyx command as a measuring instrument: what a run of it says in report.json, or why there is none."""

import dataclasses
import json
import re
import subprocess


@dataclasses.dataclass
class Run:
    code: str | None  # of the first error, or "stopped after N s"; None: a correct result
    report: dict      # report.json
    warned: list      # kinds of hazards met, and E0450-deadlock, as far as they only warned

    def number(self, *path):
        """A number of the report, 0 where there is none; of several kernels as docs/report.md says."""
        found = self.report
        for key in path:
            found = found.get(key, {}) if isinstance(found, dict) else {}
        return found if isinstance(found, (int, float)) else 0


def first_code(printed):
    """The code of the first error in onyx's output, or None."""
    found = re.search(r"(?:error|does not fit|wrong result): [^\n]*? \[(E[^\]]*)\]", printed)
    return found and found[1]


def run(onyx, arguments, folder, most_seconds):
    """"onyx run" with a list of arguments, quiet, everything in the folder; of int16 where they state no type."""
    stated = [] if "--dtype" in arguments else ["--dtype", "int16"]
    try:
        done = subprocess.run([onyx, "run", *arguments, *stated, "--quiet", "-o", folder], timeout=most_seconds,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", errors="replace")
    except subprocess.TimeoutExpired:
        return Run(f"stopped after {most_seconds} s", {}, [])
    if done.returncode:
        return Run(first_code(done.stdout) or f"exit code {done.returncode}", {}, [])
    with open(f"{folder}/report.json") as file:
        report = json.load(file)
    sections = [report, *report.get("kernels", [])]
    warned = list(dict.fromkeys(h["hazard"] for section in sections for h in section.get("hazards", [])))
    if "[E0450-deadlock]" in done.stdout:
        warned.append("E0450-deadlock")
    return Run(None if report["check"] == "pass" else "no check", report, warned)
