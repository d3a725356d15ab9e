#!/bin/sh
# Installs what is missing, builds with warnings as errors, runs every quick and full test, then the quick ones again under
# the address and undefined-behaviour sanitizers, and ends with "N passed, N failed". Arguments go to ctest.
set -eu
cd "$(dirname "$0")"
cmake/setup.sh cmake/packages-test.txt
echo "$(gcc --version | head -n 1); $(verilator --version); $(yosys -V); $(arm-none-eabi-gcc --version | head -n 1)"
passed=0 failed=0 status=0
for preset in ci asan; do
    cmake --preset $preset >build.log 2>&1 || { cat build.log; exit 1; }
    cmake --build --preset $preset --parallel 2 >>build.log 2>&1 || { grep -B2 -A12 -i 'error' build.log | tail -n 80; exit 1; }
    ctest --preset $preset --parallel 2 "$@" >test.log 2>&1 || status=1
    cat test.log
    bad=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of [0-9]*$/\1/p' test.log)
    all=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\)$/\1/p' test.log)
    [ -n "$all" ] || { echo "ctest ran no test"; exit 1; }
    passed=$((passed + all - bad)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
exit $status
