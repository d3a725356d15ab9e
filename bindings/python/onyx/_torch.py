"""Tensors of PyTorch in any of its layouts, by their methods alone, and tensors of others by DLPack: nothing here
imports torch."""

from typing import Any

import numpy

_COMPRESSED = {"sparse_csr": (0, False), "sparse_csc": (1, False), "sparse_bsr": (0, True), "sparse_bsc": (1, True)}


def layout(value: Any) -> str:
    """"strided", "sparse_coo", "sparse_csr" ..; "" of anything that is no tensor of PyTorch."""
    name = str(getattr(value, "layout", ""))
    return name[len("torch."):] if name.startswith("torch.") else ""


def _array(value: Any) -> numpy.ndarray:
    """A dense tensor as an array: on the processor, without its gradient, by DLPack or the buffer protocol."""
    for method in ("detach", "cpu"):
        value = getattr(value, method, lambda: value)()
    if "bfloat16" in str(getattr(value, "dtype", "")):  # NumPy has none
        value = value.float()
    return numpy.from_dlpack(value) if hasattr(value, "__dlpack__") else numpy.asarray(value)


def _spread(at: numpy.ndarray, values: numpy.ndarray) -> "tuple[numpy.ndarray, numpy.ndarray]":
    """Coordinates and values where each entry is an array: those of its places that are not 0."""
    if values.ndim == 1:
        return at, values
    where = numpy.nonzero(values)
    return numpy.concatenate([at[where[0]], numpy.stack(where[1:], axis=1)], axis=1), values[where]


def _coo(value: Any) -> "tuple[numpy.ndarray, numpy.ndarray]":
    value = value.coalesce()
    return _spread(_array(value.indices()).T, _array(value.values()))


def _matrix(major: numpy.ndarray, minor: numpy.ndarray, values: numpy.ndarray, axis: int,
            blocks: bool) -> "tuple[numpy.ndarray, numpy.ndarray]":
    """Entries of one compressed matrix; `axis`: 0 where rows are compressed, 1 where columns are. Zeros of blocks are
    no entries."""
    lines = numpy.repeat(numpy.arange(len(major) - 1), numpy.diff(major))
    at = numpy.stack([lines, minor], axis=1)[:, [axis, 1 - axis]]
    if not blocks:
        return _spread(at, values)
    spread, kept = _spread(at, values)  # columns: block, then place in the block, then dense axes
    inside = spread[:, :2] * values.shape[1:3] + spread[:, 2:4]
    return numpy.concatenate([inside, spread[:, 4:]], axis=1), kept


def _compressed(value: Any, axis: int, blocks: bool) -> "tuple[numpy.ndarray, numpy.ndarray]":
    """Entries of a compressed tensor; axes before the matrix have a matrix each."""
    segments = (value.ccol_indices(), value.row_indices()) if axis else (value.crow_indices(), value.col_indices())
    major, minor = map(_array, segments)
    values, found = _array(value.values()), []
    for batch in numpy.ndindex(major.shape[:-1]):
        at, kept = _matrix(major[batch], minor[batch], values[batch], axis, blocks)
        before = numpy.tile(numpy.array(batch, dtype=at.dtype), (len(at), 1))
        found.append((numpy.concatenate([before, at], axis=1), kept))
    return numpy.concatenate([at for at, _ in found]), numpy.concatenate([kept for _, kept in found])


def entries(value: Any) -> "tuple[tuple[int, ...], numpy.ndarray, numpy.ndarray] | None":
    """Shape, coordinates (entries x order) and values of a sparse tensor; None of a dense one and of anything else."""
    kind = layout(value)
    if kind in ("", "strided"):
        return None
    if kind == "sparse_coo":
        at, values = _coo(value)
    elif kind in _COMPRESSED:
        at, values = _compressed(value, *_COMPRESSED[kind])
    else:
        raise TypeError(f"tensors of layout {kind} are not read: .to_sparse() makes one of coordinates")
    return tuple(value.shape), at, values


def dense(value: Any) -> Any:
    """A dense tensor of PyTorch, or of any other library that gives its data by DLPack, as an array; anything else as
    it is."""
    given = hasattr(value, "__dlpack__") and not isinstance(value, numpy.ndarray)
    return _array(value) if given or layout(value) == "strided" else value
