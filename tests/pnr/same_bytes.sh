#!/bin/sh
# A seed has to give the same bytes: by gcc and clang, without and with optimisation, without a machine's own vector
# instructions, on one thread and on three.
# Usage: same_bytes.sh SOURCE. Exit 77 when there is no clang.
set -eu
cd "$1"
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }
command -v gcc >/dev/null || { echo "skipped: no gcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() { # COMPILER OPTIONS
    # shellcheck disable=SC2086
    "$1" -std=c11 $2 -Wall -Wextra -Werror -I. -D_XOPEN_SOURCE=700 -DONYX_BOARDS_DIR='"boards"' tests/pnr/pnr_bytes.c pnr/*.c \
        lower_onyx/netlist.c lower_onyx/net_check.c lower_onyx/early.c lower_onyx/ir.c support/*.c $(pkg-config --cflags --libs libcjson libxxhash cmocka) \
        -lpthread -o "$work/bytes"
}
failed=0
for compiler in gcc clang; do
    for options in -O0 -O3 "-O3 -U__SSE2__"; do
        build "$compiler" "$options"
        for threads in 1 3; do
            mkdir "$work/out"
            "$work/bytes" "$threads" "$work/out"
            sum=$(cd "$work/out" && cat ./*.place ./*.route | sha256sum)
            rm -r "$work/out"
            echo "$compiler $options, $threads threads: ${sum%% *}"
            [ "${first:=$sum}" = "$sum" ] || failed=1
        done
    done
done
exit $failed
