"""Compares the summary of onyx run and onyx compile with report.json, and report.json with the files of the folder.

Each expected line is made here from the members of the report, by docs/report.md; the flow tests (run.py) compare
every command."""
import json
import math
import re

MASK, PRIMES = (1 << 64) - 1, (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
LARGEST = 1 << 14  # bytes of a file whose checksum is computed here
COUNTED = ("tiles", "time", "accuracy", "copies", "banks", "dispatch", "split", "waits", "bits")  # lines without another source


def turned(x, by):
    return (x << by | x >> (64 - by)) & MASK


def mixed(lane, word):
    return turned((lane + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data):
    """XXH64 without a seed, as the specification has the steps."""
    p1, p2, p3, p4, p5 = PRIMES
    at, total = 0, p5
    if len(data) >= 32:
        lanes = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        for at in range(0, len(data) - 31, 32):
            lanes = [mixed(lane, int.from_bytes(data[at + 8 * i:at + 8 * i + 8], "little")) for i, lane in enumerate(lanes)]
        at, total = at + 32, sum(turned(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18)))
        for lane in lanes:
            total = ((total ^ mixed(0, lane)) * p1 + p4) & MASK
    total = (total + len(data)) & MASK
    while at + 8 <= len(data):
        total, at = (turned(total ^ mixed(0, int.from_bytes(data[at:at + 8], "little")), 27) * p1 + p4) & MASK, at + 8
    if at + 4 <= len(data):
        total, at = (turned(total ^ int.from_bytes(data[at:at + 4], "little") * p1 & MASK, 23) * p2 + p3) & MASK, at + 4
    for byte in data[at:]:
        total = turned(total ^ byte * p5 & MASK, 11) * p1 & MASK
    total = (total ^ total >> 33) * p2 & MASK
    total = (total ^ total >> 29) * p3 & MASK
    return f"{total ^ total >> 32:016x}"


def rounded(value, digits):
    """A number of a unit in the summary, without zeros behind the point."""
    return f"{float(f'{value:.{digits - 1}e}'):.6g}"


def scaled(value, units, digits):
    unit = 0
    while unit + 1 < len(units) and value >= 1000:
        value, unit = value / 1000, unit + 1
    return rounded(value, digits), units[unit], 1000 ** unit


def counted(n, one, many):
    return f"{n:,} {one if n == 1 else many}"


def others(host, verify):
    """Cycles that the total does not have."""
    return (f", and {host:,} of the host" if host else "") + (f", and {verify:,} to check what was loaded" if verify else "")


def time_of(report):
    took = " ".join(scaled(1000 * report["time_us"], ("ns", "µs", "ms", "s"), 3)[:2]) if report.get("time_us") else None
    host = report["cycles"].get("host")
    return counted(report["cycles"]["total"], "cycle", "cycles") + (f", {took}" if took else "") + others(host, report["cycles"].get("verify", 0))


def tiles_of(report):
    clock = f" at {report['fmax_mhz']:.0f} MHz" if report["fmax_mhz"] else ""
    copies = f"; {report['unroll']} copies of the kernel" if report["unroll"] > 1 else ""
    return "{pe} PE, {mem} MEM and {io} IO tiles".format(**report["tiles"]) + clock + copies


def pairs_of(report):
    run, empty = report["subtiles"]["run"], report["subtiles"]["skipped_empty"]
    if not run or "tiling" not in report:
        return ""
    edges = report["tiling"]["edges"]
    if ":" not in edges:
        edges = ",".join(f"{v}:{edges}" for v in report["loops"].split(",")) if report["loops"] and edges else ""
    sizes = edges.replace(":", "=").replace(",", ", ")
    rest = f", {empty:,} empty and skipped" if empty else "" if run == 1 else ", none empty"
    return "; " + counted(run, "tile pair", "tile pairs") + (f" of {sizes}" if sizes else "") + rest


ENERGY = re.compile(r"  energy    (\S+) (nJ|µJ|mJ|J) \((\S+) to (\S+)\), estimated")


def energy_differs(nj, printed):
    """Whether no line has the energy, of two digits: those of the report, of three, were rounded, too."""
    found = [ENERGY.fullmatch(line) for line in printed]
    for match in filter(None, found):
        by = 1000 ** ("nJ", "µJ", "mJ", "J").index(match[2])
        pairs = zip(("typical", "low", "high"), (match[1], match[3], match[4]))
        if all(abs(float(text) * by - nj[name]) <= 0.056 * 10 ** math.floor(math.log10(nj[name])) for name, text in pairs):
            return float(match[1]) >= 1000 or (float(match[1]) < 1 < by)
    return True


def bound_of(report):
    if "bottlenecks" in report:
        first = [f"{b['tile']}{'' if i else ' stalled its neighbours'} for {100 * b['share']:.0f} %{'' if i else ' of the cycles'}"
                 for i, b in enumerate(report["bottlenecks"][:3])]
        return ", ".join(first) if first else "no tile stalled its neighbours"
    c = report["cycles"]
    if "memory" in report:
        m = report["memory"]
        return (f"the graph runs in {100 * m['graph_cycles'] / c['total']:.0f} % of the cycles; {m['fetched_bytes']:,} bytes from DRAM, "
                f"{m['loaded_bytes']:,} from the buffer, {m['stored_bytes']:,} back")
    if not c["firmware"]:
        return None
    return "array {kernel:.0f} % of the cycles, configuration {config:.0f} %, processor {firmware:.0f} %".format(
        **{part: 100 * c[part] / c["total"] for part in ("kernel", "config", "firmware")})


def checked(accuracy, check):
    verdict = accuracy.get("verdict")
    return "as the reference" if verdict == "differs" and check == "pass" else check


def lines_of_kernel(report, ran):
    """The lines of a single kernel on the array, with --explain."""
    lines = []
    if "chosen" in report:
        lines.append(("chosen", report["chosen"]))
    for text in report.get("repacked", []):
        lines.append(("operands", f"the host re-packs {text}"))
    words = report["bitstream"]["words"]
    if words:
        lines.append(("bits", f"{words:,} configuration words, read back and found equal to the routed netlist"))
    tiling = report.get("tiling", {})
    if tiling.get("candidates") and report["loops"] and ran:
        lines.append(("sizes", f", chosen among {len(tiling['candidates'])}: {tiling['predicted']:,} cycles predicted, "
                               f"{report['cycles']['kernel']:,} measured"))
    for split in tiling.get("splits", []):
        first = f", from {split['corners'][0]} on" if split["corners"] else ""
        lines.append(("split", f"{counted(split['subtiles'], 'tile', 'tiles')} of {split['tensor']}{first}: the largest needs "
                               f"{split['most_words']:,} words of a memory tile"))
    passes, dispatch = report["subtiles"]["passes"], report.get("dispatch", {})
    if passes and dispatch.get("how") == "dynamic":
        lines.append(("copies", f"{report['unroll']}, each takes the next tile pair when it is free"))
    elif passes and report["unroll"] > 1:
        lines.append(("copies", f"{report['unroll']}, which start together {counted(passes, 'time', 'times')}"))
    if "banks" in dispatch:
        lines.append(("banks", "{banks} banks of {index} of {operand}, dealt to {copies} copies: {entries_most:,} entries at most, {entries_mean:.2f} on "
                               "average".format(copies=report["unroll"], **dispatch)))
    if "pair" in dispatch:
        lines.append(("dispatch", f"{'dynamic' if dispatch['how'] == 'dynamic' else 'sorted'} ({dispatch['why']})"))
    freed = report.get("freed", {"by": []})
    for one in freed["by"]:
        cost = ("cycles unknown without data" if "expected" not in freed else f"no fewer than {freed['expected']:,} cycles predicted" if "expected" not in one
                else f"{one['expected']:,} cycles predicted, {freed['expected']:,} now")
        lines.append(("streams", f"{one['how']} makes room for {counted(one['copies'], 'copy', 'copies')} ({one['loads']} load and {one['stores']} store "
                                 f"streams each, {freed['loads']} and {freed['stores']} now): {cost}"))
    for s in report.get("stalls", [])[:3]:
        if s["waited"] > 0:
            lines.append(("waits", f"{s['from']} waited {100 * s['waited']:.0f} % for {s['to']}"))
    return lines


def lines_of(report, explain):
    """The expected lines of a summary: (label, text); the printed line must end in the text, except times of the host."""
    ran, one = report["engine"] != "none", "kernels" not in report
    lines = []
    if one and sum(report["tiles"].values()):
        lines.append(("tiles", tiles_of(report)))
    if ran:
        lines.append(("time", time_of(report) + (pairs_of(report) if one else "")))
    if ran and one and bound_of(report):
        lines.append(("bound", bound_of(report)))
    if "why" in report["type"]:
        lines.append(("type", report["type"]["why"]))
    if ran and "shard" not in report:
        accuracy = report.get("accuracy", {})
        text = f"{accuracy['text']}; " if "text" in accuracy else ""
        lines.append(("accuracy", f"{text}check: {checked(accuracy, report['check'])}; {counted(report['result_nnz'], 'nonzero', 'nonzeros')} in the result"))
    if explain and one:
        lines += lines_of_kernel(report, ran)
    return lines


def lines_of_kernels(report):
    """Of several kernels on the array what the line of each says behind its folder."""
    for k in report.get("kernels", []):
        if "on" not in k and report["engine"] != "none":
            yield f"  kernel {k['tensor']}, in ", f"; {tiles_of(k)}; {time_of(k)}{pairs_of(k)}; {counted(k['result_nnz'], 'nonzero', 'nonzeros')}"


def lines_of_program(report):
    lines = [f"  line {s['line']}: {s['statement'].split(chr(10))[0]}" for s in report["statements"]]
    for s in report["statements"]:
        if s["cycles"]["total"] or s["on"] == "array":
            lines.append(f"    {s['runs']} run{'' if s['runs'] == 1 else 's'}, {counted(s['cycles']['total'], 'cycle', 'cycles')}")
    for loop in report["loops"]:
        passes = sum(one["passes"] for one in loop["each"])
        text = f"{loop['branch']} taken {passes} of {len(loop['each'])} times" if "branch" in loop else f"{passes} pass{'' if passes == 1 else 'es'}"
        alone = sum(one.get("on_processor", 0) for one in loop["each"])
        unmet = "branch" not in loop and any(not one.get("met", True) for one in loop["each"])
        lines.append(f"  line {loop['line']}: {text}" + ("; the condition does not hold after the last one" if unmet else "")
                     + (f", {alone} by the chip's processor alone" if alone else ""))
    for result in report["results"]:
        lines.append(f"  {result['result_nnz']} value{'' if result['result_nnz'] == 1 else 's'} in {result['tensor']}")
    host = sum(s["cycles"].get("host", 0) for s in report["statements"])
    verify = sum(s["cycles"].get("verify", 0) for s in report["statements"])
    lines.append(f"  time      {report['total_cycles']:,} cycles" + others(host, verify))
    return lines


def wrong_summary(report, text, explain):
    """Lines that the summary lacks, or has otherwise than the report."""
    printed = text.splitlines()
    wrong = []
    if "energy" in report and report["engine"] != "none" and energy_differs(report["energy"]["nj"], printed):
        wrong.append(f"no line 'energy' of the summary has {report['energy']['nj']}")
    if "program" in report:
        lines = lines_of_program(report) if report["engine"] != "none" else []
        return wrong + [f"the summary lacks '{line}'" for line in lines if line not in printed]
    expected = lines_of(report, explain)
    for label, tail in expected:
        if not any(line.startswith(f"  {label:9} ") and line.endswith(tail) for line in printed):
            wrong.append(f"no line '{label}' of the summary ends in '{tail}'")
    labels = [label for label, _ in expected]
    for label in COUNTED if "kernels" not in report else ():
        if sum(line.startswith(f"  {label:9} ") for line in printed) != labels.count(label):
            wrong.append(f"the summary has other lines '{label}' than the report")
    for head, tail in lines_of_kernels(report):
        if not any(line.startswith(head) and line.endswith(tail) for line in printed):
            wrong.append(f"no line '{head}' of the summary ends in '{tail}'")
    return wrong


def wrong_design(report, folder, since):
    """The words and cells of a kernel, by its files."""
    wrong, pairs, cells = [], [], sum(report["tiles"].values())
    bits, design, array = (folder / name for name in ("bitstream.bs", "netlist.json", "rtl/array.txt"))
    if bits.is_file():
        pairs = [line.split()[:2] for line in bits.read_text().splitlines() if line and line[0] != "#"]
        words = b"".join(int(word, 16).to_bytes(4, "little") for pair in pairs for word in pair)
        if len(words) != 8 * report["bitstream"]["words"] or (len(words) <= LARGEST and xxh64(words) != report["bitstream"]["xxh64"]):
            wrong.append(f"bitstream.bs has {len(pairs)} words")
    if design.is_file() and len(json.loads(design.read_text())["cells"]) != cells:
        wrong.append(f"netlist.json has other cells than {report['tiles']}")
    if array.is_file() and array.stat().st_mtime_ns >= since:
        lines = [line.split() for line in array.read_text().splitlines()]
        if sum(line[0] == "tile" for line in lines) != cells or [line[1:] for line in lines if line[0] == "word"] != pairs:
            wrong.append("rtl/array.txt has other tiles or words than the design")
    return wrong


def wrong_files(report, folder, since):
    """What the report says of files in its folder, and is otherwise; what the command made, and the report does not list."""
    wrong, files = [], report.get("files", {})
    for name, checksum in files.items():
        path = folder / name
        if not path.is_file():
            wrong.append(f"{name} is listed, and does not exist")
        elif path.stat().st_size <= LARGEST and xxh64(path.read_bytes()) != checksum:
            wrong.append(f"{name} has another checksum than the report says")
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_file() and path.stat().st_mtime_ns >= since and name not in files and name != "report.json" and not re.match(r"(.*/)?(rtl|firmware)/", name):
            wrong.append(f"{name} is not listed")
    if "bitstream" in report and "kernels" not in report and report["bitstream"]["words"]:
        wrong += wrong_design(report, folder, since)
    return wrong


def wrong_tensors(report):
    """What does not fit in the facts of operands and result."""
    wrong = []
    for t in report.get("tensors", []):
        room = math.prod(t["dims"])
        if room and abs(t["density"] * room - t["entries"]) > 1e-6 * t["entries"]:
            wrong.append(f"density of {t['tensor']}")
        if "bandwidth" in t and t["entries"] and not t["bandwidth"] < max(t["dims"]):
            wrong.append(f"bandwidth of {t['tensor']}")
        if "picture" in t:
            sides = [max(1, -(-d // 48)) for d in (t["dims"] if len(t["dims"]) > 1 else [1, *t["dims"]])[:2]]
            shape = [-(-d // side) for d, side in zip((t["dims"] if len(t["dims"]) > 1 else [1, *t["dims"]])[:2], sides)]
            places = math.prod(sides) * math.prod(t["dims"][2:])
            taken = [int(c, 36) for row in t["picture"] for c in row]
            least, most = (places * sum(max(0, d - by) for d in taken) / 35 for by in (1, 0))
            if [len(t["picture"]), len(t["picture"][0])] != shape or not (least <= t["entries"] <= most + 1e-6 * most):
                wrong.append(f"picture of {t['tensor']}")
    return wrong


def wrong_of(report, text, explain, folder, since):
    """Complaints about a command that has just made the report."""
    if not ("expression" in report or "program" in report) or "engine" not in report:
        return []
    found = wrong_summary(report, text, explain) if text else []
    return found + wrong_files(report, folder, since) + wrong_tensors(report)
