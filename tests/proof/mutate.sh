#!/bin/sh
# mutate.sh RTL_DIR WORK_DIR COUNT PROPERTY.sv ...: how many faults in a cell its proof notices.
# Makes COUNT mutants of the cell a property file names (mutate:), with the first of the file's parameter sets; with COUNT 0 all
# there are, with each set but the widest, whose mutants only repeat. A mutant is one inverted, constant or conditionally inverted bit at one port of an operator or
# register; clocks are not part of the model. It is killed when the proof fails; one that is not must be proved equal to the
# cell as far as the outside can tell (seen_o), or it has survived. A row of a table each; fails when one survives.
# With COUNT 0 verdicts stay in WORK_DIR: what was interrupted goes on from there, unless what they are about has changed.
set -eu
rtl=$1 work=$2 count=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/model.sh"
command -v yosys >/dev/null && command -v yosys-abc >/dev/null || { echo "skipped: no yosys"; exit 0; }
batch=100 seconds=60 all_survived=0

script() { # FILE: runs Yosys on it
    yosys -q -s "$1" >"$base/log" 2>&1 </dev/null || { tail "$base/log" >&2; exit 1; }
}

# $base/design.il: the property module, its input `mutant` led to each instance of the cell: which line of $base/list is on.
start() {
    echo "$(elaborate "$property" "$set" "$base" "") memory_map; write_ilang $base/plain.il" >"$base/plain.ys"
    script "$base/plain.ys"
    module=$(sed -n "s/^module \\(.*[\\\\]$cell\\([\\\\].*\\)*\\)\$/\\1/p; s/^module \\\\\\($cell\\)\$/\\1/p" "$base/plain.il" | sort -u | head -n 1)
    {
        echo "read_ilang $base/plain.il"
        echo "mutate -list $([ "$count" = 0 ] && echo 100000 || echo "$count") -seed 1 -ctrl mutant 16 1 -module $module -o $base/all"
        echo "cd $module; add -input mutant 16; cd ..; cd $name; add -input mutant 16"
        awk -v module="$module" '$1 == "cell" && ($2 == module || $2 == "\\" module) { print "connect -port " substr($3, 2) " mutant \\mutant" }' "$base/plain.il"
        echo "cd ..; write_ilang $base/design.il"
    } >"$base/start.ys"
    script "$base/start.ys"
    grep -v -- ' -port \(CLK\|clk_i\) ' "$base/all" >"$base/list"
}

mutations() { # NUMBERS
    awk 'FILENAME != "-" { wanted[$1]; next } $5 in wanted' "$1" - <"$base/list"
}

# The module at hand, flat, with each of its mutants on: $base/m<number>.aig.
circuits() { # NUMBERS INPUT
    echo "$to_gates; design -save all"
    while read -r number; do
        echo "design -load all; delete -port w:$2; connect -set $2 16'd$number; write_aiger -zinit -I -B $base/m$number.aig"
    done <"$1"
}

proofs() { # NUMBERS
    echo "read_ilang $base/design.il"
    mutations "$1"
    echo "$to_aiger"
    circuits "$1" mutant
}

# The property module with the cell and with its mutant, side by side on the same inputs and under the same assumptions:
# what differs in seen_o is the bad state. Both start in the same state, that after reset.
miters() { # NUMBERS
    echo "read_ilang $base/design.il; chformal -assert -remove; flatten; rename -top gold; design -stash gold"
    echo "read_ilang $base/design.il"
    mutations "$1"
    echo "chformal -remove; flatten; rename -top gate; design -stash gate"
    echo "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate"
    echo "miter -equiv -make_assert -flatten gold gate miter; hierarchy -top miter"
    echo "$to_aiger; zinit -all"
    circuits "$1" in_mutant
}

judge() { # proofs|miters NUMBERS: "number PROVED|FAILED" for each that is decided
    $1 "$2" >"$base/$1.ys"
    script "$base/$1.ys"
    while read -r number; do
        echo "echo mutant $number; read_aiger $base/m$number.aig; fold; strash; scorr; dc2; pdr -T $seconds"
    done <"$2" >"$base/$1.abc"
    yosys-abc -q "source $base/$1.abc" >"$base/$1.log" 2>&1 </dev/null || true
    awk '$1 == "mutant" { number = $2 }
        /was asserted in frame/ { print number, "FAILED" }
        /^Property proved|^Networks are equivalent/ { print number, "PROVED" }' "$base/$1.log"
    rm -f "$base"/m*.aig
}

# Of the numbers of a batch, in $base/results: those the proof notices, of the others those that are equivalent.
try() {
    judge proofs "$base/batch" | sed -n 's/ FAILED/ killed/p' >"$base/verdicts"
    awk 'FILENAME != "-" { killed[$1]; next } !($1 in killed)' "$base/verdicts" - <"$base/batch" >"$base/left"
    [ ! -s "$base/left" ] || judge miters "$base/left" | sed -n 's/ PROVED/ equivalent/p' >>"$base/verdicts"
    awk 'FILENAME != "-" { verdict[$1] = $2; next } { print $1, ($1 in verdict) ? verdict[$1] : "survived" }' \
        "$base/verdicts" - <"$base/batch" >>"$base/results"
}

echo "| cell | proof | mutants | killed | equivalent | survived | killed of the others |"
echo "|---|---|---|---|---|---|---|"
for property in "$@"; do
    cell=$(field "$property" mutate) name=$(basename "$property" .sv)
    sets=$(field "$property" set)
    if [ "$count" = 0 ]; then sets=$(echo "$sets" | grep -v 'Width=17$'); else sets=$(echo "$sets" | head -n 1); fi
    while read -r set; do
        base=$work/$name$(echo "$set" | tr -c '\n[:alnum:]' _)
        about=$(cat $(sources "$property" "$base") "$here"/*.sh "$here"/*.svh | cksum)
        [ "$count" = 0 ] && [ "$about" = "$(cat "$base/about" 2>/dev/null)" ] || rm -rf "$base"
        mkdir -p "$base"
        start
        touch "$base/results"
        echo "$about" >"$base/about"
        while
            awk 'FILENAME != "-" { done[$1]; next } !($5 in done) { print $5 }' "$base/results" - <"$base/list" | head -n $batch >"$base/batch"
            [ -s "$base/batch" ]
        do try; done
        awk -v cell="$cell" -v proof="$name${set:+ }$set" '{ of[$2]++ } END {
            judged = of["killed"] + of["survived"]
            printf "| `%s` | `%s` | %d | %d | %d | %d | %d %% |\n", cell, proof, NR, of["killed"], of["equivalent"], of["survived"],
                judged ? of["killed"] * 100 / judged : 100 }' "$base/results"
        survived=$(sed -n 's/ survived$//p' "$base/results" >"$base/left"; mutations "$base/left" | sed 's/ -ctrl mutant 16 [0-9]*//; s|-src [^ ]*/|-src |g; s/^/    survived: /')
        [ -z "$survived" ] || { echo "$survived"; all_survived=1; }
    done <<END
$sets
END
done
exit $all_survived
