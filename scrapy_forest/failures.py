"""Why a download failed, as one of a few words: stats and the ledger must not depend on what a server makes up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from OpenSSL import SSL
from scrapy import exceptions
from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.internet import error
from twisted.internet.defer import CancelledError
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from scrapy_forest.downloadermiddlewares import HostPaused, HostTooSlow
from scrapy_forest.network.blocked import BlockedAddress, Interrupted
from scrapy_forest.network.heads import HeadTooLarge

INTERRUPTED: Final = "interrupted"
UNKNOWN: Final = "download"  # an error of no kind that we know

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
    (HostTooSlow, "slow_host"),
    *((getattr(exceptions, name), reason) for name, reason in _SCRAPYS.items() if hasattr(exceptions, name)),
    (CancelledError, "too_large"),  # how Scrapy ended such downloads before; our own ending is Interrupted
    (error.DNSLookupError, "dns"),
    (error.TimeoutError, "timeout"),
    (error.ConnectionRefusedError, "refused"),
    (ResponseFailed, "connection"),
    (error.ConnectionLost, "connection"),
    (error.ConnectError, "connection"),
)
_IGNORED: Final = {  # Scrapy's own words
    "Forbidden by robots.txt": ("robots", False),
    "max redirections reached": ("redirects", True),
}
# What Scrapy's "failed" does not tell.
_CAUSES: Final[tuple[tuple[type[BaseException], str], ...]] = ((SSL.Error, "tls"), (HeadTooLarge, "too_large"))


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
    for kind, reason in _CAUSES:
        if any(isinstance(cause, kind) for cause in _causes(raised)):
            return reason, True
    for kind, reason in _REASONS:
        if isinstance(raised, kind):
            return reason, True
    if isinstance(raised, IgnoreRequest):
        if "DOWNLOAD_MAXSIZE" in str(raised):  # of what was packed
            return "too_large", True
        return _IGNORED.get(str(raised), ("ignored", False))
    return UNKNOWN, True


def _causes(raised: BaseException | None) -> Iterator[BaseException]:
    """What Twisted says that a failed download failed of, also where Scrapy has wrapped that."""
    for each in (raised, getattr(raised, "__cause__", None)):
        yield from (reason.value for reason in getattr(each, "reasons", ()))
