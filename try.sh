#!/bin/sh
# Goes from a fresh machine to a result that came back from the chip's array: installs what is missing, builds, and squares a
# real matrix on the simulated SoC. Everything that is produced is in out/.
set -eu
cd "$(dirname "$0")"
cmake/setup.sh
cmake --preset default >build.log 2>&1 || { cat build.log; exit 1; }
cmake --build --preset default --target onyx onyx-cosim --parallel 2 >>build.log 2>&1 || { tail -n 40 build.log; exit 1; }
matrix=../shared/data/matrices/west0067.mtx
[ -r "$matrix" ] || matrix=tests/data/karate.mtx
exec build/onyx run "X(i,j) = B(i,k) * C(k,j)" -f B:ss -f C:ss:1,0 -f X:ss \
    -i "B:$matrix" -i "C:$matrix" --engine soc -o out "$@"
