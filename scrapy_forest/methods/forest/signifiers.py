"""Section 3.1: signifiers, the terms that mark the article on its page.

They come from the pages themselves (tf-idf), from the feed entry, or from the other sources that the paper's
discussion names: metadata, anchor text of links to the page, keywords given by the user.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import log

from scrapy_forest.methods.forest.options import ForestOptions, Source
from scrapy_forest.model.sample import Sample
from scrapy_forest.model.terms import terms

Signifiers = Mapping[str, float]  # terms, or n-grams of terms, with their weights


def find_signifiers(samples: Sequence[Sample], options: ForestOptions) -> list[Signifiers]:
    """The signifiers of each sample, those of most weight first."""
    weights: Sequence[Mapping[str, float]]
    if options.source == "tfidf":
        weights = tfidf([_counts(sample.page.leaf_terms, options.ngram) for sample in samples])
    else:
        weights = [_counts(_told_terms(sample, options.source), options.ngram) for sample in samples]
    return [heaviest(each, options.signifiers) for each in weights]


def tfidf(bags: Sequence[Mapping[str, int]]) -> list[dict[str, float]]:
    """Term frequency × log(documents / documents with the term), for each document.

    With one document idf says nothing, and plain frequency is left.

    >>> tfidf([{"halloween": 3, "news": 5}, {"oktoberfest": 2, "news": 4}])
    [{'halloween': 2.0794415416798357, 'news': 0.0}, {'oktoberfest': 1.3862943611198906, 'news': 0.0}]
    """
    frequency = Counter(chain.from_iterable(bags))
    idf = {term: log(len(bags) / count) if len(bags) > 1 else 1.0 for term, count in frequency.items()}
    return [{term: count * idf[term] for term, count in bag.items()} for bag in bags]


def heaviest(weights: Mapping[str, float], top: int | None) -> Signifiers:
    """The terms of most weight above 0, all of them for None; of equal ones the first on the page."""
    ranked = sorted((item for item in weights.items() if item[1] > 0), key=lambda item: -item[1])
    return dict(ranked[:top])


def ngrams(found: Sequence[str], size: int) -> Sequence[str]:
    """Runs of ``size`` terms.

    >>> ngrams(["day", "of", "dead"], 2)
    ['day of', 'of dead']
    """
    if size == 1:
        return found
    return [" ".join(found[start : start + size]) for start in range(len(found) - size + 1)]


def _counts(texts: Iterable[Sequence[str]], size: int) -> Mapping[str, int]:
    return Counter(chain.from_iterable(ngrams(text, size) for text in texts))


def _told_terms(sample: Sample, source: Source) -> Iterable[Sequence[str]]:
    return (terms(text, sample.page.language) for text in _told_texts(sample, source))


def _told_texts(sample: Sample, source: Source) -> Iterable[str]:
    """What others say about the page."""
    if source == "feed":
        return (sample.entry.title, sample.entry.summary) if sample.entry else ()
    if source == "metadata":
        return sample.page.metadata_texts
    if source == "anchors":
        return sample.anchors
    return sample.keywords
