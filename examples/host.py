#!/usr/bin/env python3
"""A host of your own: runs a program that `onyx run` made, over OpenOCD's Tcl port; docs/host.md explains each step.

    host.py FOLDER [PORT]     FOLDER has app.elf and batches.bin; PORT is OpenOCD's tcl_port (6666)
    host.py FOLDER list     prints the batches; no chip is needed

For one kernel, without lists, functions or calls. Prints a line for each block of each output: run, output, words.
"""
import socket
import struct
import sys
import time

MAILBOX, GLB, GLB_TILES, BANK_BYTES = 0x20000040, 0x20400000, 16, 1 << 17
STATE, COMMAND, DONE, RUNS, TABLE, OUTPUTS, KERNEL = 0x08, 0x18, 0x1c, 0x20, 0x24, 0x28, 0x50


def batches_of(path):
    """(inputs, outputs, kernel, [(runs, address of the run table, [(address, words)])])"""
    words = memoryview(open(path, "rb").read()).cast("I")
    magic, version, inputs, outputs, count, _, kernel = words[:7]
    assert (magic, version) == (0x42584e4f, 9) and kernel < 0x80000000, "not a batch file of one kernel"
    at, batches = 7, []
    for _ in range(count):
        runs, table, segments = words[at:at + 3]
        at, found = at + 3, []
        for _ in range(segments):
            address, size = words[at], words[at + 1] & 0x7fffffff
            length = (size + 3) // 4
            found.append((address, list(words[at + 2:at + 2 + length])))
            at += 2 + length
        batches.append((runs, table, found))
    return inputs, outputs, kernel, batches


class Chip:
    def __init__(self, port):
        self.link = socket.create_connection(("localhost", port))

    def ask(self, command):
        self.link.sendall(command.encode() + b"\x1a")
        answer = b""
        while not answer.endswith(b"\x1a"):
            answer += self.link.recv(65536)
        return answer[:-1].decode()

    def write(self, address, words):
        for at in range(0, len(words), 1024):
            self.ask(f"write_memory {address + 4 * at:#x} 32 {{{' '.join(map(str, words[at:at + 1024]))}}}")

    def read(self, address, count):
        return [int(word, 0) for word in self.ask(f"read_memory {address:#x} 32 {count}").split()]

    def wait(self, offset, value):
        while self.read(MAILBOX + offset, 1)[0] != value:
            state, error, *details = self.read(MAILBOX + STATE, 4)
            assert state != 3, f"error {error} of firmware/errors.def, details {details}"
            time.sleep(0.05)


def banks_of_outputs(segments):
    """Bit g: the outputs of GLB tile g go to its bank 1. A tile with inputs has its outputs in the other bank."""
    banks = (1 << GLB_TILES) - 1
    for address, _ in segments:
        bank = (address - GLB) // BANK_BYTES
        if address >= GLB and bank % 2:
            banks &= ~(1 << bank // 2)
    return banks


def main():
    folder, how = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "6666"
    inputs, outputs, kernel, batches = batches_of(f"{folder}/batches.bin")
    if how == "list":
        for runs, table, segments in batches:
            print(f"{runs} runs of {inputs} inputs and {outputs} outputs, run table at {table:#x}, {len(segments)} segments")
        return
    chip = Chip(int(how))
    for command in ("reset halt", "onyx_array_on", f"load_image {folder}/app.elf", "reset run"):
        chip.ask(command)
    chip.wait(STATE, 1)
    for number, (runs, table, segments) in enumerate(batches, 1):
        for address, words in segments:
            chip.write(address, words)
        for offset, word in ((RUNS, runs), (TABLE, table), (OUTPUTS, banks_of_outputs(segments)), (KERNEL, kernel), (COMMAND, number)):
            chip.write(MAILBOX + offset, [word])
        chip.wait(DONE, number)
        row = 2 * (inputs + outputs) + 2
        done = chip.read(table, runs * row)
        for run in range(runs):
            for output in range(outputs):
                address, words = done[run * row + 2 * (inputs + output):][:2]
                block = chip.read(GLB + address & ~3, (words + 2) // 2)
                values = struct.unpack(f"<{2 * len(block)}H", struct.pack(f"<{len(block)}I", *block))[(address & 3) // 2:][:words]
                print(run, output, *values)


if __name__ == "__main__":
    main()
