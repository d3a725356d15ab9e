"""The gallery of the site: gallery.py SOURCE ONYX TARGET [ITEMS]

Runs each example program and ten kernels on engine cycle, and writes TARGET/gallery.md with a command, its figures and three pictures of
each: the SAM graph (by Graphviz, where it is installed), the array with its routes, and a chart of the cycles."""
import html
import json
import pathlib
import shutil
import subprocess
import sys

KARATE = "tests/data/karate.mtx"
KERNELS = [
    ("SpMV", ["y(i) = A(i,j) * x(j)", "-i", f"A:{KARATE}", "-g", "x:34:0.5:1"]),
    ("SpM*SpM", ["X(i,j) = B(i,k) * C(k,j)", "-f", "C:ss:1,0", "-i", f"B:{KARATE}", "-i", f"C:{KARATE}"]),
    ("SDDMM", ["X(i,j) = B(i,j) * C(i,k) * D(j,k)", "-i", f"B:{KARATE}", "-g", "C:34x8:1:1", "-g", "D:34x8:1:2"]),
    ("Inner product", ["x = B(i,j) * C(i,j)", "-g", "B:40x40:0.2:1", "-g", "C:40x40:0.2:2"]),
    ("TTV", ["X(i,j) = B(i,j,k) * c(k)", "-g", "B:12x12x12:0.1:1", "-g", "c:12:0.5:2"]),
    ("MTTKRP", ["X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", "-g", "B:12x12x12:0.1:1", "-g", "C:8x12:1:2", "-g", "D:8x12:1:3"]),
    ("Residual", ["x(i) = b(i) - C(i,j) * d(j)", "-g", "b:34:0.5:1", "-i", f"C:{KARATE}", "-g", "d:34:0.5:2"]),
    ("Sum of matrices", ["X(i,j) = B(i,j) + C(i,j)", "-g", "B:40x40:0.1:1", "-g", "C:40x40:0.1:2"]),
    ("Shortest step", ["y(i) = A(i,j) * x(j)", "--semiring", "min_plus", "-i", f"A:{KARATE}", "-g", "x:34:0.5:1"]),
    ("Attention", ["Y(i,k) = softmax(j, M(i,j) * Q(i,d) * K(j,d)) * V(j,k)", "--functions", "library", "--dtype", "bf16", "-g", "M:16x16:0.3:1",
                   "-g", "Q:16x8:1:3", "-g", "K:16x8:1:4", "-g", "V:16x5:0.9:2"]),
]
OPTIONS = {"attention.onx": ["--functions", "library", "--dtype", "bf16"], "gradients.onx": ["--dtype", "bf16"], "als.onx": ["--dtype", "bf16"]}
BAR, LEFT, WIDTH = 22, 400, 860


def programs(source):
    for path in sorted((source / "examples").glob("*.onx")):
        yield path.stem, [f"examples/{path.name}", *OPTIONS.get(path.name, [])]


def shell(words):
    return " ".join(f'"{word}"' if any(c in word for c in " ()*") else word for word in words)


def chart(rows, unit):
    """Bars as SVG: (label, number) each, longest first."""
    most, lines = max([number for _, number in rows] or [1]) or 1, []
    for n, (label, number) in enumerate(rows):
        y, length = n * BAR, (WIDTH - LEFT - 90) * number / most
        lines.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{html.escape(label)}</text>'
                     f'<rect x="{LEFT}" y="{y + 3}" width="{length:.1f}" height="{BAR - 6}" fill="#3b7dd8"/>'
                     f'<text x="{LEFT + length + 5:.1f}" y="{y + 15}">{number:,}</text>')
    height = BAR * len(rows) + 22
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" font-family="sans-serif" font-size="12">'
            + "".join(lines) + f'<text x="{LEFT}" y="{height - 6}" fill="#666">{unit}</text></svg>\n')


def bars_of(report):
    """What a chart shows: cycles by statement of a program, else the waiting of the worst producers, else cycles by kernel."""
    if "statements" in report:
        rows = [(s["statement"][:38], s.get("cycles", {}).get("total", 0)) for s in report["statements"]]
        return [row for row in rows if row[1]], "cycles of the array, by statement"
    if report.get("kernels"):
        return [(k["tensor"], k.get("cycles", {}).get("total", 0)) for k in report["kernels"]], "cycles of the array, by kernel"
    waits = [(f"{s['from']} to {s['to']}", s["stalled"] + s["held"]) for s in report.get("stalls", [])]
    return waits[:8], "cycles that a producer waited, the longest first"


def folder_with(out, name):
    """The folder of the first kernel with the file."""
    return next((path.parent for path in [out / name, *sorted(out.glob(f"*/{name}"))] if path.is_file()), None)


def pictures(onyx, out, target, key, report):
    """The names of the successful pictures, with their titles."""
    made, where = [], folder_with(out, "sam.gv")
    if where and shutil.which("dot"):
        done = subprocess.run(["dot", "-Tsvg", where / "sam.gv", "-o", target / f"{key}_graph.svg"], check=False, stderr=subprocess.DEVNULL)
        made += [("graph", f"{key}_graph.svg")] if done.returncode == 0 else []
    where = folder_with(out, "design.route")
    if where:
        route = [onyx, "sta", where / "design.packed", "--place", where / "design.place", "--route", where / "design.route",
                 "--svg", target / f"{key}_array.svg", "--quiet"]
        done = subprocess.run(route, check=False, stdout=subprocess.DEVNULL)
        made += [("array", f"{key}_array.svg")] if (target / f"{key}_array.svg").is_file() and done.returncode == 0 else []
    rows, unit = bars_of(report)
    if rows:
        (target / f"{key}_chart.svg").write_text(chart(rows, unit))
        made.append(("chart", f"{key}_chart.svg"))
    return made


def item(source, onyx, target, title, words):
    key = "".join(c if c.isalnum() else "_" for c in title.lower())
    out = target.parent / "gallery" / key
    command = ["run", *words, "--engine", "cycle", "-o", str(out)]
    done = subprocess.run([onyx, *command, "--quiet"], cwd=source, check=False)
    if done.returncode:
        sys.exit(f"gallery.py: {shell(command)}: exit code {done.returncode}")
    report = json.loads((out / "report.json").read_text())
    cycles = report.get("total_cycles") or report["cycles"]["total"]
    lines = [f"## {title}", "", "```console", f"$ onyx {shell([*command[:-1], 'out'])}", "```", "", f"{cycles:,} cycles of the array, check: {report['check']}.", ""]
    for kind, name in pictures(onyx, out, target / "gallery", key, report):
        lines += ["```{figure} gallery/" + name, f":alt: {kind} of {title}", ":class: gallery", "", f"The {kind}.", "```", ""]
    return "\n".join(lines)


def main():
    source, onyx, target = (pathlib.Path(argument) for argument in sys.argv[1:4])
    items = [*KERNELS, *programs(source)][:int(sys.argv[4]) if sys.argv[4:] else None]
    (target / "gallery").mkdir(exist_ok=True)
    (target.parent / "gallery").mkdir(exist_ok=True)
    head = ("# Gallery\n\nTen kernels and the example programs: a command each, with the SAM graph (of a program or several kernels the first one's), "
            "the array with\nits routes, and a chart. For people who want to see what onyx does. Cycles are of engine `cycle`, when the site was built.\n\n")
    (target / "gallery.md").write_text(head + "\n".join(item(source, onyx, target, title, words) for title, words in items))


if __name__ == "__main__":
    main()
