#!/usr/bin/env python3
"""What --io-trace keeps of a program: recorded.py ONYX EXAMPLES FOLDER. job.bin of each statement has the words of all its runs, on engine soc as on
cycle, where the chip's processor makes the operands, too; io.trace has a line for each stream of each of these; and that they are kept changes no
result and no cycle."""
import json
import pathlib
import struct
import subprocess
import sys

onyx, examples, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
TIMES = ("wall_s", "peak_rss_mb", "files")  # and the files that there are


def run(name, engine, *options):
    out = folder / "_".join((name, engine, *options))
    done = subprocess.run([onyx, "run", examples / f"{name}.onx", "--engine", engine, "-o", out, "--quiet", *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name} {engine} {options}: {done.stderr}")
    return out


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def job(path):
    """The words of each run, by stream."""
    words = struct.unpack(f"<{path.stat().st_size // 4}I", path.read_bytes())
    inputs, outputs = words[2:4]
    at, runs = 5 + outputs, []
    for _ in range(words[4 + outputs]):
        run = []
        for _ in range(inputs):
            n = words[at]
            pairs = words[at + 1:at + 1 + (n + 1) // 2]
            run.append([half for pair in pairs for half in (pair & 0xFFFF, pair >> 16)][:n])
            at += 1 + len(pairs)
        runs.append(run)
    if words[0] != 0x4A584E4F or at != len(words):
        sys.exit(f"{path}: not a job of {words[4 + outputs]} runs")
    return runs


bad = 0
for name, result in ("pagerank", "rank"), ("kmeans", "mean"):
    for engine in "cycle", "soc":
        plain, kept = run(name, engine), run(name, engine, "--io-trace")
        reports = [json.loads((out / "report.json").read_text()) for out in (plain, kept)]
        same = without_times(reports[0]) == without_times(reports[1]) and (plain / f"{result}.mtx").read_bytes() == (kept / f"{result}.mtx").read_bytes()
        print(f"{name} {engine}: {'the same' if same else 'other results or reports'} with --io-trace")
        bad += not same
        joined = {one["line"] for one in reports[1]["fusions"] if one.get("joined")}
        for statement in reports[1]["statements"]:
            if statement["on"] != "array" or statement["line"] in joined:  # the first statement has the runs of all
                continue
            at = kept / statement["folder"]
            runs = job(at / "job.bin")
            tracked = (at / "io.trace").read_text().splitlines() if engine == "cycle" else []
            numbers = sorted({int(line.split()[1]) for line in tracked})
            print(f"{name} {engine} {statement['folder']}: {statement['runs']} passes, {len(runs)} runs kept")
            bad += len(runs) < statement["runs"] or not all(any(stream for stream in run) for run in runs)
            bad += engine == "cycle" and numbers != list(range(len(runs)))
            bad += (plain / statement["folder"] / "job.bin").exists()
sys.exit(bad != 0)
