#!/usr/bin/env python3
"""Exported kernels in simulators of others: benches built and run from an exported folder alone.

benches.py ONYX WORK SOURCE BUILD

Two kernels go into one folder. The C++ bench plays one; a simulation of both plays them in SystemVerilog; the module of
cocotb runs under cocotb, or on a stand-in of its calls. Yosys reads both, and Icarus what Yosys writes, where they are
installed. Each bench must refuse a wrong word.
"""
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import types

KERNELS = {'spmv': ['x(i) = B(i,j) * c(j)', '-f', 'B:ss', '-g', 'B:6x6:0.4:1', '-g', 'c:6:0.7:2'],
           'sums': ['y(i) = B(i) + c(i)', '-g', 'B:12:0.4:1', '-g', 'c:12:0.5:2', '--tile', '4']}
MAKE = 'OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0 VM_PARALLEL_BUILDS=0'
if shutil.which('clang++'):  # without optimisation clang takes less time than gcc, and has coroutines in C++20, without an option of gcc's
    MAKE += ' CXX=clang++ CFG_CXXFLAGS_COROUTINES=-std=c++20'


def run(*argv, cwd=None, code=0):
    done = subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert (done.returncode == 0) == (code == 0), (argv, done.returncode, done.stdout[-3000:])
    return done.stdout


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def export(onyx, work, hw):
    for name, argv in KERNELS.items():
        run(onyx, 'run', *argv, '--dtype', 'int16', '--engine', 'cycle', '-o', f'{work}/{name}', '--quiet')
        for tool in ('sv',) if name == 'sums' else ('verilator', 'sv', 'cocotb'):
            run(onyx, 'export', f'{work}/{name}', '--to', tool, '--name', name, '-o', hw)


def check_map(hw, work, name):
    """Every port of the map is in the module with its direction, every stream has its words, and nothing else is."""
    kernel = json.loads(read(f'{hw}/{name}.json'))
    ports = dict((port, way) for way, port in
                 re.findall(r'^    (input|output) +logic (?:\[\d+:0\] )?(\w+),?$', read(f'{hw}/{name}.sv'), re.M))
    want = {'clk_i': 'input', 'rst_ni': 'input', 'flush_i': 'input'}
    for s in kernel['streams']:
        into = s['direction'] == 'in'
        want.update({s[pin]: 'input' if (pin == 'ready') != into else 'output' for pin in ('data', 'valid', 'ready')})
        words = [int(w, 16) for w in read(f"{hw}/{s['words']}").split()]
        assert len(words) == s['count'] and sum(w >> 16 for w in words) == kernel['runs'] and words[-1] >> 16, s
        assert s['port'] == f"{s['tensor']}_{s['level']}_crd" if s['holds'] == 'level' else f"{s['tensor']}_vals", s
    want.update({m['port']: 'output' for m in kernel['monitors']})
    assert ports == want, (ports, want)
    cycles = json.loads(read(f'{work}/{name}/report.json'))['cycles']['kernel']
    assert kernel['cycles'] == cycles and 'onyx_clock_gate' not in read(f'{hw}/{name}.sv')
    return kernel


def check_alone(hw, source, build):
    """No file of the folder leads to the tree, and lists name files of the folder."""
    for folder, _, files in os.walk(hw):
        for file in files:
            text = read(f'{folder}/{file}')
            assert source not in text and build not in text, file
    for name in KERNELS:
        for entry in read(f'{hw}/{name}.f').split():
            assert entry == '+incdir+rtl' or os.path.exists(f'{hw}/{entry}'), entry
    for entry in re.findall(r'- (rtl/\w+\.svh?)', read(f'{hw}/onyx_rtl.core')):
        assert os.path.exists(f'{hw}/{entry}'), entry


class Damaged:
    """A word of a stream's file is another one, as long as this object is entered."""

    def __init__(self, path):
        self.path, self.text = path, read(path)

    def __enter__(self):
        lines = self.text.split()
        lines[-1] = f'{int(lines[-1], 16) ^ 5:05x}'
        with open(self.path, 'w', encoding='ascii') as f:
            f.write('\n'.join(lines) + '\n')

    def __exit__(self, *_):
        with open(self.path, 'w', encoding='ascii') as f:
            f.write(self.text)


