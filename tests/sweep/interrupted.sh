#!/bin/sh
# A killed sweep, and an interrupted sweep, lose only the points under way: interrupted.sh ONYX
set -eu
onyx=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# Eight points of about a quarter of a second each, one at a time.
set -- sweep "X(i,j)=B(i,k)*C(k,j)" -f B:ss -f C:ss:1,0 -g B:80x80:0.1:3 -g C:80x80:0.1:5 --tile 8 \
    --seed 1,2,3,4,5,6,7,8 --jobs 1
fail() {
    echo "$1"
    exit 1
}
finished() {
    "$onyx" sweep report "$1" >points 2>/dev/null && sed -n 's/.*points\{0,1\}, \([0-9]*\) done/\1/p' points
}
# Waits until at least $2 points are in $1.
wait_for() {
    tries=0
    until n=$(finished "$1") && [ "${n:-0}" -ge "$2" ]; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "no points after ten minutes"
        sleep 0.1
    done
}
"$onyx" "$@" --db killed.db >killed.txt 2>killed.err &
process=$!
wait_for killed.db 2
code=0
"$onyx" "$@" --db killed.db >twice.txt 2>twice.err || code=$? # two at once would write the same files
[ $code = 1 ] || fail "exit code $code, not 1, of a second sweep into one store"
grep -q "another sweep writes these results" twice.err
kill -9 $process
wait $process 2>/dev/null || true
stored=$(finished killed.db)
[ "$stored" -ge 2 ] && [ "$stored" -lt 8 ] || fail "$stored points when it was killed"
"$onyx" "$@" --db killed.db >resumed.txt 2>resumed.err
[ "$(wc -l <resumed.err)" = $((8 - stored)) ]
[ "$(finished killed.db)" = 8 ]
[ -z "$(find killed.db.work -name '*.json')" ] # nothing of the killed point is left

# --preserve-status: timeout's own code would hide the sweep's.
code=0
timeout --preserve-status -s INT 1 "$onyx" "$@" --db stopped.db >stopped.txt 2>stopped.err || code=$?
stored=$(finished stopped.db)
[ "$code" = 130 ] || [ "$stored" = 8 ]
"$onyx" "$@" --db stopped.db >/dev/null 2>resumed.err
[ "$(wc -l <resumed.err)" = $((8 - stored)) ]
# Whatever happened on the way, the results are the same.
"$onyx" "$@" --db whole.db --quiet
for name in killed stopped; do
    "$onyx" sweep report $name.db >$name.report
    "$onyx" sweep report whole.db >whole.report
    diff whole.report $name.report
done
echo "killed and interrupted sweeps went on where they were"
