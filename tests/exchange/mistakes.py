#!/usr/bin/env python3
"""A bitstream of ours as if it were another tool's: run on words from files, and with each mistake in them.

mistakes.py ONYX WORK
"""
import json
import os
import struct
import subprocess
import sys


def write(path, words, order='>'):
    with open(path, 'wb') as f:
        f.write(struct.pack(f'{order}{len(words)}H', *words))


def run(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Case:
    """A folder with a bitstream of x(i) = b(i), its words, and a meta file."""

    def __init__(self, onyx, work):
        self.onyx, self.work = onyx, work
        os.makedirs(f'{work}/bin', exist_ok=True)
        code, _, said = run(onyx, 'compile', 'x(i) = b(i)', '-O0', '-o', f'{work}/made', '--quiet')
        assert code == 0, said
        with open(f'{work}/made/bitstream.bs', encoding='ascii') as f, \
                open(f'{work}/bin/app.bs', 'w', encoding='ascii') as to:
            to.write(f.read())
        with open(f'{work}/made/design.place', encoding='ascii') as f:
            columns = {line.split()[0]: int(line.split()[1]) for line in f if line.startswith(('in_', 'out_'))}
        self.b0, self.bv, self.x0, self.xv = (columns[n] for n in ('in_b0', 'in_b_vals', 'out_x0', 'out_x_vals'))
        self.free = next(x for x in range(32) if x not in columns.values())
        self.level, self.values = [2, 0, 3, 3, 1, 4, 7], [3, 5, 0, 9]
        write(f'{work}/b0.raw', self.level)
        write(f'{work}/bv.raw', self.values)
        write(f'{work}/bv.leraw', self.values, '<')
        write(f'{work}/bin/x0.raw', self.level)
        write(f'{work}/bin/xv.raw', self.values)
        write(f'{work}/bin/b0.raw', self.level)
        write(f'{work}/bin/bv.raw', self.values)
        self.meta()

    def meta(self, **other):
        def io(name, file, x, **more):
            return {'name': name, 'datafile': file, 'bitwidth': 16,
                    'io_tiles': [{'name': name, 'x_pos': x, 'y_pos': 0, 'mode': other.get('mode', 'RV'), **more}]}
        json_text = {'testing': {'bitstream': 'app.bs'},
                     'IOs': {'inputs': [io('tensor_b_mode_0', 'b0.raw', self.b0),
                                io('tensor_b_mode_vals', 'bv.raw', self.bv)],
                             'outputs': [io('tensor_x_mode_0', 'x0.raw', other.get('x', self.x0),
                                            num_blocks=other.get('blocks', 2)),
                                         io('tensor_x_mode_vals', 'xv.raw', self.xv, num_blocks=1)]}}
        with open(f'{self.work}/bin/design_meta.json', 'w', encoding='ascii') as f:
            json.dump(json_text, f)

    def run(self, what, *more):
        return run(self.onyx, 'run', what, '--engine', 'cycle', '-o', f'{self.work}/out', *more)

    def right(self, what, *more):
        code, text, said = self.run(what, *more)
        assert code == 0 and 'check: pass' in text, (code, text, said)
        return said

    def wrong(self, exit_code, part, what, *more):
        code, _, said = self.run(what, *more)
        assert code == exit_code and part in said, (code, said)


def words_of_streams(c):
    bits, w = f'{c.work}/bin/app.bs', c.work
    b0, bv = ('--data', f'x{c.b0}={w}/b0.raw'), ('--data', f'x{c.bv}={w}/bv.raw')
    c.right(bits, *b0, *bv, '--data', f'x{c.x0}={w}/b0.raw', '--data', f'x{c.xv}={w}/bv.leraw')
    write(f'{w}/tensor_x_mode_0.raw', [2, 0, 2, 2, 1, 7])
    write(f'{w}/tensor_x_mode_vals.raw', [2, 5, 9])
    c.wrong(0, 'E0973-chip-zeros', bits, *b0, *bv, '--data', f'x{c.x0}={w}/tensor_x_mode_0.raw',
            '--data', f'x{c.xv}={w}/tensor_x_mode_vals.raw')
    code, text, _ = c.run(bits, *b0, *bv)
    assert code == 0 and 'check: none' in text, text
    c.wrong(1, 'E0971-chip-streams', bits, *b0)
    c.wrong(1, 'E0971-chip-streams', bits, *b0, *bv, '--data', f'x{c.free}={w}/bv.raw')
    c.wrong(3, 'E0972-chip-result', bits, *b0, *bv, '--data', f'x{c.xv}={w}/b0.raw')
    c.wrong(1, 'E0903-option-value', bits, '--data', 'tensor')
    c.wrong(1, 'E0970-chip-file', bits, '--data', f'x{c.b0}={w}/b0.txt')
    texts = (('2 0 3 3 1 4 7', True), ('0002\n0000\n0003\n0003\n0001\n0004\n0007\n', True), ('2 0 3 x', False),
             ('2 00003', False))
    for number, (text, right) in enumerate(texts):
        with open(f'{w}/text{number}', 'w', encoding='ascii') as f:
            f.write(text)
        argv = bits, '--data', f'x{c.b0}={w}/text{number}', *bv, '--data', f'x{c.xv}={w}/bv.raw'
        if right:
            assert c.run(*argv)[0] == 0, c.run(*argv)
        else:
            c.wrong(1, 'E0970-chip-file', *argv)
    c.wrong(1, 'E0001-file', bits, '--data', f'x{c.b0}={w}/none.raw')
    with open(f'{w}/odd.raw', 'wb') as f:
        f.write(b'\0\1\0')
    c.wrong(1, 'E0970-chip-file', bits, '--data', f'x{c.b0}={w}/odd.raw')
    write(f'{w}/short.raw', c.level[:-1])
    c.wrong(1, 'from word 0 on there is no whole set of 2 blocks', bits, '--data', f'x{c.b0}={w}/short.raw', *bv)
    write(f'{w}/twice.raw', c.level * 2)
    c.wrong(1, 'runs, those of the stream', bits, '--data', f'x{c.b0}={w}/twice.raw', *bv)
    c.wrong(1, 'E0902-option', bits, *b0, *bv, '--tile', '4')
    c.wrong(1, 'E0906-engine-option', bits, *b0, *bv, '--engine', 'sam')
    code, _, said = run(c.onyx, 'run', 'x(i) = b(i)', '-g', 'b:9:0.5', '--data', w, '-o', f'{w}/out')
    assert code == 1 and 'E0902-option' in said, said


def folders(c):
    c.right(c.work)
    c.right(f'{c.work}/bin')
    c.right(f'{c.work}/bin/design_meta.json')
    c.right(f'{c.work}/bin/app.bs', '--data', c.work)
    c.right(f'{c.work}/bin/app.bs')
    c.wrong(1, 'E0970-chip-file', f'{c.work}/bin/app.bs', '--data', f'{c.work}/made')
    c.meta(mode='STATIC')
    c.wrong(1, 'E0970-chip-file', c.work)
    c.meta(blocks=1)
    c.wrong(1, 'has 1 blocks by its meta file and 2 by the bitstream', c.work)
    c.meta(x=c.free)
    c.wrong(1, 'E0971-chip-streams', c.work)
    c.meta()
    os.remove(f'{c.work}/bin/xv.raw')
    code, text, _ = c.run(c.work)
    assert code == 0 and 'check: none' in text, text


def explicit_zeros(c):
    """The expected tensor lacks the explicit zero of the stored one; a tensor with a different value is wrong."""
    w = c.work
    c.meta()
    write(f'{w}/bin/x0.raw', [2, 0, 2, 2, 1, 7])
    write(f'{w}/bin/xv.raw', [2, 5, 9])
    code, text, said = c.run(w)
    assert code == 0 and 'check: zeros' in text and said.count('E0973-chip-zeros') == 2, (text, said)
    c.wrong(1, 'E0973-chip-zeros', w, '--werror')
    write(f'{w}/bin/xv.raw', [2, 5, 8])
    c.wrong(3, 'E0972-chip-result', w)


def one_file(c):
    with open(f'{c.work}/bin/app.bs', encoding='ascii') as f:
        bits = f.read().split('\n')
    load = [['Glb', (x // 2) * 256 + r, v] for x, n in ((c.b0, 7), (c.bv, 4))
            for r, v in ((0x78, 0x29 if x % 2 == 0 else 0x49), (0x7c, 1), (0x80, x // 2 << 18), (0x88, n - 2))]
    store = [['Glb', (x // 2) * 256 + r, v] for x, n in ((c.x0, 2), (c.xv, 1))
             for r, v in ((0x10, 0x15 if x % 2 == 0 else 0x25), (0x14, n), (0x1c, (x // 2 << 18) + 0x20000))]
    tiles = {'glb_tile_of_output': {'x0': [c.x0 // 2], 'xv': [c.xv // 2]}}
    program = {**tiles, 'bitstream': [b for b in bits if b], 'register_writes': {'app_glb_config': load + store},
               'data': {'b0': c.level, 'bv': c.values, 'x0': c.level, 'xv': c.values}}

    def put(p):
        with open(f'{c.work}/one.json', 'w', encoding='ascii') as f:
            json.dump(p, f)
    put(program)
    c.right(f'{c.work}/one.json')
    c.right(f'{c.work}/bin/app.bs', '--data', f'{c.work}/one.json')
    # Writes by the map before the tape-out, and an offset at which that map has no register.
    older = [[k, o // 0x100 * 0x200 + o % 0x100, v] for k, o, v in load + store]
    put({**program, 'register_writes': {'app_glb_config': older}})
    assert c.right(f'{c.work}/one.json').count('E0978-older-map') == 1
    put({**program, 'register_writes': {'app_glb_config': older + [['Glb', 0x310, 1]]}})
    c.wrong(1, 'E0970-chip-file', f'{c.work}/one.json')
    put({**program, 'register_writes': {**program['register_writes'], 'bitstream_glb_config': [['Glb', 0xf0, 1]]}})
    _, _, said = c.run(f'{c.work}/one.json')
    assert said.count('E0974-chip-builds') == 1, said
    # Functions by what they write, results by their names, columns of words by their tiles, several blanks.
    moved = {'cgra_streams': load + store, 'cgra_words': [['Glb', 0xf0, len(program['bitstream'])]]}
    put({**program, 'register_writes': moved})
    c.right(f'{c.work}/one.json')
    named = [('tensor_x_mode_0', c.level), ('tensor_x_mode_vals', c.values), ('bv', c.values), ('b0', c.level)]
    put({**{k: v for k, v in program.items() if k != 'glb_tile_of_output'}, 'data': dict(named)})
    c.right(f'{c.work}/one.json')
    swapped = ['  '.join(reversed(b.split('#')[0].split())) for b in program['bitstream'] if b[0] != '#']
    put({**program, 'bitstream': swapped})
    assert c.right(f'{c.work}/one.json').count('E0979-column-order') == 1
    for part in 'bitstream', 'data', 'register_writes':
        put({k: v for k, v in program.items() if k != part})
        code, _, said = c.run(f'{c.work}/one.json')
        assert code == 1 and ('E0003' in said or 'E0970' in said), said
    put({**program, 'register_writes': {'app_glb_config': [['Glb', 1]]}})
    c.wrong(1, 'E0970-chip-file', f'{c.work}/one.json')
    put({**program, 'data': {**program['data'], 'bv': [3, 5, 'x', 9]}})
    c.wrong(1, 'E0970-chip-file', f'{c.work}/one.json')
    put({**program, 'bitstream': [1, 2]})
    c.wrong(1, 'E0970-chip-file', f'{c.work}/one.json')
    put({**program, 'bitstream': ['xyz']})
    c.wrong(1, 'E0610-bits-text', f'{c.work}/one.json')


def exports(c):
    w = c.work
    for argv in (['x(i) = b(i) * c(i)', '-g', 'b:9:0', '-g', 'c:9:0.5'],
                 ['X(i,j) = B(i,j) % C(i,j)', '-g', 'B:5x5:1', '-g', 'C:5x5:1']):
        code, _, said = run(c.onyx, 'run', *argv, '--engine', 'cycle', '-o', f'{w}/ran', '--quiet')
        assert code == 0, said
        code, _, said = run(c.onyx, 'export', f'{w}/ran', '--to', 'aha', '-o', f'{w}/app')
        assert code == 1 and 'E0976-export' in said, said
    code, _, said = run(c.onyx, 'export', f'{w}/ran')
    assert code == 1 and 'E0905-folder' in said, said
    code, _, said = run(c.onyx, 'export', f'{w}/b0.raw', '-o', f'{w}/app')
    assert code == 1 and 'E0950-not-compiled' in said, said


def earlier_map(c):
    """Switch boxes under their feature from before the tape-out."""
    w = c.work
    with open(f'{w}/bin/app.bs', encoding='ascii') as f, open(f'{w}/earlier.bs', 'w', encoding='ascii') as to:
        to.write('\n'.join(line[:2] + ('0D' if line[2:4] in ('0B', '0E') else line[2:4]) + line[4:]
                           for line in f.read().split('\n') if line and line[0] != '#'))
    c.wrong(1, 'E0977-chip-map', f'{w}/earlier.bs')


def level_files(c):
    """Operands as files of levels, and each possible mistake."""
    right = {'0_seg': '0 3', '0_crd': '1 4 7', 'vals': '3 5 9', 'shape': '9'}
    wrong = {'0_seg': ('0 2', '1 3', '0 x', '-1 3', ''), '0_crd': ('1 4 9', '1 4', '1 4 7.5'), 'vals': ('3 5', '3 5 q'),
             'shape': ('9 9', '7', '1 1 1 1 1 1 1 1 1 1 1 1 1', None)}
    folder = f'{c.work}/levels'
    os.makedirs(folder, exist_ok=True)

    def attempt(files):
        for part, text in files.items():
            path = f'{folder}/tensor_b_mode_{part}'
            if text is None:
                os.remove(path)
            else:
                with open(path, 'w', encoding='ascii') as f:
                    f.write(text)
        return run(c.onyx, 'run', 'x(i) = b(i)', '-i', f'b:{folder}', '--engine', 'sam', '-o', f'{c.work}/out')
    code, text, said = attempt(right)
    assert code == 0 and 'check: pass' in text, said
    for part, texts in wrong.items():
        for one in texts:
            code, _, said = attempt({**right, part: one})
            assert code == 1 and 'E0317-level-files' in said, (part, one, said)
    attempt({**right, 'shape': '1'})


def headers(c):
    """A folder of headers; headers without data of the other headers, and files that are no headers."""
    w = f'{c.work}/headers'
    with open(f'{c.work}/bin/app.bs', encoding='ascii') as f:
        words = [line.split()[:2] for line in f if line.strip() and line[0] != '#']
    text = {'script': ''.join(f'uint32_t app_{k}_script[] = {{{", ".join("0x" + w[i] for w in words)}}};\n'
                              for i, k in enumerate(('addrs', 'datas'))),
            'input_script': ''.join(f'const uint16_t {prefix}{k}_data[{len(v)}] = {{{", ".join(map(hex, v))}}};\n'
                                    for prefix, k, v in (('app_', 'b0', c.level), ('', 'bv', c.values))),
            'reg_write': 'static void app_glb_config()\n{\n' + ''.join(
                f'HAL_Cgra_Glb_WriteReg({hex(x // 2 * 256 + r)}, {v});\n' for x, n in ((c.b0, 7), (c.bv, 4))
                for r, v in ((0x78, 0x29 if x % 2 == 0 else 0x49), (0x7c, 1), (0x80, x // 2 << 18), (0x88, n - 2))) + '}'}
    os.makedirs(w, exist_ok=True)
    for part, content in text.items():
        with open(f'{w}/prog_{part}.h', 'w', encoding='ascii') as f:
            f.write(content)
    for path in w, f'{w}/prog_script.h', f'{w}/prog_input_script.h':
        code, out, said = c.run(path)
        assert code == 0 and 'check: none' in out, said
    os.remove(f'{w}/prog_input_script.h')
    c.wrong(1, 'E0970-chip-file', w)
    w = c.work
    with open(f'{w}/app_script.h', 'w', encoding='ascii') as f:
        f.write('uint32_t app_addrs_script[] = {0x1}; // no data\n')
    c.wrong(1, 'E0611-bits-truncated', f'{w}/app_script.h')
    with open(f'{w}/app_script.h', 'w', encoding='ascii') as f:
        f.write('/* not closed uint32_t app_addrs_script[] = {')
    c.wrong(1, 'E0611-bits-truncated', f'{w}/app_script.h')


def main():
    c = Case(*sys.argv[1:3])
    words_of_streams(c)
    folders(c)
    explicit_zeros(c)
    one_file(c)
    exports(c)
    headers(c)
    level_files(c)
    earlier_map(c)


main()
