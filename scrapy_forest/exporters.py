"""JSON lines that are on disk before anybody says that an article is done."""

from __future__ import annotations

from dataclasses import fields
from typing import IO, Any, Final

from scrapy.crawler import Crawler
from scrapy.exporters import JsonLinesItemExporter

from scrapy_forest import items
from scrapy_forest.extensions import ForestExtension

# The parts of an article, with the names of their fields: itemadapter finds these out anew for each of the two dozen
# parts of each article, which takes longer than all the rest of the export.
PARTS: Final = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (
        items.AuthorItem,
        items.FeedItem,
        items.FieldItem,
        items.ImageItem,
        items.MetadataItem,
        items.VideoItem,
        items.WrapperItem,
    )
}


class ArticleLinesExporter(JsonLinesItemExporter):
    """Scrapy's JSON lines, flushed after each line; an item that could not be written is not acknowledged."""

    def __init__(self, file: IO[bytes], *, forest: ForestExtension | None, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)  # type: ignore[arg-type]
        self._forest = forest
        self._is_mending = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> ArticleLinesExporter:
        """As Scrapy's feed export makes it."""
        return cls(file, forest=crawler.get_extension(ForestExtension), **kwargs)

    def export_item(self, item: Any) -> None:
        """Write one line."""
        try:
            self._write_line(item)
            self.file.flush()
        except Exception:
            if self._forest:
                self._forest.refuse(item)
            raise

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """As Scrapy does, with the parts of an article as dictionaries."""
        value = plain(super().serialize_field(field, name, value))
        return mended(value) if self._is_mending else value

    def _write_line(self, item: Any) -> None:
        try:
            super().export_item(item)
        except UnicodeEncodeError:  # half a character, which a page can have in its data; nothing was written yet
            self._is_mending = True
            try:
                super().export_item(item)
            finally:
                self._is_mending = False


def plain(value: Any) -> Any:
    """The parts of an article as dictionaries; anything else as it is, for Scrapy's encoder.

    >>> plain([items.AuthorItem("Jane Doe")])
    [{'name': 'Jane Doe'}]
    """
    kind = type(value)
    if kind in PARTS:
        return {name: plain(getattr(value, name)) for name in PARTS[kind]}
    if kind is list:
        return [plain(each) for each in value]
    if kind is dict:
        return {name: plain(each) for name, each in value.items()}
    return value


def mended(value: Any) -> Any:
    """The same with a question mark for each half of a character.

    >>> mended({"a": ["b\\ud800"]})
    {'a': ['b?']}
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [mended(each) for each in value]
    if isinstance(value, dict):
        return {name: mended(each) for name, each in value.items()}
    return value
