"""Figure 5.17: what each step of the compiler gains on SpM*SpM, X(i,j) = sum over k of B(i,k) * C(k,j), on the array: no
pipelining, exhaustive pipelining, balancing before it, the best edge of a sub-tile, copies of the kernel, the best edge with
copies, and what the search finds unasked; the others are -O0, so that each shows its own step. Runtime is cycles of engine cycle at the clock by the board's delay table. study.py says how it is called.
"""

import sys

from study import Study

SETS = ["random", "west0479", "watt_2"]
COPIES = ["--unroll", "auto", "--dispatch", "sorted"]
STEPS = {"none": (["--no-pipeline"], False), "exhaustive": (["--no-balance"], False), "balanced": ([], False),
         "tiles": ([], True), "unrolled": (COPIES, False), "both": (COPIES, True),  # options; whether over all edges
         "searched": (["-O1"], False)}
EDGES = (8, 12, 16, 24, 32, 48, 64)
BY_ORDER = 32  # the edge that is chosen by the order of the tensors


def measure(study, matrix, options, edges):
    """The fastest of the edges that fit, with its edge: one with more nonzeros in a sub-tile than a memory tile holds does not."""
    arguments = study.squared(matrix) + ["-O0", "--engine", "cycle"] + options
    if not edges:
        return study.run(arguments, 600), "by loop" if "-O1" in options else BY_ORDER
    ran = [(study.run(arguments + ["--tile", str(edge)], 600), edge) for edge in EDGES]
    fitting = [(r, edge) for r, edge in ran if not r.code]
    return min(fitting, key=lambda one: one[0].number("time_us")) if fitting else ran[0]


study = Study()
study.need_matrices()
us, csv = {}, "matrix,step,edge,cycles,mhz,us\n"
for matrix in SETS:
    for step, (options, edges) in STEPS.items():
        ran, edge = measure(study, matrix, options, edges)
        if ran.code:
            sys.exit(f"{matrix}, {step}: {ran.code}")
        us[matrix, step] = ran.number("time_us")
        row = f"{matrix},{step},{edge},{ran.number('cycles', 'total'):.0f},{ran.number('fmax_mhz'):.0f},{us[matrix, step]:.1f}\n"
        print(row, end="", flush=True)
        csv += row
study.table("pipelining.csv", csv)
# The one number of its text: unrolling is 1.6 times faster.
published = {f"{matrix}, published": [us[matrix, "balanced"] / 1.6 if step == "unrolled" else 0 for step in STEPS] for matrix in SETS}
study.plot("pipelining.svg", list(STEPS), {matrix: [us[matrix, step] for step in STEPS] for matrix in SETS}, published,
           title="SpM*SpM on the array, step by step", x_label="what the compiler does", y_label="microseconds", log_y=True)
for matrix in SETS:
    took = {step: us[matrix, step] for step in STEPS}
    study.expect(took["exhaustive"] < took["none"], f"{matrix}: pipelining is faster than none")
    study.expect(took["balanced"] < took["exhaustive"], f"{matrix}: balancing is faster than pipelining alone")
    study.expect(took["both"] <= took["unrolled"] < took["balanced"], f"{matrix}: copies are faster than one kernel")
    study.expect(took["searched"] <= took["both"] * 1.05, f"{matrix}: the search finds what the best edge with copies gives")
study.end()
