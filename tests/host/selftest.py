#!/usr/bin/env python3
"""onyx program --selftest on the co-simulated chip: a chip without a fault, and a chip with each fault of
rtl_models/soc/faults.def, whose part the report names.

selftest.py ONYX ONYX-COSIM SOURCE
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Fault: step that fails, text of its finding.
NAMED = {
    'idcode': ('debug port', r'IDCODE is 0x4ba10477'),
    'platform': ('platform controller', r'PLATFORM_ID is 0x5a5a5a5b'),
    'code': ('program memory', r'program memory: 0x00001230 .* bits 0x00000020'),
    'sram': ('SRAM', r'SRAM: 0x20004568 .* bits 0x00020000'),
    'processor': ('processor', r'the processor does not run'),
    'clock': ('array clock', r"the array's clock stays off"),
    'reset': ('array clock', r'the array stays in reset'),
    'controller': ('controller', r'controller of array and buffer: 0x4001.* bits 0x00001000'),
    'tile-registers': ('buffer registers', r'registers of GLB tile 5: 0x4001'),
    'bank-cell': ('buffer banks', r'GLB tile 3, bank 1: 0x204e1230 .* bits 0x00000040'),
    'bank-line': ('buffer banks', r'GLB tile 7, bank 0: 0x205c'),
    'array-register': ('array registers', r'tile x9y4: '),
    'column': ('loops', r'column 12 to column 13: .* bits 0x0200'),
    'store': ('loops', r'the store of GLB tile 6 does not end'),
    'configuration': ('identity', r'configuration by DMA did not finish .*E0787-target'),
}


def selftest(folder, *argv):
    done = subprocess.run([f'{folder}/bin/onyx', 'program', '--selftest', '--board', 'onyx-cosim', '-o', f'{folder}/out', *argv],
                          capture_output=True, text=True, check=False)
    with open(f'{folder}/out/report.txt', encoding='utf-8') as f:
        report = f.read()
    rows = [re.fullmatch(r' ?\d+ (.{20}) (good|differs|FAILED|not tested) +(.*)', line).groups() for line in report.splitlines()[1:]]
    assert done.stdout.splitlines() == report.splitlines()[1:], done.stdout
    return done.returncode, [(step.strip(), result, text) for step, result, text in rows], done.stderr


def check_fault(folder, cosim, fault):
    with open(f'{folder}/bin/onyx-cosim', 'w', encoding='utf-8') as f:
        f.write(f'#!/bin/sh\nexec {cosim} "$@" --fault {fault}\n')
    os.chmod(f'{folder}/bin/onyx-cosim', 0o755)
    code, rows, said = selftest(folder, '--idcode', 'error')
    step, text = NAMED[fault]
    at = [row[0] for row in rows].index(step)
    assert code == 1 and '[E0793-selftest]' in said and 'report.txt' in said, (fault, said)
    assert rows[at][1] == 'FAILED' and re.search(text, rows[at][2]), (fault, rows)
    assert all(row[1] == 'good' for row in rows[:at]) and all(row[1] == 'not tested' for row in rows[at + 1:]), (fault, rows)


# An onyx-cosim before its interface had a number.
OLDER = """#!/usr/bin/env python3
import socket, sys
door = socket.socket(fileno=int(sys.argv[sys.argv.index('--back-door') + 1][3:]))
client = door.accept()[0]
while client.recv(1) != b'\\n':
    pass
client.sendall(b'no: write ADDRESS BYTES, read ADDRESS BYTES, or collisions\\n')
client.recv(1)
"""


def check_older(folder):
    """Another release of onyx-cosim is named, in place of a part of the chip."""
    with open(f'{folder}/bin/onyx-cosim', 'w', encoding='utf-8') as f:
        f.write(OLDER)
    code, rows, said = selftest(folder)
    assert code == 1 and 'E0794-cosim-version' in said and 'E0793' not in said, said
    assert all(row[1] == 'not tested' for row in rows), rows


def main():
    onyx, cosim, source = (os.path.abspath(a) for a in sys.argv[1:4])
    if not shutil.which('openocd') or not shutil.which('arm-none-eabi-gcc'):
        sys.exit(77)
    with open(f'{source}/rtl_models/soc/faults.def', encoding='utf-8') as f:
        assert re.findall(r'FAULT\(\w+, "([^"]*)"', f.read()) == list(NAMED), 'a fault without an expectation'
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f'{folder}/bin')
        shutil.copy(onyx, f'{folder}/bin/onyx')
        os.symlink(os.path.join(os.path.dirname(onyx), 'firmware'), f'{folder}/bin/firmware')
        os.symlink(cosim, f'{folder}/bin/onyx-cosim')
        os.environ['ONYX_HOME'] = source
        code, rows, said = selftest(folder)
        assert code == 0 and len(rows) == 13 and all(row[1] == 'good' for row in rows), (rows, said)
        os.remove(f'{folder}/bin/onyx-cosim')
        for fault in NAMED:
            check_fault(folder, cosim, fault)
        check_older(folder)
        done = subprocess.run([onyx, 'program', '-o', 'x', 'none'], capture_output=True, text=True, check=False, cwd=folder)
        assert done.returncode == 1, done.stderr


main()
