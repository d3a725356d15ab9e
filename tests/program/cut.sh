#!/bin/sh
# A cut link during onyx program, and a killed onyx program: no finished work is lost, no file is half-written, no
# process is left, and the same command continues. cut.sh ONYX SOURCE
set -eu
. "$(dirname "$0")/setup.sh"
setup "$1" "$2"
# Four batches of some seconds; one is loaded while another runs.
onyx run "X(i,j)=B(i,j)*C(i,j)" -s "reorder(i,j)" -f B:ss -f C:ss -g B:640x640:0.5:3 -g C:640x640:0.5:5 --hazards off --engine cycle --buffers 2 -o first >/dev/null
cp first/X.mtx want.mtx
rm first/X.mtx first/report.json

cp -r first cut

# Starts, or goes on, in folder $1, and waits until batch $2 is kept.
start() {
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
# The command in folder $1 reported no run of the batches in the further arguments.
kept() {
    folder=$1
    shift
    for batch in "$@"; do
        ! grep -q "batch $batch of 4 is done" "$folder.err" || fail "$folder: batch $batch, which was kept, ran again"
    done
}

start cut 1
kill -9 "$(child --jtag)"
said cut 1 "the link to board 'onyx-cosim' is lost: onyx-cosim was ended by signal 9 \[E0782-link-lost\]"
grep -q "note: .*the same command goes on" cut.err

start cut 2
kill -9 "$(child tcl_port)"
said cut 1 "is lost: openocd was ended by signal 9 \[E0782-link-lost\]"
kept cut 1

# A damaged stored batch is run again. onyx itself is killed: its child processes end.
file=$(ls cut/firmware/done-*/000001)
mv "$file" whole
{ head -c 200 whole; printf x; tail -c +202 whole; } >"$file"
onyx program --board onyx-cosim cut >cut.out 2>cut.err &
program=$!
tries=0
until cmp -s whole "$file"; do
    tries=$((tries + 1))
    [ $tries -lt 6000 ] || fail "the damaged batch did not come back"
    sleep 0.1
done
kill -9 $program
ended
unharmed cut
kept cut 2

count=$(ls cut/firmware/done-*/ | wc -l)
[ "$count" -ge 2 ] && [ "$count" -lt 4 ] || fail "$count batches kept"
onyx program --board onyx-cosim cut >cut.out 2>cut.err
[ "$(grep -c "is done" cut.err)" = $((4 - count)) ] || fail "not only the missing batches ran"
kept cut 1 2
grep -q "check: pass" cut.out
grep -q "4 batches with two buffers" cut.out
cmp want.mtx cut/X.mtx
[ -z "$(ls cut/firmware | grep done-)" ]
nobody_is_left

# An interrupt; and done batches of other data are not taken for batches of these data.
cp -r first other
start other 1
kill -INT $program
said other 130 "interrupted; the same command goes on"
sed -i 's/C:640x640:0.5:5/C:640x640:0.5:7/' other/command.json
onyx program --board onyx-cosim other >other.out 2>other.err
grep -q "batch 1 of 4 is done" other.err
grep -q "check: pass" other.out
[ -z "$(ls "$TMPDIR")" ]
echo "cut four ways, and gone on each time"
