"""mutate.py on lines whose mutants are known: test_mutate.py SOURCE BUILD"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import mutants
import mutate

CASES = {
    "    if (a < b && !c)": ["    if (a <= b && !c)", "    if (a < b || !c)", "    if (a < b && c)", "    if (!(a < b && !c))",
                             "    if (false && (a < b && !c))"],
    "    for (uint32_t i = 0; i < n; i++)": ["    for (uint32_t i = 1; i < n; i++)", "    for (uint32_t i = 0; i <= n; i++)",
                                             "    for (uint32_t i = 0; i < n; i--)"],
    "    return x * 7; /* a < b */": ["    return x + 7; /* a < b */", "    return x * 8; /* a < b */", "    return x * 6; /* a < b */"],
    '    report(s, "a && b");': ["    ;"],
    "    s->sum += words;": ["    s->sum -= words;", "    ;"],
    "    const char *at = *name;": [],
    "    uint32_t n = count(s);": [],
    "    n = count(s);": ["    ;"],
    "    return -a;": [],
    "    return x < y ? -1 : 1;": ["    return x <= y ? -1 : 1;", "    return x < y ? -0 : 1;", "    return x < y ? -1 : 0;"],
    "    char text[2] = {0};": ["    char text[1] = {0};", "    char text[2] = {1};"],
    "    text[2] = 0;": ["    text[3] = 0;", "    text[1] = 0;", "    text[2] = 1;", "    ;"],
    "    a->at = arena_new_n(mem, int, n + 1);": ["    ;"],
    "    arena_free(&scratch);": [],
}
TEXT = """#define MOST 1
static const int table[] = {
    1, 2,
};
/* a
   1 + 1 */
int one(void) {
    // 1
    return 1;
}
"""


TRIES = """echo inside >inside
echo outside 2>/dev/null >"$1"
rm -f /dev/full 2>/dev/null && echo "removed /dev/full"
echo node >/dev/onyx_mutant
kill -USR1 "$2" 2>/dev/null && echo "killed $2"
exit 7
"""


def what_a_mutant_reaches():
    """A program that is isolated writes in its folder, and neither beside it (in a /tmp of its own, if there) nor in /dev, and sees no other process."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as top:
        folder, outside = pathlib.Path(top, "in"), pathlib.Path(top, "out")
        folder.mkdir()
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        run = subprocess.run([mutate.HERE / "isolated.sh", folder, "sh", "-c", TRIES, "sh", outside, str(os.getpid())], cwd=folder,
                             capture_output=True, text=True, check=False)
        if run.returncode == 125 or "unshare" in run.stderr:
            print("skipped: no namespaces here:", run.stderr)
            return
        assert (run.returncode, run.stdout) == (7, ""), (run.returncode, run.stdout, run.stderr)
        assert (folder / "inside").read_text() == "inside\n" and not outside.exists()
        assert not pathlib.Path("/dev/onyx_mutant").exists()


def what_is_no_folder(source):
    """Below /dev nothing is found by what is isolated, so that no mutant could be noticed."""
    run = subprocess.run([sys.executable, mutate.__file__, source, "/dev/shm/onyx-mutants"], capture_output=True, text=True, check=False)
    assert run.returncode == 1 and "another folder" in run.stderr, run
    assert not pathlib.Path("/dev/shm/onyx-mutants").exists()


class Tree:
    """One of four tests that the map knows already."""
    counted, jobs = None, 1

    def __init__(self, top):
        self.tree, self.running = pathlib.Path(top), set()

    @staticmethod
    def records(name):
        return name == "flow_far"

    @staticmethod
    def digests():
        found = {"slow": "1", "quick": "2", "far": "3", "flow_far": "4"}
        return found, {name: f"{of} kept" for name, of in found.items()}


