#!/bin/sh
# A seed must give the same bytes: by gcc and clang, without and with optimisation, without a machine's own vector
# instructions, on one thread and on three.
# Usage: same_bytes.sh SOURCE BUILD. Exit 77 without clang.
set -eu
cd "$1"
build=$2
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }
command -v gcc >/dev/null || { echo "skipped: no gcc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=$(pkg-config --cflags libcjson libxxhash cmocka) libraries=$(pkg-config --libs libcjson libxxhash cmocka)
# The files that the program needs are the members that the linker takes from the libraries of the normal build.
needed=tests/pnr/pnr_bytes.c
# shellcheck disable=SC2086
gcc -std=c11 -I. -D_XOPEN_SOURCE=700 $flags $needed "$build/pnr/libonyx_pnr.a" "$build/lower_onyx/libonyx_lower_onyx.a" \
    "$build/sam/libonyx_sam.a" "$build/support/libonyx_support.a" $libraries -lpthread -lm -Wl,-t,-t -o "$work/bytes" >"$work/linked"
files="$needed $(sed -n "s|^($build/\([a-z_]*\)/libonyx_[a-z_]*\.a)\(.*\)\.o$|\1/\2|p" "$work/linked")"
# Only these files use vector instructions: the others need no second compilation without.
vectors=$(echo "$files" | xargs grep -l '^#include "pnr/spot.h"')
[ "$(echo "$files" | xargs grep -l __SSE2__ pnr/*.h support/*.h lower_onyx/*.h)" = pnr/spot.h ] || { echo "not only pnr/spot.h asks for __SSE2__"; exit 1; }

compile() { # COMPILER OPTIONS FILE...: objects in $work/objects
    cc=$1 how=$2
    shift 2
    # shellcheck disable=SC2086
    python3 -B tests/flow/compile_many.py "$work/objects" "$cc" -std=c11 $how -Wall -Wextra -Werror -I. -D_XOPEN_SOURCE=700 \
        -DONYX_BOARDS_DIR='"boards"' $flags -- "$@"
}
failed=0
compare() { # LABEL: what the objects make
    # shellcheck disable=SC2086
    gcc "$work"/objects/*.o $libraries -lpthread -lm -o "$work/bytes"
    for threads in 1 3; do
        mkdir "$work/out"
        "$work/bytes" "$threads" "$work/out"
        sum=$(cd "$work/out" && cat ./*.place ./*.route | sha256sum)
        rm -r "$work/out"
        echo "$1, $threads threads: ${sum%% *}"
        [ "${first:=$sum}" = "$sum" ] || failed=1
    done
}
mkdir "$work/objects"
for compiler in gcc clang; do
    for options in -O0 -O3; do
        compile $compiler $options $files
        compare "$compiler $options"
    done
    compile $compiler "-O3 -U__SSE2__" $vectors
    compare "$compiler -O3 -U__SSE2__"
done
exit $failed
