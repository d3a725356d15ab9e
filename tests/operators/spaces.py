"""Functions of files with random iteration spaces, and what they are by definition."""

NAMES = "pqrs"


def algebra(r, names):
    """A tree over all names: ("is", name), ("not", a), ("and", a, b), ("or", a, b)."""
    if r.random() < 0.25:
        return ("not", algebra(r, names))
    if len(names) == 1 and r.random() < 0.8:
        return ("is", names[0])
    cut = r.randrange(1, len(names)) if len(names) > 1 else 0
    left, right = (names[:cut], names[cut:]) if cut and r.random() < 0.8 else (names, r.sample(names, r.randint(1, len(names))))
    return (r.choice(["and", "or"]), algebra(r, left), algebra(r, right))


def holds(a, stored):
    """Whether a point is in the algebra by the names that differ from what they are tested for there."""
    if a[0] == "is":
        return a[1] in stored
    if a[0] == "not":
        return not holds(a[1], stored)
    return (all if a[0] == "and" else any)(holds(b, stored) for b in a[1:])


class Function:
    """Of 1 to 4 parameters: where it holds, bits of all of them and 64, and a constant elsewhere. One with a loop, of at most two, computes the
    same."""

    def __init__(self, r, name, parameters, loops=False):
        self.name, self.names, self.loops = name, NAMES[:parameters], loops and parameters < 3
        self.tested = {p: r.choice([0, 0, 0, 1, -2, 7]) for p in self.names}
        self.algebra = algebra(r, self.names)
        self.outside = r.choice([0, 0, 5])
        if holds(self.algebra, ""):
            self.outside = self.inside([self.tested[p] for p in self.names])

    def inside(self, words):
        bits = 0
        for n, word in enumerate(words):
            bits ^= word << n
        return bits & 63 | 64

    def value(self, words):
        stored = [p for p, word in zip(self.names, words) if word != self.tested[p]]
        return self.inside(words) if holds(self.algebra, stored) else self.outside

    def written(self, a, test, signs):
        if a[0] == "is":
            return test.format(a[1], self.tested[a[1]])
        if a[0] == "not":
            return f"{signs['not']}({self.written(a[1], test, signs)})"
        return f"({self.written(a[1], test, signs)} {signs[a[0]]} {self.written(a[2], test, signs)})"

    def definition(self):
        condition = self.written(self.algebra, "{} != {}", {"not": "not ", "and": "&&", "or": "||"})
        value = f"({' ^ '.join(f'({p} << {n})' for n, p in enumerate(self.names))}) & 63 | 64"
        space = self.written(self.algebra, "{{{} != {}}}", {"not": "~", "and": "&", "or": "|"})
        body = f"if ({condition}) {{ return {value}; }} return {self.outside};"
        if self.loops:
            body = f"t = {self.outside}; n = 0; while (n == 0 && ({condition})) {{ t = {value}; n = 1; }} return t;"
        return f"def {self.name}({','.join(self.names)}):\n  {{ {body} }}\niteration_space:\n  {space}\n"
