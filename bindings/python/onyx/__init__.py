"""Sparse tensor kernels on the Onyx array, on SciPy matrices and NumPy arrays.

    import onyx, scipy.sparse
    B = scipy.sparse.random(60, 60, 0.05) * 10
    r = onyx.run("X(i,j) = B(i,k) * C(k,j)", B=B, C=B.T, formats={"C": "ss:1,0"})
    print(r.X.nnz, r.cycles)

libonyx.so is looked for in $ONYX_LIBRARY, then where it was installed or in the wheel, then in build/ of the source tree, then beside the
`onyx` on the PATH. SciPy and PyData's sparse are taken and given where they are installed.
"""

from __future__ import annotations

import difflib
import html
import json
import operator
import os
import pathlib
import re
import tempfile
import warnings
from typing import Any, Iterable, Mapping, Optional, Sequence

import numpy

from . import _library
from ._binsparse import read as _read_binsparse
from ._einsum import expression as _einsum_expression, interleaved as _interleaved
from ._torch import dense as _torch_dense, entries as _torch_entries

try:
    import scipy.sparse as _sparse
except ImportError:
    _sparse = None

__all__ = ["run", "compile", "einsum", "program", "Kernel", "version", "Result", "ProgramResult", "Tensor", "OnyxError", "OnyxWarning", "__version__"]

__version__: str = _library.version().split()[0]


class OnyxError(Exception):
    """A kernel that could not be run, or whose result is wrong.

    code: exit code of the command, 1 a mistake in the input, 2 does not fit the hardware, 3 wrong result.
    messages: what the command says, with places, error codes and advice.
    """

    def __init__(self, code: int, messages: str) -> None:
        super().__init__(messages.strip())
        self.code = code
        self.messages = messages


