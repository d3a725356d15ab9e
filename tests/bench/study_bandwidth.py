"""Figure 6.10: what kernels take by the bandwidth between host and chip. Cycles and words are those of engine soc, the words by the co-simulated bus;
a word of 32 bits is taken to need the time that each bandwidth gives it, one after the other, before and after the array's.
study.py says how it is called.
"""

import json
import pathlib

from study import Study

# Statement, formats, and entries of a row of the operands, of 64 x 64 or as many as long.
KERNELS = {
    "sum": ("X(i,j) = B(i,j) + C(i,j)", "-g B:64x64:0.06:1 -g C:64x64:0.06:2"),
    "SpMV": ("y(i) = B(i,j) * x(j)", "-f x:d -f y:d -g B:64x64:0.06:1 -g x:64:1"),
    "SDDMM": ("X(i,j) = B(i,j) * C(i,k) * D(k,j)", "-g B:64x64:0.06:1 -g C:64x16:1 -g D:16x64:1"),
    "SpM*SpM": ("X(i,j) = B(i,k) * C(k,j)", "-f C:ss:1,0 -g B:64x64:0.06:1 -g C:64x64:0.06:2"),
    "SpM*SpM, fuller": ("X(i,j) = B(i,k) * C(k,j)", "-f C:ss:1,0 -g B:64x64:0.5:1 -g C:64x64:0.5:2"),
}
BITS = [1, 2, 4, 8, 13]  # of a word, each cycle: a range of 13


def measure(study, name):
    """Cycles of the array, and words written and read by the host."""
    statement, operands = KERNELS[name]
    ran = study.must_run([statement, *operands.split(), "--values", "ones", "--unroll", "1", "--hazards", "warn", "--deadlock", "warn", "--engine", "soc"], 3600)
    counted = [json.loads(path.read_text())["host_words"] for path in pathlib.Path(study.folder, "run").glob("**/firmware/stats.json")]
    return ran.number("cycles", "kernel"), sum(one["loaded"] + one["collected"] for one in counted)


study = Study()
names = ["sum", "SpM*SpM, fuller"]
if not study.short:
    names = list(KERNELS)
found = {name: measure(study, name) for name in names}
csv, total = "kernel,array_cycles,host_words," + ",".join(f"at_{b}_bits" for b in BITS) + "\n", {}
for name, (cycles, words) in found.items():
    total[name] = [round(cycles + 32 * words / bits) for bits in BITS]
    csv += f"\"{name}\",{cycles},{words}," + ",".join(map(str, total[name])) + "\n"
print(csv, end="")
study.table("bandwidth.csv", csv)
study.plot("bandwidth.svg", [f"{b} bit{'s' * (b > 1)} a cycle" for b in BITS], total, title="Kernels by the bandwidth of the host", x_label="bandwidth", y_label="cycles", log_y=True)


def meet(name):
    """The bandwidth, in bits a cycle, at which words take as long as the array."""
    cycles, words = found[name]
    return 32 * words / cycles


for name in names:
    print(f"{name}: words take as long as the array at {meet(name):.2f} bits a cycle")
study.expect(all(many[i] > many[i + 1] for many in total.values() for i in range(len(BITS) - 1)), "more bandwidth, less time")
study.expect(meet("sum") > 4 > meet("SpM*SpM, fuller"), "at four bits a cycle the host limits a sum, and the array a product of fuller matrices")
study.end()
