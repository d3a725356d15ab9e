"""Changes single lines of the C rooms and looks which of the changes the tests notice.

mutate.py SOURCE FOLDER [--room ROOM]... [--minutes M] [--map-minutes M] [--seed N] [--mutants N] [--seconds S] [--jobs N] [--again] [--list]

A copy of SOURCE with two build trees of its own lies in FOLDER, which is best on a RAM disk, but not below /dev, and stays
there for the next time. One is quick; of the other gcov counts the lines.
First every test of tests.json runs once without a mutant; one that fails is listed and left out, and so is one that fails
where gcov does not count, when it would notice its first mutant. gcov says which lines each of them executes; map/ keeps that, and a
test runs anew where it or a source has changed, the cheapest first for --map-minutes (60); what is not mapped then is left out. A mutant is one token or one
statement of one line: its file is compiled, and the tests that execute the line run, the quickest and those that execute
little but this room before the others, and those that have noticed mutants of the same file, as the results in FOLDER say,
until one fails or takes 5 times as long as without the mutant and 10 s. Then it was noticed. --jobs (2) of them run beside
one another. No test begins when the processors have spent --seconds (240) on the mutant. What holds a mutant runs in namespaces of its own, in
which it can write in FOLDER alone (isolated.sh). One that survives is tried once more, its file compiled with the sanitizer for
undefined behaviour, by the quick tests, which the presets asan and fuzz run with it, too. A line that no test executes
has no test to try: its mutant survives, and the list says so. One whose object code is that of the line as it was is
equivalent, and so is one that survivors.txt says to be; one that the compiler refuses is none. Every room has a share in
proportion to its lines; the seed decides which lines come first. --minutes (60) of tries are made, up to --mutants;
results-SEED.json keeps them, so that an hour can be made of pieces: the same command goes on where the last one ended.
--again tries those anew that survived, by the tests that have changed since or that the seconds did not suffice for. Ends
with 1 where less than nine tenths of the mutants were noticed. --list prints the mutants there are, in their order, and
tries none.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import json
import math
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

from mutants import all_mutants, rooms_of

HERE = pathlib.Path(__file__).parent
CHECKS = ('check_pages.py', 'check_reports.py', 'check_summary.py', 'sarif.schema.json')


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


@contextlib.contextmanager
def workers(tree):
    """Threads that run tests; what ends this program ends the tests, and none begins."""
    with concurrent.futures.ThreadPoolExecutor(tree.jobs) as pool:
        try:
            yield pool
        except BaseException:
            tree.ending = True
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(tree.running):
                kill_group(process)
            raise


def spent():
    """Seconds of processor time of finished child programs."""
    of = resource.getrusage(resource.RUSAGE_CHILDREN)
    return of.ru_utime + of.ru_stime


def programs_of(table):
    """For each test of tests.json the programs that it wants; OWN is the one of its name."""
    return {test: [test if p == 'OWN' else p for p in row['programs']] for row in table for test in row['tests']}


class Tree:
    """The copy that is changed, and two builds of it: a quick one, which holds the mutants, and one whose lines gcov counts."""

    def __init__(self, source, folder, jobs):
        self.tree, self.source, self.plain, self.seen, self.jobs = pathlib.Path(folder, 'tree'), source, {}, pathlib.Path(folder, 'seen'), jobs
        self.running, self.ending = set(), False
        self.build, self.counted = self.tree / 'build', self.tree / 'build-lines'
        self.isolated = [HERE / 'isolated.sh', folder]
        self.copy()
        shared = pathlib.Path(source, '..', 'shared').resolve()
        link = pathlib.Path(folder, 'shared')
        if shared.is_dir() and not link.is_symlink():
            link.symlink_to(shared)
        self.tests = {}
        for build, flags in ((self.build, ''), (self.counted, f'--coverage -include {HERE}/counted.h ')):
            generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
            linker = ' -fuse-ld=lld' if shutil.which('ld.lld') else ''
            self.must(['cmake', *generator, '-S', self.tree, '-B', build, '-DCMAKE_BUILD_TYPE=Debug', f'-DCMAKE_C_FLAGS=-O1 {flags}-g0{linker}',
                       '-DCMAKE_C_FLAGS_DEBUG=', f'-DONYX_MODELS_DIR={source}/build/models'])
        self.must([*self.isolated, 'true'])

    def copy(self):
        """Brings the copy up to date; what is equal keeps its time, so that it is not built again."""
        names = subprocess.run(['git', '-C', self.source, 'ls-files', '--cached', '--others', '--exclude-standard'], check=True,
                               capture_output=True, text=True).stdout.split('\n')
        for name in filter(None, names):
            of, to = pathlib.Path(self.source, name), self.tree / name
            if not of.is_file() or (to.is_file() and to.read_bytes() == of.read_bytes()):
                continue
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(of, to)

    def must(self, command):
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f'{" ".join(map(str, command))}:\n{run.stdout[-3000:]}{run.stderr[-3000:]}')

    def make(self, targets, build=None, isolated=()):
        return subprocess.run([*isolated, 'cmake', '--build', build or self.build, '-j', str(self.jobs), '--target', *targets], capture_output=True,
                              text=True, check=False).returncode == 0

    def read_tests(self):
        for build in (self.build, self.counted):
            listing = subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], capture_output=True, text=True, check=True)
            self.tests[build] = {t['name']: t for t in json.loads(listing.stdout)['tests']}

    def labels(self, name):
        properties = {p['name']: p['value'] for p in self.tests[self.build].get(name, {}).get('properties', ())}
        return properties.get('LABELS', ())

    def run(self, name, limit, build=None, first=False):
        """Whether the test passes in that time, None where it is skipped or cannot run; and the seconds that it took. The first run
        records what its commands do (tests/record/behaviour.py), and later ones compare themselves with that."""
        build = build or self.build
        test = self.tests[build].get(name, {})
        if 'command' not in test:
            return None, 0
        properties = {p['name']: p['value'] for p in test['properties']}
        environment = dict(os.environ, TMPDIR=str(build / 'tmp'), CMOCKA_TEST_ABORT='0')
        environment.update(e.split('=', 1) for e in properties.get('ENVIRONMENT', []))
        # What gcov counts has no place of its own in the build tree: a program that is full would say that it does not fit.
        environment['GCOV_PREFIX'] = str(self.counts(name))
        (build / 'tmp').mkdir(exist_ok=True)
        seen = self.seen / name
        if first:
            shutil.rmtree(seen, ignore_errors=True)
            seen.mkdir(parents=True)
        if first or self.records(name):
            environment['SEEN'] = str(seen)
        start = time.monotonic()
        process = subprocess.Popen([*self.isolated, *test['command']], cwd=properties.get('WORKING_DIRECTORY', build), env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.running.add(process)
        if self.ending:
            kill_group(process)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = -1
        kill_group(process)
        process.wait()
        self.running.discard(process)
        return None if code == properties.get('SKIP_RETURN_CODE', 77) else code == 0, time.monotonic() - start

    def records(self, name):
        """Whether the test has a record of its commands."""
        return any((self.seen / name).glob('*'))

    def run_some(self, names, limits, end):
        """Runs tests beside one another, until one fails or the processors have spent that much time: whether each of them passes that was run
        to its end. Beside other work tests may take longer."""
        found, failed, busy = {}, [], max(1, os.getloadavg()[0] / (os.cpu_count() or 1))

        def one(name):
            if not failed and spent() <= end:
                passes = self.run(name, limits[name] * busy)[0]
                if not failed:
                    found[name] = passes
                    if not passes:
                        failed.append(name)
                        for other in list(self.running):
                            kill_group(other)

        with workers(self) as pool:
            list(pool.map(one, names))
        return found

    def counts(self, name):
        return self.tree.parent / 'counts' / name

    def executed(self, name):
        """The lines executed by a test, and all executable lines, by file."""
        found, counts = {}, self.counts(name)
        for data in counts.rglob('*.gcda'):
            notes = (pathlib.Path('/') / data.relative_to(counts)).with_suffix('.gcno')
            if notes.is_file():
                shutil.copy(notes, data.with_suffix('.gcno'))
        # Rooms' lines that a test has built for itself are below '__'.
        tests = counts / self.counted.relative_to('/') / 'tests'
        data = [str(d) for d in counts.rglob('*.gcda') if not d.is_relative_to(tests) or '__' in d.parts]
        for i in range(0, len(data), 50):
            run = subprocess.run(['gcov', '--json-format', '--stdout', *data[i:i + 50]], capture_output=True, text=True, check=False)
            for one in run.stdout.split('\n'):
                for file in json.loads(one)['files'] if one.startswith('{') else []:
                    path = pathlib.Path(file['file'])
                    if path.suffix == '.c' and path.is_relative_to(self.tree):
                        there, ran = found.setdefault(str(path.relative_to(self.tree)), (set(), set()))
                        there.update(line['line_number'] for line in file['lines'])
                        ran.update(line['line_number'] for line in file['lines'] if line['count'])
        shutil.rmtree(counts, ignore_errors=True)
        return found

    def compile(self, path, options, out):
        """Compiles a file with more options to another place: that place, or None."""
        entries = json.loads((self.build / 'compile_commands.json').read_text())
        entry = next((e for e in entries if pathlib.Path(e['file']) == self.tree / path), None)
        if not entry:
            return None
        words = [w for w in entry['command'].split() if not w.startswith('-g')] + options
        words[words.index('-o') + 1] = str(out)
        run = subprocess.run(' '.join(words) + ' -w', shell=True, cwd=entry['directory'], capture_output=True, check=False)
        return out if run.returncode == 0 else None

    def object_code(self, path):
        """The machine code of a file, without what says where its lines are."""
        made = self.compile(path, ['-O2'], self.build / 'mutant.o')
        return made and made.read_bytes()

    def digests(self):
        """Of every test all that it depends on: the rooms, the data, and what lies in the folder of its files beside other tests' own;
        and, since no line is executed by them, with what looks at the results alone (CHECKS)."""
        def of(paths, checks=False):
            total = hashlib.sha256()
            for path in sorted(paths):
                if path.is_file() and not {'mutation_c', '__pycache__'} & set(path.parts) and (checks or path.name not in CHECKS):
                    total.update(str(path).encode() + b'\0' + path.read_bytes())
            return total.hexdigest()

        tops = [*rooms_of(self.tree), 'tests/data', 'tests/notation', 'boards', 'formats', 'examples', 'functions', 'bindings']
        recorders = [self.tree / 'tests/record' / name for name in ('behaviour.py', 'record.py')]
        common, folders, found, kept = of([*recorders, *(p for top in tops for p in (self.tree / top).rglob('*'))]), {}, {}, {}
        checks = of((self.tree / 'tests/flow' / name for name in CHECKS), True)
        sources = {p.stem: p for p in (self.tree / 'tests').rglob('*.c')}
        for name, test in self.tests[self.build].items():
            files = [p for p in map(pathlib.Path, test.get('command', ())) if p.is_relative_to(self.tree / 'tests')]
            files += [p for p in (sources.get(pathlib.Path(test.get('command', [''])[0]).name),) if p]
            for file in files:
                if file.parent not in folders:
                    folders[file.parent] = of(p for p in file.parent.iterdir() if p.suffix in ('.py', '.sh', '.h'))
            found[name] = hashlib.sha256(' '.join([common, of(files), *(folders[f.parent] for f in files)]).encode()).hexdigest()
            kept[name] = hashlib.sha256((found[name] + checks).encode()).hexdigest()
        return found, kept


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A sanitizer maps more of it: a test whose programs have one lifts the limit for them.
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))


def reasons():
    """What survivors.txt says: 'FILE: line -> line : reason', blanks around the lines do not count."""
    found = {}
    for line in (HERE / 'survivors.txt').read_text().split('\n'):
        if line and not line.startswith('#'):
            path, rest = line.split(': ', 1)
            change, reason = rest.rsplit(' : ', 1)
            old, new = change.split(' -> ', 1) if ' -> ' in change else change.split(' ->', 1)
            found[path, old.strip(), new.strip()] = reason
    return found


class Map:
    """The tests that pass without a mutant, their seconds, and their executed lines."""

    def __init__(self, tree, programs, folder, minutes):
        kept = pathlib.Path(folder, 'map')
        digests, self.seen = tree.digests()
        kept.mkdir(exist_ok=True)
        self.tests = {file.stem: json.loads(file.read_text()) for file in kept.glob('*.json')}
        self.tests = {name: t for name, t in self.tests.items() if t['of'] == digests.get(name)}
        costs = dict(line.split()[::2] for line in (tree.tree / 'tests/costs.txt').read_text().split('\n') if len(line.split()) == 3)
        missing = sorted((name for name in programs if name not in self.tests), key=lambda name: float(costs.get(name, 0)))
        end = time.monotonic() + 60 * minutes
        if missing and minutes:
            if not tree.make(sorted({p for name in missing for p in programs[name]}), tree.counted):
                sys.exit('the programs that gcov counts cannot be built')
            tree.read_tests()  # of a test whose program was not there before, nothing was known
        # What runs on the emulated processor gcov does not see, nor what Python's children run, which end without saying.
        self.unseen = {folder: [name for name, wanted in programs.items() if program in wanted]
                       for folder, program in (('firmware/target', 'onyx-cosim'), ('bindings', 'onyx_bindings'))}
        with workers(tree) as pool:
            tries = {pool.submit(lambda name: time.monotonic() < end and self.look(tree, name), name): name for name in missing}
            for tried in concurrent.futures.as_completed(tries):  # one that waits keeps no other from being written
                name, row = tries[tried], tried.result()
                if row:
                    self.tests[name] = {'of': digests.get(name)} | row
                    (kept / f'{name}.json').write_text(json.dumps(self.tests[name]))
                else:
                    print(f'left out: {name} has not been mapped', flush=True)
        self.kept_passes = pathlib.Path(folder, 'passes.json')
        passes = json.loads(self.kept_passes.read_text()) if self.kept_passes.is_file() else {}
        self.passes = {name for name, seen in passes.items() if seen == self.seen.get(name)}
        self.noticed, self.tried = collections.Counter(), collections.Counter()
        for results in pathlib.Path(folder).glob('results-*.json'):
            for key, result in json.loads(results.read_text()).items():
                self.learn(key.split(': ')[0], result)
        self.limits = {name: 10 + 5 * test['seconds'] for name, test in self.tests.items()}
        self.there, self.ran, self.size, self.records = collections.defaultdict(set), collections.defaultdict(list), {}, set()
        for name in self.tests.keys() & programs:
            test = self.tests[name]
            if not test['passes']:
                print(f'left out: {name} {"is skipped" if test["passes"] is None else "fails"} without a mutant', flush=True)
                continue
            self.size[name] = sum(map(len, test['ran'].values()))
            if tree.records(name):
                self.records.add(name)
            for path in test['ran']:
                self.there[path].update(test['there'][path])
                for line in test['ran'][path]:
                    self.ran[path, line].append(name)

    def leave_out(self, name):
        for names in self.ran.values():
            if name in names:
                names.remove(name)

    @staticmethod
    def look(tree, name):
        """Runs a test where gcov counts."""
        passes, took = tree.run(name, 600, tree.counted, True)
        if passes is False:  # which a few do where every program leaves files behind
            passes, took = tree.run(name, 600, first=True)
        found = {'seconds': took, 'passes': passes, 'there': {}, 'ran': {}}
        for path, (there, ran) in tree.executed(name).items() if passes else ():
            found['there'][path], found['ran'][path] = sorted(there), sorted(ran)
        return found

    def passed_plain(self, name):
        """Keeps that a test has passed without a mutant where gcov does not count."""
        if name not in self.passes:
            self.passes.add(name)
            self.kept_passes.write_text(json.dumps({one: self.seen[one] for one in sorted(self.passes)}))

    def learn(self, path, result):
        """Takes in which tests passed with a mutant of that file, and which one noticed it."""
        room = str(pathlib.Path(path).parent)
        if result['verdict'] == 'noticed':
            self.noticed.update([(result['why'], path), (result['why'], room)])
        elif result['verdict'] != 'survived':
            return
        for name in [*result.get('passed', ()), *([result['why']] if result['verdict'] == 'noticed' else [])]:
            self.tried.update([(name, path), (name, room)])

    def cost(self, name, path):
        """Seconds of a test for each mutant that it will notice: more notice those that execute much of the file, little else than its room,
        that record all that they see, and that have noticed others of the file or the room."""
        test, room = self.tests[name], str(pathlib.Path(path).parent)
        near = sum(len(lines) for file, lines in test['ran'].items() if str(pathlib.Path(file).parent) == room)
        much = len(test['ran'].get(path, ())) / max(1, len(self.there[path]))
        chance = (0.04 + 0.4 * near / self.size[name] + (0.3 if name in self.records else 0)) * (0.4 + 0.6 * much)
        tried, noticed = (counts[name, path] + counts[name, room] / 4 for counts in (self.tried, self.noticed))
        return (test['seconds'] + 0.3) / ((4 * chance + noticed) / (4 + tried))

    def tests_of(self, path, number):
        """The tests that execute a line (its number from 0), the quickest and nearest ones first; a line of which gcov knows
        nothing goes with the one before it."""
        there = [line for line in self.there.get(path, ()) if line <= number + 1]
        names = self.ran.get((path, max(there)), []) if there else []
        names = {*names, *self.unseen.get(str(pathlib.Path(path).parent), ())} & self.size.keys()
        return sorted(names, key=lambda name: (self.cost(name, path), name))


def verdict_of(tree, mutant, programs, found, seconds, passed):
    """Builds and tries one mutant: (verdict, what noticed it). No test begins when the processors have spent that many seconds; those in
    'passed' are not tried again, and what passes is put there. A test that fails for the first time has to pass without the mutant."""
    _, path, number, _, new = mutant
    file = tree.tree / path
    text = file.read_text()
    lines = text.split('\n')
    lines[number] = new
    if path not in tree.plain:
        tree.plain[path] = tree.object_code(path)
    begin, ahead = spent(), tree.jobs
    try:
        file.write_text('\n'.join(lines))
        left = [name for name in found.tests_of(path, number) if passed.get(name) != found.seen[name]]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            built = pool.submit(make_of, tree, programs, left[:ahead])
            changed = tree.object_code(path)
            if changed is None or not built.result():
                return 'no C', ''
        if changed == tree.plain[path]:
            return 'equivalent', 'the same code'
        while left and spent() <= begin + seconds:
            # The more tests have passed, the more of the next ones are linked at once.
            some = left[:ahead]
            if not make_of(tree, programs, some):
                return 'no C', ''
            tries = tree.run_some(some, found.limits, begin + seconds)
            for name, passes in tries.items():
                if passes:
                    found.passed_plain(name)
                    passed[name] = found.seen[name]
                    continue
                if name in found.passes or passes_plain(tree, file, text, programs, found, name):
                    found.passed_plain(name)
                    return 'noticed', name
                print(f'left out: {name} fails without a mutant', flush=True)
                found.leave_out(name)
                file.write_text('\n'.join(lines))
            left = [name for name in found.tests_of(path, number) if passed.get(name) != found.seen[name]]
            ahead = min(3 * ahead, 24)
        names = found.tests_of(path, number)
        by = sanitizers_notice(tree, path, number, text, programs, found, spent() + seconds / 4)
        if by:
            return 'noticed', f'{by} with sanitizers'
        count = sum(passed.get(name) == found.seen[name] for name in names)
        return 'survived', f'{count} of {len(names)} tests passed' if names else 'not executed'
    finally:
        file.write_text(text)


def sanitizers_notice(tree, path, number, plain, programs, found, end):
    """Tries the mutant once more, its file with the sanitizer for undefined behaviour, by the quick tests, which run with that in the presets
    asan and fuzz, too: the one that fails, and passes where the file says what it should."""
    quick = [name for name in found.tests_of(path, number) if 'quick' in tree.labels(name)]
    failed = first_failing(tree, path, programs, found, quick, end)
    (tree.tree / path).write_text(plain)
    return failed if failed and not first_failing(tree, path, programs, found, [failed], end + 60) else None


def first_failing(tree, path, programs, found, names, end):
    """The first test that fails where the file is compiled with that sanitizer; none begins after `end` (spent). The build knows nothing of
    it: the file is what the compiler makes of it."""
    made = names and tree.compile(path, ['-fsanitize=undefined', '-fsanitize-undefined-trap-on-error', '-S'], tree.build / 'mutant.s')
    if made:
        (tree.tree / path).write_text(f'__asm__(".include \\"{made}\\"");\n')
        for name in names:
            if spent() <= end and make_of(tree, programs, [name]) and tree.run(name, 3 * found.limits[name])[0] is False:
                return name
    return None


def make_of(tree, programs, names):
    wanted = {program for name in names for program in programs[name]}
    return not wanted or tree.make(sorted(wanted), isolated=tree.isolated)


def passes_plain(tree, file, text, programs, found, name):
    file.write_text(text)
    return tree.make(programs[name]) and tree.run(name, found.limits[name])[0]


def share(noticed, all_of_them):
    """Wilson's interval of 95 % around a share, as text."""
    if not all_of_them:
        return ''
    p, z, n = noticed / all_of_them, 1.96, all_of_them
    middle, half = p + z * z / 2 / n, z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f': {100 * p:.1f} %, with 95 % certainty between {100 * low:.1f} and {100 * high:.1f} %'


