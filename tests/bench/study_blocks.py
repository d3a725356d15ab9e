"""Table 4.3: which algorithms are lost without each block. Commands that people typed for taco become graphs (onyx sam), and
one that has the block is lost; by commands, and by how often each was typed. study.py says how it is called.
"""

import dataclasses
import pathlib
import re
import shlex
import subprocess
import sys

from study import Study

# Its rows, with the shares that are published, in per cent: of distinct commands, and of all that were typed.
PUBLISHED = {"compressed scanner": (72.23, 81.38), "all scanners": (99.35, 99.66), "repeater": (82.37, 83.74),
             "unioner": (15.63, 9.37), "intersecter, locator kept": (18.75, 11.41), "intersecter and locator": (48.92, 66.31),
             "adder": (26.65, 13.10), "multiplier": (83.88, 88.20), "reducer": (78.35, 84.21), "coordinate dropper": (16.07, 9.63),
             "compressed writer": (28.00, 23.22), "all writers": (96.33, 97.76)}
NODE = re.compile(r'^    (\d+) \[.* type="(\w+)"(.*)\]$', re.M)
EDGE = re.compile(r'^    \d+ -> (\d+) \[.* type="(\w+)" src_port="\d+" dst_port="(\d+)"\]$', re.M)


@dataclasses.dataclass
class Command:
    typed: int
    blocks: set  # of PUBLISHED


def blocks_of(graph):
    """A dense level that is met by coordinates of another is not scanned: they are its references, which is a locator."""
    nodes = {name: (kind, attributes) for name, kind, attributes in NODE.findall(graph)}
    kinds = {kind for kind, _ in nodes.values()}
    levels = [(kind, 'format="dense"' in attributes) for kind, attributes in nodes.values() if "format=" in attributes]
    located = "locate" in kinds or any(stream == "crd" and port == "0" and nodes[to][0] in ("fiberlookup", "arrayvals")
                                       for to, stream, port in EDGE.findall(graph))
    has = {"compressed scanner": ("fiberlookup", False) in levels, "all scanners": "fiberlookup" in kinds,
           "repeater": "repeat" in kinds, "unioner": "union" in kinds, "intersecter, locator kept": "intersect" in kinds,
           "intersecter and locator": "intersect" in kinds or located, "adder": not kinds.isdisjoint({"add", "sub", "neg"}),
           "multiplier": not kinds.isdisjoint({"mul", "div"}), "reducer": not kinds.isdisjoint({"reduce", "vectorreducer"}),
           "coordinate dropper": "crddrop" in kinds, "compressed writer": ("fiberwrite", False) in levels,
           "all writers": any(kind in ("fiberwrite", "arraystore") for kind, _ in levels) or "arraystore" in kinds}
    return {block for block, there in has.items() if there}


def read(study, file):
    """The commands that become graphs, and the number of the others."""
    commands, refused = [], 0
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            continue
        typed, arguments = line.split("\t", 1)
        done = subprocess.run([study.onyx, "sam", *shlex.split(arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        if done.returncode:
            refused += 1
        else:
            commands.append(Command(int(typed), set().union(*map(blocks_of, done.stdout.split("digraph")))))
    return commands, refused


def share(commands, block, weight):
    return 100 * sum(weight(c) for c in commands if block in c.blocks) / sum(map(weight, commands))


study = Study()
source = pathlib.Path(sys.argv[3])
file = source / "tests/taco/commands.tsv" if study.short else source.parent / "shared/data/taco_commands/scheduled.tsv"
if not file.exists():
    print("skipped: no commands")
    sys.exit(0)
commands, refused = read(study, file)
lost = {block: (share(commands, block, lambda c: 1), share(commands, block, lambda c: c.typed)) for block in PUBLISHED}
csv = "block,distinct,all,distinct_published,all_published\n" + "".join(
    f"\"{block}\",{lost[block][0]:.2f},{lost[block][1]:.2f},{PUBLISHED[block][0]:.2f},{PUBLISHED[block][1]:.2f}\n" for block in PUBLISHED)
print(csv, end="")
print(f"{len(commands)} commands, typed {sum(c.typed for c in commands)} times; {refused} refused")
study.table("blocks.csv", csv)
study.plot("blocks.svg", [str(row + 1) for row in range(len(PUBLISHED))], {"distinct": [lost[b][0] for b in PUBLISHED]}, {"distinct, published": [PUBLISHED[b][0] for b in PUBLISHED]},
           title="Algorithms that are lost without a block", x_label="row of the table", y_label="per cent")
study.expect(all(some for some, _ in lost.values()), "algorithms are lost without any of the blocks")
study.expect(lost["all scanners"][0] > 95 and lost["all writers"][0] > 95, "nearly all are lost without scanners, or writers")
study.expect(lost["intersecter and locator"][0] > 1.5 * lost["intersecter, locator kept"][0], "a locator keeps a third of what is joined and more")
study.end()