def which_tests():
    """Those that execute the line, quick ones, those of its room alone and those that see all first."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as top:
        there = {"r/a.c": [3, 5], "s/b.c": [1, 2, 3, 4, 5, 6, 7, 8, 9]}
        row = {"passes": True, "there": there}
        kept = {"slow": {"of": "1", "seconds": 9.0, "ran": {"r/a.c": [3]}} | row, "quick": {"of": "2", "seconds": 0.1, "ran": {"r/a.c": [3]}} | row,
                "far": {"of": "3", "seconds": 0.2, "ran": {"r/a.c": [3], "s/b.c": there["s/b.c"]}} | row,
                "flow_far": {"of": "4", "seconds": 0.2, "ran": {"s/b.c": there["s/b.c"]}} | row}
        pathlib.Path(top, "map").mkdir()
        pathlib.Path(top, "tests").mkdir()
        pathlib.Path(top, "tests/costs.txt").write_text("slow 1 9\n---\n")
        for name, test in kept.items():
            pathlib.Path(top, "map", f"{name}.json").write_text(json.dumps(test))
        found = mutate.Map(Tree(top), {name: [] for name in kept}, top, 0)
        assert [found.tests_of("r/a.c", n) for n in (1, 2, 3, 4)] == [[], ["quick", "far", "slow"], ["quick", "far", "slow"], []]
        assert found.tests_of("s/b.c", 0) == ["flow_far", "far"]
        pathlib.Path(top, "results-1.json").write_text(json.dumps({f"r/a.c: {n} -> ;": {"verdict": "noticed", "why": "slow", "passed": {"quick": "2 kept", "far": "3 kept"}}
                                                                   for n in range(40)}))
        assert mutate.Map(Tree(top), {name: [] for name in kept}, top, 0).tests_of("r/a.c", 2)[0] == "slow"


# What looks at sources, packages, RTL or programs that run beside the command, and at no C of the rooms; longer runs of tests that are listed.
LEFT = re.compile(r"claims|comments|commits|cosim_|record_base|editors|error_codes|severities|fabric_facts|faults_cosim|figures|flow_(runner|same_bytes)|folders|house|install|layers|maturity|mutation_|notebook|output_nodes|package|pnr_same_bytes|"
                  r"program_ready|proof_|report_schema|rtl_lint_|rtl_dense_full|seeds|shell|site|sweep_slurm|tables|timeouts|try$|tutorial|versions|view_clicks|wheel|whole_chip|"
                  r"test_(chip$|chip_(dropper|repeater)|glb_tile|glb_recorded|glc|golden_array|monolithic|registers|routes|rtl_golden_runs|rtl_\w+_(golden|limits|full)|spec_)|"
                  r"(adversary|deadlock_kernels|deadlock_random|operators_bf16_orders|random_array)_full")


def all_tests_are_listed(build, programs):
    """A test that nobody lists could notice nothing."""
    said = subprocess.run(["ctest", "--test-dir", build, "-N", "-L", "quick|full"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"Test +#\d+: (\S+)", said)
    missing = [name for name in names if name not in programs and not LEFT.match(name)]
    assert names and not missing, f"tests.json lacks {missing}"


def main(source, build):
    what_is_no_folder(source)
    for line, want in CASES.items():
        got = list(mutants.mutants_of_line(line))
        assert sorted(got) == sorted(want), f"{line}: {got}"
    assert [number for number, _ in enumerate(TEXT.split("\n")) if number in set(mutants.code_lines(TEXT))] == [7, 8]
    assert [m[3] for m in mutants.mutants_of("one.c", TEXT)] == ["    return 0;", "    return 2;"]
    rooms = mutants.rooms_of(source)
    programs = mutate.programs_of(json.loads((mutate.HERE / "tests.json").read_text()))
    assert programs["test_host"] == ["test_host", "fake_openocd"] and programs["flow_help"] == ["onyx"], programs
    all_tests_are_listed(build, programs)
    every = list(mutants.all_mutants(source, rooms, "1"))
    assert every[:50] == list(mutants.all_mutants(source, rooms, "1"))[:50] != list(mutants.all_mutants(source, rooms, "2"))[:50]
    tenth = every[:len(every) // 10]
    for room in rooms:
        share = sum(m[0] == room for m in every) / 10
        assert abs(sum(m[0] == room for m in tenth) - share) <= 1, f"{room}: a tenth of the mutants holds a tenth of its own"
    which_tests()
    assert mutate.share(90, 100) == ": 90.0 %, with 95 % certainty between 82.6 and 94.5 %", mutate.share(90, 100)
    what_a_mutant_reaches()
    # What is listed is still there, and is a mutant.
    for path, old, new in mutate.reasons():
        found = [m for m in mutants.mutants_of(path, pathlib.Path(source, path).read_text()) if (m[2].strip(), m[3].strip()) == (old, new)]
        assert found, f"survivors.txt: no such mutant: {path}: {old} -> {new}"


main(*sys.argv[1:])
