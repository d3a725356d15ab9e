"""The picture of README.md, drawn from what onyx and Graphviz make of one expression: picture.py ONYX PICTURE.svg check | write

`write` makes it anew. `check` compares the names in the picture with those of a picture made now: where Graphviz draws a node and
where a tile is placed may change, what stands in the picture may not. Without Graphviz a check is skipped (exit 77).
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

EXPRESSION = "x(i) = A(i,j) * b(j)"
A = {(0, 0): 2, (0, 3): 1, (1, 1): 4, (2, 0): 3, (2, 5): 2, (4, 2): 5, (4, 4): 1, (4, 6): 7, (5, 3): 6, (6, 1): 2, (6, 6): 3, (7, 7): 8}
B = {0: 1, 3: 5, 4: 2, 6: 1}
EDGE = 8  # of both
FILL = {"read": "#cfe3f5", "join": "#f5d6cc", "compute": "#f7e6b8", "write": "#d3ecd3"}
KIND = {"fiberlookup": "read", "arrayvals": "read", "repeat": "join", "repsiggen": "join", "intersect": "join", "crddrop": "join",
        "mul": "compute", "reduce": "compute", "fiberwrite": "write"}
TILE, GAP = 40, 22
SIDE = {0: (1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}  # of a switch box: east, south, west, north


def box(x, y, width, height, fill, lines, size):
    middle = y + height / 2 - (len(lines) - 1) * size * 0.6 + size * 0.35
    text = "".join(f'<text x="{x + width / 2:.0f}" y="{middle + i * size * 1.2:.0f}" font-size="{size}" text-anchor="middle">{escape(line)}</text>'
                   for i, line in enumerate(lines))
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="4" fill="{fill}" stroke="#66788a"/>{text}\n'


def graph(folder):
    """The SAM graph, placed by Graphviz: SVG, width, height, and the kind of each node by its id."""
    text, kinds, lines = (folder / "sam_hw.gv").read_text(), {}, ["digraph g {", "nodesep=0.25; ranksep=0.3; node [shape=box width=1.1 height=0.36 fixedsize=true]"]
    labels = {}
    for node, attributes in re.findall(r"^ *(\d+) \[(.*)\]$", text, re.M):
        label, kind = re.search(r'label="([^"]*)"', attributes)[1], re.search(r'\btype="(\w+)"', attributes)[1]
        short = {"FiberLookup": "scan", "FiberWrite": "write", "Array Vals:": "values", "RepeatSignalGenerator": "repeat for", "Repeat": "repeat", "CrdDrop": "drop empty", "Vals:": "values", "Reduce": "sum", "mul": "multiply"}
        label = label.split("\\n")[0]
        for long, other in short.items():
            label = label.replace(long, other)
        kinds[node], labels[node] = KIND[kind], label
        lines.append(f"{node};")
    lines += [f"{a} -> {b};" for a, b in dict.fromkeys(re.findall(r"^ *(\d+) -> (\d+) ", text, re.M))] + ["}"]
    plain = subprocess.run(["dot", "-Tplain"], input="\n".join(lines), capture_output=True, text=True, check=True).stdout
    svg, nodes, scale, height, width = "", "", 80, 0, 0
    for line in plain.splitlines():
        word = line.split()
        if word[0] == "graph":
            width, height = float(word[2]) * scale, float(word[3]) * scale
        elif word[0] == "node":
            x, y, w, h = (float(n) * scale for n in word[2:6])
            nodes += box(x - w / 2, height - y - h / 2, w, h, FILL[kinds[word[1]]], [labels[word[1]]], 11)
        elif word[0] == "edge":
            at = [float(n) * scale for n in word[4:4 + 2 * int(word[3])]]
            points = [f"{x:.1f} {height - y:.1f}" for x, y in zip(at[::2], at[1::2])]
            svg += f'<path d="M{points[0]}C{" ".join(points[1:])}" fill="none" stroke="#66788a" marker-end="url(#arrow)"/>\n'
    return svg + nodes, width, height, kinds


def array(folder, kinds):
    """The tiles in use with their neighbours, and the routes: SVG, width, height."""
    cells = json.loads((folder / "netlist.json").read_text())["cells"]
    site = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^(\w+)\t+(\d+)\t(\d+)\t", (folder / "design.place").read_text(), re.M)}
    nets = []
    for line in (folder / "design.route").read_text().splitlines():
        hop = re.match(r"SB \((\d+), (\d+), (\d+), (\d+), (\d+), \d+\)", line)
        if line.startswith("Net ID"):
            nets.append([])
        elif hop:
            nets[-1].append(tuple(int(n) for n in hop.groups()))
    xs = [x for x, _ in site.values()] + [h[1] for net in nets for h in net]
    ys = [y for _, y in site.values()] + [h[2] for net in nets for h in net]
    first, last, bottom = min(xs), max(xs), max(ys)
    pitch = TILE + GAP

    def corner(x, y):
        return (x - first) * pitch, y * pitch

    svg = ""
    for y in range(bottom + 1):
        for x in range(first, last + 1):
            left, top = corner(x, y)
            svg += f'<rect x="{left}" y="{top}" width="{TILE}" height="{TILE}" rx="4" fill="#f4f6f8" stroke="#d5dbe1"/>\n'
    for number, net in enumerate(nets):
        path = ""
        for track, x, y, side, out in net:
            if out:
                dx, dy = SIDE[side]
                left, top = corner(x, y)
                across = 4 + track * 3.4 + (TILE / 2 if side > 1 else 0)
                begin = (left + (TILE if dx > 0 else 0), top + across) if dx else (left + across, top + (TILE if dy > 0 else 0))
                path += f"M{begin[0]:.1f} {begin[1]:.1f}l{dx * GAP} {dy * GAP}"
        if path:
            svg += f'<path d="{path}" stroke="hsl({number * 47 % 360},60%,45%)" stroke-width="2" fill="none"/>\n'
    for cell in cells:
        x, y = site[cell["name"]]
        word = {"fiber_access": "memory", "io_in": "in", "io_out": "out"}.get(cell["mode"], cell["mode"])
        fill = FILL[kinds[cell["sam"]]] if cell.get("sam") in kinds else "#e6e0f0"
        svg += box(*corner(x, y), TILE, TILE, fill, [word], 9)
    return svg, (last - first + 1) * pitch - GAP, (bottom + 1) * pitch - GAP


def tensor(name, entries, columns):
    """Its entries as a table of numbers: SVG and width."""
    cell, svg = 21, f'<text x="0" y="-8" font-size="13" font-family="monospace">{name}</text>\n'
    for row in range(EDGE):
        for column in range(columns):
            value = entries.get((row, column))
            svg += f'<rect x="{column * cell}" y="{row * cell}" width="{cell}" height="{cell}" fill="{"#fff" if value is None else "#cfe3f5"}" stroke="#d5dbe1"/>'
            if value is not None:
                svg += f'<text x="{column * cell + cell / 2:.0f}" y="{row * cell + 15}" font-size="11" text-anchor="middle">{value:g}</text>'
        svg += "\n"
    return svg, columns * cell


def entries_of(path):
    """Of a vector's .mtx or .tns file."""
    lines = [line.split() for line in path.read_text().splitlines() if line[:1].isdigit()]
    return {(int(line[0]) - 1, 0): float(line[-1]) for line in lines[path.suffix == ".mtx":]}


