"""How many cases of a generator show nothing. A case that is refused, or whose result has one value at all points, passes any check: a
generator fails where more than a fifth of its accepted cases are trivial, or fewer than a tenth of all cases are accepted; of fewer than
100 cases, where a generator at the quota would have such a share less than once in 1,000 runs.

    quota = Quota()
    quota.add(accepted=True, trivial=is_trivial(values))
    sys.exit(wrong > 0 or quota.failed())
"""
import math

MOST_TRIVIAL, LEAST_ACCEPTED = 1 / 5, 1 / 10
MANY = 100  # of fewer cases a share is judged by chance


def is_beyond(cases, shown, share):
    """Whether `shown` of the cases are more than a share of them."""
    chance = sum(math.comb(cases, i) * share**i * (1 - share)**(cases - i) for i in range(shown, cases + 1)) if cases < MANY else 0
    return shown > share * cases + 1e-9 and chance < 1e-3


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
        broken = is_beyond(self.cases, self.cases - self.accepted, 1 - self.least_accepted) or \
            is_beyond(self.accepted, self.trivial, self.most_trivial)
        print(f"quota: {self.accepted} of {self.cases} cases accepted (at least {100 * self.least_accepted:.0f} %), {self.trivial} of them "
              f"trivial (at most {100 * self.most_trivial:.0f} %){': BROKEN' if broken else ''}")
        return broken
