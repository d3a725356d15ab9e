"""What matrices take in each format: formats.py ONYX SOURCE MATRICES check | bytes | cycles | write

docs/notebook/formats.md: bytes of the stored matrix by format (`onyx tile convert`), and of what is loaded into the global buffer and array cycles
of SpMV on engine cycle. `check` compares the bytes only, which take a second; `bytes` writes these, `cycles` the second table, `write` runs all.
"""
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INT16 = ["--dtype", "int16"]
ONYX, SOURCE, MATRICES, ACTION = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
REAL = ["west0067", "ash219", "494_bus", "bcspwr06", "west0479"]
FORMATS = re.findall(r"^format (\w+) = \(i,j\)", (SOURCE / "formats/named.formats").read_text(), re.M)
HALVES = {"Triangular", "Symmetric", "Skew"}
AS_THEY_ARE = {"CSR", "CSC", "DCSR", "DCSC", "Dense", "DenseByColumn"}
# The choice for these depends on the matrix.
BY_THEMSELVES = HALVES | {"BCSR", "BCSC", "CSB", "DIA", "Diagonals", "BDIA", "RLE", "PackBits", "BlocksAndRows", "DiagonalsAndRows"}
FOLDER = Path(tempfile.mkdtemp())
PAGE = SOURCE / "docs/notebook/formats.md"


