"""Arithmetic of bfloat16 from docs/boards.md ("Products and sums of bfloat16"), by exact fractions: nothing of the project is used. Numbers
are floats that a bfloat16 holds, infinities and NaN among them; subnormals are kept."""
import math
from fractions import Fraction

DIGITS, LEAST, MOST = 8, -126, 127  # significant bits, exponents of normal numbers


def shift(value):
    """The exponent of the last bit that a bfloat16 of this magnitude has."""
    exponent = math.floor(math.log2(value)) if value >= 2.0 ** -1000 else LEAST
    exponent += (Fraction(2) ** (exponent + 1) <= value) - (Fraction(2) ** exponent > value)
    return max(exponent, LEAST) - (DIGITS - 1)


def nearest(exact):
    """The bfloat16 nearest to a fraction, of two the even one."""
    if not exact:
        return 0.0
    unit = Fraction(2) ** shift(abs(exact))
    whole = round(abs(exact) / unit)  # Python rounds to even
    size = whole * unit
    if size >= Fraction(2) ** (MOST + 1):
        return math.copysign(math.inf, exact)
    return math.copysign(float(size), exact)


def finite(operation):
    def apply(a, b):
        if math.isfinite(a) and math.isfinite(b):
            return operation(Fraction(a), Fraction(b))
        raise ArithmeticError("no finite numbers")  # the tests leave such points out
    return apply


@finite
def add(a, b):
    return nearest(a + b)


@finite
def sub(a, b):
    return nearest(a - b)


@finite
def mul(a, b):
    """Three bits below the last one stay, the rest is cut; then rounded."""
    exact = a * b
    if not exact:
        return 0.0
    unit = Fraction(2) ** (shift(abs(exact)) - 3)
    cut = math.floor(abs(exact) / unit) * unit
    return nearest(cut if exact > 0 else -cut)


@finite
def div(a, b):
    if not b:
        raise ArithmeticError("a quotient by 0")
    return nearest(a / b)


def word(value):
    """The value read from a number in a file."""
    return nearest(Fraction(value))
