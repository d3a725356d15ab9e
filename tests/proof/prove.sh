#!/bin/sh
# prove.sh RTL_DIR PROPERTY.sv WORK_DIR: proves a property file for each of its parameter sets, without a bound; shows
# by bounded search that each of its situations is reached; and that each of its broken variants fails. Prints a line
# for each; on an unexpected failure the counterexample as a table, and writes WORK_DIR/*.vcd.
set -eu
rtl=$1 property=$2 work=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/model.sh"
command -v yosys >/dev/null && command -v yosys-abc >/dev/null || { echo "skipped: no yosys"; exit 0; }
name=$(basename "$property" .sv)
seconds=120 frames=40 bad=0
rm -rf "$work" && mkdir -p "$work"

run_yosys() { # BASE COMMANDS
    yosys -q -p "$2" >"$1.yosys" 2>&1 || { cat "$1.yosys"; exit 1; }
}
# The assertions of the situations have names that end in _reached (proof.svh).
reached="t:\$assert c:*_reached"

replay() { # BASE: the counterexample on the cells; names the assertions that fail
    # Its first line is the registers' start, all 0 by -zinit; the proof has removed some of them.
    { printf '1\nb0\n'; head -n 1 "$1.aig" | awk '{ printf "%0*d\n", $4, 0 }'; sed '1d; s/# DONE//' "$1.cex"; echo .; } >"$1.aiw"
    yosys -q -p "read_ilang $1.il; sim -clock clk_i -r $1.aiw -map $1.aim -vcd $1.vcd" 2>&1 |
        sed -n 's/^Warning: Assert [^.]*\.\([^ ]*\) .*/\1/p' | sort -u | tr '\n' ' '
}

sets=$(field "$property" set)
[ -n "$sets" ] || sets=default
number=0
while read -r set; do
    [ "$set" = default ] && set=
    number=$((number + 1)) base=$work/$number begin=$(date +%s%N)
    run_yosys "$base" "$(elaborate "$property" "$set" "$work" -DREACH_TOO) $to_aiger; design -save both;
        delete $reached %i; $(as_circuit "$base" "$to_gates") design -load both; delete $reached %d; $(as_circuit "$base.reach" "$to_gates")"
    verdict=$(pdr "$base" $seconds)
    proofs=$(wc -l <"$base.names")
    missing='' output=0 situations=0
    while read -r situation; do
        yosys-abc -q "read_aiger $base.reach.aig; fold; strash; cone -O $output -s; bmc3 -F $frames" >"$base.reach.log" 2>&1 || true
        grep -q 'was asserted in frame' "$base.reach.log" || missing="$missing $(basename "$situation" _reached)"
        output=$((output + 1)) situations=$((situations + 1))
    done <"$base.reach.names"
    echo "$name $set: $verdict $proofs properties; $situations situations${missing:+, NOT REACHED:$missing}; $(($(date +%s%N) / 1000000 - begin / 1000000)) ms"
    if [ "$verdict" = FAILED ]; then
        echo "  violated: $(replay "$base")"
        awk -f "$here/trace.awk" "$base.vcd"
    fi
    [ "$verdict" = PROVED ] && [ -z "$missing" ] && [ "$situations" -gt 0 ] && [ "$proofs" -gt 0 ] || bad=1
done <<END
$sets
END

first=$(echo "$sets" | head -n 1)
[ "$first" = default ] && first=
number=0
field "$property" broken >"$work/broken"
[ -s "$work/broken" ] || { echo "$name: no broken variant in its header"; bad=1; }
while read -r what edit; do
    number=$((number + 1)) base=$work/broken$number set=$first
    mkdir -p "$base"
    case $what in
    *=*) set="$first $what $edit" ;;
    *)  sed "$edit" "$rtl/$what.sv" >"$base/$what.sv"
        ! cmp -s "$rtl/$what.sv" "$base/$what.sv" || { echo "$name broken $number: '$edit' changes nothing in $what"; bad=1; } ;;
    esac
    run_yosys "$base" "$(elaborate "$property" "$set" "$base" "") $to_aiger; $(as_circuit "$base" "$to_plain_gates")"
    verdict=$(refute "$base" $seconds)
    violated=
    [ "$verdict" != FAILED ] || violated=$(replay "$base")
    if [ -n "$violated" ]; then
        echo "$name broken $number ($what $edit): FAILED as it must, $violated"
    else
        echo "$name broken $number ($what $edit): $verdict, not FAILED" && bad=1
    fi
done <"$work/broken"
exit $bad
