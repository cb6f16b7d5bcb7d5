import asyncio
from collections import Counter, deque
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings

from scrapy_forest.downloadermiddlewares import HostPaused, RetryAfterMiddleware, SampleMiddleware, retry_after
from scrapy_forest.extensions import ForestExtension
from scrapy_forest.responses import FOREST, TICKET
from scrapy_forest.settings import ForestSettings

URL = "https://a.example/1"
NOW = datetime.now(timezone.utc)
YEAR = 366 * 24 * 3600


def respond(value=None, status=429):
    headers = {} if value is None else {"Retry-After": value}
    return Response(URL, status=status, headers=headers)


def in_seconds(seconds, **changes):
    return format_datetime(NOW.replace(**changes) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", None),
        ("000", None),
        ("1", 1.0),
        (" 120 ", 120.0),
        ("0099", 99.0),
        ("9" * 5000, 999_999_999.0),
        ("-1", None),
        ("+1", None),
        ("1.5", None),
        ("1e3", None),
        ("12 seconds", None),
        ("soon", None),
        ("\xb2", None),  # a digit, but not a decimal one
        (b"\xff\xfe", None),
        ("inf", None),
        ("nan", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None),
        ("Wed, 31 Feb 2999 07:28:00 GMT", None),
        ("Wed, 21 Oct 2999 07:28:00", None),  # no zone
        ("Mon, 01 Jan 0001 00:00:00 +2359", None),
        ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
        ("Fri, 31 Dec 2999 23:59:59 +99999999999999999999", None),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(respond(value)) == seconds


@pytest.mark.parametrize(
    ("seconds", "value"),
    [
        (90, in_seconds(90)),
        (3600, format_datetime((NOW + timedelta(hours=1)).astimezone(timezone(timedelta(hours=-5))))),
    ],
)
def test_retry_after_a_date(seconds, value):
    assert seconds - 60 < retry_after(respond(value)) <= seconds + 1


def test_retry_after_a_far_date():
    assert retry_after(respond("Fri, 31 Dec 9999 23:59:59 GMT")) > 1000 * YEAR


@given(st.text("0123456789-+:, GMTDec", max_size=40))
def test_retry_after_anything(value):
    seconds = retry_after(respond(value.encode("latin-1")))
    assert seconds is None or seconds > 0


class Slots:
    """What a middleware sees of Scrapy's downloader."""

    def __init__(self, **delays):
        self.slots = {f"{name}.example": SimpleNamespace(delay=delay, queue=deque()) for name, delay in delays.items()}

    def get_slot_key(self, request):
        return request.url.split("/")[2]


class Stats(Counter):
    def inc_value(self, name, number):
        self[name] += number


def make_crawler(**delays):
    return SimpleNamespace(engine=SimpleNamespace(downloader=Slots(**delays)), stats=Stats())


@pytest.fixture
def make_extension(tmp_path):
    def make(crawler, **settings):
        own = {"FOREST_STORE": str(tmp_path / "forest.sqlite"), "FOREST_WORKERS": 1, **settings}
        return ForestExtension(crawler, ForestSettings.from_settings(Settings(own)))

    return make


@pytest.fixture
def pausing(make_extension):
    """A middleware, and the slot of a.example, whose delay is 1 second, in an event loop."""

    def run(use, **settings):
        async def main():
            crawler = make_crawler(a=1.0)
            middleware = RetryAfterMiddleware(crawler, make_extension(crawler, **settings))
            await use(middleware, crawler.engine.downloader.slots["a.example"])
            return crawler

        return asyncio.run(main())

    return run


@pytest.mark.parametrize(
    ("value", "status", "delay"),
    [
        ("5", 429, 5.0),
        ("5", 503, 5.0),
        ("5", 200, 1.0),
        ("5", 301, 1.0),
        ("0", 429, 1.0),
        ("soon", 429, 1.0),
        (None, 429, 1.0),
        ("60", 429, 60.0),
        ("61", 429, 1.0),  # too long to wait for
    ],
)
def test_a_short_pause_is_made(pausing, value, status, delay):
    async def use(middleware, slot):
        response = respond(value, status)
        assert middleware.process_response(Request(URL), response) is response
        assert slot.delay == delay

    pausing(use)


def test_a_pause_ends(pausing):
    async def use(middleware, slot):
        slot.delay = 0.01
        middleware.process_response(Request(URL), respond("1"))
        assert slot.delay == 1.0
        middleware.process_request(Request(URL))  # is only late
        await asyncio.sleep(1.1)
        assert slot.delay == 0.01

    assert pausing(use).stats == {"forest/retry_after": 1}


def test_pauses_that_overlap_end_with_the_longest(pausing):
    async def use(middleware, slot):
        slot.delay, slot.jitter = 0.01, 0.5
        middleware.process_response(Request(URL), respond("1"))
        await asyncio.sleep(0.2)
        middleware.process_response(Request(URL), respond("2"))
        await asyncio.sleep(1.0)
        assert (slot.delay, slot.jitter) == (2.0, 0)  # no random part of it
        await asyncio.sleep(1.1)
        assert (slot.delay, slot.jitter) == (0.01, 0.5)

    pausing(use)


def test_a_longer_delay_stays(pausing):
    async def use(middleware, slot):
        slot.delay = 30.0
        middleware.process_response(Request(URL), respond("5"))
        assert slot.delay == 30.0

    pausing(use)


def test_after_a_long_one_the_host_is_left_alone(pausing):
    async def use(middleware, slot):
        request = Request(URL)
        middleware.process_request(request)
        middleware.process_response(request, respond("11"))
        assert request.meta["dont_retry"]
        assert slot.delay == 1.0
        with pytest.raises(HostPaused, match=r"a\.example"):
            middleware.process_request(Request("https://a.example/2"))
        middleware.process_request(Request("https://b.example/"))

    assert pausing(use, FOREST_RETRY_AFTER_SECONDS=10).stats == {"forest/retry_after": 1}


def test_a_slot_that_is_gone(pausing):
    async def use(middleware, slot):
        middleware.process_response(Request("https://b.example/"), respond("5"))
        assert slot.delay == 1.0

    pausing(use)


@pytest.mark.parametrize(
    ("meta", "response", "is_kept"),
    [
        ({FOREST: True}, HtmlResponse(URL, body=b"<html>"), True),
        ({}, HtmlResponse(URL, body=b"<html>"), False),
        ({FOREST: False}, HtmlResponse(URL, body=b"<html>"), False),
        ({FOREST: True}, HtmlResponse(URL, body=b"<html>", status=404), False),
        ({FOREST: True}, TextResponse(URL, body=b"text"), False),
        ({FOREST: True}, Response(URL, body=b"<html>"), False),
    ],
)
def test_pages_of_articles_are_copied(make_extension, meta, response, is_kept):
    async def main():
        extension = make_extension(make_crawler())
        forest = extension.forest
        await forest.open()
        request = Request(URL, meta=meta)
        assert await SampleMiddleware(extension).process_response(request, response) is response
        assert len(forest.buffer) == is_kept
        if is_kept:
            document = await forest.buffer.get(request.meta[TICKET])
            assert (document.url, document.body) == (URL, response.body)
        else:
            assert TICKET not in request.meta
        await forest.close()

    asyncio.run(main())
