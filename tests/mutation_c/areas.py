"""Draws mutants of the areas of areas.json and looks which of them the tests named there notice.

areas.py SOURCE FOLDER SEED [--number N] [--area AREA]... [--file PATH]... [--test NAME]... [--minutes M]

Every area has the same share of the N (40) mutants, drawn by SEED: a row of areas.json has files and the tests that are tried for
them, in that order, named before the lines are drawn. A mutant whose object code is that of the line as it was, or that
survivors.txt explains, is replaced by the next one. No test records or compares what it did before (SEEN). A copy of
SOURCE with a build tree lies in FOLDER; areas-SEED.json there keeps the verdicts, and the same command goes on. --file
tries mutants of these files only, --test by these tests only. Ends with 1 below nine in ten.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

import mutate

VERILATED = ('onyx-array', 'onyx-cosim')
SECONDS = 240  # of a test; a longer one has noticed the mutant


class Copy(mutate.Tree):
    """The copy that holds the mutants, with one build of it, by preset ci (whose objects ccache may have)."""

    def __init__(self, source, folder):
        # pylint: disable=super-init-not-called
        self.tree, self.source, self.plain, self.seen, self.jobs = folder / 'tree', source, {}, folder / 'seen', 1
        self.running, self.ending, self.tests = set(), False, {}
        self.build, self.isolated = self.tree / 'build', [mutate.HERE / 'isolated.sh', folder]
        self.copy()
        shared = (source / '../shared').resolve()
        if shared.is_dir() and not (folder / 'shared').is_symlink():
            (folder / 'shared').symlink_to(shared)
        self.must(['cmake', '-G', 'Ninja', '-S', self.tree, '-B', self.build, '--preset', 'ci', f'-DONYX_MODELS_DIR={source}/build/models'])

    def read(self, names):
        run = subprocess.run(['ctest', '--test-dir', self.build, '--show-only=json-v1'], capture_output=True, text=True, check=True)
        found = self.tests[self.build] = {t['name']: t for t in json.loads(run.stdout)['tests']}
        # 'texts choices': a part of a test, by the arguments behind its command.
        found.update({name: {**found[name.split()[0]], 'command': found[name.split()[0]]['command'] + name.split()[1:]}
                      for name in names if ' ' in name})

    def counts(self, name):
        return self.build / 'counts' / name


def row_of(rows, path):
    """The first row with a pattern of the path."""
    return next((row for row in rows if any(fnmatch.fnmatch(path, pattern) for pattern in row['files'])), None)


def drawn(tree, rows, seed, of):
    """Mutants by area, at random; no two of a line."""
    found = {}
    for path in sorted(str(p.relative_to(tree)) for pattern in {f for row in rows for f in row['files']} for p in tree.glob(pattern)):
        row = row_of(rows, path)
        if (not of.area or row['area'] in of.area) and (not of.file or path in of.file):
            found.setdefault(row['area'], []).extend(mutate.mutants_of(path, (tree / path).read_text()))
    for area, all_of_them in found.items():
        random.Random(f'{seed} {area}').shuffle(all_of_them)
        seen = set()
        found[area] = [m for m in all_of_them if m[:2] not in seen and not seen.add(m[:2])]
    return found


class Trials:
    """The tests by name, and which of them passed without a mutant, kept in FOLDER."""

    def __init__(self, tree, programs, folder):
        self.tree, self.programs, self.kept = tree, programs, folder / 'plain.json'
        self.passes = json.loads(self.kept.read_text()) if self.kept.is_file() else {}

    def fails(self, name):
        """Whether the test fails with its programs as the tree is now; None: they cannot be built."""
        made = mutate.make_of(self.tree, self.programs, [name])
        return self.tree.run(name, SECONDS)[0] is False if made else None

    def verdict(self, mutant, tests):
        """(verdict, the test that notices the mutant)."""
        path, number, _, new = mutant
        file = self.tree.tree / path
        text = file.read_text()
        lines = text.split('\n')
        lines[number] = new
        if path not in self.tree.plain:
            self.tree.plain[path] = self.tree.object_code(path)
        try:
            file.write_text('\n'.join(lines))
            code = self.tree.object_code(path)
            if code == self.tree.plain[path]:
                return 'equivalent', 'the same code'
            for name in tests if code else ():
                failed = self.fails(name)
                if failed is None:
                    return 'no C', name
                if failed and name not in self.passes:
                    file.write_text(text)
                    self.passes[name] = not self.fails(name)
                    self.kept.write_text(json.dumps(self.passes))
                    file.write_text('\n'.join(lines))
                if failed and self.passes[name]:
                    return 'noticed', name
            return ('survived' if code else 'no C'), ''
        finally:
            file.write_text(text)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('source', type=pathlib.Path)
    options.add_argument('folder', type=pathlib.Path)
    options.add_argument('seed')
    options.add_argument('--number', type=int, default=40)
    options.add_argument('--area', action='append')
    options.add_argument('--file', action='append')
    options.add_argument('--test', action='append')
    options.add_argument('--minutes', type=float, default=600)
    o = options.parse_args()
    source, folder = o.source.resolve(), o.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    mutate.limits()
    os.environ['ONYX_NO_SYNC'] = '1'
    rows = json.loads((mutate.HERE / 'areas.json').read_text())
    programs = mutate.programs_of(json.loads((mutate.HERE / 'tests.json').read_text()))
    # Programs with Verilated models have no line of the areas: those of SOURCE serve.
    programs = {name: [p for p in wanted if p not in VERILATED] for name, wanted in programs.items()}
    programs.update({name: programs[name.split()[0]] for row in rows for name in row['tests']})
    for row in rows:
        row['tests'] = o.test or row['tests']
    tree = Copy(source, folder)
    found = drawn(tree.tree, rows, o.seed, o)
    names = {name for row in rows if row['area'] in found for name in row['tests']}
    if not tree.make(sorted({p for name in names for p in programs[name]})):
        sys.exit('the programs cannot be built')
    for name in VERILATED:
        if (source / 'build' / name).is_file():
            shutil.copy(source / 'build' / name, tree.build)
    tree.read(names)
    trials = Trials(tree, programs, folder)
    os.environ['CCACHE_DISABLE'] = '1'
    known, kept = mutate.reasons(), folder / f'areas-{o.seed}.json'
    results = json.loads(kept.read_text()) if kept.is_file() else {}
    end, left, counted = time.monotonic() + 60 * o.minutes, {area: list(all_of_them) for area, all_of_them in found.items()}, 0
    areas = sorted(left)
    for i in range(sum(map(len, found.values())) + len(areas)):
        area = areas[counted % len(areas)] if left[areas[counted % len(areas)]] else next((a for a in areas if left[a]), None)
        if area is None or counted == o.number or time.monotonic() > end:
            break
        mutant = left[area].pop(0)
        path, number, old, new = mutant
        key = f'{path}:{number + 1}: {old.strip()} -> {new.strip()}'
        if key not in results:
            begin = time.monotonic()
            if (path, old.strip(), new.strip()) in known:
                results[key] = ['listed', known[path, old.strip(), new.strip()]]
            else:
                results[key] = trials.verdict(mutant, row_of(rows, path)['tests'])
            kept.write_text(json.dumps(results, indent=1))
            print(f'{results[key][0]:10} {time.monotonic() - begin:4.0f} s {key} : {results[key][1]}', flush=True)
        counted += results[key][0] in ('noticed', 'survived')
    judged = [v for v, _ in results.values()]
    noticed, survived = judged.count('noticed'), judged.count('survived')
    print(f'{noticed} of {noticed + survived} noticed{mutate.share(noticed, noticed + survived)}')
    return 10 * noticed < 9 * (noticed + survived)


if __name__ == '__main__':
    sys.exit(main())
