#!/bin/sh
# The files of `cmake --install` work without the tree: install.sh BUILD SOURCE
set -eu
build=$(realpath "$1") source=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/usr" >"$work/log"
cd "$work"
PATH=$work/usr/bin:$PATH
unset ONYX_HOME
fail() { echo "$1"; exit 1; }

onyx --version >said && grep -qE '^onyx [0-9]+\.[0-9]+\.[0-9]+ \(.+\)$' said || fail "no version"
onyx boards >said && grep -q '^onyx ' said || fail "no boards"
for file in onyx.cfg onyx-cosim.cfg onyx_soc.cfg; do
    [ -r "$work/usr/share/onyx/boards/$file" ] || fail "no $file"
done
onyx compile "x(i)=B(i)" --board absent -o out 2>err && fail "board absent is there"
grep -q "$work/usr/share/onyx/boards/absent.json\|usr/bin/../share/onyx/boards/absent.json" err || { cat err; fail "boards are not the installed ones"; }
onyx help E0301 >said && grep -q '^E0301-banner (tiling)' said || fail "help E0301"
onyx help sweep >said && grep -q '^# ' said || fail "help sweep"
onyx run "x(i)=B(i,j)*c(j)" -f B:ss -g B:9x9:0.4:3 -g c:9:0.5:5 --engine cycle -o cycle >said && grep -q "check: pass" said || fail "cycle"
onyx run "x(i)=B(i,j)*c(j)" -f B:ss -g B:9x9:0.4:3 -g c:9:0.5:5 --engine soc -o soc >said && grep -q "check: pass" said || fail "soc"

# Every command has a line in the man page, and a page with each of its options; those of every command stand in the first.
gzip -dc "$work/usr/share/man/man1/onyx.1.gz" | sed 's/\\//g' >man
onyx --help >said || fail "onyx --help"
sed -n 's/^  \([a-z]*\)  .*/\1/p' said >commands
[ "$(wc -l <commands)" -gt 8 ] || fail "onyx --help lists no commands"
for command in $(cat commands); do
    grep -qx ".B $command" man || fail "the man page lacks $command"
    gzip -dc "$work/usr/share/man/man1/onyx-$command.1.gz" | sed 's/\\//g' >page
    onyx "$command" --help >said || fail "onyx $command --help"
    for option in $(grep -oE -- '^ .{0,5} --[a-z0-9-]+' said | grep -oE -- '--.*'); do
        cat man page | grep -qF "fB${option}fR" || fail "the man pages lack onyx $command $option"
    done
