#!/bin/sh
# mutate.sh RTL_DIR WORK_DIR COUNT PROPERTY.sv ...: how many faults in a cell its proof notices.
# Makes COUNT mutants of the cell a property file names (mutate:), with the first of the file's parameter sets; with COUNT 0 all
# there are, with each set but those of 17 bits, whose mutants only repeat. A mutant is one inverted, constant or conditionally
# inverted bit at one port of an operator or register; clocks are not part of the model. It is killed when the proof fails; one
# that is not must be proved equal to the cell as far as the outside can tell (seen_o), or it has survived. Each has a
# row of a table; the script fails when one survives.
# With COUNT 0 verdicts stay in WORK_DIR: what was interrupted goes on from there, unless what they are about has changed.
set -eu
rtl=$1 work=$2 count=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/model.sh"
command -v yosys >/dev/null && command -v yosys-abc >/dev/null || { echo "skipped: no yosys"; exit 0; }
batch=100 all_survived=0

script() { # FILE: runs Yosys on it
    yosys -q -s "$1" >"$base/log" 2>&1 </dev/null || { tail "$base/log" >&2; exit 1; }
}

# $base/design.il is the property module, its input `mutant` led to each instance of the cell: which line of $base/list is on.
start() {
    echo "$(elaborate "$property" "$set" "$base" "") memory_map; write_ilang $base/plain.il" >"$base/plain.ys"
    script "$base/plain.ys"
    module=$(sed -n "s/^module \\(.*[\\\\]$cell\\([\\\\].*\\)*\\)\$/\\1/p; s/^module \\\\\\($cell\\)\$/\\1/p" "$base/plain.il" | sort -u | head -n 1)
    {
        echo "read_ilang $base/plain.il"
        echo "mutate -list $([ "$count" = 0 ] && echo 60000 || echo "$count") -seed 1 -ctrl mutant 16 1 -module $module -o $base/all"
        plumb "$base/plain.il" "$name" "$module" 16
        echo "write_ilang $base/design.il"
    } >"$base/start.ys"
    script "$base/start.ys"
    grep -v -- ' -port \(CLK\|clk_i\) ' "$base/all" >"$base/list"
}

proofs() { # NUMBERS
    echo "read_ilang $base/design.il"
    mutations "$1" "$base/list"
    echo "$to_aiger"
    circuits "$1" mutant "$base" 16
}

# Writes the mutants of a batch noticed by the proof into $base/results, and the equivalent ones of the rest.
try() {
    proofs "$base/batch" >"$base/proofs.ys"
    script "$base/proofs.ys"
    pdr_each "$base/batch" "$base" 60 | sed -n 's/ FAILED/ killed/p' >"$base/verdicts"
    awk 'FILENAME == ARGV[1] { killed[$1]; next } !($1 in killed)' "$base/verdicts" "$base/batch" >"$base/left"
    if [ -s "$base/left" ]; then
        miters "read_ilang $base/design.il" "$base/left" "$base/list" "$base" 16 >"$base/miters.ys"
        script "$base/miters.ys"
        pdr_each "$base/left" "$base" 60 | sed -n 's/ PROVED/ equivalent/p' >>"$base/verdicts"
    fi
    awk 'FILENAME == ARGV[1] { verdict[$1] = $2; next } { print $1, ($1 in verdict) ? verdict[$1] : "survived" }' \
        "$base/verdicts" "$base/batch" >>"$base/results"
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
            awk 'FILENAME == ARGV[1] { done[$1]; next } !($5 in done) { print $5 }' "$base/results" "$base/list" | head -n $batch >"$base/batch"
            [ -s "$base/batch" ]
        do try; done
        awk -v cell="$cell" -v proof="$name${set:+ }$set" '{ of[$2]++ } END {
            judged = of["killed"] + of["survived"]
            printf "| `%s` | `%s` | %d | %d | %d | %d | %d %% |\n", cell, proof, NR, of["killed"], of["equivalent"], of["survived"],
                judged ? of["killed"] * 100 / judged : 100 }' "$base/results"
        survived=$(sed -n 's/ survived$//p' "$base/results" >"$base/left"; mutations "$base/left" "$base/list" | sed 's/ -ctrl mutant 16 [0-9]*//; s|-src [^ ]*/|-src |g; s/^/    survived: /')
        [ -z "$survived" ] || { echo "$survived"; all_survived=1; }
    done <<END
$sets
END
done
exit $all_survived
