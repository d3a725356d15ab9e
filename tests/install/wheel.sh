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
# An environment without Debian's packages, and no network: pip says what the module lacks before anything is built.
/usr/bin/python3 -m venv --without-pip bare
printf '#!/bin/sh\ntouch "%s/built"\nexit 1\n' "$work" >fake/cmake && chmod +x fake/cmake
(cd "$source" && PYTHONDONTWRITEBYTECODE=1 ONYX_BUILD=$build PATH=$work/fake:$PATH PIP_FIND_LINKS="$work" \
    "$work/env/bin/pip" --python "$work/bare/bin/python" install --no-index .) >said 2>&1 && fail "installed without cffi"
grep -q 'No matching distribution found for cffi' said && [ ! -e built ] || { cat said; fail "pip builds before it says that cffi is missing"; }
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
# A call of a compiled kernel, by the processor's time of both processes: 10 ms, in proportion as above.
cat >call.py <<'END'
import resource, subprocess, numpy, onyx
from onyx import _library
def spent():
    texts = [open(f"/proc/{of}/schedstat").read() for of in ("self", _library._own.process.child)]
    return sum(int(text.split()[0]) for text in texts) / 1e6
def empty():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["/usr/bin/python3", "-I", "-S", "-c", "pass"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
A, x = numpy.eye(4) * 2, numpy.arange(4)
kernel = onyx.compile("y(i) = A(i,j) * x(j)", A=A, x=x)
calls = []
for turn in range(30):
    begin = spent()
    assert (kernel(A=A, x=x).y == 2 * x).all()
    calls.append(spent() - begin)
alone = min(empty() for turn in range(10))
bound = max(10, alone)
assert min(calls) < bound, f"a call takes {min(calls):.1f} ms of a processor, the bound is {bound:.1f}"
print(f"a call takes {min(calls):.1f} ms of a processor, an empty Python {alone:.1f}")
END
[ ! -e /proc/self/schedstat ] || (cd / && env -u PYTHONPATH "$work/env/bin/python" "$work/call.py") || fail "a call is too slow"
grep -q '^onyx ' said || fail "the command of the wheel does not work"
# The command works without the module's packages, and where another version of Python has a wheel, too.
env/bin/pip --python bare/bin/python install --quiet --no-index --no-deps wheels/onyx-*.whl
mkdir -p bare/lib/python3.0 && cp -r bare/lib/python3.*/site-packages bare/lib/python3.0/
for path in bare/lib/python3.0 absent; do
    [ "$(cd / && "$work/bare/bin/onyx" --version)" = "$(env/bin/onyx --version)" ] || fail "the command does not work without cffi"
    rm -rf "bare/lib/python3.0"
done
env/bin/pip uninstall --quiet --yes onyx
if (cd / && env -u PYTHONPATH "$work/env/bin/python" -c 'import onyx') 2>/dev/null; then fail "a removed module can be imported"; fi
echo "made, installed, run, removed"