done
# Completion knows commands, options, boards and the words that an option may be; bash cuts words at ':' and '='.
bash -c ". usr/share/bash-completion/completions/onyx
complete_words() { COMP_WORDS=(\"\$@\"); COMP_CWORD=\$((\$# - 1)); _onyx; echo \"\${COMPREPLY[@]}\"; }
complete_words onyx swe; complete_words onyx run --haz; complete_words onyx run --board onyx-8
complete_words onyx run --engine c; complete_words onyx pnr --pipeline ''; complete_words onyx sweep --confirm r
complete_words onyx bits ''; (cd usr; complete_words onyx bits verify sha); complete_words onyx fabric st
complete_words onyx run --engine = s; complete_words onyx run '\"X(i)=B(i)*c(i)\"' -i ''; complete_words onyx run -i B : us
complete_words onyx help E0803; complete_words onyx help notebook/; complete_words onyx run -o '' | tr ' ' '\n' | grep -x usr" >completed
printf 'sweep\n--hazards\nonyx-8x8\ncycle\nnone all midpoint\nrtl\nverify explain stat to-text diff to-verilog\nshare\nstat\n' >wanted
printf 'sam soc\nB: c:\nusr\nE0803-hazard\n\nusr\n' >>wanted
diff wanted completed
if command -v fish >/dev/null; then
    HOME=$work XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data fish -N -c '
source usr/share/fish/vendor_completions.d/onyx.fish
for line in "onyx swe" "onyx run --engine c" "onyx run --engine=r" "onyx run -i B:us" "onyx help E0803"
    complete -C "$line" | string replace -r "\t.*" ""
end' >completed
    printf 'sweep\ncycle\n--engine=rtl\nB:usr/\nE0803-hazard\n' | diff - completed
fi
if command -v zsh >/dev/null; then
    # A stub replaces the line editor: the test sees the function's proposals.
    cat >ask.zsh <<'END'
compset() { print -r -- "behind $2" }
_files() { print files }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -r -- "$@" }
ask() { local words=("$@") CURRENT=$#; _ask }
_ask() { . usr/share/zsh/site-functions/_onyx }
ask onyx swe; ask onyx run --engine c; ask onyx run "X(i)=B(i)*c(i)" -i ''; ask onyx run -i B:us; ask onyx help E0803
END
    zsh -f ask.zsh >completed
    printf 'sweep\ncycle\nB: c:\nbehind B:\nfiles\nE0803-hazard\n' | diff - completed
fi

# A third party's program that uses a library.
cat >mine.c <<'END'
#include "frontend/frontend.h"
int main(void) {
    arena mem = {0};
    name_table names;
    diagnostics d;
    sam_statement s;
    names_init(&names, &mem);
    diag_init(&d, &mem);
    const fe_in in = {.expression = "X(i,j)=B(i,k)*C(k,j)"};
    bool ok = fe_parse(&in, &names, &mem, &d, &s);
    if (ok)
        fe_dump(&s, stdout);
    arena_free(&mem);
    return !ok;
}
END
export PKG_CONFIG_PATH=$work/usr/lib/pkgconfig:$(dirname "$(find "$work/usr/lib" -name onyx.pc)")
# shellcheck disable=SC2046
cc -std=c11 mine.c -o mine $(pkg-config --cflags --libs onyx)
./mine | grep -q "forall(i" || fail "the libraries do not work"
cat >run.c <<'END'
#include <onyx.h>
#include <stdio.h>
int main(void) {
    const char *arguments[] = {"x(i) = b(i) * b(i)", "--engine", "cycle", "-o", "from_c"};
    const uint32_t dim[] = {3}, crd[] = {0, 2};
    const double val[] = {2, 5};
    const onyx_tensor b = {"b", 1, dim, 2, crd, val};
    onyx_result *r = onyx_run(arguments, 5, &b, 1);
    for (uint64_t e = 0; e < r->result.nnz; e++)
        printf("%u:%g ", r->result.crd[e], r->result.val[e]);
    printf("%d%s\n", r->code, r->messages);
    onyx_free(r);
}
END
# shellcheck disable=SC2046
cc -std=c11 run.c -o run $(pkg-config --cflags --libs libonyx) -Wl,-rpath,"$(pkg-config --variable=libdir libonyx)"
[ "$(./run)" = "0:4 2:25 0" ] || fail "libonyx does not work"
# CMake finds the same by find_package.
mkdir cm
cat >cm/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(mine C)
find_package(onyx 0.1 REQUIRED)
add_executable(run ../run.c)
target_link_libraries(run onyx::run)
add_executable(mine ../mine.c)
target_link_libraries(mine onyx::libraries)
END
if ! { cmake -S cm -B cm/build -DCMAKE_PREFIX_PATH="$work/usr" && cmake --build cm/build; } >cm/log 2>&1; then
    cat cm/log
    fail "find_package"
fi
[ "$(cm/build/run)" = "0:4 2:25 0" ] || fail "onyx::run does not work"
cm/build/mine | grep -q "forall(i" || fail "onyx::libraries does not work"
# The Python module works where Python has cffi and SciPy.
if /usr/bin/python3 -c 'import cffi, scipy' 2>/dev/null; then
    PYTHONPATH=$work/usr/lib/python3/dist-packages /usr/bin/python3 -c '
import onyx, numpy
for engine in ("cycle", "soc"):
    print(onyx.run("x(i) = b(i) * c(i)", b=numpy.array([1, 2, 0]), c=numpy.array([4, 5, 6]), engine=engine).x)' >python.out
    printf '[ 4. 10.  0.]\n[ 4. 10.  0.]\n' | diff - python.out || fail "the Python module does not work"
fi
! grep -rqF "$source" usr/share usr/include "$(find usr/lib -name onyx.pc)" "$(dirname "$(find usr/lib -name onyxConfig.cmake)")" || fail "the installed files name the source tree"
echo "installed, run, completed, linked"
