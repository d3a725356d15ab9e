"""Plays recorded words through an exported kernel under cocotb, and compares the words and the number of cycles.

NAME.json maps the ports. A stream's file has a word a line in hexadecimal digits: bits 15:0 are the word, bit 16 marks
the last word of a run. Inputs are set and outputs are looked at while the clock is low: both are settled then.
"""
import json
import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

DRAIN = 128  # cycles in which surplus words would come


class Stream:
    """A stream of the kernel: its words, and the next of them."""

    def __init__(self, dut, one, folder):
        self.name, self.into = one['port'], one['direction'] == 'in'
        self.valid, self.data, self.ready = (getattr(dut, one[pin]) for pin in ('valid', 'data', 'ready'))
        with open(os.path.join(folder, one['words']), encoding='ascii') as f:
            self.words = [int(line, 16) for line in f]
        self.at, self.active = 0, False

    def drive(self):
        if not self.into:
            self.ready.value = int(self.active)
            return
        self.valid.value = int(self.active)
        self.data.value = self.words[self.at] & 0xffff if self.active else 0

    def move(self):
        """Does what the coming rising edge will do."""
        if not int(self.ready.value if self.into else self.valid.value):
            return
        if not self.into:
            assert self.active, f'{self.name} has a word behind the last'
            want = self.words[self.at] & 0xffff
            assert int(self.data.value) == want, f'{self.name} word {self.at} is {self.data.value}, expected {want}'
        if self.active:
            self.active = not self.words[self.at] >> 16
            self.at += 1


async def cycle(dut, streams):
    for s in streams:
        s.drive()
    await ReadOnly()
    for s in streams:
        s.move()
    await FallingEdge(dut.clk_i)


async def play(dut, path):
    """All runs of the map's words; an assertion says what differs."""
    with open(path, encoding='ascii') as f:
        kernel = json.load(f)
    streams = [Stream(dut, one, os.path.dirname(os.path.abspath(path))) for one in kernel['streams']]
    outputs = [s for s in streams if not s.into]
    dut.rst_ni.value = 0
    dut.flush_i.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, 'ns').start())
    for s in streams:
        s.drive()
    await FallingEdge(dut.clk_i)
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    cycles = 0
    for run in range(kernel['runs']):
        dut.flush_i.value = 1
        await cycle(dut, streams)
        dut.flush_i.value = 0
        await cycle(dut, streams)  # far rows see the flush a cycle later
        waited = 0
        for s in streams:
            s.active = True
        while any(s.active for s in streams):
            cycles += any(s.active for s in outputs)
            waited += 1
            assert waited < 2 * kernel['cycles'] + 100000, f'run {run} does not end'
            await cycle(dut, streams)
        for _ in range(DRAIN):
            await cycle(dut, streams)
        for one in kernel['monitors']:
            raised = int(getattr(dut, one['port']).value) >> one['bit'] & 1
            assert not raised, f"run {run} raised {one['kind']} of {one['tile']}"
    assert cycles == kernel['cycles'], f"{cycles} cycles, expected {kernel['cycles']}"
