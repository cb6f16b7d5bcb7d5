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

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> ArticleLinesExporter:
        """As Scrapy's feed export makes it."""
        return cls(file, forest=crawler.get_extension(ForestExtension), **kwargs)

    def export_item(self, item: Any) -> None:
        """Write one line."""
        try:
            values = {name: plain(value) for name, value in self.get_serialized_fields(item)}
            line = self.encoder.encode(values) + "\n"
            self.file.write(line.encode(self.encoding or "utf-8", "replace"))  # half characters are no reason to fail
            self.file.flush()
        except Exception:
            if self._forest:
                self._forest.refuse(item)
            raise


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
