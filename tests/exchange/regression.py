#!/usr/bin/env python3
"""The sparse applications of the chip's own regression on the fabricated profile: expressions and published graphs.

regression.py ONYX WORK LIST GRAPHS ENGINE

What comes of each form stands in LIST; rows of which something else comes are printed.
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


def main():
    onyx, work, path, graphs, engine = sys.argv[1:6]
    os.makedirs(work, exist_ok=True)
    wrong = forms = on_array = 0
    with open(path, encoding='ascii') as f:
        lines = f.read().split('\n')
    for line in lines:
        if not line or line.startswith('#'):
            continue
        name, graph, options, expression, wanted = row_of(line)
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
    sys.exit(1 if wrong else 0)


main()
