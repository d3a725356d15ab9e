"""Tensors of orders 3 and 4 with the shapes of FROSTT's: the extents of nell-2, chicago-crime, uber-pickups and nips by SCALE, but
no mode below LEAST that is longer, 1,000 entries, denser at low coordinates of every mode as theirs are. Engine cycle at the clock by the
board's delay table, beside C of the kind that taco emits on one core of the machine at hand. study.py says how it is called.
"""

import pathlib
import random

from study import Study

FROSTT = {"nell-2": (12092, 9184, 28818), "chicago": (6186, 24, 77, 32), "uber": (183, 24, 1140, 1717), "nips": (2482, 2862, 14036, 17)}
SCALE, LEAST = 32, 24
ENTRIES = 1000
RANK = 8


def write_tensor(path, extents, entries):
    draw, found = random.Random(1), set()
    while len(found) < entries:
        found.add(tuple(int(extent * draw.random() ** 2) for extent in extents))
    path.write_text("".join(" ".join(str(c + 1) for c in at) + f" {draw.randint(1, 9)}\n" for at in sorted(found)))


def kernels(extents):
    """Name, expression, operands besides B."""
    modes = "ijkl"[:len(extents)]
    whole, factors = f"B({','.join(modes)})", dict(zip("CDE", modes[1:]))
    yield "TTV", f"X({','.join(modes[:-1])})={whole}*c({modes[-1]})", ["-f", "c:d", "-g", f"c:{extents[-1]}:1"]
    yield "TTM", f"X({','.join(modes[:-1])},r)={whole}*C(r,{modes[-1]})", ["-g", f"C:{RANK}x{extents[-1]}:0.5"]
    yield "MTTKRP", f"X(i,r)={whole}*" + "*".join(f"{name}({mode},r)" for name, mode in factors.items()), \
        [word for name, mode in factors.items() for word in ("-g", f"{name}:{extents[modes.index(mode)]}x{RANK}:0.5")]


study = Study()
csv, us, core_us = "tensor,kernel,extents,cycles,us,core_us\n", {}, {}
for tensor, real in FROSTT.items():
    extents = [max(min(extent, LEAST), extent // SCALE) for extent in real]
    file = pathlib.Path(study.folder) / f"{tensor}.tns"
    write_tensor(file, extents, ENTRIES // 10 if study.short else ENTRIES)
    for kernel, expression, others in kernels(extents):
        if study.short and (kernel != "TTV" or len(extents) == 3):
            continue
        ran = study.must_run([expression, "-d", "B:" + ",".join(map(str, extents)), "-i", f"B:{file}", *others, "--hazards", "warn",
                              "--deadlock", "warn", "--engine", "cycle", "--compare-cpu"], 3000)
        name = f"{kernel} {tensor}"
        us[name], core_us[name] = ran.number("time_us"), ran.number("cpu", "us")
        row = f"{tensor},{kernel},{'x'.join(map(str, extents))},{ran.number('cycles', 'kernel'):.0f},{us[name]:.1f},{core_us[name]:.1f}\n"
        print(row, end="", flush=True)
        csv += row
study.table("orders.csv", csv, of_this_machine=True)
study.plot("orders.svg", [str(row + 1) for row in range(len(us))], {"chip": list(us.values()), "a core, C": list(core_us.values())},
           title="Tensors of orders 3 and 4", x_label="row of the table", y_label="microseconds", log_y=True)
study.expect(all(core_us.values()), "there is C for every kernel, and its result is right")
study.end()
