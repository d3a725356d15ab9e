#!/bin/sh
# Runs the published kernels, and similar ones, on the array: array_kernels.sh ONYX FIRST LAST. Each is compiled to a
# bitstream, decoded and run by engine cycle, on random data with explicit zeros and negative values, every second set
# with mostly empty intersections; FIRST 0 makes one operand after the other empty. The command compares with the
# expression's definition and ends a run with data that the fabricated chip would get wrong (docs/errata.md). Prints a
# row for each kernel: runs, right ones, most cycles. With EVERY set, makes one in EVERY runs.
set -u
ONYX=$(realpath "$1")
first=$2 last=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# name | expression | operands: name and extents, "-" for a scalar | density | options
kernels() {
    cat <<'EOF'
vec_identity | x(i)=b(i) | b:20 | 40 |
mat_identity | X(i,j)=B(i,j) | B:12,9 | 30 |
tensor3_identity | X(i,j,k)=B(i,j,k) | B:5,6,7 | 20 |
tensor4_identity | X(i,j,k,l)=B(i,j,k,l) | B:4,3,5,4 | 20 |
vec_elemadd | x(i)=b(i)+c(i) | b:20 c:20 | 40 |
vec_elemmul | x(i)=b(i)*c(i) | b:20 c:20 | 50 |
mat_elemmul | X(i,j)=B(i,j)*C(i,j) | B:9,8 C:9,8 | 50 |
mat_elemmul3 | X(i,j)=B(i,j)*C(i,j)*D(i,j) | B:9,8 C:9,8 D:9,8 | 60 |
MMAdd | X(i,j)=B(i,j)+C(i,j) | B:9,8 C:9,8 | 30 |
Plus2 | X(i,j,k)=B(i,j,k)+C(i,j,k) | B:5,6,4 C:5,6,4 | 20 |
Plus3 | X(i,j)=B(i,j)+C(i,j)+D(i,j) | B:9,8 C:9,8 D:9,8 | 25 |
tensor3_elemmul | X(i,j,k)=B(i,j,k)*C(i,j,k) | B:5,6,4 C:5,6,4 | 60 |
tensor4_elemmul | X(i,j,k,l)=B(i,j,k,l)*C(i,j,k,l) | B:4,3,4,3 C:4,3,4,3 | 60 |
scaled_elemmul | X(i,j,k)=B(i,j,k)*C(i,j,k)*d(i) | B:4,5,6 C:4,5,6 d:4 | 60 |
tensor4_elemadd | X(i,j,k,l)=B(i,j,k,l)+C(i,j,k,l) | B:4,3,3,4 C:4,3,3,4 | 20 |
SpMV | x(i)=B(i,j)*c(j) | B:12,9 c:9 | 40 |
SpMM_ijk | X(i,j)=B(i,k)*C(k,j) | B:8,9 C:9,7 | 40 | -s reorder(i,j,k)
SpMM_jik | X(i,j)=B(i,k)*C(k,j) | B:8,9 C:9,7 | 40 | -s reorder(j,i,k)
SpMM_ikj | X(i,j)=B(i,k)*C(k,j) | B:8,9 C:9,7 | 30 | -s reorder(i,k,j)
SpMM_jki | X(i,j)=B(i,k)*C(k,j) | B:8,9 C:9,7 | 30 | -s reorder(j,k,i)
SpMV_ji | x(i)=B(i,j)*c(j) | B:12,9 c:9 | 40 | -s reorder(j,i)
SDDMM_ikj | X(i,j)=B(i,j)*C(i,k)*D(k,j) | B:8,7 C:8,5 D:5,7 | 50 | -s reorder(i,k,j)
TTV_ikj | X(i,j)=B(i,j,k)*c(k) | B:5,6,7 c:7 | 40 | -s reorder(i,k,j)
SpMM_ikj_2 | X(i,j)=B(i,k)*C(k,j) | B:8,9 C:9,7 | 40 | -s reorder(i,k,j),precompute(B(i,k)*C(k,j),{i,k,j},{iw,kw,jw}),reorder(i,j,k)
SpMM_jki_2 | X(i,j)=B(i,k)*C(k,j) | B:8,9 C:9,7 | 40 | -s reorder(j,k,i),precompute(B(i,k)*C(k,j),{i,k,j},{iw,kw,jw}),reorder(i,j,k)
SpMM_kij_2 | X(i,j)=B(i,k)*C(k,j) | B:8,9 C:9,7 | 40 | -s reorder(k,i,j),precompute(B(i,k)*C(k,j),{i,k,j},{iw,kw,jw}),reorder(i,j,k)
SpMM_kji_2 | X(i,j)=B(i,k)*C(k,j) | B:8,9 C:9,7 | 40 | -s reorder(k,j,i),precompute(B(i,k)*C(k,j),{i,k,j},{iw,kw,jw}),reorder(i,j,k)
SDDMM | X(i,j)=B(i,j)*C(i,k)*D(k,j) | B:8,7 C:8,5 D:5,7 | 50 |
SDDMM_jik | X(i,j)=B(i,j)*C(i,k)*D(k,j) | B:8,7 C:8,5 D:5,7 | 50 | -s reorder(j,i,k)
SDDMM_dense | X(i,j)=B(i,j)*C(i,k)*D(k,j) | B:8,7 C:8,5 D:5,7 | 50 | -f C:dd -f D:dd
SDDMM_unfused | X(i,j)=B(i,j)*C(i,k)*D(k,j) | B:8,7 C:8,5 D:5,7 | 50 | -s precompute(C(i,k)*D(k,j),{i,j},{iw,jw})
sampled_SpMM | X(i,j)=B(i,k)*C(k,j)*D(i,j) | B:8,5 C:5,7 D:8,7 | 50 |
InnerProd | x=B(i,j,k)*C(i,j,k) | B:5,4,6 C:5,4,6 | 40 |
TTV | X(i,j)=B(i,j,k)*c(k) | B:5,6,7 c:7 | 40 |
TTM | X(i,j,k)=B(i,j,l)*C(k,l) | B:4,5,6 C:4,6 | 40 |
TTM_sampled | X(i,j,k)=B(i,j,l)*C(k,l)*D(i,j,k) | B:4,5,6 C:4,6 D:4,5,4 | 60 |
row_products | X(i,j)=B(i,j,k)*C(i,j,k) | B:5,6,4 C:5,6,4 | 60 |
MTTKRP | X(i,j)=B(i,k,l)*C(j,k)*D(j,l) | B:4,5,6 C:4,5 D:4,6 | 50 |
MTTKRP_jikl | X(i,j)=B(i,k,l)*C(j,k)*D(j,l) | B:4,5,6 C:4,5 D:4,6 | 50 | -s reorder(j,i,k,l)
MTTKRP_tiled | X(i,j)=B(i,k,l)*C(j,k)*D(j,l) | B:4,5,6 C:4,5 D:4,6 | 50 | --tile 3
MTTKRP_dense | X(i,j)=B(i,k,l)*C(j,k)*D(j,l) | B:4,5,6 C:4,5 D:4,6 | 50 | -f C:dd -f D:dd
Residual | x(i)=b(i)-C(i,j)*d(j) | b:9 C:9,8 d:8 | 40 |
MatTransMul | x(i)=a*B(j,i)*c(j)+e*d(i) | a:- B:8,9 c:8 e:- d:9 | 40 |
MatTransMul_ji | x(i)=a*B(j,i)*c(j)+e*d(i) | a:- B:8,9 c:8 e:- d:9 | 40 | -s reorder(j,i)
Residual_ji | x(i)=b(i)-C(i,j)*d(j) | b:9 C:9,8 d:8 | 40 | -s reorder(j,i)
TTV_plus | X(i,j)=a*B(i,j,k)*c(k)+D(i,j) | a:- B:4,5,6 c:6 D:4,5 | 40 |
sum_of_products | X(i,j)=B(i,k)*C(k,j)+D(i,j)*E(i,j) | B:6,5 C:5,7 D:6,7 E:6,7 | 40 |
TTV_order4 | X(i,j,k)=B(i,j,k,l)*c(l) | B:4,3,3,5 c:5 | 50 |
MTTKRP_unfused | X(i,j)=B(i,k,l)*C(j,k)*D(j,l) | B:4,5,6 C:4,5 D:4,6 | 50 | -s precompute(B(i,k,l)*D(j,l),{i,j,k},{iw,jw,kw})
SpMV_4 | x(i)=A(i,j)*B(j,k)*C(k,l)*D(l,m)*v(m) | A:6,5 B:5,6 C:6,5 D:5,7 v:7 | 50 |
SpMV_4_unfused | x(i)=A(i,j)*B(j,k)*C(k,l)*D(l,m)*v(m) | A:6,5 B:5,6 C:6,5 D:5,7 v:7 | 50 | -s precompute(D(l,m)*v(m),{l},{lw}),precompute(C(k,l)*w(l),{k},{kw}),precompute(B(j,k)*w2(k),{j},{jw})
sampled_sum | X(i,j)=D(i,j)*(B(i,k)*C(k,j)+E(i,j)) | D:6,5 B:6,4 C:4,5 E:6,5 | 50 |
product_of_sums | X(i,j)=(B(i,j)+C(i,j))*(D(i,j)-E(i,j)) | B:6,5 C:6,5 D:6,5 E:6,5 | 40 |
partial_sum | x(i)=a(i)*(b(i)-C(i,j)*d(j)) | a:9 b:9 C:9,6 d:6 | 60 |
sum_as_factor | x(i)=b(i)*sum(j,B(i,j)*c(j)) | b:9 B:9,8 c:8 | 50 |
sums_as_factors | x(i)=e(i)*sum(j,B(i,j)*c(j))*sum(k,C(i,k)*d(k)) | e:8 B:8,6 c:6 C:8,7 d:7 | 60 |
nested_factors | x(i)=e(i)*sum(j,B(i,j)*sum(k,C(j,k)*d(k))) | e:8 B:8,6 C:6,7 d:7 | 60 |
SDDMM_scalar | X(i,j)=B(i,j)*C(i,k)*D(k,j) | B:8,7 C:8,5 D:5,7 | 50 | -s precompute(C(i,k)*D(k,j),{},{})
scale | X(i,j)=3*B(i,j) | B:9,8 | 40 |
negate | x(i)=-b(i) | b:20 | 40 |
plus_constant | x(i)=b(i)+1 | b:10 | 40 |
from_constant | x(i)=2-b(i) | b:10 | 40 |
sum_times | X(i,j)=(B(i,j)+C(i,j))*D(i,j) | B:9,8 C:9,8 D:9,8 | 40 |
sums_of_rows | x(i)=(B(i,k)+C(i,k))*d(k) | B:8,7 C:8,7 d:7 | 40 |
EOF
}

