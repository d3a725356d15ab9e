"""docs/notebook/next_chip.md: what each primitive of profile onyx-ext takes in area and saves in cycles.

next_chip.py ONYX YOSYS SOURCE FOLDER [--write] [--only PRIMITIVE]: writes the page, or fails unless it says what was measured; with
--only the cycles of one primitive are measured, and those of others are what the page says. Real matrices are those of ../shared/data/matrices beside the source; without them, or without Yosys, it does nothing.
"""

import csv
import json
import math
import pathlib
import re
import subprocess
import sys

import command
from kernels import DATA, KERNELS

ONYX, YOSYS, SOURCE, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
RTL, MATRICES, PAGE = SOURCE / "rtl_models/rtl", SOURCE.parent / "shared/data/matrices", SOURCE / "docs/notebook/next_chip.md"
MOST_SECONDS = 600

# A primitive as it is synthesised: module, and its inputs that are constant. The chip's reducer adds integers only.
PLAIN = {"bf16_i": "1'b0", "op_i": "4'd0"}
PE = {"joiner": ("onyx_intersect", {}), "coordinate dropper": ("onyx_crddrop", {}), "coordinate holder": ("onyx_crdhold", {}),
      "ALU": ("onyx_alu", {}), "repeater": ("onyx_repeat", {}), "repeat signal generator": ("onyx_rsg", {}),
      "reducer": ("onyx_reduce", {**PLAIN, "float32_i": "1'b0"})}
MEM = {"fiber access": ("onyx_fiber_access", {"rd_skip_i": "1'b0"})}
# One of ours: the tiles that have it, how it is synthesised, and the chip's primitive that it makes larger.
OURS = {"vector reducer": (MEM, ("onyx_vector_reduce", PLAIN), None),
        "matrix reducer": (MEM, ("onyx_matrix_reduce", PLAIN), None),
        "reductions by any operation": (PE, ("onyx_reduce", {"bf16_i": "1'b0", "float32_i": "1'b0"}), "reducer"),
        "sums of bfloat16": (PE, ("onyx_reduce", {"op_i": "4'd0", "float32_i": "1'b0"}), "reducer"),
        "joiner by regions": (PE, ("onyx_region_join", {}), None),
        "shared load streams": (MEM, ("onyx_block_share", {}), None),
        "shared store streams": (MEM, ("onyx_block_chain", {}), None),
        "scanners that skip": (MEM, ("onyx_fiber_access", {}), "fiber access")}
# What nobody has built: the tiles that would have it, and modules of bounds.sv, the least that it would be (study_unbuilt.py).
UNBUILT = {"parallelizer and serializer": (PE, ["bound_deal", "bound_gather"]), "stores at computed addresses": (MEM, ["bound_scatter"])}
# In the netlist of a kernel that uses it.
SIGNS = {"vector reducer": '"vector_reduce"', "matrix reducer": 'vec_reduce_inst_inner"',
         "joiner by regions": '"region_join"',
         "reductions by any operation": r'(reg_cr|vec_reduce)_inst_op"', "sums of bfloat16": r'(reg_cr|vec_reduce)_inst_bf16"',
         "shared load streams": r'write_scanner_(before|behind)"', "shared store streams": r'read_scanner_ahead"', "scanners that skip": r'read_scanner_skip"'}


# ---- area ------------------------------------------------------------------------------------------


