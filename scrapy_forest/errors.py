"""What can go wrong, as a small tree.

ForestError
├── PageError            a page that cannot be read
│   ├── EmptyPage        nothing to read: no element, or no body
│   ├── PageTooDeep      nested beyond what the parser follows
│   └── TagTooLarge      a tag with so many attributes that parsing it would hang
├── NotEnoughSamples     too few pages to tell template from content
├── NoCandidate          no node of the samples qualifies
├── UnknownMethod        a name that no method has
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
    "UnknownMethod",
]


class ForestError(Exception):
    """Base of all errors this package raises on purpose."""


class PageError(ForestError):
    """A page that cannot be read; ``url`` names it."""

    reason = "cannot be read"

    def __init__(self, url: str) -> None:
        super().__init__(url)  # what pickling needs to make it again in another process
        self.url = url

    def __str__(self) -> str:
        return f"{self.url!r} {self.reason}"


class EmptyPage(PageError):
    """There is no element to read, or no body."""

    reason = "has nothing to read"


class PageTooDeep(PageError):
    """Elements are nested deeper than the parser follows."""

    reason = "is nested too deeply"


class TagTooLarge(PageError):
    """One tag has thousands of attributes, which HTML parsers handle in quadratic time."""

    reason = "has a tag with too many attributes"


class NotEnoughSamples(ForestError):
    """Induction was asked to work on fewer samples than it needs."""

    def __init__(self, have: int, need: int) -> None:
        super().__init__(have, need)
        self.have = have
        self.need = need

    def __str__(self) -> str:
        return f"induction needs {self.need} or more readable pages, got {self.have}"


class NoCandidate(ForestError):
    """No node of the samples qualifies as the article, for instance because no signifier is on any page."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self.method = method

    def __str__(self) -> str:
        return f"{self.method} found no node that could hold the article"


class UnknownMethod(ForestError):
    """A method was asked for by a name that none has."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)
        self.name = name
        self.known = known

    def __str__(self) -> str:
        return f"no method is called {self.name!r}; there are {', '.join(self.known)}"


class InvalidWrapper(ForestError):
    """A wrapper read from outside does not fit the format."""


class DatasetError(ForestError):
    """A data set that is missing, empty or of another layout."""
