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
import time


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
        log_by_debugger(cosim, source, work, home)
        # Cycles of the runs may differ; the words do not.
        assert len(results['app']) == len(results['own']) and words_of(results['app']) == words_of(results['own'])


def hang(cosim, source, work, home):
    """A watchdog shorter than the batch interrupts, then resets."""
    subprocess.run(['make', '-B', '-s', '-f', 'target.mk', f'ONYX={home}', 'FOLDER=out/firmware', 'OWN=-DWATCHDOG_CYCLES=2000'], cwd=work, check=True)
    done = subprocess.run([cosim, '--board', f'{source}/boards/onyx.json', '--elf', 'target.elf', '--batches', 'out/firmware/batches.bin',
                           '--result', 'none', '--no-verify'], cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 4 and 'ready' in done.stderr and 'hangs' in done.stderr and 'the watchdog reset the chip' in done.stderr, done.stderr


def log_by_debugger(cosim, source, work, home):
    """Semihosting through the debug port: OpenOCD prints the log; without a debugger the program says nothing and works."""
    subprocess.run(['make', '-B', '-s', '-f', 'target.mk', f'ONYX={home}', 'FOLDER=out/firmware', 'OWN=-DLOG_BY_DEBUGGER'], cwd=work, check=True)
    done = subprocess.run([cosim, '--board', f'{source}/boards/onyx.json', '--elf', 'target.elf', '--batches', 'out/firmware/batches.bin',
                           '--result', 'silent', '--no-verify'], cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and 'starts' not in done.stderr, done.stderr
    if not shutil.which('openocd'):
        return
    steps = ('init; reset halt; onyx_array_on; load_image target.elf; reset halt; arm semihosting enable; resume; '
             'for {set i 0} {$i < 300 && [read_memory 0x20000048 32 1] != 1} {incr i} {sleep 100}; sleep 500; shutdown')
    with subprocess.Popen([cosim, '--board', f'{source}/boards/onyx.json', '--jtag', f'{work}/jtag'], stderr=subprocess.DEVNULL) as chip:
        while not os.path.exists(f'{work}/jtag'):
            time.sleep(0.05)
        done = subprocess.run(['openocd', '-c', f'gdb_port disabled; tcl_port disabled; telnet_port disabled; set ONYX_JTAG {work}/jtag',
                               '-f', f'{source}/boards/onyx-cosim.cfg', '-c', steps], cwd=work, capture_output=True, text=True, check=False,
                              timeout=120)
        chip.terminate()
    said = (done.stdout + done.stderr).split('\n')
    assert done.returncode == 0 and 'starts' in said and 'ready' in said, said


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
