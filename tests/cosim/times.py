#!/usr/bin/env python3
"""The range of the processor's time beside the count of an instruction a cycle holds what engine soc takes with
--processor-time least and most: times.py ONYX FOLDER
"""
import json
import subprocess
import sys

ONYX, FOLDER = sys.argv[1:]
RUNS = {
    'short runs': ['X(i,j) = B(i,k) * C(k,j)', '-g', 'B:24x24:0.3:1', '-g', 'C:24x24:0.3:2', '--tile', '6', '--unroll', '1'],
    'long runs': ['x(i) = B(i,j) * c(j)', '-g', 'B:48x48:0.6:1', '-g', 'c:48:0.9:2', '--tile', '24'],
    'copies apart': ['X(i,j) = B(i,k) * C(k,j)', '-g', 'B:24x24:0.3:1', '-g', 'C:24x24:0.3:2', '--tile', '8', '--unroll', '2', '--dispatch', 'dynamic'],
}
OFF = 0.15  # an estimate: a slower processor finds runs done already, and looks less often

for name, words in RUNS.items():
    took = {}
    for time in ('count', 'least', 'most'):
        out = f'{FOLDER}/{name.replace(" ", "_")}_{time}'
        done = subprocess.run([ONYX, 'run', *words, '-O0', '--engine', 'soc', '--processor-time', time, '-o', out],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, (name, time, done.stdout + done.stderr)
        with open(f'{out}/report.json', encoding='utf-8') as file:
            took[time] = json.load(file)['cycles']
        assert ('  processor ' in done.stdout) == (time == 'count') == ('processor' in took[time]), done.stdout
    count = took['count']
    for end in ('least', 'most'):
        of = took[end]
        stated, is_so = count['processor'][end], of['config'] + of['firmware']
        print(f'{name}, {end}: {count["config"] + count["firmware"]} counted, {stated} stated, {is_so} by the table')
        assert abs(stated - is_so) <= OFF * is_so, (name, end)
    assert count['processor']['least'] < count['processor']['most'], count
