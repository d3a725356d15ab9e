"""What an expression of functions, reductions, fills and semirings means, by definition: every point of the index space is
visited, nothing is left out, and nothing of it is the compiler's. Trees are tuples:
("access", name, (indices)), ("number", n), (operation, a), (operation, a, b), ("reduce", monoid, variable, a),
("mask", c, e), ("struct", name, (indices)), ("ifelse", c, x, y), ("clamp", x, low, high), ("call", function, a, ...)."""

INF, MINUS_INF = 32767, -32768


def wrap(value):
    return (value + 32768) % 65536 - 32768


def add_infinite(a, b, first):
    second = MINUS_INF if first == INF else INF
    if first in (a, b):
        return first
    if second in (a, b):
        return second
    return INF if a + b >= INF else MINUS_INF if a + b <= MINUS_INF else a + b


def quotient(a, b):
    return 0 if b == 0 else wrap(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


BINARY = {
    "+": lambda a, b: wrap(a + b), "-": lambda a, b: wrap(a - b), "*": lambda a, b: wrap(a * b), "/": quotient,
    "min": min, "max": max, "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "<<": lambda a, b: wrap(a << b) if 0 <= b < 16 else 0,
    ">>": lambda a, b: a >> b if 0 <= b < 16 else (-1 if a < 0 else 0),
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b), "&&": lambda a, b: int(a != 0 and b != 0),
    "||": lambda a, b: int(a != 0 or b != 0),
    "high": lambda a, b: add_infinite(a, b, INF), "low": lambda a, b: add_infinite(a, b, MINUS_INF),
}
UNARY = {"neg": lambda a: wrap(-a), "~": lambda a: ~a, "abs": lambda a: wrap(abs(a)), "relu": lambda a: max(a, 0), "not": lambda a: int(a == 0)}
REDUCE = {"sum": "+", "prod": "*", "min": "min", "max": "max", "and": "&", "or": "|", "xor": "^"}
SEMIRING = {  # addition, multiplication, fill
    "plus_times": ("+", "*", 0), "min_plus": ("min", "high", INF), "max_plus": ("max", "low", MINUS_INF), "max_min": ("max", "min", MINUS_INF),
    "lor_land": ("||", "&&", 0), "bor_band": ("|", "&", 0), "plus_pair": ("+", "*", 0),
}


def operands(e):
    return e[2:] if e[0] == "call" else e[1:]


class Evaluator:
    """Tensors are (order, {coordinates: value}, fill); extents by variable; functions by name, of a list of values."""

    def __init__(self, tensors, extents, semiring="plus_times", elsewhere=None, functions=None):
        self.tensors, self.extents, self.elsewhere, self.functions = tensors, extents, elsewhere, functions
        self.plus, self.times, _ = SEMIRING[semiring]

    def fill_of(self, e):
        """The value where nothing is stored. A literal beside + - * / is everywhere, so that it has none, and is said to be 0; and so is a
        reduction whose value depends on how many it reduces; and the complement of what is stored, which is itself stored, has fill 0."""
        kind = e[0]
        if kind in ("access", "struct"):
            return self.tensors[e[1]][2] if kind == "access" else 0
        if kind == "number":
            return e[1]
        if kind == "mask":
            return self.elsewhere_of(e[2])
        if kind == "not" and e[1][0] == "struct":
            return 0  # the host stores where it is 1
        if kind == "reduce":
            fill, operation = self.fill_of(e[3]), self.plus if e[1] == "sum" else REDUCE[e[1]]
            if operation == "+" and fill in (INF, MINUS_INF):
                return fill
            if operation == "||":
                return int(fill != 0)
            keeps = {"+": (0,), "^": (0,), "*": (0, 1), "min": (fill,), "max": (fill,), "&": (fill,), "|": (fill,)}[operation]
            return fill if fill in keeps else 0
        fills = [0 if a[0] == "number" and self.operation(kind) in ("+", "-", "*", "/", "neg") else self.fill_of(a) for a in operands(e)]
        return self.apply(e, fills)

    def has_fill(self, e):
        """Whether an operand of e has a fill unequal to 0."""
        if e[0] == "access":
            return self.tensors[e[1]][2] != 0
        return any(self.has_fill(a) for a in e[1:] if isinstance(a, tuple) and a and isinstance(a[0], str) and e[0] not in ("struct", "number"))

    def elsewhere_of(self, e):
        """The value of mask(c, e) at c = 0."""
        return self.elsewhere if self.elsewhere is not None else self.fill_of(e) if self.has_fill(e) else 0

    def operation(self, kind):
        return {"+": self.plus, "*": self.times}.get(kind, kind)

    def apply(self, e, values):
        kind = e[0]
        if kind == "ifelse":
            return values[1] if values[0] else values[2]
        if kind == "clamp":
            return min(max(values[0], values[1]), values[2])
        if kind == "call":
            return self.functions[e[1]](values)
        if len(values) == 1:
            return UNARY[kind](values[0])
        operation = self.operation(kind)
        if operation == "+":
            fills = [0 if a[0] == "number" else self.fill_of(a) for a in e[1:]]
            operation = "high" if INF in fills else "low" if MINUS_INF in fills else "+"
        return BINARY[operation](*values)

    def value(self, e, at):
        kind = e[0]
        if kind == "number":
            return e[1]
        if kind in ("access", "struct"):
            _, stored, fill = self.tensors[e[1]]
            point = tuple(at[v] for v in e[2])
            return int(point in stored) if kind == "struct" else stored.get(point, fill)
        if kind == "mask":
            return self.value(e[2], at) if self.value(e[1], at) else self.elsewhere_of(e[2])
        if kind == "reduce":
            operation = self.plus if e[1] == "sum" else REDUCE[e[1]]
            fill = self.fill_of(e[3])
            if operation == "+" and fill in (INF, MINUS_INF):
                operation = "high" if fill == INF else "low"
            total = None
            for c in range(self.extents[e[2]]):
                one = self.value(e[3], {**at, e[2]: c})
                total = one if total is None else BINARY[operation](total, one)
            return int(total != 0) if operation in ("||", "&&") else total
        return self.apply(e, [self.value(a, at) for a in operands(e)])
