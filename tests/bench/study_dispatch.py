"""Figure 5.16: SpM*SpM, X(i,j) = sum over k of B(i,k) * C(k,j), with one copy of the kernel and with two that take the pairs of
sub-tiles in order, sorted by their size, or each when it is free. Engine cycle has the array alone; engine soc the chip with
its processor, whose cycles are counted here without configuration, which is done once. study.py says how it is called.

STUDY_DISPATCH=NAME runs that matrix only, and compares nothing.
"""

import os

from study import Study

SETS = ["west0067", "random", "west0479", "watt_2"]
WAYS = {"one copy": [], "in order": ["--unroll", "2", "--dispatch", "inorder"],
        "sorted": ["--unroll", "2", "--dispatch", "sorted"], "dynamic": ["--unroll", "2", "--dispatch", "dynamic"]}
TWO_COPIES = list(WAYS)[1:]


def on_chip(ran):
    return ran.number("cycles", "total") - ran.number("cycles", "config")


def run(study, matrix, engine, options):
    return study.must_run(study.squared(matrix) + ["-O0", "--engine", engine] + options, 3000)


study = Study()
study.need_matrices()
only = os.environ.get("STUDY_DISPATCH")
csv, array, chip = "matrix,dispatch,pairs,array,chip\n", {}, {}
for matrix in [only] if only else SETS:
    for way, options in WAYS.items():
        soc = run(study, matrix, "soc", options)
        array[matrix, way] = run(study, matrix, "cycle", options).number("cycles", "total")
        chip[matrix, way] = on_chip(soc)
        row = f"{matrix},{way},{soc.number('subtiles', 'run'):.0f},{array[matrix, way]:.0f},{chip[matrix, way]:.0f}\n"
        print(row, end="", flush=True)
        csv += row
    one, in_order, by_size, dynamic = (array[matrix, way] for way in WAYS)
    study.expect(dynamic <= by_size * 1.02 and by_size < in_order < one,
                 f"{matrix}: on the array, dynamic is no slower than sorted, sorted than in order, and all are faster than one copy")
    one, in_order, by_size, dynamic = (chip[matrix, way] for way in WAYS)
    study.expect(dynamic < one and by_size < one, f"{matrix}: with the processor, two copies are faster than one")
    chosen = run(study, matrix, "soc", ["--unroll", "2"])
    print(f"{matrix},auto,{chosen.number('subtiles', 'run'):.0f},,{on_chip(chosen):.0f}")
    study.expect(on_chip(chosen) <= min(in_order, by_size, dynamic) * 1.03,
                 f"{matrix}: left to onyx, it is as fast as the fastest of the three")
if not only:
    study.table("dispatch.csv", csv)
    for name, cycles, what in (("dispatch.svg", chip, "processor included"), ("dispatch_array.svg", array, "array alone")):
        gains = {way: [cycles[matrix, "one copy"] / cycles[matrix, way] for matrix in SETS] for way in TWO_COPIES}
        published = {"dynamic, published": [1.76] * len(SETS)} if cycles is chip else {}  # the one number of its text
        study.plot(name, SETS, gains, published, title="SpM*SpM, two copies against one", x_label="matrix",
                   y_label=f"times faster, {what}")
study.end()
