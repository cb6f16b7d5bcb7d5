"""XPath steps as values: what an element looks like, and how to say so in XPath 1.0.

Everything that enters an expression comes from a hostile page.  Tags and attribute names are taken only when they
are plain names, values only when XPath can hold them, and then as escaped literals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lxml.etree import _Element

_PLAIN_NAME: Final = re.compile(r"[a-z][a-z0-9-]*\Z")
# XML 1.0 knows no control characters and no lone surrogates, and nobody writes a class of a thousand characters.
_USABLE_VALUE: Final = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]{1,200}\Z")


def is_plain_name(name: object) -> bool:
    """Whether a tag or attribute name can stand in an expression as it is.

    >>> is_plain_name("div"), is_plain_name("foo:bar"), is_plain_name("a<b"), is_plain_name("{}")
    (True, False, False, False)
    """
    return isinstance(name, str) and bool(_PLAIN_NAME.match(name))


def is_usable_value(value: str) -> bool:
    """Whether an attribute value can stand in an XPath literal."""
    return bool(_USABLE_VALUE.match(value))


def literal(value: str) -> str:
    """An XPath 1.0 string literal, which knows no escapes: both quotes need ``concat``.

    >>> print(literal("story"), literal("it's"), literal('''a"b'c'''))
    'story' "it's" concat('a"b', "'", 'c')
    """
    if "'" not in value:
        return f"'{value}'"
    if '"' not in value:
        return f'"{value}"'
    parts = [f"'{part}'" for part in value.split("'")]
    return "concat(" + ', "\'", '.join(parts) + ")"


@dataclass(frozen=True, slots=True, order=True)
class HasToken:
    """The attribute holds ``token`` among its space-separated words, as classes do."""

    attribute: str
    token: str

    def __str__(self) -> str:
        return f"contains(concat(' ', normalize-space(@{self.attribute}), ' '), {literal(f' {self.token} ')})"


@dataclass(frozen=True, slots=True, order=True)
class Equals:
    """The attribute is exactly ``value``."""

    attribute: str
    value: str

    def __str__(self) -> str:
        return f"@{self.attribute}={literal(self.value)}"


@dataclass(frozen=True, slots=True, order=True)
class StartsWith:
    """The attribute starts with ``prefix``: ids such as ``post-4711``."""

    attribute: str
    prefix: str

    def __str__(self) -> str:
        return f"starts-with(@{self.attribute}, {literal(self.prefix)})"


Condition = HasToken | Equals | StartsWith


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: a tag and conditions on attributes, perhaps a position among its siblings."""

    tag: str
    conditions: tuple[Condition, ...] = ()
    position: int | None = None

    def __str__(self) -> str:
        predicate = f"[{' and '.join(map(str, self.conditions))}]" if self.conditions else ""
        return f"{self.tag}{predicate}" + (f"[{self.position}]" if self.position else "")


def tokens(value: str) -> list[str]:
    """Words of an attribute, split where ``normalize-space`` splits (``str.split`` knows more spaces).

    >>> tokens(" a  b\\tc\\xa0d ")
    ['a', 'b', 'c\\xa0d']
    """
    return [token for token in re.split(r"[ \t\r\n]+", value) if token]


def conditions_of(element: _Element) -> set[Condition]:
    """All that can be said of an element by its naming attributes."""
    found: set[Condition] = set()
    for name in ("id", "itemprop", "role"):
        value = element.get(name)
        if value and is_usable_value(value):
            found.add(Equals(name, value))
    found.update(HasToken("class", token) for token in tokens(element.get("class", "")) if is_usable_value(token))
    return found
