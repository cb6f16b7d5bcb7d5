"""What a method proposes: the same node on several pages, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml.etree import _Element


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that may hold the article, on each sample page that has it."""

    label: str  # in the method's own words
    score: float  # comparable within one ranking only
    nodes: tuple[_Element, ...]
    evidence: Mapping[str, object] = field(default_factory=dict)  # plain values, for people and for JSON
