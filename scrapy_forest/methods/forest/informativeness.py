"""Section 3.3: how informative a node is about the signifiers, J, U and I = J × U."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt


@dataclass(frozen=True, slots=True)
class Counts:
    """Signifiers ``x`` and other terms ``y`` in a text, counted with their multiplicity.

    Weighted signifiers make ``x`` a fraction; nothing below minds.
    """

    x: float
    y: float

    @property
    def n(self) -> float:
        """All terms, the paper's N."""
        return self.x + self.y


def statistical_density(node: Counts) -> float:
    """Jeffrey's statistical density J, equation 2: the worst-case share of signifiers at 70 % confidence.

    >>> round(statistical_density(Counts(1, 0)), 3)
    0.317
    >>> round(statistical_density(Counts(8, 20)), 2), round(statistical_density(Counts(3, 5)), 2)
    (0.21, 0.22)
    >>> statistical_density(Counts(0, 0))
    0.0
    """
    if node.n == 0:
        return 0.0
    error = sqrt((node.x + 0.5) * (node.y + 0.5) / node.n)
    return max(0.0, (node.x + 0.5 - error) / (node.n + 1))


def unexpectedness(node: Counts, page: Counts) -> float:
    """How much simpler the node is to describe than to generate, equation 3, in nats.

    The paper says "23 bits" and "6 bits"; its numbers are natural logarithms.

    >>> round(unexpectedness(Counts(10, 26), Counts(20, 100)), 2)
    22.66
    >>> round(unexpectedness(Counts(3, 1), Counts(20, 100)), 2)
    5.56
    """
    return _times_log(node.n, page.n) - _times_log(node.x, page.x) - _times_log(node.y, page.y)


def informativeness(node: Counts, page: Counts) -> float:
    """I = J × U, equation 4."""
    return statistical_density(node) * unexpectedness(node, page)


def signifier_share(node: Counts, page: Counts) -> float:
    """Share of the page's signifiers that the node holds, our default.

    It is what is left of U when only the signifiers count.  U also rewards every other term, by about x/y of the page
    each, so that a node wins by taking in more text of whatever kind.

    >>> signifier_share(Counts(10, 26), Counts(20, 100))
    0.5
    """
    return node.x / page.x if page.x else 0.0


def _times_log(count: float, total: float) -> float:
    """``count × log total`` with 0 log 0 = 0: what does not occur costs nothing to describe."""
    return count * log(total) if count else 0.0
