"""Figure 5.19: kernels on the chip as the search maps them, and on one core of the machine at hand: C of the kind that taco emits
(--compare-cpu), and SciPy where it has the kernel; one thread, the best of ten. Chip: all of engine soc, configuration counted, and
the energy that onyx estimates from its counts. Of a core's energy nothing is measured: CPU_WATTS. study.py says how it is called.
"""

import math
import time

from study import Study

# Intel states 120 W for the 12 cores of a Xeon E5-2680 v3. A core that works alone takes its share of that at least, all of it at most.
CPU_WATTS = (120 / 12, 120)
SETS = ["west0479", "watt_2"]
RANK = 10
LARGE, SMALL = "28x35x54", "8x37x10"  # the extents of published tensors, 67 % zeros
# Name, expression, operands besides B, SciPy's.
OF_MATRICES = [
    ("SpMV", "x(i)=B(i,j)*c(j)", ["-f", "c:d", "-g", "c:{n}:1"], lambda m: m["B"] @ m["c"]),
    ("SpM*SpM", "X(i,j)=B(i,k)*B(k,j)", [], lambda m: m["B"] @ m["B"]),
    ("B + B'", "X(i,j)=B(i,j)+B(j,i)", [], lambda m: m["B"] + m["transposed"]),
    ("sampled SpM*SpM", "X(i,j)=B(i,j)*sum(k,B(i,k)*B(k,j))", [], lambda m: m["B"].multiply(m["B"] @ m["B"])),
    ("SDDMM of rank 10", "X(i,j)=B(i,j)*C(i,k)*D(j,k)", ["-f", "C:dd", "-f", "D:dd", "-g", f"C:{{n}}x{RANK}:1", "-g", f"D:{{n}}x{RANK}:1"],
     lambda m: m["entries"].data * (m["C"][m["entries"].row] * m["D"][m["entries"].col]).sum(axis=1))]
OF_TENSORS = [
    ("InnerProd", "x=B(i,j,k)*C(i,j,k)", lambda i, j, k: ["-g", f"C:{i}x{j}x{k}:0.33:2"]),
    ("TTV", "X(i,j)=B(i,j,k)*c(k)", lambda i, j, k: ["-f", "c:d", "-g", f"c:{k}:1"]),
    ("TTM", "X(i,j,l)=B(i,j,k)*C(l,k)", lambda i, j, k: ["-g", f"C:{RANK}x{k}:0.5"]),
    ("MTTKRP", "X(i,l)=B(i,j,k)*C(l,j)*D(l,k)", lambda i, j, k: ["-g", f"C:{RANK}x{j}:0.5", "-g", f"D:{RANK}x{k}:0.5"])]


def best_us(kernel):
    best = math.inf
    for _ in range(10):
        start = time.perf_counter()
        kernel()
        best = min(best, 1e6 * (time.perf_counter() - start))
    return best


def operands(study, name):
    import numpy
    import scipy.io
    matrix = scipy.io.mmread(study.matrices / f"{name}.mtx").tocsr()
    matrix.data = (numpy.arange(matrix.nnz) % 9 + 1).astype(numpy.int16)
    dense = numpy.ones((matrix.shape[0], RANK), numpy.int16)
    return {"B": matrix, "transposed": matrix.T.tocsr(), "entries": matrix.tocoo(), "c": dense[:, 0].copy(), "C": dense, "D": dense}


def measure(study, arguments):
    """Microseconds of the chip and of a core's C, the estimate of energy in nJ, low, typical and high."""
    ran = study.must_run([*arguments, "--hazards", "warn", "--deadlock", "warn", "--engine", "soc", "--compare-cpu"], 3000)
    nj = ran.report["energy"]["nj"]
    return ran.number("time_us"), ran.number("cpu", "us"), [nj[end] for end in ("low", "typical", "high")]


def cases(study):
    """Name, data, arguments, SciPy's microseconds (0: it has none)."""
    for name in [] if study.short else SETS:
        made = operands(study, name)
        for kernel, expression, others, scipys in OF_MATRICES:
            words = [word.format(n=made["B"].shape[0]) for word in others]
            yield kernel, name, [expression, "-i", f"B:{study.matrices / name}.mtx", "--values", "ramp", *words], best_us(lambda: scipys(made))
    for extents in [SMALL] if study.short else [SMALL, LARGE]:
        for kernel, expression, others in OF_TENSORS[:1] if study.short else OF_TENSORS:
            yield kernel, extents, [expression, "-g", f"B:{extents}:0.33:1", *others(*extents.split("x"))], 0


study = Study()
if not study.short:
    study.need_matrices()
csv = "kernel,data,chip_us,core_c_us,scipy_us,chip_nj_low,chip_nj,chip_nj_high,edp_low,edp,edp_high\n"
times, better = {}, {}
for kernel, data, arguments, scipy_us in cases(study):
    chip_us, c_us, nj = measure(study, arguments)
    core_us = min(c_us, scipy_us or math.inf)
    # How many times better the chip's product of energy and time is than the faster one's of a core.
    nj_of_core = [1e3 * watts * core_us for watts in (CPU_WATTS[0], math.sqrt(math.prod(CPU_WATTS)), CPU_WATTS[1])]
    edp = [of_core * core_us / (of_chip * chip_us) for of_core, of_chip in zip(nj_of_core, reversed(nj))]
    times[kernel, data], better[kernel, data] = (chip_us, c_us, scipy_us), edp
    row = f"{kernel},{data},{chip_us:.1f},{c_us:.1f},{scipy_us:.1f},{nj[0]:.0f},{nj[1]:.0f},{nj[2]:.0f},{edp[0]:.2g},{edp[1]:.2g},{edp[2]:.2g}\n"
    print(row, end="", flush=True)
    csv += row
study.table("cpu.csv", csv, of_this_machine=True)
category = [str(row + 1) for row in range(len(times))]
study.plot("cpu.svg", category, {"chip": [t[0] for t in times.values()], "a core, C": [t[1] for t in times.values()],
                                 "a core, SciPy": [t[2] for t in times.values()]},
           title="The chip and one core", x_label="row of the table", y_label="microseconds", log_y=True)
study.plot("cpu_edp.svg", category, {"at least": [b[0] for b in better.values()], "typical": [b[1] for b in better.values()],
                                     "at most": [b[2] for b in better.values()]},
           {"least, published": [4.4] * len(category), "most, published": [565] * len(category)},
           title="Product of energy and time, a core by the chip", x_label="row of the table", y_label="times better", log_y=True)
study.expect(all(c_us > 0 for _, c_us, _ in times.values()), "there is C for every kernel, and its result is right")
if not study.short:
    study.expect(all(high > 1 for _, _, high in better.values()), "by the widest reading the chip's product of energy and time is the better one everywhere")
study.end()
