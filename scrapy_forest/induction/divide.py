"""From the samples of a group to the wrappers of the templates in it: nearly always one.

Two templates in the same frame may differ in a single box, the one that holds the article.  No signature tells that
from chance.  But their common wrapper does: nothing but the body holds both articles.  Then the least difference is
reason enough to try them apart, and what comes out tells whether that was right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scrapy_forest.errors import NoCandidate
from scrapy_forest.induction.generalise import WHOLE_BODY
from scrapy_forest.induction.induce import induce
from scrapy_forest.induction.templates import signature_of, split_group
from scrapy_forest.methods.method import Method
from scrapy_forest.model.sample import Sample
from scrapy_forest.model.wrapper import Wrapper


@dataclass(frozen=True, slots=True)
class Learned:
    """The wrapper of a template, and which of the samples it was learned from."""

    wrapper: Wrapper
    members: tuple[int, ...]


def induce_templates(samples: Sequence[Sample], method: Method | str = "forest-tfidf") -> list[Learned]:
    """The wrapper of each template among these samples; raises what :func:`induce` raises."""
    wrapper = induce(samples, method)
    together = [Learned(wrapper, tuple(range(len(samples))))]
    if wrapper.content != WHOLE_BODY:
        return together
    parts = split_group([signature_of(sample.page) for sample in samples], alternatives=1)
    if len(parts) == 1:
        return together
    try:
        apart = [Learned(induce([samples[n] for n in part], method), tuple(part)) for part in parts]
    except NoCandidate:
        return together
    return together if any(each.wrapper.content == WHOLE_BODY for each in apart) else apart