# Writes the data of every run and prints a line for each: kernel|data|expression|options. One process for all of them:
# a process start takes as long as a run. A .tns file has at least one entry; one value in five is 0.
runs() {
    kernels | awk -F ' *[|] *' -v first="$first" -v last="$last" -v every="${EVERY:-1}" '
    function entries(extents, percent, seed, file,    e, n, l, p, total, at, rest, line) {
        srand(seed); n = split(extents, e, ","); total = 1
        for (l = 1; l <= n; l++) total *= e[l]
        at = int(rand() * total)
        for (p = 0; p < total; p++) {
            if (rand() * 100 >= percent && p != at) continue
            rest = p; line = ""
            for (l = n; l >= 1; l--) { line = (rest % e[l] + 1) " " line; rest = int(rest / e[l]) }
            print line (rand() < 0.2 ? 0 : int(rand() * 19) - 9) >file
        }
        close(file)
    }
    # `empty` names the operand without entries.
    function run(data, seed, empty,    nth, part, name, extents, options, file) {
        if (++number % every) return
        for (nth = 1; nth <= operands; nth++) {
            split(operand[nth], part, ":"); name = part[1]; extents = part[2]
            if (extents == "-")
                options = options " -g " name "::1:" (seed + nth)
            else if (name == empty) {
                gsub(",", "x", extents)
                options = options " -g " name ":" extents ":0"
            } else {
                file = number "." name ".tns"
                entries(extents, seed % 2 ? $4 : int($4 / 4), seed * 100 + nth, file)
                options = options " -i " name ":" file " -d " name ":" extents
            }
        }
        print $1 "|" data "|" $2 "|" options " " $5
    }
    {
        operands = split($3, operand, " ")
        for (set = first ? first : 1; set <= last; set++) run(set, set, "")
        for (o = 1; !first && o <= operands; o++)
            if (operand[o] !~ /:-$/) run("empty:" substr(operand[o], 1, index(operand[o], ":") - 1), 99, substr(operand[o], 1, index(operand[o], ":") - 1))
    }'
}

