"""How many cases of a generator show nothing. A case that is refused, or whose result has one value at all points, passes any check: a
generator fails where more than a fifth of its accepted cases are trivial, or fewer than a tenth of all cases are accepted.

    quota = Quota()
    quota.add(accepted=True, trivial=is_trivial(values))
    sys.exit(wrong > 0 or quota.failed())
"""
MOST_TRIVIAL, LEAST_ACCEPTED = 1 / 5, 1 / 10
FEW = 10  # of fewer cases no share is judged


def is_trivial(values):
    """Whether all values are one: operands and points are then indistinguishable."""
    return len(set(values)) < 2


class Quota:
    def __init__(self, most_trivial=MOST_TRIVIAL, least_accepted=LEAST_ACCEPTED):
        self.most_trivial, self.least_accepted = most_trivial, least_accepted
        self.cases = self.accepted = self.trivial = 0

    def add(self, accepted=True, trivial=False):
        self.cases += 1
        self.accepted += bool(accepted)
        self.trivial += bool(accepted and trivial)

    def failed(self):
        """Prints the shares; returns whether one is beyond its quota."""
        broken = self.cases >= FEW and (self.accepted < self.least_accepted * self.cases or
                                        self.accepted >= FEW and self.trivial > self.most_trivial * self.accepted)
        print(f"quota: {self.accepted} of {self.cases} cases accepted (at least {100 * self.least_accepted:.0f} %), {self.trivial} of them "
              f"trivial (at most {100 * self.most_trivial:.0f} %){': BROKEN' if broken else ''}")
        return broken
