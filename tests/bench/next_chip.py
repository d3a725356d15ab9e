"""docs/notebook/next_chip.md: what each primitive of profile onyx-ext takes in area and saves in cycles.

next_chip.py ONYX YOSYS SOURCE FOLDER [--write] [--only PRIMITIVE]: writes the page, or fails unless it says what was measured; with
--only the cycles of one primitive are measured, and those of others are what the page says. Real matrices are those of ../shared/data/matrices beside the source; without them, or without Yosys, it does nothing.
"""

import json
import math
import pathlib
import re
import subprocess
import sys

import command

ONYX, YOSYS, SOURCE, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
RTL, MATRICES, PAGE = SOURCE / "rtl_models/rtl", SOURCE.parent / "shared/data/matrices", SOURCE / "docs/notebook/next_chip.md"
MOST_SECONDS = 600

# A primitive as it is synthesised: module, and its inputs that are constant. The chip's reducer adds integers only.
PLAIN = {"bf16_i": "1'b0", "op_i": "4'd0"}
PE = {"joiner": ("onyx_intersect", {}), "coordinate dropper": ("onyx_crddrop", {}), "coordinate holder": ("onyx_crdhold", {}),
      "ALU": ("onyx_alu", {}), "repeater": ("onyx_repeat", {}), "repeat signal generator": ("onyx_rsg", {}),
      "reducer": ("onyx_reduce", PLAIN)}
MEM = {"fiber access": ("onyx_fiber_access", {"rd_skip_i": "1'b0"})}
# One of ours: the tiles that have it, how it is synthesised, and the chip's primitive that it makes larger.
OURS = {"vector reducer": (MEM, ("onyx_vector_reduce", PLAIN), None),
        "matrix reducer": (MEM, ("onyx_matrix_reduce", PLAIN), None),
        "reductions by any operation": (PE, ("onyx_reduce", {"bf16_i": "1'b0"}), "reducer"),
        "sums of bfloat16": (PE, ("onyx_reduce", {"op_i": "4'd0"}), "reducer"),
        "joiner by regions": (PE, ("onyx_region_join", {}), None),
        "shared load streams": (MEM, ("onyx_block_share", {}), None),
        "shared store streams": (MEM, ("onyx_block_chain", {}), None),
        "scanners that skip": (MEM, ("onyx_fiber_access", {}), "fiber access")}
# In the netlist of a kernel that uses it.
SIGNS = {"vector reducer": '"vector_reduce"', "matrix reducer": 'vec_reduce_inst_inner"',
         "joiner by regions": '"region_join"',
         "reductions by any operation": r'(reg_cr|vec_reduce)_inst_op"', "sums of bfloat16": r'(reg_cr|vec_reduce)_inst_bf16"',
         "shared load streams": r'write_scanner_(before|behind)"', "shared store streams": r'read_scanner_ahead"', "scanners that skip": r'read_scanner_skip"'}

