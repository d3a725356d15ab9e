"""Changes single lines of the C rooms and looks which of the changes the tests notice.

mutate.py SOURCE FOLDER [--room ROOM]... [--minutes M] [--seed N] [--mutants N] [--seconds S] [--again] [--list]

A copy of SOURCE with a build tree of its own lies in FOLDER, which is best on a RAM disk, but not below /dev, and
stays there for the next time.
First every test of rooms.json runs once without a mutant; one that fails is listed and left out. gcov says which lines each
of them executes (map.json, made anew where a source or a test has changed). A mutant is one token or one statement of one
line: its file is compiled, and the tests that execute the line run, those of its room first and the quickest of them before
the others, each linked when its turn comes, until one fails or takes 5 times as long as without the mutant and 10 s. Then it
was noticed. No test begins when those before it took --seconds (60). What holds a mutant runs in namespaces of its own, in
which it can write in FOLDER alone (isolated.sh). A line that no test executes
has no test to try: its mutant survives, and the list says so. One whose object code is that of the line as it was is
equivalent, and so is one that survivors.txt says to be; one that the compiler refuses is none. Every room has a share in
proportion to its lines; the seed decides which lines come first. --minutes (60) of tries are made, up to --mutants;
results-SEED.json keeps them, so that an hour can be made of pieces: the same command goes on where the last one ended.
--again tries those anew that survived. Ends with 1 where less than nine tenths of the mutants were noticed. --list prints
the mutants there are, in their order, and tries none.
"""
import argparse
import collections
import hashlib
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
TOKEN = re.compile(r'''//.*|/\*.*?(?:\*/|$)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d\w*(?:\.\w*)?|'''
                   r'''<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S''')
OTHER = {'<': ['<='], '<=': ['<'], '>': ['>='], '>=': ['>'], '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
         '+=': ['-='], '-=': ['+='], '|=': ['&=', '='], '++': ['--'], '--': ['++'], '<<': ['>>'], '>>': ['<<'], '^': ['|'],
         'true': ['false'], 'false': ['true'], 'continue': ['break'], '0': ['1'], '1': ['0', '2']}
