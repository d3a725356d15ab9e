#!/bin/sh
# A program of several statements on the co-simulated board: one firmware program, operands that stay, and the
# continuation after a cut. application.sh ONYX SOURCE
set -eu
. "$(dirname "$0")/setup.sh"
setup "$1" "$2"
# numbers REPORT MEMBER: prints the values of a member of every run, in their order
numbers() { sed -n "s/.*\"$2\":[^0-9\"]*\"*\([0-9,]*\)\"*,*$/\1/p" "$1" | sed 's/,$//'; }

# The result, the passes and the words sent to the board equal engine soc's.
onyx run "$source/examples/sssp.onx" -o soc >/dev/null
onyx compile "$source/examples/sssp.onx" -o out >/dev/null
onyx firmware out >/dev/null
cat >alone.onx <<'END'
tensor A(5,5): ss = {(1,0): 2, (2,1): 1, (3,2): 3, (1,3): 1}
tensor x(5): d = {0: 1}
tensor y(5): d
tensor z(5): d
repeat until nnz(x) == 4 max 9 {
    z(i) = A(i,j) * x(j)
    y(i) = x(i) + z(i)
    x(i) = y(i) + x(i)
}
result x
END
onyx run alone.onx --engine soc -o soc-alone >/dev/null
onyx compile alone.onx -o alone >/dev/null
onyx firmware alone >/dev/null
mkdir no-compiler
printf '#!/bin/sh\nexit 1\n' >no-compiler/arm-none-eabi-gcc # from here on there is none
chmod +x no-compiler/arm-none-eabi-gcc
PATH=$PWD/no-compiler:$PATH says "check: pass" onyx program --board onyx-cosim out 2>program.err
cmp soc/far.mtx out/far.mtx
grep -q '"engine":.*"program"' out/report.json
for member in pass result_nnz loaded kept; do
    numbers soc/report.json $member >want
    numbers out/report.json $member >got
    case $member in # the host writes once
    pass | result_nnz) least=10 ;;
    *) least=0 ;;
    esac
    [ "$(wc -l <want)" -gt $least ] || fail "no $member"
    diff want got || fail "$member differs from that of engine soc"
done
nobody_is_left

# The processor executes a loop alone, with copies, a vector without one row and a test in each pass: the words equal
# engine soc's.
says "check: pass" onyx program --board onyx-cosim alone 2>program.err
cmp soc-alone/x.mtx alone/x.mtx
for member in passes on_processor loaded collected; do
    numbers soc-alone/report.json $member >want
    numbers alone/report.json $member >got
    [ -s want ] || fail "no $member"
    [ $member = collected ] || diff want got || fail "$member differs from that of engine soc"
done
grep -q '"on":.*"processor"' alone/report.json || fail "the host went through the loop"
nobody_is_left

# The run is cut twice in a loop within a loop, and continues after the last checkpoint: each run is counted once.
cat >nested.onx <<'END'
tensor A: ss = {(0,1): 2, (1,0): 1, (1,2): 3, (2,2): 1}
tensor x: s = {0: 1}
tensor y: s
scalar n = 0
repeat 2 {
    repeat until n >= 3 max 5 {
        y(i) = A(i,j) * x(j)
        x(i) = y(i) + x(i)
        n = n + 1
    }
    n = 1
}
result x
END
onyx run nested.onx --engine cycle -o want-nested >/dev/null
onyx compile nested.onx -o cut >/dev/null
for how in KILL INT; do # once it has kept another pass: before, a shell's background command hears of no interrupt
    kept=$(numbers cut/checkpoint.json written 2>/dev/null || true)
    onyx program --board onyx-cosim --checkpoint 1 cut >cut.out 2>cut.err &
    program=$!
    tries=0
    until [ "$(numbers cut/checkpoint.json written 2>/dev/null || true)" -gt "${kept:-0}" ] 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 60000 ] || fail "no checkpoint"
        sleep 0.01
    done
    kill -$how $program
    code=0
    wait $program || code=$?
    [ $how = KILL ] || [ $code = 130 ] || fail "exit code $code of a command that was interrupted"
    [ $how = KILL ] || grep -q "interrupted; the same command goes on after the last pass that was kept" cut.err || fail "not said"
    [ ! -e cut/x.mtx ] || fail "half-written"
    nobody_is_left
done
# A damaged checkpoint would be refused, and a checkpoint of other data.
cp -r cut other
cp -r cut damaged
sed -i 's/"now":\([^0-9]*\)\([0-9]\)/"now":\1\29/' damaged/checkpoint.json
sed -i 's/0: 1/0: 2/' nested.onx
says "check: pass" onyx program --board onyx-cosim --checkpoint 1 other 2>other.err
grep -q '"resumed"' other/report.json && fail "a checkpoint of other data was taken"
sed -i 's/0: 2/0: 1/' nested.onx
says "check: pass" onyx program --board onyx-cosim --checkpoint 3 damaged 2>damaged.err
grep -q '"resumed"' damaged/report.json && fail "a damaged checkpoint was taken"
says "it went on after pass " onyx program --board onyx-cosim --checkpoint 1 cut 2>cut.err
cmp want-nested/x.mtx cut/x.mtx
for member in pass passes result_nnz; do
    numbers want-nested/report.json $member >want
    numbers cut/report.json $member >got
    diff want got || fail "$member differs from that of a command that was not cut"
done
[ "$(numbers cut/report.json written)" = 7 ] || fail "$(numbers cut/report.json written) checkpoints, not one a pass"
[ ! -e cut/checkpoint.json ] || fail "the checkpoint of a program that is done stays"

# Each statement with a bitstream of its own: the board is loaded anew for each, twice.
sed 's/repeat 2/repeat 1/; s/n >= 3/n >= 2/' nested.onx >twice.onx
onyx run twice.onx --engine cycle -o want-twice >/dev/null
onyx compile twice.onx -O0 -o apart >/dev/null
says "check: pass" onyx program --board onyx-cosim apart 2>apart.err
cmp want-twice/x.mtx apart/x.mtx
says "check: pass" onyx cosim apart
cmp want-twice/x.mtx apart/x.mtx

refused "--checkpoint is about a program file" onyx run "y(i)=x(i)" -g x:9:0.5 --checkpoint 1 --engine sam -o one
refused "[E0950-not-compiled]" onyx reduce cut -o less
nobody_is_left
[ -z "$(ls "$TMPDIR")" ]
echo "several statements on one board, cut, and gone on"
