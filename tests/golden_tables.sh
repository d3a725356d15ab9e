#!/bin/sh
# Prints the tables that the tests against recordings print: golden_tables.sh PROGRAM ...
set -eu
for program in "$@"; do
    out=$("$program" 2>&1) || { echo "$out"; exit 1; }
    printf '%s\n\n' "$(basename "$program")"
    echo "$out" | grep '^|' || echo "no recordings in ../shared/data"
    echo
done
