"""Sparse tensor kernels on the Onyx array, on SciPy matrices and NumPy arrays.

    import onyx, scipy.sparse
    B = scipy.sparse.random(60, 60, 0.05) * 10
    r = onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=B.T, formats={"C": "ss:1,0"})
    print(r.X.nnz, r.cycles)

libonyx.so is looked for in $ONYX_LIBRARY, then where it was installed, then in build/ of the source tree.
"""

import json
import operator
import os
import pathlib
import pickle
import signal
import tempfile
import time
import warnings

import cffi
import numpy
import scipy.sparse

__all__ = ["run", "version", "Result", "Tensor", "OnyxError", "OnyxWarning"]

_here = pathlib.Path(__file__).resolve().parent
_installed = _here / "library.path"


def _declarations():
    header = _here / "onyx.h" if _installed.exists() else _here.parents[1] / "onyx.h"
    return "".join(line for line in header.read_text().splitlines(True) if not line.startswith("#"))


def _library_path():
    if "ONYX_LIBRARY" in os.environ:
        return os.environ["ONYX_LIBRARY"]
    if _installed.exists():
        return str((_here / _installed.read_text().strip()).resolve())
    return str(_here.parents[2] / "build" / "libonyx.so")


_ffi = cffi.FFI()
_ffi.cdef(_declarations())
_onyx = _ffi.dlopen(_library_path())
_INTERRUPTED = 130  # exit code of the command


class OnyxError(Exception):
    """A kernel that could not be run, or whose result is wrong.

    code: exit code of the command, 1 a mistake in the input, 2 does not fit the hardware, 3 wrong result.
    messages: what the command says, with places, error codes and advice.
    """

    def __init__(self, code, messages):
        super().__init__(messages.strip())
        self.code = code
        self.messages = messages


class OnyxWarning(UserWarning):
    """What the command warns of: values that were rounded, or that wrapped around in 16 bits."""


def _whole(numbers, what, most):
    """Whole numbers from 0 to `most` as an array; nothing is rounded and nothing wraps."""
    given = numpy.asarray(numbers)
    if not given.size:
        return numpy.zeros(given.shape, numpy.uint32)
    if given.dtype.kind not in "iuf" and not (given.dtype == object and all(hasattr(n, "__index__") for n in given.flat)):
        raise TypeError(f"{what} must be whole numbers, not {given.dtype}")
    if given.dtype.kind == "f" and not (numpy.floor(given) == given).all():
        raise ValueError(f"{what} must be whole numbers")
    if given.min() < 0 or given.max() > most:
        raise ValueError(f"{what} must be from 0 to {most}")
    return numpy.ascontiguousarray(given, dtype=numpy.uint32)


class Tensor:
    """A sparse tensor of any order: coordinates (entries x order, from 0) and values."""

    def __init__(self, shape, coordinates, values):
        if numpy.iscomplexobj(values):
            raise TypeError("values are complex; the array has none")
        self.shape = tuple(operator.index(n) for n in shape)
        if any(not 0 <= n < 2**31 for n in self.shape):
            raise ValueError(f"extents must be from 0 to {2**31 - 1}, not {self.shape}")
        self.values = numpy.ascontiguousarray(values, dtype=numpy.float64).reshape(-1)
        self.coordinates = _whole(coordinates, "coordinates", 2**32 - 1).reshape(len(self.values), len(self.shape))

    @property
    def nnz(self):
        return len(self.values)

    def to_dense(self):
        dense = numpy.zeros(self.shape)
        numpy.add.at(dense, tuple(self.coordinates.T), self.values)
        return dense

    @staticmethod
    def of(value):
        """A Tensor of a SciPy matrix, of anything with shape, coords and data (one row of coords a mode), or of
        what NumPy makes an array of, whose zeros are not stored."""
        if isinstance(value, Tensor):
            return value
        if scipy.sparse.issparse(value):
            coo = value.tocoo()
            return Tensor(coo.shape, numpy.stack([coo.row, coo.col], axis=1), coo.data)
        if all(hasattr(value, name) for name in ("shape", "coords", "data")):
            return Tensor(value.shape, numpy.asarray(value.coords).T, value.data)
        dense = numpy.asarray(value)
        if dense.ndim == 0:
            return Tensor((), numpy.zeros((1, 0)), [dense])
        at = numpy.nonzero(dense)
        return Tensor(dense.shape, numpy.stack(at, axis=1), dense[at])


class Result:
    """What a kernel gave. The result tensor is `value`, and an attribute under its name in the expression: a
    number, a NumPy array (order 1), a SciPy CSR matrix (order 2) or a Tensor. `report` is report.json (cycles,
    tiles, times: docs/report.md), `messages` holds the warnings, `folder` the files, if a folder was asked for."""

    def __init__(self, name, tensor, report, messages, folder):
        self.name, self.tensor, self.report, self.messages, self.folder = name, tensor, report, messages, folder
        order = len(tensor.shape)
        if order == 0:
            self.value = tensor.values.sum()
        elif order == 1:
            self.value = tensor.to_dense()
        elif order == 2:
            at = (tensor.coordinates[:, 0], tensor.coordinates[:, 1])
            self.value = scipy.sparse.csr_matrix((tensor.values, at), shape=tensor.shape)
        else:
            self.value = tensor

    def __repr__(self):
        shape = "x".join(map(str, self.tensor.shape)) or "scalar"
        return f"<onyx.Result {self.name}: {shape}, {self.tensor.nnz} nonzeros, {self.cycles} cycles>"

    @property
    def cycles(self):
        return self.report["cycles"]["total"]

    def __getattr__(self, name):
        if name == self.__dict__.get("name"):
            return self.value
        raise AttributeError(name)


