# A VCD file of yosys sim as a table: a line a clock cycle, the named signals of the property module as they stand
# before its edge; tokens by their names (S1 stop of level 1, D done, N maybe, R0 routing token),
# those of a stream only while they are valid.
function token(bits,    value, i, kind) {
    if (bits ~ /x/) return "x"
    value = 0
    for (i = 1; i <= length(bits); i++) value = 2 * value + substr(bits, i, 1)
    # A stream of 17 bits has its valid on top.
    if (width[code] == 18 && value < 131072) return "."
    if (width[code] == 18) value -= 131072
    if ((width[code] != 17 && width[code] != 18) || value < 65536) return value
    kind = int(value / 256) % 4
    return kind == 0 ? "S" value % 256 : kind == 1 ? "D" : kind == 2 ? "N" : "R" value % 2
}
function row(    i, line) {
    line = sprintf("  cycle %2d", cycle)
    for (i = 1; i <= count; i++) { code = order[i]; line = line "  " name[code] "=" token(now[code]) }
    print line
}
$1 == "$scope" { depth++ }
$1 == "$upscope" { depth-- }
$1 == "$var" && depth == 1 && $5 !~ /^\$|^\\\$|\.|^_|clk_i/ && !($4 in name) { order[++count] = $4; name[$4] = $5; width[$4] = $3 }
/^#/ { time = substr($1, 2); if (time > 0 && time % 10 == 0) { row(); cycle++ } next }
/^b/ { now[$2] = substr($1, 2) }
/^[01x]/ { now[substr($1, 2)] = substr($1, 1, 1) }
