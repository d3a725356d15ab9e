#!/usr/bin/env python3
"""onyx registers on the co-simulated chip, and the SVD of a board, against docs/registers.md.

registers.py ONYX SOURCE
"""
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

ON = ['PLATFORM_CGRA_CLK_SELECT=0', 'PLATFORM_CLK_GATE_EN=0x7c5c', 'PLATFORM_RESET_REQ=0x7cd8']


def run(onyx, *argv):
    done = subprocess.run([onyx, *argv], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def page(source):
    """Registers of the manual: block, name, offset, stride, count, access, reset."""
    with open(f'{source}/docs/registers.md', encoding='utf-8') as f:
        text = f.read()
    rows = {}
    for name, offset, access, reset in re.findall(r'^\| `(\w+)` \| ([^|]*) \| (\w+) \| (\w+) \|', text, re.M):
        array = re.fullmatch(r'(\w+) \+ (\d+) \* k, k < (\d+)', offset)
        block, name = name.split('_', 1)
        rows[block, name] = (int(array[1] if array else offset, 16), int(array[2]) if array else 0,
                             int(array[3]) if array else 1, access, int(reset, 16))
    return rows


def check_svd(onyx, rows):
    code, text, said = run(onyx, 'boards', '--svd', 'onyx')
    assert code == 0, said
    device = xml.etree.ElementTree.fromstring(text)
    base, found = {}, {}
    for p in device.find('peripherals'):
        base[p.find('name').text] = int(p.find('baseAddress').text, 16)
        for r in p.iter('register'):
            one = (int(r.find('addressOffset').text, 16), int(r.findtext('dimIncrement', '0'), 16),
                   int(r.findtext('dim', '1')), r.find('access').text, int(r.find('resetValue').text, 16))
            clears = r.findtext('modifiedWriteValues') == 'oneToClear'
            access = {'read-only': 'RO', 'write-only': 'WP', 'read-write': 'W1C' if clears else 'RW'}[one[3]]
            found[p.find('name').text.rstrip('0'), r.find('name').text.replace('[%s]', '')] = (*one[:3], access, one[4])
            bits = [b for f in r.iter('field') for b in range(int(f.find('bitOffset').text), int(
                f.find('bitOffset').text) + int(f.find('bitWidth').text))]
            assert len(bits) == len(set(bits)) and all(b < 32 for b in bits)
    assert found == {k: v for k, v in rows.items() if k[0] != 'CORE'}, 'the SVD is not the manual'
    assert base == {'PLATFORM': 0x40007000, 'GLC': 0x40010000, **{f'GLB{g}': 0x40011000 + 0x100 * g for g in range(16)}}
    assert run(onyx, 'boards', '--svd', 'nowhere')[0] == 1


def check_chip(onyx, rows):
    """Every register of every block at its reset value; writes of what can be read back; what is refused."""
    code, text, said = run(onyx, 'registers', '--board', 'onyx-cosim', 'PLATFORM', *ON, 'GLC', 'GLB0', 'GLB15')
    assert code == 0, said
    lines = [re.match(r'(\w{8}) (\S+) +(\w{8})', line).groups() for line in text.splitlines()]
    read = {name: (int(address, 16), int(value, 16)) for address, name, value in reversed(lines)}
    for (block, name), (offset, stride, count, _, reset) in rows.items():
        for tile in {'GLB': (0, 15)}.get(block, ('',) if block != 'CORE' else ()):
            base = {'PLATFORM': 0x40007000, 'GLC': 0x40010000, 'GLB': 0x40011000}[block] + 0x100 * (tile or 0)
            for k in range(count):
                which = f'{block}{tile}_{name}' + (f'[{k}]' if count > 1 else '')
                assert read[which] == (base + offset + stride * k, reset), (which, read[which])
    code, text, said = run(onyx, 'registers', '--board', 'onyx-cosim', *ON, 'GLC_TEST=0xdeadbeef', 'GLB7_LD_RANGE[3]=1234',
                           'GLC_TEST', 'GLB7_LD_RANGE[3]', 'GLB7_LD_RANGE[2]', '0x20000100=99', '0x20000100',
                           'GLC_FLUSH_CROSSBAR=0x88880000')
    assert code == 0, said
    assert [line.split()[2] for line in text.splitlines()[3:]] == ['deadbeef', '000004d2', 'deadbeef', '000004d2', '00000000',
                                                                  '00000063', '00000063', '88880000'], text
    for argv, error in ((['GLC_TEST'], 'E0791-no-clock'), (ON[:2] + ['GLC_TEST'], 'is in reset [E0791-no-clock'),
                        (['PLATFORM_ID=1'], 'E0792-register'), (['GLB16_LD_CTRL'], 'E0792-register'), (['GLB_LD_CTRL'], 'E0792-register'),
                        (['GLB1_LD_RANGE'], 'E0792-register'), (['GLB1_LD_RANGE[8]'], 'E0792-register'), (['GLC_TEST=x'], 'E0792-register'),
                        (['GLC_TEST=0x100000000'], 'E0792-register'), (['0x20000002'], 'E0792-register'), (['GLC_TES'], 'E0792-register'), ([], 'E0792-register')):
        code, _, said = run(onyx, 'registers', '--board', 'onyx-cosim', *argv)
        assert code == 1 and error in said, (argv, said)


def main():
    onyx, source = sys.argv[1:3]
    rows = page(source)
    assert len(rows) > 50
    check_svd(onyx, rows)
    if not shutil.which('openocd'):
        print('no OpenOCD: no register is read')
        return
    check_chip(onyx, rows)


main()
