"""Why a download failed, as one of a few words: stats and the ledger must not depend on what a server makes up."""

from __future__ import annotations

from typing import Final

from scrapy import exceptions
from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import error
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from scrapy_forest.downloadermiddlewares import HostPaused
from scrapy_forest.network.blocked import BlockedAddress, Interrupted

INTERRUPTED: Final = "interrupted"

# Scrapy has names of its own since 2.15; before, Twisted's came through.
_SCRAPYS: Final = {
    "CannotResolveHostError": "dns",
    "DownloadTimeoutError": "timeout",
    "DownloadConnectionRefusedError": "refused",
    "DownloadCancelledError": "too_large",
    "ResponseDataLossError": "connection",
    "DownloadFailedError": "connection",
    "UnsupportedURLSchemeError": "bad_scheme",
}
_REASONS: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (Interrupted, INTERRUPTED),
    (HostPaused, "retry_after"),
    *((getattr(exceptions, name), reason) for name, reason in _SCRAPYS.items() if hasattr(exceptions, name)),
    (error.DNSLookupError, "dns"),
    (error.TimeoutError, "timeout"),
    (error.ConnectionRefusedError, "refused"),
    (ResponseFailed, "connection"),
    (error.ConnectionLost, "connection"),
    (error.ConnectError, "connection"),
)


def reason_of(failure: Failure) -> tuple[str, bool]:
    """The word for a failure, and whether it is an error: what we do not want to fetch is none.

    >>> reason_of(Failure(error.DNSLookupError()))
    ('dns', True)
    """
    raised = failure.value
    if isinstance(raised, HttpError):
        return f"http_{raised.response.status}", True
    if isinstance(raised, BlockedAddress):
        return raised.reason, False
    for kind, reason in _REASONS:
        if isinstance(raised, kind):
            return reason, True
    if isinstance(raised, IgnoreRequest):
        return ("robots" if "robots.txt" in str(raised) else "ignored"), False
    return "download", True