SQUARED = ["-i", "B:{file}", "-i", "C:{file}"]
# Kernel, the primitive of ours that it uses, the arguments of the command.
KERNELS = [
    ("SpM*SpM, i,k,j", "vector reducer", ["X(i,j)=B(i,k)*C(k,j)", "-s", "reorder(i,k,j)", *SQUARED]),
    ("SpM*SpM, as the search has it", "vector reducer", ["X(i,j)=B(i,k)*C(k,j)", *SQUARED]),
    ("SpMV by columns", "vector reducer",
     ["x(i)=B(i,j)*c(j)", "-s", "reorder(j,i)", "-f", "B:ss:1,0", "-i", "B:{file}", "-g", "c:{n}:0.3"]),
    ("SpM*SpM, k,i,j", "matrix reducer", ["X(i,j)=B(i,k)*C(k,j)", "-s", "reorder(k,i,j)", *SQUARED]),
    ("products of 30 columns, k,i,j", "matrix reducer",
     ["X(i,j)=B(k,i)*C(k,j)", "-s", "reorder(k,i,j)", "-g", "B:{n}x30:0.1", "-g", "C:{n}x30:0.1"]),
    ("weighted products of 30 columns, k,i,j", "matrix reducer",
     ["X(i,j)=B(k,i)*w(k)*C(k,j)", "-s", "reorder(k,i,j)", "-g", "B:{n}x30:0.1", "-g", "w:{n}:0.5", "-g", "C:{n}x30:0.1"]),
    ("MTTKRP of 30 by 16, k,i,l,j", "matrix reducer",
     ["X(i,j)=B(i,k,l)*C(k,j)*D(l,j)", "-s", "reorder(k,i,l,j)", "-g", "B:30x{n}x20:0.01", "-g", "C:{n}x16:0.3", "-g", "D:20x16:0.3"]),
    ("largest of each row", "reductions by any operation", ["x(i)=max(j, B(i,j))", "--fill", "B:-32768", "-i", "B:{file}"]),
    ("SpMV, bf16", "sums of bfloat16", ["x(i)=B(i,j)*c(j)", "--dtype", "bf16", "-i", "B:{file}", "-g", "c:{n}:0.3"]),
    ("SDDMM of rank 10, bf16", "sums of bfloat16",
     ["X(i,j)=B(i,j)*c(i,r)*d(r,j)", "--dtype", "bf16", "-i", "B:{file}", "-g", "c:{n}x10:0.5", "-g", "d:10x{n}:0.5"]),
    ("columns that a vector lacks", "joiner by regions",
     ["X(i,j)=mask(not struct(m(j)), B(i,j))", "-i", "B:{file}", "-g", "m:{n}:0.3"]),
    ("(B ^ C) & D", "joiner by regions", ["X(i,j)=(B(i,j)^C(i,j))&D(i,j)", "-i", "B:{file}", "-g", "C:{n}x{n}:0.02", "-g", "D:{n}x{n}:0.05"]),
    ("SpM*SpM, i,j,k", "shared load streams", ["X(i,j)=B(i,k)*C(k,j)", "-s", "reorder(i,j,k)", *SQUARED]),
    ("sum of a matrix and its transpose", "shared load streams", ["X(i,j)=B(i,j)+C(j,i)", *SQUARED]),
    ("sum of six matrices", "shared load streams",
     ["X(i,j)=B(i,j)+C(i,j)+D(i,j)+E(i,j)+F(i,j)+G(i,j)", "-i", "B:{file}", *(w for t in "CDEFG" for w in ("-g", t + ":{n}x{n}:0.005"))]),
    ("SDDMM of rank 10", "shared load streams",
     ["X(i,j)=B(i,j)*c(i,r)*d(r,j)", "-i", "B:{file}", "-g", "c:{n}x10:0.5", "-g", "d:10x{n}:0.5"]),
    ("sampled SpM*SpM", "shared load streams", ["X(i,j)=B(i,k)*C(k,j)*D(i,j)", *SQUARED, "-i", "D:{file}"]),
    ("SpM*SpM, i,j,k, one load stream an operand", "shared store streams", ["X(i,j)=B(i,k)*C(k,j)", "-s", "reorder(i,j,k)", *SQUARED]),
    ("SpM*SpM, i,k,j, one load stream an operand", "shared store streams", ["X(i,j)=B(i,k)*C(k,j)", "-s", "reorder(i,k,j)", *SQUARED]),
    ("sum of a matrix and its transpose, one load stream an operand", "shared store streams", ["X(i,j)=B(i,j)+C(j,i)", *SQUARED]),
    ("SDDMM of rank 10, one load stream an operand", "shared store streams",
     ["X(i,j)=B(i,j)*c(i,r)*d(r,j)", "-i", "B:{file}", "-g", "c:{n}x10:0.5", "-g", "d:10x{n}:0.5"]),
    ("SpM*SpM, i,j,k, one stream a level", "scanners that skip", ["X(i,j)=B(i,k)*C(k,j)", "-s", "reorder(i,j,k)", *SQUARED]),
    ("sampled SpM*SpM, one stream a level", "scanners that skip", ["X(i,j)=B(i,k)*C(k,j)*D(i,j)", *SQUARED, "-i", "D:{file}"]),
    ("product with a matrix that is half full", "scanners that skip", ["X(i,j)=B(i,j)*C(i,j)", "-i", "B:{file}", "-f", "C:ss", "-g", "C:{n}x{n}:0.5"]),
    ("SpMV, vector compressed", "scanners that skip", ["x(i)=B(i,j)*c(j)", "-f", "c:s", "-i", "B:{file}", "-g", "c:{n}:0.3"]),
    ("SDDMM of rank 10, factors compressed", "scanners that skip",
     ["X(i,j)=B(i,j)*c(i,r)*d(r,j)", "-f", "c:ss", "-f", "d:ss:1,0", "-i", "B:{file}", "-g", "c:{n}x10:0.5", "-g", "d:10x{n}:0.5"]),
]
DATA = {"west0067": 67, "west0479": 479, "494_bus": 494, "olm500": 500, "bcspwr06": 1454}


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


