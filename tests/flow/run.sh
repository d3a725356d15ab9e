#!/bin/sh
# Runs one .test file: run.sh FILE.test ONYX SOURCE FOLDER; what it leaves is in the folder, which is removed when all is
# right. Lines of a .test file:
#   # text            a comment; "# label: full" sets the ctest label (default quick)
#   needs PATH        skip the whole file (exit 77) when PATH does not exist
#   kernels SECTION ENGINE ARGUMENTS   the rows of kernels.list that are for the engine (expand.awk)
#   $ command         run by bash in an empty folder, with pipefail; $SRC, $DATA (shared data), $EVERY (which of a long list), onyx
#                     on the PATH
# followed by what is expected of the command above:
#   exit N            its exit code (default 0)
#   out TEXT          standard output holds TEXT;    err TEXT    standard error holds TEXT
#   has FILE TEXT     FILE holds TEXT;               no FILE     FILE does not exist
# Every report.json and every diagnostic in JSON is held against its schema in docs/, every log of --diagnostics=sarif
# against sarif.schema.json (check_reports.py).
set -u
file=$(realpath "$1")
SRC=$(realpath "$3")
DATA=$SRC/../shared/data
EVERY=${EVERY:-1}
export SRC DATA EVERY
mkdir -p "$4"
work=$(realpath "$4")
rm -rf "$work"
mkdir -p "$work/bin" "$work/run" "$work/json" "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR
ln -s "$(realpath "$2")" "$work/bin/onyx"
PATH=$work/bin:$PATH
cd "$work/run" || exit 1
failed=0 count=0 command= want=0
tab=$(printf '\t')
awk -v list="$(dirname "$file")/kernels.list" -f "$(dirname "$file")/expand.awk" "$file" >"$work/lines"

complain() {
    echo "$file:$at: $1"
    echo "  command: $command"
    sed 's/^/  stderr: /' "$work/err" | head -n 20
    failed=$((failed + 1))
}
# The exit code is judged when the next command starts, because "exit" may stand anywhere in between.
judge() {
    [ -n "$command" ] || return 0
    [ "$code" = "$want" ] || complain "exit code $code, expected $want"
    count=$((count + 1))
    want=0
}
# The files are copied, since the next command may write another one to the same place.
keep_json() {
    find . -name report.json -newer "$work/before" | while IFS= read -r report; do
        cp "$report" "$work/json/$at$(echo "$report" | tr '/ ' __)"
    done
    case $command in
    *--json*) [ "$(head -c 1 "$work/out")" != '{' ] || cp "$work/out" "$work/json/$at.json" ;;
    esac
    case $command in
    *--diagnostics=sarif*) cp "$work/err" "$work/json/$at.sarif" ;;
    esac
    grep '^{"code"' "$work/err" >>"$work/json/diagnostics.jsonl"
}
check_json() {
    found=$(find "$work/json" -type f -size +0)
    [ -n "$found" ] || return 0
    # shellcheck disable=SC2086
    python3 "$SRC/tests/flow/check_reports.py" "$SRC" $found
    case $? in
    0 | 77) ;;
    *) failed=$((failed + 1)) ;;
    esac
}

while IFS= read -r text; do
    line=${text%%"$tab"*} text=${text#*"$tab"}
    case $text in
    '#'* | '') ;;
    'needs '*)
        if [ ! -e "$(eval echo "${text#needs }")" ]; then
            echo "skipped: ${text#needs } does not exist"
            exit 77
        fi ;;
    '$ '*)
        judge
        command=${text#\$ } at=$line
        touch -d '-1 second' "$work/before"
        bash -o pipefail -c "$command" >"$work/out" 2>"$work/err" </dev/null
        code=$?
        keep_json ;;
    'exit '*) want=${text#exit } ;;
    'out '*) grep -qF -- "${text#out }" "$work/out" || complain "standard output lacks '${text#out }'" ;;
    'err '*) grep -qF -- "${text#err }" "$work/err" || complain "standard error lacks '${text#err }'" ;;
    'has '*)
        rest=${text#has }
        grep -qF -- "${rest#* }" "${rest%% *}" || complain "${rest%% *} lacks '${rest#* }'" ;;
    'no '*) [ ! -e "${text#no }" ] || complain "${text#no } exists" ;;
    *) at=$line; complain "line not understood: $text" ;;
    esac
done <"$work/lines"
judge
check_json
echo "$count commands, $failed failures"
[ "$failed" = 0 ] && [ "$count" -gt 0 ] && rm -rf "$work"
