"""Definition 3: structural patterns, that is element types on a level."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_forest.methods.forest.element_type import element_type, naming_type
from scrapy_forest.methods.forest.options import ForestOptions
from scrapy_forest.model.page import Page


@dataclass(frozen=True, slots=True)
class StructuralPattern:
    """An element type, and the level it stands on unless levels are left out."""

    type: str
    level: int | None = None

    def __str__(self) -> str:
        return f"//{self.type}" + (f" on level {self.level}" if self.level else "")


def pattern_of(page: Page, index: int, options: ForestOptions) -> StructuralPattern:
    """The structural pattern of one element of a page."""
    if options.attributes == "all":
        kind = element_type(page.outline.elements[index], index + 1, tolerant=options.tolerant)
    else:
        kind = naming_type(page.outline, index, tolerant=options.tolerant)
    return StructuralPattern(kind, page.outline.levels[index] if options.level_in_pattern else None)
