#!/bin/sh
# Checks the Debian package: its content, its dependencies, and its commands, run from a root with the unpacked
# package: package.sh BUILD SOURCE
set -eu
build=$(realpath "$1") source=$(realpath "$2")
for program in dpkg-deb dpkg-shlibdeps; do # sh looks at the first name of a list alone
    command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ONYX_HOME
fail() { echo "$1"; exit 1; }

# No test is built. Existing programs stay unchanged: other tests run them.
cmake --build "$build" --target installed -- -n >"$work/steps" 2>&1 || { cat "$work/steps"; fail "no steps to what is installed"; }
sed -e "s|$build/||g" -e "s|$source/||g" "$work/steps" >"$work/short"
grep -E "tests/|Built target (test_|fuzz_|bench_)" "$work/short" && fail "the package needs tests"
cpack --config "$build/CPackConfig.cmake" -B "$work" -D CPACK_PROJECT_CONFIG_FILE= >"$work/log" || { cat "$work/log"; fail "cpack"; }
deb=$(echo "$work"/onyx_*.deb)

for field in Package=onyx Section=electronics Priority=optional; do
    [ "$(dpkg-deb -f "$deb" "${field%%=*}")" = "${field#*=}" ] || fail "$field"
done
for library in libc6 libcjson1 libxxhash0 zlib1g libunicorn2; do
    dpkg-deb -f "$deb" Depends | grep -q "\b$library\b" || fail "the package does not depend on $library"
done
dpkg-deb -c "$deb" >"$work/list"
grep -vE '^(d|-)rwxr-xr-x root/root .*(/|usr/bin/onyx(-array|-cosim)?)$|^-rw-r--r-- root/root |^lrwxrwxrwx root/root .* -> [^/]+$' "$work/list" && fail "permissions"
awk '{print $6}' "$work/list" | grep -vE '^\./(usr/((bin|include|lib|share)/.*)?)?$' && fail "files outside of /usr"
for file in bin/onyx share/man/man1/onyx.1.gz share/man/man1/onyx-run.1.gz share/man/man1/onyx-array.1.gz share/doc/onyx/changelog.gz \
    share/doc/onyx/examples/bfs.onx share/doc/onyx/tests/data/karate.mtx share/doc/onyx/notebook/README.md share/lintian/overrides/onyx share/bash-completion/completions/onyx share/doc/onyx/copyright share/doc/onyx/README.md \
    lib/pkgconfig/onyx.pc share/onyx/boards/onyx.json share/onyx/rtl_models/soc/design_main.cpp share/onyx/firmware/objects/onyx/streams.o; do
    grep -q " \./usr/$file$" "$work/list" || fail "the package lacks $file"
done

# Errors and warnings of lintian, but those that cmake/lintian-overrides explains.
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "$deb" >"$work/lintian" 2>&1 || { cat "$work/lintian"; fail "lintian"; }
fi
dpkg-deb -x "$deb" "$work/root"
# Files compiled by Python beside the module disappear with the package, without an empty package left behind.
module=$work/root/usr/lib/python3/dist-packages/onyx
mkdir "$module/__pycache__"
touch "$module/__pycache__/__init__.cpython-311.pyc"
dpkg-deb -e "$deb" "$work/control"
DPKG_ROOT=$work/root "$work/control/prerm" remove || fail "prerm"
[ ! -e "$module/__pycache__" ] || fail "__pycache__ stays"
readelf -S "$work/root/usr/bin/onyx" >"$work/sections" || fail "no readelf, or no program"
grep -q "\.text" "$work/sections" || fail "the sections of the program cannot be read"
grep -q "\.symtab" "$work/sections" && fail "the programs are not stripped"
readelf -d "$work/root/usr/bin/onyx" >"$work/dynamic" || fail "no dynamic section"
grep NEEDED "$work/dynamic" | grep -vE '\[(libc|libm|libcjson)\.' && fail "every start loads more libraries than it needs"
cmp "$source/docs/README.md" "$work/root/usr/share/doc/onyx/README.md" || fail "README.md is not the index of docs/"
cd "$work"
PATH=$work/root/usr/bin:$PATH
engines="sam cycle"
command -v verilator >/dev/null && engines="$engines rtl"
for engine in $engines; do
    onyx run "x(i)=b(i)" -g b:9:0.5 --engine "$engine" -o "$engine" >said && grep -q "check: pass" said || fail "engine $engine"
done
onyx help E0301 >said && grep -q '^E0301-banner' said || fail "help"
! grep -rqF "$source" root/usr/share root/usr/include || fail "the installed files name the source tree"
echo "packed, unpacked; engines $engines run"
