# Sourced by the scripts beside this file. bench ONYX_COSIM SOURCE starts a co-simulated chip on a UNIX socket, in an
# empty folder: $work is the folder, $cosim the process.
bench() {
    work=$(mktemp -d)
    trap finish EXIT
    "$1" --board "$2/boards/onyx.json" --jtag "$work/jtag" --back-door "$work/door" >"$work/cosim.log" 2>&1 &
    cosim=$!
    tries=0
    while [ ! -S "$work/door" ]; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || { echo "no socket after ten minutes"; exit 1; }
        sleep 0.1
    done
}
finish() {
    code=$?
    [ $code = 0 ] || tail -n 40 "$work"/*.log "$work"/*.txt 2>/dev/null || true
    kill "$cosim" 2>/dev/null || true
    wait "$cosim" 2>/dev/null || true
    rm -rf "$work"
    exit $code
}
# hold FILE TEXT: requires TEXT in FILE
hold() {
    grep -qF -- "$2" "$1" || { echo "$1 lacks '$2'"; exit 1; }
}
# build GCC SOURCE: compiles a program for the processor
build() {
    "$1" -mcpu=cortex-m3 -mthumb -O1 -g -ffreestanding -nostdlib -Wl,--section-start=.vectors=0 -Wl,-Ttext=0x100 \
        -Wl,-Tdata=0x20000100 -Wl,-e,start -o "$work/program.elf" "$2/tests/cosim/debug_program.c"
}
