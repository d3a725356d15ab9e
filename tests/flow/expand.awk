# The lines of a .test file, each behind its place and a tab, with "kernels SECTION ENGINE ARGUMENTS" replaced by the rows of
# that section of kernels.list (the variable `list`) that are for the engine. On rtl, engine cycle must have every word at the
# array's edge in the same cycle.
function expect(place, name, text) {
    sub(/^(has|no) /, "&" name "/", text)
    print place "\t" text
}
function kernels(section, engine, more,    line, n, in_section, chosen, field, run, trace) {
    while ((getline line <list) > 0) {
        n++
        if (line ~ /^\[/) {
            in_section = line == "[" section "]"
            chosen = 0
        } else if (in_section && line ~ / \| /) {
            split(line, field, / \| /)
            chosen = (" " field[1] " ") ~ (" (each|" engine ") ")
            if (!chosen)
                continue
            found = 1
            place = "kernels.list:" n
            run = "$ onyx run " field[3] more " --engine "
            trace = engine == "rtl" ? " --io-trace" : ""
            print place "\t" run engine trace " -o " field[2]
            expect(place, field[2], "has report.json \"check\":\t\"pass\"")
        } else if (chosen && line != "" && line !~ /^#/)
            expect(place, field[2], line)
        if (chosen && engine == "rtl" && line ~ / \| /)
            print place "\t" run "cycle --hazards warn --io-trace -o k && for t in $(cd " field[2] " && find . -name io.trace); do cmp " \
                field[2] "/$t k/$t || exit 1; done && [ \"$t\" ]"
    }
    close(list)
}
/^kernels / {
    found = 0
    more = ""
    for (i = 4; i <= NF; i++)
        more = more " " $i
    kernels($2, $3, more)
    if (!found)
        print FNR "\tno kernels: " $0
    next
}
{ print FNR "\t" $0 }
