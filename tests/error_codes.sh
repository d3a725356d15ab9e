#!/bin/sh
# Every diagnostic code in the sources has a row in docs/errors/, every row is the code of a message, and a test
# expects that message: its whole code stands in a test. Corpora of the fuzzers are not expectations.
set -u
cd "$1" || exit 1
rooms='support sam frontend tiling lower_onyx pnr bitstream firmware dense host rtl_models kernel graphs engines autoschedule report exchange compile programs options sweep cli'
in_code=$(grep -rhoE '["[]E[0-9]{4}-[a-z0-9-]+[]"]' --include='*.c' --include='*.h' --include='*.cpp' --include='*.def' \
    $rooms | tr -d '"[]' | sort -u)
in_docs=$(grep -hoE '^\| *`?E[0-9]{4}-[a-z0-9-]+' docs/errors/*.md | grep -oE 'E[0-9]{4}-[a-z0-9-]+' | sort)
in_tests=$(grep -rhoE 'E[0-9]{4}-[a-z0-9-]+' --include='*.c' --include='*.h' --include='*.cpp' --include='*.test' \
    --include='*.sh' --include='*.js' --include='*.py' --exclude-dir=fuzz tests | sort -u)
bad=0
complain() {
    echo "$1"
    bad=1
}
# has LIST CODE: without a process, for speed: called a thousand times
has() {
    case "
$1
" in *"
$2
"*) ;; *) return 1 ;; esac
}
for code in $(echo "$in_docs" | uniq -d); do
    complain "$code has two rows in docs/errors/"
done
for code in $in_code; do
    has "$in_docs" "$code" || complain "$code has no row in docs/errors/"
    has "$in_tests" "$code" || complain "no test expects $code"
done
for code in $in_docs; do
    has "$in_code" "$code" || complain "$code is documented, but nothing reports it"
done
exit $bad