BINARY = {'+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '&': '|', '|': '&'}
STATEMENT = re.compile(r'\s+(?:[\w.\[\]>*-]+(?:\+\+|--)|(?:\w+|\w[\w.\[\]>*+ -]*[\w\]])(?:\(.*\)| (?:[-+|&*/%^]|<<|>>)?= .*));$')
DECLARATION = re.compile(r'\s+(?:const |static |enum |struct |unsigned |return\b|goto\b|typedef\b|case\b)|\s+[\w ]+[ *]+\w+(?:\[\w*\])? = ')


def mutants_of_line(line):
    """All lines that one change makes of this one, without those in comments and strings."""
    tokens = [(m.start(), m.group()) for m in TOKEN.finditer(line)]
    code = [(at, text) for at, text in tokens if not text.startswith(('//', '/*', '"', "'"))]
    for i, (at, text) in enumerate(code):
        before = code[i - 1][1] if i else ''
        behind = line[at + len(text):at + len(text) + 1]
        others = list(OTHER.get(text, []))
        operand = re.fullmatch(r'\w+|\)|\]', before) and before not in ('return', 'case', 'sizeof')
        if text in BINARY and operand and line[at - 1:at] == ' ' and behind == ' ':
            others.append(BINARY[text])
        if text == '!':
            others.append('')
        if re.fullmatch(r'\d+u?', text) and text not in OTHER:
            others += [str(int(text.rstrip('u')) + 1), str(int(text.rstrip('u')) - 1)]
        for other in others:
            # Room for one element more changes nothing.
            if 'arena_new_n(' in line[:at] and re.fullmatch(r'\d+', other) and text.isdigit() and int(other) > int(text):
                continue
            yield line[:at] + other + line[at + len(text):]
    condition = re.fullmatch(r'(.*\b(?:if|while) \()(.*)(\)(?: \{)?)', line)
    if condition and condition.group(2).count('(') == condition.group(2).count(')'):
        yield f'{condition.group(1)}!({condition.group(2)}){condition.group(3)}'
        if ' if ' in ' ' + line.strip():
            yield f'{condition.group(1)}false && ({condition.group(2)}){condition.group(3)}'
    if STATEMENT.fullmatch(line) and not DECLARATION.match(line) and line.count('(') == line.count(')'):
        yield re.match(r'\s*', line).group() + ';'


def code_lines(text):
    """Numbers of the lines that are in functions: not in comments, in the preprocessor's lines or outside of braces."""
    inside, comment = False, False
    for number, line in enumerate(text.split('\n')):
        start = comment
        comment = comment and '*/' not in line or re.search(r'/\*(?!.*\*/)', line) is not None
        if re.match(r'[\w ].*\) \{$', line) or (line == '{'):
            inside = not line.startswith(('typedef', 'enum', 'struct')) and ' = {' not in line
            continue
        if line.startswith('}'):
            inside = False
        if inside and not start and not line.lstrip().startswith(('#', '/*', '*', 'BUG_IF')):
            yield number


def mutants_of(path, text):
    lines = text.split('\n')
    for number in code_lines(text):
        # A statement that goes over several lines is not dropped, but its parts are changed.
        whole = number == 0 or lines[number - 1].rstrip().endswith((';', '{', '}', ':', ')', '*/', 'else')) or not lines[number - 1].strip()
        for changed in mutants_of_line(lines[number]):
            if whole or changed.strip() != ';':
                yield path, number, lines[number], changed


def all_mutants(source, rooms, seed):
    """Mutants in the order in which they are tried: rooms in proportion to their lines, at random within each, a line only once."""
    queues = {}
    for room in rooms:
        found = []
        for path in sorted(pathlib.Path(source, room).glob('*.c')) + sorted(pathlib.Path(source, room, 'target').glob('*.c')):
            found += mutants_of(str(path.relative_to(source)), path.read_text())
        random.Random(f'{seed} {room}').shuffle(found)
        seen = set()
        queues[room] = [(room, *m) for m in found if m[:2] not in seen and not seen.add(m[:2])]
    turns = [((i + 0.5) / len(queue), room, i) for room, queue in queues.items() for i in range(len(queue))]
    for _, room, i in sorted(turns):
        yield queues[room][i]


class Tree:
    """The copy that is changed, and its programs."""

    def __init__(self, source, folder):
        self.tree, self.build = pathlib.Path(folder, 'tree'), pathlib.Path(folder, 'tree', 'build')
        self.source, self.took, self.plain, self.counts = source, {}, {}, pathlib.Path(folder, 'counts')
        self.isolated = [HERE / 'isolated.sh', folder]
        self.copy()
        shared = pathlib.Path(source, '..', 'shared').resolve()
        link = pathlib.Path(folder, 'shared')
        if shared.is_dir() and not link.is_symlink():
            link.symlink_to(shared)
        generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
        linker = ' -fuse-ld=lld' if shutil.which('ld.lld') else ''
        self.must(['cmake', *generator, '-S', self.tree, '-B', self.build, '-DCMAKE_BUILD_TYPE=Debug',
                   f'-DCMAKE_C_FLAGS=--coverage -g0{linker}', '-DCMAKE_C_FLAGS_DEBUG=-O1', '-DCMAKE_EXE_LINKER_FLAGS=--coverage',
                   '-DCMAKE_SHARED_LINKER_FLAGS=--coverage', f'-DONYX_MODELS_DIR={source}/build/models'])
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

    def make(self, targets, isolated=()):
        return subprocess.run([*isolated, 'cmake', '--build', self.build, '-j', '2', '--target', *targets], capture_output=True, text=True,
                              check=False).returncode == 0

    def read_tests(self):
        listing = subprocess.run(['ctest', '--test-dir', self.build, '--show-only=json-v1'], capture_output=True, text=True, check=True)
        self.tests = {t['name']: t for t in json.loads(listing.stdout)['tests']}

    def run(self, name, limit):
        """Whether the test passes in that time; None where it is skipped or cannot run."""
        test = self.tests.get(name, {})
        if 'command' not in test:
            return None
        properties = {p['name']: p['value'] for p in test['properties']}
        environment = dict(os.environ, TMPDIR=str(self.build / 'tmp'), CMOCKA_TEST_ABORT='0')
        environment.update(e.split('=', 1) for e in properties.get('ENVIRONMENT', []))
        # What gcov counts has no place of its own in the build tree: a program with a mutant would say that it does not fit.
        shutil.rmtree(self.counts, ignore_errors=True)
        environment['GCOV_PREFIX'] = str(self.counts)
        (self.build / 'tmp').mkdir(exist_ok=True)
        start = time.monotonic()
        process = subprocess.Popen([*self.isolated, *test['command']], cwd=properties.get('WORKING_DIRECTORY', self.build), env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = -1
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        self.took[name] = time.monotonic() - start
        return None if code == properties.get('SKIP_RETURN_CODE', 77) else code == 0

    def executed(self):
        """The lines that the last test executed, and those that there are to execute, by file."""
        found = {}
        for data in self.counts.rglob('*.gcda'):
            notes = (pathlib.Path('/') / data.relative_to(self.counts)).with_suffix('.gcno')
            if notes.is_file():
                shutil.copy(notes, data.with_suffix('.gcno'))
        tests = self.counts / self.build.relative_to('/') / 'tests'
        data = [str(d) for d in self.counts.rglob('*.gcda') if not d.is_relative_to(tests)]
        for i in range(0, len(data), 50):
            run = subprocess.run(['gcov', '--json-format', '--stdout', *data[i:i + 50]], capture_output=True, text=True, check=False)
            for one in run.stdout.split('\n'):
                for file in json.loads(one)['files'] if one.startswith('{') else []:
                    path = pathlib.Path(file['file'])
                    if path.suffix == '.c' and path.is_relative_to(self.tree):
                        there, ran = found.setdefault(str(path.relative_to(self.tree)), (set(), set()))
                        there.update(line['line_number'] for line in file['lines'])
                        ran.update(line['line_number'] for line in file['lines'] if line['count'])
        return found

    def object_code(self, path):
        """The machine code of a file, without what says where its lines are."""
        entries = json.loads((self.build / 'compile_commands.json').read_text())
        entry = next((e for e in entries if pathlib.Path(e['file']) == self.tree / path), None)
        if not entry:
            return None
        out = self.build / 'mutant.o'
        words = entry['command'].split()
        words = [w for w in words if not w.startswith('-g') and w != '--coverage'] + ['-O2']
        words[words.index('-o') + 1] = str(out)
        run = subprocess.run(' '.join(words) + ' -w', shell=True, cwd=entry['directory'], capture_output=True, check=False)
        return out.read_bytes() if run.returncode == 0 else None


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
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


def programs_of(table):
    """For each test the programs that it wants: that of its name, or what its stage has beside those of other tests."""
    found = {}
    for stage in (s for stages in table.values() for s in stages):
        others = [t for t in stage['targets'] if t not in stage['tests']]
        for test in stage['tests']:
            wanted = found.setdefault(test, [])
            wanted += [t for t in others + ([test] if test in stage['targets'] else []) if t not in wanted]
    return found


def digest(tree, rooms):
    """Of all that the map of lines depends on."""
    total = hashlib.sha256()
    for top in [*rooms, 'tests', 'boards', 'formats', 'examples']:
        for path in sorted((tree / top).rglob('*')):
            if path.is_file() and not {'mutation_c', '__pycache__'} & set(path.parts[len(tree.parts):]):
                total.update(str(path).encode() + b'\0' + path.read_bytes())
    return total.hexdigest()


def map_of(tree, table, folder):
    """Seconds of every test that passes without a mutant, and for each file and line the tests that execute it."""
    kept, now = pathlib.Path(folder, 'map.json'), digest(tree.tree, table)
    found = json.loads(kept.read_text()) if kept.is_file() else {}
    if found.get('of') != now:
        found = {'of': now, 'seconds': {}, 'left out': {}, 'lines': {}, 'there': {}}
        for name in programs_of(table):
            passes = tree.run(name, 600)
            if not passes:
                found['left out'][name] = 'fails' if passes is False else 'is skipped'
                continue
            found['seconds'][name] = tree.took[name]
            for path, (there, ran) in tree.executed().items():
                found['there'][path] = sorted(there.union(found['there'].get(path, ())))
                for line in ran:
                    found['lines'].setdefault(f'{path}:{line}', []).append(name)
        if found['seconds']:
            kept.write_text(json.dumps(found))
    for name, why in found['left out'].items():
        print(f'left out: {name} {why} without a mutant', flush=True)
    return found


def tests_of(found, path, number, own):
    """The tests that execute a line (its number from 0), those of its room first, the quickest of them before the others; a line
    of which gcov knows nothing goes with the one before it."""
    there = [line for line in found['there'].get(path, ()) if line <= number + 1]
    names = found['lines'].get(f'{path}:{there[-1]}', []) if there else []
    return sorted(names, key=lambda name: (name not in own, found['seconds'][name]))


def verdict_of(tree, mutant, table, found, seconds):
    """Builds and tries one mutant: (verdict, what noticed it). No test begins when those before it took that many seconds."""
    room, path, number, _, new = mutant
    programs, own = programs_of(table), {test for stage in table[room] for test in stage['tests']}
    file = tree.tree / path
    text = file.read_text()
    lines = text.split('\n')
    lines[number] = new
    try:
        file.write_text('\n'.join(lines))
        names, begin, done = tests_of(found, path, number, own), time.monotonic(), 0
        for name in names:
            if time.monotonic() > begin + seconds:
                break
            done += 1
            if not tree.make(programs[name], tree.isolated):
                return 'no C', ''
            if not tree.run(name, 10 + 5 * found['seconds'][name]):
                return 'noticed', name
        changed = tree.object_code(path)
        file.write_text(text)
        if path not in tree.plain:
            tree.plain[path] = tree.object_code(path)
        if changed is None:
            return 'no C', ''
        if changed == tree.plain[path]:
            return 'equivalent', 'the same code'
        return 'survived', f'{done} of {len(names)} tests passed' if names else 'not executed'
    finally:
        file.write_text(text)


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
    print(f'{"room":18} noticed survived listed equivalent')
    for room, c in counts.items():
        print(f'{room:18} {c["noticed"]:7} {c["survived"]:8} {c["listed"]:6} {c["equivalent"]:10}')
    noticed, survived = (sum(c[v] for c in counts.values()) for v in ('noticed', 'survived'))
    print(f'{noticed} of {noticed + survived} noticed{share(noticed, noticed + survived)}')
    return 10 * noticed >= 9 * (noticed + survived)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('source', type=pathlib.Path)
    options.add_argument('folder', type=pathlib.Path)
    options.add_argument('--room', action='append')
    options.add_argument('--minutes', type=float, default=60)
    options.add_argument('--seed', default='1')
    options.add_argument('--mutants', type=int, default=1 << 30)
    options.add_argument('--seconds', type=float, default=60)
    options.add_argument('--again', action='store_true')
    options.add_argument('--list', action='store_true')
    o = options.parse_args()
    table = json.loads((HERE / 'rooms.json').read_text())
    rooms = o.room or list(table)
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
    tree = Tree(o.source.resolve(), o.folder.resolve())
    if not tree.make(sorted({t for stages in table.values() for s in stages for t in s['targets']})):
        sys.exit('the programs cannot be built')
    tree.read_tests()
    found = map_of(tree, table, o.folder)
    if not found['seconds']:
        sys.exit('no test passes without a mutant: nothing could be noticed')
    kept = o.folder / f'results-{o.seed}.json'
    results = json.loads(kept.read_text()) if kept.is_file() else {}
    if o.again:
        results = {key: r for key, r in results.items() if r['verdict'] != 'survived'}
    end = time.monotonic() + 60 * o.minutes
    for mutant in all_mutants(tree.tree, rooms, o.seed):
        room, path, number, old, new = mutant
        key = f'{path}: {old.strip()} -> {new.strip()}'
        if key in results:
            continue
        if time.monotonic() > end or sum(r['verdict'] != 'no C' for r in results.values()) >= o.mutants:
            break
        verdict, why = verdict_of(tree, mutant, table, found, o.seconds)
        if verdict == 'survived' and (path, old.strip(), new.strip()) in known:
            verdict, why = 'listed', known[path, old.strip(), new.strip()]
        results[key] = {'room': room, 'verdict': verdict, 'why': why}
        kept.write_text(json.dumps(results, indent=1))
        if verdict != 'no C':
            print(f'{verdict:10} {path}:{number + 1}: {old.strip()} -> {new.strip()} : {why}', flush=True)
    return not table_of_results(results, rooms)


if __name__ == '__main__':
    sys.exit(main())
