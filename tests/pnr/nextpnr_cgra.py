#!/usr/bin/env python3
"""Runs nextpnr-generic on a netlist of ours and prints "hops seconds", for bench_pnr.

CGRA_ARRAY: width, height with the IO row, tracks, MEM period and phase. CGRA_JSON: the netlist as
bench_pnr writes it; of its BEL attributes those of IO cells are kept. nextpnr runs this same file
twice more inside itself: before packing it describes the fabric through the Python interface, after routing
it counts the switch-box outputs in use. One nextpnr wire stands for a 17-bit bus.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile

WIDTH, HEIGHT, TRACKS, PERIOD, PHASE = map(int, os.environ["CGRA_ARRAY"].split())
STEP = [(1, 0), (0, 1), (-1, 0), (0, -1)]  # east, south, west, north
PORTS = {"CPE": ("PE", 4, 3), "CMEM": ("MEM", 4, 3)}


def turn(side_in, track, side_out):
    """Output track of the switch box."""
    w = TRACKS
    east, south, west, north = range(4)
    return {
        (west, north): -track, (north, west): -track,
        (north, east): track + 1, (east, north): track - 1,
        (south, east): -track - 2, (east, south): -track - 2,
        (west, south): track - 1, (south, west): track + 1,
    }.get((side_in, side_out), track) % w


def kind(x, y):
    return "CIO" if y == 0 else "CMEM" if x % PERIOD == PHASE else "CPE"


def describe(ctx):
    pips = 0

    def pip(source, to, x, y):
        nonlocal pips
        ctx.addPip(name="p%d" % pips, type="x", srcWire=source, dstWire=to, delay=ctx.getDelayFromNS(0.1),
                   loc=Loc(x, y, 0))
        pips += 1

    def pins(x, y):
        if y == 0:
            return ["f2io_17_0"], ["io2f_17_0"]
        name, inputs, outputs = PORTS[kind(x, y)]
        return (["%s_input_width_17_num_%d" % (name, i) for i in range(inputs)],
                ["%s_output_width_17_num_%d" % (name, i) for i in range(outputs)])

    tiles = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
    for x, y in tiles:
        bel = "X%dY%d" % (x, y)
        ctx.addBel(name=bel, type=kind(x, y), loc=Loc(x, y, 0), gb=False, hidden=False)
        for names, add in zip(pins(x, y), (ctx.addBelInput, ctx.addBelOutput)):
            for pin in names:
                ctx.addWire(name="%s_%s" % (bel, pin), type="PIN", x=x, y=y)
                add(bel=bel, name=pin, wire="%s_%s" % (bel, pin))
        for side in range(4 if y else 0):
            for track in range(TRACKS):
                ctx.addWire(name="%s_IN%d_%d" % (bel, side, track), type="IN", x=x, y=y)
                ctx.addWire(name="%s_OUT%d_%d" % (bel, side, track), type="OUT", x=x, y=y)
    for x, y in tiles:
        bel = "X%dY%d" % (x, y)
        inputs, outputs = pins(x, y)
        if y == 0:
            for track in range(TRACKS):
                pip(bel + "_io2f_17_0", "X%dY1_IN3_%d" % (x, track), x, y)
            continue
        for side in range(4):
            for track in range(TRACKS):
                out, into = "%s_OUT%d_%d" % (bel, side, track), "%s_IN%d_%d" % (bel, side, track)
                for pin in outputs:
                    pip("%s_%s" % (bel, pin), out, x, y)
                for pin in inputs:
                    pip(into, "%s_%s" % (bel, pin), x, y)
                for to in range(4):
                    if to != side:
                        pip(into, "%s_OUT%d_%d" % (bel, to, turn(side, track, to)), x, y)
                nx, ny = x + STEP[side][0], y + STEP[side][1]
                if 0 <= nx < WIDTH and 0 < ny < HEIGHT:
                    pip(out, "X%dY%d_IN%d_%d" % (nx, ny, (side + 2) % 4, track), x, y)
                elif ny == 0 and track == 0:
                    pip(out, "X%dY0_f2io_17_0" % nx, x, y)


def count(ctx):
    hops = 0
    for _, net in ctx.nets:
        hops += sum("_OUT" in str(wire.first) for wire in net.wires)
    with open(os.environ["CGRA_HOPS"], "w") as out:
        out.write(str(hops))


def run():
    with open(os.environ["CGRA_JSON"]) as f:
        netlist = json.load(f)
    for cell in netlist["modules"]["top"]["cells"].values():
        if cell["type"] != "CIO":
            cell["attributes"].pop("BEL", None)
    with tempfile.TemporaryDirectory() as folder:
        path, hops = os.path.join(folder, "n.json"), os.path.join(folder, "hops")
        with open(path, "w") as f:
            json.dump(netlist, f)
        subprocess.run(["nextpnr-generic", "--json", path, "--pre-pack", __file__, "--post-route", __file__, "--placer",
                        "heap", "--router", "router2", "--seed", "1", "--quiet", "--force"],
                       check=True, env=dict(os.environ, CGRA_HOPS=hops), stdout=subprocess.DEVNULL, timeout=300)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(hops) as f:
            print(f.read(), "%.3f" % (used.ru_utime + used.ru_stime))


if "ctx" not in globals():
    sys.exit(run())
if os.environ.get("CGRA_STAGE_DONE"):
    count(ctx)
else:
    os.environ["CGRA_STAGE_DONE"] = "1"
    describe(ctx)
