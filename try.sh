#!/bin/sh
# Goes from a fresh machine to a result from the chip's array, with all further programs built: installs missing
# packages, builds, squares a real matrix on the simulated SoC, draws the page, then builds engine rtl and the library
# of the Python module. All results are in out/; the output of the steps is in build.log. Arguments go to onyx run.
set -eu
cd "$(dirname "$0")"
: >build.log

# Announces the next step, with the time of the steps so far.
began=$(date +%s)
step() { echo "[$1/5] $2 ($(($(date +%s) - began)) s so far)"; }

step 1 "installs the packages that are missing"
cmake/setup.sh cmake/packages-try.txt
generator=
! command -v ninja >/dev/null || [ -e build/CMakeCache.txt ] || generator="-G Ninja"
step 2 "builds the compiler and the simulated chip"
# shellcheck disable=SC2086
cmake --preset default $generator >>build.log 2>&1 || { cat build.log; exit 1; }
cmake/build.sh default build.log onyx onyx-cosim
step 3 "squares a matrix on the simulated chip"
matrix=../shared/data/matrices/west0067.mtx
[ -r "$matrix" ] || matrix=tests/data/karate.mtx
build/onyx run "X(i,j) = B(i,k) * C(k,j)" -f B:ss -f C:ss:1,0 -f X:ss -i "B:$matrix" -i "C:$matrix" --engine soc -o out "$@"
step 4 "draws the page"
build/onyx view out --quiet
step 5 "builds engine rtl and the library of the Python module"
cmake/build.sh default build.log onyx-array onyx_bindings
cat <<END
Done in $(($(date +%s) - began)) s. The page of this run is out/view.html. Next, for example:
    build/onyx run "y(i) = B(i,j) * c(j)" -i B:$matrix -g c:u --engine cycle -o spmv
    build/onyx sweep "X(i,j) = B(i,k) * C(k,j)" -i B,C:$matrix --tile 8,16,32 --unroll 1,2 -o swept
    PYTHONPATH=bindings/python python3 -c 'import onyx, scipy.sparse as s; B = s.identity(9).tocoo(); print(onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=B).cycles)'
END
