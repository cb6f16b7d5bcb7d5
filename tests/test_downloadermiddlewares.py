import asyncio
import time
from collections import Counter
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, exceptions
from scrapy.core.downloader import Slot
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings
from twisted.internet import error

from scrapy_forest.downloadermiddlewares import (
    HostPaused,
    HostTooSlow,
    RetryAfterMiddleware,
    SampleMiddleware,
    SlowHostMiddleware,
    retry_after,
)
from scrapy_forest.extensions import ForestExtension
from scrapy_forest.responses import FOREST, TICKET
from scrapy_forest.settings import ForestSettings

URL = "https://a.example/1"
DownloadTimeoutError = getattr(exceptions, "DownloadTimeoutError", None)  # since 2.15
YEAR = 366 * 24 * 3600


def respond(value=None, status=429):
    headers = {} if value is None else {"Retry-After": value}
    return Response(URL, status=status, headers=headers)


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


@pytest.mark.parametrize("zone", [timezone.utc, timezone(timedelta(hours=-5))])
@pytest.mark.parametrize("seconds", [90, 3600])
def test_retry_after_a_date(seconds, zone):
    when = datetime.now(timezone.utc) + timedelta(seconds=seconds)  # now, and not when the tests were collected
    assert seconds - 60 < retry_after(respond(format_datetime(when.astimezone(zone)))) <= seconds + 1


def test_retry_after_a_far_date():
    assert retry_after(respond("Fri, 31 Dec 9999 23:59:59 GMT")) > 1000 * YEAR


@given(st.text("0123456789-+:, GMTDec", max_size=40))
def test_retry_after_anything(value):
    seconds = retry_after(respond(value.encode("latin-1")))
    assert seconds is None or seconds > 0


class Slots:
    """What a middleware sees of Scrapy's downloader."""

    def __init__(self, **delays):
        self.slots = {f"{name}.example": Slot(8, delay) for name, delay in delays.items()}
        self.resumed = []

    def get_slot_key(self, request):
        return request.url.split("/")[2]

    def _latercall(self, slot):
        slot.latercall = None
        self.resumed.append(time.monotonic())


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
    ("value", "status", "is_held"),
    [
        ("5", 429, True),
        ("5", 503, True),
        ("5", 200, False),
        ("5", 301, False),
        ("0", 429, False),
        ("soon", 429, False),
        (None, 429, False),
        ("60", 429, True),
        ("61", 429, False),  # too long to wait for
    ],
)
def test_a_short_pause_is_made(pausing, value, status, is_held):
    async def use(middleware, slot):
        response = respond(value, status)
        assert middleware.process_response(Request(URL), response) is response
        assert (slot.latercall is not None) == is_held
        assert slot.delay == 1.0  # which AutoThrottle may change

    pausing(use)


def test_a_pause_ends(pausing):
    async def use(middleware, slot):
        middleware.process_response(Request(URL), respond("1"))
        assert slot.latercall
        middleware.process_request(Request(URL))  # is only late
        await asyncio.sleep(1.2)
        assert slot.latercall is None

    crawler = pausing(use)
    assert crawler.stats == {"forest/retry_after": 1}
    assert len(crawler.engine.downloader.resumed) == 1


@pytest.mark.parametrize(("first", "second"), [("1", "2"), ("2", "1")])
def test_pauses_that_overlap_end_with_the_longest(pausing, first, second):
    began = time.monotonic()

    async def use(middleware, slot):
        slot.latercall = asyncio.get_running_loop().call_later(0.1, middleware.process_request, None)  # by its delay
        middleware.process_response(Request(URL), respond(first))
        await asyncio.sleep(0.2)
        middleware.process_response(Request(URL), respond(second))
        await asyncio.sleep(2.3)

    (resumed,) = pausing(use).engine.downloader.resumed
    assert resumed - began >= 2


def test_after_a_long_one_the_host_is_left_alone(pausing):
    async def use(middleware, slot):
        request = Request(URL)
        middleware.process_request(request)
        middleware.process_response(request, respond("11"))
        assert request.meta["dont_retry"]
        assert slot.latercall is None
        with pytest.raises(HostPaused, match=r"a\.example"):
            middleware.process_request(Request("https://a.example/2"))
        middleware.process_request(Request("https://b.example/"))

    assert pausing(use, FOREST_RETRY_AFTER_SECONDS=10).stats == {"forest/retry_after": 1}


def test_a_slot_that_is_gone(pausing):
    async def use(middleware, slot):
        middleware.process_response(Request("https://b.example/"), respond("5"))
        assert slot.latercall is None

    pausing(use)


TIMED_OUT = [error.TimeoutError(), *([DownloadTimeoutError()] if DownloadTimeoutError else [])]


@pytest.mark.parametrize("raised", TIMED_OUT, ids=lambda raised: type(raised).__name__)
def test_n19_a_host_that_only_times_out_is_given_up(make_extension, raised):
    crawler = make_crawler(a=0.0, b=0.0)
    crawler.settings, extension = Settings(), make_extension(crawler)
    crawler.get_extension = lambda _: extension
    middleware = SlowHostMiddleware.from_crawler(crawler)
    refused = []

    def fail(request, error):
        middleware.process_request(request)
        middleware.process_exception(request, error)
        return "dont_retry" in request.meta

    waiting = SimpleNamespace(errback=lambda failure: refused.append(failure.value))
    crawler.engine.downloader.slots["a.example"].queue.append((Request(URL), waiting))
    assert not fail(Request(URL), raised)
    assert not fail(Request(URL), raised)
    middleware.process_response(Request(URL), Response(URL, status=500))  # it lives
    assert not any(fail(Request(URL), each) for each in (raised, raised, ValueError()))
    assert not refused
    assert fail(Request(URL), raised)
    with pytest.raises(HostTooSlow, match=r"a\.example"):
        middleware.process_request(Request(URL))
    assert [type(each) for each in refused] == [HostTooSlow]
    assert not fail(Request("https://b.example/"), raised)


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
