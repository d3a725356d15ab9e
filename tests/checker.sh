#!/bin/sh
# The judge is independent of the judged code: no object of an engine, of an interpreter or of a pass calls a function
# of the checker (tiling/reference.c, compare.c and their numbers). Reads the symbols of the libraries in build folder
# $1. compile/typing.c asks the reference for a type that holds the values, before the first pass; passes get only the
# type. $2, if given, is a further library, known to break the rule.
set -u
cd "$1" || exit 1
judges='reference.c.o compare.c.o'
may='reference.c.o compare.c.o programs:check.c.o compile:run.c.o compile:typing.c.o report:cpu_run.c.o'
functions=$(for o in $judges; do nm -A --defined-only tiling/libonyx_tiling.a | grep ":$o:" | awk '$2 == "T" { print $3 }'; done)
[ "$(echo "$functions" | grep -c .)" -ge 3 ] || { echo "the checker's functions are not found: $functions"; exit 1; }
pattern=" ($(echo $functions | tr ' ' '|'))\$"
bad=0 judged=0
for library in */libonyx_*.a frontend/*/libonyx_*.a ${2:-}; do
    room=${library%%/*}
    for object in $(nm -A -u "$library" 2>/dev/null | grep -E "$pattern" | cut -d: -f2 | sort -u); do
        case " $may " in
        *" $object "* | *" $room:$object "*) judged=$((judged + 1)) ;;
        *) echo "$room/${object%.o} calls the checker:"
           nm -u "$library" 2>/dev/null | grep -E "$pattern" | sort -u
           bad=1 ;;
        esac
    done
done
[ $judged -ge 3 ] || { echo "only $judged objects judge: is the build whole?"; bad=1; }
exit $bad
