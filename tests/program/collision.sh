#!/bin/sh
# An access to a bank of the global buffer during a DMA breaks the run on a chip: onyx program on the co-simulated
# board reports the collision, and stores nothing of the batch. collision.sh ONYX SOURCE
set -eu
. "$(dirname "$0")/setup.sh"
setup "$1" "$2"
onyx compile "x(i)=2*b(i)" -O0 --tile 1000 -g b:10000:0.95 -o out >/dev/null
cp out/report.json compiled.json

# This OpenOCD reads the inputs at each of onyx's reads of the mailbox during a batch. The run table begins with the
# inputs of the first run: address and length of each.
cat >nosy.cfg <<END
source [file join $source boards onyx-cosim.cfg]
proc nosy_read {address width count} {
    set words [quiet_read \$address \$width \$count]
    if {\$count == 6 && [lindex \$words 0] == 2} {
        foreach {at length} [quiet_read 0x20004000 32 4] { quiet_read [expr {0x20400000 + \$at}] 32 32 }
    }
    return \$words
}
onyx.cpu configure -event reset-start { rename read_memory quiet_read; rename nosy_read read_memory }
onyx.cpu configure -event reset-end { onyx.cpu configure -event reset-start {} }
END
refused ", bank 0: on the chip an access of the load DMA is lost to the processor or debug port" \
    onyx program --board onyx-cosim --config nosy.cfg out
grep -q "\[E0805-bank-collision\]" refused.err
grep -q "^onyx-cosim: warning: GLB tile .*\[E0805-bank-collision\]" out/firmware/cosim.log
[ ! -e out/x.mtx ] && cmp compiled.json out/report.json && [ -z "$(ls out/firmware/done-*/ 2>/dev/null)" ] || fail "something is left"
nobody_is_left
cat out/firmware/cosim.log >&2

# A chip cannot report a collision; a bench started by hand reports it at the time and at its end.
mkdir mine
ln -s "$source/boards/onyx" "$source/boards/onyx-cosim.cfg" "$source/boards/onyx_soc.cfg" mine
sed "s,^source.*,set ONYX_JTAG $TMPDIR/chip\n&," nosy.cfg >mine/nosy.cfg
sed 's/"onyx.cfg"/"nosy.cfg"/' "$source/boards/onyx.json" >mine/nosy.json
"$(dirname "$onyx")/onyx-cosim" --board "$source/boards/onyx.json" --jtag "$TMPDIR/chip" >chip.txt 2>chip.err &
chip=$!
there "$TMPDIR/chip"
onyx program --board mine/nosy.json out >/dev/null
kill $chip
code=0
wait $chip || code=$?
chip=
[ $code = 4 ] || fail "onyx-cosim ended with $code"
grep -q "an access of the load DMA is lost to the processor or debug port .*\[E0805-bank-collision\]" chip.err

# Nobody else is at the buffer here.
says "check: pass" onyx program --board onyx-cosim out
echo "told, and nothing kept"