# ---- the page --------------------------------------------------------------------------------------

HEAD = """\
# What the next chip should have

Written by `cmake --build build --target next_chip`. What each primitive of profile onyx-ext ([boards](../boards.md)) takes in area, and what it saves.

* *Cells*: those of Yosys' generic library after `synth -flatten`, the memory not counted, which is the tile's in any case. The chip's primitives are
  our modules for them, by the same flow, so ratios mean more than numbers. What widens the chip's reducer counts the cells that it
  adds to it; scanners that skip what the fiber access is larger by; the matrix reducer has the vector reducer in it, and whoever has the one has the other. Not counted: the multiplexers of a tile's core, a few cells for each bit of a port.
* *Of the tile*: of all the chip's primitives in such a tile. *Of the array*: the same in every tile of the kind, of the primitives of {pe} PE and {mem}
  MEM tiles. Routing, FIFOs of the ports and registers are not in it, so the share of a real chip is smaller.
* *Speed-up*: cycles of engine `cycle` on `onyx` by those on `onyx-ext`, the geometric mean over the kernels below that use the primitive, on {n}
  matrices; of scanners that skip and of shared store streams, on `onyx-ext` without and with. The search is free on both sides but for an order that the kernel's name states. Firmware and configuration are not counted.
* *Saved by one per cent*: the share of the cycles that is saved, by the share of the array, both in per cent. It ranks the table.

| primitive | cells | of the tile | of the array | speed-up | cycles saved | saved by one per cent |
|---|---|---|---|---|---|---|
"""


def ranked(chip, ours, cycles):
    tiles = board()
    core = {id(kind): sum(chip[name] for name in kind) for kind in (PE, MEM)}
    whole = sum(core[kind] * tiles[kind] for kind in core)
    rows = []
    for name, (kind, _, _) in OURS.items():
        gain = mean([before / after for (kernel, _), (before, after, _) in cycles.items()
                     if name == next(primitive for k, primitive, _ in KERNELS if k == kernel)])
        share, saved = 100 * ours[name] * tiles[id(kind)] / whole, 100 * (1 - 1 / gain)
        rows.append((saved / share, f"| {name} | {ours[name]:,} | {100 * ours[name] / core[id(kind)]:.1f} % | {share:.1f} % | {gain:.2f} | "
                                    f"{saved:.0f} % | {saved / share:.1f} % |\n"))
    return HEAD.format(pe=tiles[id(PE)], mem=tiles[id(MEM)], n=len(DATA)) + "".join(text for _, text in sorted(rows, reverse=True))


def page(chip, ours, cycles):
    text = ranked(chip, ours, cycles)
    text += "\n## The chip's own primitives\n\n| primitive | tile | cells |\n|---|---|---|\n"
    text += "".join(f"| {name} | {'PE' if name in PE else 'MEM'} | {chip[name]:,} |\n" for name in chip)
    text += f"""
## Cycles

Cycles on `onyx`, then on `onyx-ext`. Both operands of SpM*SpM are the matrix; vectors beside it are random and 30 % full, the matrices of
SDDMM 50 %, C and D of `(B ^ C) & D` 2 and 5 %, five of the six that are added 0.5 %. A * marks where nothing of ours was chosen. The search ranks by the time of the whole chip,
processor included, so a row of it may take more cycles of the array where one kernel replaces two.

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
