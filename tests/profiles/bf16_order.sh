#!/bin/sh
# bf16_order.sh ONYX PROGRAM ENGINE: kernels with sums of bfloat16 on profile onyx-ext; every bit of their results must
# be that of an evaluation in the array's order of additions (bf16_order.c).
set -eu
onyx=$1 program=$2 engine=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" make "$work"
run() { # run KERNEL RESULT EXPRESSION OPTIONS
    kernel=$1 result=$2 expression=$3
    shift 3
    "$onyx" run "$expression" "$@" --dtype bf16 --profile onyx-ext --engine "$engine" -O0 --tile 16 -o "$work/out" > "$work/log" ||
        { cat "$work/log"; exit 1; }
    "$program" "$kernel" 16 "$work" "$work/out/$result.mtx"
}
B=B:$work/B.mtx C=C:$work/C.mtx S=S:$work/S.mtx c=c:$work/c.mtx
run spmv x "x(i)=B(i,k)*c(k)" -i "$B" -i "$c"
run spmspm X "X(i,j)=B(i,k)*C(k,j)" -f C:ss:1,0 -i "$B" -i "$C"
run sddmm X "X(i,j)=S(i,j)*B(i,k)*C(k,j)" -f C:ss:1,0 -i "$S" -i "$B" -i "$C"
run inner a "a=B(i,j)*S(i,j)" -i "$B" -i "$S"
# rows of products added up by a vector reducer
run vectors X "X(i,j)=B(i,k)*C(k,j)" -s "reorder(i,k,j)" -i "$B" -i "$C"
