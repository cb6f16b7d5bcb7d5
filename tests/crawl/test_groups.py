from collections import Counter
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.crawl.groups import LEARNED_FROM, MOST_TEMPLATES, Group, Groups, host_of
from scrapy_forest.crawl.offers import Offer
from scrapy_forest.induction.templates import Signature, Template
from scrapy_forest.model.wrapper import Wrapper

NOON = datetime(2024, 5, 1, 12, tzinfo=timezone.utc)
HOST = "a.example"
WRAPPER = Wrapper("//article", "forest-tfidf")


def sign(*features):
    return Signature(dict.fromkeys(features, 1000))


PLAIN = sign(*range(10))
FRAME = range(12)
POST = sign(*FRAME, 20, 21, 22, 23)  # two templates in one frame: a cosine of 0.75
REVIEW = sign(*FRAME, 30, 31, 32, 33)


def make_offer(feed=None, signature=PLAIN, *, is_entitled=True):
    return Offer("key", f"https://{HOST}/", None, NOON, feed, signature=signature, is_entitled=is_entitled)


def bring(groups, *, host=HOST, feed=None, signature=PLAIN, now=0.0):
    """A page comes: its offer, and the batches that are released."""
    offer = make_offer(feed, signature)
    offer.group = groups.place(host, signature)
    return offer, groups.hold(offer.group, offer, now)


def offers_of(batches):
    return [list(batch.offers) for batch in batches]


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/a", "example.com"),
        ("https://Example.COM/a", "example.com"),
        ("https://example.com:443/", "example.com"),
        ("http://example.com:80/", "example.com"),
        ("http://example.com:443/", "example.com:443"),
        ("https://example.com:80/", "example.com:80"),
        ("https://example.com:/", "example.com"),
        ("https://example.com./", "example.com"),
        ("https://example.com.:8080/", "example.com:8080"),
        ("https://www.example.com/", "example.com"),
        ("https://user:secret@example.com/", "example.com"),
        ("https://example.com?q=http://other.example/", "example.com"),
        ("https://example.com#@other.example", "example.com"),
        ("https://bücher.example/", "bücher.example"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://[::1]/", "[::1]"),
        ("http://[::1]:81/", "[::1]:81"),
        ("about:blank", ""),
    ],
)
def test_host_of(url, host):
    assert host_of(url) == host


def test_x04_who_links_to_a_host_does_not_decide_when_it_is_learned():
    groups = Groups(4)
    group = groups.place(HOST, PLAIN, is_entitled=False)
    assert not any(groups.hold(group, make_offer(is_entitled=False), 0.0) for _ in range(3))
    groups.place(HOST, PLAIN)  # a page of its own feed: from now on only these count
    assert not any(groups.hold(group, make_offer(), 0.0) for _ in range(3))
    [batch] = groups.hold(group, make_offer(), 0.0)
    assert len(batch.offers) == 7


def test_enough_pages_are_released_together():
    groups = Groups(3)
    first, none = bring(groups)
    second, still_none = bring(groups)
    assert none == still_none == []
    assert len(groups) == 2
    third, [batch] = bring(groups)
    assert list(batch.offers) == [first, second, third]
    assert len(groups) == 0
    assert batch.group.is_inducing
    assert {offer.batch for offer in batch.offers} == {batch}
    assert {offer.group for offer in batch.offers} == {batch.group}


def test_pages_of_earlier_runs_count():
    groups = Groups(3)
    groups.set_host(HOST, [Group(HOST, "t1", Template(PLAIN), samples=2)])
    offer, [batch] = bring(groups)
    assert list(batch.offers) == [offer]


def test_what_is_known_of_a_host_is_set_once():
    groups = Groups(3)
    assert not groups.has_host(HOST)
    groups.set_host(HOST, [])
    assert groups.has_host(HOST)
    group = groups.place(HOST, PLAIN)
    groups.set_host(HOST, [])  # somebody else looked it up at the same time
    assert groups.place(HOST, PLAIN) is group


