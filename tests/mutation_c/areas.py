"""Draws mutants of the areas of areas.json and looks which of them the tests named there notice.

areas.py SOURCE BUILD FOLDER SEED [--rows rooms.json] [--number N] [--area AREA]... [--file PATH]... [--test NAME]... [--quick] [--minutes M]

Every area has the same share of the N (40) mutants, drawn by SEED: a row of areas.json has files and the tests tried for them, in
that order, named before the lines are drawn ('texts choices': a test with more arguments). A mutant is an object beside
the libraries of BUILD, which stays as it is: a program with the mutant lies over the program of BUILD while a test runs, in namespaces
in which BUILD alone can be written (isolated.sh). A mutant whose object code is that of the file as it was, or that survivors.txt
explains, is replaced by the next one. No test compares what it recorded before (SEEN); a test that fails without a mutant,
too, is left out. FOLDER/areas-SEED.json keeps the verdicts, and the same command goes on; with --quick by the tests of seconds alone,
and without it those that survived them are tried by the row's further tests, too. With --rows the rows are those of another file. The end
is a line for each area, and 1 below nine in ten. The tests' programs are built first: one whose objects are gone is linked with no
mutant, and would notice none.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

import mutants
import mutate

VERILATED = ('onyx-array', 'onyx-cosim', 'onyx_fail_nth')  # no line of the areas
SECONDS = 25  # of the processor, of a program of a test; a longer one has noticed the mutant
WALL = 900  # of a test, beside other work
QUICK = 'by the tests of seconds'


def row_of(rows, path):
    """The first row with a pattern of the path."""
    return next((row for row in rows if any(fnmatch.fnmatch(path, pattern) for pattern in row['files'])), None)


def tests_of(row, quick):
    """The tests of a row: those of seconds, then the others of CI."""
    return row['tests'] + ([] if quick else row.get('then', []))


def drawn(tree, rows, seed, of):
    """Mutants by area, at random; no two of a line."""
    found = {}
    for path in sorted(str(p.relative_to(tree)) for pattern in {f for row in rows for f in row['files']} for p in tree.glob(pattern)):
        row = row_of(rows, path)
        if (not of.area or row['area'] in of.area) and (not of.file or path in of.file):
            found.setdefault(row['area'], []).extend(mutants.mutants_of(path, (tree / path).read_text()))
    return {area: mutants.at_random(all_of_them, f'{seed} {area}') for area, all_of_them in found.items()}


class Build:
    """Programs of a build folder of Ninja with one object more."""

    def __init__(self, source, build, folder, programs):
        self.source, self.build, self.folder, self.programs = source, build, folder, programs
        self.commands, self.plain, self.passes, self.tests = {}, {}, {}, {}
        self.entries = [e for e in json.loads((build / 'compile_commands.json').read_text())]

    def make(self, tests):
        """Brings the programs of tests up to date, without which ctest knows no command."""
        wanted = {p for name in tests for p in self.programs[name.split()[0]]} - set(VERILATED)
        subprocess.run(['cmake', '--build', self.build, '--parallel', '2', '--target', *sorted(wanted)], stdout=subprocess.DEVNULL, check=True)
        listing = subprocess.run(['ctest', '--test-dir', self.build, '--show-only=json-v1'], capture_output=True, text=True, check=True)
        self.tests = {t['name']: t for t in json.loads(listing.stdout)['tests']}

    def compile(self, path, text, out):
        """The object of a file with that text, or None; the firmware's as the host's tests have it."""
        entries = [e for e in self.entries if e['file'] == str(self.source / path)]
        entry = next((e for e in entries if 'firmware_native' in e['command']), entries[0] if entries else None)
        if not entry:
            return None
        changed = self.folder / pathlib.Path(path).name
        changed.write_text(text)
        words = [w for w in shlex.split(entry['command']) if w not in ('-O2', '-g1', '-Werror') and not w.endswith('ccache')]
        words[words.index('-o') + 1], words[words.index('-c') + 1] = str(out), str(changed)
        if '-MF' in words:
            words[words.index('-MF') + 1] = str(self.folder / 'd')
        words += ['-O1', '-g0', '-w', f'-I{(self.source / path).parent}']
        return out if subprocess.run(words, cwd=entry['directory'], capture_output=True, check=False).returncode == 0 else None

    def link(self, target, made):
        """A program with the object before its libraries, or None."""
        if target not in self.commands:
            shown = subprocess.run(['ninja', '-C', self.build, '-t', 'commands', '-s', target], capture_output=True, text=True, check=True)
            self.commands[target] = shown.stdout.strip().split('\n')[-1]
        out = self.folder / f'with_{pathlib.Path(target).name}'
        command = self.commands[target].replace(f'-o {target} ', f'-o {out} {made} ')
        return out if subprocess.run(command, shell=True, cwd=self.build, capture_output=True, check=False).returncode == 0 else None

    def fails(self, name, made, linked):
        """Whether a test fails with the object in its programs; None: a program cannot be linked."""
        test = self.tests[name.split()[0]]
        over = [f'ulimit -t {SECONDS}', 'mount --make-rprivate /']
        for program in self.programs[name.split()[0]]:
            if program in VERILATED:
                continue
            target = program if (self.build / program).is_file() else f'tests/{program}'
            linked[target] = linked.get(target) or self.link(target, made)
            if not linked[target]:
                return None
            over.append(f'mount --bind {linked[target]} {self.build / target}')
        properties = {p['name']: p['value'] for p in test['properties']}
        environment = dict(os.environ, ONYX_NO_SYNC='1', TMPDIR=str(self.build / 'tmp'), CMOCKA_TEST_ABORT='0')
        environment.update(e.split('=', 1) for e in properties.get('ENVIRONMENT', []))
        user = [] if os.geteuid() == 0 else ['--map-root-user']
        command = ['unshare', *user, '--mount', 'sh', '-c', ' && '.join([*over, 'exec "$@"']), 'sh', mutate.HERE / 'isolated.sh', self.build,
                   *test['command'], *name.split()[1:]]
        process = subprocess.Popen(command, cwd=properties.get('WORKING_DIRECTORY', self.build), env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(WALL) not in (0, properties.get('SKIP_RETURN_CODE', 77))
        except subprocess.TimeoutExpired:
            return True
        finally:
            mutate.kill_group(process)
            process.wait()

    def verdict(self, mutant, tests):
        """(verdict, the test that notices the mutant)."""
        path, number, _, new = mutant
        text = (self.source / path).read_text()
        lines = text.split('\n')
        lines[number] = new
        made = self.compile(path, '\n'.join(lines), self.folder / 'mutant.o')
        plain = self.plain.get(path) or self.compile(path, text, self.folder / f'{path.replace("/", "_")}.o')
        self.plain[path] = plain
        if not made or not plain:
            return 'no C', ''
        if made.read_bytes() == plain.read_bytes():
            return 'equivalent', 'the same code'
        linked = {}
        for name in tests:
            failed = self.fails(name, made, linked)
            if failed is None:  # the program is without the file's room
                continue
            if failed and name not in self.passes:
                self.passes[name] = not self.fails(name, plain, {})
                linked = {}
                if not self.passes[name]:
                    print(f'left out: {name}', flush=True)
            if failed and self.passes[name]:
                return 'noticed', name
        return 'survived', ''


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('source', 'build', 'folder'):
        options.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    options.add_argument('seed')
    options.add_argument('--rows', default='areas.json')
    options.add_argument('--number', type=int, default=40)
    for name in ('--area', '--file', '--test'):
        options.add_argument(name, action='append')
    options.add_argument('--quick', action='store_true')
    options.add_argument('--minutes', type=float, default=600)
    o = options.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    mutate.limits()
    rows = json.loads((mutate.HERE / o.rows).read_text())
    build = Build(o.source, o.build, o.folder, mutate.programs_of(json.loads((mutate.HERE / 'tests.json').read_text())))
    build.make(o.test or {t for row in rows for t in tests_of(row, o.quick)})
    left = drawn(o.source, rows, o.seed, o)
    known, kept = mutate.reasons(), o.folder / f'areas-{o.seed}.json'
    results = json.loads(kept.read_text()) if kept.is_file() else {}
    end, areas, counted = time.monotonic() + 60 * o.minutes, sorted(left), 0
    while counted < o.number and time.monotonic() < end and any(left.values()):
        area = areas[counted % len(areas)]
        path, number, old, new = mutant = left[area if left[area] else next(a for a in areas if left[a])].pop(0)
        key = f'{path}:{number + 1}: {old.strip()} -> {new.strip()}'
        if key not in results or (results[key][1] == QUICK and not o.quick):
            begin = time.monotonic()
            reason = known.get((path, old.strip(), new.strip()))
            results[key] = ('listed', reason) if reason else build.verdict(mutant, o.test or tests_of(row_of(rows, path), o.quick))
            if o.quick and results[key][0] == 'survived':
                results[key] = ('survived', QUICK)
            kept.write_text(json.dumps(results, indent=1))
            print(f'{results[key][0]:10} {time.monotonic() - begin:4.0f} s {key} : {results[key][1]}', flush=True)
        counted += results[key][0] in ('noticed', 'survived')
    for area in areas:
        of = [verdict for key, (verdict, _) in results.items() if row_of(rows, key.split(':')[0])['area'] == area]
        print(f"{area:20} {of.count('noticed'):3} of {of.count('noticed') + of.count('survived'):3}")
    verdicts = [verdict for verdict, _ in results.values()]
    noticed, survived = verdicts.count('noticed'), verdicts.count('survived')
    print(f'{noticed} of {noticed + survived} noticed{mutate.share(noticed, noticed + survived)}')
    return 10 * noticed < 9 * (noticed + survived)


if __name__ == '__main__':
    sys.exit(main())
