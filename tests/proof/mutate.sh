#!/bin/sh
# mutate.sh RTL_DIR WORK_DIR COUNT PROPERTY.sv ...: how many faults in a cell its proof notices.
# Makes up to COUNT mutants (0: all there are) of the first cell a property file is about: one inverted, constant or
# conditionally inverted bit at one port of an operator or register. A mutant is killed when the proof of the first parameter set fails;
# one that is not must be proved equal to the cell as far as the outside can tell (seen_o), or it has survived.
# A row of a table each; fails when one survives.
set -eu
rtl=$1 work=$2 count=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/model.sh"
command -v yosys >/dev/null && command -v yosys-abc >/dev/null || { echo "skipped: no yosys"; exit 0; }
mkdir -p "$work"
[ "$count" -gt 0 ] || count=100000
survived=0

# The elaborated design of $property, in which module $module is the cell under test.
start() {
    yosys -q -p "$(elaborate "$property" "$set" "$base" "") write_ilang $base/design.il" >"$base/log" 2>&1 || { cat "$base/log"; exit 1; }
    module=$(sed -n "s/^module \\(.*[\\\\]$cell\\([\\\\].*\\)*\\)\$/\\1/p; s/^module \\\\\\($cell\\)\$/\\1/p" "$base/design.il" | sort -u | head -n 1)
}

# Circuits of all mutants, m1.aig .., from one run of yosys.
proofs() {
    echo "read_ilang $base/design.il"
    echo "design -save whole"
    while read -r mutation; do
        number=$((number + 1))
        echo "design -load whole"
        echo "$mutation"
        echo "$to_aiger; $to_gates; write_aiger -zinit -I -B $base/m$number.aig"
    done <"$base/list"
}

# The property module with the cell and with its mutant, side by side on the same inputs and under the same assumptions:
# what differs in seen_o is the bad state. Both start in the same state, that after reset.
miter() { # MUTATION
    echo "read_ilang $base/design.il; chformal -assert -remove; flatten; rename -top gold; design -stash gold"
    echo "read_ilang $base/design.il"
    echo "$1"
    echo "chformal -remove; flatten; rename -top gate; design -stash gate"
    echo "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate"
    echo "miter -equiv -make_assert -flatten gold gate miter; hierarchy -top miter"
    echo "$to_aiger; zinit -all; $to_gates; write_aiger -zinit -I -B $base/equal.aig"
}

echo "| cell | proof | mutants | killed | equivalent | survived | killed of the others |"
echo "|---|---|---|---|---|---|---|"
for property in "$@"; do
    cell=$(field "$property" mutate) name=$(basename "$property" .sv) set=$(field "$property" set | head -n 1)
    base=$work/$name
    rm -rf "$base" && mkdir -p "$base"
    start
    yosys -q -p "read_ilang $base/design.il; mutate -list $count -seed 1 -module $module -o $base/list"
    number=0
    proofs >"$base/mutants.ys"
    yosys -q -s "$base/mutants.ys" >"$base/log" 2>&1 || { tail "$base/log"; exit 1; }
    number=0 killed=0 equivalent=0 left=''
    while read -r mutation; do
        number=$((number + 1))
        case $(pdr "$base/m$number" 60) in
        FAILED) killed=$((killed + 1)) ;;
        *)
            miter "$mutation" >"$base/equal.ys"
            yosys -q -s "$base/equal.ys" >"$base/log" 2>&1 || { tail "$base/log"; exit 1; }
            if [ "$(pdr "$base/equal" 60)" = PROVED ]; then equivalent=$((equivalent + 1))
            else left="$left
    survived: $mutation"; fi ;;
        esac
    done <"$base/list"
    lost=$((number - killed - equivalent)) survived=$((survived + number - killed - equivalent))
    echo "| \`$cell\` | \`$name\` | $number | $killed | $equivalent | $lost | $((killed * 100 / (killed + lost))) % |$left"
done
[ $survived -eq 0 ]
