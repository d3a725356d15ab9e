"""Dense programs on engine soc, by their own register writes, or rtl, against engine cycle: every word, the first and
the last cycle of each stream, and the gold words. Programs without data get those of another program's lane, or words
at random. chip_engine.py ONYX ENGINE FOLDER PROGRAMS [NAME..]; exit code 77 without the folder of programs."""

import glob
import gzip
import json
import os
import random
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from quota import Quota, is_trivial

OF_ANOTHER = {"gaussian2": "gaussian_619", "gaussian_unroll": "gaussian_619", "pointwise_gops_unroll": "pointwise_gops",
              "pointwise_gops2_unroll": "pointwise_gops", "pointwise_gops2_unroll_pd": "pointwise_gops"}
WORDS_AT_RANDOM = 4096  # of each tile of the global buffer
# Their writes do not send the words of configuration beyond tile 0, or are of another number of words.
OTHER_LOADING = {"conv_1_2", "conv_3_3", "gaussian_unroll", "pointwise_gops_unroll"}


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path) as f:
        return json.load(f)


def run(onyx, program, engine, folder):
    out = os.path.join(folder, engine)
    shutil.rmtree(out, ignore_errors=True)  # words of an earlier program
    done = subprocess.run([onyx, "run", program, "--engine", engine, "-o", out, "--json", "--hazards", "off"],
                          capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{program} on {engine}: exit code {done.returncode}\n{done.stderr}")
    words = {name: open(name, "rb").read() for name in sorted(glob.glob(out + "/x*.raw"))}
    return json.loads(done.stdout), {os.path.basename(name): w for name, w in words.items()}, done


def lanes(onyx, program, folder):
    """Tiles of the global buffer of the loads and stores of a program without register writes."""
    streams = run(onyx, program, "cycle", folder)[0]["streams"]
    return [[s["column"] // 2 for s in streams if s["direction"] == way] for way in ("load", "store")]


def dealt(words, phases, tiles):
    """Words for these tiles, word by word: those of tile i are the words of phase i modulo `phases`."""
    each = [words[i % phases::phases] for i in range(len(tiles))]
    return [w for row in zip(*each) for w in row]


def with_data(onyx, program, name, other, folder):
    """The program with the words of another program's lanes on its own."""
    own = dict(program)
    (source,), (result,) = other["glb_tile_of_input"].values(), other["glb_tile_of_output"].values()
    words, gold = (next(w for n, w in other["data"].items() if ("input" in n) == wanted) for wanted in (True, False))
    own["data"] = {"input": words[::len(source)], "output": gold[::len(result)]}
    own["register_writes"] = {k: v for k, v in program.get("register_writes", {}).items() if "bitstream" in k}
    path = os.path.join(folder, name + ".json")
    json.dump(own, open(path, "w"))
    tiles = lanes(onyx, path, folder)
    own["glb_tile_of_input"], own["glb_tile_of_output"] = {"input": tiles[0]}, {"output": tiles[1]}
    own["data"] = {"input": dealt(words, len(source), tiles[0]), "output": dealt(gold, len(result), tiles[1])}
    return own


def at_random(program):
    """The program with words for all its operands."""
    dice = random.Random(1)
    own = dict(program)
    own["data"] = {name: [dice.randrange(1 << 16) for _ in range(WORDS_AT_RANDOM * len(tiles))]
                   for name, tiles in program["glb_tile_of_input"].items()}
    return own


def prepare(onyx, path, name, folder):
    """The path of the program with data."""
    program = read(path)
    if name in OF_ANOTHER:
        other = read(os.path.join(os.path.dirname(path), OF_ANOTHER[name] + ".json.gz"))
        program = with_data(onyx, program, name, other, folder)
    elif not program.get("data"):
        program = at_random(program)
    else:
        return path
    made = os.path.join(folder, name + ".json")
    json.dump(program, open(made, "w"))
    return made


def check(onyx, engine, path, name, folder, quota):
    program = prepare(onyx, path, name, folder)
    cycle, words, _ = run(onyx, program, "cycle", folder)
    other, same, done = run(onyx, program, engine, folder)
    wrong = [k for k in ("streams", "outputs", "cycles", "check", "own_registers") if cycle[k] != other[k]]
    expected = sum(o["words"] for o in other["outputs"])
    loading = "E0975-chip-registers" in done.stderr
    if wrong or words != same or not words or other["check"] != "pass":
        sys.exit(f"{name}: cycle and {engine} differ in {wrong}, or no gold: {other['check']}\n{done.stderr}")
    if engine == "soc" and loading != (name in OTHER_LOADING):
        sys.exit(f"{name}: a warning of the writes that load its words is {'here' if loading else 'missing'}")
    for stored in words.values():
        quota.add(accepted=True, trivial=is_trivial(stored))
    print(f"{name}: {expected} gold words, {other['cycles']} cycles, first and last cycle of "
          f"{len(other['streams'])} streams as on engine cycle; own register writes: {other['own_registers']}")


def main():
    onyx, engine, folder, programs, *names = sys.argv[1:]
    if not os.path.isdir(programs):
        sys.exit(77)
    os.makedirs(folder, exist_ok=True)
    quota = Quota()
    for name in names:
        path = next(p for p in glob.glob(os.path.join(programs, name + ".json*")))
        check(onyx, engine, path, name, folder, quota)
    sys.exit(quota.failed())


main()
