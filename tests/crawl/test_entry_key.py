from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.crawl.ledger import digest_of, entry_key
from scrapy_forest.model.feed import FeedEntry


@pytest.mark.parametrize(
    ("link", "key"),
    [
        ("https://a.com/1", "https://a.com/1"),
        ("https://a.com", "https://a.com/"),
        ("HTTPS://A.com/Path", "https://a.com/Path"),
        ("https://a.com/1#comments", "https://a.com/1"),
        ("https://a.com/1?b=2&a=1", "https://a.com/1?a=1&b=2"),
        ("https://a.com/1?a=2&a=1", "https://a.com/1?a=1&a=2"),
        ("https://a.com/1?utm_source=rss&utm_medium=feed", "https://a.com/1"),
        ("https://a.com/1?utm_source=rss#utm_medium=feed", "https://a.com/1"),
        ("https://a.com/1?id=7&fbclid=x", "https://a.com/1?id=7"),
        ("https://a.com/?p=7&utm_campaign=a%26b", "https://a.com/?p=7"),
        ("https://a.com/1?mc_cid=1&mc_eid=2&gclid=3&ref_src=4&cmpid=5", "https://a.com/1"),
        ("https://a.com/1?outm_source=1", "https://a.com/1?outm_source=1"),  # not ours to remove
        ("https://a.com/1?ref=2", "https://a.com/1?ref=2"),
        ("https://a.com/utm_source=rss", "https://a.com/utm_source=rss"),
        ("https://a.com/1?q=", "https://a.com/1?q="),
        ("https://a.com/ä?ö=ü", "https://a.com/%C3%A4?%C3%B6=%C3%BC"),
        ("https://a.com/%c3%a4", "https://a.com/%C3%A4"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://a.com/a b", "https://a.com/a%20b"),
        ("https://a.com/日本?語=1&utm_source=x", "https://a.com/%E6%97%A5%E6%9C%AC?%E8%AA%9E=1"),
    ],
)
def test_entry_key(link, key):
    assert entry_key(link) == key


PARTS = st.text("aB1/.~%-_&=?#+;ä日 ", max_size=20)


@given(PARTS, st.lists(st.sampled_from(["utm_source=x", "gclid=1", "a=1", "b=", "c", "ä=é", "a=%26"]), max_size=5))
def test_a_key_is_its_own_key(path, query):
    key = entry_key(f"https://a.com/{path}?{'&'.join(query)}")
    assert entry_key(key) == key
    assert "#" not in key


@given(st.permutations(["a=1", "b=2", "c=3", "utm_source=x", "fbclid=y"]))
def test_the_order_of_the_query_does_not_matter(query):
    assert entry_key(f"https://a.com/?{'&'.join(query)}") == "https://a.com/?a=1&b=2&c=3"


def test_a_digest_tells_changes():
    one = FeedEntry(title="a", summary="b", content="c")
    assert digest_of(one) == digest_of(replace(one, tags=("x",), id="2", link="https://a.example/"))
    changed = [
        replace(one, title="b"),
        replace(one, summary=""),
        replace(one, content="\ud800"),
        FeedEntry("", title="ab"),
    ]
    assert len({digest_of(each) for each in [one, *changed]}) == 5
