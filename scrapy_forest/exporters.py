"""JSON lines that are in their file before anybody says that an article is done."""

from __future__ import annotations

import logging
from dataclasses import fields
from io import BufferedWriter, BytesIO
from typing import IO, Any, Final

from scrapy.crawler import Crawler
from scrapy.exporters import JsonLinesItemExporter

from scrapy_forest import items
from scrapy_forest.crawl.sinks import Line, Sink
from scrapy_forest.extensions import ForestExtension

logger = logging.getLogger(__name__)

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
    """Scrapy's JSON lines, each of them whole or not there.

    Lines of articles for a local file that is appended to are written by the plugin, once they are safe in the outbox.
    All others are written at once, as well as Scrapy's file for them can.
    """

    def __init__(self, file: IO[bytes], *, forest: ForestExtension | None, **kwargs: Any) -> None:
        self._line = BytesIO()  # what Scrapy's exporter takes for the file
        super().__init__(self._line, **kwargs)
        self._output = file
        self._forest = forest
        self._sink = Sink(file.name) if is_appended_file(file) else None
        self._staged: list[Line] = []
        if self._sink and self._sink.torn:
            logger.warning("%d bytes of half a line were cut from %r", len(self._sink.torn), self._sink.path)
        self._is_mending = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, file: IO[bytes], **kwargs: Any) -> ArticleLinesExporter:
        """As Scrapy's feed export makes it."""
        return cls(file, forest=crawler.get_extension(ForestExtension), **kwargs)

    def export_item(self, item: Any) -> None:
        """Make one line, and write it or hand it over."""
        try:
            self._write(item, self._line_of(item))
        except Exception as error:
            if self._forest:
                self._forest.refuse(item, error)
            raise

    def finish_exporting(self) -> None:
        """Scrapy closes the file now, at the end or because a batch is full: what is still staged must be in it."""
        super().finish_exporting()
        if self._sink:
            try:
                for line in self._staged:
                    if line.is_waiting:
                        line.write()
            finally:
                self._sink.close()

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """As Scrapy does, with the parts of an article as dictionaries."""
        value = plain(super().serialize_field(field, name, value))
        return mended(value) if self._is_mending else value

    def _line_of(self, item: Any) -> bytes:
        try:
            super().export_item(item)
        except UnicodeEncodeError:  # half a character, which a page can have in its data; nothing was written yet
            self._is_mending = True
            try:
                super().export_item(item)
            finally:
                self._is_mending = False
        line = self._line.getvalue()
        self._line.seek(0)
        self._line.truncate()
        return line

    def _write(self, item: Any, text: bytes) -> None:
        if self._sink is None:
            self._output.write(text)
            self._output.flush()
            if self._forest:
                self._forest.written(item)
            return
        line = Line(self._sink, text)
        if self._forest and self._forest.stage(item, line):
            self._staged = [*(each for each in self._staged if each.is_waiting), line]
        else:
            line.write()


def is_appended_file(file: Any) -> bool:
    """Whether an export goes to a local file, as it is, after what is there already."""
    return isinstance(file, BufferedWriter) and file.mode == "ab" and isinstance(file.name, str)


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
