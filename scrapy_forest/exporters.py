"""JSON lines that are on disk before anybody says that an article is done."""

from __future__ import annotations

from typing import IO, Any

from scrapy.crawler import Crawler
from scrapy.exporters import JsonLinesItemExporter

from scrapy_forest.extensions import ForestExtension


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
            super().export_item(item)
            self.file.flush()
        except Exception:
            if self._forest:
                self._forest.refuse(item)
            raise
