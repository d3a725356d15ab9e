"""The mechanisms that keep evidence honest, each on both sides of its rule: test_evidence.py SOURCE BUILD FOLDER. What they must refuse is made here:
an engine that calls the checker, a figure that differs, a slower row, a changed seed, trivial cases, a skipped test, a mode without a netlist or without use, a claim without its line."""
import contextlib
import io
import os
import pathlib
import subprocess
import sys

source, build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
sys.path.extend(str(source / "tests" / room) for room in ("", "bench", "docs", "claims", "house", "maturity"))
import claims  # noqa: E402
import count  # noqa: E402
import figures  # noqa: E402
import maturity  # noqa: E402
import quota  # noqa: E402
import ratchet  # noqa: E402
import seeds  # noqa: E402

folder.mkdir(parents=True, exist_ok=True)
wrong = []


def expect(what, got, want):
    if got != want:
        wrong.append(f"{what}: {got}, expected {want}")


def quietly(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        return function(*arguments), said.getvalue()


# 1. An object that calls the checker's functions; layers_checker looks at the libraries as they are.
made = folder / "engine"
made.with_suffix(".c").write_text("void tile_reference(void);\nvoid run(void) { tile_reference(); }\n")
made.with_suffix(".a").unlink(missing_ok=True)
subprocess.run(["cc", "-c", "-o", made.with_suffix(".o"), made.with_suffix(".c")], check=True)
subprocess.run(["ar", "rc", made.with_suffix(".a"), made.with_suffix(".o")], check=True)
done = subprocess.run([source / "tests/checker.sh", build, made.with_suffix(".a")], capture_output=True, text=True, check=False)
expect("checker.sh with an engine that calls the checker", (done.returncode, "engine calls the checker" in done.stdout), (1, True))

# 2. Figures of pages, and the ratchet of speed.
page = folder / "page"
page.mkdir(exist_ok=True)
(page / "README.md").write_text("a run takes 4,711 cycles, and a table has 1,024 words\n\n    5,555 of an example\n")
(page / "code.c").write_text("enum { WORDS = 1 << 10, MORE = 7 };\n")
tags, figures.HERE = figures.HERE, page
(page / "figures.txt").write_text("README.md: a table has {1,024} words\nsource code.c\nWORDS = {1 << 10}\n")
expect("figures without a row", figures.untagged(page), ["README.md:1: 4,711"])
expect("a constant", figures.constant(page, "source code.c", "WORDS = {1 << 10}"), 1024)
expect("two constants", figures.constant(page, "source code.c", "WORDS = {1 << 10} ... - MORE = {7}"), 1017)
expect("another constant", isinstance(figures.constant(page, "source code.c", "WORDS = {1 << 11}"), str), True)
for figure, code in (("1,024", 0), ("1,025", 1)):
    (page / "README.md").write_text(f"a table has {figure} words\n")
    (page / "figures.txt").write_text(f"README.md: a table has {{{figure}}} words\nsource code.c\nWORDS = {{1 << 10}}\n")
    sys.argv[1:] = [str(page), "onyx", str(folder)]
    expect(f"a page that says {figure}", int(quietly(figures.main)[0]), code)
(page / "figures.txt").write_text("README.md: a table has {1,024} words\nsource code.c\nWORDS = {1 << 10}\n")
expect("a page without the words", int(quietly(figures.main)[0]), 1)
figures.HERE = tags
limits = ratchet.kept("# rows\na | b | 1000\nslower c | d | 3000 | a reason of more than twenty letters\nc | d | 2000\nslower e | f | 900 | short\ne | f | 500\n")
for row, cycles, bad in ((("a", "b"), 1020, 0), (("a", "b"), 1021, 1), (("a", "b"), None, 1), (("c", "d"), 3060, 0), (("c", "d"), 3061, 1), (("e", "f"), 900, 1), (("x", "y"), 1, 1)):
    expect(f"{row} with {cycles} cycles", quietly(ratchet.judge, {row: cycles}, limits)[0], bad)

# 3. Seeds, and rates that chance does not explain.
old = "# rows\na 1 40 20 right=200/200\nb 2 9 3\n"
for new, names in ((old, []), (old.replace("b 2", "b 3"), ["b"]), (old.replace("b 2", "b 3") + "changed b other cases\n", []), (old.replace("200/200", "150/200"), ["a"]),
                   (old.replace("b 2 9 3\n", ""), ["b"]), (old.replace("b 2", "b 3") + "changed a other cases\n", ["b"]), (old + "c 3 1 1\n", [])):
    expect(f"rows of {new!r} without a reason", seeds.unnamed(old, new), names)
for said, bad in (("rate right: 40 of 40", False), ("rate right: 38 of 40", False), ("rate right: 30 of 40", True), ("", True)):
    expect(f"'{said}'", bool(quietly(seeds.too_few, {"right": (198, 200)}, said)[0]), bad)

# 4. Cases that are trivial or refused.
for cases, accepted, trivial, broken in ((200, 200, 40, False), (200, 200, 41, True), (200, 20, 0, False), (200, 19, 0, True), (10, 10, 5, False), (10, 10, 9, True)):
    shares = quota.Quota()
    for i in range(cases):
        shares.add(i < accepted, i < trivial)
    expect(f"{trivial} trivial of {accepted} of {cases}", quietly(shares.failed)[0], broken)
expect("trivial values", [quota.is_trivial(values) for values in ([], [3], [3, 3], [3, 0])], [True, True, True, False])

# 5. Maturity: a test counts where it ran, passed without a skipped case, and had the mode in a netlist.
tree = folder / "tree"
rows, log, table = tree / "tests/maturity", tree / "build/Testing/Temporary/LastTest.log", tree / "docs/notebook/maturity.md"
for path in (rows, log.parent, table.parent):
    path.mkdir(parents=True, exist_ok=True)
(tree / "parts.def").write_text("PART(ALU)\nPART(JOIN)\n")
PARTS = "table Parts\ncolumns kernels, fuzz\ncovers parts.def ^PART\\((\\w+)\nran kernels\nevery kernels = test_a test_b\nALU: fuzz = test_c\nJOIN:\n"
RUN = "1/3 Testing: test_a\nmodes: alu join\nTest Passed.\n2/3 Testing: test_b\nmodes: alu\nTest Passed.\n3/3 Testing: test_c\nTest Passed.\n"
kept, maturity.known_tests = maturity.known_tests, lambda build: {"test_a", "test_b", "test_c"}


FEATURES = "".join(f"| {n} | f | `h` | `test_a` |\n" for n in range(1, 65))


def matures(action, parts=PARTS, run=RUN, features=FEATURES):
    (rows / "evidence.txt").write_text(parts)
    (table.parent / "features.md").write_text(features)
    log.write_text(run)
    sys.argv[1:] = [str(tree), str(tree / "build"), action]
    return quietly(maturity.main)[0]


def cells():
    return [line for line in table.read_text().splitlines() if line.startswith(("| ALU", "| JOIN"))]


for run, want in ((RUN, ["| ALU | 2 of 2 | 1 of 1 |", "| JOIN | 1 of 1 |  |"]),
                  (RUN.replace("modes: alu join\n", "modes: alu join\n[  SKIPPED ] one\n"), ["| ALU | 1 of 2 | 1 of 1 |", "| JOIN | 0 of 1 |  |"]),
                  (RUN.replace("test_c\nTest Passed.", "test_c\nTest Skipped."), ["| ALU | 2 of 2 | 0 of 1 |", "| JOIN | 1 of 1 |  |"]),
                  (RUN.replace("test_c\nTest Passed.", "test_c\nTest Failed."), ["| ALU | 2 of 2 | 0 of 1 |", "| JOIN | 1 of 1 |  |"]),
                  (RUN[:RUN.index("3/3")], ["| ALU | 2 of 2 | 0 of 1 |", "| JOIN | 1 of 1 |  |"]),
                  (RUN.replace("modes: alu join", "modes: alu"), ["| ALU | 2 of 2 | 1 of 1 |", "| JOIN |  |  |"])):
    (rows / "modes.txt").write_text("")
    matures("write", run=run)
    expect(f"maturity of {run!r}", cells(), want)
(rows / "modes.txt").write_text("")
matures("write")
for what, bad, changed in (("all tests", 0, {}), ("a mode that no netlist had", 1, {"run": RUN.replace("modes: alu join", "modes: alu")}), ("an unknown test", 1, {"parts": PARTS.replace("test_c", "test_d")}),
                           ("a part without a row", 1, {"parts": PARTS.replace("JOIN:\n", "")}), ("a page that differs", 1, {"parts": PARTS.replace("fuzz = test_c", "fuzz = test_c test_a")}),
                           ("a feature without a test", 1, {"features": FEATURES.replace("`test_a`", "", 1)}), ("63 features", 1, {"features": FEATURES[:-1][:FEATURES[:-1].rindex("\n") + 1]}),
                           ("a feature of an unknown test", 1, {"features": FEATURES.replace("test_a", "test_e", 1)})):
    expect(f"maturity with {what}", matures("check", **changed), bad)
maturity.known_tests = kept

# 7. Modes that nobody uses: an option, a placeholder, words compared with an argument.
harness = tree / "tests/h.py"
harness.write_text('add_argument("--' + 'some")\nline.replace("{' + 'some}", x)\nif sys.argv[1] == "' + 'somehow":\n')
(tree / "tests/h.c").write_text('if (strcmp(argv[1], "some' + 'where") == 0)\n')
expect("modes without use", count.unused_modes(tree), [f"tests/h.c: {'some' + 'where'}", f"tests/h.py: --{'some'}", f"tests/h.py: {'some' + 'how'}", "tests/h.py: {" + "some}"])
(tree / "tests/list.txt").write_text("h.py --some {some}\nh.py somehow\nh somewhere\n")
expect("modes with a use", count.unused_modes(tree), [])
(tree / "tests/list.txt").unlink()

# 8. Claims: the page's words, the line, the test.
(page / "README.md").write_text("It is never\nan OR.\n")
kept, claims.HERE, claims.tests_of = claims.HERE, page, lambda build: {"test_a": {}}
good = "README.md: It is never an OR.\ncode.c: MORE = 7 => MORE = 8\ntest_a\n"
for row, code in ((good, False), (good.replace("an OR", "an AND"), True), (good.replace("MORE = 7 =>", "LESS = 7 =>"), True), (good.replace("\ntest_a", "\ntest_b"), True)):
    (page / "claims.txt").write_text(row)
    expect(row, quietly(claims.check, page, str(build))[0], code)
print("\n".join(wrong) or "each mechanism refuses")
sys.exit(bool(wrong) or not os.path.isdir(build))
