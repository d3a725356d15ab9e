#!/usr/bin/env python3
"""Which operators run on the array, by the fill of their operands and by mask, each against evaluate.py: the table of
docs/notebook/operations.md. table.py ONYX FOLDER [PAGE]: prints it, or exits with 1 where the page has another one."""
import itertools
import json
import pathlib
import random
import subprocess
import sys

from evaluate import INF, MINUS_INF, BINARY, Evaluator
from random_operators import behaviour, quota, read, text, write

onyx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
kept = behaviour.watch(__file__, onyx, folder)
folder.mkdir(parents=True, exist_ok=True)
shares = quota.Quota()
FILLS = {"0": 0, "7": 7, "-1": -1, "inf": INF, "-inf": MINUS_INF}
A, B, C, M = ("access", "A", ("i", "j")), ("access", "B", ("i", "j")), ("access", "C", ("i", "j")), ("access", "M", ("i",))
SIZE = {"i": 5, "j": 6}
OPERATORS = [o for o in BINARY if o not in ("high", "low")]
EXPRESSIONS = {o: (o, A, B) for o in OPERATORS}
EXPRESSIONS |= {o: (o, A) for o in ("neg", "~", "abs", "relu", "not")}
EXPRESSIONS |= {"ifelse": ("ifelse", A, B, C), "clamp": ("clamp", A, ("number", -3), ("number", 2))}
EXPRESSIONS |= {f"{o} over j": ("reduce", o, "j", A) for o in ("sum", "prod", "min", "max", "and", "or", "xor")}
MASKS = {"none": lambda e: e, "M": lambda e: ("mask", M, e), "not struct(M)": lambda e: ("mask", ("not", ("struct", "M", ("i",))), e)}


def run(tree, fill):
    """Returns "" for a correct result, "host" if the host computed a part, and a code for a refusal."""
    r, tensors, result = random.Random(str((tree, fill))), {}, ["i"] if "reduce" in json.dumps(tree) else ["i", "j"]
    args = [onyx, "run", f"X({','.join(result)}) = {text(tree)}", "--dtype", "int16", "--engine", "cycle", "--effort", "1", "-o", str(folder / "out"), "--quiet", "-d", "i:5", "-d", "j:6"]
    for name in [n for n in "ABCM" if f'"{n}"' in json.dumps(tree)]:
        dims, own = ([5], 0) if name == "M" else ([5, 6], fill)
        cells = {at: r.choice([0, 1, 2, 3, 5, -4, 9, 100]) for at in itertools.product(*map(range, dims)) if r.random() < 0.5}
        tensors[name] = (len(dims), cells, own)
        args += ["-i", f"{name}:{write(folder / name, dims, cells)}"]
        args += ["--fill", f"{name}:{ {INF: 'inf', MINUS_INF: '-inf'}.get(own, own)}"] if own else []
    done = subprocess.run(args, capture_output=True, text=True)
    codes = [w.strip("[]").split("-")[0] for w in done.stderr.split() if w.startswith("[E")]
    if done.returncode == 2 and codes:
        shares.add(accepted=False)
        return codes[0]
    report = json.loads((folder / "out" / "report.json").read_text())
    got, stated = read(folder / "out" / "X.mtx", len(result)), report.get("fill", 0)
    e = Evaluator(tensors, SIZE)
    values = {at: e.value(tree, dict(zip(result, at))) for at in itertools.product(*(range(SIZE[v]) for v in result))}
    shares.add(trivial=quota.is_trivial(values.values()))
    for at, value in values.items():
        if done.returncode or got.get(at, stated) != value:
            sys.exit(f"wrong at {at}: {' '.join(args)}\n{done.stderr}")
    return "host" if any("on" in k for k in report.get("kernels", [])) else ""


def cell(e, fill):
    refused = {mask: run(of(e), fill) for mask, of in MASKS.items()}
    if len(set(refused.values())) == 1:
        return refused["none"] or "runs"
    return ", ".join(f"{code or 'runs'} with {mask}" for mask, code in refused.items())


lines = ["| operator | " + " | ".join(f"fill {f}" for f in FILLS) + " |", "|---" * (1 + len(FILLS)) + "|"]
for name, e in EXPRESSIONS.items():
    lines.append("| `" + name.replace("|", "\\|") + "` | " + " | ".join(cell(e, fill) for fill in FILLS.values()) + " |")
table = "\n".join(lines) + "\n"
print(table)
if len(sys.argv) > 3 and table not in pathlib.Path(sys.argv[3]).read_text():
    sys.exit(f"{sys.argv[3]} has another table")
sys.exit(kept.count_wrong() > 0 or shares.failed())
