#!/bin/sh
# mutate.sh [-r] RTL_DIR WORK_DIR COUNT LEAST PROPERTY.sv ...: how many faults in a cell its proof notices.
# Makes COUNT mutants of the cell a property file names (mutate:), with the first of the file's parameter sets; with COUNT 0 all
# there are, with each set but those of 17 bits, whose mutants only repeat. A mutant is one inverted, constant or conditionally
# inverted bit at one port of an operator or register; clocks are not part of the model, and contracts at the end of a cell no
# place for a fault. It is killed when the property file fails, with random inputs (random_runs.c), in a bounded search or in the
# proof; one that is not must be proved equal to the cell as far as the outside can tell (seen_o), or it has survived. Each
# cell has a row of a table; the script fails when less than LEAST % of those that are not equal are killed.
# With -r random inputs alone decide, in seconds and without a look at the clock; who is equal is not asked then.
# With COUNT 0 verdicts stay in WORK_DIR: what was interrupted goes on from there, unless what they are about has changed.
set -eu
random=
[ "$1" != -r ] || { random=1; shift; }
rtl=$1 work=$2 count=$3 least=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
. "$here/model.sh"
command -v yosys >/dev/null && command -v yosys-abc >/dev/null || { echo "skipped: no yosys"; exit 0; }
batch=100 below=0
mkdir -p "$work"
cc -O2 -o "$work/random_runs" "$here/random_runs.c"

script() { # FILE: runs Yosys on it
    yosys -q -s "$1" >"$base/log" 2>&1 </dev/null || { tail "$base/log" >&2; exit 1; }
}

# $base/design.il is the property module, its input `mutant` led to each instance of the cell: which line of $base/list is on.
start() {
    echo "$(elaborate "$property" "$set" "$base" "") opt -nodffe -nosdff; wreduce; opt_clean; memory_map; write_ilang $base/plain.il" >"$base/plain.ys"
    script "$base/plain.ys"
    module=$(sed -n "s/^module \\(.*[\\\\]$cell\\([\\\\].*\\)*\\)\$/\\1/p; s/^module \\\\\\($cell\\)\$/\\1/p" "$base/plain.il" | sort -u | head -n 1)
    {
        echo "read_ilang $base/plain.il"
        echo "mutate -list $([ "$count" = 0 ] && echo 60000 || echo "$count") -seed 1 -ctrl mutant 16 1 -module $module -o $base/all"
        plumb "$base/plain.il" "$name" "$module" 16
        echo "write_ilang $base/design.il"
    } >"$base/start.ys"
    script "$base/start.ys"
    contracts=$(grep -n onyx_assert.svh "$rtl/$cell.sv" | cut -d : -f 1)
    grep -v -- ' -port \(CLK\|clk_i\) ' "$base/all" | awk -v cell="/$cell.sv:" -v from="${contracts:-99999}" '{
        for (i = 1; i < NF; i++)
            if ($i == "-src" && (at = index($(i + 1), cell)) && substr($(i + 1), at + length(cell)) + 0 > from) next
        print }' >"$base/list"
}

# Adds the mutants of $base/left that random inputs refute to the verdicts: all of them in one circuit.
play() { # EPISODES CYCLES
    "$work/random_runs" "$base/one.aig" "$base/one.aim" "$1" "$2" $(field "$property" often) <"$base/left" | sed 's/$/ killed/' >>"$base/verdicts"
    remain
}

remain() {
    awk 'FILENAME == ARGV[1] { killed[$1]; next } !($1 in killed)' "$base/verdicts" "$base/batch" >"$base/left"
}

# Writes the mutants of a batch noticed by the proof into $base/results, and the equivalent ones of the rest.
try() {
    {
        echo "read_ilang $base/design.il"
        mutations "$base/batch" "$base/list"
        echo "$to_aiger; write_ilang $base/one.il; $to_gates; write_aiger -zinit -I -B -map $base/one.aim $base/one.aig"
    } >"$base/one.ys"
    script "$base/one.ys"
    : >"$base/verdicts"
    remain
    play 60 500
    play 1500 60
    play 40 2500
    [ -n "$random" ] || play 60 3000
    if [ -s "$base/left" ] && [ -z "$random" ]; then
        { echo "read_ilang $base/one.il"; circuits "$base/left" mutant "$base" 16; } >"$base/proofs.ys"
        script "$base/proofs.ys"
        pdr_each "$base/left" "$base" 60 1 | sed -n 's/ FAILED/ killed/p' >>"$base/verdicts"
        remain
    fi
    if [ -s "$base/left" ] && [ -z "$random" ]; then
        miters "read_ilang $base/design.il" "$base/left" "$base/list" "$base" 16 >"$base/miters.ys"
        script "$base/miters.ys"
        pdr_each "$base/left" "$base" 60 0 | sed -n 's/ PROVED/ equivalent/p' >>"$base/verdicts"
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
        about=$(cat $(sources "$property" "$base") "$here"/*.sh "$here"/*.svh "$here"/*.c | cksum)
        [ "$count" = 0 ] && [ "$about" = "$(cat "$base/about" 2>/dev/null)" ] || rm -rf "$base"
        mkdir -p "$base"
        start
        touch "$base/results"
        echo "$about" >"$base/about"
        while
            awk 'FILENAME == ARGV[1] { done[$1]; next } !($5 in done) { print $5 }' "$base/results" "$base/list" | head -n $batch >"$base/batch"
            [ -s "$base/batch" ]
        do try; done
        awk -v cell="$cell" -v proof="$name${set:+ }$set" -v least="$least" '{ of[$2]++ } END {
            judged = of["killed"] + of["survived"]
            printf "| `%s` | `%s` | %d | %d | %d | %d | %d %% |\n", cell, proof, NR, of["killed"], of["equivalent"], of["survived"],
                judged ? of["killed"] * 100 / judged : 100
            exit of["killed"] * 100 < least * judged }' "$base/results" || below=1
        survived=$(sed -n 's/ survived$//p' "$base/results" >"$base/left"; mutations "$base/left" "$base/list" | sed 's/ -ctrl mutant 16 [0-9]*//; s|-src [^ ]*/|-src |g; s/^/    survived: /')
        [ -z "$survived" ] || [ -n "$random" ] || echo "$survived"
    done <<END
$sets
END
done
exit $below
