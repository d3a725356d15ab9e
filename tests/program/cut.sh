#!/bin/sh
# A link that is cut while onyx program runs, and onyx program killed: nothing that was done is lost, nothing is
# half-written, nobody is left, and the same command goes on. cut.sh ONYX SOURCE
set -eu
. "$(dirname "$0")/setup.sh"
setup "$1" "$2"
# There are four batches of some seconds, of which one is loaded while another runs.
onyx run "X(i,j)=B(i,j)*C(i,j)" -g B:640x640:0.5:3 -g C:640x640:0.5:5 --hazards off --engine cycle --buffers 2 -o first >/dev/null
cp first/X.mtx want.mtx
rm first/X.mtx first/report.json

# Starts on a fresh copy, named $1, and waits until $2 batches are done.
start() {
    cp -r first "$1"
    onyx program --board onyx-cosim "$1" >"$1.out" 2>"$1.err" &
    program=$!
    there "$1/firmware/done-*/00000$2"
}
# Prints the child whose command line holds the text
child() {
    for process in $(left_over); do
        tr '\0' ' ' 2>/dev/null <"/proc/$process/cmdline" | grep -qF -- "$1" && echo "$process"
    done
}
ended() {
    code=0
    wait $program || code=$?
}
# $1 has ended with code $2, having said $3, and left nothing half-written.
said() {
    ended
    [ $code = "$2" ] || fail "exit code $code"
    grep -q "$3" "$1.err"
    unharmed "$1"
}
unharmed() {
    [ ! -e "$1/X.mtx" ] && [ ! -e "$1/report.json" ] && [ ! -e "$1/firmware/result.bin" ] || fail "$1: half-written"
    nobody_is_left
}
# Goes on after at least $2 batches, and does not run them again.
goes_on() {
    kept=$(ls "$1"/firmware/done-*/ | wc -l)
    [ "$kept" -ge "$2" ] && [ "$kept" -lt 4 ] || fail "$1: $kept batches kept"
    onyx program --board onyx-cosim "$1" >"$1.again" 2>"$1.err"
    [ "$(grep -c "is done" "$1.err")" = $((4 - kept)) ] || fail "$1: not only the missing batches ran"
    grep -q "check: pass" "$1.again"
    grep -q "4 batches with two buffers" "$1.again"
    cmp want.mtx "$1/X.mtx"
    [ -z "$(ls "$1/firmware" | grep done-)" ]
    nobody_is_left
}

start simulation 2
kill -9 "$(child --jtag)"
said simulation 1 "the link to board 'onyx-cosim' is lost: onyx-cosim was ended by signal 9 \[E0782-link-lost\]"
grep -q "note: .*the same command goes on" simulation.err
# A kept batch that was damaged meanwhile is run again.
file=$(ls simulation/firmware/done-*/000001)
printf 'x' | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
onyx program --board onyx-cosim simulation >simulation.again 2>simulation.err
grep -q "batch 1 of 4 is done" simulation.err
! grep -q "batch 2 of 4 is done" simulation.err || fail "simulation: a batch that was kept ran again"
cmp want.mtx simulation/X.mtx

start openocd 1
kill -9 "$(child tcl_port)"
said openocd 1 "is lost: openocd was ended by signal 9 \[E0782-link-lost\]"
goes_on openocd 1

# onyx itself is killed: what it started ends with it.
start killed 1
kill -9 $program
ended
unharmed killed
goes_on killed 1

start interrupted 1
kill -INT $program
said interrupted 130 "interrupted; the same command goes on"
goes_on interrupted 1
# Done batches of other data are not taken for batches of these data.
start other 1
kill -9 $program
ended
nobody_is_left
sed -i 's/C:640x640:0.5:5/C:640x640:0.5:7/' other/command.json
onyx program --board onyx-cosim other >other.out 2>other.err
grep -q "batch 1 of 4 is done" other.err
grep -q "check: pass" other.out
[ -z "$(ls "$TMPDIR")" ]
echo "cut four ways, and gone on each time"
