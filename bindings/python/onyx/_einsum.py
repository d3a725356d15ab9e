"""NumPy's einsum strings as expressions."""

import re


def expression(subscripts: str, operands: int) -> "tuple[str, list[str]]":
    """Returns the expression for `subscripts`, like "ij,jk->ik", and the names of its operands.

    Without "->" the result has the indices that occur once, in the order of the alphabet, as with NumPy.
    """
    text = subscripts.replace(" ", "")
    given = re.fullmatch(r"([A-Za-z]*(?:,[A-Za-z]*)*)(?:->([A-Za-z]*))?", text)
    if not given:
        raise ValueError(f"'{subscripts}' is no einsum string of letters, commas and '->'; an ellipsis is not taken")
    inputs = given[1].split(",")
    if len(inputs) != operands:
        raise ValueError(f"'{subscripts}' is of {len(inputs)} operands, {operands} are given")
    letters = "".join(inputs)
    output = given[2] if given[2] is not None else "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if len(set(output)) != len(output):
        raise ValueError(f"an index occurs twice in the result '{output}'")
    unknown = set(output) - set(letters)
    if unknown:
        raise ValueError(f"no operand has the index '{min(unknown)}' of the result")
    names = [f"t{i}" for i in range(operands)]

    def access(name, indices):
        return f"{name}({','.join(indices)})" if indices else name

    factors = " * ".join(access(name, indices) for name, indices in zip(names, inputs))
    return f"{access('x', output)} = {factors}", names
