"""Changes single lines of the C rooms and looks which of the changes the tests notice.

mutate.py SOURCE FOLDER [--room ROOM]... [--minutes M] [--seed N] [--stages N] [--list]

A copy of SOURCE with a build tree of its own lies in FOLDER and stays there for the next time. A mutant is one token or one
statement of one line: it is built, and the tests that rooms.json has for its room run until one of them fails or runs for too
long. Then it was noticed. One whose object code is that of the line as it was is equivalent, and so is one that
survivors.txt says to be; one that the compiler refuses is none. Rooms take turns; the seed decides which lines come first,
so that the same command tries the same mutants, as far as --minutes (60) go. Ends with 1 where less than nine tenths of the
mutants of all rooms were noticed. --stages runs the first N stages of each room's tests alone; --list prints the mutants
there are, in their order, and tries none.
"""
import argparse
import collections
import json
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
    """Mutants in the order in which they are tried: a room after the other, at random within each, a line only once."""
    queues = []
    for room in rooms:
        found = []
        for path in sorted(pathlib.Path(source, room).glob('*.c')) + sorted(pathlib.Path(source, room, 'target').glob('*.c')):
            found += mutants_of(str(path.relative_to(source)), path.read_text())
        random.Random(f'{seed} {room}').shuffle(found)
        seen = set()
        queues.append(collections.deque((room, *m) for m in found if m[:2] not in seen and not seen.add(m[:2])))
    while any(queues):
        for queue in queues:
            if queue:
                yield queue.popleft()


class Tree:
    """The copy that is changed, and its programs."""

    def __init__(self, source, folder):
        self.tree, self.build = pathlib.Path(folder, 'tree'), pathlib.Path(folder, 'tree', 'build')
        self.source, self.took = source, {}
        self.copy()
        shared = pathlib.Path(source, '..', 'shared').resolve()
        link = pathlib.Path(folder, 'shared')
        if shared.is_dir() and not link.is_symlink():
            link.symlink_to(shared)
        generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
        self.must(['cmake', *generator, '-S', self.tree, '-B', self.build, '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
                   f'-DONYX_MODELS_DIR={source}/build/models'])

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

    def make(self, targets):
        return subprocess.run(['cmake', '--build', self.build, '-j', '2', '--target', *targets], capture_output=True, text=True,
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
        (self.build / 'tmp').mkdir(exist_ok=True)
        start = time.monotonic()
        process = subprocess.Popen(test['command'], cwd=properties.get('WORKING_DIRECTORY', self.build), env=environment,
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

    def object_code(self, path):
        """The machine code of a file, without what says where its lines are."""
        entries = json.loads((self.build / 'compile_commands.json').read_text())
        entry = next((e for e in entries if pathlib.Path(e['file']) == self.tree / path), None)
        if not entry:
            return None
        out = self.build / 'mutant.o'
        words = entry['command'].split()
        words = [w for w in words if not w.startswith('-g')]
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


def verdict_of(tree, mutant, table, usable):
    """Builds and tries one mutant: (verdict, what noticed it)."""
    room, path, number, old, new = mutant
    file = tree.tree / path
    text = file.read_text()
    plain = tree.object_code(path)
    lines = text.split('\n')
    lines[number] = new
    try:
        file.write_text('\n'.join(lines))
        changed = tree.object_code(path)
        if changed is None:
            return 'no C', ''
        if changed == plain:
            return 'equivalent', 'the same code'
        built = set()
        for stage in table[room]:
            need = [t for t in stage['targets'] if t not in built]
            if need and not tree.make(need):
                return 'no C', ''
            built.update(need)
            for name in stage['tests']:
                if name in usable and not tree.run(name, 20 + 5 * usable[name]):
                    return 'noticed', name
        return 'survived', ''
    finally:
        file.write_text(text)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('source', type=pathlib.Path)
    options.add_argument('folder', type=pathlib.Path)
    options.add_argument('--room', action='append')
    options.add_argument('--minutes', type=float, default=60)
    options.add_argument('--seed', default='1')
    options.add_argument('--stages', type=int)
    options.add_argument('--list', action='store_true')
    o = options.parse_args()
    table = json.loads((HERE / 'rooms.json').read_text())
    table = {room: stages[:o.stages] for room, stages in table.items()}
    rooms = o.room or list(table)
    if o.list:
        for room, path, number, old, new in all_mutants(o.source, rooms, o.seed):
            print(f'{path}:{number + 1}: {old.strip()} -> {new.strip()}')
        return 0
    limits()
    known = reasons()
    tree = Tree(o.source.resolve(), o.folder.resolve())
    stages = [s for room in rooms for s in table[room]]
    if not tree.make(sorted({t for s in stages for t in s['targets']})):
        sys.exit('the programs cannot be built')
    tree.read_tests()
    usable = {}
    for name in dict.fromkeys(t for s in stages for t in s['tests']):
        passes = tree.run(name, 600)
        if passes:
            usable[name] = tree.took[name]
        else:
            print(f'left out: {name} {"fails" if passes is False else "is skipped"} without a mutant', flush=True)
    end, counts = time.monotonic() + 60 * o.minutes, collections.defaultdict(collections.Counter)
    for mutant in all_mutants(tree.tree, rooms, o.seed):
        if time.monotonic() > end:
            break
        room, path, number, old, new = mutant
        verdict, why = verdict_of(tree, mutant, table, usable)
        if verdict == 'survived' and (path, old.strip(), new.strip()) in known:
            verdict, why = 'listed', known[path, old.strip(), new.strip()]
        counts[room][verdict] += 1
        if verdict != 'no C':
            print(f'{verdict:10} {path}:{number + 1}: {old.strip()} -> {new.strip()} : {why}', flush=True)
    noticed = survived = 0
    print(f'{"room":18} noticed survived listed equivalent')
    for room in rooms:
        c = counts[room]
        print(f'{room:18} {c["noticed"]:7} {c["survived"]:8} {c["listed"]:6} {c["equivalent"]:10}')
        noticed, survived = noticed + c['noticed'], survived + c['survived']
    print(f'{noticed} of {noticed + survived} noticed')
    return 10 * noticed < 9 * (noticed + survived)


if __name__ == '__main__':
    sys.exit(main())
