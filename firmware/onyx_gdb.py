"""Commands of gdb for a chip that runs a program of onyx, by the tables of the firmware: docs/program.md.

    gdb-multiarch out/firmware/app.elf -x firmware/onyx_gdb.py

onyx mailbox        the words between host and chip, with an error's text
onyx table [ROWS]   rows of the batch's run table
onyx streams        loads and stores of the batch's kernel: what their DMAs are set to, and which are open
onyx fault          the record of a fault
onyx on             gives the array its clock, before the global buffer is loaded; with any gdb server
"""
import json
import pathlib
import re

import gdb

HERE = pathlib.Path(__file__).resolve().parent
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows(name, macro):
    """The arguments of each row of a table, as texts without quotes; neighbouring strings are one."""
    text = re.sub(r'/\*.*?\*/', '', (HERE / name).read_text(encoding='utf-8'), flags=re.S)
    found = []
    for row in re.finditer(rf'^{macro}\((.*?)\)$', text, re.S | re.M):
        kept = []
        plain = STRING.sub(lambda m: kept.append(m[1]) or f'@{len(kept) - 1}@', row[1])
        found.append([re.sub(r'@(\d+)@\s*', lambda m: kept[int(m[1])], part.strip()) for part in plain.split(',')])
    return found


def members_of(table):
    """Names and numbers of words of a table of the mailbox or a fault record."""
    text = re.sub(r'/\*.*?\*/', '', (HERE / table).read_text(encoding='utf-8'), flags=re.S)
    return [(m[2], 2 if m[1].endswith('PAIR') else 1) for m in re.finditer(r'^(FW_\w+)\((\w+)', text, re.M)]


class Chip:
    """Words of the chip's memories and registers."""

    def __init__(self):
        self.mailbox_at = int(gdb.parse_and_eval('(unsigned)&mailbox'))
        board = json.loads((HERE.parent / 'boards' / f'{gdb.parameter("onyx-board")}.json').read_text(encoding='utf-8'))
        self.controller, self.platform = (int(board['memory_map'][name], 0) for name in ('cgra_reg', 'platform'))

    def words(self, address, count):
        memory = bytes(gdb.selected_inferior().read_memory(address, 4 * count))
        return [int.from_bytes(memory[at:at + 4], 'little') for at in range(0, 4 * count, 4)]

    def mailbox(self):
        at, found = self.mailbox_at, {}
        for name, count in members_of('mailbox.def'):
            words = self.words(at, count)
            found[name] = words[0] if count == 1 or name == 'detail' else words[0] | words[1] << 32
            if name == 'detail':
                found['details'] = words
            at += 4 * count
        return found

    def address_of(self, block, name, tile=0):
        base = {'GLC': self.controller, 'GLB': self.controller + 0x1000 + 0x100 * tile, 'PLATFORM': self.platform}[block]
        for row in rows('registers.def', 'REGISTER(?:_ARRAY)?'):
            if row[:2] == [block, name]:
                return base + int(row[2], 0)
        raise gdb.GdbError(f'{block}_{name} is no register')

    def register(self, block, name, tile=0):
        return self.words(self.address_of(block, name, tile), 1)[0]

    def set_register(self, block, name, value):
        gdb.selected_inferior().write_memory(self.address_of(block, name), value.to_bytes(4, 'little'))


def fields_of(section, words):
    """The fields of a section of a run table's row, from its words."""
    return {row[1]: words[int(row[2])] >> int(row[3]) & (1 << int(row[4])) - 1 for row in rows('row.def', 'FW_ROW_FIELD') if row[0] == section}


class Kernel:
    """A kernel of the program, by the program's own tables."""

    def __init__(self, number):
        if number >= int(gdb.parse_and_eval('kernel.n_kernels')):
            raise gdb.GdbError('the batch is of no kernel')
        own = gdb.parse_and_eval(f'kernel.kernels[{number}]')
        self.inputs, self.outputs, self.lanes = (int(own[name]) for name in ('n_loads', 'n_stores', 'n_lanes'))
        self.loads = [int(own['loads'][i]['glb_tile']) for i in range(self.inputs * self.lanes)]
        self.stores = [int(own['stores'][i]['glb_tile']) for i in range(self.outputs * self.lanes)]
        self.row_bytes = 8 * (self.inputs + self.outputs) + 8