@pytest.mark.parametrize(
    ("wrappers", "is_settled"),
    [([], False), ([None], False), ([WRAPPER], True), ([WRAPPER, None], True), ([WRAPPER, WRAPPER], True)],
)
def test_a_host_is_settled_when_a_template_is_known(wrappers, is_settled):
    groups = Groups(3)
    groups.set_host(HOST, [Group(HOST, f"t{n}", Template(PLAIN), wrapper) for n, wrapper in enumerate(wrappers)])
    assert groups.is_settled(HOST) is is_settled
    assert not groups.is_settled("b.example")


def test_a_page_joins_the_template_it_is_like():
    groups = Groups(99)
    group = groups.place(HOST, PLAIN)
    assert groups.place(HOST, sign(*range(9))) is group
    assert groups.place(HOST, sign(*range(50, 60))) is not group
    assert groups.place("b.example", PLAIN) is not group
    assert group.template.count == 2


def test_a_template_learns_from_so_many_pages():
    groups = Groups(99)
    for _ in range(LEARNED_FROM + 10):
        group = groups.place(HOST, PLAIN)
    assert group.template.count == LEARNED_FROM


def test_a_host_has_only_so_many_templates():
    groups = Groups(99)
    made = [groups.place(HOST, sign(number)) for number in range(MOST_TEMPLATES * 2)]
    assert len(set(made)) == MOST_TEMPLATES
    assert {group.name for group in made} == {f"t{number}" for number in range(1, MOST_TEMPLATES + 1)}


def test_a_new_name_is_one_that_is_free():
    groups = Groups(99)
    groups.set_host(HOST, [Group(HOST, "t2", Template(sign(1)), WRAPPER)])
    assert [groups.place(HOST, sign(number)).name for number in (2, 3, 1)] == ["t1", "t3", "t2"]


def test_a_feed_without_more_pages_releases_its_groups():
    groups = Groups(99)
    one, _ = bring(groups, feed="one")
    other, _ = bring(groups, feed="one", signature=sign(50))
    assert list(groups.release_exhausted({"one"})) == []
    assert offers_of(groups.release_exhausted(set())) == [[one], [other]]
    assert len(groups) == 0
    assert list(groups.release_exhausted(set())) == []


def test_a_group_of_two_feeds_waits_for_both():
    groups = Groups(99)
    one, _ = bring(groups, feed="one")
    two, _ = bring(groups, feed="two")
    alone, _ = bring(groups, feed="one", signature=sign(50))
    assert offers_of(groups.release_exhausted({"two"})) == [[alone]]
    assert offers_of(groups.release_exhausted(set())) == [[one, two]]


def test_pages_of_other_spiders_wait_for_idle():
    groups = Groups(99)
    page, _ = bring(groups)
    entry, _ = bring(groups, feed="one")
    assert list(groups.release_exhausted(set())) == []  # nobody knows how many more pages come
    assert offers_of(groups.release_first(100)) == [[page, entry]]


def test_pages_do_not_wait_for_longer_than_that():
    groups = Groups(99)
    first, _ = bring(groups, now=100.0)
    second, _ = bring(groups, now=150.0)
    other, _ = bring(groups, signature=sign(50), now=150.0)
    assert list(groups.release_overdue(159.9, 60.0)) == []
    assert offers_of(groups.release_overdue(160.0, 60.0)) == [[first, second]]
    third, _ = bring(groups, now=170.0)  # waits anew, but in a group that is being learned
    third.group.is_inducing = False
    assert offers_of(groups.release_overdue(210.0, 60.0)) == [[other]]
    assert offers_of(groups.release_overdue(230.0, 60.0)) == [[third]]


