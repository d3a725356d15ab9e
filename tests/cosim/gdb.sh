#!/bin/sh
# Runs gdb-multiarch through OpenOCD on the co-simulated chip: gdb.sh ONYX_COSIM SOURCE GCC
# It is skipped (exit 77) where gdb-multiarch or openocd is not installed.
set -eu
for program in openocd gdb-multiarch; do
    command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
. "$(dirname "$0")/bench.sh"
bench "$1" "$2"
build "$3" "$2"
cd "$work"
cat >steps.gdb <<END
set confirm off
set pagination off
set remotetimeout 60
set architecture armv3m
target extended-remote | exec openocd -c "gdb_port pipe; tcl_port disabled; telnet_port disabled; log_output openocd.log; set ONYX_JTAG $work/jtag" -f $2/boards/onyx-cosim.cfg
monitor reset halt
load
compare-sections
monitor reset halt
hbreak innermost
continue
backtrace
info breakpoints
print n
stepi
finish
continue
print n
print \$lr != 0
delete
set var rounds = 5
watch result
continue
print result
delete
hbreak start
monitor reset
monitor reset halt
continue
where
delete
monitor resume
shell sleep 0.2
monitor halt
monitor echo [read_memory 0x20000100 32 2]
detach
quit
END
timeout 100 gdb-multiarch -nx -batch -x steps.gdb program.elf >gdb.txt 2>&1
hold gdb.txt "Section .text, range 0x100 -- 0x"
! grep MIS-MATCHED gdb.txt || exit 1
hold gdb.txt "Breakpoint 1, innermost (n=n@entry=1)"
grep -A 3 "^#0  innermost" gdb.txt | tr -d '\n' | grep -q "#1 .* middle .*#2 .* outermost .*#3 .* start "
hold gdb.txt 'Value returned is $2 = 1'
hold gdb.txt "Breakpoint 1, innermost (n=n@entry=2)"
hold gdb.txt "Old value = 2"
hold gdb.txt "New value = 7" # 1 + 1, and then 4 + 1
hold gdb.txt "#0  start ()"
hold gdb.txt "0x3 0x11" # rounds, and the result after a reset
echo "gdb loads, breaks, walks the stack, watches and resumes"