def table_of_results(results, rooms):
    """Prints how many of each room were noticed; whether nine tenths of all were."""
    counts = {room: collections.Counter(r['verdict'] for r in results.values() if r['room'] == room) for room in rooms}
    print(f'{"room":20} noticed survived listed equivalent')
    for room, c in counts.items():
        print(f'{room:20} {c["noticed"]:7} {c["survived"]:8} {c["listed"]:6} {c["equivalent"]:10}')
    noticed, survived = (sum(c[v] for c in counts.values()) for v in ('noticed', 'survived'))
    print(f'{noticed} of {noticed + survived} noticed{share(noticed, noticed + survived)}')
    return 10 * noticed >= 9 * (noticed + survived)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('source', type=pathlib.Path)
    options.add_argument('folder', type=pathlib.Path)
    options.add_argument('--room', action='append')
    options.add_argument('--minutes', type=float, default=60)
    options.add_argument('--map-minutes', type=float, default=60)
    options.add_argument('--seed', default='1')
    options.add_argument('--mutants', type=int, default=1 << 30)
    options.add_argument('--seconds', type=float, default=240)
    options.add_argument('--jobs', type=int, default=2)
    options.add_argument('--again', action='store_true')
    options.add_argument('--list', action='store_true')
    o = options.parse_args()
    programs = programs_of(json.loads((HERE / 'tests.json').read_text()))
    rooms = o.room or rooms_of(o.source)
    if o.list:
        for room, path, number, old, new in all_mutants(o.source, rooms, o.seed):
            print(f'{path}:{number + 1}: {old.strip()} -> {new.strip()}')
        return 0
    if o.folder.resolve().is_relative_to('/dev'):
        sys.exit(f'{o.folder}: programs with a mutant have a /dev of their own, so they would not find it; another folder')
    limits()
    os.environ['CCACHE_DISABLE'] = '1'
    signal.signal(signal.SIGTERM, lambda *_: sys.exit('ended'))
    known = reasons()
    tree = Tree(o.source.resolve(), o.folder.resolve(), o.jobs)
    if not tree.make(sorted({p for wanted in programs.values() for p in wanted})):
        sys.exit('the programs cannot be built')
    tree.read_tests()
    found = Map(tree, programs, o.folder, o.map_minutes)
    if not found.size:
        sys.exit('no test passes without a mutant: nothing could be noticed')
    kept = o.folder / f'results-{o.seed}.json'
    results = json.loads(kept.read_text()) if kept.is_file() else {}
    end = time.monotonic() + 60 * o.minutes
    for mutant in all_mutants(tree.tree, rooms, o.seed):
        room, path, number, old, new = mutant
        key = f'{path}: {old.strip()} -> {new.strip()}'
        before = results.get(key, {})
        if before and not (o.again and before['verdict'] == 'survived'):
            continue
        if time.monotonic() > end or (not before and sum(r['verdict'] != 'no C' for r in results.values()) >= o.mutants):
            break
        passed, begin = before.get('passed', {}), time.monotonic()
        verdict, why = verdict_of(tree, mutant, programs, found, o.seconds, passed)
        if verdict == 'survived' and (path, old.strip(), new.strip()) in known:
            verdict, why = 'listed', known[path, old.strip(), new.strip()]
        results[key] = {'room': room, 'verdict': verdict, 'why': why} | ({'passed': passed} if passed else {})
        found.learn(path, results[key])
        kept.write_text(json.dumps(results, indent=1))
        if verdict != 'no C':
            print(f'{verdict:10} {time.monotonic() - begin:4.0f} s {path}:{number + 1}: {old.strip()} -> {new.strip()} : {why}', flush=True)
    return not table_of_results(results, rooms)


if __name__ == '__main__':
    sys.exit(main())
