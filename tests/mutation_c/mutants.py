"""Mutants of C: one token or one statement of one line, and the order in which they are tried."""
import pathlib
import random
import re

TOKEN = re.compile(r'''//.*|/\*.*?(?:\*/|$)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d\w*(?:\.\w*)?|'''
                   r'''<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S''')
OTHER = {'<': ['<='], '<=': ['<'], '>': ['>='], '>=': ['>'], '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
         '+=': ['-='], '-=': ['+='], '|=': ['&=', '='], '++': ['--'], '--': ['++'], '<<': ['>>'], '>>': ['<<'], '^': ['|'],
         'true': ['false'], 'false': ['true'], 'continue': ['break'], '0': ['1'], '1': ['0', '2']}
BINARY = {'+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '&': '|', '|': '&'}
STATEMENT = re.compile(r'\s+(?:[\w.\[\]>*-]+(?:\+\+|--)|(?:\w+|\w[\w.\[\]>*+ -]*[\w\]])(?:\(.*\)| (?:[-+|&*/%^]|<<|>>)?= .*));$')
DECLARATION = re.compile(r'\s+(?:const |static |enum |struct |unsigned |return\b|goto\b|typedef\b|case\b)|\s+\w[\w ]*[ *]+\w+(?:\[\w*\])? = ')
RELEASE = re.compile(r'\s+(?:\w*free|cJSON_Delete)\(')


def changes_nothing(line, at, text):
    """Whether a larger number has no effect: an array with one more element, or a comparison by sign only."""
    behind = line[at + len(text):]
    declared = re.search(r'(?:^\s+(?:static |const |unsigned )*\w+ \**\w+|\(char)\[$', line[:at]) and re.match(r'\](?:;|,| =|\)\{)', behind)
    compared = re.match(r'\s+return .* \? -?1 : (?:-?1|0);$', line) and ' ? ' in line[:at]
    return bool(declared or (compared and text == '1'))


def mutants_of_line(line):
    """All variants of this line by one change, except in comments and strings."""
    tokens = [(m.start(), m.group()) for m in TOKEN.finditer(line)]
    code = [(at, text) for at, text in tokens if not text.startswith(('//', '/*', '"', "'"))]
    # How much room there is, and when it is given back, only the sanitizers' build sees.
    room = line.find('arena_new_n(')
    for i, (at, text) in enumerate(code):
        if -1 < room < at:
            break
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
            if text.isdigit() and other.isdigit() and int(other) > int(text) and changes_nothing(line, at, text):
                continue
            yield line[:at] + other + line[at + len(text):]
    condition = re.fullmatch(r'(.*\b(?:if|while) \()(.*)(\)(?: \{)?)', line)
    if condition and condition.group(2).count('(') == condition.group(2).count(')'):
        yield f'{condition.group(1)}!({condition.group(2)}){condition.group(3)}'
        if ' if ' in ' ' + line.strip():
            yield f'{condition.group(1)}false && ({condition.group(2)}){condition.group(3)}'
    if STATEMENT.fullmatch(line) and not DECLARATION.match(line) and not RELEASE.match(line) and line.count('(') == line.count(')'):
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
        if inside and not start and not line.lstrip().startswith(('#', '/*', '*', 'BUG')):
            yield number


def mutants_of(path, text):
    lines = text.split('\n')
    for number in code_lines(text):
        # A statement that goes over several lines is not dropped, but its parts are changed.
        whole = number == 0 or lines[number - 1].rstrip().endswith((';', '{', '}', ':', ')', '*/', 'else')) or not lines[number - 1].strip()
        for changed in mutants_of_line(lines[number]):
            if whole or changed.strip() != ';':
                yield path, number, lines[number], changed


def at_random(found, key):
    """Mutants in an order by the key, a line only once."""
    random.Random(key).shuffle(found)
    seen = set()
    return [m for m in found if m[:2] not in seen and not seen.add(m[:2])]


def all_mutants(source, rooms, seed):
    """Mutants in the order in which they are tried: rooms in proportion to their lines, at random within each, a line only once."""
    queues = {}
    for room in rooms:
        found = []
        for path in sorted(pathlib.Path(source, room).glob('*.c')) + sorted(pathlib.Path(source, room, 'target').glob('*.c')):
            found += mutants_of(str(path.relative_to(source)), path.read_text())
        queues[room] = [(room, *m) for m in at_random(found, f'{seed} {room}')]
    turns = [((i + 0.5) / len(queue), room, i) for room, queue in queues.items() for i in range(len(queue))]
    for _, room, i in sorted(turns):
        yield queues[room][i]


def rooms_of(source):
    """The folders of C in the tour, and the cycle model."""
    found = {p.parent.name for p in pathlib.Path(source).glob('*/*.c')} - {'tests', 'build', 'functions'}
    parts = {f'frontend/{p.parent.name}' for p in pathlib.Path(source).glob('frontend/*/*.c')}
    return [*sorted(found | parts), 'rtl_models/cycle']