def made():
    """One matrix of each structure; random ones from a fixed seed."""
    r = random.Random(19)
    n = 256
    yield "banded", {(i, j) for i in range(n) for j in range(max(0, i - 2), min(n, i + 3))}
    half = {(i, j) for i in range(n) for j in range(i + 1) if r.random() < 0.02}
    yield "symmetric", half | {(j, i) for i, j in half}
    blocks = {(i, j) for i in range(n // 4) for j in range(n // 4) if r.random() < 0.05}
    yield "blocked", {(4 * i + y, 4 * j + x) for i, j in blocks for y in range(4) for x in range(4)}
    yield "power-law", {(min(n - 1, int(r.paretovariate(0.8)) - 1), r.randrange(n)) for _ in range(2500)}


def matrices():
    for name in REAL:
        yield name, MATRICES / f"{name}.mtx"
    for name, entries in made():
        path = FOLDER / f"{name}.mtx"
        path.write_text(f"%%MatrixMarket matrix coordinate integer general\n256 256 {len(entries)}\n" + "".join(
            f"{i + 1} {j + 1} {1 + (i + j) % 9}\n" for i, j in sorted(entries)))
        yield name, path


def stored(path, name):
    """What the command prints, or None where the format cannot hold the matrix."""
    got = subprocess.run([ONYX, "tile", "convert", path, "-f", name, "-o", FOLDER / "m.stored", "--dtype", "bf16"], capture_output=True,
                         text=True)
    if got.returncode:
        assert "E0364" in got.stderr, got.stderr
        return None
    first = got.stdout.splitlines()[0]
    return [int(x) for x in re.findall(r"\d+", first.split(":", 1)[1])]  # entries, values, bytes, metadata


def bytes_table():
    all_of = dict(matrices())
    lines = ["| format | " + " | ".join(all_of) + " |", "|" + "---|" * (len(all_of) + 1)]
    kept = {name: stored(path, "CSR") for name, path in all_of.items()}
    lines.append("| *entries* | " + " | ".join(str(kept[name][0]) for name in all_of) + " |")
    for name in FORMATS:
        cells = [stored(path, name) for path in all_of.values()]
        lines.append(f"| {name} | " + " | ".join(str(c[2]) if c else "" for c in cells) + " |")
    return "\n".join(lines) + "\n"


def spmv(name, path):
    """Bytes loaded into the global buffer and cycles of SpMV, the levels that the host re-packed the matrix as ("": it did not), whether anything
    else than edges and copies was chosen; None where the format cannot hold the matrix."""
    out = FOLDER / "out"
    got = subprocess.run([ONYX, "run", *INT16, "x(i) = B(i,j) * c(j)", "-f", f"B:{name}", "-i", f"B:{path}", "-g", "c:d", "--values", "ones", "--engine", "cycle",
                          "-o", out], capture_output=True, text=True)
    if got.returncode:
        assert "E0364" in got.stderr, got.stderr
        return None
    report = json.loads((out / "report.json").read_text())
    assert report["check"] == "pass"
    levels = re.search(r"takes \d+ bytes, as (\S+), which", got.stderr)
    return f"{2 * sum(k['tiling']['load_words'] for k in report.get('kernels', [report]) if 'tiling' in k)}, {report['cycles']['kernel']}", levels[1] if levels else ""


def cycles_table():
    """Formats that the host re-packs as the same levels share what these take."""
    all_of, taken = dict(matrices()), {}
    lines = ["| format | scanned as | " + " | ".join(f"{name}: bytes, cycles" for name in all_of) + " |", "|---" * (len(all_of) + 2) + "|"]
    for name in FORMATS:
        cells, scanned = [], set()
        levels = spmv(name, all_of["west0067"]) if name not in HALVES else None
        for matrix, path in all_of.items():
            key = (levels[1], matrix) if levels and levels[1] and name not in BY_THEMSELVES else (name, matrix)
            if key not in taken:
                taken[key] = spmv(name, path)
            cells.append(taken[key][0] if taken[key] else "")
            scanned |= {taken[key][1] or ("its levels" if name in AS_THEY_ARE else "along diagonals")} if taken[key] else set()
        lines.append(f"| {name} | {', '.join(sorted(scanned))} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def products_table():
    """The matrix times its transpose, compressed and in blocks."""
    lines = ["| matrix | compressed: bytes, cycles | BCSR: bytes, cycles | loops |", "|---|---|---|---|"]
    for name, path in matrices():
        cells = []
        for formats in ([], ["-f", "B:BCSR"]):
            out = FOLDER / "out"
            subprocess.run([ONYX, "run", *INT16, "X(i,j) = B(i,k) * B(j,k)", *formats, "-i", f"B:{path}", "--values", "ones", "--engine", "cycle", "-o",
                            out], check=True, capture_output=True)
            report = json.loads((out / "report.json").read_text())
            assert report["check"] == "pass"
            kernels = report.get("kernels", [report])
            cells.append(f"{2 * sum(k['tiling']['load_words'] for k in kernels)}, {report['cycles']['kernel']}")
        loops = "in blocks" if "in blocks" in report.get("chosen", "") else "re-packed"
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {loops} |")
    return "\n".join(lines) + "\n"


def diagonals_table():
    """A matrix of few diagonals times a dense vector: one product, one along each diagonal, and one of a band."""
    lines = ["| diagonals | `B(i,j) * c(j)` | one product each | a band |", "|---|---|---|---|"]
    r, n = random.Random(4), 4000
    for along in ((0,), (0, 1), (-1, 0, 1), (-2, -1, 0, 3), (-2, -1, 0, 1, 2), tuple(range(-8, 9))):
        path, cycles = FOLDER / "d.mtx", []
        entries = [(i, i + d) for i in range(n) for d in along if 0 <= i + d < n]
        path.write_text(f"%%MatrixMarket matrix coordinate integer general\n{n} {n} {len(entries)}\n" + "".join(
            f"{i + 1} {j + 1} {r.randint(1, 4)}\n" for i, j in entries))
        shifts = [f"i{d:+d}" if d else "i" for d in along]
        first = f"i+d{along[0]:+d}" if along[0] else "i+d"
        for text in ("B(i,j) * c(j)", " + ".join(f"B(i,{s}) * c({s})" for s in shifts), f"sum(d, B(i,{first}) * c({first}))"):
            out = FOLDER / "out"
            if text.count("+") > 30:
                cycles.append("")
                continue
            words = ["-d", f"d:{along[-1] - along[0] + 1}"] if "sum" in text else []
            subprocess.run([ONYX, "run", *INT16, f"x(i) = {text}", "-f", "B:DCSR" if "B(i,j)" in text else "B:dd", "-f", "c:d", "-i", f"B:{path}", "-g",
                            f"c:{n}:1", *words, "--engine", "cycle", "-o", out], check=True, capture_output=True)
            report = json.loads((out / "report.json").read_text())
            assert report["check"] == "pass"
            cycles.append(report["cycles"]["kernel"])
        name = ", ".join(map(str, along)) if len(along) < 9 else f"{along[0]} to {along[-1]}"
        lines.append(f"| {name} | " + " | ".join(map(str, cycles)) + " |")
    return "\n".join(lines) + "\n"


def located_table():
    """A band, beside a kernel that locates a vector at the diagonal's number: the same without what c(i+d) needs besides."""
    lines = ["| diagonals | engine | `B(i,i+d) * c(i+d)`: bytes, cycles | `B(i,d) * c(d)`, located: bytes, cycles |", "|---" * 4 + "|"]
    n = 4000
    for width in (3, 5, 17):
        r, half, edges = random.Random(4), width // 2, f"i:{min(250, 1000 // width // 2 * 2)},d:{width}"
        entries = [(i, i + d) for i in range(n) for d in range(-half, half + 1) if 0 <= i + d < n]
        for name, columns, move in (("d.mtx", n, lambda i, j: j), ("b.mtx", width, lambda i, j: j - i + half)):
            (FOLDER / name).write_text(f"%%MatrixMarket matrix coordinate integer general\n{n} {columns} {len(entries)}\n" + "".join(
                f"{i + 1} {move(i, j) + 1} {r.randint(1, 4)}\n" for i, j in entries))
        for engine in ("cycle", "soc"):
            cells = []
            for words in ((f"x(i) = sum(d, B(i,i+d-{half}) * c(i+d-{half}))", "-i", f"B:{FOLDER / 'd.mtx'}", "-g", f"c:{n}:1", "-d", f"d:{width}"),
                          ("x(i) = B(i,d) * c(d)", "-i", f"B:{FOLDER / 'b.mtx'}", "-g", f"c:{width}:1")):
                out = FOLDER / "out"
                subprocess.run([ONYX, "run", *INT16, *words, "-f", "B:dd", "-f", "c:d", "--tile", edges, "--engine", engine, "-o", out], check=True,
                               capture_output=True)
                report = json.loads((out / "report.json").read_text())
                assert report["check"] == "pass"
                cells.append(f"{2 * report['tiling']['load_words']}, {report['cycles']['total']}")
            lines.append(f"| {width} | `{engine}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def long_rows(n, r):
    """Rows of which the k-th has a share of 1 / (k + 200), in any order."""
    place = r.sample(range(n), n)
    return {(place[k], r.randrange(n)) for k in r.choices(range(n), [1 / (k + 200) for k in range(n)], k=10 * n)}


def lanes_table():
    """Entries of the fullest bank over those of one on average: rows in turn, and each to the one with least."""
    counts = (16, 256, 512, 1024)
    lines = ["| matrix | " + " | ".join(f"{n} banks: in turn, by load" for n in counts) + " |", "|---" * 5 + "|"]
    (FOLDER / "lanes.formats").write_text("".join(f"format {name}{n} = (i,j) -> ({bank}, i, j) levels(dense, compressed, compressed)\n"
                                                  for n in counts for name, bank in (("Turn", f"i mod {n}"), ("Load", f"schedule(i, {n})"))))
    path, n = FOLDER / "long.mtx", 20000
    entries = sorted(long_rows(n, random.Random(5)))
    path.write_text(f"%%MatrixMarket matrix coordinate pattern general\n{n} {n} {len(entries)}\n" + "".join(
        f"{i + 1} {j + 1}\n" for i, j in entries))
    for name, file in (*((name, MATRICES / f"{name}.mtx") for name in ("494_bus", "bcspwr06")), (f"power-law of {n:,} rows", path)):
        cells = []
        for lanes in counts:
            most = []
            for kind in ("Turn", "Load"):
                got = subprocess.run([ONYX, "tile", "convert", file, "-f", f"{kind}{lanes}", "--formats", FOLDER / "lanes.formats", "--dtype",
                                      "bf16", "-o", FOLDER / "m.stored"], check=True, capture_output=True, text=True).stdout
                fullest, mean = re.search(r"banks, of (\d+) entries at most and ([\d.]+) on average", got).groups()
                most.append(f"{int(fullest) / float(mean):.2f}")
            assert float(most[0]) >= float(most[1]), (name, lanes, most)
            cells.append(", ".join(most))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def copies_table():
    """Three copies of SpMV, by their sharing of the work."""
    ways = [("inorder", "DCSR"), ("sorted", "DCSR"), ("banks", "Turn"), ("banks", "Load")]
    lines = ["| matrix | `inorder` | `sorted` | `banks`, rows in turn: cycles, load | `banks`, by load: cycles, load |", "|---" * 5 + "|"]
    (FOLDER / "copies.formats").write_text("".join(f"format {name} = (i,j) -> ({bank}, i, j) levels(dense, compressed, compressed)\n"
                                                   for name, bank in (("Turn", "i mod 3"), ("Load", "schedule(i, 3)"))))
    for name, path in matrices():
        cells = []
        for how, form in ways:
            out = FOLDER / "out"
            subprocess.run([ONYX, "run", *INT16, "x(i) = B(i,j) * c(j)", "-f", f"B:{form}", "--formats", FOLDER / "copies.formats", "-i", f"B:{path}", "-g",
                            "c:d", "--values", "ones", "--tile", "32", "--unroll", "3", "--dispatch", how, "--engine", "cycle", "-o", out],
                           check=True, capture_output=True)
            report = json.loads((out / "report.json").read_text())
            assert report["check"] == "pass"
            d, cycles = report["dispatch"], str(report["cycles"]["kernel"])
            cells.append(cycles + (f", {d['entries_most'] / d['entries_mean']:.2f}" if how == "banks" else ""))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def put(text, name, made):
    pattern = rf"(<!-- made by tests/bench/formats\.py: {name} -->\n\n).*?(\n<!-- end -->)"
    new, count = re.subn(pattern, lambda m: m[1] + made + m[2], text, flags=re.S)
    assert count == 1, name
    return new


if not MATRICES.is_dir():
    sys.exit(77)
old = text = PAGE.read_text()
text = put(text, "bytes", bytes_table())
if ACTION == "bytes":
    PAGE.write_text(text)
if ACTION in ("cycles", "write"):
    text = put(text, "cycles", cycles_table())
    PAGE.write_text(text)
if ACTION == "write":
    text = put(text, "products", products_table())
    text = put(text, "diagonals", diagonals_table())
    text = put(text, "located", located_table())
    text = put(text, "lanes", lanes_table())
    text = put(text, "copies", copies_table())
    PAGE.write_text(text)
subprocess.run(["rm", "-r", str(FOLDER)], check=True)
if text != old and ACTION == "check":
    sys.exit(f"{PAGE} has other bytes than onyx tile convert says: formats.py ... write")
