"""What a parallelizer with its serializer inside a kernel, and stores at computed addresses, could save at most beside what onyx-ext has,
over the kernels and matrices of next_chip.py; with Yosys their area is printed, too. study.py says how it is called.

A parallelizer: today's best mapping, with its edges, is run once more on one copy, which says what all its runs take the array. Groups share streams as
copies do today, each deals the first loop of the result out to ways. Of the tiles of a copy only those inside of that loop are there once
a way; groups and ways are as many as the fabric has tiles and streams for. A run then takes what engine sam says of so many ways, which has
the balance of the sub-trees and what the serializer lets pass, but for its start and end; it takes no less than its words need on their
streams. The processor's part of a run, and of configuring tiles, and the start and end of one are those of tiling/costs.def, by which copies are
chosen today. What it is compared with is the best number of groups of one way, by the same account.

Stores at computed addresses: the kernel is run with a scalar for its result, in the same order of loops, so that all is there but what keeps
sums by coordinate: the scalar reducer takes a product a cycle. Behind that a run's part of the result, whole, leaves a word a cycle.
"""

import json
import math
import pathlib
import re
import subprocess
import sys

from kernels import DATA, KERNELS
from study import Study

SOURCE = pathlib.Path(sys.argv[3])
BOARD = json.loads((SOURCE / "boards/onyx.json").read_text())
STREAMS, RATIO = BOARD["glb"]["tiles"], round(BOARD["clocks"]["cgra_mhz"] / BOARD["clocks"]["cpu_mhz"])
ARRAY = BOARD["array"]
COLUMNS = sum(x % ARRAY["mem_period"] == ARRAY["mem_phase"] for x in range(ARRAY["width"]))
MEM, PE = COLUMNS * (ARRAY["height"] - 1), (ARRAY["width"] - COLUMNS) * (ARRAY["height"] - 1)
COSTS = (SOURCE / "tiling/costs.def").read_text()
PROCESSOR = {name: tuple(map(float, rest.split(","))) for name, rest in re.findall(r"^PROCESSOR\((\w+), ([^)]*)\)", COSTS, re.M)}
ARRAY_COST = {name: float(value) for name, value in re.findall(r"^ARRAY\((\w+), \"\w+\", ([^,]*),", COSTS, re.M)}
FACTOR = {name: float(value) for name, value in re.findall(r"^FACTOR\((\w+), ([^)]*)\)", COSTS, re.M)}
APART = 8  # flush groups of the fabric: so many copies may start by themselves
WAYS = [1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24]
EXTENDED = ["--profile", "onyx-ext", "--engine", "cycle", "--hazards", "warn", "--deadlock", "warn", "--values", "ramp"]
PLAIN = ["--streams", "levels", "--skip", "off"]  # of onyx-ext a reducer alone
MOST_SECONDS = 600


def chip_cycles(runs, array, loads, stores, groups, cells):
    """What the whole chip takes, as tiling/cost.c has it of runs that are alike: groups start together, or each by itself."""
    def processor(name, together):
        start, load, store = PROCESSOR[name]
        return RATIO * (start + (load * loads + store * stores) * together)
    each = array / runs
    slowest = FACTOR["slowest_copy"] if groups > 1 else 1
    ways = [math.ceil(runs / groups) * max(processor("busy_together", groups), slowest * each + processor("waits_together", groups))]
    if groups <= APART:
        ways.append(max(runs * processor("busy_apart", 1), (array + runs * processor("waits_apart", 1)) / groups))
    return min(ways) + FACTOR["configured_cell"] * cells


# ---- a parallelizer --------------------------------------------------------------------------------


def filled(study, arguments, matrix):
    return [a.format(file=study.matrices / f"{matrix}.mtx", n=DATA[matrix]) for a in arguments]


def without_order(arguments):
    at = arguments.index("-s") if "-s" in arguments else len(arguments)
    return arguments[:at] + arguments[at + 2:]


def netlist_of(folder):
    return json.loads((pathlib.Path(folder) / "netlist.json").read_text())["cells"]


def stored_dense(report):
    """What was stored dense unasked, as options."""
    return [word for d in report.get("dense", []) if "(" not in d for word in ("-f", d)]


def tiles_of(cells):
    """Of one copy: PE, MEM, load streams, store streams."""
    return [sum(cell["tag"] == "p" for cell in cells), sum(cell["tag"] == "m" for cell in cells),
            sum(cell["mode"] == "io_in" for cell in cells), sum(cell["mode"] == "io_out" for cell in cells)]


