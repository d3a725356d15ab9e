"""Looks for lines of the tests' shell scripts that cannot fail: shell.py SOURCE

Under `set -e` neither a command behind `!` ends a script, nor any but the last of an `&&` list, so a check that is
written as one of these passes whatever happens. Such a line ends with `|| ...`, or is the condition of an `if`.
A pipe ends as its last command does, so that onyx before one may fail unseen: it writes to a file, which is read then.
Without `set -e` a script looks at each exit code itself, and is not looked at here.
"""
import pathlib
import re
import sys

CHECK = r'(?:\[ |test |grep |cmp |diff |! )'
PIPED = re.compile(r'(?:^|[;&|({!] *|\b(?:if|while|until|do|then) )"?\$?\{?(?:onyx|ONYX)\}?"? (?:[^;|&]|>&)*\|(?!\|)')


def statements(text):
    """Lines with their numbers; lines joined by a backslash or an open list count as one. Here-documents are
    omitted."""
    number, joined, first, end = 0, '', 0, None
    for line in text.splitlines():
        number += 1
        if end:
            end = None if line.strip() == end else end
            continue
        first = first if joined else number
        joined += line.strip()
        if joined.endswith(('\\', '&&', '||', '|')):
            joined = joined.removesuffix('\\') + ' '
            continue
        yield first, joined
        opened = re.search(r'<<-?\s*[\'"]?(\w+)', joined)
        end = opened.group(1) if opened else None
        joined = ''


def cannot_fail(statement):
    if re.match(r'(?:#|if |elif |while |until |case )', statement) or '||' in statement:
        return False
    return bool(re.match(r'! ', statement) or re.match(CHECK + r'.*&& ' + CHECK, statement))


def main(source):
    found = 0
    for path in sorted(pathlib.Path(source, 'tests').rglob('*.sh')):
        text = path.read_text()
        if not re.search(r'^set -[a-z]*e|^\. .*(?:setup|bench)\.sh', text, re.M) and path.name not in ('setup.sh', 'bench.sh'):
            continue
        for number, statement in statements(text):
            if 'pipefail' not in text and PIPED.search(statement) and not statement.startswith('#'):
                print(f'{path}:{number}: a pipe hides what onyx ends with: {statement}')
                found += 1
            if cannot_fail(statement):
                print(f'{path}:{number}: under set -e this line fails nothing: {statement}')
                found += 1
    return found != 0


def control():
    """Lines whose verdict is known."""
    bad = ['! grep -q x y', '[ -e a ] && [ -e b ]', 'cmp a b && grep -q x y', '[ -e a ] &&\n    [ -e b ]']
    good = ['! grep -q x y || exit 1', 'grep -q x y && fail "x"', '[ "$a" = b ] && a=', 'if ! cmp a b; then', '[ -e a ] && [ -e b ] || fail',
            'cat <<END\n! a line of text\nEND', '# ! text']
    for text, verdict in [(b, True) for b in bad] + [(g, False) for g in good]:
        assert any(cannot_fail(s) for _, s in statements(text)) == verdict, text
    for text in ['onyx run x | tail -n 1', '"$onyx" view out 2>&1 | grep x', 'n=$("$ONYX" doctor 2>/dev/null | wc -l)', 'cd a && onyx help | grep x']:
        assert PIPED.search(text), text
    for text in ['onyx run x || fail x', '"$onyx" run x >log && sed p log | tail', 'echo onyx; cat log | grep onyx']:
        assert not PIPED.search(text), text


control()
sys.exit(main(sys.argv[1]))