class OnyxWarning(UserWarning):
    """A warning of the command: values were rounded, or wrapped around in 16 bits."""


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
    """A sparse tensor of any order: coordinates (entries x order, from 0), values, and `fill`, the value of what is not stored."""

    def __init__(self, shape: Iterable[int], coordinates: Any, values: Any, fill: float = 0) -> None:
        if numpy.iscomplexobj(values):
            raise TypeError("values are complex; the array has none")
        if numpy.ma.is_masked(values) or numpy.asarray(values).dtype.kind in "mMSUV":
            raise TypeError(f"values are no numbers, but {'masked' if numpy.ma.is_masked(values) else numpy.asarray(values).dtype}")
        self.shape = tuple(operator.index(n) for n in shape)
        self.fill = float(fill)
        if any(not 0 <= n < 2**31 for n in self.shape):
            raise ValueError(f"extents must be from 0 to {2**31 - 1}, not {self.shape}")
        self.values = numpy.ascontiguousarray(values, dtype=numpy.float64).reshape(-1)
        self.coordinates = _whole(coordinates, "coordinates", 2**32 - 1).reshape(len(self.values), len(self.shape))

    @property
    def nnz(self) -> int:
        return len(self.values)

    def to_dense(self) -> numpy.ndarray:
        dense, at = numpy.full(self.shape, self.fill), tuple(self.coordinates.T)
        dense[at] = 0
        numpy.add.at(dense, at, self.values)
        return dense

    def to_scipy(self) -> Any:
        """A CSR matrix, of a tensor of order 2."""
        if _sparse is None:
            raise ImportError("SciPy is not installed")
        if len(self.shape) != 2:
            raise ValueError(f"SciPy's matrices have order 2, not {len(self.shape)}")
        if self.fill:
            raise ValueError(f"SciPy's matrices store all that is not 0, and the fill is {self.fill:g}")
        return _sparse.csr_matrix((self.values, (self.coordinates[:, 0], self.coordinates[:, 1])), shape=self.shape)

    def to_sparse(self) -> Any:
        """PyData's sparse.COO, of any order."""
        import sparse

        filled = {"fill_value": self.fill} if self.fill else {}
        return sparse.COO(self.coordinates.T.astype(numpy.int64), self.values, shape=self.shape, **filled)

    def convert(self, format: str, file: os.PathLike | str, *options: str) -> dict:
        """Stores the tensor in a format (docs/storage.md) as a .stored file, for option `-i` of `run`, like `onyx
        tile convert`, whose options may follow. Returns its size: entries, values, bytes, and metadata, which is
        part of the bytes; for banks their number and the entries of the fullest; and the sizes of each of
        `parts`, if any. Warns like `run`."""
        _, _, report = _answer("convert", ["-f", format, "-o", os.fspath(file), *map(str, options)], {"T": self})
        return json.loads(report)

    @staticmethod
    def read_binsparse(file: os.PathLike | str, group: str = "/") -> Tensor:
        """A Tensor of a file of BinSparse, .bsp.h5; for a file with several tensors, of a group. Needs h5py."""
        return Tensor(*_read_binsparse(file, group))

    def __repr__(self) -> str:
        filled = f", else {self.fill:g}" if self.fill else ""
        return f"<onyx.Tensor {'x'.join(map(str, self.shape)) or 'scalar'}, {self.nnz} entries{filled}>"

    @staticmethod
    def of(value: Any) -> Tensor:
        """A Tensor of a SciPy matrix or array of any order, of a tensor of PyTorch in any layout, of anything with
        shape, coords and data (one row of coords a mode), whose fill_value is its fill, or of what NumPy makes an array
        of, whose zeros are not stored."""
        if isinstance(value, Tensor):
            return value
        if isinstance(value, numpy.ma.MaskedArray):
            raise TypeError("the array is masked: .filled(VALUE) says what masked places hold")
        if _sparse is not None and _sparse.issparse(value):
            coo = value.tocoo()
            at = coo.coords if hasattr(coo, "coords") else (coo.row, coo.col)
            return Tensor(coo.shape, numpy.stack(at, axis=1), coo.data)
        torch = _torch_entries(value)
        if torch:
            return Tensor(*torch)
        if hasattr(value, "asformat") and hasattr(value, "fill_value"):  # PyData's other formats
            value = value.asformat("coo")
        if all(hasattr(value, name) for name in ("shape", "coords", "data")):
            return Tensor(value.shape, numpy.asarray(value.coords).T, value.data, getattr(value, "fill_value", 0))
        dense = numpy.asarray(_torch_dense(value))
        if dense.ndim == 0:
            return Tensor((), numpy.zeros((1, 0)), [dense])
        at = numpy.nonzero(dense)
        return Tensor(dense.shape, numpy.stack(at, axis=1), dense[at])


