"""Which objects a build of another tree may take (objects.py): test_objects.py FOLDER"""
import json
import os
import pathlib
import shutil
import sys

import objects

# By file: its text here and there, further words of both compilers ({build}: the build folder), and whether its object is taken.
FILES = {
    "same.c": ("int a;", "int a;", "-I{tree} -O2", "-I{tree} -O1 -g0 -DNDEBUG", True),
    "text.c": ("int a;", "int b;", "", "", False),
    "includes.c": ('#include "same.h"', '#include "same.h"', "", "", True),
    "below.c": ('#include "room/uses.h"', '#include "room/uses.h"', "", "", False),
    "beside.c": ('  # include "room/beside.h"', '  # include "room/beside.h"', "", "", False),
    "unused.c": ("int a;", "int a;", '-DPLACE="{build}"', '-DPLACE="{build}"', True),
    "used.c": ("char *p = PLACE;", "char *p = PLACE;", '-DPLACE="{build}"', '-DPLACE="{build}"', False),
    "defined.c": ("int a = A;", "int a = A;", "-DA=1", "", False),
    "flag.c": ("int a;", "int a;", "-fPIC", "", False),
    "room.c": ("int a;", "int a;", "-I{build}/version", "-I{build}/version", True),
    "made.c": ('#include "made.h"', '#include "made.h"', "-I{build}/version", "-I{build}/version", False),
    "models.c": ('#include "made.h"', '#include "made.h"', "-isystem /models", "-isystem /models", True),
    "stale.c": ("int a;", "int a;", "", "", False),
    "missing.c": ("int a;", "int a;", "", "", False),
}
HEADERS = {"same.h": ("int s;", "int s;"), "room/uses.h": ('#include "other.h"', '#include "other.h"'), "other.h": ("int o;", "long o;"),
           "room/beside.h": ('#include "near.h"', '#include "near.h"'), "room/near.h": ("int n;", "long n;")}


def build(side, tree, folder):
    """Writes the tree of a side, 0 or 1, and its build folder with the commands and, on the first side, the objects."""
    commands = []
    for name, texts in {**{name: row[:2] for name, row in FILES.items()}, **HEADERS}.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(texts[side])
        os.utime(tree / name, (1000, 3000 if name == "stale.c" and side == 0 else 1000))
    for name, row in FILES.items():
        (folder / "room.dir").mkdir(parents=True, exist_ok=True)
        words = row[2 + side].format(tree=tree, build=folder)
        commands.append({"directory": str(folder), "file": str(tree / name), "command": f"cc -c1 {words} -o room.dir/{name}.o -c {tree / name}".replace('"', r'\"')})
        if side == 0 and name != "missing.c":
            (folder / "room.dir" / f"{name}.o").write_text(name)
            os.utime(folder / "room.dir" / f"{name}.o", (2000, 2000))
    (folder / "compile_commands.json").write_text(json.dumps(commands))


def main():
    work = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    here, there = work / "here", work / "there/tree"
    build(0, here, here / "build")
    build(1, there, work / "there/build")
    count = objects.take(here, here / "build", there, work / "there/build")
    taken = {path.name.removesuffix(".o") for path in (work / "there/build/room.dir").glob("*.o")}
    wanted = {name for name, row in FILES.items() if row[4]}
    for name in sorted(taken ^ wanted):
        print(f"{name}: {'taken' if name in taken else 'not taken'}")
    shutil.rmtree(work)
    print(f"{count} of {len(FILES)} objects are taken")
    return taken != wanted or count != len(wanted)


sys.exit(main())
