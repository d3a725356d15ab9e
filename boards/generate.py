#!/usr/bin/env python3
"""generate.py [OUT]: writes what C and SystemVerilog know of the tiles' registers and of the switch box.

In: boards/onyx/*.csv. Out: boards/onyx/fabric.h and rtl_models/rtl/onyx_fabric_pkg.sv, with the same names in both, in the source
tree or in the folder OUT; fields of registers only as far as a source names them. Run the script after a change of a table, or
when a source names another field, and commit both files; test `fabric_facts` compares.
"""

import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "boards" / "onyx"
SIDES = ["EAST", "SOUTH", "WEST", "NORTH"]  # numbered as pnr_side
DENSE = ("strg_ub_vec", "stencil_valid")  # controllers that no model has
PARTS = {  # of a switch-box output, by the names of its fields in the register map
    "enable": "SB_T{track}_{side}_SB_OUT_B17_enable",
    "select": "SB_T{track}_{side}_SB_OUT_B17_sel",
    "rmux": "RMUX_T{track}_{side}_B17_sel",
    "fifo": "REG_T{track}_{side}_B17_fifo",
    "start": "REG_T{track}_{side}_B17_start",
    "end": "REG_T{track}_{side}_B17_end",
}


def rows(name):
    with open(TABLES / name, encoding="utf-8") as table:
        return list(csv.DictReader(line for line in table if not line.startswith("#")))


def switch_wires(rules, tracks):
    """By output: the arriving wires in the order of its selects. A wire and an output are numbered tracks * side + track."""
    inputs = [[] for _ in range(4 * tracks)]
    for t in range(tracks):
        for rule in rules:
            end = [
                tracks * SIDES.index(rule[which]) + (int(rule[which + "_plus"]) + int(rule[which + "_times"]) * t) % tracks
                for which in ("from", "to")
            ]
            inputs[end[1]].append(end[0])
    return inputs


def switch_bits(registers, tracks):
    """By part and output: the part's first bit in the words of the switch box; PE and MEM tiles must agree."""
    found = {(row["tile"], row["field"]): 32 * int(row["register"]) + int(row["lo"]) for row in registers}
    bits = {}
    for part, name in PARTS.items():
        places = {
            tile: [found[tile, name.format(side=side, track=track)] for side in SIDES for track in range(tracks)]
            for tile in ("PE", "MEM")
        }
        assert places["PE"] == places["MEM"], f"PE and MEM tiles have {part} at different places"
        bits[part] = places["PE"]
    return bits


def features(registers):
    """(name, number) of the features that configure the 17-bit interconnect: boxes of four inputs, and the switch box."""
    found = {(row["tile"], row["field"]): int(row["feature"]) for row in registers}
    switch = [(f"{tile}_SWITCH_FEATURE", found[tile, "SB_T0_EAST_SB_OUT_B17_enable"]) for tile in ("PE", "MEM")]
    boxes = [found[tile, f"CB_{tile}_input_width_17_num_{port}_sel"] - port for tile in ("PE", "MEM") for port in range(4)]
    assert len(set(boxes)) == 1, "connection boxes do not follow each other"
    return switch + [("BOX_FEATURE", boxes[0])]


def core_fields(registers, spaces):
    """(name, register or None, first bit, number of bits): registers of feature 0, then fields of CONFIG_SPACE."""
    fields = []
    for row in registers:
        if row["feature"] == "0" and not row["field"].startswith("CONFIG_SPACE"):
            tile, field = row["tile"], row["field"].upper()
            name = field if field.startswith(tile + "_") else f"{tile}_{field}"
            fields.append((name, int(row["register"]), int(row["lo"]), int(row["hi"]) - int(row["lo"]) + 1))
    for row in spaces:
        if row["feature"] == "0" and row["controller"] not in DENSE:
            name = row["field"].replace("_inst", "").replace(".", "_").upper()
            fields.append((name, None, int(row["lo"]), int(row["hi"]) - int(row["lo"]) + 1))
    assert len({field[0] for field in fields}) == len(fields), "two fields have one name"
    return fields


def modes(spaces):
    """(name, value of the tile's mode field)"""
    found = {}
    for row in spaces:
        if row["feature"] == "0" and row["mode"] != "*" and row["controller"] not in DENSE:
            found[f"{row['tile']}_MODE_{row['controller'].upper()}"] = int(row["mode"])
    return list(found.items())


