# Sourced by the scripts beside this file. setup ONYX SOURCE puts onyx on the PATH, and goes to an empty folder.
setup() {
    onyx=$(realpath "$1") source=$(realpath "$2")
    command -v openocd >/dev/null || { echo "skipped: openocd is not installed"; exit 77; }
    [ -x "$(dirname "$onyx")/onyx-cosim" ] || { echo "skipped: onyx-cosim is not built"; exit 77; }
    work=$(mktemp -d)
    trap finish EXIT
    export TMPDIR="$work/tmp" # sockets of the simulated board: nothing of them may be left
    mkdir "$work/bin" "$work/run" "$work/tmp"
    ln -s "$onyx" "$work/bin/onyx"
    PATH=$work/bin:$PATH
    cd "$work/run"
}
finish() {
    code=$?
    for process in ${program:-} ${chip:-}; do kill "$process" 2>/dev/null || true; done
    [ $code = 0 ] || tail -n 30 "$work"/run/*.err "$work"/run/*/firmware/openocd.log 2>/dev/null || true
    rm -rf "$work"
    exit $code
}
fail() {
    echo "$1"
    exit 1
}
# code_of FILE COMMAND...: prints the command's exit code; standard error goes to FILE
code_of() {
    file=$1
    shift
    code=0
    "$@" >"${file%.err}.out" 2>"$file" || code=$?
}
# refused TEXT COMMAND...: asks for exit code 1 and a message
refused() {
    text=$1
    shift
    code_of refused.err "$@"
    [ $code = 1 ] || fail "exit code $code, not 1: $*"
    grep -qF -- "$text" refused.err || fail "no '$text': $*"
    grep -q "help: \|note: " refused.err || fail "no help: $*"
}
# says TEXT COMMAND...: runs a command that must succeed with TEXT in its standard output
says() {
    text=$1
    shift
    "$@" >says.out || fail "exit code $?: $*"
    grep -qF -- "$text" says.out || fail "no '$text': $*"
}
# Prints the remaining processes of this test's onyx program: OpenOCD and the simulation, in its folder. One process
# examines all of them: a process for each takes seconds.
left_over() {
    for process in $(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$work*" 2>/dev/null); do
        process=${process%/cwd}
        case $({ tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null) in
        *"--jtag fd:"* | *"tcl_port pipe"*) echo "${process#/proc/}" ;;
        esac
    done
}
nobody_is_left() {
    tries=0
    while [ -n "$(left_over)" ]; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "still running: $(left_over)"
        sleep 0.1
    done
}
# there PATTERN: waits for a file
there() {
    tries=0 pattern=$1
    # shellcheck disable=SC2086
    until set -- $pattern && [ -e "$1" ]; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "no $pattern after ten minutes"
        sleep 0.1
    done
}
