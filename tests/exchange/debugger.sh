#!/bin/sh
# The debugger's script of an exported kernel runs the kernel on the co-simulated chip, through gdb and OpenOCD,
# without a program: debugger.sh ONYX ONYX_COSIM SOURCE. The test is skipped (exit 77) where gdb-multiarch or openocd is not installed.
set -eu
for program in openocd gdb-multiarch; do
    command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
onyx=$1 source=$3
. "$source/tests/cosim/bench.sh"
bench "$2" "$source"
cd "$work"
# check NAME ARGUMENT...: exports the kernel, lets the debugger run its script, and compares the dumped words with the
# expected ones.
check() {
    name=$1
    shift
    "$onyx" run "$@" --engine cycle -o "made_$name" --quiet
    "$onyx" export "made_$name" --to aha -o "$name" --quiet
    options="gdb_port pipe; tcl_port disabled; telnet_port disabled; log_output $work/openocd.log"
    cat >steps.gdb <<END
set confirm off
set pagination off
set remotetimeout 60
set architecture armv3m
target extended-remote | exec openocd -c "$options; set ONYX_JTAG $work/jtag" -f $source/boards/onyx-cosim.cfg
monitor reset halt
cd $work/$name
source app.gdb
detach
quit
END
    timeout 200 gdb-multiarch -nx -batch -x steps.gdb >gdb.txt 2>&1
    python3 - "$name" <<'END'
import json
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])
outputs = json.loads((folder / "bin/design_meta.json").read_text())["IOs"]["outputs"]
for one in outputs:
    want = (folder / "bin" / one["datafile"]).read_bytes()
    got = (folder / (one["name"] + ".out")).read_bytes()
    want, got = (struct.unpack(f"{order}{len(b) // 2}H", b) for order, b in ((">", want), ("<", got)))
    assert want == got and len(want) > 2, (one["name"], want, got)
    print(f"{sys.argv[1]}: {one['name']}: {len(want)} words as expected")
END
}
check product "X(i) = b(i) * c(i)" -g b:8:0.8:1 -g c:8:0.8:2
check matrix "X(i,j) = B(i,j) + C(i,j)" -g B:5x4:0.5:1 -g C:5x4:0.5:2
