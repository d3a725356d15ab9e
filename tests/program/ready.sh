#!/bin/sh
# A co-simulated board that lives between two commands: onyx program finds its program on the board and continues, for
# other data, and loads, starts and configures after any possible change. ready.sh ONYX SOURCE
set -eu
. "$(dirname "$0")/setup.sh"
setup "$1" "$2"
mkdir mine
ln -s "$source/boards/onyx" "$source/boards/onyx-cosim.cfg" "$source/boards/onyx_soc.cfg" mine
echo "set ONYX_JTAG $TMPDIR/chip; source $source/boards/onyx-cosim.cfg" >mine/chip.cfg
sed 's/"onyx.cfg"/"chip.cfg"/' "$source/boards/onyx.json" >mine/chip.json
"$(dirname "$onyx")/onyx-cosim" --board "$source/boards/onyx.json" --jtag "$TMPDIR/chip" >chip.txt 2>chip.err &
chip=$!
there "$TMPDIR/chip"

# number REPORT MEMBER: prints the value of the last member named MEMBER
number() { sed -n "s/^.*\"$2\":[^0-9]*\([0-9.]*\),*$/\1/p" "$1" | tail -n 1; }
# configured REPORT: prints the cycles of configuration
configured() { sed -n '/"cycles"/,/}/p' "$1" | sed -n 's/.*"config":[^0-9]*\([0-9]*\),*$/\1/p' | tail -n 1; }
# Runs the folder on the board, and checks the result and the state found on the board: found WHAT FOLDER [OPTION...]
found() {
    what=$1 folder=$2
    shift 2
    rm -f "$folder/x.mtx"
    says "check: pass" onyx program --board mine/chip.json "$folder" "$@" 2>found.err
    cmp "$folder.mtx" "$folder/x.mtx"
    grep -q "\"found\":.*\"$what\"" "$folder/report.json" || fail "$folder, where '$what' was to be found: $(grep '"found"' "$folder/report.json")"
    config=$(configured "$folder/report.json")
    if [ "$what" = ready ]; then
        [ "$config" = 0 ] || fail "a board that is ready was configured in $config cycles"
        grep -q "the board was found ready" says.out
    else
        [ "$config" -gt 1000 ] || fail "the array was configured in $config cycles"
    fi
}
# Does something to the board by OpenOCD: poke TCL
poke() {
    openocd -c "gdb_port disabled; tcl_port disabled; telnet_port disabled" -f mine/chip.cfg -c "init; poll off; $1; shutdown" >poke.err 2>&1 ||
        fail "OpenOCD cannot: $1"
}
# Replaces the folder's operand B, and its result by engine cycle's: data FOLDER B
data() {
    onyx compile "x(i)=B(i,j)*c(j)" -O0 -f B:ss -g "B:20x20:$2" -g c:20:0.5:5 --tile 8 -o fresh >/dev/null
    cp fresh/command.json "$1"
    sed -i "s/^.*\"command.json\":.*/$(grep '"command.json":' fresh/report.json)/" "$1/report.json" # the hash that readers check
    onyx run "x(i)=B(i,j)*c(j)" -O0 -f B:ss -g "B:20x20:$2" -g c:20:0.5:5 --tile 8 --engine cycle -o cycle --quiet
    cp cycle/x.mtx "$1.mtx"
}

onyx compile "x(i)=B(i,j)*c(j)" -O0 -f B:ss -g B:20x20:0.2:3 -g c:20:0.5:5 --tile 8 -o one >/dev/null
onyx compile "x(i)=2*b(i)" -O0 -g b:50:0.5:9 -o two >/dev/null
onyx run "x(i)=2*b(i)" -O0 -g b:50:0.5:9 --engine cycle -o cycle --quiet
cp cycle/x.mtx two.mtx
onyx firmware one >/dev/null
onyx firmware two >/dev/null

# Other data on the same program, few and many; the same from elsewhere, whose app.elf differs where nothing is loaded.
data one 0.2:3
found nothing one
cycles=$(number one/report.json kernel)
found ready one
[ "$(number one/report.json kernel)" = "$cycles" ] || fail "the array takes $(number one/report.json kernel) cycles, and took $cycles"
for b in 0.3:4 0.01:5 1:6 0.05:7; do
    data one $b
    found ready one
