import asyncio

import pytest
from OpenSSL import SSL
from scrapy import exceptions
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import error
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed, ResponseNeverReceived

from scrapy_forest.downloadermiddlewares import HostPaused, HostTooSlow
from scrapy_forest.failures import reason_of
from scrapy_forest.network.blocked import BlockedAddress, Interrupted
from scrapy_forest.network.heads import HeadTooLarge

URL = "https://a.example/"
# Scrapy's own errors exist since 2.15.
NAMES = [
    ("CannotResolveHostError", "dns"),
    ("DownloadTimeoutError", "timeout"),
    ("DownloadConnectionRefusedError", "refused"),
    ("DownloadCancelledError", "too_large"),
    ("ResponseDataLossError", "connection"),
    ("DownloadFailedError", "connection"),
    ("UnsupportedURLSchemeError", "bad_scheme"),
]


def wrapped(cause):
    """As Scrapy raises it since 2.15."""
    failed = getattr(exceptions, "DownloadFailedError", error.ConnectError)()
    failed.__cause__ = ResponseNeverReceived([Failure(cause)])
    return failed


@pytest.mark.parametrize(
    ("raised", "reason", "is_error"),
    [
        (HttpError(Response(URL, status=404)), "http_404", True),
        (HttpError(Response(URL, status=503)), "http_503", True),
        (BlockedAddress("private_address", URL), "private_address", False),
        (Interrupted(URL), "interrupted", True),
        (HostPaused("later"), "retry_after", True),
        (error.DNSLookupError(), "dns", True),
        (error.TimeoutError(), "timeout", True),
        (error.ConnectionRefusedError(), "refused", True),
        (error.ConnectError(), "connection", True),
        (error.NoRouteError(), "connection", True),
        (error.ConnectionLost(), "connection", True),
        (ResponseFailed([]), "connection", True),
        (ResponseNeverReceived([]), "connection", True),
        (ResponseFailed([Failure(SSL.Error([("SSL routines", "", "wrong version number")]))]), "tls", True),
        (wrapped(SSL.Error()), "tls", True),
        (wrapped(HeadTooLarge()), "too_large", True),
        (wrapped(error.ConnectionLost()), "connection", True),
        (HostTooSlow("later"), "slow_host", True),
        (IgnoreRequest("max redirections reached"), "redirects", True),
        (IgnoreRequest("Forbidden by robots.txt"), "robots", False),
        (IgnoreRequest("some middleware says no"), "ignored", False),
        (IgnoreRequest(), "ignored", False),
        (ValueError("whatever"), "download", True),
        (asyncio.TimeoutError(), "download", True),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_reasons(raised, reason, is_error):
    assert reason_of(Failure(raised)) == (reason, is_error)


@pytest.mark.parametrize(("name", "reason"), NAMES)
def test_reasons_of_newer_versions(name, reason):
    kind = getattr(exceptions, name, None)
    if kind is None:
        pytest.skip(f"this Scrapy has no {name}")
    assert reason_of(Failure(kind("what a server made up: robots.txt"))) == (reason, True)
