"""A wrapper: what is learned for a template, as data that people can read, diff and edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Final

from lxml import etree

from scrapy_forest.errors import InvalidWrapper

FORMAT: Final = 1  # of the JSON; a wrapper's own version counts its inductions


@dataclass(frozen=True, slots=True)
class Wrapper:
    """Plain XPath 1.0 that finds the article on any page of one template."""

    content: str  # selects the node that holds the article; if several, the first one is meant
    method: str  # which method found it
    exclusions: tuple[str, ...] = ()  # relative to the content node: what to leave out inside it
    version: int = 1  # of this template's wrapper, counted up at each new induction
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """One JSON object over several lines, keys in a fixed order, so that a diff shows what changed."""
        return json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Wrapper:
        """Read a wrapper from outside; whatever does not fit is refused."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidWrapper(f"not JSON: {error}") from error
        number = data.pop("format", None) if isinstance(data, dict) else None
        if type(number) is not int or number != FORMAT:  # JSON's true and 1.0 equal 1, too
            raise InvalidWrapper(f"not a wrapper of format {FORMAT}")
        _check_types(data)
        wrapper = cls(**{**data, "exclusions": tuple(data.get("exclusions", ()))})
        for expression in (wrapper.content, *wrapper.exclusions):
            compile_xpath(expression)
        return wrapper


_TYPES: Final = {"content": str, "method": str, "exclusions": list, "version": int, "evidence": dict}


def _check_types(data: Mapping[str, Any]) -> None:
    for name, value in data.items():
        if type(value) is not _TYPES.get(name):
            raise InvalidWrapper(f"{name!r} is no key of a wrapper, or of another type than it should be")
    missing = {"content", "method"} - data.keys()
    if missing:
        raise InvalidWrapper(f"{', '.join(sorted(missing))} missing")
    if not all(isinstance(each, str) for each in data.get("exclusions", ())):
        raise InvalidWrapper("'exclusions' must be strings")


def compile_xpath(expression: str) -> etree.XPath:
    """The expression ready to run, without the regular expressions that lxml adds to XPath."""
    try:
        return etree.XPath(expression, regexp=False)
    except (etree.XPathSyntaxError, ValueError) as error:  # ValueError: what XML cannot hold, such as NUL
        raise InvalidWrapper(f"not XPath 1.0: {expression!r}") from error


compiled = lru_cache(maxsize=1024)(compile_xpath)  # for wrappers in use
