#!/bin/sh
# Follows try.sh and test.sh with a finished build folder: try.sh BUILD SOURCE. A program in cmake's place prints
# progress; the run, the page and the commands named at the end of try.sh are real. Programs in the places of ctest and
# of the compilers' stand for test.sh's. A failing build or test ends the scripts with an exit code.
set -eu
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$1"
    exit 1
}
mkdir "$work/bin" "$work/try" "$work/try/cmake" "$work/try/tests"
cp "$source/try.sh" "$source/test.sh" "$work/try"
cp "$source/cmake/build.sh" "$work/try/cmake"
cp -r "$source/tests/data" "$work/try/tests"
for part in bindings boards docs formats functions rtl_models firmware tiling support; do ln -s "$source/$part" "$work/try/$part"; done
ln -s "$build" "$work/try/build"
cat >"$work/bin/cmake" <<'END'
#!/bin/sh
case "$*" in
*--build*) [ -n "${NINJA_STATUS-}" ] || exit 1; for i in 5 25 50 75 100; do echo "$i 100 $i.0 Building"; done; echo "$*" >>"$TARGETS"; [ -z "${BREAK-}" ] || exit 1 ;;
esac
END
printf '#!/bin/sh\n' >"$work/try/cmake/setup.sh"
chmod +x "$work/bin/cmake" "$work/try/cmake/setup.sh"
export TARGETS="$work/targets" ONYX_BUILD="$build"
cd "$work/try"
PATH="$work/bin:$PATH" ./try.sh --engine cycle >said || { cat said; fail "try.sh failed"; }
grep -q "check: pass" said && grep -q "50 % built, about 50 s left" said && [ -s out/view.html ] || { cat said; fail "no run, progress or page"; }
for target in onyx onyx-cosim onyx-array onyx_bindings; do grep -q -- "$target" "$TARGETS" || fail "$target is not built"; done
sed -n '/^Done in/,$s/^    //p' said >commands
[ "$(wc -l <commands)" = 3 ] || fail "not three commands"
while read -r line; do
    PATH="/usr/bin:$PATH" sh -c "$line" >line.txt 2>&1 </dev/null || { cat line.txt; fail "does not run: $line"; }
done <commands
! BREAK=1 PATH="$work/bin:$PATH" ./try.sh --engine cycle >broken 2>&1 || fail "a build that fails goes unnoticed"
grep -q "build failed" broken || fail "a build that fails is not shown"

rm build # test.sh puts memory over its folder of temporary files, this one among them

# test.sh: progress while tests run, the sums at the end, and the exit code.
cp "$source/tests/seeds.txt" tests
for program in gcc verilator yosys arm-none-eabi-gcc clang; do printf '#!/bin/sh\necho 1\n' >"$work/bin/$program"; done
cat >"$work/bin/ctest" <<'END'
#!/bin/sh
bad=${BREAK_TEST:-0}
echo "Test project $PWD/logs"
mkdir -p logs/Testing/Temporary
: >logs/Testing/Temporary/LastTest.log
echo "1/3 Test #1: a ... Passed 0.1 sec"
echo "2/3 Test #2: b ...***Skipped 0.1 sec"
echo "90% tests passed, $bad tests failed out of 3"
exit "$bad"
END
chmod +x "$work"/bin/*
PATH="$work/bin:$PATH" ./test.sh >said || { cat said; fail "test.sh failed"; }
for line in "ci: 50 % built, about 50 s left" "1/3 Test #1: a" "^[01] minutes$" "2 skipped" "4 passed, 0 failed"; do
    grep -q "$line" said || { cat said; fail "test.sh does not say '$line'"; }
done
! BREAK_TEST=1 PATH="$work/bin:$PATH" ./test.sh >said || fail "test.sh ends with 0 though tests failed"
grep -q "^2 passed, 2 failed$" said || { cat said; fail "failed tests are not counted"; }
! BREAK=1 PATH="$work/bin:$PATH" ./test.sh >said 2>&1 || fail "test.sh ends with 0 though the build failed"
echo "try.sh: the run, the page, and three commands; test.sh: progress and sums"
