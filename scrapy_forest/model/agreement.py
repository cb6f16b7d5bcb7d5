"""How far a feed entry and an article agree: the feed is a witness that every page has."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from scrapy_forest.model.terms import stop_words_of, words

MOST_COMPARED: Final = 200_000  # characters of a body: a hundred pages of a book; a megabyte takes a quarter second


def coverage(text: str, body: str) -> float | None:
    """The share of pairs of consecutive words of ``text`` that stand in ``body``; None if ``text`` has no pair.

    >>> coverage("the old mill", "We saw the old windmill.")
    0.5
    """
    said = set(pairwise(words(text[:MOST_COMPARED])))
    return len(said & set(pairwise(words(body[: 2 * MOST_COMPARED])))) / len(said) if said else None


def agreement(summary: str, body: str, language: str | None = None) -> float | None:
    """The share of telling words of ``summary`` that stand in ``body``, in any order; None if it has no such word.

    Summaries are often written by hand: other forms and other words, but the same names and subjects.

    >>> agreement("The miller and his mill", "A mill has a miller", "en"), agreement("the", "body", "en")
    (1.0, None)
    """
    said = set(words(summary)) - stop_words_of(language)
    return len(said.intersection(words(body[:MOST_COMPARED]))) / len(said) if said else None