@pytest.mark.parametrize(
    "release",
    [
        lambda groups: groups.release_first(100),
        lambda groups: groups.release_exhausted(set()),
        lambda groups: groups.release_overdue(1e9, 0.0),
    ],
    ids=["all", "exhausted", "overdue"],
)
def test_what_comes_during_an_induction_is_held_back(release):
    groups = Groups(2)
    bring(groups, feed="one")
    _, [batch] = bring(groups, feed="one")
    late = [bring(groups, feed="one") for _ in range(5)]  # more than enough
    assert [batches for _, batches in late] == [[]] * 5
    assert list(release(groups)) == []
    assert len(groups) == 5
    batch.group.is_inducing = False
    assert offers_of(release(groups)) == [[offer for offer, _ in late]]


def test_pages_of_a_known_template_are_not_learned_again():
    groups = Groups(2)
    groups.set_host(HOST, [Group(HOST, "t1", Template(PLAIN), WRAPPER)])
    bring(groups)
    _, [batch] = bring(groups)
    assert not batch.group.is_inducing


def test_two_templates_in_one_frame_part():
    groups = Groups(5)
    pages = [bring(groups, signature=signature) for signature in (POST, REVIEW, POST, REVIEW, POST)]
    offers = [offer for offer, _ in pages]
    first, second = pages[-1][1]
    assert list(first.offers) == offers[::2]
    assert list(second.offers) == offers[1::2]
    assert (first.group.name, second.group.name) == ("t1", "t2")
    assert all(offer.group is second.group and offer.batch is second for offer in second.offers)
    assert first.group.is_inducing
    assert second.group.is_inducing
    assert groups.place(HOST, POST) is first.group
    assert groups.place(HOST, REVIEW) is second.group


def test_a_known_template_is_not_parted():
    groups = Groups(99)
    pages = [bring(groups, signature=signature)[0] for signature in (POST, REVIEW, POST, REVIEW)]
    pages[0].group.wrapper = WRAPPER
    assert offers_of(groups.release_first(100)) == [pages]


def hold_all(groups, signatures):
    """Pages of one group that are released together."""
    offers = [bring(groups, signature=signature)[0] for signature in signatures]
    [batch] = groups.release(offers[0].group)
    return batch, offers


def test_a_batch_is_divided():
    near = sign(*FRAME, 20)
    far = sign(*FRAME, 30)  # one box: no reason to part them before they are learned
    groups = Groups(99)
    batch, offers = hold_all(groups, [near, far, near, far, far])
    first, second = groups.divide(batch, [offers[0:3:2], offers[1:4:2]])
    assert first is batch.group
    assert (first.name, second.name) == ("t1", "t2")
    assert [offer.group for offer in offers] == [first, second, first, second, second]  # the last one was in no part
    assert (first.template.count, second.template.count) == (2, 2)
    assert groups.place(HOST, near) is first
    assert groups.place(HOST, far) is second


@st.composite
def arrivals(draw):
    kinds = st.sampled_from([PLAIN, POST, REVIEW, sign(50), sign(60, 61)])
    hosts, feeds = st.sampled_from([HOST, "b.example"]), st.sampled_from([None, "one", "two"])
    return draw(st.lists(st.tuples(hosts, feeds, kinds), max_size=40))


@given(arrivals(), st.integers(1, 6), st.sampled_from([set(), {"one"}, {"one", "two"}]))
def test_each_page_is_released_once(pages, enough, in_work):
    groups, released = Groups(enough), Counter()

    def release(batches):
        for batch in batches:
            batch.group.is_inducing = False  # as if it took no time
            assert all(offer.group is batch.group and offer.batch is batch for offer in batch.offers)
            released.update(batch.offers)

    offers = []
    for host, feed, signature in pages:
        offer, batches = bring(groups, host=host, feed=feed, signature=signature)
        offers.append(offer)
        release(batches)
        assert len(groups) == len(offers) - released.total()
    release(groups.release_exhausted(in_work))
    release(groups.release_first(100))
    assert len(groups) == 0
    assert released == Counter(offers)
    names = {(offer.group.host, offer.group.name): offer.group for offer in offers}
    assert len(names) == len({offer.group for offer in offers})
