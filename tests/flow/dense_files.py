"""The dense example in the other forms of the chip's programs: dense_files.py EXAMPLE.json FOLDER.

FOLDER gets C headers (headers/, and wide/ with addresses and words in numbers of 64 bits), and folders with
design_meta.json whose words have the high byte first (big/) or the low one (little/); writes/ has its register writes
beside a meta file of other schedules."""
import json
import os
import struct
import sys

SIZE = 8
with open(sys.argv[1], encoding="utf-8") as file:
    program = json.load(file)
WORDS = [line.split() for line in program["bitstream"]]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(text if isinstance(text, bytes) else text.encode())


def array(kind, name, values):
    return f"{kind} {name}[] = {{ {', '.join(values)} }};\n"


def functions():
    return "".join(f"static void {name}()\n{{\n" + "".join(f"glb_reg_write({row[1]:#x}, {row[2]:#x});\n" for row in rows) + "}\n"
                   for name, rows in program["register_writes"].items())


def headers(folder, wide):
    stem = f"{sys.argv[2]}/{folder}/product"
    if wide:
        write(stem + "_script.h", array("uint64_t", "app_addrs_script", [f"0x{a}{d}" for a, d in WORDS]))
    else:
        write(stem + "_script.h", array("uint32_t", "app_addrs_script", ["0x" + a for a, _ in WORDS])
              + array("uint32_t", "app_datas_script", ["0x" + d for _, d in WORDS]))
    write(stem + "_input_script.h", "".join(array("uint16_t", f"app_{name}_data", map(str, values)) for name, values in program["data"].items()))
    write(stem + "_reg_write.h", functions())
    write(stem + "_unrolling.h", "".join(
        array("int", f"{name}{end}", map(str, tiles))
        for table, end in (("glb_tile_of_input", "_unroll_array"), ("glb_tile_of_output", "_bank_array")) for name, tiles in program[table].items()))


def io(name, column, extent, stride, cycles, output=False):
    addr = {"cycle_starting_addr": [9 if output else 0], "cycle_stride": cycles, "dimensionality": len(extent), "extent": extent,
            ("write" if output else "read") + "_data_starting_addr": [0], ("write" if output else "read") + "_data_stride": stride}
    return {"bitwidth": 16, "datafile": name + ".raw", "name": name,
            "io_tiles": [{"name": name, "addr": addr, "mode": "VALID" if output else "STATIC", "x_pos": column, "y_pos": 0}]}


def meta(folder, order, end, cycle=1):
    where = f"{sys.argv[2]}/{folder}/bin"
    loops, cycles = [SIZE] * 3 + [1], [cycle, SIZE * cycle, SIZE * SIZE * cycle, 0]
    write(where + "/design_meta.json", json.dumps({
        "testing": {"bitstream": "product.bs"},
        "IOs": {"inputs": [io("input_A", 0, loops, [1, 0, SIZE, 0], cycles), io("input_B", 2, loops, [SIZE, 1, 0, 0], cycles)],
                "outputs": [io("C", 1, [SIZE * SIZE], [1], [SIZE], True)]}}))
    write(where + "/product.bs", "".join(f"{a} {d}\n" for a, d in WORDS))
    for name, values in program["data"].items():
        write(f"{where}/{name}.{end}", struct.pack(f"{order}{len(values)}H", *values))


headers("headers", False)
headers("wide", True)
meta("big", ">", "raw")
meta("little", "<", "leraw")
meta("writes", ">", "raw", 3)
write(f"{sys.argv[2]}/writes/bin/reg_write.h", functions())