def _arguments(expression, formats, schedule, engine, folder, options):
    arguments = [expression, "--engine", engine, "-o", folder]
    for tensor, levels in (formats or {}).items():
        arguments += ["-f", f"{tensor}:{levels}"]
    if schedule:
        arguments += ["-s", schedule]
    return arguments + [str(option) for option in options]


def _operand(name, tensor, alive):
    """The C structure; `alive` holds what it points to."""
    crd = _whole(tensor.coordinates, f"coordinates of {name}", 2**32 - 1)
    dim = numpy.array(tensor.shape, dtype=numpy.uint32)
    text = _ffi.new("char[]", name.encode())
    alive += [crd, dim, text, tensor]
    return {
        "name": text,
        "order": len(tensor.shape),
        "dim": _ffi.from_buffer("uint32_t[]", dim),
        "nnz": tensor.nnz,
        "crd": _ffi.from_buffer("uint32_t[]", crd),
        "val": _ffi.from_buffer("double[]", tensor.values),
    }


def _array(pointer, count, ctype, dtype):
    if not count:
        return numpy.zeros(0, dtype)
    return numpy.frombuffer(_ffi.buffer(_ffi.cast(f"{ctype} *", pointer), count * numpy.dtype(dtype).itemsize), dtype).copy()


def _tensor(t):
    crd = _array(t.crd, t.nnz * t.order, "uint32_t", numpy.uint32).reshape(t.nnz, t.order)
    return Tensor(_array(t.dim, t.order, "uint32_t", numpy.uint32), crd, _array(t.val, t.nnz, "double", numpy.float64))


def _call(arguments, operands):
    """What the library answers: exit code, messages, and of a kernel that ran its result's name, tensor and report."""
    alive = [_ffi.new("char[]", argument.encode()) for argument in arguments]
    argv = _ffi.new("char *[]", alive)
    given = _ffi.new("onyx_tensor[]", [_operand(n, t, alive) for n, t in operands.items()])
    result = _onyx.onyx_run(_ffi.cast("const char *const *", argv), len(arguments), given, len(given))
    try:
        answer = [result.code, _ffi.string(result.messages).decode()]
        if not result.code and result.result.name:
            answer += [_ffi.string(result.result.name).decode(), _tensor(result.result), _ffi.string(result.report).decode()]
        return answer
    finally:
        _onyx.onyx_free(result)


def _answer_into(pipe, arguments, operands):
    """All of the child process. Ctrl-C ends it at once, wherever it is."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with os.fdopen(pipe, "wb") as to:
        pickle.dump(_call(arguments, operands), to)


def _end(child):
    """Interrupts the child, which ends the programs that it started; kills it if it does not mind."""
    os.kill(child, signal.SIGINT)
    for _ in range(200):
        if os.waitpid(child, os.WNOHANG)[0]:
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _call_apart(arguments, operands):
    """_call in a process of its own, so that whatever interrupts this one ends it."""
    pipe, to = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(pipe)
            _answer_into(to, arguments, operands)
            code = 0
        finally:
            os._exit(code)
    os.close(to)
    try:
        with os.fdopen(pipe, "rb") as answer:
            text = answer.read()
        _, status = os.waitpid(child, 0)
    except BaseException:
        _end(child)
        raise
    if not status:
        return pickle.loads(text)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT:
        return [_INTERRUPTED, ""]
    raise OnyxError(os.waitstatus_to_exitcode(status), "the kernel's process ended without an answer")


def run(expression, operands=None, *, formats=None, schedule=None, engine="cycle", out=None, options=(), **named):
    """Compiles `expression`, runs it on the operands, checks the result against a reference, and returns it.

    operands: by their names, {"B": matrix}, or as keyword arguments, B=matrix, if their names are not those of
    others; formats: levels of tensors, {"C": "ss:1,0"}; schedule: "reorder(i,k,j)"; engine: sam, cycle, rtl or soc;
    out: a folder for everything that is produced; options: what else `onyx run` takes, ["--tile", 16].
    Raises OnyxError, and KeyboardInterrupt as soon as this process or a program that it started is interrupted; warns
    of values that do not fit (OnyxWarning).
    """
    given = dict(operands or {})
    twice = given.keys() & named.keys()
    if twice:
        raise TypeError(f"operands given twice: {', '.join(sorted(twice))}")
    tensors = {name: Tensor.of(value) for name, value in (given | named).items()}
    with tempfile.TemporaryDirectory() as scratch:
        arguments = _arguments(expression, formats, schedule, engine, os.fspath(out or scratch), options)
        code, messages, *ran = _call_apart(arguments, tensors)
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    if code or not ran:
        raise OnyxError(code, messages)
    if "warning: " in messages:
        warnings.warn(messages.strip(), OnyxWarning, stacklevel=2)
    name, tensor, report = ran
    return Result(name, tensor, json.loads(report), messages, out)


def version():
    """Version and revision of the library."""
    return _ffi.string(_onyx.onyx_version()).decode()
