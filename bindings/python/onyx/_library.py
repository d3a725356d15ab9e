"""libonyx.so by cffi, and its calls in a process of their own, whose program is this file, too.

Each thread has a process, which takes one call after the other: it starts Python, not the caller's memory. Ctrl-C and every other
exception end the process, and so does the end of its thread; another folder, environment or process of the caller gets a new one."""

from __future__ import annotations

import os
import pathlib
import pickle
import shutil
import signal
import sys
import threading
import time

if __name__ == "__main__":
    sys.path[:] = sys.argv[5:]  # the caller's

import cffi

_here = pathlib.Path(__file__).resolve().parent
_installed = _here / "library.path"
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
INTERRUPTED = 130  # exit code of the command


def _declarations() -> str:
    folder = next(path for path in (_here, _here.parents[1]) if (path / "onyx.h").exists())
    text = "".join((folder / header).read_text() for header in ("onyx.h", "stored.h"))
    return "".join(line for line in text.splitlines(True) if not line.startswith("#"))


def _path() -> str:
    if "ONYX_LIBRARY" in os.environ:
        return os.environ["ONYX_LIBRARY"]
    if _installed.exists():
        return str((_here / _installed.read_text().strip()).resolve())
    carried, built, tool = _here / "_tool", _here.parents[2] / "build/libonyx.so", shutil.which("onyx")
    if not carried.exists() and built.exists():
        return str(built)
    for prefix in [carried] + ([pathlib.Path(tool).resolve().parents[1]] if tool else []):
        for path in sorted(prefix.glob("lib/**/libonyx.so.0")):
            return str(path)
    raise ImportError("libonyx.so is not there: install onyx (pip install . in its source tree, or its package), build it, or let "
                      "ONYX_LIBRARY name the library")


_ffi = cffi.FFI()
_ffi.cdef(_declarations() + "int prctl(int option, unsigned long argument);")
_library = sys.argv[1] if __name__ == "__main__" else os.path.abspath(_path())
_onyx = _ffi.dlopen(_library)


def version() -> str:
    return _ffi.string(_onyx.onyx_version()).decode()


def _array(ctype, data, alive):
    made = _ffi.from_buffer(f"{ctype}[]", data)
    alive.append(made)
    return made


def _operand(given, alive):
    """The C structure of (name, extents, entries, coordinates, values), the last three as bytes; `alive` holds its arrays."""
    name, dim, nnz, crd, val = given
    alive.append(_ffi.new("char[]", name.encode()))
    return {"name": alive[-1], "order": len(dim) // 4, "dim": _array("uint32_t", dim, alive), "nnz": nnz,
            "crd": _array("uint32_t", crd, alive), "val": _array("double", val, alive)}


def _bytes(pointer, size):
    return bytearray(_ffi.buffer(_ffi.cast("char *", pointer), size)) if size else bytearray()


def _tensor(t):
    return _ffi.string(t.name).decode(), _bytes(t.dim, 4 * t.order), t.nnz, _bytes(t.crd, 4 * t.nnz * t.order), _bytes(t.val, 8 * t.nnz)


def _answer(what, arguments, operands):
    """The library's answer: exit code, messages, tensors (of a program all results), report."""
    alive = []
    texts = [_ffi.new("char[]", argument.encode()) for argument in arguments]
    words = _ffi.new("char *[]", texts)
    argv = _ffi.cast("const char *const *", words)
    given = _ffi.new("onyx_tensor[]", [_operand(operand, alive) for operand in operands])
    result = _onyx.onyx_run(argv, len(texts), given, len(given)) if what == "run" else _onyx.onyx_tensor_convert(given, argv, len(texts))
    try:
        many = [result.results[i] for i in range(result.n_results)]
        tensors = [_tensor(t) for t in many or [result.result] if t.name] if not result.code else []
        report = _ffi.string(result.report).decode() if result.report and not result.code else None
        return result.code, _ffi.string(result.messages).decode(), tensors, report
    finally:
        _onyx.onyx_free(result)


def _send(pipe, what):
    text = pickle.dumps(what, protocol=5)
    for chunk in (len(text).to_bytes(8, "little"), text):
        chunk = memoryview(chunk)
        while chunk:
            chunk = chunk[os.write(pipe, chunk[:1 << 30]):]


def _read(pipe, size):
    """Bytes of the pipe, fewer at its end."""
    chunks = []
    while size:
        chunk = os.read(pipe, min(size, 1 << 30))
        if not chunk:
            break
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def _receive(pipe):
    """What the other end sent; None where it ended."""
    size = int.from_bytes(_read(pipe, 8), "little")
    text = _read(pipe, size)
    return pickle.loads(text) if size and len(text) == size else None


def _wait(child, how=0):
    """os.waitpid, but where SIGCHLD is ignored, or its handler took the child's end, the status is None."""
    try:
        return os.waitpid(child, how)
    except ChildProcessError:
        return child, None


class _Process:
    def __init__(self, owner):
        self.owner = owner
        requests, self.to = os.pipe()
        self.answers, answers = os.pipe()
        words = [sys.executable, __file__, _library, *map(str, (owner[0], requests, answers)), *map(str, sys.path)]
        try:
            self.child = os.posix_spawn(sys.executable, words, owner[2], setsigmask=(), setsigdef=(signal.SIGINT, signal.SIGCHLD),
                                        file_actions=[(os.POSIX_SPAWN_DUP2, pipe, pipe) for pipe in (requests, answers)])
        except BaseException:
            self.child = None
            raise
        finally:
            os.close(requests)
            os.close(answers)

    def end(self):
        """Interrupts the process, which ends its own child programs; kills it if it does not react."""
        child, self.child = self.child, None
        if child is None:
            return
        os.close(self.to)
        os.close(self.answers)
        if self.owner[0] != os.getpid():
            return
        os.kill(child, signal.SIGINT)
        for _ in range(200):
            if _wait(child, os.WNOHANG)[0]:
                return
            time.sleep(0.01)
        os.kill(child, signal.SIGKILL)
        _wait(child)

    def status(self):
        """The status at the end of a process that ended by itself."""
        os.close(self.to)
        os.close(self.answers)
        child, self.child = self.child, None
        return _wait(child)[1]

    def __del__(self):
        self.end()


_own = threading.local()


def _folder():
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


def _process():
    """The process of this thread."""
    owner = (os.getpid(), _folder(), os.environ.copy())
    found = getattr(_own, "process", None)
    if found and found.child is not None and found.owner == owner:
        return found
    if found:
        found.end()
    _own.process = _Process(owner)
    return _own.process


def call(what, arguments, operands):
    """_answer by this thread's process; of a process that ends without an answer its exit code alone."""
    for last in (False, True):
        process = _process()
        try:
            try:
                _send(process.to, (what, arguments, operands))
            except BrokenPipeError:
                if not last:
                    process.end()  # it ended before this call
                    continue
            answer = _receive(process.answers)
        except BaseException:
            process.end()
            raise
        if answer:
            return answer
        status = process.status()
        if status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT:
            return INTERRUPTED, "", [], None
        return 1 if status is None else os.waitstatus_to_exitcode(status), "the kernel's process ended without an answer", [], None


def _serve(parent, requests, answers):
    """The process: it ends with the thread that started it, and Ctrl-C ends it at once, anywhere."""
    _ffi.dlopen(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.set_inheritable(requests, False)
    os.set_inheritable(answers, False)
    while os.getppid() == parent:
        request = _receive(requests)
        if not request:
            return
        _send(answers, _answer(*request))


if __name__ == "__main__":
    _serve(*map(int, sys.argv[2:5]))
