#!/bin/sh
# The same bytes of everything onyx writes: compiled by gcc and clang, without and with optimisation, with addresses that
# change and that do not, in a locale with a decimal comma, with one job and with three.
# Usage: same_bytes.sh SOURCE VERSION_FOLDER. Exit 77 when there is no clang or no gcc.
set -eu
cd "$1"
SRC=$PWD version=$2
for tool in gcc clang; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# COMPILER OPTIONS: $work/onyx
build() {
    rm -rf "$work/obj"
    mkdir "$work/obj"
    # shellcheck disable=SC2086,SC2016
    ls support/*.c sam/*.c frontend/*.c tiling/*.c lower_onyx/*.c pnr/*.c bitstream/*.c rtl_models/*.c firmware/*.c sweep/*.c \
        cli/*.c | xargs -P "$(nproc)" -I{} sh -c 'f=$1 && shift && exec "$@" -c "$f" -o "$OBJ/$(echo "$f" | tr / _).o"' sh {} \
        "$1" -std=c11 $2 -I. -I"$version" -D_XOPEN_SOURCE=700 -D_POSIX_C_SOURCE=200809L -DONYX_BOARDS_DIR='"'"$SRC"'/boards"' \
        -DONYX_HOME_DEFAULT='"'"$SRC"'"' -DONYX_HOME_INSTALLED='"absent"' -DONYX_DOCS_INSTALLED='"absent"' \
        -DONYX_VERILATED_LIB='"absent"' $(pkg-config --cflags libcjson libxxhash)
    "$1" "$work"/obj/*.o $(pkg-config --libs libcjson libxxhash) -lsqlite3 -lpthread -lm -o "$work/onyx"
}
OBJ=$work/obj
export OBJ

# Kernels that pass through every stage: several operands, copies, workspaces, constants, bfloat16, a message.
commands() {
    onyx compile "X(i,j)=B(i,k)*C(k,j)" -f C:ss:1,0 -o spmm
    onyx compile "x(i)=B(i,j)*c(j)+2*d(i)" --unroll 2 --seed 7 -o unrolled
    onyx compile "X(i,j)=B(i,j)*C(i,k)*D(k,j)" -s "precompute(C(i,k)*D(k,j),{i,j},{i,j},T)" -o workspace || true
    onyx compile "X(i,j)=B(i,k)*C(k,j)" --board onyx-4x2 -o small --diagnostics=json || true
    onyx run "X(i,j)=B(i,k)*C(k,j)" --dtype bf16 -g B:20x20:0.3 -g C:20x20:0.3 --engine sam -o bf16
    onyx run "X(i,j)=B(i,j)*C(i,j)" -g B:20x20:0.3 -g C:20x20:0.3 --tile 8 --engine cycle -o cycle
    onyx pnr spmm/design.packed --seeds 3 --threads "$1" --svg routed.svg -o routed
    onyx bits explain spmm/bitstream.bs
    onyx sweep "x(i)=B(i,j)*c(j)" -g B:20x20:0.2 -g c:20:0.5 --tile 8,16 --unroll 1,2 --engine cycle --jobs "$1" --db s.db --quiet
    onyx sweep report s.db --csv sweep.csv --quiet
}

# LABEL JOBS RUNNER...: one sum over all that came out; wall times are not part of it.
check() {
    label=$1 jobs=$2
    shift 2
    rm -rf "$work/run" "$work/bin"
    mkdir "$work/run" "$work/bin"
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$*" "$work/onyx" >"$work/bin/onyx"
    chmod +x "$work/bin/onyx"
    (cd "$work/run" && PATH=$work/bin:$PATH && commands "$jobs" >printed 2>&1)
    sum=$(
        cd "$work/run"
        find . -name report.json -exec sed -i -e '/"wall_s"/,/}/d' -e '/"stage_seconds"/,/}/d' -e '/"seconds"/d' {} +
        sed -i -e 's/[0-9.]* s to the bitstream.*//' -e 's/, [0-9.]* ms$//' printed
        # Wall seconds, the last column but five.
        sed -i 's/,[^,]*\(\(,[^,]*\)\{5\}\)$/\1/' sweep.csv
        rm s.db
        find . -type f | LC_ALL=C sort | xargs sha256sum
    )
    if [ "${first:=$sum}" = "$sum" ]; then
        echo "$label: $(echo "$sum" | wc -l) files, $(echo "$sum" | sha256sum | cut -c 1-16)"
    else
        echo "$label differs:"
        echo "$first" >"$work/first"
        echo "$sum" | diff "$work/first" - || true
        failed=1
    fi
}

failed=0
for compiler in gcc clang; do
    for options in -O0 -O3; do
        build $compiler $options
        check "$compiler $options" 1
    done
done
check "3 jobs" 3
check "fixed addresses" 1 setarch -R
check "fixed addresses again" 1 setarch -R env A_LONGER_ENVIRONMENT=moves_the_stack
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
    check "de_DE.UTF-8" 1 env LOCPATH="$work" LC_ALL=de_DE.UTF-8
else
    echo "no locale with a decimal comma here"
fi
exit $failed
