#!/bin/sh
# Runs the unmodified OpenOCD on the debug port of the co-simulated chip: openocd.sh ONYX_COSIM SOURCE GCC
# It is skipped (exit 77) where openocd is not installed.
set -eu
command -v openocd >/dev/null || { echo "skipped: openocd is not installed"; exit 77; }
. "$(dirname "$0")/bench.sh"
bench "$1" "$2"
build "$3" "$2"
cd "$work"
head -c 20000 /dev/urandom >bulk.in
address=$("${3%gcc}nm" program.elf | sed -n 's/ . innermost$//p')
result=$("${3%gcc}nm" program.elf | sed -n 's/ . result$//p')
cat >steps.tcl <<END
proc say {what value} { echo "\$what: \$value" }
init
say identification [lindex [read_memory 0x40007000 32 1] 0]
reset halt
say after-reset [onyx.cpu curstate]
load_image program.elf
verify_image program.elf
onyx_array_on
load_image bulk.in 0x20444444 bin
dump_image bulk.out 0x20444444 20000
write_memory 0x20000204 8 {1 2 3 4}
say bytes [read_memory 0x20000204 32 1]
write_memory 0x40010000 32 {0xcafe}
say register [read_memory 0x40010000 32 1]
reg r4 0x1234567
say r4 [dict get [get_reg r4] r4]
reset halt
say pc [dict get [get_reg pc] pc]
bp 0x$address 2 hw
resume
wait_halt 5000
say at-breakpoint [dict get [get_reg pc] pc]
say argument [dict get [get_reg r0] r0]
resume
wait_halt 5000
say argument [dict get [get_reg r0] r0]
rbp all
step
resume
sleep 50
say running [onyx.cpu curstate]
say result [read_memory 0x$result 32 1]
reset halt
wp 0x$result 4 w
resume
wait_halt 5000
shutdown
END
timeout 60 openocd -c "gdb_port disabled; tcl_port disabled; telnet_port disabled; set ONYX_JTAG $work/jtag" \
    -f "$2/boards/onyx-cosim.cfg" -f steps.tcl >openocd.log 2>&1 || { cat openocd.log; exit 1; }
cmp bulk.in bulk.out
hold openocd.log "tap/device found: 0x4ba00477"
hold openocd.log "Cortex-M3 r2p0 processor detected"
hold openocd.log "target has 6 breakpoints, 4 watchpoints"
hold openocd.log "identification: 0x5a5a5a5a"
hold openocd.log "after-reset: halted"
hold openocd.log "bytes: 0x4030201"
hold openocd.log "register: 0xcafe"
hold openocd.log "r4: 0x01234567"
hold openocd.log "at-breakpoint: 0x$address"
hold openocd.log "argument: 0x00000001"
hold openocd.log "argument: 0x00000002"
hold openocd.log "running: running"
hold openocd.log "result: 0x11" # 17
hold openocd.log "halted due to watchpoint"
# Its memory was empty: as a Cortex-M3 does, the processor stood in lockup at a vector without the Thumb bit. It was halted
# before OpenOCD could report an error.
! grep -E "^Error|lockup" openocd.log || exit 1

# The debugger is unplugged in the middle of a scan; the next debugger finds the chip unchanged.
timeout -s KILL 1 openocd -c "gdb_port disabled; tcl_port disabled; telnet_port disabled; set ONYX_JTAG $work/jtag" \
    -f "$2/boards/onyx-cosim.cfg" -c "init; while 1 {mdw 0x20000000 64}" >/dev/null 2>&1 || true
timeout 60 openocd -c "gdb_port disabled; tcl_port disabled; telnet_port disabled; set ONYX_JTAG $work/jtag" \
    -f "$2/boards/onyx-cosim.cfg" -c "init; echo [read_memory 0x20000204 32 1]; shutdown" >again.log 2>&1
hold again.log "0x4030201"
echo "OpenOCD halts, steps, loads, breaks, watches and resumes"
