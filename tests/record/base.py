#!/usr/bin/env python3
"""Holds what the program does against the commit that base.txt names.

    base.py check BUILD FOLDER [--all] [--only REGEX] [--jobs N] [--lines N]
    base.py move [COMMIT]

`check` takes the tree of that commit from git's history, builds its commands and test programs in FOLDER, and records the units of
quick.txt (with --all every unit) twice: the tests of the commit on its own programs, and the same tests on those of BUILD. Prints every
difference; exit code 1 if base.txt does not announce one, 77 where there is no history. Sources of the program that are the commit's own
need no comparison. `move` names another commit (by default HEAD) and drops what was announced since the last one.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import ctest_units
import objects
import record

HERE = pathlib.Path(__file__).resolve().parent
SOURCE, FILE = HERE.parents[1], HERE / "base.txt"
PROGRAMS = ("onyx", "onyx-cosim", "onyx-array")
HEAD = """# The commit that behaviour is held against (base.py), and the differences from it that are meant. A line has five fields, " :: " between them:
#   UNIT :: COMMAND :: PART :: LINES :: REASON
# four regular expressions (of the unit's name, of the command, of "stdout", "exit", "texts" or "file PATH", and of every line that differs)
# and a sentence that says why they may differ. LINES like "." that match every line are for one PART alone.
"""


def git(*arguments):
    return subprocess.run(["git", "-C", str(SOURCE), *arguments], capture_output=True, text=True, check=False)


def commit_of_base():
    return re.search(r"^commit ([0-9a-f]{40})$", FILE.read_text(), re.M)[1]


def rooms():
    """The sources of the program: every folder except tests and pages, and the build files."""
    folders = git("ls-tree", "-d", "--name-only", "HEAD").stdout.split()
    return ["CMakeLists.txt", *(folder for folder in folders if folder not in ("tests", "docs") and not folder.startswith("."))]


def unchanged(commit, *paths):
    """Whether the files are those of the commit, in the working tree, too."""
    others = git("ls-files", "--others", "--exclude-standard", "--", *paths).stdout
    return git("diff", "--quiet", commit, "--", *paths).returncode == 0 and not others


def check_out(commit, folder):
    """The commit's tree in folder/tree, with the shared data placed beside it as here. Trees of other commits are
    removed."""
    for other in folder.parent.iterdir() if folder.parent.is_dir() else ():
        if other != folder:
            shutil.rmtree(other)
    if (folder / "tree.done").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "shared").symlink_to(SOURCE.parent / "shared")
    with subprocess.Popen(["git", "-C", str(SOURCE), "archive", commit], stdout=subprocess.PIPE) as archive:
        with tarfile.open(fileobj=archive.stdout, mode="r|") as tar:
            tar.extractall(folder / "tree")
    (folder / "tree.done").touch()


def run(words, log):
    with open(log, "a", encoding="utf-8") as out:
        if subprocess.run(list(map(str, words)), stdout=out, stderr=subprocess.STDOUT, check=False).returncode:
            sys.exit(f"{' '.join(map(str, words))} fails:\n" + "\n".join(log.read_text().splitlines()[-40:]))


def build_base(commit, build, folder, targets, jobs):
    """Builds the targets with little optimisation. Objects of BUILD that would compile the same are taken, by Make also the verilated models
    where the RTL has not changed."""
    made, log = folder / "build", folder / "build.log"
    cache = (build / "CMakeCache.txt").read_text()
    kept = [f"-D{name}={value}" for name, value in re.findall(r"^(CMAKE_(?:C|CXX)_COMPILER|CMAKE_EXE_LINKER_FLAGS)(?::\w+)=(.*)$", cache, re.M)]
    if unchanged(commit, "rtl_models/rtl", "rtl_models/verilate.cmake", "rtl_models/soc/CMakeLists.txt"):
        kept.append(f"-DONYX_MODELS_DIR={build}/models")
    flags = [f"-DCMAKE_{language}_FLAGS_DEBUG=-O1 -g0" for language in ("C", "CXX")]
    run(["cmake", "-G", "Unix Makefiles", "-S", folder / "tree", "-B", made, "-DCMAKE_BUILD_TYPE=Debug", *flags, *kept], log)
    print(f"{objects.take(SOURCE, build, folder / 'tree', made)} objects are those of {build.name}", flush=True)
    there = subprocess.run(["cmake", "--build", made, "--target", "help"], capture_output=True, text=True, check=True).stdout
    wanted = [target for target in targets if f"... {target}\n" in there]
    run(["cmake", "--build", made, "--parallel", str(jobs), "--target", *wanted], log)
    return made


def check(arguments):
    commit, announced = commit_of_base(), record.read_exceptions(FILE)
    if git("cat-file", "-e", f"{commit}^{{commit}}").returncode:
        print(f"skipped: git's history is not here, or lacks {commit}")
        return 77
    if unchanged(commit, *rooms()) and not arguments.all:
        print(f"the program's sources are those of {commit[:12]}")
        return 0
    folder = arguments.folder.resolve() / commit[:12]
    check_out(commit, folder)
    quick = record.quick_units()
    targets = [*PROGRAMS, "firmware_objects", *sorted({target for wanted in quick.values() for target in wanted})]
    made = build_base(commit, arguments.build.resolve(), folder, targets, arguments.jobs)
    arguments.source, arguments.engines, arguments.quick = folder / "tree", ",".join(record.ENGINES), not arguments.all
    units = record.chosen(arguments, made)
    for unit in units:
        if isinstance(unit, ctest_units.Unit) and not unit.words(arguments.build.resolve()):
            print(f"{unit.name}: left out, since a program of it is not built")
    for name, onyx in (("base", made / "onyx"), ("now", arguments.build / "onyx")):
        record.record(units, onyx, folder / "tree", folder / f"{name}.record", arguments.jobs, quiet=True)
    return 1 if record.compare(folder / "base.record", folder / "now.record", announced, arguments.lines) else 0


def move(arguments):
    commit = git("rev-parse", "--verify", f"{arguments.commit}^{{commit}}").stdout.strip()
    if not commit:
        sys.exit(f"base: there is no commit '{arguments.commit}'")
    FILE.write_text(f"{HEAD}commit {commit}\n")
    print(f"behaviour is held against {commit}; nothing is announced")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("check")
    one.add_argument("build", type=pathlib.Path)
    one.add_argument("folder", type=pathlib.Path)
    one.add_argument("--all", action="store_true", help="every unit, which takes half an hour")
    one.add_argument("--only", help="units whose name has a match")
    one.add_argument("--jobs", type=int, default=1)
    one.add_argument("--lines", type=int, default=12, help="lines shown of each difference")
    other = commands.add_parser("move")
    other.add_argument("commit", nargs="?", default="HEAD")
    arguments = parser.parse_args()
    return check(arguments) if arguments.command == "check" else move(arguments)


if __name__ == "__main__":
    sys.exit(main())
