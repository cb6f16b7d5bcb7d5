"""Moments, as feeds write them and as feedparser gives them, always in UTC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Final

OLDEST: Final = datetime(1990, 1, 1, tzinfo=timezone.utc)  # before the web; mostly 1970, a date that was not set

_FUTURE: Final = timedelta(days=366)
_ISO: Final = re.compile(
    r"\s*(?P<day>\d{4}-\d\d-\d\d)"
    r"(?:[Tt ](?P<minutes>\d\d:\d\d)(?P<seconds>:\d\d)?[.,\d]*\s*(?:(?P<hour>[+-]\d\d):?(?P<minute>\d\d))?)?",
    re.A,
)


def date_from_utc(parts: Sequence[int] | None) -> datetime | None:
    """The moment of a tuple that starts with year, month, …, second; a leap second counts as the one before it."""
    if not parts:
        return None
    year, month, day, hour, minute, second = parts[:6]
    try:
        return _plausible(datetime(year, month, day, hour, minute, min(second, 59), tzinfo=timezone.utc))
    except (ValueError, OverflowError):
        return None


def parse_date(text: str) -> datetime | None:
    """The moment that is written in ISO 8601 or RFC 822; without a zone, in UTC.

    >>> str(parse_date("2024-02-29T23:30:00-01:00")), str(parse_date("Thu, 29 Feb 2024 23:30:00 GMT"))
    ('2024-03-01 00:30:00+00:00', '2024-02-29 23:30:00+00:00')
    """
    try:
        date = _parse(text[:100])
        return _plausible((date if date.tzinfo else date.replace(tzinfo=timezone.utc)).astimezone(timezone.utc))
    except (ValueError, OverflowError, IndexError, TypeError):  # parsedate_to_datetime has had all of them
        return None


def _parse(text: str) -> datetime:
    iso = _ISO.match(text)
    if iso is None:
        return parsedate_to_datetime(text)
    zone = f"{iso['hour']}:{iso['minute']}" if iso["hour"] else ""
    return datetime.fromisoformat(f"{iso['day']}T{iso['minutes'] or '00:00'}{iso['seconds'] or ':00'}{zone}")


def _plausible(date: datetime) -> datetime | None:
    """The date, unless it is before the web or more than a year ahead."""
    return date if OLDEST <= date <= datetime.now(timezone.utc) + _FUTURE else None
