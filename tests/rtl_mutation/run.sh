#!/bin/sh
# run.sh RTL_DIR PROOF_DIR TEST DIR STRIDE: runs the random test TEST with each STRIDE-th mutant of DIR (mutants.sh) on;
# ONYX_MODULE tells it the module.
# A mutant is killed when the test fails. One that is proved equal to the module is no fault. Prints a row of a table for each
# module and a line for each survivor; fails below 95 % of a module. Equivalent is also what equivalent.txt judges by reading,
# with the reason; a line there holds for the mutant that it tells.
# With STRIDE 1 verdicts stay in DIR: what was interrupted goes on from there, unless what they are about has changed.
set -eu
rtl=$1 here=$2 test=$3 dir=$4 stride=$5
. "$here/model.sh"
work=$dir/judge_$(basename "$test")_$stride
about=$(cat "$test" "$dir/list" "$0" "${0%/*}/equivalent.txt" "$here"/*.sv "$here"/*.svh "$here/model.sh" | cksum)
[ "$stride" = 1 ] && [ "$about" = "$(cat "$work/about" 2>/dev/null)" ] || rm -rf "$work"
mkdir -p "$work"
touch "$work/ran" "$work/judged"
export CMOCKA_TEST_ABORT=1
ulimit -c 0
echo "$about" >"$work/about"

# The lines "number module" of the mutants to try.
sed -n 's/.* -module \([^ ]*\) .*/\1/p' "$dir/list" |
    awk -v stride="$stride" 'NR % stride == 1 % stride { print NR, $1 }' >"$work/numbers"

told() { # NUMBER: what the mutant is; the number in a cell's name changes with every other module
    sed -n "${1}p" "$dir/list" | sed "s/^mutate -ctrl mutant [0-9]* //; s|/[^ ]*/||g; s/\(-cell [$][a-z_]*\)[$][0-9]*/\1/"
}
# Whether equivalent.txt has it, or it is at a wire that by its name nothing reads (unused_..): some of these stand
# beside a multiplier, with which no proof ends.
listed() { # NUMBER
    case $(told "$1") in *" -wire unused_"*) return 0 ;; esac
    sed -n 's/ | .*//p' "${0%/*}/equivalent.txt" | grep -qxF -e "$(told "$1")"
}

# Most are noticed in no time. Those that run for long are first compared with the module: it is quicker.
awk 'FILENAME == ARGV[1] { ran[$1]; next } !($1 in ran)' "$work/ran" "$work/numbers" |
    xargs -P 2 -L 1 sh -c 'verdict=killed; ulimit -t 2
        ONYX_MUTANT=$1 ONYX_MODULE=$2 "$0" >/dev/null 2>&1 && verdict=lives
        case $? in 137 | 152) verdict=slow ;; esac
        echo $1 $verdict' "$test" >>"$work/ran" 2>"$work/log"

# A test that passes with one of them on does not fail of itself.
grep -q ' lives$' "$work/ran" || env ONYX_MUTANT=0 "$test" >"$work/log" 2>&1 ||
    { rm "$work/about"; cat "$work/log"; echo "fails without a mutant"; exit 1; }

property_of() { # MODULE: the property file about it that says what the outside can tell (seen_o)
    grep -l "^// cells:.* $1\$" "$here"/p_*.sv | xargs grep -l seen_o | head -n 1
}

script() { # FILE: runs Yosys on it
    yosys -q -s "$1" >"$work/log" 2>&1 </dev/null || { tail "$work/log" >&2; exit 1; }
}

# Prints those of the numbers that are proved equal to the module in the surroundings of its property file, or, if it has none, alone.
equivalent() { # MODULE NUMBERS
    property=$(property_of "$1")
    top=$1
    {
        if [ -n "$property" ]; then
            top=$(basename "$property" .sv)
            echo "$(elaborate "$property" "" "$work" "") delete $1; read_ilang $dir/$1.il"
        else
            # A clock hint counts for nothing here: the core's clocks are not gated.
            echo "read_ilang $dir/$(basename "$dir").il; delete -port $1/w:stir_o"
        fi
        echo "hierarchy -top $top; write_ilang $work/plain.il"
    } >"$work/plain.ys"
    script "$work/plain.ys"
    { echo "read_ilang $work/plain.il"; plumb "$work/plain.il" "$top" "$1" 12; echo "write_ilang $work/design.il"; } >"$work/design.ys"
    script "$work/design.ys"
    miters "read_ilang $work/design.il" "$2" "$dir/list" "$work" 12 >"$work/miters.ys"
    script "$work/miters.ys"
    pdr_each "$2" "$work" 60 0 | sed -n 's/ PROVED/ equivalent/p'
}

for module in $(awk '!seen[$2]++ { print $2 }' "$work/numbers"); do
    awk -v module="$module" 'FILENAME == ARGV[1] { if ($2 == module) of[$1]; next } FILENAME == ARGV[2] { delete of[$1]; next }
        $2 != "killed" && $1 in of { print $1, $2 }' "$work/numbers" "$work/judged" "$work/ran" >"$work/left"
    # The circuit has no clock: a fault of a clock is not compared.
    mutations "$work/left" "$dir/list" | awk '!/ -port CLK / { print $5 }' |
        while read -r number; do listed "$number" || echo "$number"; done >"$work/compared"
    : >"$work/equal"
    [ ! -s "$work/compared" ] || equivalent "$module" "$work/compared" >"$work/equal"
    while read -r number verdict; do
        if listed "$number" || grep -q "^$number " "$work/equal"; then
            verdict=equivalent
        elif [ "$verdict" = slow ] && ! ONYX_MUTANT=$number ONYX_MODULE=$module "$test" >/dev/null 2>&1 </dev/null; then
            verdict=killed
        else
            verdict=survived
        fi
        echo "$number $verdict" >>"$work/judged"
    done <"$work/left"
done

bad=0
echo "| module | mutants | killed | equivalent | survived | killed of the others |"
echo "|---|---|---|---|---|---|"
for module in $(awk '!seen[$2]++ { print $2 }' "$work/numbers"); do
    awk -v module="$module" 'FILENAME ~ /numbers$/ { of[$1] = $2; next } of[$1] == module && $2 !~ /lives|slow/ { print $1, $2 }' \
        "$work/numbers" "$work/ran" "$work/judged" >"$work/module"
    killed=$(grep -c killed "$work/module") || true
    equivalent=$(grep -c equivalent "$work/module") || true
    survived=$(grep -c survived "$work/module") || true
    tried=$((killed + equivalent + survived))
    echo "| \`$module\` | $tried | $killed | $equivalent | $survived | $((killed + survived ? killed * 100 / (killed + survived) : 100)) % |"
    for number in $(sed -n 's/ survived$//p' "$work/module"); do
        echo "    survived: $(told "$number")"
    done
    [ $((killed * 100)) -ge $((95 * (killed + survived))) ] || bad=1
done
exit $bad