FEATURES = 16  # of a compute tile, at most


def stored_words(registers, tile):
    """By feature: the bits of each of its registers, without the power domain's, which no model has."""
    bits = [{} for _ in range(FEATURES)]
    for row in registers:
        if row["tile"] == tile and row["field"] != "ps_en":
            words = bits[int(row["feature"])]
            words[int(row["register"])] = max(words.get(int(row["register"]), 0), int(row["hi"]) + 1)
    assert all(sorted(words) == list(range(len(words))) for words in bits), f"registers of a {tile} tile are not counted up from 0"
    return [[words[register] for register in sorted(words)] for words in bits]


def space_registers(registers, count, tile):
    """(name, register) of the words of CONFIG_SPACE that hold a field of some mode."""
    found = {row["field"]: int(row["register"]) for row in registers if row["tile"] == tile and row["feature"] == "0"}
    return [(f"{tile}_SPACE_{word}_REG", found[f"CONFIG_SPACE_{word}"]) for word in range(count)]


def named(prefix, names, *endings):
    """Those of the names that stand behind the prefix in a source with such an ending, whole or up to a "_" for a macro to add to."""
    files = [file for room in ROOT.glob("*/CMakeLists.txt") for ending in endings for file in room.parent.rglob("*" + ending)]
    found = {name for file in files for name in re.findall(prefix + r"(\w+)", file.read_text(encoding="utf-8"))}
    starts = tuple(name for name in found if name.endswith("_"))
    return {name for name in names if name in found or name.startswith(starts)}


