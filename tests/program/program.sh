#!/bin/sh
# Runs onyx program on the co-simulated board, and checks its refusals: program.sh ONYX SOURCE
set -eu
. "$(dirname "$0")/setup.sh"
setup "$1" "$2"

# The result and the figures equal a run of the same firmware without a debug port.
onyx run "x(i)=B(i,j)*c(j)" -f B:ss -g B:20x20:0.2:3 -g c:20:0.5:5 --tile 8 --unroll 2 -o out >soc.txt
cp out/report.json soc.json
cp out/x.mtx soc.mtx
rm out/x.mtx
onyx program --board onyx-cosim out >program.out 2>program.err
grep -q "check: pass" program.out
grep -q "^onyx: batch 1 of 1 is done, [0-9]* of [0-9]* runs$" program.err
cmp soc.mtx out/x.mtx
grep -q '"engine":.*"program"' out/report.json
code=0
python3 "$source/tests/flow/check_reports.py" "$source" out/report.json || code=$?
[ $code = 0 ] || [ $code = 77 ] || [ $code = 127 ] || fail "report.json is not by its schema"
grep -q '"board":.*"onyx-cosim"' out/report.json
same='/xxh64\|"result_nnz"\|"passes"\|"words"\|"check"/p'
sed -n "$same" soc.json >want
sed -n "$same" out/report.json | diff want -
# The port costs no cycle: configuration and kernel have equal times, by the program's own counting.
cycles() { sed -n "s/.*\"$2\":[^0-9]*\([0-9]*\),*$/\1/p" "$1" | tail -n 1; }
soc=$(sed -n '/"cycles"/,/}/p' soc.json | cycles - config)
port=$(sed -n '/"cycles"/,/}/p' out/report.json | cycles - config)
[ "$port" -gt $((soc * 9 / 10)) ] && [ "$port" -lt $((soc * 11 / 10)) ] || fail "configuration: $soc and $port cycles"
[ -z "$(ls out/firmware | grep done-)" ]
nobody_is_left
[ -z "$(ls "$TMPDIR")" ]

# Works from a folder that was only compiled, by another engine's command, and from another directory; and with copies
# that start apart.
onyx compile "x(i)=B(i,j)*c(j)" -f B:ss -g B:20x20:0.2:3 -g c:20:0.5:5 --tile 8 -o compiled >/dev/null
mkdir elsewhere
(cd elsewhere && onyx program --board onyx-cosim ../compiled --json >../json.txt 2>../json.err)
grep -q '"check":.*"pass"' json.txt
cmp soc.mtx compiled/x.mtx
onyx run "x(i)=B(i,j)*c(j)" -f B:ss -g B:20x20:0.2:3 -g c:20:0.5:5 --tile 8 --unroll 2 --dispatch dynamic --engine cycle -o apart >/dev/null
onyx program --board onyx-cosim apart --quiet >apart.txt 2>apart.err
[ ! -s apart.txt ]
[ ! -s apart.err ]
cmp soc.mtx apart/x.mtx

# Without /proc, where the system lets it be taken away, the JTAG socket has a name, which goes with the link.
if unshare -m umount -l /proc 2>/dev/null; then
    rm out/x.mtx
    unshare -m sh -c 'umount -l /proc; exec onyx program --board onyx-cosim out' >without.out 2>without.err
    cmp soc.mtx out/x.mtx
    [ -z "$(ls "$TMPDIR")" ]
fi

# A damaged program, or a damaged batch file, is made anew.
head -c 3000 out/firmware/app.elf >cut && mv cut out/firmware/app.elf
head -c 100 out/firmware/batches.bin >cut && mv cut out/firmware/batches.bin
says "check: pass" onyx program --board onyx-cosim out

# Refusals leave the folder's result alone.
rm out/x.mtx
refused "[E0780-no-link]" sh -c 'onyx compile "x(i)=B(i)" -g B:9:0.5 --board onyx-8x8 -o small >/dev/null; onyx program --board onyx-8x8 small'
refused "[E0951-other-board]" onyx program --board onyx-8x8 out
refused "[E0950-not-compiled]" onyx program --board onyx-cosim elsewhere
refused "there is no program 'no-such-openocd' [E0781-start]" onyx program --board onyx-cosim --openocd no-such-openocd out
echo "adapter driver no_such_driver" >bad.cfg
refused "[E0781-start]" onyx program --board onyx-cosim --config bad.cfg out
refused "(no_such_driver)" onyx program --board onyx-cosim --config bad.cfg out # what OpenOCD says before its list of drivers
mkdir mine
ln -s "$source/boards/onyx" "$source/boards/onyx-cosim.cfg" "$source/boards/onyx_soc.cfg" mine
sed 's/0x4ba00477/0x4ba00478/' "$source/boards/onyx-cosim.json" >mine/other.json
refused "the TAP's IDCODE is 0x4ba00477, expected 0x4ba00478 [E0784-wrong-board]" onyx program --board mine/other.json --idcode error out
says "check: pass" onyx program --board mine/other.json out 2>idcode.err
grep -q "warning: this may not be board .*: the TAP's IDCODE is 0x4ba00477, expected 0x4ba00478 \[E0784-wrong-board\]" idcode.err
rm out/x.mtx
# An existing board, like a chip, has no back door. Then follows a board with its platform controller at another
# address.
echo "set ONYX_JTAG $TMPDIR/chip; source $source/boards/onyx-cosim.cfg" >mine/chip.cfg
sed 's/"onyx.cfg"/"chip.cfg"/' "$source/boards/onyx.json" >mine/chip.json
"$(dirname "$onyx")/onyx-cosim" --board "$source/boards/onyx.json" --jtag "$TMPDIR/chip" >chip.txt 2>chip.err &
chip=$!
there "$TMPDIR/chip"
says "check: pass" onyx program --board mine/chip.json out
cmp soc.mtx out/x.mtx
rm out/x.mtx
sed 's/"0x40007000"/"0x2001e000"/; s/"sram_bytes": "0x00020000"/"sram_bytes": "0x0001c000"/' mine/chip.json >mine/moved.json
onyx compile "x(i)=B(i,j)*c(j)" -f B:ss -g B:20x20:0.2:3 -g c:20:0.5:5 --board mine/moved.json -o moved >/dev/null
refused "the platform controller's identification is 0x" onyx program --board mine/moved.json moved
says "check: pass" onyx program --board mine/chip.json out # it still works
rm out/x.mtx
kill $chip
wait $chip || true
refused "[E0783-no-answer]" onyx program --board mine/chip.json out
# Nothing is on the wires: the adapter drives none.
cat >nothing.cfg <<END
adapter driver dummy
adapter speed 1000
source [file join $source/boards onyx_soc.cfg]
END
refused "[E0783-no-answer]" onyx program --board onyx-cosim --config nothing.cfg out
[ ! -e out/x.mtx ]
nobody_is_left
[ -z "$(ls "$TMPDIR")" ]
echo "programmed, checked, and refused what has to be"