def _pattern(tensor: Tensor) -> str:
    """Where a matrix has entries, as SVG of at most 64 by 64 squares; nothing of other tensors."""
    if len(tensor.shape) != 2 or not tensor.nnz or 0 in tensor.shape:
        return ""
    most = 64
    rows, columns = (min(n, most) for n in tensor.shape)
    cells = numpy.zeros((rows, columns))
    at = [tensor.coordinates[:, m].astype(numpy.int64) * n // tensor.shape[m] for m, n in enumerate((rows, columns))]
    numpy.add.at(cells, tuple(at), 1)
    cells /= cells.max()
    squares = "".join(f'<rect x="{j}" y="{i}" width="1" height="1" fill-opacity="{0.25 + 0.75 * cells[i, j]:.2f}"/>' for i, j in zip(*numpy.nonzero(cells)))
    return f'<svg viewBox="0 0 {columns} {rows}" width="{min(4 * columns, 256)}" fill="#4477aa" style="border:1px solid #999">{squares}</svg>'


def _value(tensor: Tensor) -> Any:
    """A number, an array, a matrix of SciPy, or the tensor itself; where nothing is stored, a number or an array is the fill."""
    order = len(tensor.shape)
    if order == 0:
        return tensor.values.sum() if tensor.nnz else numpy.float64(tensor.fill)
    if order == 1:
        return tensor.to_dense()
    return tensor.to_scipy() if order == 2 and not tensor.fill and _sparse is not None else tensor


class Result:
    """What a kernel gave. The result tensor is `value`, and an attribute under its name in the expression: a
    number, a NumPy array (order 1), a SciPy CSR matrix (order 2, where SciPy is installed) or a Tensor. `report` is report.json (cycles,
    tiles, times: docs/report.md), `accuracy` the verdict, `messages` holds the warnings, `folder` the files, if a folder was asked for."""

    def __init__(self, name: str, tensor: Tensor, report: dict, messages: str, folder: Optional[str]) -> None:
        self.name, self.tensor, self.report, self.messages, self.folder = name, tensor, report, messages, folder
        tensor.fill = float(report.get("fill", 0))
        self.value = _value(tensor)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.tensor.shape)) or "scalar"
        return f"<onyx.Result {self.name}: {shape}, {self.tensor.nnz} nonzeros, {self.cycles} cycles>"

    def _repr_html_(self) -> str:
        """The display of a notebook: the figures, and the positions of the result's entries."""
        r = self.report
        rows = [("result", f"{self.name}: {'x'.join(map(str, self.tensor.shape)) or 'scalar'}, {self.tensor.nnz} nonzeros"),
                ("accuracy", self.accuracy or "not judged"), ("check", f"{r['check']} (engine {r['engine']})"), ("cycles", f"{self.cycles:,}")]
        if r.get("fmax_mhz"):
            rows.append(("time", f"{r['time_us']:.2f} \u00b5s at {r['fmax_mhz']:.0f} MHz"))
            rows.append(("tiles", f"{r['tiles']['pe']} PE, {r['tiles']['mem']} MEM, {r['tiles']['io']} IO"))
        for waited in r.get("bottlenecks", [])[:1]:
            rows.append(("bottleneck", f"{waited['tile']} stalled its neighbours for {100 * waited['cycles'] / max(1, r['cycles']['kernel']):.0f} % of the cycles"))
        text = "".join(f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{html.escape(what)}</td></tr>" for name, what in rows)
        return f"<div><code>{html.escape(r['expression'])}</code><table>{text}</table>{_pattern(self.tensor)}</div>"

    @property
    def cycles(self) -> int:
        return self.report["cycles"]["total"]

    @property
    def accuracy(self) -> Optional[str]:
        """"exact", "within 0.4 % of float64", or "differs from float64 by up to ..." with the reason; None without a reference."""
        return self.report.get("accuracy", {}).get("text")

    def __getattr__(self, name: str) -> Any:
        if name == self.__dict__.get("name"):
            return self.value
        raise AttributeError(name)


class ProgramResult:
    """Results of a program: `values` has each result by its name, like `Result.value`, and each result is an
    attribute by its name; `tensors` has the stored entries. `report` is report.json (docs/programs.md),
    `messages` holds the warnings, `folder` the files, if a folder was requested."""

    def __init__(self, tensors: Mapping[str, Tensor], report: dict, messages: str, folder: Optional[str]) -> None:
        self.tensors, self.report, self.messages, self.folder = dict(tensors), report, messages, folder
        for one in report["results"]:
            self.tensors[one["tensor"]].fill = float(one["fill"])
        self.values = {name: _value(tensor) for name, tensor in self.tensors.items()}

    def __repr__(self) -> str:
        return f"<onyx.ProgramResult {', '.join(self.values)}: {self.cycles} cycles>"

    @property
    def cycles(self) -> int:
        return self.report["total_cycles"]

    @property
    def accuracy(self) -> dict:
        """The accuracy of each result by its name, as of `Result`."""
        return {one["tensor"]: one.get("accuracy", {}).get("text") for one in self.report["results"]}

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("values", ()):
            return self.values[name]
        raise AttributeError(name)


def _scratch():
    """A folder that goes again: in memory where there is room, so that nobody waits for a disk; in $TMPDIR if that is set."""
    memory, enough = "/dev/shm", 1 << 28
    try:
        room = os.statvfs(memory)
        fits = room.f_bavail * room.f_frsize >= enough and os.access(memory, os.W_OK | os.X_OK)
    except OSError:
        fits = False
    return tempfile.TemporaryDirectory(dir=memory if fits and "TMPDIR" not in os.environ else None)


def _settings(**settings):
    """Options by their names, without missing ones."""
    return [word for name, value in settings.items() if value is not None for word in (f"--{name}", str(value))]


def _arguments(expression, formats, schedule, engine, folder, options):
    arguments = [expression, "--engine", engine, "-o", folder]
    for tensor, levels in (formats or {}).items():
        arguments += ["-f", f"{tensor}:{levels}"]
    if schedule:
        arguments += ["-s", schedule]
    return arguments + [str(option) for option in options] + _progress()


def _progress():
    """The option for progress, on a terminal."""
    return ["--progress"] if os.isatty(2) else []


def _whole_text(text):
    """The text, in which a zero character would be the end for C."""
    if "\0" in text:
        raise ValueError(f"a zero character in {text!r}")
    return text


def _operand(name, tensor):
    """An operand as the library's process takes it."""
    dim, crd = numpy.array(tensor.shape, numpy.uint32), _whole(tensor.coordinates, f"coordinates of {name}", 2**32 - 1)
    return _whole_text(name), dim.tobytes(), tensor.nnz, crd.tobytes(), tensor.values.tobytes()


def _tensor(made):
    """The name and the Tensor of what the library's process made."""
    name, dim, nnz, crd, val = made
    shape = numpy.frombuffer(dim, numpy.uint32)
    return name, Tensor(shape, numpy.frombuffer(crd, numpy.uint32).reshape(nnz, len(shape)), numpy.frombuffer(val, numpy.float64))


_KEYWORDS = ("dtype", "engine", "formats", "out", "options", "profile", "schedule", "settings", "tile", "unroll")


def _no_operand(name, value):
    near = difflib.get_close_matches(name, _KEYWORDS, 1, 0.75)
    hint = f"did you mean {near[0]}={value!r}?" if near else f"what `onyx run` takes besides goes into options, ['--{name}', {value!r}]"
    return TypeError(f"{name}={value!r} is no operand, which are numbers, arrays and matrices; {hint}")


def _operand_tensor(name, value):
    """The operand's Tensor; refusals begin with the operand's name."""
    if isinstance(value, str):
        raise _no_operand(name, value)
    try:
        return Tensor.of(value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"operand {name}: {error}") from None


def _tensors(operands, named):
    given = dict(operands or {})
    twice = given.keys() & named.keys()
    if twice:
        raise TypeError(f"operands given twice: {', '.join(sorted(twice))}")
    return {name: _operand_tensor(name, value) for name, value in (given | named).items()}


def _answer(what, arguments, tensors):
    """Messages, the made tensors by name, and the report; all other outcomes are raised, and warnings have the caller's
    position."""
    operands = [_operand(name, tensor) for name, tensor in tensors.items()]
    code, messages, made, report = _library.call(what, [_whole_text(argument) for argument in arguments], operands)
    if code == _library.INTERRUPTED:
        raise KeyboardInterrupt
    if code or report is None:
        raise OnyxError(code, messages)
    if "warning: " in messages:
        warnings.warn(messages.strip(), OnyxWarning, stacklevel=3)
    return messages, dict(map(_tensor, made)), report


def run(expression: str, operands: Optional[Mapping[str, Any]] = None, *, formats: Optional[Mapping[str, str]] = None,
        schedule: Optional[str] = None, engine: str = "cycle", dtype: Optional[str] = None, tile: Any = None, unroll: Any = None,
        profile: Optional[str] = None, out: Optional[os.PathLike | str] = None, options: Sequence[Any] = (),
        **named: Any) -> Result | ProgramResult:
    """Compiles `expression`, runs it on the operands, checks the result against a reference, and returns it; of several
    results, "m(i), p(i) = argmax(j, A(i,j))", a ProgramResult.

    operands: by their names, {"B": matrix}, or as keyword arguments, B=matrix, if their names are not those of
    others, each with its fill; formats: levels of tensors, {"C": "ss:1,0"}; schedule: "reorder(i,k,j)"; engine: sam, cycle, rtl or soc;
    dtype: int16 or bf16; tile: edges of sub-tiles, 16 or "i:64,k:8"; unroll: copies, a number or "auto"; profile: onyx or onyx-ext;
    out: a folder for everything that is produced; options: what else `onyx run` takes, ["--seed", 2].
    Raises OnyxError, and KeyboardInterrupt as soon as this process or a program that it started is interrupted; warns
    of values that do not fit (OnyxWarning).
    """
    tensors = _tensors(operands, named)
    with _scratch() as scratch:
        fills = [word for n, t in tensors.items() if t.fill for word in ("--fill", f"{n}:{t.fill:.17g}")]
        said = _settings(dtype=dtype, tile=tile, unroll=unroll, profile=profile)
        arguments = _arguments(expression, formats, schedule, engine, os.fspath(out or scratch), [*fills, *said, *options])
        messages, made, report = _answer("run", arguments, tensors)
    ran = json.loads(report)
    return ProgramResult(made, ran, messages, out) if "results" in ran else Result(*made.popitem(), ran, messages, out)


class Kernel:
    """An expression with its settings, for calls with one set of operands after the other, like `run`. The choices
    for the first operands (the order of the loops, the edges of sub-tiles, the number of copies, how they share
    the work, dense storage) hold for all later operands: all run on the same bitstream, whose hash is `bitstream`
    (None before the first call, and for engine sam)."""

    def __init__(self, expression: str, how: Mapping[str, Any]) -> None:
        self.expression, self.bitstream, self._how, self._chosen, self._loops = expression, None, dict(how), None, []
        self._placed, self._reuse = _scratch(), []

    def __repr__(self) -> str:
        return f"<onyx.Kernel {self.expression}{'' if self._chosen is None else ' ' + ' '.join(self._chosen)}>".replace(" >", ">")

    def __call__(self, operands: Optional[Mapping[str, Any]] = None, *, out: Optional[os.PathLike | str] = None,
                 **named: Any) -> Result | ProgramResult:
        tensors = _tensors(operands, named)
        said = [str(option) for option in self._how.get("options", ())]
        try:
            result = self._run(tensors, [*said, *(self._chosen or ()), *self._loops], out)
        except OnyxError:
            if not self._loops:
                raise
            self._loops = []  # these loops cannot have these operands, or none: others may
            result = self._run(tensors, [*said, *self._chosen], out)
        bits = result.report.get("bitstream") or {}
        self.bitstream = bits["xxh64"] if bits.get("words") else None
        if self._chosen is None:
            self._chosen = _choices(result.report, said)
            self._reuse = ["--reuse", os.path.abspath(os.fspath(out or self._placed.name))] if self.bitstream and self._how["engine"] != "sam" else []
            self._loops = [] if self._how.get("schedule") or any(o.startswith(("-s", "--schedule")) for o in said) else _order(result.report)
        return result

    def _run(self, tensors, options, out):
        """The first call leaves a placement, which later ones take where their netlist is the same."""
        first = self._chosen is None and not out
        result = run(self.expression, tensors, **{**self._how, "options": [*options, *self._reuse], "out": self._placed.name if first else out})
        result.folder = out
        return result


def _choices(report: Mapping[str, Any], said: Sequence[str]) -> list:
    """The options for a run's choices, except options already given."""
    tiling = report.get("tiling") or {}
    found = {"--tile": tiling.get("edges") or tiling.get("tile"), "--unroll": report.get("unroll"), "--dispatch": (report.get("dispatch") or {}).get("how")}
    words = [word for name, value in found.items() if value and not any(o.split("=")[0] == name for o in said) for word in (name, str(value))]
    return words + [word for stored in report.get("dense", ()) for word in ("-f", stored)]


def _order(report: Mapping[str, Any]) -> list:
    """The option with the loop order of a single kernel."""
    made = re.search('-s "([^"]*)"', report.get("chosen") or "")
    return ["-s", f"{made[1]}, reorder({report['loops']})" if made else f"reorder({report['loops']})"] if report.get("loops") else []


def compile(expression: str, operands: Optional[Mapping[str, Any]] = None, *, formats: Optional[Mapping[str, str]] = None, schedule: Optional[str] = None,
            engine: str = "cycle", dtype: Optional[str] = None, tile: Any = None, unroll: Any = None, profile: Optional[str] = None,
            options: Sequence[Any] = (), **named: Any) -> Kernel:
    """A Kernel for calls with new operands; the arguments are those of `run`. With operands the Kernel runs once at
    creation, to make its choices from the operands and to report mistakes early."""
    said = _settings(dtype=dtype, tile=tile, unroll=unroll, profile=profile)
    kernel = Kernel(expression, {"formats": formats, "schedule": schedule, "engine": engine, "options": [*said, *options]})
    if operands or named:
        kernel(operands, **named)
    return kernel


def program(source: os.PathLike | str, operands: Optional[Mapping[str, Any]] = None, *, settings: Optional[Mapping[str, float]] = None,
            engine: str = "cycle", out: Optional[os.PathLike | str] = None, options: Sequence[Any] = (), **named: Any) -> ProgramResult:
    """Runs a program of several statements (docs/programs.md), checks its results against a reference, and returns
    them.

    source: the path of a file that ends in .onx, or the program's text; operands: first content of its tensors, in
    place of the declared content; settings: values of its params and scalars, {"steps": 3}; engine, out, options,
    exceptions and warnings as of `run`.
    """
    tensors = _tensors(operands, named)
    for name, tensor in tensors.items():
        if tensor.fill:
            raise ValueError(f"{name} has fill {tensor.fill:g}: a program says itself what fills its tensors have")
    with _scratch() as scratch:
        path = os.fspath(source)
        if not _whole_text(path).endswith(".onx"):
            path = os.path.join(scratch, "program.onx")
            pathlib.Path(path).write_text(os.fspath(source))
        arguments = [path, "--engine", engine, "-o", os.fspath(out or os.path.join(scratch, "out"))]
        for name, value in (settings or {}).items():
            arguments += ["--set", f"{name}={value}"]
        messages, results, report = _answer("run", [*arguments, *map(str, options), *_progress()], tensors)
    return ProgramResult(results, json.loads(report), messages, out)


def _without(value: Any, kept: Sequence[int]) -> Any:
    """An operand of which some axes, of a single coordinate, are left out."""
    order = len(value.shape)
    if len(kept) == order:
        return value
    tensor = Tensor.of(value)
    return Tensor([tensor.shape[m] for m in kept], tensor.coordinates[:, kept], tensor.values, tensor.fill)


def einsum(*arguments: Any, **how: Any) -> Result:
    """Runs the computation of numpy.einsum(*arguments): a string like "ij,jk->ik" and operands, or operands each with
    a list of labels, and maybe a list for the result. Axes of a single coordinate are broadcast. `how` has further
    arguments of `run`, with operands named t0, t1 and so on, and the result x."""
    if not arguments:
        raise ValueError("einsum has a string and operands, or operands and their labels")
    text, operands = (arguments[0], list(arguments[1:])) if isinstance(arguments[0], str) else _interleaved(arguments)
    operands = [operand if hasattr(operand, "shape") else Tensor.of(operand) for operand in operands]
    expression, names, kept = _einsum_expression(text, [operand.shape for operand in operands])
    return run(expression, dict(zip(names, map(_without, operands, kept))), **how)


def version() -> str:
    """Version and revision of the library."""
    return _library.version()
