"""Seeds of random tests, and how often their cases have to show what they are for.

    seeds.py SOURCE run EVERY NAME COMMAND...   runs the command with the cases and the seed of NAME in seeds.txt for @cases@ and @seed@; then with
                                                cases of a seed from outside, $ONYX_SEED or the number of the commit, unless $SEEN compares commits.
                                                EVERY: one case of so many, with sanitizers
    seeds.py SOURCE check                       prints seeds.txt; fails where a changed row is not named below it

A rate was measured over 200 cases or more. A test fails where so few of its cases would come by chance less than once in 100,000 runs.
"""
import math
import os
import pathlib
import re
import subprocess
import sys

CHANCE, LEAST_MEASURED = 1e-5, 200
FILE = pathlib.Path(__file__).with_name("seeds.txt")


def read(text):
    """{name: (seed, fixed cases, outside cases, {rate: (shown, of)})} and the text of the changes."""
    rows, changes = {}, []
    for line in text.splitlines():
        words = line.split()
        if line.startswith("changed "):
            changes.append(line)
        elif words and line[0] != "#":
            rates = {name: tuple(int(n) for n in of.split("/")) for name, of in (word.split("=") for word in words[4:])}
            rows[words[0]] = (*(int(word) for word in words[1:4]), rates)
    return rows, changes


def tail(shown, of, rate):
    """The probability of so few or fewer, by logarithms: a binomial of 2,000 is no float."""
    if not 0 < rate < 1:
        return 1.0 if rate <= 0 or shown >= of else 0.0
    return sum(math.exp(math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * math.log(rate) +
                        (of - k) * math.log1p(-rate)) for k in range(shown + 1))


def too_few(rates, shown):
    """Judges the lines `rate NAME: 3 of 8` printed by a command."""
    bad = False
    for name, n, of in re.findall(r"^rate ([\w-]+): (\d+) of (\d+)$", shown, re.M):
        if name in rates and int(of) and tail(int(n), int(of), rates[name][0] / (rates[name][1] + 1)) < CHANCE:
            print(f"{name}: {n} of {of} are too few: it was {rates[name][0]} of {rates[name][1]}")
            bad = True
    missing = [name for name in rates if f"rate {name}:" not in shown]
    if missing:
        print(f"the command says nothing of {missing}")
    return bad or bool(missing)


def outside(source):
    """A seed that nobody chose."""
    said = os.environ.get("ONYX_SEED")
    if not said:
        done = subprocess.run(["git", "-C", source, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=False)
        said = str(int(done.stdout, 16)) if not done.returncode else "20260101"
    return int(said) % (1 << 28) + (1 << 28)  # apart from all that are fixed


def run(source, every, name, command):
    seed, fixed, more, rates = read(FILE.read_text())[0][name]
    bad, fixed, more = 0, max(fixed // every, min(fixed, 6)), max(more // every, min(more, 3))  # one case is a seed of its own
    for cases, of in [(fixed, seed)] + ([(more, outside(source))] if more and not os.environ.get("SEEN") else []):
        words = [word.replace("@cases@", str(cases)).replace("@seed@", str(of)) for word in command]
        print(f"{name}: {cases} cases of seed {of}", flush=True)
        done = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        print(done.stdout, end="", flush=True)
        bad = bad or done.returncode or too_few(rates, done.stdout)
    return int(bad)


def unnamed(old, new):
    """Rows that differ without a new line `changed NAME ...`."""
    (before, said), (now, says) = read(old), read(new)
    fresh = [line for line in says if line not in said]
    return [name for name in before.keys() & now.keys() if before[name] != now[name] and not any(line.split()[1] == name for line in fresh)] + \
           [name for name in before.keys() - now.keys() if not any(line.split()[1] == name for line in fresh)]


def check(source):
    text, bad = FILE.read_text(), []
    print(text)
    rows, _ = read(text)
    bad += [f"{name}: {rate} was measured over {of} cases, not {LEAST_MEASURED}" for name, row in rows.items()
            for rate, (_, of) in row[3].items() if of < LEAST_MEASURED]
    log = subprocess.run(["git", "-C", source, "log", "-n", "50", "--format=%H", "--", "tests/seeds.txt"], capture_output=True, text=True, check=False)
    commits = log.stdout.split() if not log.returncode else []
    shown = [text] + [subprocess.run(["git", "-C", source, "show", f"{c}:tests/seeds.txt"], capture_output=True, text=True, check=False).stdout for c in commits]
    for new, old in zip(shown, shown[1:]):
        bad += [f"{name}: its row changed, and no line `changed {name} ...` says why" for name in unnamed(old, new)]
    print("\n".join(bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]) if sys.argv[2] == "check" else run(sys.argv[1], int(sys.argv[3]), sys.argv[4], sys.argv[5:]))
