"""A wrapper: what is learned for a template, as data that people can read, diff and edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from scrapy_forest.errors import InvalidWrapper
from scrapy_forest.model.grammar import MAX_SOUGHT
from scrapy_forest.model.selection import selection

FORMAT: Final = 1  # of the JSON; a wrapper's own version counts its inductions
MAX_JSON: Final = 256 * 1024  # characters; ours have some 500
MAX_EXCLUSIONS: Final = 50
MAX_DEPTH: Final = 20  # of the evidence
# Of all expressions of a quick wrapper together, on 20,000 elements.
MAX_QUICK_STEPS: Final = 120  # each takes up to 7 ms
MAX_QUICK_TESTS: Final = 40  # up to 20 ms


@dataclass(frozen=True, slots=True)
class Wrapper:
    """Plain XPath 1.0 that finds the article on any page of one template."""

    content: str  # selects the node that holds the article; if several, the first one is meant
    method: str  # which method found it
    exclusions: tuple[str, ...] = ()  # relative to the content node: what to leave out inside it
    version: int = 1  # of this template's wrapper, counted up at each new induction
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_quick(self) -> bool:
        """Whether it may be applied between two downloads; any other belongs in a process that can be ended."""
        plans = [selection(expression).plan for expression in self.expressions]
        return (
            all(plan.is_quick for plan in plans)
            and sum(plan.steps for plan in plans) <= MAX_QUICK_STEPS
            and sum(plan.tests for plan in plans) <= MAX_QUICK_TESTS
            and sum(plan.sought for plan in plans) <= MAX_SOUGHT
        )

    @property
    def expressions(self) -> tuple[str, ...]:
        """All its XPath."""
        return (self.content, *self.exclusions)

    def to_json(self) -> str:
        """One JSON object over several lines, keys in a fixed order, so that a diff shows what changed."""
        return json.dumps({"format": FORMAT, **asdict(self)}, ensure_ascii=False, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Wrapper:
        """Read a wrapper from outside; whatever does not fit is refused."""
        if len(text) > MAX_JSON:
            raise InvalidWrapper(f"{len(text):,} characters; {MAX_JSON:,} are allowed")
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidWrapper(f"not JSON: {error}") from error
        number = data.pop("format", None) if isinstance(data, dict) else None
        if type(number) is not int or number != FORMAT:  # JSON's true and 1.0 equal 1, too
            raise InvalidWrapper(f"not a wrapper of format {FORMAT}")
        _check_types(data)
        wrapper = cls(**{**data, "exclusions": tuple(data.get("exclusions", ()))})
        for expression in wrapper.expressions:
            selection(expression)
        return wrapper


_TYPES: Final = {"content": str, "method": str, "exclusions": list, "version": int, "evidence": dict}


def _check_types(data: Mapping[str, Any]) -> None:
    for name, value in data.items():
        if type(value) is not _TYPES.get(name):
            raise InvalidWrapper(f"{name!r} is no key of a wrapper, or of another type than it should be")
    missing = {"content", "method"} - data.keys()
    if missing:
        raise InvalidWrapper(f"{', '.join(sorted(missing))} missing")
    exclusions = data.get("exclusions", ())
    if len(exclusions) > MAX_EXCLUSIONS or not all(isinstance(each, str) for each in exclusions):
        raise InvalidWrapper(f"'exclusions' must be strings, {MAX_EXCLUSIONS} at most")
    if not _is_flat(data.get("evidence", {})):
        raise InvalidWrapper(f"'evidence' is nested more than {MAX_DEPTH} levels deep")


def _is_flat(value: Any) -> bool:
    """Whether it is nested no deeper than all that walks through it can bear."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inside = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, (dict, list)))
        level = [each for values in inside for each in values]
    return not level
