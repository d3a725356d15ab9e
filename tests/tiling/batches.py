"""What the batch file of a kernel on engine soc loads (docs/firmware.md)."""
import json
import struct

GLB = 0x20400000  # where the processor has the global buffer


def loads(folder):
    """The kernel's load streams, as netlist.json has them, and of each run the bytes that each of them loads."""
    x = {line.split("\t")[0]: int(line.split()[1]) for line in (folder / "design.place").read_text().splitlines()[2:]}
    cells = [c for c in json.loads((folder / "netlist.json").read_text())["cells"] if c["mode"] == "io_in"]
    cells.sort(key=lambda c: x[c["name"]])
    data = (folder / "firmware" / "batches.bin").read_bytes()
    word = struct.unpack(f"<{len(data) // 4}I", data)
    (inputs, outputs, batches), at, runs = word[2:5], 7, []
    for _ in range(batches):
        (n, table, segments), at, memory = word[at:at + 3], at + 3, {}
        for _ in range(segments):
            address, length = word[at:at + 2]
            memory[address] = data[4 * at + 8:4 * at + 8 + length]
            at += 2 + (length + 3) // 4
        row = 4 * 2 * (inputs + outputs + 1)
        banks = {address - GLB: content for address, content in memory.items() if address != table}
        for r in range(n):
            of = struct.unpack(f"<{2 * inputs}I", memory[table][r * row:r * row + 8 * inputs])
            runs.append([block(banks, *of[2 * i:2 * i + 2]) for i in range(inputs)])
    return [c["stream"] for c in cells], runs


def block(banks, first, words):
    base = max(bank for bank in banks if bank <= first)
    return banks[base][first - base:first - base + 2 * words]
