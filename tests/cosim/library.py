#!/usr/bin/env python3
"""A program with onyx's dispatcher (examples/target.c, .mk), built outside of the tree from the files that are installed,
does batches as app.elf does: library.py ONYX ONYX-COSIM SOURCE
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile


def main():
    onyx, cosim, source = (os.path.abspath(a) for a in sys.argv[1:4])
    if not shutil.which('arm-none-eabi-gcc') or not shutil.which('make'):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        home = f'{work}/home'
        for folder in ('boards', 'firmware', 'support'):
            shutil.copytree(f'{source}/{folder}', f'{home}/{folder}')
        for name in ('target.c', 'target.mk'):
            shutil.copy(f'{source}/examples/{name}', work)
        subprocess.run([onyx, 'run', 'X(i,j) = B(i,k) * C(k,j)', '-g', 'B:12x12:0.3:1', '-g', 'C:12x12:0.3:2', '--tile', '6', '-O0',
                        '--engine', 'soc', '-o', 'out', '--quiet'], cwd=work, check=True)
        subprocess.run(['make', '-s', '-f', 'target.mk', f'ONYX={home}', 'FOLDER=out/firmware'], cwd=work, check=True)
        results = {}
        for name, elf in ('app', 'out/firmware/app.elf'), ('own', 'target.elf'):
            done = subprocess.run([cosim, '--board', f'{source}/boards/onyx.json', '--elf', elf, '--batches', 'out/firmware/batches.bin',
                                   '--result', name, '--no-verify'], cwd=work, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (name, done.stderr)
            with open(f'{work}/{name}', 'rb') as f:
                results[name] = f.read()
        assert done.stderr.split('\n')[:2] == ['starts', 'ready'] and 'an exception' not in done.stderr, done.stderr
        hang(cosim, source, work, home)
        # Cycles of the runs may differ; the words do not.
        assert len(results['app']) == len(results['own']) and words_of(results['app']) == words_of(results['own'])


def hang(cosim, source, work, home):
    """A watchdog shorter than the batch interrupts, then resets."""
    subprocess.run(['make', '-B', '-s', '-f', 'target.mk', f'ONYX={home}', 'FOLDER=out/firmware', 'OWN=-DWATCHDOG_CYCLES=2000'], cwd=work, check=True)
    done = subprocess.run([cosim, '--board', f'{source}/boards/onyx.json', '--elf', 'target.elf', '--batches', 'out/firmware/batches.bin',
                           '--result', 'none', '--no-verify'], cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 4 and 'ready' in done.stderr and 'hangs' in done.stderr and 'the watchdog reset the chip' in done.stderr, done.stderr


def words_of(result):
    """Everything but the cycles of each run."""
    words = struct.unpack(f'<{len(result) // 4}I', result)
    runs, outputs = words[2:4]
    at, found = 4, []
    for _ in range(runs):
        at += 2
        for _ in range(outputs):
            length = (words[at] + 1) // 2
            found.append(words[at:at + 1 + length])
            at += 1 + length
    return found


main()
