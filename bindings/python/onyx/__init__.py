"""Sparse tensor kernels on the Onyx array, on SciPy matrices and NumPy arrays.

    import onyx, scipy.sparse
    B = scipy.sparse.random(60, 60, 0.05) * 10
    r = onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=B.T, formats={"C": "ss:1,0"})
    print(r.X.nnz, r.cycles)

libonyx.so is looked for in $ONYX_LIBRARY, then where it was installed, then in build/ of the source tree.
"""

import json
import os
import pathlib
import tempfile

import cffi
import numpy
import scipy.sparse

__all__ = ["run", "version", "Result", "Tensor", "OnyxError"]

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


class Tensor:
    """A sparse tensor of any order: coordinates (entries x order, from 0) and values."""

    def __init__(self, shape, coordinates, values):
        if numpy.iscomplexobj(values):
            raise TypeError("values are complex; the array has none")
        self.shape = tuple(int(n) for n in shape)
        self.values = numpy.ascontiguousarray(values, dtype=numpy.float64).reshape(-1)
        self.coordinates = numpy.asarray(coordinates).reshape(len(self.values), len(self.shape))

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
    if any(n >= 2**31 for n in tensor.shape) or (tensor.coordinates.size and tensor.coordinates.min() < 0):
        raise ValueError(f"{name}: extents must be below 2**31, coordinates not negative")
    crd = numpy.ascontiguousarray(tensor.coordinates, dtype=numpy.uint32)
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


def run(expression, *, formats=None, schedule=None, engine="cycle", out=None, options=(), **operands):
    """Compiles `expression`, runs it on the operands, checks the result against a reference, and returns it.

    formats: levels of tensors, {"C": "ss:1,0"}; schedule: "reorder(i,k,j)"; engine: sam, cycle, rtl or soc;
    out: a folder for everything that is produced; options: what else `onyx run` takes, ["--tile", 16].
    Raises OnyxError; KeyboardInterrupt if a program that it started was interrupted.
    """
    with tempfile.TemporaryDirectory() as scratch:
        arguments = _arguments(expression, formats, schedule, engine, os.fspath(out or scratch), options)
        alive = [_ffi.new("char[]", argument.encode()) for argument in arguments]
        argv = _ffi.new("char *[]", alive)
        given = _ffi.new("onyx_tensor[]", [_operand(n, Tensor.of(t), alive) for n, t in operands.items()])
        result = _onyx.onyx_run(_ffi.cast("const char *const *", argv), len(arguments), given, len(given))
        try:
            messages = _ffi.string(result.messages).decode()
            if result.code == _INTERRUPTED:
                raise KeyboardInterrupt
            if result.code or not result.result.name:
                raise OnyxError(result.code, messages)
            name = _ffi.string(result.result.name).decode()
            report = json.loads(_ffi.string(result.report))
            return Result(name, _tensor(result.result), report, messages, out)
        finally:
            _onyx.onyx_free(result)


def version():
    """Version and revision of the library."""
    return _ffi.string(_onyx.onyx_version()).decode()
