#!/bin/sh
# Installs what is missing, builds with warnings as errors, runs every quick and full test, and ends with
# "N passed, N failed". Arguments go to ctest: ./test.sh -R tiling
set -eu
cd "$(dirname "$0")"
cmake/setup.sh
echo "$(gcc --version | head -n 1); $(verilator --version); $(yosys -V); $(arm-none-eabi-gcc --version | head -n 1)"
cmake --preset ci >build.log 2>&1 || { cat build.log; exit 1; }
cmake --build --preset ci --parallel 2 >>build.log 2>&1 || { grep -B2 -A12 -i 'error' build.log | tail -n 80; exit 1; }
status=0
ctest --preset ci "$@" >test.log 2>&1 || status=$?
cat test.log
failed=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of [0-9]*$/\1/p' test.log)
all=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\)$/\1/p' test.log)
[ -n "$all" ] || { echo "ctest ran no test"; exit 1; }
echo "$((all - failed)) passed, $failed failed"
exit $status
