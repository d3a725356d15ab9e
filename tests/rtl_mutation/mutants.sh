#!/bin/sh
# mutants.sh RTL_DIR CORE COUNT STRIDE OUT_DIR PASS MODULE.. -- PLACE..: makes onyx_core around CORE, onyx_pe_core or onyx_mem_core, with
# faults one can switch on. Writes OUT_DIR/list, COUNT mutants of each MODULE, a line each in their order; OUT_DIR/CORE.v, in which
# input `mutant` selects each STRIDE-th of them by its number (0: none), since a simulation pays for each; and OUT_DIR/MODULE.il, the
# module they are mutants of. A PLACE, MODULE/INSTANCE, is an instance that needs the input: of a mutated module, or one on the way
# to it. A mutant is one constant, inverted or conditionally inverted bit at a port of an operator, multiplexer or register. PASS of
# Yosys (- for none) runs on the modules before: opt_clean takes away what proc leaves and nothing reads, which is no place for a
# fault.
set -eu
rtl=$1 core=$2 count=$3 stride=$4 out=$5 pass=$6
mem=0
[ "$core" = onyx_pe_core ] || mem=1
shift 6
modules=''
while [ "$1" != -- ]; do modules="$modules $1"; shift; done
shift
mkdir -p "$out"
# The monitors' register gets a name that onyx_core_bench.sv can use.
{
    echo "read_verilog -sv $(ls "$rtl"/*_pkg.sv | tr '\n' ' ') $rtl/onyx_core.sv; hierarchy -check -top onyx_core -chparam Mem $mem -libdir $rtl; proc"
    [ "$pass" = - ] || for module in $modules; do echo "$pass $module"; done
    echo "cd onyx_core; rename g_monitors.hazard_q hazard_q; cd .."
    echo "write_ilang $out/$core.il"
    for module in $modules; do
        echo "select $module; write_ilang -selected $out/$module.il; select -clear"
    done
} >"$out/read.ys"
yosys -q -s "$out/read.ys"
: >"$out/list"
for module in $modules; do
    number=$(($(wc -l <"$out/list") + 1))
    yosys -q -p "read_ilang $out/$module.il; mutate -list $count -seed 1 -ctrl mutant 12 $number -module $module -o $out/part"
    cat "$out/part" >>"$out/list"
done
{
    echo "read_ilang $out/$core.il"
    for place in "$@"; do echo "cd ${place%/*}; add -input mutant 12; cd .."; done | sort -u
    awk -v stride="$stride" 'NR % stride == 1 % stride' "$out/list"
    for place in "$@"; do echo "cd ${place%/*}; connect -port ${place#*/} mutant \\mutant; cd .."; done
    # Verilator reads modules without either from their sources, and makes faster code.
    for file in "$rtl"/*.sv; do
        name=$(basename "$file" .sv)
        case " onyx_core $core $modules $* " in *" $name "* | *" $name/"*) ;; *) echo "delete $name" ;; esac
    done
    echo "write_verilog -noattr $out/$core.v"
} >"$out/mutate.ys"
yosys -q -s "$out/mutate.ys"
