# Sourced by prove.sh, mutate.sh and ../rtl_mutation/run.sh: a property file as a circuit, and what yosys-abc says about it.
#
# A property file NAME.sv names, in its header,
#   // cells: A B       modules it is about, of $rtl or of rtl_models/rtl,  // with: C D   files beside it
#   // set: P=1 Q=2     parameters of one proof; a line each;   // broken: CELL SED  or  // broken: P=1 ..
#   // often: NAME=MASK  bits within which random inputs of a name mostly are, for mutants (random_runs.c)
# The variables of the caller: rtl (folder), here (folder of the property files), work (scratch folder).

field() { # FILE KEY: the values of a header key, one a line
    sed -n "s|^// $2: ||p" "$1"
}

parameters() { # "P=1 Q=2" as options of hierarchy
    for pair in $1; do printf ' -chparam %s %s' "${pair%%=*}" "${pair#*=}"; done
}

# Prints the sources of a property file, packages first; a module of which the scratch folder $2 has an own version is read
# from there.
sources() {
    case $rtl in */dense) ls "$rtl"/../rtl/*_pkg.sv ;; esac
    ls "$rtl"/*_pkg.sv
    for cell in $(field "$1" cells); do
        for folder in "$2" "$rtl" "$rtl/../rtl"; do
            if [ -f "$folder/$cell.sv" ]; then echo "$folder/$cell.sv"; break; fi
        done
    done
    for file in $(field "$1" with); do echo "$here/$file.sv"; done
    echo "$1"
}

# Prints Yosys commands from sources to cells.
elaborate() { # FILE PARAMETERS SCRATCH DEFINES
    echo "read_verilog -sv -formal -I$here -I$rtl/../rtl $4 $(sources "$1" "$3" | tr '\n' ' ');"
    echo "hierarchy -check -top $(basename "$1" .sv)$(parameters "$2"); proc;"
}
# Registers without a reset start at any value (-zinit makes inputs of them), undriven bits are free inputs.
# Only assertions become outputs of the circuit, so the module's own are removed. A multiplexer with several of its selects on
# (a mutant's) has a meaning only as a tree. Most is optimised while a memory is a single cell.
to_aiger="pmuxtree; flatten; delete -port o:*; opt -full; memory_dff; memory_map; async2sync; opt -fast -full; setundef -undriven -anyseq"
to_gates="techmap; opt -fast; dffunmap; abc -g AND -fast; opt_clean"
# Gates of a circuit in which a failure is only looked for, in a third less time: as they are, with what nothing reads. A proof
# may not end with them.
to_plain_gates="dffunmap; simplemap; techmap; setundef -zero; aigmap"
# Prints Yosys commands from what to_aiger leaves, by the commands of $2, to the AIGER circuit $1.aig with its names in $1.aim, its
# properties in the order of outputs in $1.names, and the cells in $1.il to replay a counterexample on.
as_circuit() { # BASE GATES
    echo "write_ilang $1.il; tee -q -o $1.names select -list t:\$assert; $2;"
    echo "write_aiger -zinit -I -B -map $1.aim $1.aig;"
}

# Proves without a bound, by property-directed reachability; what it prints goes to $1.log, a counterexample to $1.cex.
pdr() { # BASE SECONDS
    rm -f "$1.cex"
    yosys-abc -q "read_aiger $1.aig; fold; strash; lcorr; scorr; dc2; pdr -T $2; write_cex -a $1.cex" >"$1.log" 2>&1 || true
    if grep -q '^Property proved\|^Networks are equivalent' "$1.log"; then echo PROVED
    elif grep -q 'was asserted in frame' "$1.log"; then echo FAILED
    else echo UNDECIDED; fi
}

# Looks for a failure by bounded search, sooner than by reachability, and then as pdr.
refute() { # BASE SECONDS
    yosys-abc -q "read_aiger $1.aig; fold; strash; bmc3 -F 40 -T $2; write_cex -a $1.cex" >"$1.log" 2>&1 || true
    if grep -q 'was asserted in frame' "$1.log"; then echo FAILED; else pdr "$1" "$2"; fi
}

# ---- mutants: many in one circuit, each on for one number at an input `mutant`; lists as `mutate -ctrl mutant BITS FIRST` writes

# Prints Yosys commands that give $2 such an input and lead it to the instances of $3 in it; $1 is what write_ilang wrote of both.
plumb() { # IL TOP MODULE BITS
    echo "cd $3; add -input mutant $4; cd .."
    [ "$2" != "$3" ] || return 0
    echo "cd $2; add -input mutant $4"
    awk -v module="$3" '$1 == "cell" && ($2 == module || $2 == "\\" module) { print "connect -port " substr($3, 2) " mutant \\mutant" }' "$1"
    echo "cd .."
}

mutations() { # NUMBERS LIST: the lines of a list with the numbers in a file
    awk 'FILENAME == ARGV[1] { wanted[$1]; next } $5 in wanted' "$1" "$2"
}

# Prints commands from the module at hand, after to_aiger, to a circuit $3/m<number>.aig for each of the numbers, which are at its input $2.
circuits() { # NUMBERS INPUT DIR BITS
    echo "$to_gates; design -save all"
    while read -r number; do
        echo "design -load all; delete -port w:$2; connect -set $2 $4'd$number; write_aiger -zinit -I -B $3/m$number.aig"
    done <"$1"
}

# Prints commands from a module with its mutants to such circuits of it, side by side with itself on the same inputs and under the same
# assumptions: what differs in the outputs is the bad state. Both start in the same state, that after reset.
miters() { # READ NUMBERS LIST DIR BITS; READ: commands that read the module
    echo "$1; chformal -assert -remove; flatten; rename -top gold; design -stash gold"
    echo "$1"
    mutations "$2" "$3"
    echo "chformal -remove; flatten; rename -top gate; design -stash gate"
    echo "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate"
    echo "miter -equiv -make_assert -flatten gold gate miter; hierarchy -top miter"
    echo "$to_aiger; zinit -all"
    circuits "$2" in_mutant "$4" "$5"
}

# Prints a line "number PROVED|FAILED" for each of the circuits that is decided: most that fail do within a few cycles, and
# a bounded search of so many seconds is the quicker to find them; 0: most are proved.
pdr_each() { # NUMBERS DIR SECONDS BOUNDED
    if [ "$4" -gt 0 ]; then each "$1" "$2" "bmc3 -F 40 -T $4"; fi | tee "$2/bounded"
    awk 'FILENAME == ARGV[1] { failed[$1]; next } !($1 in failed)' "$2/bounded" "$1" >"$2/unbounded"
    each "$2/unbounded" "$2" "lcorr; scorr; dc2; pdr -T $3"
    rm -f "$2"/m*.aig
}

each() { # NUMBERS DIR COMMANDS
    while read -r number; do
        echo "echo mutant $number; read_aiger $2/m$number.aig; fold; strash; $3"
    done <"$1" >"$2/each.abc"
    yosys-abc -q "source $2/each.abc" >"$2/each.log" 2>&1 </dev/null || true
    awk '$1 == "mutant" { number = $2 }
        /was asserted in frame/ { print number, "FAILED" }
        /^Property proved|^Networks are equivalent/ { print number, "PROVED" }' "$2/each.log"
}
