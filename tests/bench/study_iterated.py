"""Figure 5.15: four times a matrix times a vector, x = A A A A v, on the chip: fused in one kernel, as the statement is mapped, as four kernels, each by
itself, with one copy and with as many as are chosen, and as a program with a loop, which configures the array once. Runtime is all of
engine soc, configuration and processor included; beside it the words between host and chip, by the co-simulated bus. study.py says how it is called.
"""

import json
import pathlib
import shutil
import sys

from study import Study

CHAIN = "x(i)=A(i,j)*B(j,k)*C(k,l)*D(l,m)*v(m)"
ALONE = ["-s", "precompute(D(l,m)*v(m),{l},{lw},u), precompute(C(k,l)*u(l),{k},{kw},t), precompute(B(j,k)*t(k),{j},{jw},s)"]
PROGRAM = "tensor A: ss\ntensor v: d = all 1\ntensor y: d\nrepeat 4 { y(i) = A(i,j) * v(j); swap v, y }\nresult v\n"
WAYS = {"fused": ["-s", "reorder(i,j,k,l,m)"], "one statement": [], "kernels, one copy": [*ALONE, "--unroll", "1"], "kernels": ALONE, "program": None}
# Random matrices, by extent and entries of a row on average; real ones by extent.
RANDOM = {f"{extent}, {row} a row": (extent, row) for extent in (32, 64) for row in (1, 2, 4)}
REAL = {"west0067": 67, "olm500": 500}
MOST_SECONDS = 3000


def operand(study, tensor, name):
    if name in REAL:
        return ["-i", f"{tensor}:{study.matrices / name}.mtx"]
    extent, row = RANDOM[name]
    return ["-g", f"{tensor}:{extent}x{extent}:{row / extent:g}:1"]


def measure(study, name, way):
    """Microseconds of one way to compute it, its cycles, of the array at work, and in all, and the words of 32 bits that the host writes and takes."""
    common = ["--values", "ones", "--deadlock", "warn", "--engine", "soc"]
    if WAYS[way] is None:
        file = pathlib.Path(study.folder) / "iterated.onx"
        file.write_text(PROGRAM)
        ran = study.must_run([str(file), *operand(study, "A", name), *common], MOST_SECONDS)
        statement = ran.report["statements"][0]
        cycles = statement["cycles"]
        words = sum(each.get("host_words", {}).get(way, 0) for each in statement["each"] for way in ("loaded", "collected"))
        return cycles["total"] / statement["compiled"]["fmax_mhz"], cycles["kernel"], cycles["total"], words
    extent = REAL[name] if name in REAL else RANDOM[name][0]
    shutil.rmtree(pathlib.Path(study.folder, "run"), ignore_errors=True) # whose kernels have counts of their own
    matrices = [word for tensor in "ABCD" for word in operand(study, tensor, name)]
    ran = study.must_run([CHAIN, "-f", "v:d", *WAYS[way], *matrices, "-g", f"v:{extent}:1", *common, "--hazards", "warn"], MOST_SECONDS)
    counted = [json.loads(path.read_text())["host_words"] for path in pathlib.Path(study.folder, "run").glob("**/firmware/stats.json")]
    return ran.number("time_us"), ran.number("cycles", "kernel"), ran.number("cycles", "total"), sum(one["loaded"] + one["collected"] for one in counted)


study = Study()
if not study.short:
    study.need_matrices()
sets = [next(iter(RANDOM))] if study.short else [*RANDOM, *REAL]
found, words, csv = {}, {}, "matrix,way,us,array_cycles,other_cycles,host_words\n"
for name in sets:
    for way in WAYS:
        found[name, way], array, total, words[name, way] = measure(study, name, way)
        row = f"\"{name}\",\"{way}\",{found[name, way]:.1f},{array},{total - array},{words[name, way]}\n"
        print(row, end="", flush=True)
        csv += row
study.table("iterated.csv", csv)
# The one number of its text: the fused kernel is 4.6 times faster than kernels with copies.
study.plot("iterated.svg", sets, {way: [found[name, way] for name in sets] for way in WAYS},
           {"fused, published": [found[name, "kernels"] / 4.6 for name in sets]},
           title="Four times a matrix times a vector", x_label="matrix", y_label="microseconds", log_y=True)
study.expect(found[sets[0], "fused"] < found[sets[0], "kernels"], "where a row has one entry, fusion is faster than kernels by themselves")
study.expect(all(found[name, "program"] < found[name, "kernels"] for name in sets), "a program is faster than the same kernels by themselves")
study.expect(all(words[name, "program"] < words[name, "kernels"] for name in sets), "a program has fewer words of the host than kernels by themselves")
if not study.short:
    study.expect(all(found[name, "fused"] > found[name, "kernels"] for name in REAL), "on the real matrices fusion loses: it walks every path")
study.end()