def check_cpp(hw):
    run('verilator', '--cc', '--exe', '--build', '-Wall', '-MAKEFLAGS', MAKE, '--top-module', 'spmv', '-f', 'spmv.f',
        'spmv_bench.cpp', '-CFLAGS', '-I..', '-o', 'bench', '--Mdir', 'obj_cpp', cwd=hw)
    assert 'spmv: PASS, 1 runs' in run('obj_cpp/bench', cwd=hw)
    for word in ('x_vals', 'x_0_crd', 'B_vals'):
        with Damaged(f'{hw}/spmv_words/{word}.hex'):
            assert 'spmv: FAIL' in run('obj_cpp/bench', cwd=hw, code=1), word
    return 'C++'


TWO = '''// Two kernels in one simulation.
module two;
  logic clk = 1'b0, rst_n = 1'b0;
  logic [1:0] done, failed;
  initial forever #5 clk = ~clk;
  spmv_check u_spmv (.clk_i(clk), .rst_ni(rst_n), .done_o(done[0]), .failed_o(failed[0]));
  sums_check u_sums (.clk_i(clk), .rst_ni(rst_n), .done_o(done[1]), .failed_o(failed[1]));
  initial begin
    repeat (2) @(negedge clk);
    rst_n = 1'b1;
    while (done != 2'b11) @(negedge clk);
    if (failed != 2'b00) $fatal(1, "words differ");
    $finish;
  end
endmodule
'''


def judge_two(hw, *argv):
    said = run(*argv, cwd=hw)
    assert 'spmv: PASS' in said and re.search('sums: PASS, [2-9] runs', said), said
    with Damaged(f'{hw}/sums_words/y_vals.hex'):
        said = run(*argv, cwd=hw, code=1)
        assert 'spmv: PASS' in said and 'sums: FAIL' in said and 'y_vals.hex: word' in said, said


def check_sv(hw):
    """Both kernels under one clock."""
    sources = [s for s in read(f'{hw}/spmv_bench.f').split() if s != 'spmv_bench.sv']
    run('verilator', '--binary', '--timing', '-Wall', '-MAKEFLAGS', MAKE, '--top-module', 'two', *sources, 'sums.sv',
        'sums_check.sv', 'two.sv', '-o', 'bench', '--Mdir', 'obj_sv', cwd=hw)
    judge_two(hw, 'obj_sv/bench')
    return 'SystemVerilog, two kernels'


def check_yosys(hw):
    if not shutil.which('yosys'):
        return 'no Yosys'
    sources = ' '.join(s for s in read(f'{hw}/spmv.f').split() if s != '+incdir+rtl')
    run('yosys', '-q', '-p', f'read_verilog -sv -Irtl {sources} sums.sv; hierarchy -check; proc; check -assert spmv sums; '
        'write_verilog -noattr both.v', cwd=hw)
    if not shutil.which('iverilog'):
        return 'Yosys; no Icarus'
    run('iverilog', '-g2012', '-s', 'two', '-o', 'two.vvp', 'both.v', 'onyx_bench_source.sv', 'onyx_bench_sink.sv',
        'onyx_bench_runs.sv', 'spmv_check.sv', 'sums_check.sv', 'two.sv', cwd=hw)
    judge_two(hw, 'vvp', 'two.vvp')
    return 'Yosys, Icarus'


# ---- cocotb ---------------------------------------------------------------------------------------------------------

class Pin:
    def __init__(self):
        self.value = 0


