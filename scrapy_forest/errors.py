"""What can go wrong, as a small tree.

ForestError
├── PageError            a page that cannot be read
│   ├── EmptyPage        no element, or no text in the body
│   ├── PageTooDeep      nested beyond what the parser follows
│   └── TagTooLarge      a tag with so many attributes that parsing it would hang
├── NotEnoughSamples     too few pages to tell template from content
├── NoCandidate          no node of the samples qualifies
├── InvalidWrapper       a wrapper from outside that does not fit the format
└── DatasetError         a data set that cannot be measured on
"""

from __future__ import annotations

__all__ = [
    "DatasetError",
    "EmptyPage",
    "ForestError",
    "InvalidWrapper",
    "NoCandidate",
    "NotEnoughSamples",
    "PageError",
    "PageTooDeep",
    "TagTooLarge",
]


class ForestError(Exception):
    """Base of all errors this package raises on purpose."""


class PageError(ForestError):
    """A page that cannot be read; ``url`` names it."""

    reason = "cannot be read"

    def __init__(self, url: str) -> None:
        super().__init__(f"{url!r} {self.reason}")
        self.url = url


class EmptyPage(PageError):
    """The body has no text."""

    reason = "has no text"


class PageTooDeep(PageError):
    """Elements are nested deeper than the parser follows."""

    reason = "is nested too deeply"


class TagTooLarge(PageError):
    """One tag has thousands of attributes, which HTML parsers handle in quadratic time."""

    reason = "has a tag with too many attributes"


class NotEnoughSamples(ForestError):
    """Induction was asked to work on fewer samples than it needs."""

    def __init__(self, have: int, need: int) -> None:
        super().__init__(f"induction needs at least {need} readable sample pages, got {have}")
        self.have = have
        self.need = need


class NoCandidate(ForestError):
    """No node of the samples qualifies as the article, for instance because no signifier is on any page."""

    def __init__(self, method: str) -> None:
        super().__init__(f"{method} found no node that could hold the article")
        self.method = method


class InvalidWrapper(ForestError):
    """A wrapper read from outside does not fit the format."""


class DatasetError(ForestError):
    """A data set that is missing, empty or of another layout."""