def table(folder):
    """Operands and result: SVG."""
    x = entries_of(next(path for path in (folder / "x.mtx", folder / "x.tns") if path.exists()))
    svg, left = "", 0
    for name, entries, columns, after in (("x", x, 1, "="), ("A", A, EDGE, "\u00b7"), ("b", {(i, 0): v for i, v in B.items()}, 1, "")):
        made, width = tensor(name, entries, columns)
        svg += f'<g transform="translate({left},0)">{made}</g><text x="{left + width + 14}" y="{EDGE * 11}" font-size="18">{after}</text>\n'
        left += width + 40
    return svg


def picture(onyx, folder):
    (folder / "A.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n{EDGE} {EDGE} {len(A)}\n" + "".join(f"{i + 1} {j + 1} {v}\n" for (i, j), v in A.items()))
    (folder / "b.tns").write_text("".join(f"{i + 1} {v}\n" for i, v in B.items()))
    subprocess.run([onyx, "run", EXPRESSION, "-i", f"A:{folder / 'A.mtx'}", "-i", f"b:{folder / 'b.tns'}", "-d", f"j:{EDGE}", "--engine", "cycle", "--quiet", "-o", str(folder)], check=True)
    report = json.loads((folder / "report.json").read_text())
    left, left_width, left_height, kinds = graph(folder)
    right, right_width, right_height = array(folder, kinds)
    tiles = report["tiles"]
    top, middle = 92, max(left_width, 330) + 40
    below = top + right_height + 76
    width, height = middle + right_width + 40, max(top + left_height, below + EDGE * 21) + 24
    heads = [(20, 58, "1. The expression as a graph of streams"), (middle + 20, 58, "2. The graph on the array, placed and routed"),
             (middle + 20, below - 46, "3. What the array computed")]
    says = [(20, 76, "A box is a primitive; coordinates, positions and values flow."),
            (middle + 20, 76, f"{tiles['pe']} processing, {tiles['mem']} memory and {tiles['io']} edge tiles, {report['bitstream']['words']} configuration words"),
            (middle + 20, below - 30, "Only entries that are there are read; the result equals that of an independent reference.")]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" fill="#1d2733">',
           '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#66788a" stroke="none"/></marker></defs>',
           f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#fff"/>',
           f'<text x="20" y="34" font-size="20" font-family="monospace">{escape(EXPRESSION)}</text>']
    out += [f'<text x="{x:.0f}" y="{y:.0f}" font-size="14" font-weight="bold">{text}</text>' for x, y, text in heads]
    out += [f'<text x="{x:.0f}" y="{y:.0f}" font-size="11" fill="#5d6b7a">{text}</text>' for x, y, text in says]
    out += [f'<g transform="translate(20,{top})">', left + "</g>", f'<g transform="translate({middle + 20:.0f},{top})">', right + "</g>",
            f'<g transform="translate({middle + 20:.0f},{below})">', table(folder) + "</g>", "</svg>"]
    return "\n".join(out) + "\n"


def words(svg):
    return sorted(re.findall(r">([^<>\n]+)</text>", svg))


def main():
    onyx, path, action = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]), sys.argv[3]
    if not shutil.which("dot"):
        print("skipped: Graphviz is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        made = picture(onyx, pathlib.Path(folder))
    if action == "write":
        path.write_text(made)
    elif words(made) != words(path.read_text()):
        print(f"{path} does not show what onyx makes of {EXPRESSION} now; build target 'picture' renews it")
        return 1
    return 0


sys.exit(main())