def error_lines(box):
    for row in rows('errors.def', 'FW_ERROR'):
        if row[0] == 'NONE' or int(row[1]) != box['error']:
            continue
        yield f'error {box["error"]}, {row[0]}: {row[2]}'
        for name, value in zip(row[3:5], box['details']):
            if name:
                yield f'  {name}: {value:#010x}'
        yield f'  help: {row[5]}'


def show_mailbox(_):
    chip = Chip()
    box = chip.mailbox()
    states = ['booting', 'ready', 'running', 'failed']
    for name, value in box.items():
        if name == 'details':
            continue
        said = f' {states[value]}' if name == 'state' and value < 4 else ''
        print(f'{name:16} {value:#010x}{said}')
    print(*error_lines(box), sep='\n', end='\n' if box['error'] else '')


def show_table(argument):
    chip = Chip()
    box = chip.mailbox()
    kernel = Kernel(box['callee'])
    for run in range(min(box['runs'], int(argument or 16))):
        words = chip.words(box['table'] + run * kernel.row_bytes, kernel.row_bytes // 4)
        fields = [fields_of('cell', words[2 * i:]) for i in range(kernel.inputs + kernel.outputs)]
        cells = [f'{cell["first"]:#08x}+{cell["words"]}' for cell in fields]
        end = fields_of('end', words[-2:])
        print(f'run {run}: loads {" ".join(cells[:kernel.inputs])}; stores {" ".join(cells[kernel.inputs:])}; '
              f'{end["cycles"]} cycles, copy {end["lane"]}, start {end["start"]}')


def show_streams(_):
    chip = Chip()
    kernel = Kernel(chip.mailbox()['callee'])
    waits = gdb.parse_and_eval("'dispatch.c'::waits")
    waited = 0
    for lane in range(kernel.lanes):
        waited |= int(waits[lane])
    seen = int(gdb.parse_and_eval("'streams.c'::state")['done'])
    done = seen | chip.register('GLC', 'G2F_ISR') | chip.register('GLC', 'F2G_ISR') << 16
    for kind, tiles, block, shift in (('load', kernel.loads, 'LD', 0), ('store', kernel.stores, 'ST', 16)):
        for i, tile in enumerate(tiles):
            bit = 1 << tile + shift
            state = 'open' if waited & ~done & bit else 'done' if done & bit else 'idle'
            control, start, extent = (chip.register('GLB', f'{block}_{name}', tile) for name in ('CTRL', 'START_ADDR', 'RANGE'))
            extra = f'{extent + 2} words' if kind == 'load' else f'{chip.register("GLB", "ST_NUM_BLOCKS", tile)} blocks'
            print(f'{kind} {i}: GLB tile {tile}, {"off" if not control & 3 else state}, from {start:#08x}, {extra}')


def show_fault(_):
    chip = Chip()
    at = chip.mailbox()['record']
    if not at:
        print('no fault was recorded')
        return
    words = dict(zip([name for name, _ in members_of('fault.def')], chip.words(at, len(members_of('fault.def')))))
    for name, value in words.items():
        print(f'{name:10} {value:#010x}')
    gdb.execute(f'info line *{words["pc"]:#x}')


def switch_on(_):
    chip = Chip()
    chip.set_register('PLATFORM', 'CGRA_CLK_SELECT', 0)
    for name in ('CLK_GATE_EN', 'RESET_REQ'):
        chip.set_register('PLATFORM', name, chip.register('PLATFORM', name) & ~0x100)
    print(f'PLATFORM_RESET_ACK is {chip.register("PLATFORM", "RESET_ACK"):#x}: bit 8 is the array')


class BoardName(gdb.Parameter):
    """The document in boards/ with the chip's addresses."""

    def __init__(self):
        super().__init__('onyx-board', gdb.COMMAND_DATA, gdb.PARAM_STRING)
        self.value = 'onyx'


class Onyx(gdb.Command):
    """onyx mailbox, onyx table [ROWS], onyx streams, onyx fault, onyx on: the state of a program on the chip."""

    KINDS = {'mailbox': show_mailbox, 'table': show_table, 'streams': show_streams, 'fault': show_fault, 'on': switch_on}

    def __init__(self):
        super().__init__('onyx', gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        word, _, rest = argument.partition(' ')
        if word not in self.KINDS:
            raise gdb.GdbError(self.__doc__)
        self.KINDS[word](rest.strip())

    def complete(self, text, word):
        return [kind for kind in self.KINDS if kind.startswith(word)]


BoardName()
Onyx()
