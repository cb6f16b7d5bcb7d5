"""Which template made a page: pages of one host fall into groups, one page at a time, in the order they arrive.

No paper of ours tells how; the idea is old (clusters of pages by their tag paths and names, with a leader for each) and
this is its plainest form.  A page becomes a set of features: names of its boxes, which tell sites apart, and tag paths
of its boxes, for pages that name nothing.  A template is the mean of its pages.  A page belongs to the template with
the greatest cosine, if that is great enough, or else starts a new one.

Content should not matter.  So only boxes count (not paragraphs, headings, lists, links, code), a feature counts once
however often it is there (3 comments are like 300), and in a mean, what few pages have weighs little.  Hence the order
of the pages hardly matters either; merging templates afterwards made no mix of blogs better, so nothing does it.

Posts and reviews of one site share all that is around them, and no threshold tells them from posts with and without
comments.  But of the boxes of posts and those of reviews each page has either the ones or the others, while nothing
stands in for comments that are not there.  Several pages show that: ``split_group``, for a group about to be learned.

What remains unseen: sites made with the same theme, which one wrapper may well fit; templates that differ in a box or
two, or where a page of a third kind blurs the either-or.  Pages of nothing but custom elements all look alike.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from math import sqrt
from typing import Any, Final
from zlib import crc32

from lxml.etree import _Element

from scrapy_forest.errors import InvalidTemplate
from scrapy_forest.model.page import Page

FORMAT: Final = 1  # of the JSON; features of another making are not comparable
SAME_TEMPLATE: Final = 0.6  # benchmarks/grouping.py: bounds hold from 0.4 to 0.7, hardly a change from 0.55 to 0.65
FULL: Final = 1000  # weights are in thousandths: whole numbers come back from JSON as they were
MAX_FEATURES: Final = 512  # news pages have 200 on average; the start of a larger page tells enough
MAX_BOXES: Final = 5000  # a page with more is mostly comments or an attack
MAX_TOKENS: Final = 8  # classes of one element; further ones name the post's tags
MAX_NAME: Final = 200  # characters of an attribute that are looked at
MIN_SIDE: Final = 2  # pages; a single one may be an oddity
MIN_ALTERNATIVES: Final = 4  # features, some two boxes; chance: once in 10,900 draws of 4 to 10 pages of blogs
MEMORY: Final = 50  # pages that a mean remembers, so that it follows a site that changes bit by bit

# Elements that lay out a page.  Writers of articles use few of them, and lxml finds them without leaving C.
BOXES: Final = {
    tag: f"/{tag}".encode() for tag in "article aside body div footer form header main nav section table td".split()
}
# What the hash of a name starts from, so that div.post is neither section.post nor div#post.
CLASS_OF: Final = {tag: crc32(f"{tag}.".encode()) for tag in BOXES}
ID_OF: Final = {tag: crc32(f"{tag}#".encode()) for tag in BOXES}
_KEY: Final = re.compile(r"[0-9a-f]{8}")


@dataclass(frozen=True)
class Signature:
    """What a template looks like: how many pages, in thousandths, have each feature (a 32-bit hash of it)."""

    weights: Mapping[int, int]

    @cached_property
    def square(self) -> int:
        """The square of its length."""
        return sum(weight * weight for weight in self.weights.values())

    def to_json(self) -> str:
        """One line: 1 kB for most pages, never over 9 kB."""
        features = {f"{feature:08x}": weight for feature, weight in sorted(self.weights.items())}
        return json.dumps({"format": FORMAT, "features": features}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Signature:
        """Read a signature from outside; whatever does not fit is refused."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidTemplate(f"not JSON: {error}") from error
        number = data.get("format") if isinstance(data, dict) else None
        if type(number) is not int or number != FORMAT:  # JSON's true and 1.0 equal 1, too
            raise InvalidTemplate(f"not a signature of format {FORMAT}")
        return cls(_read_features(data.get("features")))


def _read_features(data: Any) -> dict[int, int]:
    if not isinstance(data, dict) or not 0 < len(data) <= MAX_FEATURES:
        raise InvalidTemplate(f"'features' must be an object with 1 to {MAX_FEATURES} entries")
    for key, weight in data.items():
        if not _KEY.fullmatch(key) or type(weight) is not int or not 0 < weight <= FULL:
            raise InvalidTemplate(f"{key[:20]!r} is no feature, or its weight is not 1 to {FULL}")
    return {int(key, 16): weight for key, weight in data.items()}


