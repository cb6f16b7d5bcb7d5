"""How alike two texts are: precision, recall and F1 by several views of a text.

``bigrams`` is the FOREST paper's: sets of two consecutive words.  The others check that no conclusion hangs on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scrapy_forest.model.terms import words


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall of an extracted text."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean.

        >>> Score(0.5, 1.0).f1, Score(0.0, 0.0).f1
        (0.6666666666666666, 0.0)
        """
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


ZERO: Final = Score(0.0, 0.0)


def score_bigrams(gold: str, text: str) -> Score:
    """Sets of two consecutive words, section 4 of the paper.

    >>> score_bigrams("a b c d", "a b c")
    Score(precision=1.0, recall=0.6666666666666666)
    """
    return _sets(_shingles(gold, 2), _shingles(text, 2))


def score_shingles(gold: str, text: str) -> Score:
    """Sets of four consecutive words: stricter about order than bigrams."""
    return _sets(_shingles(gold, 4), _shingles(text, 4))


def score_words(gold: str, text: str) -> Score:
    """Bags of words: how often counts, order does not."""
    wanted, found = Counter(words(gold)), Counter(words(text))
    return _ratio((wanted & found).total(), wanted.total(), found.total())


def score_lcs(gold: str, text: str) -> Score:
    """Longest common subsequence of words: order counts, gaps are allowed."""
    wanted, found = list(words(gold)), list(words(text))
    return _ratio(lcs_length(wanted, found), len(wanted), len(found))


METRICS: Final[dict[str, Callable[[str, str], Score]]] = {
    "bigrams": score_bigrams,
    "words": score_words,
    "shingles": score_shingles,
    "lcs": score_lcs,
}


def lcs_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Length of the longest common subsequence, by Hyyrö's bit-parallel algorithm.

    Python's integers are the bit vectors, so that 10,000 words take about a second, not minutes.

    >>> lcs_length("nematode knowledge", "empty bottle")
    7
    """
    positions: dict[Hashable, int] = {}
    for index, item in enumerate(one):
        positions[item] = positions.get(item, 0) | 1 << index
    full = (1 << len(one)) - 1
    row = full
    for item in other:
        matches = row & positions.get(item, 0)
        row = ((row + matches) | (row - matches)) & full
    return len(one) - row.bit_count()


@lru_cache(maxsize=256)  # many methods are compared with the same gold
def _shingles(text: str, size: int) -> frozenset[tuple[str, ...]]:
    """Runs of ``size`` words; a text shorter than that is one run."""
    tokens = list(words(text))
    if 0 < len(tokens) < size:
        return frozenset([tuple(tokens)])
    return frozenset(zip(*(tokens[start:] for start in range(size)), strict=False))


def _sets(gold: frozenset[tuple[str, ...]], text: frozenset[tuple[str, ...]]) -> Score:
    return _ratio(len(gold & text), len(gold), len(text))


def _ratio(common: int, gold: int, text: int) -> Score:
    return Score(common / text, common / gold) if gold and text else ZERO


def percentile(values: Iterable[float], percent: float) -> float:
    """Linear interpolation between the two nearest ranks, 0 for no values.

    >>> percentile([1, 2, 3, 4], 50), percentile([5], 10)
    (2.5, 5.0)
    """
    ranked = sorted(values)
    if not ranked:
        return 0.0
    place = (len(ranked) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(ranked) - 1)
    return float(ranked[low] + (ranked[high] - ranked[low]) * (place - low))
