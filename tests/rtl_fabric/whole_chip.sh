#!/bin/sh
# whole_chip.sh ONYX CYCLE_REPLAY WHOLE_REPLAY DATA runs SpM*SpM on the forms of the array in RTL. The netlist of engine rtl
# gives words (result.bin) and their cycles (io.trace); the tile library and the whole chip as one model, configured
# through their configuration bus, must give the same bytes. Both are compared with engine cycle on the way, which
# alone stands beside them where the kernel is there twice.
set -eu
onyx=$1 library=$2 whole=$3 data=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# run NAME ARGUMENTS ...: runs SpM*SpM i,j,k with these arguments of onyx run
run() {
    name=$1
    shift
    "$onyx" run "X(i,j)=B(i,k)*C(k,j)" -f C:ss:1,0 -i "B:$data/karate.mtx" -i "C:$data/karate.mtx" \
        --io-trace -o "$name" "$@" >log 2>&1 || { cat log; exit 1; }
}
# replay NAME [RESULT]
replay() {
    for form in "$library" "$whole"; do
        echo "$1 on $(basename "$form"):"
        "$form" "$@" >log 2>&1 || { cat log; exit 1; }
        grep checksum log
    done
}
run ijk --engine rtl
cp ijk/rtl/job.bin ijk/job.bin
replay ijk ijk/rtl/result.bin
run twice --engine cycle --unroll 2
replay twice