class Facts:
    def __init__(self):
        registers = rows("regmap.csv")
        spaces = rows("config_space.csv") + rows("onyx-ext.csv")
        facts = {row["name"]: row["value"] for row in rows("fabric.csv")}
        self.rules = rows("switch_box.csv")
        self.tracks = int(facts["tracks"])
        self.near_rows = int(facts["near_rows"])
        self.box_sides = [SIDES.index(side) for side in facts["connection_box"].split()]
        self.inputs = switch_wires(self.rules, self.tracks)
        assert all(len(inputs) == 3 for inputs in self.inputs), "an output has not three inputs"
        self.bits = switch_bits(registers, self.tracks)
        self.features = features(registers)
        self.fields = core_fields(registers, spaces)
        self.modes = modes(spaces)
        self.words = {tile: stored_words(registers, tile) for tile in ("PE", "MEM")}
        last = {
            tile: max(int(row["hi"]) for row in spaces if row["tile"] == tile and row["feature"] == "0" and row["controller"] not in DENSE)
            for tile in ("PE", "MEM")
        }
        self.spaces = [space for tile in ("PE", "MEM") for space in space_registers(registers, last[tile] // 32 + 1, tile)]
        self.outputs = 4 * self.tracks


def braces(values):
    return "{" + ", ".join(str(value) for value in values) + "}"


def macro(lines):
    """Continued lines of a C macro."""
    width = max(len(line) for line in lines[:-1])
    return [line.ljust(width) + " \\" for line in lines[:-1]] + [lines[-1]]


C_HEAD = """/* fabric.h - the switch box and the registers of the tiles. Generated by boards/generate.py from the tables of
 * boards/onyx: change the tables. The same facts for SystemVerilog are in onyx_fabric_pkg.sv.
 *
 * Sides are EAST 0, SOUTH 1, WEST 2, NORTH 3. An output of a switch box and a wire that arrives at it have the
 * number ONYX_TRACKS * side + track.
 */
#ifndef ONYX_BOARDS_FABRIC_H
#define ONYX_BOARDS_FABRIC_H

#include <stdint.h>

/* clang-format off */
"""


def c_header(f):
    known = named("ONYX_", [field[0] for field in f.fields], ".c", ".h", ".cpp")
    fields = [field for field in f.fields if field[0] in known]
    out = [C_HEAD]
    out.append("/* NEAR_ROWS: rows from the IO row down with immediate configuration bus and flush; other rows a cycle later. */")
    out.append(f"enum {{ ONYX_TRACKS = {f.tracks}, ONYX_OUTPUTS = {f.outputs}, ONYX_SELECTS = 3, ONYX_NEAR_ROWS = {f.near_rows} }};\n")
    out.append("/* The wires of a switch box of any number of tracks, for t = 0, 1, .. in turn these rows: from and to a side and the\n"
               " * track (plus + times * t) modulo the number of tracks. An output numbers its inputs by their place in this list. */")
    out += macro(["#define ONYX_SWITCH_WIRES(X)"] + [
        "    X({from}, {from_plus}, {from_times}, {to}, {to_plus}, {to_times})".format(**rule) for rule in f.rules])
    out.append("\n/* The arriving wires of each output, by its select. */")
    out.append("static const uint8_t onyx_switch_input[ONYX_OUTPUTS][ONYX_SELECTS] = {")
    out += ["    " + ", ".join(map(braces, f.inputs[i:i + f.tracks])) + "," for i in range(0, f.outputs, f.tracks)]
    out.append("};\n")
    out.append("/* The input side of a connection box, by its select modulo 4; the track is its select divided by 4. */")
    out.append(f"static const uint8_t onyx_box_side[4] = {braces(f.box_sides)};\n")
    out.append("/* First bits of the settings of each output in its switch box's words; the select has three bits, the rest one. */")
    out.append("typedef struct {\n    uint8_t " + ", ".join(PARTS) + ";\n} onyx_switch_bits;")
    out.append("static const onyx_switch_bits onyx_switch_bit[ONYX_OUTPUTS] = {")
    for o in range(f.outputs):
        out.append("    " + braces(f.bits[part][o] for part in PARTS) + ",")
    out.append("};\n")
    out.append("/* Features of the switch box's words, and of the word of 17-bit connection box 0; further boxes follow. */\nenum {")
    out += [f"    ONYX_{name} = {value}," for name, value in f.features]
    out.append("};\n")
    out.append("/* Values of the tiles' mode fields. */")
    for tile in ("PE", "MEM"):
        values = [f"ONYX_{name} = {value}" for name, value in f.modes if name.startswith(tile + "_")]
        out.append("typedef enum {\n    " + ",\n    ".join(values) + f"\n}} onyx_{tile.lower()}_mode;")
    out.append("")
    out.append("/* Fields of the registers of feature 0: register, first bit, number of bits. */")
    out += [f"#define ONYX_{name} {reg}, {lo}, {bits}" for name, reg, lo, bits in fields if reg is not None]
    out.append("\n/* Fields of CONFIG_SPACE, its words laid end to end: first bit, number of bits. */")
    out += [f"#define ONYX_{name} {lo}, {bits}" for name, reg, lo, bits in fields if reg is None]
    out.append(C_TAIL)
    return "\n".join(out)


C_TAIL = """/* clang-format on */

/* A field of CONFIG_SPACE, for the macros above: onyx_space_field(words, ONYX_REPEAT_ROOT). */
static inline uint32_t onyx_space_field(const uint32_t *words, uint32_t lo, uint32_t bits) {
    uint64_t two = words[lo / 32];
    if (lo % 32 + bits > 32)
        two |= (uint64_t)words[lo / 32 + 1] << 32;
    return (uint32_t)(two >> lo % 32 & ((UINT64_C(1) << bits) - 1));
}

#endif
"""

SV_HEAD = """// The switch box and the registers of the tiles. Generated by boards/generate.py from the tables of boards/onyx: change
// those. The same facts for C are in boards/onyx/fabric.h.
//
// Sides are EAST 0, SOUTH 1, WEST 2, NORTH 3. An output of a switch box and a wire that arrives at it have the number
// TRACKS * side + track. Tables are vectors of entries of one width, entry 0 in the lowest bits: what Yosys reads.
// Use: onyx_fabric_pkg::NAME, without import; the file stands before those that use it on a command line.
package onyx_fabric_pkg;
  // verilator lint_off UNUSEDPARAM
"""


def sv_vector(name, width, entries, per_line, comment):
    out = [f"\n  // {comment}", f"  localparam logic [{width * len(entries) - 1}:0] {name} = {{"]
    literals = [f"{width}'d{entry}" for entry in reversed(entries)]
    lines = [", ".join(literals[i:i + per_line]) for i in range(0, len(literals), per_line)]
    out += ["    " + line + "," for line in lines[:-1]] + ["    " + lines[-1], "  };"]
    return out


def listeners(f):
    """By arriving wire: its three (output, select)."""
    found = [[] for _ in range(f.outputs)]
    for output, inputs in enumerate(f.inputs):
        for select, wire in enumerate(inputs):
            found[wire].append((output, select))
    return found


def sv_package(f):
    out = [SV_HEAD]
    out.append(f"  localparam int unsigned TRACKS = {f.tracks};")
    out.append(f"  localparam int unsigned OUTPUTS = {f.outputs};  // of a switch box, and as many wires that arrive")
    out.append("  // The rows from the IO row down that see the configuration bus and flush at once; others see them a cycle later.")
    out.append(f"  localparam int unsigned NEAR_ROWS = {f.near_rows};")
    flat = [wire for inputs in f.inputs for wire in inputs]
    out += sv_vector("SWITCH_INPUT", 5, flat, 15, "The arriving wire that output o takes with select k: [5*(3*o+k)+:5].")
    pairs = [pair for wire in listeners(f) for pair in wire]
    out += sv_vector("SWITCH_LISTENER", 5, [p[0] for p in pairs], 15, "The outputs that may take arriving wire w, n from 0 to 2: [5*(3*w+n)+:5].")
    out += sv_vector("SWITCH_LISTENER_SELECT", 2, [p[1] for p in pairs], 15, "The select by which they take it: [2*(3*w+n)+:2].")
    box = [f.tracks * f.box_sides[select % 4] + select // 4 for select in range(f.outputs)]
    out += sv_vector("BOX_INPUT", 5, box, 20, "The arriving wire that a connection box takes with select k: [5*k+:5].")
    for part in PARTS:
        out += sv_vector(f"SWITCH_{part.upper()}", 8, f.bits[part], 10, f"Where {part} of output o begins in the words of the switch box: [8*o+:8].")
    out.append("\n  // Features of the switch box's words, and of the word of 17-bit connection box 0; those of the others follow.")
    out += [f"  localparam int unsigned {name} = {value};" for name, value in f.features]
    most = max(sum(map(len, words)) for words in f.words.values())
    out.append("\n  // How many registers a compute tile stores, those of one feature behind those of the other: its words.")
    out += [f"  localparam int unsigned {tile}_WORDS = {sum(map(len, words))};" for tile, words in f.words.items()]
    for tile, words in f.words.items():
        first = [sum(map(len, words[:feature])) for feature in range(FEATURES + 1)]
        out += sv_vector(f"{tile}_FIRST_WORD", 7, first, 17, "Where those of feature f begin, and those of the one before end: [7*f+:7].")
    for tile, words in f.words.items():
        bits = [bits for feature in words for bits in feature]
        out += sv_vector(f"{tile}_WORD_BITS", 6, bits + [0] * (most - len(bits)), 22, "How many bits word w has: [6*w+:6].")
    out.append("\n  // The registers of feature 0 with the words of CONFIG_SPACE that hold a field of some mode.")
    out += [f"  localparam int unsigned {name} = {register};" for name, register in f.spaces]
    out.append("\n  // Values of the tiles' mode fields.")
    out += [f"  localparam int unsigned {name} = {value};" for name, value in f.modes]
    out.append("\n  // Fields of the registers of feature 0: register, first bit, number of bits.")
    parts = [(f"{name}_{part}", value, reg is None) for name, reg, lo, bits in f.fields
             for part, value in (("REG", reg), ("LO", lo), ("BITS", bits))]
    known = named("onyx_fabric_pkg::", [part[0] for part in parts], ".sv")
    out += [f"  localparam int unsigned {name} = {value};" for name, value, space in parts if name in known and not space]
    out.append("\n  // Fields of CONFIG_SPACE, its words laid end to end: first bit, number of bits.")
    out += [f"  localparam int unsigned {name} = {value};" for name, value, space in parts if name in known and space]
    out.append("  // verilator lint_on UNUSEDPARAM\nendpackage\n")
    return "\n".join(out)


def main():
    facts = Facts()
    for path, text in (("boards/onyx/fabric.h", c_header(facts)), ("rtl_models/rtl/onyx_fabric_pkg.sv", sv_package(facts))):
        file = pathlib.Path(sys.argv[1]) / pathlib.Path(path).name if len(sys.argv) > 1 else ROOT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


main()
