#!/bin/sh
# A wheel carries the tool: in an environment of its own the module and the command work, and once it is removed neither
# does: wheel.sh BUILD SOURCE
set -eu
build=$(realpath "$1") source=$(realpath "$2")
/usr/bin/python3 -c 'import cffi, numpy, pip, venv' 2>/dev/null || { echo "skipped: no cffi, numpy, pip or venv"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset ONYX_HOME
fail() { echo "$1"; exit 1; }
mkdir fake && printf '#!/bin/sh\nexit 1\n' >fake/dpkg-query && chmod +x fake/dpkg-query
PATH=$work/fake:$PATH PYTHONPATH=$source/bindings/python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c 'import backend; backend.build_wheel(".")' 2>said && fail "a wheel without packages"
grep -q 'apt install build-essential cmake ' said || fail "missing packages are not said"
/usr/bin/python3 -m venv --system-site-packages env
(cd "$source" && PYTHONDONTWRITEBYTECODE=1 ONYX_BUILD=$build "$work/env/bin/pip" wheel --quiet --no-index --no-deps --wheel-dir "$work/wheels" --no-cache-dir .) || fail "no wheel"
env/bin/pip install --quiet --no-index --no-deps wheels/onyx-*.whl
(
    unset PYTHONPATH
    cd /
    PATH=/usr/bin:/bin "$work/env/bin/python" -c '
import numpy, onyx
assert onyx.__version__ and "env" in onyx.__file__, onyx.__file__
for engine in ("cycle", "soc"):
    print(onyx.einsum("i,i->i", numpy.array([1, 2, 0]), numpy.array([4, 5, 6]), engine=engine).x)' >"$work/python.out"
    "$work/env/bin/onyx" boards >"$work/said"
)
printf '[ 4. 10.  0.]\n[ 4. 10.  0.]\n' | diff - python.out || fail "the module of the wheel does not work"
# 20 ms of a processor that starts an empty Python in 10, in proportion on a slower or busy machine.
/usr/bin/python3 -c '
import resource, subprocess, sys
def once(*words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
turns = [(once(sys.argv[1], "--version"), once("/usr/bin/python3", "-I", "-S", "-c", "pass")) for _ in range(20)]
command, empty = (1000 * min(column) for column in zip(*turns))
sys.exit(command >= max(20, 2 * empty) and f"onyx --version of the wheel takes {command:.0f} ms of a processor, an empty Python {empty:.0f} ms")' \
    env/bin/onyx || fail "too slow"
grep -q '^onyx ' said || fail "the command of the wheel does not work"
env/bin/pip uninstall --quiet --yes onyx
if (cd / && env -u PYTHONPATH "$work/env/bin/python" -c 'import onyx') 2>/dev/null; then fail "a removed module can be imported"; fi
echo "made, installed, run, removed"