def cells_of(module, constant):
    """Cells of the module after synthesis, all it contains in one; the SRAM is a macro and counts nothing."""
    ties = "".join(f"delete -input {module}/w:{port}; connect -set {port} {value}; " for port, value in constant.items())
    script = (f"read_verilog -sv {' '.join(map(str, sorted(RTL.glob('*_pkg.sv'))))}; read_verilog -lib -sv {RTL}/onyx_sram.sv; "
              f"read_verilog -sv {RTL}/{module}.sv; "
              f"hierarchy -top {module} -libdir {RTL}; proc; cd {module}; {ties}cd ..; synth -flatten -top {module}; tee -q -o {FOLDER}/stat stat")
    subprocess.run([YOSYS, "-q", "-p", script], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return int(re.search(r"Number of cells: +(\d+)", (FOLDER / "stat").read_text())[1])


def areas():
    """Cells by name: the chip's primitives; ours, less what they are made of on the chip."""
    chip = {name: cells_of(*how) for name, how in {**PE, **MEM}.items()}
    ours = {name: cells_of(*how) - chip.get(base, 0) for name, (_, how, base) in OURS.items()}
    chip["fiber access"] -= ours["shared load streams"] + ours["shared store streams"]  # which are parts of ours
    return chip, ours


def board():
    """How many tiles of each kind the array has."""
    array = json.loads((SOURCE / "boards/onyx.json").read_text())["array"]
    mem = sum(x % array["mem_period"] == array["mem_phase"] for x in range(array["width"]))
    return {id(PE): (array["width"] - mem) * (array["height"] - 1), id(MEM): mem * (array["height"] - 1)}


# ---- cycles ----------------------------------------------------------------------------------------


def used_by(folder):
    """The primitives of ours in what was put on the array."""
    texts = [file.read_text() for file in folder.rglob("netlist.json")]
    used = {name for name, sign in SIGNS.items() if any(re.search(sign, text) for text in texts)}
    return used - {"vector reducer"} if "matrix reducer" in used else used  # of which the one is a part


def cycles_of(arguments, profile, matrix):
    out = FOLDER / "run"
    subprocess.run(["rm", "-rf", str(out)], check=True)
    filled = [a.format(file=MATRICES / f"{matrix}.mtx", n=DATA[matrix]) for a in arguments]
    ran = command.run(ONYX, filled + ["--values", "ramp", "--hazards", "warn", "--deadlock", "warn", "--engine", "cycle", "--profile",
                                      profile], out, MOST_SECONDS)
    if ran.code:
        sys.exit(f"onyx run {' '.join(filled)} --profile {profile}: {ran.code}")
    return ran.number("cycles", "kernel"), used_by(out)


# Options of the run without the primitive and of that with it, where both are on onyx-ext.
BESIDE = {"scanners that skip": (["--streams", "levels", "--skip", "off"], ["--streams", "levels", "--skip", "on"]),
          "shared store streams": (["--streams", "tensors", "--skip", "off"], ["--skip", "off"])}


def pair_of(primitive, arguments, matrix):
    """Cycles without the primitive and with it, and what only the one and only the other uses."""
    if primitive in BESIDE:  # the same profile without, whose others are used alike
        (before, none), (after, used) = (cycles_of(arguments + options, "onyx-ext", matrix) for options in BESIDE[primitive])
        only = used - none
        return before, after if only else before, none - used if only else set(), only
    before, none = cycles_of(arguments, "onyx", matrix)
    streams = ["--streams", "levels"] if primitive != "shared load streams" else []
    after, used = cycles_of([*arguments, *streams, "--skip", "off"], "onyx-ext", matrix)
    if "shared store streams" in used:  # which the search takes only where loads are shared
        after, used = cycles_of([*arguments, "--streams", "tensors", "--skip", "off"], "onyx-ext", matrix)
    return before, after, none, used


def on_page():
    """What the page says of each kernel and matrix."""
    found = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 2 + len(DATA) and cells[0] in {kernel for kernel, _, _ in KERNELS}:
            for matrix, text in zip(DATA, cells[2:]):
                before, after = text.rstrip("*").replace(",", "").split()
                found[cells[0], matrix] = float(before), float(after), not text.endswith("*")
    return found


def measure(only):
    """Cycles on the chip and with ours, by kernel and matrix; ends the program where a kernel uses something else."""
    found = on_page() if only else {}
    for name, primitive, arguments in KERNELS:
        for matrix in DATA if only in (None, primitive) else ():
            before, after, none, used = pair_of(primitive, arguments, matrix)
            found[name, matrix] = before, after, bool(used)
            print(f"{name}, {matrix}: {before} {after}", flush=True)
            if none or not used <= {primitive}:
                sys.exit(f"{name}, {matrix}: {none} on onyx, {used} on onyx-ext")
    return found


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def kept(name):
    with open(SOURCE / "docs/notebook/studies" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def bounds(cycles):
    """What each of UNBUILT could gain at most: its cells, and how many times fewer cycles."""
    cells = {row["module"]: int(row["cells"]) for row in kept("bounds_cells.csv")}
    dealt = [float(row["array_without"]) / float(row["array_with"]) for row in kept("bounds_parallel.csv")]
    stored = [max(1, cycles[row["kernel"], row["matrix"]][0] / float(row["array_bound_in_place_of_reducers"])) for row in kept("bounds_scatter.csv")]
    return {name: (sum(cells[module] for module in UNBUILT[name][1]), mean(gains)) for name, gains in zip(UNBUILT, (dealt, stored))}


# ---- the page --------------------------------------------------------------------------------------

HEAD = """\
# What the next chip should have

Written by `cmake --build build --target next_chip`. What each primitive of profile onyx-ext ([boards](../boards.md))
takes in area, and what it saves.

* *Cells*: those of Yosys' generic library after `synth -flatten`, the memory not counted, which is the tile's in any
  case. The chip's primitives are our modules for them, by the same flow, so ratios mean more than numbers. What
  widens the chip's reducer counts the cells that it adds to it; scanners that skip what the fiber access is larger
  by; the matrix reducer has the vector reducer in it, and whoever has the one has the other. Not counted: the
  multiplexers of a tile's core, a few cells for each bit of a port.
* *Of the tile*: of all the chip's primitives in such a tile. *Of the array*: the same in every tile of the kind, of
  the primitives of {pe} PE and {mem} MEM tiles. Routing, FIFOs of the ports and registers are not in it, so the share
  of a real chip is smaller.
* *Speed-up*: cycles of engine `cycle` on `onyx` by those on `onyx-ext`, the geometric mean over the kernels below
  that use the primitive, on {n} matrices; of scanners that skip and of shared store streams, on `onyx-ext` without
  and with. The search is free on both sides but for an order that the kernel's name states. Firmware and
  configuration are not counted.
* *At most*: what nobody has built. Its cells are the least that it would be, its speed-up a bound from above
  ([studies](studies.md#what-other-primitives-could-save-at-most)): of a parallelizer over what onyx-ext does without,
  of stores at computed addresses over `onyx`, for the five kernels whose loops come back to a coordinate; beside the
  reducers these gain hardly anything.
* *Saved by one per cent*: the share of the cycles that is saved, by the share of the array, both in per cent. It
  ranks the table.
* *Not in the table*: a fold by any function of a user ([functions](../functions.md#reductions)), today the host's on
  every engine. Hardware for a fold is a reducer with two more ports: accumulator and next value go out to the tiles of
  the function's body, the body's result comes back as the accumulator. Each value then waits for the whole body, three
  cycles or more a tile. Bodies with loops, as of a greatest common divisor, need the processor in any case.

| primitive | cells | of the tile | of the array | speed-up | cycles saved | saved by one per cent |
|---|---|---|---|---|---|---|
"""


def ranked(chip, ours, cycles):
    tiles = board()
    core = {id(kind): sum(chip[name] for name in kind) for kind in (PE, MEM)}
    whole = sum(core[kind] * tiles[kind] for kind in core)
    rows = []

    def add(name, kind, cells, gain):
        share, saved = 100 * cells * tiles[id(kind)] / whole, 100 * (1 - 1 / gain)
        rows.append((saved / share, f"| {name} | {cells:,} | {100 * cells / core[id(kind)]:.1f} % | {share:.1f} % | {gain:.2f} | "
                                    f"{saved:.0f} % | {saved / share:.1f} % |\n"))
    for name, (kind, _, _) in OURS.items():
        add(name, kind, ours[name], mean([before / after for (kernel, _), (before, after, _) in cycles.items()
                                          if name == next(primitive for k, primitive, _ in KERNELS if k == kernel)]))
    for name, (cells, gain) in bounds(cycles).items():
        add(f"{name}, at most", UNBUILT[name][0], cells, gain)
    return HEAD.format(pe=tiles[id(PE)], mem=tiles[id(MEM)], n=len(DATA)) + "".join(text for _, text in sorted(rows, reverse=True))


def page(chip, ours, cycles):
    text = ranked(chip, ours, cycles)
    text += "\n## The chip's own primitives\n\n| primitive | tile | cells |\n|---|---|---|\n"
    text += "".join(f"| {name} | {'PE' if name in PE else 'MEM'} | {chip[name]:,} |\n" for name in chip)
    text += f"""
## Cycles

Cycles on `onyx`, then on `onyx-ext`. Both operands of SpM*SpM are the matrix; vectors beside it are random and 30 %
full, the matrices of SDDMM 50 %, C and D of `(B ^ C) & D` 2 and 5 %, five of the six added matrices 0.5 %. A * marks
where nothing of ours was chosen. The search ranks by the time of the whole chip, processor included: a row may take
more cycles of the array where one kernel replaces two.

| kernel | uses | {' | '.join(DATA)} |
|---|---|{'---|' * len(DATA)}
"""
    for name, primitive, _ in KERNELS:
        shown = (f"{before:,.0f} {after:,.0f}{'' if used else '*'}" for before, after, used in (cycles[name, m] for m in DATA))
        text += f"| {name} | {primitive} | {' | '.join(shown)} |\n"
    return text


def main():
    if not MATRICES.is_dir() or not pathlib.Path(YOSYS).exists():
        sys.exit(77)
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = page(*areas(), measure(sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None))
    if "--write" in sys.argv:
        PAGE.write_text(text)
    elif PAGE.read_text() != text:
        (FOLDER / PAGE.name).write_text(text)
        sys.exit(f"{PAGE} differs from what was measured: {FOLDER / PAGE.name}")


main()
