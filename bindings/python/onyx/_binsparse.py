"""Files of BinSparse: a descriptor in JSON, and arrays in a group of an HDF5 file (graphblas.org/binsparse-specification)."""
from __future__ import annotations

import json
import re
from typing import Any, Mapping, Tuple

import numpy

# Formats by name as levels, outermost first: (sparse, number of indices); and the index of each of their modes.
_NAMED = {
    "VEC": ([(True, 1)], [0]), "CVEC": ([(True, 1)], [0]), "DVEC": ([(False, 1)], [0]),
    "DMAT": ([(False, 2)], [0, 1]), "DMATR": ([(False, 2)], [0, 1]), "DMATC": ([(False, 2)], [1, 0]),
    "COO": ([(True, 2)], [0, 1]), "COOR": ([(True, 2)], [0, 1]), "COOC": ([(True, 2)], [1, 0]),
    "CSR": ([(False, 1), (True, 1)], [0, 1]), "CSC": ([(False, 1), (True, 1)], [1, 0]),
    "DCSR": ([(True, 1), (True, 1)], [0, 1]), "DCSC": ([(True, 1), (True, 1)], [1, 0]),
}


def _levels(descriptor: Mapping[str, Any]):
    """The format's levels, the index of each of their modes, and whether a single value holds for all."""
    form, order = descriptor["format"], len(descriptor["shape"])
    if isinstance(form, str):
        if form not in _NAMED:
            raise ValueError(f"BinSparse has no format {form}")
        return *_NAMED[form], False
    levels, iso = [], False
    modes = form.get("swizzle", descriptor.get("swizzle", list(range(order))))
    while form["level"] != "element":
        if form["level"] == "complex":
            raise TypeError("values are complex; the array has none")
        if form["level"] in ("dense", "sparse"):
            levels.append((form["level"] == "sparse", form["rank"]))
        elif form["level"] == "iso":
            iso = True
        else:
            raise ValueError(f"BinSparse has no level {form['level']}")
        form = form["subformat"]
    return levels, modes, iso


def _expand(group: Mapping[str, Any], levels, shape) -> numpy.ndarray:
    """The coordinates of all values, level by level: rows of `at` are the coordinates so far."""
    at = numpy.zeros((1, 0), numpy.int64)
    for sparse, rank in levels:
        first = at.shape[1]
        if sparse:
            own = numpy.stack([numpy.asarray(group[f"indices_{first + r}"]).astype(numpy.int64) for r in range(rank)], axis=1)
            ends = [0, len(own)] if first == 0 else numpy.asarray(group[f"pointers_to_{first}"]).astype(numpy.int64)
            counts = numpy.diff(ends)
            if len(counts) != len(at) or (counts < 0).any() or ends[0] != 0 or ends[-1] != len(own):
                raise ValueError(f"pointers_to_{first} does not go through the {len(own)} entries of {len(at)} fibers")
        else:
            own = numpy.indices(shape[first:first + rank]).reshape(rank, -1).T
            counts = numpy.full(len(at), len(own))
            own = numpy.tile(own, (len(at), 1))
        at = numpy.hstack([numpy.repeat(at, counts, axis=0), own])
    return at


def read(path: Any, group: str) -> Tuple[Tuple[int, ...], numpy.ndarray, numpy.ndarray]:
    """Shape, coordinates and values."""
    try:
        import h5py
    except ImportError as missing:
        raise ImportError("BinSparse lies in HDF5 files, which h5py reads; it is not installed") from missing
    with h5py.File(path, "r") as file:
        if group not in file or "binsparse" not in file[group].attrs:
            raise ValueError(f"{path} has no tensor of BinSparse in {group}")
        arrays = file[group]
        descriptor = json.loads(arrays.attrs["binsparse"])
        descriptor = descriptor.get("binsparse", descriptor)
        shape = tuple(descriptor["shape"])
        levels, modes, iso = _levels(descriptor)
        words = descriptor["data_types"]["values"]  # int8, iso[int8], complex[float64]
        if "complex" in words:
            raise TypeError("values are complex; the array has none")
        if sorted(modes) != list(range(len(shape))) or sum(rank for _, rank in levels) != len(shape):
            raise ValueError(f"the levels of {path} are not those of {len(shape)} indices")
        if descriptor.get("fill") and arrays["fill_value"][0] != 0:
            raise ValueError(f"what is not stored is {arrays['fill_value'][0]}; the array takes it for 0")
        stored = _expand(arrays, levels, [shape[m] for m in modes])
        values = numpy.asarray(arrays["values"]).astype(numpy.float64)
        structure = descriptor.get("structure", "")
    if iso or words.startswith("iso"):
        values = numpy.repeat(values[:1], len(stored))
    if len(values) != len(stored):
        raise ValueError(f"{path} has {len(values)} values for {len(stored)} coordinates")
    at = numpy.empty_like(stored)
    at[:, modes] = stored
    if stored.size and (at.min() < 0 or (at >= numpy.array(shape)).any()):
        raise ValueError(f"{path} has coordinates outside of {'x'.join(map(str, shape))}")
    if not any(sparse for sparse, _ in levels):
        at, values = at[values != 0], values[values != 0]
    if structure:
        if not re.fullmatch(r"(skew_)?symmetric_(lower|upper)", structure):
            raise ValueError(f"BinSparse has no structure {structure} of real values")
        off = at[:, 0] != at[:, 1]
        mirrored = -values[off] if structure.startswith("skew") else values[off]
        at, values = numpy.vstack([at, at[off][:, ::-1]]), numpy.concatenate([values, mirrored])
    return shape, at, values
