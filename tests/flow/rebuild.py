"""Compiles the onyx command again, otherwise: rebuild.py BUILD OUT COMPILER OPTION...

Sources, definitions and libraries are those of the build in BUILD (compile_commands.json and the linker's command); its
optimisation is left out. Archives whose sources are not the house's own are linked as they are."""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

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


objects = tempfile.mkdtemp()


def compile_one(numbered):
    number, command = numbered
    words = shlex.split(command["command"])
    words = words[next(i for i, word in enumerate(words) if word.startswith("-")) : words.index("-o")]
    words = [word for word in words if not re.match(r"-O|-g|-DNDEBUG|-W", word)]
    name = f"{objects}/{number}.o"
    subprocess.run([compiler, *options, *words, "-c", command["file"], "-o", name], check=True, cwd=command["directory"])
    return name


archives = [word for word in link if word.endswith(".a") and "libonyx_" in word]
own = {re.search(r"lib(onyx_\w+)\.a", word)[1] for word in archives} - {"onyx_fst"} | {"onyx"}
chosen = [command for command in commands if target(command) in own]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    made = list(pool.map(compile_one, enumerate(chosen)))
libraries = [word for word in link if (word.endswith((".a", ".so")) or word.startswith("-l")) and "libonyx_" not in word]
kept = [word for word in archives if "onyx_fst" in word]
subprocess.run([compiler, *made, *kept, *libraries, "-lpthread", "-o", os.path.realpath(out)], check=True, cwd=link_folder)
subprocess.run(["rm", "-r", objects], check=True)