runs >runs.txt || exit 1
number=0
while IFS='|' read -r name data expression options; do
    number=$((number + 1)) code=0
    # shellcheck disable=SC2086
    "$ONYX" run "$expression" $options --engine cycle -o "out/$number" >"log.$number" 2>&1 || code=$?
    echo "$code|$name|$data|$expression|$options"
done <runs.txt >done.txt

# Each report is read for the check and the cycles of the kernel.
awk -F '|' '
    function close_kernel() { if (name != "") printf "%-18s %5d %6d %8d\n", name, runs, right, cycles }
    BEGIN { printf "%-18s %5s %6s %8s\n", "kernel", "runs", "right", "cycles" }
    $2 != name { close_kernel(); name = $2; runs = right = cycles = 0 }
    {
        runs++
        report = "out/" NR "/report.json"; passed = 0; took = ""
        while ((getline line <report) > 0) {
            if (index(line, "\"check\":\t\"pass\"")) passed = 1
            if (line ~ /^\t\t"kernel":\t[0-9]/) { took = line; sub(/^[^0-9]*/, "", took) }
        }
        close(report)
        if ($1 == 0 && passed) {
            right++
            if (took + 0 > cycles) cycles = took + 0
        } else {
            failed = 1
            print name ", data " $3 ": onyx run \"" $4 "\"" $5
            for (n = 0; n < 6 && (getline line <("log." NR)) > 0; n++) print "  " line
        }
    }
    END { close_kernel(); exit NR == 0 || failed }' done.txt