@dataclass(frozen=True, slots=True)
class Template:
    """Pages of one host that look alike: their mean, and how many there were."""

    signature: Signature
    count: int = 1

    def adding(self, signature: Signature) -> Template:
        """This template with one page more."""
        old, new = self.signature.weights, signature.weights
        known = min(self.count, MEMORY)
        means = ((key, round((old.get(key, 0) * known + new.get(key, 0)) / (known + 1))) for key in {**old, **new})
        return Template(Signature(_heaviest(means)), self.count + 1)


def _heaviest(weights: Iterable[tuple[int, int]]) -> dict[int, int]:
    kept = {key: weight for key, weight in weights if weight}
    if len(kept) <= MAX_FEATURES:
        return kept
    return dict(sorted(kept.items(), key=lambda item: (-item[1], item[0]))[:MAX_FEATURES])


def find_template(
    signature: Signature, templates: Sequence[Template], *, threshold: float = SAME_TEMPLATE
) -> int | None:
    """Index of the template that a page belongs to; None if it is like none of them."""
    similarities = [similarity(signature, template.signature) for template in templates]
    best = max(similarities, default=0.0)
    return similarities.index(best) if templates and best >= threshold else None


def split_group(signatures: Sequence[Signature], *, alternatives: int = MIN_ALTERNATIVES) -> list[list[int]]:
    """Indices of the pages of each template in a group of pages: nearly always one list, with all of them.

    Two, if there are features that each page of one part has and no page of the other, and as many the other way.
    """
    patterns = Counter(_presence(signatures).values())
    everywhere = (1 << len(signatures)) - 1
    sides = [pattern for pattern in patterns if min(_size(pattern), _size(everywhere ^ pattern)) >= MIN_SIDE]
    clearest = max(sides, key=lambda side: (min(patterns[side], patterns[everywhere ^ side]), side), default=0)
    if min(patterns[clearest], patterns[everywhere ^ clearest]) < alternatives:
        return [list(range(len(signatures)))]
    parts = ([n for n in range(len(signatures)) if side >> n & 1] for side in (clearest, everywhere ^ clearest))
    return sorted(parts)


def _presence(signatures: Iterable[Signature]) -> dict[int, int]:
    """For each feature the pages that have it, as bits of a number."""
    presence: dict[int, int] = {}
    for number, signature in enumerate(signatures):
        for feature in signature.weights:
            presence[feature] = presence.get(feature, 0) | 1 << number
    return presence


def _size(pattern: int) -> int:
    return pattern.bit_count()  # pages


def similarity(one: Signature, other: Signature) -> float:
    """Cosine of two signatures: 1 for the same, 0 for nothing in common.

    >>> similarity(Signature({1: 1000, 2: 1000}), Signature({1: 1000, 3: 1000}))
    0.5
    """
    few, many = sorted((one.weights, other.weights), key=len)
    if not few:
        return float(not many)
    # Whole numbers up to the square root: so it is 1 for equal ones, never more, and the same both ways.
    dot = sum(weight * many.get(feature, 0) for feature, weight in few.items())
    return dot / sqrt(one.square * other.square)


def signature_of(page: Page) -> Signature:
    """Features of one page, in one pass over its boxes; the first ones where there are too many."""
    weights: dict[int, int] = {}
    paths: dict[_Element | None, int] = {}
    seen: set[tuple[str, str, str]] = set()
    for box in islice(page.body.iter(*BOXES), MAX_BOXES):
        tag = str(box.tag)
        # A path as the hash of its parent's: pages nest 2,000 levels.  It starts anew in what is no box, such as li.
        path = paths[box] = crc32(BOXES[tag], paths.get(box.getparent(), 0))
        weights[path] = FULL
        names = tag, box.get("class", "")[:MAX_NAME], box.get("id", "")[:MAX_NAME]
        if names not in seen:
            seen.add(names)
            weights.update(dict.fromkeys(name_features(*names), FULL))
        if len(weights) >= MAX_FEATURES:
            break
    return Signature(dict(islice(weights.items(), MAX_FEATURES)))


@lru_cache(maxsize=20_000)  # the same few names stand on every page of a site
def name_features(tag: str, classes: str, identifier: str) -> tuple[int, ...]:
    """Hashes of an element's names in tolerant form: digits number posts and do not name templates.

    >>> name_features("div", "post post-17", "") == name_features("div", "post post-4", "")
    True
    """
    seed = CLASS_OF[tag]
    tokens = classes.encode("utf-8", "replace").translate(None, b"0123456789").split()[:MAX_TOKENS]
    features = [crc32(token, seed) for token in tokens]
    if identifier:
        features.append(crc32(identifier.encode("utf-8", "replace").translate(None, b"0123456789"), ID_OF[tag]))
    return tuple(features)
