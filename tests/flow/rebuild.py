"""Compiles the onyx command again, otherwise: rebuild.py BUILD OUT COMPILER OPTION...

Sources, definitions and libraries are those of the build in BUILD (compile_commands.json and the linker's command); its
optimisation is left out. Archives whose sources are not the house's own are linked as they are."""
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import compile_many

build, out, compiler, options = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
    commands = json.load(file)
# Make has the linker's command in a file, to be run in the folder of the target; Ninja prints it, between empty commands.
make = f"{build}/cli/CMakeFiles/onyx.dir/link.txt"
if os.path.exists(make):
    with open(make, encoding="utf-8") as file:
        link, link_folder = shlex.split(file.read()), f"{build}/cli"
else:
    said = subprocess.run(["ninja", "-C", build, "-t", "commands", "onyx"], check=True, capture_output=True, text=True).stdout
    link, link_folder = shlex.split(said.splitlines()[-1]), build


def target(command):
    found = re.search(r"CMakeFiles/(\w+)\.dir/", command["command"])
    return found[1] if found else ""


def words_of(command):
    words = shlex.split(command["command"])
    words = words[next(i for i, word in enumerate(words) if word.startswith("-")) : words.index("-o")]
    return tuple(word for word in words if not re.match(r"-O|-g|-DNDEBUG|-W", word))


archives = [word for word in link if word.endswith(".a") and "libonyx_" in word]
own = {re.search(r"lib(onyx_\w+)\.a", word)[1] for word in archives} - {"onyx_fst"} | {"onyx"}
chosen = [command for command in commands if target(command) in own]
objects = tempfile.mkdtemp()
groups = collections.defaultdict(list)  # of files that are compiled in a folder with the same words
for command in chosen:
    groups[command["directory"], words_of(command)].append(command["file"])
made = []


def compile_group(folder, words, files):
    paths = [f"{objects}/{len(made) + number}.o" for number in range(len(files))]
    made.extend(paths)
    return lambda: compile_many.compile_many([compiler, *options, *words], files, paths, folder)


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    list(pool.map(lambda job: job(), [compile_group(*group, files) for group, files in groups.items()]))
libraries = [word for word in link if (word.endswith((".a", ".so")) or word.startswith("-l")) and "libonyx_" not in word]
kept = [word for word in archives if "onyx_fst" in word]
subprocess.run([compiler, *made, *kept, *libraries, "-lpthread", "-o", os.path.realpath(out)], check=True, cwd=link_folder)
subprocess.run(["rm", "-r", objects], check=True)
