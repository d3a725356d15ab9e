#!/usr/bin/env python3
"""firmware/onyx_gdb.py in gdb-multiarch on the co-simulated chip: a run that hangs since a load is a word short, then a
fault. gdb_kit.py ONYX ONYX-COSIM SOURCE
"""
import importlib.util
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

STEPS = """set pagination off
set confirm off
set remotetimeout 60
set architecture armv3m
source {source}/firmware/onyx_gdb.py
target extended-remote | exec openocd -c "gdb_port pipe; tcl_port disabled; telnet_port disabled; log_output openocd.log; set ONYX_JTAG {work}/jtag" -f {source}/boards/onyx-cosim.cfg
onyx mailbox
onyx table
onyx streams
onyx fault
set $pc = 0x60000001
monitor resume
shell sleep 1
monitor halt
onyx mailbox
onyx fault
onyx on
onyx nonsense
detach
quit
"""


def host_module(source):
    spec = importlib.util.spec_from_file_location('host', f'{source}/examples/host.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Door:
    """Memory of the co-simulated chip."""

    def __init__(self, path):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(path)

    def line(self):
        said = b''
        while not said.endswith(b'\n'):
            said += self.link.recv(1)
        assert said == b'ok\n', said

    def write(self, address, words):
        self.link.sendall(f'write {address} {4 * len(words)}\n'.encode() + struct.pack(f'<{len(words)}I', *words))
        self.line()

    def read(self, address):
        self.link.sendall(f'read {address} 4\n'.encode())
        self.line()
        return struct.unpack('<I', self.link.recv(4, socket.MSG_WAITALL))[0]


def hang(host, door, batches):
    """Starts the first batch with a load of a word less."""
    inputs, _, kernel, all_batches = host.batches_of(batches)
    runs, table, segments = all_batches[0]
    while door.read(host.MAILBOX + host.STATE) != 1:
        time.sleep(0.05)
    for address, words in segments:
        if address == table:
            words[2 * (inputs - 1) + 1] -= 1
        door.write(address, words)
    for offset, word in ((host.RUNS, runs), (host.TABLE, table), (host.OUTPUTS, host.banks_of_outputs(segments)), (host.KERNEL, kernel), (host.COMMAND, 1)):
        door.write(host.MAILBOX + offset, [word])
    while door.read(host.MAILBOX + host.STATE) != 2:
        time.sleep(0.05)
    time.sleep(1)


def check(said):
    assert re.search(r'^state +0x00000002 running$', said, re.M), said
    assert re.search(r'^run 0: loads 0x\w+\+\d+ .*; stores ', said, re.M), said
    streams = re.findall(r'^(load|store) \d+: GLB tile \d+, (\w+), from 0x\w+, \d+ (?:words|blocks)$', said, re.M)
    assert ('load', 'done') in streams and ('store', 'open') in streams, said
    assert 'no fault was recorded' in said, said
    assert re.search(r'^error 1, HARD_FAULT: the processor took a fault$', said, re.M), said
    assert re.search(r'^pc +0x60000000$', said, re.M) and re.search(r'^cfsr +0x\w*[1-9a-f]', said, re.M), said
    assert 'PLATFORM_RESET_ACK is 0x7cd8' in said and 'onyx mailbox, onyx table [ROWS]' in said, said


def main():
    onyx, cosim, source = (os.path.abspath(a) for a in sys.argv[1:4])
    if not all(shutil.which(p) for p in ('openocd', 'gdb-multiarch', 'arm-none-eabi-gcc')):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([onyx, 'run', 'x(i) = b(i) * c(i)', '-f', 'b:s', '-f', 'c:s', '-g', 'b:9:0.6:1', '-g', 'c:9:0.6:2', '-O0', '-o', 'out', '--quiet'],
                       cwd=work, check=True)
        with subprocess.Popen([cosim, '--board', f'{source}/boards/onyx.json', '--jtag', f'{work}/jtag', '--back-door', f'{work}/door',
                               '--elf', f'{work}/out/firmware/app.elf']) as chip:
            try:
                while not os.path.exists(f'{work}/door'):
                    time.sleep(0.05)
                hang(host_module(source), Door(f'{work}/door'), f'{work}/out/firmware/batches.bin')
                with open(f'{work}/steps.gdb', 'w', encoding='utf-8') as f:
                    f.write(STEPS.format(source=source, work=work))
                done = subprocess.run(['gdb-multiarch', '-nx', '-batch', '-x', 'steps.gdb', 'out/firmware/app.elf'], cwd=work, timeout=100,
                                      capture_output=True, text=True, check=False)
                check(done.stdout + done.stderr)
            finally:
                chip.terminate()


main()
