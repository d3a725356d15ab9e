"""Whether coverage.py counts right, on a room of two programs: test_coverage.py COVERAGE.py FOLDER"""

import pathlib
import shutil
import subprocess
import sys

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
(folder / "room").mkdir(parents=True)
(folder / "tests").mkdir()
(folder / "build/made").mkdir(parents=True)
(folder / "room/both.c").write_text("""int both(int n);
int both(int n) {
    if (n == 1)
        return 10;
    if (n == 2)
        return 20;
    return 30;
}
""")
(folder / "room/never.c").write_text("int never(void);\nint never(void) {\n    return 0;\n}\n")
for n in (1, 2):
    (folder / f"tests/main{n}.c").write_text(f"int both(int n);\nint main(void) {{\n    return both({n}) != {10 * n};\n}}\n")
build = folder / "build"
made = build / "made"  # where objects are compiled is not where they are counted
for n in (1, 2):
    sources = ["../../room/both.c", f"../../tests/main{n}.c", *(["../../room/never.c"] if n == 1 else [])]
    for source in sources:
        subprocess.run(["gcc", "--coverage", "-c", source, "-o", f"{n}{pathlib.Path(source).stem}.o"], cwd=made, check=True)
    objects = [f"{n}{pathlib.Path(source).stem}.o" for source in sources if "never" not in source]
    subprocess.run(["gcc", "--coverage", *objects, "-o", f"main{n}"], cwd=made, check=True)
    subprocess.run([f"./main{n}"], cwd=made, check=True)


def said(*more):
    return subprocess.run([sys.executable, program, folder, build, *more], stdout=subprocess.PIPE, text=True, check=False)


rooms = said().stdout.splitlines()
assert rooms[1].split() == ["room/", "8", "5", "62.5", "%"], rooms  # tests/ is no room
assert rooms[2].split()[0] == "all" and len(rooms) == 3, rooms
files = said("room").stdout.splitlines()
assert files[1].split()[:3] == ["room/both.c", "6", "5"] and files[2].strip() == "7", files
assert files[3].split()[:3] == ["room/never.c", "2", "0"] and files[4].strip() == "2-3", files
for note in made.glob("*.gcno"):
    note.unlink()
assert said().returncode == 1, "nothing to count"