class Player:
    """A stand-in of the simulated kernel: takes every word, and gives the recorded ones; a cycle is a falling edge."""

    def __init__(self, kernel, hw):
        self.kernel, self.reset, self.cycles = kernel, 0, 0
        for name in ['clk_i', 'rst_ni', 'flush_i'] + [m['port'] for m in kernel['monitors']]:
            setattr(self, name, Pin())
        self.words = {}
        for s in kernel['streams']:
            for pin in ('data', 'valid', 'ready'):
                setattr(self, s[pin], Pin())
            if s['direction'] == 'in':
                getattr(self, s['ready']).value = 1
            else:
                self.words[s['port']] = [int(w, 16) for w in read(f"{hw}/{s['words']}").split()]

    def edge(self):
        """Gives a word to each ready output in the last cycles of a run, so that the number of cycles is right."""
        run = any(getattr(self, s['ready']).value for s in self.kernel['streams'] if s['direction'] == 'out')
        self.cycles += run
        for s in self.kernel['streams']:
            if s['direction'] == 'in':
                continue
            left = self.words[s['port']]
            if getattr(self, s['valid']).value and getattr(self, s['ready']).value:
                left.pop(0)
            give = bool(left) and self.cycles + len(left) >= self.kernel['cycles']
            getattr(self, s['valid']).value = int(give)
            getattr(self, s['data']).value = left[0] & 0xffff if give else 0


def stand_in(dut):
    """Modules with the names of cocotb's that onyx_bench.py uses."""
    class Wait:
        def __init__(self, clock=None):
            self.clock = clock

        def __await__(self):
            if self.clock is not None:
                dut.edge()
            return iter(())

    class Clock:
        def __init__(self, pin, period, unit):
            assert pin is dut.clk_i and period > 0 and unit == 'ns'

        def start(self):
            return None

    cocotb, clock, triggers = (types.ModuleType(n) for n in ('cocotb', 'cocotb.clock', 'cocotb.triggers'))
    cocotb.test, cocotb.start_soon = (lambda: lambda f: f), (lambda task: None)
    clock.Clock, triggers.FallingEdge, triggers.ReadOnly = Clock, Wait, Wait
    cocotb.clock, cocotb.triggers = clock, triggers
    sys.modules.update({'cocotb': cocotb, 'cocotb.clock': clock, 'cocotb.triggers': triggers})


def play_stand_in(hw, dut):
    stand_in(dut)
    sys.path.insert(0, hw)
    for name in ('onyx_bench', 'test_spmv'):
        sys.modules.pop(name, None)
    play = importlib.import_module('test_spmv').words_and_cycles_are_as_recorded(dut)
    try:
        play.send(None)
        raise AssertionError('the coroutine does not end')
    except StopIteration:
        return True
    except AssertionError:
        return False
    finally:
        sys.path.remove(hw)


def check_cocotb(hw, kernel):
    try:
        importlib.import_module('cocotb')
    except ImportError:
        right = Player(kernel, hw)
        assert play_stand_in(hw, right)
        right = Player(kernel, hw)
        with Damaged(f'{hw}/spmv_words/x_vals.hex'):
            assert not play_stand_in(hw, right), 'a wrong word passes'
        return 'no cocotb: its test ran on a stand-in'
    run('make', '-f', 'spmv.mk', cwd=hw)
    with Damaged(f'{hw}/spmv_words/x_vals.hex'):
        run('make', '-f', 'spmv.mk', cwd=hw, code=1)
    return 'cocotb'


def check_names(onyx, work, hw):
    """Names that no module can have are refused; the default is the result's."""
    for name in ('module', '4x', 'a-b', 'onyx_fifo2', 'a b', 'logic'):
        said = run(onyx, 'export', f'{work}/sums', '--to', 'sv', '--name', name, '-o', f'{work}/refused', code=1)
        assert 'E0976-export' in said, (name, said)
    assert not os.path.exists(f'{work}/refused'), 'a refused export leaves a folder'
    run(onyx, 'export', f'{work}/sums', '--to', 'cocotb', '-o', f'{work}/named')
    assert 'module kernel_y (' in read(f'{work}/named/kernel_y.sv')


def main():
    onyx, work, source, build = sys.argv[1:5]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    hw = f'{work}/hw'
    export(onyx, work, hw)
    kernels = {name: check_map(hw, work, name) for name in KERNELS}
    check_alone(hw, source, build)
    check_names(onyx, work, hw)
    with open(f'{hw}/two.sv', 'w', encoding='ascii') as f:
        f.write(TWO)
    ran = [check_yosys(hw), check_cocotb(hw, kernels['spmv'])]
    ran += [check_cpp(hw), check_sv(hw)] if shutil.which('verilator') else ['no Verilator']
    print('; '.join(ran))


main()
