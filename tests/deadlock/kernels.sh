#!/bin/sh
# Prints the results of the deadlock analysis for the kernels of tests/flow/array_kernels.sh: kernels.sh ONYX. Each
# kernel has a row: the ways that must hold tokens, the most tokens needed by one way, the least spare room without
# SplitFIFOs and with them, the verdict. Fails unless all are safe.
set -u
ONYX=$(realpath "$1")
list=$(realpath "$(dirname "$0")/../flow/array_kernels.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Reads from report.json: reconvergences, most tokens needed, least room to spare, verdict.
measures() {
    awk -F '[:,\t" ]+' '
        /"deadlock":/ { inside = 1 }
        inside && /"verdict":/ { verdict = $3 }
        inside && /"have":/ { have = $3 }
        inside && /"need":/ { ways++; need = $3; if (need > most) most = need
                              if (ways == 1 || have - need < spare) spare = have - need }
        inside && /"circle":/ { exit }
        END { print ways + 0, most + 0, ways ? spare : "-", verdict }' "$1/report.json"
}

failed=0
printf '| kernel | ways | most needed | spare without pairs | with | verdict |\n|---|---|---|---|---|---|\n'
sed -n '/^kernels() {/,/^EOF/p' "$list" | grep ' | ' >kernels.txt
while IFS='|' read -r name expression _ _ options; do
    # shellcheck disable=SC2086
    if ! "$ONYX" compile "$(echo "$expression")" $options --no-pipeline --deadlock warn --quiet -o bare >log 2>&1 ||
        ! "$ONYX" compile "$(echo "$expression")" $options --deadlock warn --quiet -o paired >log 2>&1; then
        echo "$name: $(head -n 3 log)"
        failed=1
        continue
    fi
    read -r ways most spare verdict <<END
$(measures bare)
END
    read -r ways most more with <<END
$(measures paired)
END
    printf '| %s | %s | %s | %s | %s | %s |\n' "$(echo $name)" "$ways" "$most" "$spare" "$more" "$with"
    [ "$verdict" = safe ] && [ "$with" = safe ] || failed=1
done <kernels.txt
exit $failed
