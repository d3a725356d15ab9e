#!/bin/sh
# Functions on the chip's processor, on the co-simulated board, between kernels of the array: results, calls, words and
# cycles in the functions equal engine soc's. functions.sh ONYX SOURCE
set -eu
. "$(dirname "$0")/setup.sh"
setup "$1" "$2"
# called REPORT: prints a line for each function with its calls
called() {
    python3 - "$1" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
for part in report.get("kernels", []) + report.get("statements", []):
    p = part.get("processor")
    if p:
        assert p["measured"] and all(abs(p["per_call"][k] * p["calls"] - p[k]) < 0.1 for k in ("words", "cycles")), p
        print(p["functions"], p["calls"], p["words"], p["cycles"])
END
}
# same RESULT...: holds the folders soc and board against each other
same() {
    for result in "$@"; do cmp soc/$result board/$result; done
    called soc/report.json >want
    called board/report.json >got
    [ -s want ] || fail "no function was called"
    diff want got || fail "the functions did something else on the board"
    nobody_is_left
}

# One statement, whose second kernel is the processor's: each kernel is a separate program, with a new start of the
# board.
set -- "y(i) = m3_div(B(i,j) * c(j), d(i))" --functions library -g B:20x20:0.3:1 -g c:20:0.9:2 -g d:20:1:3
onyx run "$@" --engine soc -o soc >soc.txt
onyx compile "$@" -o board >compile.txt
says "m3_div: 20 calls of 60 words" onyx program --board onyx-cosim board 2>one.err
same y.mtx
rm -r soc board

# A program: the board boots once, for the function and the array's kernels before and behind it.
set -- "$source/examples/attention.onx" --functions library --dtype bf16
onyx run "$@" --engine soc -o soc >soc.txt
onyx compile "$@" -o board >compile.txt
says "m3_softmax: 34 calls of 312 words" onyx program --board onyx-cosim board 2>all.err
same weight.mtx Y.mtx
[ -z "$(ls "$TMPDIR")" ]
echo "functions between kernels, on one board"
