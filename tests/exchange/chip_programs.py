#!/usr/bin/env python3
"""The sparse programs that ran on the fabricated chip: each gives its expected words on an engine.

chip_programs.py ONYX WORK FOLDER ENGINE

The expected words are the programs' own. The program with many sub-tiles has none: its words are held against products
of its operands that are computed here.
"""
import gzip
import json
import os
import subprocess
import sys

PROGRAMS = ['mat_elemadd_695', 'mat_elemmul_717', 'matmul_678', 'matmul_Trec4', 'matmul_ijk_demo', 'sparse',
            'tensor3_elemadd_684', 'tensor3_elemmul', 'tensor3_innerprod_1', 'tensor3_mttkrp_1', 'tensor3_ttv_684']
# What the README of the folder says of the data: the words of one lack explicit zeros, one has files of two builds.
ZEROS = {'matmul_678': 8}
BUILDS = {'matmul_Trec4': 2}
# Register writes of two builds are not of the bitstream at hand; those of the map before the tape-out are moved.
OTHER_REGISTERS = {'matmul_Trec4'}
OLDER_MAP = {'matmul_ijk_demo'}


def call(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f'{argv}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
    return json.loads(done.stdout), done.stderr


def run(onyx, path, engine, out):
    """Engine program is a board, the co-simulated chip behind OpenOCD, which runs what a folder has."""
    if engine != 'program':
        return call(onyx, 'run', path, '--engine', engine, '--json', '-o', out)
    call(onyx, 'run', path, '--engine', 'cycle', '--json', '-o', out)
    return call(onyx, 'program', '--board', 'onyx-cosim', out, '--json')


def check(onyx, folder, name, engine, work):
    report, said = run(onyx, f'{folder}/{name}.json.gz', engine, f'{work}/{name}')
    zeros = ZEROS.get(name, 0)
    assert report['check'] == ('zeros' if zeros else 'pass'), (name, report['check'])
    assert {o['zeros'] for o in report['outputs']} - {0} == ({zeros} if zeros else set()), (name, report['outputs'])
    assert said.count('E0974-chip-builds') == BUILDS.get(name, 0), said
    assert said.count('E0973-chip-zeros') == (2 if zeros else 0), said
    assert ('E0978-older-map' in said) == (name in OLDER_MAP), said
    by_processor = engine in ('soc', 'program')
    own = by_processor and name not in OTHER_REGISTERS
    assert report['engine'] == engine and report['own_registers'] == own, said
    assert ('E0975-chip-registers' in said) == (by_processor and not own), said
    assert not report['hazards'] and report['cycles']['kernel'] > 0, report
    with gzip.open(f'{folder}/{name}.json.gz') as f:
        data = json.load(f)['data']
    for o in report['outputs'] if not zeros else []:
        with open(f'{work}/{name}/{o["name"]}.raw', 'rb') as f:
            raw = f.read()
        assert [raw[i] << 8 | raw[i + 1] for i in range(0, len(raw), 2)] == data[o['name']], (name, o['name'])
    print(f'{name}: {report["cycles"]["kernel"]} cycles, {report["check"]}')


# ---- many sub-tiles -------------------------------------------------------------------------------------------------

def blocks(words, n):
    """The runs of a stream with n length-headed blocks each."""
    at, runs = 0, []
    while at < len(words):
        one = []
        for _ in range(n):
            one.append(words[at + 1:at + 1 + words[at]])
            at += 1 + words[at]
        runs.append(one)
    return runs


def matrix(outer, inner, values):
    entries = {}
    for p, i in enumerate(outer[1]):
        for q in range(inner[0][p], inner[0][p + 1]):
            entries[i, inner[1][q]] = values[0][q]
    return entries


def raw(path):
    with open(path, 'rb') as f:
        text = f.read()
    return [text[i] << 8 | text[i + 1] for i in range(0, len(text), 2)]


def check_tiles(onyx, folder, engine, work):
    report, _ = run(onyx, f'{folder}/tiles.json.gz', engine, f'{work}/tiles')
    assert report['check'] == 'none' and report['runs'] == 44, report['check']
    assert report['own_registers'] == (engine in ('soc', 'program'))
    with gzip.open(f'{folder}/tiles.json.gz') as f:
        data = json.load(f)['data']
    streams = [blocks(data[f'tensor_{t}_mode_{m}'], n) for t in 'BC' for m, n in ((0, 2), (1, 2), ('vals', 1))]
    stored = [blocks(raw(f'{work}/tiles/{o["name"]}.raw'), o['blocks']) for o in report['outputs']]
    for k in range(report['runs']):
        b, c = matrix(*[s[k] for s in streams[:3]]), matrix(*[s[k] for s in streams[3:]])
        want = {}
        for (i, j), v in b.items():
            for (x, y), w in c.items():
                if j == y:
                    want[i, x] = (want.get((i, x), 0) + v * w) & 0xffff
        have = {p: v for p, v in matrix(*[s[k] for s in stored]).items() if v}
        assert have == {p: v for p, v in want.items() if v}, f'run {k}'
    print(f'tiles: {report["cycles"]["kernel"]} cycles, 44 products')


def main():
    onyx, work, folder, engine = sys.argv[1:5]
    if not os.path.isdir(folder):
        print(f'{folder} is not there')
        sys.exit(77)
    os.makedirs(work, exist_ok=True)
    for name in PROGRAMS:
        check(onyx, folder, name, engine, work)
    check_tiles(onyx, folder, engine, work)
    if engine == 'soc':  # the count of register writes of another tool begins elsewhere in boot
        made, stats = f'{work}/{PROGRAMS[0]}/firmware', f'{work}/stats.json'
        subprocess.run((f'{onyx}-cosim', '--board', 'onyx', '--elf', f'{made}/app.elf', '--batches', f'{made}/batches.bin', '--result', f'{work}/result.bin', '--stats', stats, '--no-verify'), check=True)
        with open(stats) as f:
            stats = json.load(f)
        assert 0 <= stats['check_cycles'] < 100 < stats['cgra_cycles'], stats


main()
