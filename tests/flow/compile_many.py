"""Compiles many files with the same options: compile_many.py OBJECTS COMPILER OPTION... -- FILE...

The object of a/b.c is OBJECTS/a_b.c.o. clang takes three quarters of its time to start, and its inner program, with the options that
clang prints for a file, takes many files at once: the objects are the same but for the names of their files."""
import os
import shlex
import subprocess
import sys
import tempfile


def inner_command(command, file, folder):
    """The words of clang's inner program for the file, without its names; None for a compiler of another kind."""
    said = subprocess.run([*command, "-c", file, "-o", "object", "-###"], cwd=folder, capture_output=True, text=True, check=False).stderr
    line = next((line for line in said.splitlines() if '"-cc1"' in line), None)
    if line is None:
        return None
    words = shlex.split(line)[:-1]
    for name in "-main-file-name", "-o":
        at = words.index(name)
        del words[at:at + 2]
    return words


def compile_many(command, files, objects, folder="."):
    """Compiles the files, as seen from the folder, by the command; objects: their paths."""
    inner = inner_command(command, files[0], folder)
    if inner is None:
        for file, made in zip(files, objects):
            subprocess.run([*command, "-c", file, "-o", made], check=True, cwd=folder)
        return
    with tempfile.TemporaryDirectory() as work:
        # The inner program names an object after its file, and looks for headers in the folder of the name.
        names = [f"{work}/{number}{os.path.splitext(file)[1]}" for number, file in enumerate(files)]
        for name, file in zip(names, files):
            os.symlink(os.path.abspath(os.path.join(folder, file)), name)
        beside = [word for place in sorted({os.path.dirname(file) or "." for file in files}) for word in ("-iquote", place)]
        subprocess.run([*inner[:2], *beside, *inner[2:], *names], check=True, cwd=folder)
        for name, made in zip(names, objects):
            os.replace(os.path.splitext(name)[0] + ".o", made)


def main():
    out, *words = sys.argv[1:]
    at = words.index("--")
    files = words[at + 1:]
    compile_many(words[:at], files, [f"{out}/{file.replace('/', '_')}.o" for file in files])


if __name__ == "__main__":
    main()
