#!/bin/sh
# Builds a configured preset: build.sh PRESET LOG [TARGET..]. Prints how far the build is, with an estimate of the time
# left; LOG takes all output, and its errors are shown if the build fails. Ninja says "done all seconds" before each of
# its lines.
set -eu
preset=$1 log=$2
shift 2
[ $# = 0 ] || set -- --target "$@"
{ NINJA_STATUS='%f %t %e ' cmake --build --preset "$preset" --parallel 2 "$@" 2>&1 || echo "build failed"; } | tee -a "$log" |
    awk -v name="$preset" '
        $2 ~ /^[0-9]+$/ && $1 > 0 && $2 > 20 { tenth = int(10 * $1 / $2)
            if (tenth > last && tenth < 10) { printf "      %s: %d %% built, about %d s left\n", name, 10 * tenth, $3 / $1 * ($2 - $1); fflush(); last = tenth } }
        /^build failed$/ { failed = 1 }
        END { exit failed }' ||
    { grep -B2 -A12 -i 'error' "$log" | tail -n 80; tail -n 3 "$log"; exit 1; }
