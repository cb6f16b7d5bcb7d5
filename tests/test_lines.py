"""S18 and X12: one line of valid JSON for whatever an item holds, and nothing in it is changed."""

import json
from io import BytesIO

import pytest

from scrapy_forest.exporters import ArticleLinesExporter
from scrapy_forest.items import ArticleItem, AuthorItem, FeedItem, MetadataItem

TEXTS = {
    "surrogate": "a\ud800b\udfffc",
    "NUL": "a\0b",
    "line ends": "a\nb\r\nc\x0bd\x0ce\x85f\u2028g\u2029h",
    "controls": "".join(map(chr, range(32))),
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "bidi": "\u202egnp.exe\u202c",
    "10 MB": "é\u2028" * 3_000_000,
    "formula": "=cmd|'/c calc'!A1+HYPERLINK(\"https://a.example\")",
    "formulas": "@SUM(1+1)\t-2+3\r+4",
    "markup": "</script><!--",
}


def export(item, encoding):
    file = BytesIO()
    exporter = ArticleLinesExporter(file, forest=None, encoding=encoding)
    exporter.start_exporting()
    exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", None])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_s18_one_valid_line_each(text, encoding):
    item = ArticleItem(
        url="https://a.example/" + text[:20],
        headline=text,
        articleBody=text,
        authors=[AuthorItem(text[:1000])],
        feed=FeedItem(url="https://a.example/feed", entryId=text[:1000]),
        metadata=MetadataItem(flags=[text[:1000]]),
    )
    written = export(item, encoding)
    assert written.endswith(b"\n")
    assert written.count(b"\n") == 1
    line = json.loads(written.decode("utf-8"))
    expected = text.replace("\ud800", "?").replace("\udfff", "?") if encoding else text
    assert (line["headline"], line["articleBody"]) == (expected, expected)
    assert line["authors"] == [{"name": expected[:1000]}]


@pytest.mark.parametrize("text", ["=cmd|'/c calc'!A1", "+1+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_x12_lines_stay_as_they_are(text):
    """JSON is data: a formula is nothing there.  Who makes a spreadsheet of it has to guard that (docs/item.md)."""
    line = json.loads(export(ArticleItem(url="https://a.example/", headline=text), "utf-8"))
    assert line["headline"] == text
