#!/bin/sh
# All output of onyx must have the same bytes: from the normal build (optimised, by gcc), from other compilers and other
# builds, with random and fixed addresses, in a locale with a decimal comma, with one job and with three.
# Usage: same_bytes.sh SOURCE BUILD [FOLDER | "COMPILER OPTION"].. FOLDER is another build, and BUILD has a test of its
# own about jobs, addresses and locales. Exit 77 without clang or gcc, or where BUILD is absent or of another commit than
# FOLDER.
set -eu
cd "$1"
here=$1/tests/flow
build=$2
shift 2
for tool in gcc clang; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
version() { "$1/onyx" --version 2>&1 | head -n 1; }
for how; do
    [ ! -d "$how" ] || [ "$(version "$build")" = "$(version "$how")" ] || { echo "skipped: $build is not of the commit of $how"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# These kernels pass through every stage: several operands, copies, workspaces, constants, bfloat16, a message.
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

# LABEL JOBS RUNNER...: prints one sum over all output, without wall times and memory sizes.
check() {
    label=$1 jobs=$2
    shift 2
    rm -rf "$work/run" "$work/bin"
    mkdir "$work/run" "$work/bin"
    printf '#!/bin/sh\nexec env ONYX_HOME="%s" %s "%s" "$@"\n' "$PWD" "$*" "$work/onyx" >"$work/bin/onyx"
    chmod +x "$work/bin/onyx"
    (cd "$work/run" && PATH=$work/bin:$PATH && commands "$jobs" >printed 2>&1)
    sum=$(
        cd "$work/run"
        find . -name report.json -exec sed -i -e '/"wall_s"/,/}/d' -e '/"stage_seconds"/,/}/d' -e '/"seconds"/d' \
            -e '/"peak_rss_mb"/d' {} +
        sed -i -e 's/[0-9.]* s to the bitstream.*//' -e 's/, [0-9.]* ms$//' printed
        # The columns that hash the program or hold wall seconds are left out, by name.
        python3 "$here/columns.py" sweep.csv plan key wall_s
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
cp "$build/onyx" "$work/onyx"
check "as it was built" 1
for how; do
    if [ -d "$how" ]; then
        cp "$how/onyx" "$work/onyx"
    else
        # shellcheck disable=SC2086
        python3 tests/flow/rebuild.py "$build" "$work/onyx" $how
    fi
    check "$how" 1
done
[ ! -d "${1:-}" ] || exit $failed
cp "$build/onyx" "$work/onyx"
check "3 jobs" 3
if setarch -R true 2>/dev/null; then
    check "fixed addresses" 1 setarch -R
    check "fixed addresses again" 1 setarch -R env A_LONGER_ENVIRONMENT=moves_the_stack
else
    echo "addresses cannot be fixed here" # some containers forbid it
fi
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
    check "de_DE.UTF-8" 1 env LOCPATH="$work" LC_ALL=de_DE.UTF-8
else
    echo "no locale with a decimal comma here"
fi
exit $failed
