#!/bin/sh
# Follows try.sh with a finished build folder: try.sh BUILD SOURCE. A program in cmake's place prints progress; the
# run, the page and the commands named at the end of the script are real. A failing build ends the script.
set -eu
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$1"
    exit 1
}
mkdir "$work/bin" "$work/try" "$work/try/cmake" "$work/try/tests"
cp "$source/try.sh" "$work/try"
cp -r "$source/tests/data" "$work/try/tests"
for part in bindings boards docs formats functions rtl_models firmware tiling support; do ln -s "$source/$part" "$work/try/$part"; done
ln -s "$build" "$work/try/build"
cat >"$work/bin/cmake" <<'END'
#!/bin/sh
case "$*" in
*--build*) for i in 5 25 50 75 100; do echo "$i 100 $i.0 Building"; done; echo "$*" >>"$TARGETS"; [ -z "${BREAK-}" ] || exit 1 ;;
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
echo "try.sh: the run, the page, and three commands"