done
cp -r one copy
cp one.mtx copy.mtx
onyx firmware copy >/dev/null
found ready copy

# Faster than loading the board, which has an equal load meanwhile.
seconds=$(number one/report.json total)
found "not asked" one --reload
awk "BEGIN { exit !($seconds < $(number one/report.json total)) }" || fail "$seconds s where it was ready, $(number one/report.json total) s to load it"
found ready one

# Another program replaces the first, then the first replaces the other.
found "another program" two
found ready two
found "another program" one

# Somebody has been at the board: in the program's memory, in SRAM, at the processor, in the array, at its clock.
word=$(sed -n 's/^    \(0x[0-9a-f]*\), \(0x[0-9a-f]*\),$/\1 \2/p' one/firmware/app_bitstream.c | head -n 1)
while IFS='|' read -r what how; do
    poke "$how"
    found "$what" one # and leaves it ready, as the next row wants it
done <<END
damaged memory|write_memory 0x400 32 [expr {[lindex [read_memory 0x400 32 1] 0] ^ 0x10000}]
nothing|exec head -c 128 /dev/urandom >random; load_image random 0x20000040 bin
cut off|write_memory 0x20000048 32 3
cut off|write_memory 0x20000090 32 999; write_memory 0x20000058 32 0; sleep 500
no answer|reset halt
no answer|halt
cut off|reset run; sleep 500
another configuration|write_memory 0x40010004 32 16
another configuration|write_memory 0x40010040 32 ${word#* }; write_memory 0x40010044 32 [expr {${word% *} ^ 1}]; write_memory 0x40010048 32 32
other clocks|write_memory 0x40007044 32 [expr {[lindex [read_memory 0x40007044 32 1] 0] | 0x100}]
END
found ready one
found "not asked" one --verify-config
found "another program" one

# The command is killed while loading a batch, or the program: the rest on the board does not count as ready.
for how in --quiet --reload; do
    rm one/firmware/openocd.log one/x.mtx
    onyx program --board mine/chip.json one $how >killed.txt 2>killed.err &
    program=$!
    tries=0
    until grep -q "bytes written" one/firmware/openocd.log 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 60000 ] || fail "nothing is loaded"
        sleep 0.01
    done
    kill -9 $program
    wait $program || true
    program=
    nobody_is_left
    says "check: pass" onyx program --board mine/chip.json one 2>found.err
    cmp one.mtx one/x.mtx
    grep -q '"found":.*"\(cut off\|nothing\)"' one/report.json || fail "killed, and found: $(grep '"found"' one/report.json)"
done
found ready one

# Programs of several statements: one with bitstreams in turn, whose first bitstream the board must load again, and one
# with functions of the processor. Neither loads more words, and both take less time than before.
for name in "bfs depth" "attention Y"; do
    result=${name#* } name=${name% *}
    # shellcheck disable=SC2046
    onyx compile "$source/examples/$name.onx" $([ "$name" = bfs ] || echo --functions library --dtype bf16) -o "$name" >/dev/null
    for time in first second; do
        rm -f "$name/$result.mtx"
        says "check: pass" onyx program --board mine/chip.json "$name" 2>found.err
        cp "$name/$result.mtx" $time.mtx
        cp "$name/report.json" $time.json
    done
    cmp first.mtx second.mtx
    [ "$(number first.json started) $(number first.json ready)" = "1 0" ] || fail "$name: the board had another program"
    [ "$(number second.json started) $(number second.json ready)" = "0 1" ] || fail "$name: the board was not found ready"
    grep -q "the board was found ready: not loaded, and not started again" says.out
    [ "$(number second.json total_cycles)" -lt "$(number first.json total_cycles)" ] || fail "$name takes as many cycles"
done
nobody_is_left
[ -z "$(cat chip.err | grep -v "no program is loaded yet")" ] || fail "$(cat chip.err)"
echo "found ready, and loaded where it was not"
