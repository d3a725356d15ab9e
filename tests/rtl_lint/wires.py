"""The top of the chip against the wires of the public netlist: wires.py RTL_DIR WIRES. Reads the text of onyx_chip and
onyx_periphery: a wire leads from a driver to a sink if the sink's expression depends on the driver through wires,
assignments and registers of these two modules and their clock gates. Each pin of the controller, the buffer tile and the
array that no row names must be in the list of pins that the public netlist has not. Then the list is tried: without a
connection of a sink, its rows must fail."""
import pathlib
import re
import sys

WORD = re.compile(r"(?<![\w.'])[A-Za-z_]\w*")
PARTS = {"u_glc": "onyx_glc", "u_tile": "onyx_glb_tile", "u_array": "onyx_array", "u_gate": "onyx_clock_gate"}
# For simulations, or whole in our tile where the public buffer has its own parts inside.
OURS = {"u_tile.stir_o", "u_tile.collision_o", "u_tile.in_use_o", "u_tile.cfg_west_valid_i", "u_tile.cfg_west_addr_i",
        "u_tile.cfg_west_data_i", "u_tile.cfg_east_valid_o", "u_tile.cfg_east_addr_o", "u_tile.cfg_east_data_o"}


def source(rtl, module):
    """The text of a module without comments and contracts, its included ports in place."""
    text = re.sub(r"//.*", "", pathlib.Path(rtl, module + ".sv").read_text(encoding="ascii"))
    text = re.sub(r'`include "(\w+_head\.svh)"', lambda found: pathlib.Path(rtl, found[1]).read_text(encoding="ascii"), text)
    return re.sub(r"//.*", "", text.split('`include "onyx_assert.svh"')[0])


def outputs(rtl, module):
    head = source(rtl, module).split("\n);", 1)[0]
    names, kind = {}, None
    for line in re.split(r"[,(]\s", head.replace("\n", " \n")):
        kind = (re.findall(r"\b(input|output)\b", line) or [kind])[-1]
        word = WORD.findall(re.sub(r"\[[^\]]*\]", "", line))
        if kind and word and word[-1] not in ("input", "output", "logic"):
            names[word[-1]] = kind
    return names


def connections(body):
    """The pins of an instance: name to expression; a name alone is its own net."""
    found, at = {}, 0
    for pin in re.finditer(r"\.(\w+)\s*(\()?", body):
        if pin.start() < at:
            continue
        depth, at = 0, pin.end()
        if pin[2]:
            depth = 1
            while depth:
                depth += {"(": 1, ")": -1}.get(body[at], 0)
                at += 1
        found[pin[1]] = body[pin.end():at - 1] if pin[2] else pin[1]
    return found


def instances(text):
    for found in re.finditer(r"(onyx_\w+)\s*(?:#\(.*?\)\s*)?(u_\w+)\s*\((.*?)\);", text, re.S):
        yield found[1], found[2], connections(found[3])


def edges(rtl, cut=None):
    """Driver to sinks, over both modules. Nets of a module are MODULE/NAME."""
    graph = {}

    def drive(sources, sinks):
        for one in sources:
            graph.setdefault(one, set()).update(sinks)

    for module in ("onyx_chip", "onyx_periphery"):
        text = source(rtl, module).split("\n);", 1)[1]
        net = lambda names: {module + "/" + name for name in WORD.findall(names)}
        for kind, name, pins in instances(text):
            directions = outputs(rtl, kind)
            for pin, expression in pins.items():
                end = {f"onyx_periphery/{pin}"} if kind == "onyx_periphery" else {f"{name}.{pin}"}
                if f"{name}.{pin}" != cut:
                    drive(*((end, net(expression)) if directions.get(pin) == "output" else (net(expression), end)))
        for target, expression in re.findall(r"assign\s+(.*?)\s*=(?!=)\s*(.*?);", text, re.S):
            drive(net(expression), net(target.split("[")[0]))
        for block in re.findall(r"always_(?:ff|comb).*?\n  (?:  )?end", text, re.S):
            for target, expression in re.findall(r"(\w+)(?:\[[^\]]*\])?\s*<?=\s*([^=;][^;]*);", block):
                conditions = " ".join(re.findall(r"if \((.*)\) " + target, block))
                drive(net(expression + " " + conditions), net(target))
    drive({"u_gate.clk_i", "u_gate.awake_i"}, {"u_gate.clk_o"})
    return graph


def reaches(graph, driver, sink):
    todo, seen = [driver], set()
    while todo:
        one = todo.pop()
        if one == sink:
            return True
        if one not in seen:
            seen.add(one)
            todo += graph.get(one, ())
    return False


def end(name):
    return name if "." in name else "onyx_chip/" + name


def missing(graph, rows):
    return [row for row in rows if not reaches(graph, end(row[2]), end(row[3]))]


def main():
    rtl, wires = sys.argv[1:]
    rows = [line.split(None, 3) for line in pathlib.Path(wires).read_text(encoding="ascii").splitlines()
            if line and line[0] != "#"]
    here = [row for row in rows if row[2] != "-"]
    problems = [f"{row[0]} drives {row[1]} in the public netlist; {row[2]} does not drive {row[3]}"
                for row in missing(edges(rtl), here)]
    named = {name for row in here for name in row[2:]}
    for part in ("u_glc", "u_tile", "u_array"):
        problems += [f"{part}.{pin}: no row names the pin" for pin in outputs(rtl, PARTS[part])
                     if f"{part}.{pin}" not in named | OURS]
    for sink in sorted({row[3] for row in here if "." in row[3]}):
        if not missing(edges(rtl, sink), here):
            problems.append(f"nothing notices that {sink} is not connected")
    print("\n".join(problems) or f"{len(here)} wires as in the public netlist; {len(rows) - len(here)} not here")
    return bool(problems)


sys.exit(main())
