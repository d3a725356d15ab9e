#!/usr/bin/env python3
"""Kernels exported to the files of the chip's own flow, and run from these: same words, same cycles.

export.py ONYX WORK ROOT FIRST END ENGINE

The kernels are rows FIRST to END of tests/flow/kernels.list. The exported files are read here by readers of their own,
written from what those formats are, and must agree: meta file with raw words, C headers, register writes, debugger's
script, netlist, placement, routes, names of blocks, and the graph.
"""
import json
import os
import re
import shlex
import struct
import subprocess
import sys


def run(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def read_text(path):
    with open(path, encoding='ascii') as f:
        return f.read()


def raw(path):
    with open(path, 'rb') as f:
        text = f.read()
    return list(struct.unpack(f'>{len(text) // 2}H', text))


def kernels(root):
    rows = []
    for line in read_text(f'{root}/tests/flow/kernels.list').split('\n'):
        part = [p.strip() for p in line.split('|', 2)]
        if len(part) == 3 and 'cycle' in part[0].split() and not line.startswith('#'):
            rows.append((part[1], shlex.split(part[2].replace('$SRC', root))))
    return rows


# ---- readers of the exported files ----------------------------------------------------------------------------------

def header_arrays(path):
    return {name: [int(v, 0) for v in values.split(',') if v.strip()]
            for name, values in re.findall(r'(\w+)\s*\[\d*\]\s*=\s*\{([^}]*)\}', read_text(path))}


def register_writes(path):
    functions = {}
    for name, body in re.findall(r'static void (\w+)\(\)\s*\{([^}]*)\}', read_text(path)):
        functions[name] = [(int(o, 16), int(v, 16))
                           for o, v in re.findall(r'HAL_Cgra_Glb_WriteReg\(0x(\w+), 0x(\w+)\);', body)]
    return functions


def check_bitstream(folder, made):
    text = read_text(f'{folder}/bitstream.bs')
    ours = [line for line in read_text(f'{made}/bitstream.bs').split('\n') if line and not line.startswith('#')]
    assert text.count('\n') + 1 == len(ours), 'the test bench counts line feeds and adds one'
    assert text.split('\n') == ours
    return [tuple(int(w, 16) for w in line.split()) for line in ours]


def streams_of(folder):
    """(side, name, column, blocks, words) of each stream, as the meta file has them."""
    meta = json.loads(read_text(f'{folder}/design_meta.json'))
    found = []
    for side in 'inputs', 'outputs':
        for io in meta['IOs'][side]:
            assert len(io['io_tiles']) == 1 and io['bitwidth'] == 16
            tile = io['io_tiles'][0]
            words = raw(f'{folder}/{io["datafile"]}')
            assert io['shape'] == [len(words)] == tile['addr']['extent'] and tile['mode'] == 'RV', io
            assert tile['addr']['dimensionality'] == 1 and tile['y_pos'] == 0
            found.append((side, io['name'], tile['x_pos'], tile.get('num_blocks', 1), words))
    assert meta['testing']['bitstream'] == 'bitstream.bs'
    return found


def check_registers(writes, streams, words):
    configure, start = dict(writes['bitstream_glb_config']), dict(writes['app_glb_config'])
    assert configure[0xe8] == 1 and configure[0xf0] == len(words) and configure[0xf4] == 0x14
    last = max(a >> 8 & 255 for a, _ in words) // 2
    assert [configure[t * 256 + 0xf4] for t in range(1, last + 1)] == [0x28] * last
    assert len(writes['bitstream_glb_config']) == len(configure) == 4 + last and configure[0xec] == 0
    for side, name, column, blocks, stored in streams:
        tile, mux = column // 2 * 256, 1 + column % 2
        if side == 'inputs':
            assert start[tile + 0x78] == 1 | 2 << 2 | mux << 5, name
            assert start[tile + 0x80] == column // 2 << 18 and start[tile + 0x8c] == 2, name
            assert start[tile + 0x7c] == (len(stored) > 1), name
            assert len(stored) < 2 or start[tile + 0x88] == len(stored) - 2, name
        else:
            assert start[tile + 0x10] == 1 | 1 << 2 | mux << 4 and start[tile + 0x14] == blocks, name
            assert start[tile + 0x1c] == (column // 2 << 18) + 0x20000 and start[tile + 0x28] == 2, name


def check_headers(to, runs, words):
    arrays = header_arrays(f'{to}/app_input_script.h')
    script = header_arrays(f'{to}/app_script.h')
    where = header_arrays(f'{to}/app_unrolling.h')
    assert list(zip(script['app_addrs_script'], script['app_datas_script'])) == words
    for side, name, column, _, _ in runs[0]:
        all_words = [w for run in runs for s in run if s[1] == name for w in s[4]]
        assert arrays[f'app_{name}_data'] == all_words, name
        assert where[f'{name}_{"unroll" if side == "inputs" else "bank"}_array'] == [column // 2], name
        ends = where[f'{name}_extents']
        assert [ends[2 * r + 1] - ends[2 * r] for r in range(len(runs))] == \
            [len(s[4]) for run in runs for s in run if s[1] == name], name


def check_script(to, writes):
    """The debugger's script makes the same register writes, in their order."""
    text = read_text(f'{to}/app.gdb')
    made = [(int(a, 16) - 0x40011000, int(v, 16))
            for a, v in re.findall(r'set \{unsigned int\}0x(4001[12]\w{3}) = 0x(\w+)\n', text)]
    assert made == writes['bitstream_glb_config'] + writes['app_glb_config']
    assert text.index('restore bitstream.bin') < text.index('= 0x1\n', text.index('0x4001001c'))


# ---- what place and route leaves ------------------------------------------------------------------------------------

def packed(path):
    """(nets, names): each net's (block, port) pairs, the driver first; the name of each block."""
    nets, names, buses, section = {}, {}, {}, None
    for line in read_text(path).split('\n'):
        if line in ('Netlists:', 'ID to Names:', 'Netlist Bus:'):
            section = line
        elif line.strip():
            key, rest = line.split(':', 1)
            if section == 'Netlists:':
                nets[key] = re.findall(r'\((\w+), (\w+)\)', rest)
            else:
                (names if section == 'ID to Names:' else buses)[key] = rest.strip()
    assert set(nets) == set(buses) and set(buses.values()) == {'17'}, path
    return nets, names


def placed(path):
    """(x, y) of each block, and its name; the first two lines are a heading."""
    where, names = {}, {}
    for line in read_text(path).split('\n')[2:]:
        if line:
            name, x, y, block = line.split()
            assert block[0] == '#'
            where[block[1:]], names[block[1:]] = (int(x), int(y)), name
    return where, names


def routed(path):
    """The nodes of each segment of each net: (kind, words)."""
    nets = {}
    for line in read_text(path).split('\n'):
        word = re.findall(r'\w+', line)
        if line.startswith('Net ID:'):
            segments = nets.setdefault(word[2], [])
            count = int(word[-1])
        elif line.startswith('Segment:'):
            segments.append([])
            size = int(word[-1])
        elif word:
            segments[-1].append(word)
            assert len(segments[-1]) <= size and len(segments) <= count
    return nets


# Where an outgoing wire of a side arrives, and at which side.
SIDES = {0: (1, 0, 2), 1: (0, 1, 3), 2: (-1, 0, 0), 3: (0, -1, 1)}


def walks(segment):
    """Whether each switch box wire that leaves a tile arrives at the next one, on its track."""
    wires = [tuple(map(int, n[1:])) for n in segment if n[0] == 'SB']
    for before, after in zip(wires, wires[1:]):
        track, x, y, side, leaves, width = before
        if leaves:
            dx, dy, arrives = SIDES[side]
            if after != (track, x + dx, y + dy, arrives, 0, width):
                return False
        elif not after[4] or after[1:3] != (x, y):
            return False
    return all(w[5] == 17 for w in wires)


def check_placed(folder, streams):
    nets, names = packed(f'{folder}/design.packed')
    where, called = placed(f'{folder}/design.place')
    lines = read_text(f'{folder}/design.id_to_name').split('\n')[:-1]
    assert dict(line.split(': ') for line in lines) == names == called, folder
    assert len(set(where.values())) == len(where), 'two blocks at one site'
    for block, (x, y) in where.items():
        assert block[0] == ('I' if y == 0 else 'm' if x % 4 == 3 else 'p'), block
    assert {x for b, (x, _) in where.items() if b[0] == 'I'} == {s[2] for s in streams}
    routes = routed(f'{folder}/design.route')
    assert set(routes) == set(nets)
    for net, pins in nets.items():
        (driver, port), sinks, reached = pins[0], pins[1:], []
        starts = {(port, *map(str, where[driver]))}
        for segment in routes[net]:
            first, last = segment[0], segment[-1]
            assert (first[0] == 'PORT' and tuple(first[1:4]) in starts) or tuple(first) in starts, (net, first)
            assert last[0] == 'PORT' and walks(segment), (net, segment)
            starts |= {tuple(node) for node in segment if node[0] == 'SB' and node[5] == '0'}
            reached.append(tuple(last[1:4]))
        assert sorted(reached) == sorted((p, *map(str, where[b])) for b, p in sinks), net


def check_graph(path, streams):
    """The graph as their parser reads it: attributes of nodes and edges; its tensors are those of the streams."""
    text = read_text(path)
    edges = re.findall(r'^\s*(\w+) -> (\w+) \[.*?type="(\w+)".*?\]', text, re.M)
    lines = re.findall(r'^\s*(\w+) \[(.*)\]$', text, re.M)
    nodes = {n: dict(re.findall(r'(\w+)="([^"]*)"', rest)) for n, rest in lines}
    kinds = {'ref', 'crd', 'val', 'bv', 'repsig', 'skip'}
    assert all(a in nodes and b in nodes and kind in kinds for a, b, kind in edges)
    for node in nodes.values():
        said = dict(one.split('=', 1) for one in node['comment'].split(',') if '=' in one)
        assert said['type'] == node['type'], node
    stored = ('fiberlookup', 'arrayvals', 'fiberwrite')
    read = {n['tensor'] for n in nodes.values() if n['type'] in stored and 'tensor' in n}
    assert {re.match(r'tensor_(\w+)_mode_\w+?(_u\d+)?$', s[1])[1] for s in streams} <= read, (path, read)


# ---- files of levels ------------------------------------------------------------------------------------------------

def numbers(path):
    return [int(line) for line in read_text(path).split()]


def tensor(folder, name, levels, modes):
    """Entries by coordinate of a tensor that is stored as files of levels, outermost level first."""
    stem = f'{folder}/tensor_{name}_mode_'
    shape, values, at = numbers(f'{stem}shape'), numbers(f'{stem}vals'), [()]
    for kind, mode in zip(levels, modes):
        if kind == 'd':
            at = [path + (c,) for path in at for c in range(shape[mode])]
            continue
        seg, crd = numbers(f'{stem}{mode}_seg'), numbers(f'{stem}{mode}_crd')
        assert len(seg) == len(at) + 1 and seg[0] == 0 and seg[-1] == len(crd), (name, mode)
        at = [path + (c,) for p, path in enumerate(at) for c in crd[seg[p]:seg[p + 1]]]
        assert all(0 <= path[-1] < shape[mode] for path in at)
    assert len(at) == len(values), (name, len(at), len(values))
    order = [modes.index(m) for m in range(len(modes))]
    return {tuple(path[o] for o in order): v for path, v in zip(at, values) if v}


def result(made, name, order):
    path = f'{made}/{name}.mtx' if order <= 2 else f'{made}/{name}.tns'
    lines = [line.split() for line in read_text(path).split('\n') if line and line[0] not in '%#']
    vector = order == 1
    entries = {}
    for line in lines[order <= 2:]:
        *where, value = line
        where = tuple(int(c) - 1 for c in where[:1 if vector else order])
        entries[where] = int(float(value))
    return {c: v for c, v in entries.items() if v}


def check_back(onyx, made, to, argv, order):
    """The operands, read back from their files, give the same result."""
    kept, names, at = [], [], 0
    while at < len(argv):
        if argv[at] in ('-g', '-i'):
            names.append(argv[at + 1].split(':')[0])
        else:
            kept += argv[at:at + (2 if argv[at].startswith('-') and '=' not in argv[at] else 1)]
        at += 2 if argv[at].startswith('-') and '=' not in argv[at] else 1
    given = [a for n in names for a in ('-i', f'{n}:{to}')]
    code, text, said = run(onyx, 'run', *kept, *given, '--engine', 'sam', '-o', f'{to}/back')
    assert code == 0, (argv, said)
    name = os.path.basename(next(f for f in os.listdir(made) if f.endswith(('.mtx', '.tns')))).split('.')[0]
    assert result(made, name, order) == result(f'{to}/back', name, order), argv


def is_as_written(argv, formats):
    """Whether the graph's operands are the expression's: of B(i,i) the host makes the diagonal."""
    expression = next(a for a in argv if '=' in a and '(' in a)
    order = {one.split('=')[0]: len(re.match('[a-z]*', one.split('=')[1])[0]) for one in formats.split(',')}
    return all(order.get(name, -1) == len(set(where.split(',')) if where else ())
               and len(set(where.split(','))) == len(where.split(','))
               for name, where in re.findall(r'(\w+)\(([^()]*)\)', expression))


def check_sam(onyx, made, to, argv):
    code, _, said = run(onyx, 'export', made, '--to', 'sam', '-o', to)
    assert code == 0, said
    formats = re.search(r'comment="(\w+=[^"]*)"', read_text(f'{to}/sam.gv'))[1]
    for number, one in enumerate(formats.split(',')):
        name, how = one.split('=')
        levels = re.match('[a-z]*', how)[0]
        modes = [int(c) for c in how[len(levels):]]
        if set(levels) - set('sd') or len(modes) != len(levels):
            continue
        entries = tensor(f'{to}/gold' if number == 0 else to, name, levels, modes)
        if number == 0 and levels:
            assert entries == result(made, name, len(levels)), made
            if is_as_written(argv, formats):
                check_back(onyx, made, to, argv, len(levels))


# ---- one kernel -----------------------------------------------------------------------------------------------------

def check(onyx, work, number, argv, engine):
    made, to, back = (f'{work}/{number}_{n}' for n in ('made', 'app', 'back'))
    argv = argv if '--dtype' in argv else [*argv, '--dtype', 'int16']
    code, _, said = run(onyx, 'run', *argv, '--engine', 'cycle', '--io-trace', '-o', made, '--quiet')
    assert code == 0, said
    report = json.loads(read_text(f'{made}/report.json'))
    code, _, said = run(onyx, 'export', made, '--to', 'aha', '-o', to)
    if code == 1 and 'E0976-export' in said:
        return None
    assert code == 0, (argv, said)
    folders = [f'{to}/tile{i}' for i in range(10000) if os.path.exists(f'{to}/tile{i}/design_meta.json')]
    assert bool(folders) != os.path.exists(f'{to}/bin/design_meta.json'), 'one form or the other'
    folders = folders or [f'{to}/bin']
    words = check_bitstream(folders[0], made)
    runs = [streams_of(f) for f in folders]
    writes = register_writes(f'{to}/app_reg_write.h')
    check_registers(writes, runs[0], words)
    check_headers(to, runs, words)
    check_script(to, writes)
    for folder in folders:
        check_placed(folder, runs[0])
    check_graph(f'{folders[0]}/app.gv', runs[0])
    for what in (to, f'{to}/app_script.h'):
        code, text, said = run(onyx, 'run', what, '--engine', engine, '-o', back, '--json', '--hazards', 'warn')
        assert code == 0, (argv, what, said)
        again = json.loads(text)
        assert again['check'] == 'pass' and again['runs'] == len(runs), (argv, again['check'])
        assert engine != 'cycle' or again['cycles']['kernel'] == report['cycles']['kernel'], (argv, what)
        assert again['own_registers'] == (engine == 'soc' and what != to), said
    if engine == 'cycle':
        check_sam(onyx, made, f'{work}/{number}_sam', argv)
    return len(runs)


def main():
    onyx, work, root, first, end, engine = sys.argv[1:7]
    os.makedirs(work, exist_ok=True)
    done, several, refused = 0, 0, 0
    for number, (_, argv) in enumerate(kernels(root)[int(first):int(end)]):
        runs = check(onyx, work, number, argv, engine)
        refused += runs is None
        done += runs is not None
        several += (runs or 0) > 1
    print(f'{done} kernels, {several} of them of several runs; {refused} are several kernels, or have no run')
    assert done >= 0.8 * (int(end) - int(first))


main()
