"""NumPy's einsum, in both of its forms, as expressions."""

import re
from typing import Any, Sequence

_DOTS = "..."
_LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # of 0 to 51, in NumPy's order


def _label(label: Any) -> str:
    """A label of the interleaved form: a number from 0 to 51, or an ellipsis."""
    if label is Ellipsis:
        return _DOTS
    if not hasattr(label, "__index__") or not 0 <= label.__index__() < len(_LABELS):
        raise ValueError(f"a label of einsum is a number from 0 to {len(_LABELS) - 1} or an ellipsis, not {label!r}")
    return _LABELS[label.__index__()]


def interleaved(arguments: Sequence[Any]) -> "tuple[str, list[Any]]":
    """Returns (subscripts, operands) of operand, labels, operand, labels, ..., and maybe the result's labels."""
    lists = ["".join(map(_label, labels)) for labels in arguments[1::2]]
    operands = list(arguments[0:len(arguments) // 2 * 2:2])
    if len(arguments) % 2 == 0:
        return ",".join(lists), operands
    return f"{','.join(lists)}->{''.join(map(_label, arguments[-1]))}", operands


def _part(text: str) -> "list[str]":
    return re.findall(r"\.\.\.|[A-Za-z]", text)


def _parse(subscripts: str, operands: int) -> "tuple[list[list[str]], list[str]]":
    """Labels of each operand, and of the result: without "->" an ellipsis, then what occurs once, sorted, as with
    NumPy."""
    term = r"[A-Za-z]*(?:\.\.\.)?[A-Za-z]*"
    given = re.fullmatch(rf"({term}(?:,{term})*)(?:->({term}))?", subscripts.replace(" ", ""))
    if not given:
        raise ValueError(f"'{subscripts}' is no einsum string of letters, commas, '...' and '->'")
    inputs = [_part(text) for text in given[1].split(",")]
    if len(inputs) != operands:
        raise ValueError(f"'{subscripts}' is of {len(inputs)} operands, {operands} are given")
    letters = [label for labels in inputs for label in labels if label != _DOTS]
    dots = [_DOTS] if any(_DOTS in labels for labels in inputs) else []
    if given[2] is None:
        return inputs, dots + sorted(label for label in set(letters) if letters.count(label) == 1)
    output = _part(given[2])
    if len(set(output)) != len(output):
        raise ValueError(f"an index occurs twice in the result '{given[2]}'")
    unknown = set(output) - set(letters) - {_DOTS}
    if unknown:
        raise ValueError(f"no operand has the index '{min(unknown)}' of the result")
    return inputs, output


def _spread(labels: "list[str]", dots: "list[str]") -> "list[str]":
    return [one for label in labels for one in (dots if label == _DOTS else [label])]


def _fill_dots(inputs: "list[list[str]]", output: "list[str]",
               shapes: Sequence[Sequence[int]]) -> "tuple[list[list[str]], list[str]]":
    """Replaces each ellipsis by indices dot0, dot1, ..., aligned at the last one; the result has the longest one's."""
    missing = [len(shape) - len(labels) + 1 if _DOTS in labels else 0 for labels, shape in zip(inputs, shapes)]
    for number, (labels, shape, dots) in enumerate(zip(inputs, shapes, missing)):
        if dots < 0 or (_DOTS not in labels and len(shape) != len(labels)):
            raise ValueError(f"operand {number} has {len(shape)} axes, and '{''.join(labels)}' is of another number")
    names = [f"dot{n}" for n in range(max(missing, default=0))]
    if names and _DOTS not in output:
        raise ValueError("the result has no '...' for the axes that an operand has there")
    filled = [_spread(labels, names[len(names) - dots:]) for labels, dots in zip(inputs, missing)]
    return filled, _spread(output, names)


def _kept(inputs: "list[list[str]]", shapes: Sequence[Sequence[int]]) -> "list[list[int]]":
    """Axes of each operand that stay: one of a single coordinate goes where another operand's is longer."""
    longest: "dict[str, int]" = {}
    for labels, shape in zip(inputs, shapes):
        for label, extent in zip(labels, shape):
            longest[label] = max(longest.get(label, 0), extent)
    return [[m for m, (label, extent) in enumerate(zip(labels, shape)) if extent != 1 or longest[label] == 1]
            for labels, shape in zip(inputs, shapes)]


def expression(subscripts: str, shapes: Sequence[Sequence[int]]) -> "tuple[str, list[str], list[list[int]]]":
    """Returns the expression for `subscripts`, like "ij,jk->ik", the names of its operands, and the axes of each
    operand that it has."""
    inputs, output = _fill_dots(*_parse(subscripts, len(shapes)), shapes)
    names, kept = [f"t{i}" for i in range(len(shapes))], _kept(inputs, shapes)

    def access(name: str, indices: "Sequence[str]") -> str:
        return f"{name}({','.join(indices)})" if indices else name

    factors = " * ".join(access(name, [labels[m] for m in axes]) for name, labels, axes in zip(names, inputs, kept))
    return f"{access('x', output)} = {factors}", names, kept
