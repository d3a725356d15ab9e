#!/usr/bin/env python3
"""onyx functions: the list has what the files say, what ships keeps what it says, and descriptions that do not are told so, with the input:
library.py ONYX FOLDER."""
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "record"))
import behaviour  # noqa: E402

ONYX, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
kept = behaviour.watch(__file__, ONYX, FOLDER)
FOLDER.mkdir(parents=True, exist_ok=True)
wrong = []


def complain(*what):
    wrong.append(what)
    print(*what)


def functions(*arguments):
    return subprocess.run([ONYX, "functions", *map(str, arguments)], capture_output=True, text=True)


def fields_of(path):
    """What a description says, lists joined; those of functions that state an expression have a name."""
    fields = {}
    for line in path.read_text().splitlines():
        if line[0] != "#":
            key, value = line.split(": ", 1)
            fields[key] = f"{fields[key]} {value}" if key in fields else value
    return fields


done = functions("check")
shipped = sorted(pathlib.Path("functions").glob("*.xf"))
fields = {path.name: fields_of(path) for path in shipped}
lacks = set(re.findall(r"'(\w+)' is not checked: it needs a package, apt install ", done.stderr))
if not lacks <= {f["name"] for f in fields.values() if "package" in f}:
    complain("not checked, without a package:", lacks)
runs = sum(len(f["datatypes"].split(",")) for f in fields.values() if f.get("name") not in lacks)
if done.returncode or not done.stdout.startswith(f"{runs} checked on 100 inputs each"):
    complain("what ships:", done.returncode, done.stdout, done.stderr)

length = [len(path.read_text().splitlines()) for path in shipped]
if len(shipped) < 38 or max(length) > 45 or sum(length) > 25 * len(shipped):
    complain(len(shipped), "ship, of", max(length), "lines at most and", sum(length) / len(shipped), "on average")

done = functions("--functions", "examples/functions.fn")
lines = {pathlib.Path(line.split()[-1]).name: line for line in done.stdout.splitlines()}
for name, f in fields.items():
    line = lines.get(name, "")
    called = f["name"] + " " if "name" in f else f["capability"].split("=")[1].split("(")[0].strip() + "("
    if not line.startswith(called) or f["datatypes"] not in line or f.get("properties", "" if "name" in f else "-") not in line or f" {f.get('runs', 'host')} " not in line:
        complain("the list says of", name, repr(line))
for name, where in (("gcd(x, y)", "host"), ("larger_magnitude(x, y)", "array")):
    if not re.search(rf"^{re.escape(name)} +{where} +int16 +commutative +examples/functions.fn$", done.stdout, re.M):
        complain("the list has no", name, where)
if len(done.stdout.splitlines()) != len(fields) + pathlib.Path("examples/functions.fn").read_text().count("\ndef ") + \
        pathlib.Path("examples/functions.fn").read_text().startswith("def "):
    complain("the list has", len(done.stdout.splitlines()), "lines")

ALONG = "for (int i = 0; i < n; i++) "
CASES = [  # operands (0: along an index), properties, statements of C, what is said of them
    (0, "permutation", ALONG + "out[i] = in[n - 1 - i];", None),
    (0, "permutation", ALONG + "out[i] = in[0];", "not a permutation"),
    (0, "ascending", ALONG + "out[i] = in[i];", "not ascending"),
    (0, "descending", ALONG + "out[i] = in[i];", "not descending"),
    (0, "selection", ALONG + "out[i] = in[i] + 1;", "neither 0 nor"),
    (0, "selection", ALONG + "out[i] = i % 2 ? in[i] : 0;", None),
    (0, "place", ALONG + "out[i] = i;", "not one coordinate"),
    (0, "normalised", ALONG + "out[i] = in[i];", "do not come to 1"),
    (0, "involution", ALONG + "out[i] = -in[i];", None),
    (0, "involution", ALONG + "out[i] = in[n > 1 ? (i + 1) % n : 0];", "twice, it is not"),
    (0, None, "for (int i = 0; i <= n; i++) out[i] = 1;", "behind its last result"),
    (0, None, "for (int i = 1; i < n; i++) out[i] = in[i];", "leaves results out"),
    (0, None, ALONG + "out[i] = in[i + 1];", "reads behind its operand"),
    (0, None, ALONG + "out[i] = ((double *)in)[i]++;", "writes its operand"),
    (1, "odd", "return x * x * x;", None),
    (1, "odd", "return x + 1;", "not odd"),
    (1, "even", "return x < 0 ? -x : x;", None),
    (1, "even", "return x;", "not even"),
    (1, "ascending", "return x < 3 ? -5 : 5;", None),
    (1, "ascending", "return -x / 64;", "not ascending"),
    (1, "keeps_zero", "return x == 0;", "of 0 it is not 0"),
    (1, None, "static int n; return n++;", "have another value"),
    (2, "commutative", "return x + y;", None),
    (2, "commutative", "return x - y;", "not commutative"),
    (2, "idempotent", "return x > y ? x : y;", None),
    (2, "idempotent", "return x * y;", "not idempotent"),
    (2, "keeps_zero", "return x == y;", "of 0 and 0"),
]
TYPES = ("void mine(int n, const double *in, double *out)", "double mine(double x)", "double mine(double x, double y)")
CALLS = ("void mine(length, values, result)", "double mine(X)", "double mine(X, Y)")
OF = ("Y(i) = mine(i, X(i))", "Y(i) = mine(X(i))", "Z(i) = mine(X(i), Y(i))")
path = FOLDER / "mine.xf"
for operands, properties, body, says in CASES:
    (FOLDER / "mine.c").write_text(f"{TYPES[operands]} {{ {body} }}\n")
    text = [f"call: {CALLS[operands]}", f"capability: {OF[operands]}", "datatypes: int16, bf16", "source: mine.c"]
    path.write_text("\n".join(text + [f"properties: {properties}"] * bool(properties)) + "\n")
    done = functions("check", path)
    right = done.returncode == 0 if says is None else \
        done.returncode == 3 and "E0166-function-check" in done.stderr and says in done.stderr and "mine" in done.stderr
    if not right:
        complain(body, properties, "expected", says, "got", done.returncode, done.stderr)

path.write_text("call: double mine(X)\ncapability: Y(i) = mine(X(i))\ndatatypes: bf16\nproperties: permutation\n")
done = functions("check", path)
if done.returncode != 1 or "E0163-description" not in done.stderr or ":4:13: " not in done.stderr:
    complain("a property along an index, of values:", done.returncode, done.stderr)
if functions("check", "functions/sort.xf").stdout != "2 checked on 100 inputs each, a function of two data types twice\n":
    complain("the check of one file")
for words, code in ((["chek"], "E0903-option-value"), (["check", path, path], "E0904-argument"), (["check", "--dtype", "bf16"], "E0902-option"),
                    (["check", FOLDER / "none.xf"], "E0001-file")):
    done = functions(*words)
    if done.returncode != 1 or f"[{code}]" not in done.stderr:
        complain(words, "expected", code, "got", done.returncode, done.stderr)
sys.exit(len(wrong) + kept.count_wrong() > 0)
