#!/usr/bin/env python3
"""The sparse applications of the chip's own regression on the fabricated profile: expressions and published graphs.

regression.py ONYX WORK LIST GRAPHS ENGINE [PAGE]

What comes of each form stands in LIST; rows of which something else comes are printed. PAGE has the table of the list.
regression.py --write PAGE LIST writes the table.
"""
import json
import os
import re
import shlex
import subprocess
import sys


def outcome(argv, out):
    done = subprocess.run([*argv, '-o', out, '--json'], capture_output=True, text=True, check=False)
    if done.returncode:
        code = re.search(r'\[(E\d{4}-[a-z0-9-]+)\]', done.stderr)
        return code[1] if code else f'exit {done.returncode}: {done.stderr}'
    report = json.loads(done.stdout)
    if report['check'] != 'pass':
        return report['check']
    kernels = report.get('kernels') or [report]
    return 'array' if all(k.get('tiles', {}).get('io', 0) for k in kernels) else 'host'


def row_of(line):
    name, graph, options, expression, wanted = [p.strip() for p in line.split('|')]
    return name, graph, options, expression, wanted.split()


def rows_of(path):
    with open(path, encoding='ascii') as f:
        return [row_of(line) for line in f.read().split('\n') if line and not line.startswith('#')]


def cell(what):
    return {'array': 'array', '-': ''}.get(what, what.split('-')[0])


def table(rows):
    """The list as a table of a page, and the sentence before it."""
    forms = [w for row in rows for w in row[4]]
    lines = [f'{len(rows)} applications in {len(forms)} forms, {forms.count("array")} of them wholly on the array:', '',
             '| application | expression | type | as an expression | as its published graph |', '|---|---|---|---|---|']
    for name, graph, options, expression, wanted in rows:
        kind = 'bf16' if 'bf16' in options else 'int16'
        lines.append(f'| `{name}` | `{expression}` | {kind} | {cell(wanted[0])} | {cell(wanted[1] if graph != "-" else "-")} |')
    return '\n'.join(lines) + '\n'


def put(page, rows):
    """The page with the table in place of its own."""
    return re.sub(r'\d+ applications in (?:.*\n)+?(?=\n(?!\|))', lambda m: table(rows), page)


def main():
    if sys.argv[1] == '--write':
        with open(sys.argv[2], encoding='utf-8') as f:
            page = f.read()
        with open(sys.argv[2], 'w', encoding='utf-8') as f:
            f.write(put(page, rows_of(sys.argv[3])))
        return
    onyx, work, path, graphs, engine, *page = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    wrong = forms = on_array = 0
    rows = rows_of(path)
    for name, graph, options, expression, wanted in rows:
        found = [outcome([onyx, 'run', expression, *shlex.split(options), '--engine', engine], f'{work}/{name}')]
        if graph != '-' and os.path.isdir(graphs):
            given = re.sub(r'-f \S+', '', options)
            found.append(outcome([onyx, 'run', f'{graphs}/{graph}.gv', *shlex.split(given), '--engine', engine],
                                 f'{work}/{name}_graph'))
        forms += len(found)
        on_array += found.count('array')
        if found != wanted[:len(found)]:
            wrong += 1
            print(f'{name} | {graph} | {options} | {expression} | {" ".join(found)}')
    print(f'{forms} forms on engine {engine}, {on_array} of them wholly on the array, {wrong} rows not as listed')
    for one in page:
        with open(one, encoding='utf-8') as f:
            text = f.read()
        if put(text, rows) != text or table(rows) not in text:
            wrong += 1
            print(f'{one}: its table is not of this list: regression.py --write PAGE LIST')
    sys.exit(1 if wrong else 0)


main()
