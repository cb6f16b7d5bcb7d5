"""All hostile inputs."""

from __future__ import annotations

from typing import Final

from hostile import characters, feeds, links, pages, tags, wrappers
from hostile.inputs import Input

INPUTS: Final[tuple[Input, ...]] = tuple(
    item for module in (pages, tags, characters, feeds, links, wrappers) for item in module.inputs()
)
BY_ID: Final = {f"{item.row} {item.name}": item for item in INPUTS}
if len(BY_ID) != len(INPUTS):
    raise ValueError("two inputs have the same name")