def simulated(study, arguments):
    """Cycles of engine sam; None where the graph cannot be made."""
    done = subprocess.run([study.onyx, "sam", *arguments, "--values", "ramp"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    found = re.search(r"^(\d+) cycles,", done.stdout, re.M)
    return int(found[1]) if found and done.returncode in (0, 3) else None


def faster(study, arguments, loops, dealt):
    """How many times faster engine sam is with so many ways, by their number."""
    plain = without_order(arguments)
    base = simulated(study, [*plain, "-s", f"reorder({loops})"])
    found = {}
    for ways in WAYS[1:] if base else []:
        cycles = simulated(study, [*plain, "-s", f"reorder({loops}), unroll({dealt},{ways})"])
        if cycles:
            found[ways] = max(1.0, base / cycles)
    return {1: 1.0, **found}


def shared_streams(arguments):
    """Operands of the kernel, those that have a loop, and levels of the result."""
    result, right = arguments[0].split("=", 1)
    return re.findall(r"(\w+)\(([\w,]+)\)", re.sub(r"\b(max|mask|not|struct)\b", "", right)), re.findall(r"\((.*)\)", result)[0].split(",")


def mappings(per_copy, outside, streams, speeds):
    """Groups and ways that the fabric has tiles and streams for."""
    pe, mem = per_copy[:2]
    for ways in speeds:
        for groups in range(1, STREAMS // max(streams) + 1):
            if groups * (outside + ways * (mem - outside)) <= MEM and groups * ways * pe <= PE:
                yield groups, ways


def bound_of(study, arguments, matrix):
    """Cycles of the array and copies today; then by the account above, without ways and with them, each as (chip, array, groups, ways); the fewest cycles
    of the chip where the tiles are configured already, and of the array alone, without and with. None where today's best is several kernels."""
    folder = f"{study.folder}/run"
    report = study.must_run(filled(study, arguments, matrix) + EXTENDED, MOST_SECONDS).report
    if "kernels" in report:
        return None
    copies, loops = report["unroll"], report["loops"]
    per_copy = [n // copies for n in tiles_of(netlist_of(folder))]
    plain = without_order(filled(study, arguments, matrix)) + stored_dense(report)
    array, runs = on_one_copy(study, plain, report), max(1, report["subtiles"]["run"])
    fixed = min(array, runs * (ARRAY_COST["START"] + ARRAY_COST["LOOP"] * len(loops.split(","))))
    operands, of_result = shared_streams(arguments)
    dealt = next((loop for loop in loops.split(",") if loop in of_result), loops.split(",")[0])  # the first of fused ones, which all operands have
    speeds = faster(study, plain, loops, dealt) if "," in loops else {1: 1.0}
    streams = len(operands), 1
    outside = min(sum(dealt in index.split(",") or dealt not in of_result for _, index in operands) + len(of_result) + 1, per_copy[1] - 1)
    words = max(report["tiling"].get("load_words", 0) / streams[0], report["tiling"].get("partials", {}).get("words", 0))
    found, again = [], []
    for groups, ways in mappings(per_copy, outside, streams, speeds):
        least = max(fixed + (array - fixed) / speeds[ways], words)
        cells = groups * (sum(streams) + outside + ways * (sum(per_copy[:2]) - outside))
        found.append((chip_cycles(runs, least, *streams, groups, cells), max(least / groups, least / runs), groups, ways))
        again.append((chip_cycles(runs, least, *streams, groups, 0), ways))
    without = [f for f in found if f[3] == 1]
    return (report["cycles"]["kernel"], copies, min(without), min(found), min(f[0] for f in again if f[1] == 1), min(again)[0], min(f[1] for f in without),
            min(f[1] for f in found))


def on_one_copy(study, plain, report):
    """Cycles of the array for all runs, in sequence."""
    ordered = ["-s", f"reorder({report['loops']})"] if "," in report["loops"] else []
    one = study.run([*plain, *ordered, *EXTENDED, "--tile", report["tiling"]["edges"], "--streams", report["tiling"]["streams"], "--unroll", "1"],
                    MOST_SECONDS)
    same = one.code is None and "kernels" not in one.report and one.number("subtiles", "run") == report["subtiles"]["run"]
    return one.number("cycles", "kernel") if same else report["unroll"] * report["cycles"]["kernel"]


def parallelizers(study):
    csv = "kernel,matrix,array_today,copies,array_without,groups,array_with,groups_with,ways,chip_without,chip_with,again_without,again_with,array_least_without,array_least_with\n"
    ratios = {}
    for name, _, arguments in KERNELS:
        if "one " in name or "as the search" in name or (study.short and name != "SpM*SpM, i,j,k"):
            continue
        for matrix in list(DATA)[:1] if study.short else DATA:
            found = bound_of(study, arguments, matrix)
            if not found:
                print(f"{name}, {matrix}: several kernels", flush=True)
                continue
            array, copies, without, ways, again_without, again, least_without, least = found
            row = (f"\"{name}\",{matrix},{array},{copies},{without[1]:.0f},{without[2]},{ways[1]:.0f},{ways[2]},{ways[3]},{without[0]:.0f},{ways[0]:.0f},"
                   f"{again_without:.0f},{again:.0f},{least_without:.0f},{least:.0f}\n")
            print(row, end="", flush=True)
            csv += row
            ratios.setdefault(name, []).append((without[1] / ways[1], without[0] / ways[0], again_without / again, least_without / least))
    return csv, ratios


# ---- stores at computed addresses --------------------------------------------------------------------

POINTS = 2048  # values of 16 bits that a MEM tile holds
SHAPES = [(p, POINTS // p) for p in (8, 32, 64, 256)]
# Kernels of next_chip.py whose results are not stored in the order of their loops: extents of the result, the order of loops; 0: as long as the matrix.
SCATTERING = {"SpMV by columns": ((0, 1), "j,i"), "SpM*SpM, k,i,j": ((0, 0), "k,i,j"), "products of 30 columns, k,i,j": ((30, 30), "k,i,j"),
              "weighted products of 30 columns, k,i,j": ((30, 30), "k,i,j"), "MTTKRP of 30 by 16, k,i,l,j": ((30, 16), "k,i,l,j")}


def scatter_bound(study, arguments, extents, loops, options, today):
    """The fewest cycles of array and chip, over shapes of the result's sub-tiles; where all of it fits, with the edges and copies of a report, too."""
    best = [math.inf, math.inf]
    expression, *rest = without_order(arguments)
    rest += stored_dense(today)
    for rows, columns in SHAPES if math.prod(extents) > POINTS else [extents]:
        tile = min(rows, extents[0]), min(columns, extents[1])
        edges = f"i:{tile[0]}" + (f",j:{tile[1]}" if extents[1] > 1 else "")
        tried = [["--tile", edges]]
        if math.prod(extents) <= POINTS and "tiling" in today:
            tried.append(["--tile", today["tiling"]["edges"], "--unroll", str(today["unroll"]), "--streams", today["tiling"]["streams"]])
        for cut in tried:
            run = study.must_run(["t=" + expression.split("=", 1)[1], *rest, "-s", f"reorder({loops})", *cut, *options], MOST_SECONDS)
            if "kernels" in run.report or run.report["loops"] != loops:
                sys.exit(f"{expression}: the sum of it is another kernel")
            copies, runs, operands = run.report["unroll"], max(1, run.report["subtiles"]["run"]), len(shared_streams(arguments)[0])
            array = run.report["cycles"]["kernel"] * copies + runs * math.prod(tile)
            best = [min(best[0], array / copies), min(best[1], chip_cycles(runs, array, operands, 1, copies, 0))]
    return best


def scatters(study):
    csv = "kernel,matrix,array_today,array_bound,chip_today,chip_bound,array_bound_in_place_of_reducers\n"
    ratios = {}
    of = {name: arguments for name, _, arguments in KERNELS}
    for name, (extents, loops) in SCATTERING.items():
        for matrix in list(DATA)[:1] if study.short else DATA:
            arguments = filled(study, of[name], matrix)
            best_order = without_order(arguments) if name == "SpM*SpM, k,i,j" else arguments
            today = study.must_run([*best_order, *EXTENDED], MOST_SECONDS)
            sections, operands = today.report.get("kernels", [today.report]), len(shared_streams(arguments)[0])
            chip = sum(chip_cycles(max(1, s["subtiles"]["run"]), s["unroll"] * s["cycles"]["kernel"], operands, 1, s["unroll"], 0) for s in sections)
            array = today.number("cycles", "kernel")
            of_result = tuple(extent or DATA[matrix] for extent in extents)
            best = scatter_bound(study, arguments, of_result, loops, EXTENDED, today.report)
            of_reducer = study.must_run([*best_order, *EXTENDED, *PLAIN], MOST_SECONDS).report
            alone = scatter_bound(study, arguments, of_result, loops, EXTENDED + PLAIN, of_reducer)
            row = f"\"{name}\",{matrix},{array},{best[0]:.0f},{chip:.0f},{best[1]:.0f},{alone[0]:.0f}\n"
            print(row, end="", flush=True)
            csv += row
            ratios.setdefault(name, []).append((array / best[0], chip / best[1]))
    return csv, ratios


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def say(ratios, of):
    for name, found in [*ratios.items(), ("all", [one for several in ratios.values() for one in several])]:
        print(f"{name}: " + ", ".join(f"{what} {mean(column):.2f}" for what, column in zip(of, zip(*found))), flush=True)


MODULES = ("bound_deal", "bound_gather", "bound_scatter")
study = Study()
study.need_matrices()
csv, ratios = parallelizers(study)
say(ratios, ("array", "chip", "chip that is configured", "array alone"))
study.table("bounds_parallel.csv", csv)
csv, scattered = scatters(study)
say(scattered, ("array", "chip"))
study.table("bounds_scatter.csv", csv)
cells = "module,cells\n" + "".join(f"{module},{study.cells(module)}\n" for module in MODULES)
print(cells, end="")
study.table("bounds_cells.csv", cells, of_this_machine="None" in cells)
if not study.short:
    chip = mean([found[1] for several in ratios.values() for found in several])
    study.expect(chip < 1.25, "a parallelizer saves less than a fifth of what the chip takes")
    study.expect(mean([found[0] for several in scattered.values() for found in several]) < 1.5, "stores at computed addresses save less than a third beside reducers")
study.end()
