#!/bin/sh
# run.sh RTL_DIR PROOF_DIR TEST DIR STRIDE: runs the random test TEST with each STRIDE-th mutant of DIR (mutants.sh) on.
# A mutant is killed when the test fails. One that is proved equal to the module is no fault. Prints a row of a table for each
# module and a line for each survivor; fails below 95 %, of all and of each module of which 20 or more were tried.
set -eu
rtl=$1 here=$2 test=$3 dir=$4 stride=$5
. "$here/model.sh"
work=$dir/judge
rm -rf "$work" && mkdir -p "$work"
export CMOCKA_TEST_ABORT=1
ulimit -c 0
env ONYX_MUTANT=0 "$test" >"$work/log" 2>&1 || { cat "$work/log"; echo "fails without a mutant"; exit 1; }

# Most mutants are noticed in no time. Those that run for seconds are first compared with the module: it is quicker.
seq 1 "$stride" "$(wc -l <"$dir/list")" >"$work/numbers"
xargs -P 2 -I{} sh -c 'ulimit -t 2; ONYX_MUTANT={} "$0" >/dev/null 2>&1; case $? in 0 | 137 | 152) echo {} ;; esac' "$test" \
    <"$work/numbers" 2>/dev/null | sort -n >"$work/slow"

property_of() { # MODULE: the property file about it that says what the outside can tell (seen_o)
    grep -l "^// cells:.* $1\$" "$here"/p_*.sv | xargs grep -l seen_o | head -n 1
}

# The module, in its property file's surroundings if it has one, beside its mutant: what differs in the outputs is bad.
miter() { # MODULE MUTATION
    property=$(property_of "$1")
    top=$1
    before="read_ilang $dir/$(basename "$dir").il"
    if [ -n "$property" ]; then
        top=$(basename "$property" .sv)
        before="read_ilang $work/$top.il; delete $1; read_ilang $dir/$1.il"
        [ -f "$work/$top.il" ] || yosys -q -p "$(elaborate "$property" "" "$work" "") write_ilang $work/$top.il"
    fi
    echo "$before; hierarchy -top $top; chformal -assert -remove; flatten; rename -top gold; design -stash gold"
    echo "$before; hierarchy -top $top"
    echo "$2"
    echo "chformal -remove; flatten; rename -top gate; design -stash gate"
    echo "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate"
    echo "miter -equiv -make_assert -flatten gold gate miter; hierarchy -top miter"
    echo "$to_aiger; zinit -all; $to_gates; write_aiger -zinit -I -B $work/equal.aig"
}

bad=0 total=0 total_killed=0
echo "| module | mutants | killed | equivalent | survived | killed of the others |"
echo "|---|---|---|---|---|---|"
for module in $(sed -n 's/.* -module \([^ ]*\) .*/\1/p' "$dir/list" | awk '!seen[$0]++'); do
    tried=0 equivalent=0 lost='' survived=0 killed=0
    for number in $(cat "$work/numbers"); do
        mutation=$(sed -n "${number}p" "$dir/list")
        case $mutation in *" -module $module "*) ;; *) continue ;; esac
        tried=$((tried + 1))
        grep -qx "$number" "$work/slow" || { killed=$((killed + 1)); continue; }
        miter "$module" "$(echo "$mutation" | sed 's/ -ctrl mutant [0-9]* [0-9]*//')" >"$work/equal.ys"
        yosys -q -s "$work/equal.ys" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
        if [ "$(pdr "$work/equal" 60)" = PROVED ]; then
            equivalent=$((equivalent + 1))
        elif ! ONYX_MUTANT=$number "$test" >/dev/null 2>&1; then
            killed=$((killed + 1))
        else
            survived=$((survived + 1)) lost="$lost
    survived: $number $(echo "$mutation" | sed 's/ -ctrl mutant [0-9]* [0-9]*//; s/-module [^ ]* //; s|-src [^ ]*/|-src |g')"
        fi
    done
    echo "| \`$module\` | $tried | $killed | $equivalent | $survived | $((killed + survived ? killed * 100 / (killed + survived) : 100)) % |$lost"
    total_killed=$((total_killed + killed)) total=$((total + killed + survived))
    [ $tried -lt 20 ] || [ $((killed * 100)) -ge $((95 * (killed + survived))) ] || bad=1
done
[ $((total_killed * 100)) -ge $((95 * total)) ] || bad=1
exit $bad
