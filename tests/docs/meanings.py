"""Words of the glossary have their meaning in the program's outputs: meanings.py SOURCE ONYX FOLDER

Each function below is the meaning of one or several words: an equation between files and members of `report.json` of
a few commands. A word has an equation, or is in WITHOUT.
"""
import collections
import json
import math
import pathlib
import re
import subprocess
import sys

source, onyx, folder = pathlib.Path(sys.argv[1]), str(pathlib.Path(sys.argv[2]).resolve()), pathlib.Path(sys.argv[3])
CHECKS = []
# Words whose meaning no output of these commands shows: names, signals, pieces of texts and of work, and places of the
# processor's memory.
WITHOUT = set("""CGRA; RTL; batch; buffet; controller (GLC); flush; hazard; holder; image; lane; mailbox; monitor; padding;
              part; piece; place and route; ready; run table; share; subexpression; valid; window""".replace("\n", " ").split(";"))
EXTENT, EDGE, COPIES = {"i": 60, "j": 40, "k": 50}, {"i": 20, "j": 20, "k": 16}, 2


def means(*words):
    def keep(check):
        CHECKS.append((words, check))
        return check
    return keep


def run(*arguments):
    return subprocess.run([onyx, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def read(name):
    return (folder / name).read_text()


def streams_of(graph):
    """Tokens by the node's type, index and tensor, and its port."""
    name = {}
    for number, comment in re.findall(r'^ +(\d+) \[comment="([^"]*)"', graph, re.M):
        keys = dict(item.split("=") for item in comment.split(","))
        name[number] = " ".join(keys[key] for key in ("type", "index", "outer", "inner", "tensor") if key in keys)
    sinks, streams = {}, collections.defaultdict(list)
    for line in read("tokens").splitlines():
        _, port, sink, _, token = line.split()
        number, at = port.split(".")
        if sinks.setdefault(port, sink) == sink:  # the first of several readers
            streams[name[number], int(at)].append(token)
    return streams


def prepare():
    """A product with stated sub-tiles and two copies, the same in two kernels, and a small product with a trace."""
    folder.mkdir(parents=True, exist_ok=True)
    head = "%%MatrixMarket matrix coordinate integer general\n"
    (folder / "B.mtx").write_text(head + "3 4 5\n1 1 2\n1 3 5\n2 2 1\n3 1 3\n3 4 4\n")
    (folder / "c.tns").write_text("1 1\n3 2\n4 3\n")
    product = ["run", "X(i,j) = B(i,k) * C(k,j)", "-g", "B:60x50:0.1:1", "-g", "C:50x40:0.1:2", "--dtype", "int16",
               "--engine", "cycle", "--json"]
    edges = ",".join(f"{v}:{n}" for v, n in EDGE.items())
    one = json.loads(run(*product, "-f", "C:ss:1,0", "-O0", "--tile", edges, "--unroll", str(COPIES),
                         "--dispatch", "inorder", "-o", "one"))
    schedule = "reorder(k,i,j), precompute(B(i,k)*C(k,j),{k,i,j},{kw,iw,jw},w), reorder(i,j,k)"
    two = json.loads(run(*product, "-s", schedule, "-o", "two"))
    total = ["run", "X(i,j) = B(i,j) + C(i,j)", "-g", "B:5x5:0.4:1", "-g", "C:5x5:0.4:2", "--dtype", "int16"]
    run(*total, "--fill", "B:7", "--engine", "sam", "-o", "fill", "--quiet")
    fused = json.loads(run(*total, "-s", "fuse(i,j,f)", "--engine", "cycle", "-o", "fused", "--json"))
    small = ["x(i) = B(i,j) * c(j)", "-f", "B:ss", "-f", "c:s", "-i", "B:B.mtx", "-i", "c:c.tns"]
    run("run", *small, "--engine", "sam", "-o", "small", "--quiet")
    run("run", "x(i) = a(i) + c(i)", "-f", "a:s", "-f", "c:s", "-i", "a:c.tns", "-i", "c:c.tns", "--engine", "sam",
        "-o", "union", "--quiet")
    run("sam", *small, "--trace", "tokens")
    placed = json.loads(run("pnr", "one/design.packed", "-o", "placed", "--json"))
    outputs = set(re.findall(r"^REG (T\d_\w+ \([^)]*\))", read("placed/design.route"), re.M))
    return {"one": one, "two": two, "fused": fused, "stream": streams_of(run("sam", *small[:5])),
            "pnr": {**placed, "registers": len(outputs)}, "stat": run("bits", "stat", "one/bitstream.bs"),
            "netlist": json.loads(read("one/netlist.json")),
            "levels": {f: json.loads(run("tile", "levels", "B.mtx", "-f", f)) for f in ("ds", "ss:1,0")},
            "sta": json.loads(run("sta", "one/design.packed", "--place", "one/design.place",
                                  "--route", "one/design.route", "--json"))}


@means("tensor", "order", "operand", "result", "density")
def tensors(d):
    operands = {t["tensor"]: t for t in d["one"]["tensors"]}
    assert set(operands) == {"B", "C"} and (folder / "one/X.mtx").exists()
    for t in operands.values():
        assert len(t["dims"]) == 2 and math.isclose(t["density"], t["entries"] / math.prod(t["dims"]))


@means("coordinate")
def coordinates_begin_at_0(d):
    assert data(d["stream"]["fiberlookup j B", 0])[0] == "0"
    assert min(int(line.split()[0]) for line in read("c.tns").splitlines()) == 1  # in files at 1


@means("index notation", "loop order")
def loops_are_the_variables(d):
    assert sorted(d["one"]["loops"].split(",")) == ["i", "j", "k"]  # k, which the left side lacks, is a loop, too
    assert d["two"]["kernels"][0]["loops"] == "kw,iw,jw"  # the stated order, outermost first


@means("kernel", "schedule", "workspace")
def two_kernels_by_a_workspace(d):
    assert [kernel["tensor"] for kernel in d["two"]["kernels"]] == ["w", "X"]  # in sequence: filled first, read then
    assert all((folder / "two" / name / "bitstream.bs").exists() for name in ("w", "X"))


@means("level", "fiber", "segment", "reference", "position", "compressed", "dense", "format")
def levels_are_a_tree(d):
    dense, inner = d["levels"]["ds"]["levels"]
    assert dense == {"dim": 3} and inner["dim"] == 4  # a dense level has its size alone
    fibers = [inner["crd"][a:b] for a, b in zip(inner["seg"], inner["seg"][1:])]
    assert fibers == [[0, 2], [1], [0, 3]] and len(d["levels"]["ds"]["vals"]) == inner["seg"][-1]
    columns = d["levels"]["ss:1,0"]["levels"]
    assert [level["dim"] for level in columns] == [4, 3] and columns[0]["crd"] == [0, 1, 2, 3]  # index 1 is outermost


@means("re-packing")
def another_order_is_re_packed(d):
    assert d["one"]["repacked"] == [] and "B as ss:1,0" in d["two"]["kernels"][0]["repacked"]


@means("fill")
def the_fill_is_not_stored(d):
    assert re.search(r"% fill 7:", read("fill/X.mtx"))


def data(stream):
    return [token for token in stream if token.isdigit()]


@means("token", "SAM", "primitive")
def streams_of_tokens(d):
    assert d["stream"]["fiberlookup i B", 0] == ["0", "1", "2", "S0", "D"]  # data, the stop of the fiber, done
    assert all(s[-1] == "D" and s.count("D") == 1 for s in d["stream"].values())
    inner = d["stream"]["fiberlookup j B", 0]
    assert [token for token in inner if token[0] == "S"] == ["S0", "S0", "S1"]  # S1 ends the fiber of fibers, too


@means("scanner", "repeater", "repeat signal", "look-up")
def scanners_repeaters_look_ups(d):
    assert data(d["stream"]["fiberlookup j B", 0]) == ["0", "2", "1", "0", "3"]
    assert data(d["stream"]["fiberlookup j B", 1]) == ["0", "1", "2", "3", "4"]
    assert data(d["stream"]["repeat i c", 0]) == ["0", "0", "0"]  # the reference of c once for each row of B
    assert len(d["stream"]["repsiggen i", 0]) == len(d["stream"]["fiberlookup i B", 0])
    assert data(d["stream"]["arrayvals B", 0]) == ["2", "5", "3", "4"]  # of the references of the intersecter


@means("intersecter", "joiner", "dropper", "reducer", "writer")
def joiners_droppers_reducers(d):
    assert data(d["stream"]["intersect j", 1]) == ["0", "1", "3", "4"]  # references of B at the coordinates of both
    assert data(d["stream"]["crddrop i j", 0]) == ["0", "2"]  # row 1 shares no coordinate with c
    assert data(d["stream"]["reduce", 0]) == ["12", "15"]  # the sums of the two fibers
    assert read("small/x.mtx").splitlines()[-2:] == ["1 1 12", "3 1 15"]


@means("unioner")
def a_unioner_passes_the_coordinates_of_any(d):
    assert [int(line.split()[0]) for line in read("union/x.mtx").splitlines()[-3:]] == [1, 3, 4]


@means("fused loop")
def a_fused_loop_has_one_level(d):
    assert d["fused"]["loops"] == "f"  # in place of i, j


@means("tile", "PE", "MEM", "IO", "tile mode", "copy")
def cells_are_tiles(d):
    tags = collections.Counter(cell["tag"] for cell in d["netlist"]["cells"])
    assert d["one"]["tiles"] == {"pe": tags["p"], "mem": tags["m"], "io": tags["I"]} and d["one"]["unroll"] == COPIES
    first = [cell for cell in d["netlist"]["cells"] if not cell["name"].endswith("_u1")]
    assert len(d["netlist"]["cells"]) == COPIES * len(first)
    modes = set(re.findall(r'"(\w+)"', (source / "lower_onyx/tiles.def").read_text()))
    assert {cell["mode"] for cell in first} <= modes


@means("netlist", "net")
def a_net_has_one_output(d):
    outputs = [(net["source"]["cell"], net["source"]["port"]) for net in d["netlist"]["nets"]]
    assert len(outputs) == len(set(outputs)) and all(net["sinks"] for net in d["netlist"]["nets"])


@means("stream")
def a_stream_for_each_level_and_the_values(d):
    loads = [cell["stream"] for cell in d["netlist"]["cells"] if cell["mode"] == "io_in"]
    of_b = [stream["level"] for stream in loads if stream["tensor"] == "B"]
    assert sorted(of_b) == [-1, -1, 0, 0, 1, 1]  # two levels and the values, of two copies


@means("track", "hop", "switch box")
def hops_are_outputs_of_switch_boxes(d):
    outputs, net = set(), None
    for line in read("one/design.route").splitlines():
        net = line.split()[2] if line.startswith("Net ID") else net
        box = re.fullmatch(r"SB \((\d+), (\d+), (\d+), (\d+), 1, 17\)", line)
        if box:
            assert int(box[1]) < 5  # tracks a side
            outputs.add((net, *box.groups()))
    assert len(outputs) == d["one"]["hops"]


def stat(d):
    return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in d["stat"].splitlines()}


@means("connection box")
def an_input_from_wires_has_a_connection_box(d):
    kind = {cell["name"]: cell["tag"] for cell in d["netlist"]["cells"]}
    sinks = [kind[sink["cell"]] for net in d["netlist"]["nets"] for sink in net["sinks"]]
    assert stat(d)["connection boxes"] == sinks.count("p") + sinks.count("m")


@means("FIFO", "SplitFIFO", "FIFO pair")
def two_registers_are_a_pair(d):
    assert d["pnr"]["fifo_pairs"] > 0 and d["pnr"]["registers"] == 2 * d["pnr"]["fifo_pairs"]


@means("SpMV", "SpM*SpM", "SDDMM", "TTV", "TTM", "MTTKRP")
def names_of_kernels(d):
    page = (source / "docs/notebook/kernels.md").read_text()
    rows = dict(re.findall(r"^\| ([\w*]+) \| `([^`]*)`", page, re.M))
    assert rows["SpMV"] == "x(i) = B(i,j) * c(j)" and rows["SpM*SpM"] == "X(i,j) = B(i,k) * C(k,j)"
    assert [rows[name].count("(") for name in ("SDDMM", "TTV", "TTM", "MTTKRP")] == [4, 3, 3, 4]
    assert d["one"]["expression"] == rows["SpM*SpM"]


@means("configuration word", "bitstream")
def words_are_lines(d):
    words = [line for line in read("one/bitstream.bs").splitlines() if line and line[0] != "#"]
    assert len(words) == d["one"]["bitstream"]["words"]
    assert all(re.fullmatch(r"[0-9A-F]{8} [0-9A-F]{8}", word) for word in words)


@means("sub-tile", "edge", "tile pair", "pair", "run")
def pairs_are_combinations_of_sub_tiles(d):
    pairs = d["one"]["subtiles"]
    assert d["one"]["tiling"]["edges"] == ",".join(f"{v}:{EDGE[v]}" for v in "ijk")
    assert pairs["total"] == math.prod(-(-EXTENT[v] // EDGE[v]) for v in EXTENT)
    assert pairs["run"] + pairs["skipped_empty"] == pairs["total"]


@means("pass")
def a_pass_is_a_run_of_every_copy(d):
    assert d["one"]["subtiles"]["passes"] == -(-d["one"]["subtiles"]["run"] // COPIES)


@means("partial result")
def partial_results_are_added(d):
    assert d["one"]["tiling"]["partials"]["entries"] >= d["one"]["result_nnz"]  # k has four pieces


@means("fmax", "floor")
def the_floor_is_not_beaten(d):
    assert math.isclose(d["sta"]["fmax_mhz"], 1e6 / d["sta"]["period_ps"])
    assert d["sta"]["floor_ps"] <= d["sta"]["period_ps"]


@means("global buffer (GLB)", "bank")
def banks_hold_the_words(d):
    board = json.loads((source / "boards/onyx.json").read_text())["glb"]
    assert board["tiles"] * board["columns_per_tile"] == 32 and board["banks"] == 2
    assert d["one"]["tiling"]["bank_words"] <= int(str(board["bank_bytes"]), 0) // 2


@means("engine", "profile", "board")
def names_of_the_report(d):
    engines = re.findall(r"^ENGINE\(\w+, (\w+),", (source / "kernel/engines.def").read_text(), re.M)
    assert engines[:4] == ["sam", "cycle", "rtl", "soc"]
    assert (d["one"]["engine"], d["one"]["profile"], d["one"]["board"]) == ("cycle", "onyx", "onyx")


def explained():
    cells = re.findall(r"^\| ([^|]+) \|", (source / "docs/glossary.md").read_text(), re.M)
    return {re.sub(r"[\\]", "", word).strip() for cell in cells for word in re.split(r"[,;] ", cell)} - {"word", "---"}


def main():
    known, outputs, bad = explained(), prepare(), 0
    for words, check in CHECKS:
        for word in words:
            if word not in known and not (word + "s" in known):
                bad += 1
                print(f"docs/glossary.md does not explain '{word}'")
        try:
            check(outputs)
        except (AssertionError, KeyError, StopIteration) as error:
            bad += 1
            print(f"{', '.join(words)}: {check.__name__} does not hold {error}")
    with_equation = {word for words, _ in CHECKS for word in words}
    for word in sorted(known - with_equation - {" ".join(word.split()) for word in WITHOUT}):
        bad += 1
        print(f"'{word}' of docs/glossary.md has no equation here, and is not in WITHOUT")
    print(f"{len(with_equation)} of {len(known)} words of the glossary, {len(CHECKS)} equations, {bad} wrong")
    return bool(bad)


sys.exit(main())
