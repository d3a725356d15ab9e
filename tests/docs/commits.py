#!/usr/bin/env python3
"""Subjects of commits are named as CONTRIBUTING.md says: commits.py SOURCE [SUBJECT ...]

Looks at the latest commits, more than a landing has, or at the subjects given. Exit code 1 if one breaks a rule, 77 where there is no history.
Whether a verb is an imperative is guessed by its ending.
"""
import pathlib
import re
import subprocess
import sys

MOST = 72  # characters
LATEST = 200  # commits
POINTING = re.compile(r"\b(it|they|that|those|these|what|which|so|such|likewise|one|others|there|then|them)\b", re.I)
# No verb: articles, numbers, prepositions and other words that a noun phrase begins with.
NO_VERB = set("a an the no of in on at by from with without for to as and or not some any more most fewer less every all each two three four "
              "other another only when where while if how why who whose this its new first last second next".split())
LANDED = {"9819c6dade6543d4e40d0129e0e19f84c2e68f89"}  # landed with 73 characters
IMPERATIVE = set("need feed seed speed embed exceed proceed succeed shed bleed bring ring sing string spring alias bias focus apply supply "
                 "reply multiply rely comply".split())


def is_imperative(word):
    if word.lower() in IMPERATIVE:
        return True
    other_form = re.search(r"(?<!s)s$|ed$|ing$|ly$", word)
    return word == word.lower() and word not in NO_VERB and not other_form


def mistakes(subject):
    """Violations of the rules of CONTRIBUTING.md."""
    area, colon, rest = subject.partition(": ")
    found = []
    if not colon or not re.fullmatch(r"[a-z][\w./-]*(, [a-z][\w./-]*)*", area):
        found.append("it does not begin with areas and a colon, as in 'pnr: '")
        rest = rest or subject
    if len(subject) > MOST:
        found.append(f"{len(subject)} characters, {MOST} at most")
    if not is_imperative(rest.split(" ")[0]):
        found.append(f"'{rest.split(' ')[0]}' is no imperative")
    pointing = sorted({word.lower() for word in POINTING.findall(rest)})
    if pointing:
        found.append(f"pointing words: {', '.join(pointing)}")
    if rest.endswith("."):
        found.append("a full stop at the end")
    return found


def latest_subjects(source):
    log = subprocess.run(["git", "-C", str(source), "log", "--no-merges", "--format=%H %s", f"-{LATEST}"], capture_output=True, text=True, check=False)
    if log.returncode:
        print("skipped: git's history is not here")
        sys.exit(77)
    rows = [line.split(" ", 1) for line in log.stdout.splitlines()]
    return [row for row in rows if row[0] not in LANDED]


# The rules themselves, by a subject that breaks each.
RIGHT = ["pnr: keep pairs of nets on the same side", "frontend, tiling: compute only counted operands", "tests/record: pass over dates",
         "ci: speed up linking"]
WRONG = ["keep pairs of nets", "Pnr: keep pairs", "pnr: keeps pairs", "pnr: keep " + 60 * "x" + " xxxx", "pnr: pairs of nets", "pnr: keeping pairs",
         "pnr: added pairs", "pnr: the pairs", "pnr: keep what is near", "pnr: keep pairs.", "pnr: Keep pairs"]


def main():
    source, given = pathlib.Path(sys.argv[1]), sys.argv[2:]
    broken = [subject for subject in RIGHT if mistakes(subject)] + [subject for subject in WRONG if not mistakes(subject)]
    if broken:
        sys.exit(f"commits.py judges these wrongly: {broken}")
    wrong, rows = 0, [("given", subject) for subject in given] or latest_subjects(source)
    for name, subject in rows:
        for mistake in mistakes(subject):
            wrong += 1
            print(f"{name} {subject}\n  {mistake}")
    print(f"{len(rows)} subjects, {wrong} mistakes; CONTRIBUTING.md has the rules")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
