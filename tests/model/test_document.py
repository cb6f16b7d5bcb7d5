import json
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.errors import EmptyPage
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry

URL = "https://a.example/1"
BODY = "<html><body><p>Größe</p></body></html>"
MOMENTS = st.none() | st.datetimes(timezones=st.just(timezone.utc))
NAMES = st.lists(st.text(max_size=5), max_size=3).map(tuple)
ENTRIES = st.builds(
    FeedEntry, st.text(max_size=9), st.none() | st.text(max_size=9), authors=NAMES, tags=NAMES, published=MOMENTS
)
TEXTS = st.none() | st.text(max_size=9)
DOCUMENTS = st.builds(Document, st.text(max_size=20), st.binary(max_size=20), TEXTS, TEXTS, st.none() | ENTRIES)


@given(DOCUMENTS)
def test_a_label_and_the_bytes_are_the_document(document):
    label = json.loads(json.dumps(document.label()))
    assert Document.from_label(label, document.body) == document


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (BODY.encode(), None),
        (BODY.encode("latin-1"), "text/html; charset=latin-1"),
        (BODY.encode("utf-16"), "text/html"),
    ],
)
def test_the_page_is_read_as_the_server_says(body, content_type):
    page = Document(URL, body, content_type).page()
    assert page.url == URL
    assert "Größe" in "".join(page.body.itertext())


@pytest.mark.parametrize(("own", "language"), [("", "de"), (' lang="fr"', "fr")])
def test_the_language_of_the_feed_is_for_pages_that_name_none(own, language):
    body = BODY.replace("<html", f"<html{own}").encode()
    assert Document(URL, body, language="de").page().language == language


def test_a_sample_has_the_entry():
    entry = FeedEntry(title="a", published=datetime(2024, 1, 1, tzinfo=timezone.utc))
    sample = Document(URL, BODY.encode(), entry=entry).sample()
    assert sample.entry == entry
    assert sample.page.url == URL


def test_nothing_to_read():
    with pytest.raises(EmptyPage):
        Document(URL, b"").page()
