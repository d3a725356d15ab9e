#!/bin/sh
# Installs missing packages, builds with warnings as errors, runs every quick and full test, then the quick tests under
# the address and undefined-behaviour sanitizers (by clang, with libFuzzer; by gcc if clang is missing). Tests with
# label "once" run only under the sanitizers, since their cases are equal in both. Shows how far builds and tests
# are, and ends with "N minutes", "N skipped" and "N passed, N failed". A program that skipped a case, for missing data,
# counts as skipped. Arguments go to ctest.
set -eu
cd "$(dirname "$0")"
began=$(date +%s)
cmake/setup.sh cmake/packages-tools.txt
# Packages needed only by tests are installed during the build of the first preset.
cmake/setup.sh cmake/packages-test.txt &
installing=$!
cat tests/seeds.txt # seeds and rates of the random tests, and why they changed
echo "$(gcc --version | head -n 1); $(verilator --version); $(yosys -V); $(arm-none-eabi-gcc --version | head -n 1)"

# Prints the tests that passed by the output of ctest ($1) and skipped a case by its log ($2).
passed_in_part() {
    awk 'FNR == NR { if ($2 == "Test" && $(NF - 2) == "Passed") passed[$4] = 1; next }
        $2 == "Testing:" { name = $3 }
        /^\[  SKIPPED \]/ && passed[name] { count++; passed[name] = 0 }
        END { print count + 0 }' "$1" "$2"
}

# build PRESET [COMMAND..]: configures and builds the preset, with COMMAND as a prefix; the output is in
# build.PRESET.log.
build() {
    built=$1 log=build.$1.log
    shift
    "$@" cmake --preset "$built" >"$log" 2>&1 || { cat "$log"; return 1; }
    "$@" cmake/build.sh "$built" "$log" || return 1
}

sanitized=fuzz
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9; }' |
    clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null || sanitized=asan

# Make starts CMake for every file, at the cost of compiling a short one. An existing build folder keeps its generator.
generator=
! command -v ninja >/dev/null || generator=CMAKE_GENERATOR=Ninja
build ci env $generator
wait "$installing"
# The second preset is built in the time left by the tests of the first, a tenth of two processors, with the verilated
# models of the first.
build $sanitized nice -n 19 env $generator &
building=$!

# in_memory FOLDER COMMAND..: runs the command with FOLDER in memory: on a disk a third of the time of short commands is the
# file system's, which looks at every file removed lately before it makes another. Only the command sees the mount, which
# needs root, 12 GB of memory, and a machine that allows it.
in_memory() {
    mkdir -p "$1"
    if [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt 12000000 ] &&
        unshare --mount mount -t tmpfs -o size=6g,mode=755 onyx "$1" 2>/dev/null; then
        # The inner shell expands its own arguments.
        # shellcheck disable=SC2016
        unshare --mount sh -c 'mount -t tmpfs -o size=6g,mode=755 onyx "$1" && shift && exec "$@"' sh "$@"
    else
        shift
        "$@"
    fi
}

passed=0 failed=0 skipped=0 status=0
for preset in ci $sanitized; do
    [ "$preset" = ci ] || wait $building
    again=
    [ "$preset" != ci ] || again="-LE ^once$"
    rm -f test.failed
    folder=build
    [ "$preset" = ci ] || folder=build-$preset
    # shellcheck disable=SC2086
    { in_memory "$PWD/$folder/tmp" ctest --preset "$preset" --parallel 3 $again "$@" 2>&1 || : >test.failed; } | tee test.log
    [ ! -e test.failed ] || status=1
    # A failing test that runs ctest itself also prints such lines: the first folder and the last sum belong to this
    # script.
    bad=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of [0-9]*$/\1/p' test.log | tail -n 1)
    all=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\)$/\1/p' test.log | tail -n 1)
    [ -n "$all" ] || { echo "ctest ran no test"; exit 1; }
    folder=$(sed -n 's/^Test project //p' test.log | head -n 1)
    out=$(($(grep -c '\*\*\*Skipped ' test.log || true) + $(passed_in_part test.log "$folder/Testing/Temporary/LastTest.log")))
    passed=$((passed + all - bad - out)) failed=$((failed + bad)) skipped=$((skipped + out))
done
rm -f test.failed
echo "$((($(date +%s) - began + 59) / 60)) minutes"
echo "$skipped skipped"
echo "$passed passed, $failed failed"
exit $status
