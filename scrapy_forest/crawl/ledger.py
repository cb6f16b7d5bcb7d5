"""The ledger: what became of every feed entry, in this crawl and in earlier ones.

Every entry that is read ends in exactly one way: as an item, as a skip, or as an error, the last two by reason.  So

    entries + pages = items + skips + errors

where pages are those that other spiders offer.  What a crawl could not finish because it was stopped is the skip
``interrupted``; it stays open, and the next crawl takes it up, whether or not the feed still lists it.

**When two entries are the same.**  The key of an entry is its link as :func:`entry_key` writes it.  An entry with a
known id in the same feed is the same entry, too, even when its link has changed, unless several entries of that feed
share the id.  And one page may stand under several links: pages that name the same canonical address, for entries of
the same title and day, are one article (:meth:`Ledger.is_duplicate`).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Final, NamedTuple

from w3lib.url import canonicalize_url, url_query_cleaner

from scrapy_forest.crawl.groups import host_of
from scrapy_forest.model.feed import FeedEntry
from scrapy_forest.store.thread import StoreThread
from scrapy_forest.store.values import LedgerRow, Receipt

# What mailing and advertising tools add to a link; the page is the same without.
_TRACKING: Final = re.compile(r"utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_hsenc|_hsmi|ref_src|cmpid")
# One comment; "#comments" is an article as some feeds link to it.
_COMMENT: Final = re.compile(r"#(?:comment-?|c|IDComment|disqus_thread-?)\d", re.IGNORECASE)
_MEDIA: Final = re.compile(
    r"\.(?:mp3|m4a|ogg|oga|opus|wav|flac|mp4|m4v|mov|webm|avi|mkv|jpe?g|png|gif|webp|svg|pdf|epub|zip|gz|docx?|xlsx?|pptx?)$",
    re.IGNORECASE,
)
# Refused by robots.txt or by settings: either may change, and to look again costs nothing.
REFUSALS: Final = frozenset(["robots", "ignored", "private_address", "bad_scheme", "bad_url", "credentials"])
POLITE: Final = frozenset(["retry_after", "http_429", "slow_host"])  # the server is not ready: no fault of the page
FINAL_ERRORS: Final = frozenset(["http_404", "http_410", "http_451"])  # the page is gone; asking again is no use

# A row that stands for an article under its canonical address; ``link`` is the key of the entry that it came for.
ALIAS: Final = "canonical"
HALF: Final = 16  # characters of a digest
NO_TITLE: Final = "-" * HALF

Count = Callable[[str], None]


def entry_key(link: str) -> str:
    """The link without fragment and tracking parameters, its query sorted: what the page is asked for by.

    >>> entry_key("https://A.com/1?b=2&utm_source=rss&a=1#top")
    'https://a.com/1?a=1&b=2'
    """
    query = link.partition("#")[0].partition("?")[2]
    tracking = [name for part in query.split("&") if _TRACKING.fullmatch(name := part.partition("=")[0])]
    return canonicalize_url(url_query_cleaner(link, tracking, remove=True) if tracking else link)


def digest_of(entry: FeedEntry) -> str:
    """Changes when the entry's text or its date of change does; its first half only with title and day."""
    updated = entry.updated.isoformat() if entry.updated else ""
    title = " ".join(entry.title.casefold().split())
    day = str(entry.published.date()) if entry.published else ""
    return (_half(title, day) if title else NO_TITLE) + _half(entry.title, entry.summary, entry.content, updated)


def _half(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:HALF]


def is_same_title(digest: str, other: str) -> bool:
    """Whether two digests are of entries with the same title and day; those without a title are never the same.

    >>> is_same_title(digest_of(FeedEntry(title="A  title", summary="x")), digest_of(FeedEntry(title="a Title")))
    True
    """
    return digest[:HALF] == other[:HALF] != NO_TITLE


@dataclass(frozen=True, slots=True)
class Task:
    """An entry whose page is to be fetched."""

    key: str
    entry: FeedEntry
    revision: int = 1


class _Arrival(NamedTuple):
    """The first page that came under an address: the key of its entry, and the entry's digest."""

    key: str
    digest: str


@dataclass(frozen=True, slots=True)
class LedgerOptions:
    """How entries are treated that were met before."""

    revisions: bool = False  # whether an entry that changed is fetched again
    tries: int = 3  # crawls that may fail on an entry before it is given up


class Ledger:
    """The book of one crawl.  Rows are written to the store soon after they change, several at a time."""

    def __init__(self, store: StoreThread, count: Count, options: LedgerOptions) -> None:
        self._store = store
        self._count = count
        self._options = options
        self._open: dict[str, LedgerRow | None] = {}  # by key; None for pages that no feed lists
        self._expected: dict[str, str] = {}  # key → feed, of pages that have not come yet
        self._in_work: Counter[str] = Counter()  # feed → how many pages of it have not come yet
        self._taken: set[str] = set()  # all keys of this crawl
        self._arrivals: dict[str, _Arrival] = {}  # by address: the canonical one of a page, or else its key
        self._addresses: dict[str, str] = {}  # of the open keys among these
        self._aliases: dict[str, LedgerRow] = {}  # by key: rows for their addresses
        self._twins: defaultdict[str, list[LedgerRow]] = defaultdict(list)  # by key: entries of the same article
        self._pages = 0
        self._unsaved: dict[str, LedgerRow] = {}
        self._receipts: list[Receipt] = []  # for their lines
        self._saving: asyncio.Task[None] | None = None
        self.hosts: Counter[str] = Counter()  # entries taken up, by the host they link to
        self.items: Counter[str] = Counter()  # items, by the same host

    @property
    def in_work(self) -> Counter[str]:
        """Feeds some of whose pages have not come yet."""
        return self._in_work

    def is_open(self, key: str) -> bool:
        """Whether an entry or a page has not ended yet."""
        return key in self._open

    async def take_up(self, feed: str, entries: Sequence[FeedEntry]) -> list[Task]:
        """Read entries of a feed into the book; gives those whose pages are to be fetched."""
        keys = [entry_key(entry.link) if entry.link else "" for entry in entries]
        by_key = await self._store.call("ledger", [key for key in keys if key])
        by_id = await self._store.call("ledger_by_entry", feed, _telling_ids(entries))
        known = {row.key for row in (*by_key.values(), *by_id.values())}
        await self._store.write("touch_ledger", sorted(known), _now())
        tasks = []
        for key, entry in zip(keys, entries, strict=True):
            row = _if_same(by_key.get(key), entry) or by_id.get(entry.id)
            if task := self._take_up(feed, key, entry, row):
                tasks.append(task)
        await self._save()  # before the feed is marked as read: of an unchanged feed nobody reads the entries again
        return tasks

    async def take_up_unfinished(self, feed: str) -> list[Task]:
        """What earlier crawls began and did not end."""
        rows: list[LedgerRow] = await self._store.call("unfinished", feed)
        tasks = []
        for row in rows:
            if row.key in self._taken or not row.entry or row.tries >= self._options.tries:
                continue
            self._count("entries")
            if entry := FeedEntry.from_json(row.entry):
                tasks.append(self._begin(row, entry))
            else:  # somebody else has written it
                self._count("skipped/unreadable")
                self._unsaved[row.key] = replace(row, state="skipped", reason="unreadable", updated=_now())
        self._save_soon()
        return tasks

    def take_up_page(self) -> str:
        """A page that another spider offers; gives its key."""
        self._count("pages")
        self._pages += 1
        key = f"page {self._pages}"
        self._open[key] = None
        return key

    def arrive(self, key: str) -> bool:
        """The page of an entry has come, or will not come; true if its feed now waits for no more pages."""
        feed = self._expected.pop(key, None)
        if feed is None:
            return False
        self._in_work[feed] -= 1
        if self._in_work[feed]:
            return False
        del self._in_work[feed]
        return True

    async def entry(self, key: str) -> FeedEntry | None:
        """The entry of an open key, from the store."""
        row = (await self._store.call("ledger", [key])).get(key) if self.is_entry(key) else None
        return FeedEntry.from_json(row.entry) if row and row.entry else None

    def is_entry(self, key: str) -> bool:
        """Whether an open key is that of a feed's entry, and not of a page that another spider offers."""
        return self._open.get(key) is not None

    async def is_duplicate(self, key: str, canonical: str | None) -> bool:
        """Whether the page of an entry has come before under another link; it is skipped then.

        ``canonical`` is the address that the page gives as its own, if it may be believed.  Sites exist all pages of
        which name one and the same address: without the same title, too, nothing is a duplicate.
        """
        row = self._open.get(key)
        if row is None:  # a page of another spider
            return False
        address = canonical or key
        if address != key and address not in self._arrivals:
            await self._look_back(address, row)
        first = self._arrivals.setdefault(address, _Arrival(key, row.digest))
        if first.key == key:
            self._addresses[key] = address
        if first.key == key or not is_same_title(first.digest, row.digest):
            return False
        if address == key:
            self._close_twin(row, first.key, state="done", reason=ALIAS, link=first.key)
        else:
            self._close_twin(row, first.key, state="skipped", reason="duplicate")
        return True

    def _close_twin(self, row: LedgerRow, first: str, **changes: object) -> None:
        """End an entry for another one; in the store it stays open until that is an item, which may fail yet."""
        del self._open[row.key]
        self._count("skipped/duplicate")
        row = replace(row, updated=_now(), **changes)  # type: ignore[arg-type]
        if first in self._open:
            self._twins[first].append(row)
        else:
            self._unsaved[row.key] = row
            self._save_soon()

    def finish(self, key: str, receipts: Iterable[Receipt] = ()) -> None:
        """The entry has become an item, and its lines are written."""
        self._receipts += receipts
        row = self._close(key, "items", state="done")
        if row:
            self.items[host_of(row.link)] += 1

    def skip(self, key: str, reason: str) -> None:
        """The entry will not become an item; what is refused, a later crawl may be allowed to fetch."""
        state = "failed" if reason in REFUSALS else "skipped"
        self._close(key, f"skipped/{reason}", state=state, reason=reason)

    def fail(self, key: str, reason: str) -> None:
        """Something went wrong; a later crawl tries again, unless there is no hope."""
        row = self._open.get(key)
        tries = (row.tries if row else 0) + (reason not in POLITE)
        state = "skipped" if reason in FINAL_ERRORS else "failed"
        self._close(key, f"errors/{reason}", state=state, reason=reason, tries=tries)

    async def close(self) -> None:
        """Count what was interrupted, and write everything."""
        for row in list(self._open.values()):
            self._count("skipped/interrupted")
            if row and not row.tries:
                self.hosts[host_of(row.link)] -= 1  # not reached, which says nothing of it
        self._open.clear()
        if self._saving:
            await self._saving
        await self._save()

    def silent_hosts(self) -> list[str]:
        """Hosts of which entries were taken up, and none became an item."""
        return sorted(host for host, taken_up in self.hosts.items() if taken_up > 0 and not self.items[host])

    def _take_up(self, feed: str, key: str, entry: FeedEntry, row: LedgerRow | None) -> Task | None:
        self._count("entries")
        reason = entry.problem or _hopeless(entry) or self._known(key, entry, row)
        if reason is not None:
            self._count(f"skipped/{reason}")
            return None
        if row is None:
            new = LedgerRow(key, feed, entry.id, entry.link or "", "open", None, 1, digest_of(entry), 0, _now())
            return self._begin(new, entry)
        digest = digest_of(entry)
        is_change = row.state in ("done", "skipped")
        revision = row.revision + 1 if is_change else row.revision
        tries = 0 if is_change else row.tries
        row = replace(row, feed=feed, link=entry.link or "", revision=revision, digest=digest, tries=tries)
        return self._begin(row, entry)

    def _known(self, key: str, entry: FeedEntry, row: LedgerRow | None) -> str | None:
        """Why an entry needs no work, if so."""
        if key in self._taken or (row and row.key in self._taken):
            return "duplicate"
        if row is None or row.state == "open":
            return None
        if row.state == "failed":
            return None if row.tries < self._options.tries else "given_up"
        return None if self._options.revisions and digest_of(entry) != row.digest else "known"

    async def _look_back(self, address: str, row: LedgerRow) -> None:
        """Find out which earlier page came under an address; one that is nobody's stands for this entry from now on."""
        known = (await self._store.call("ledger", [address])).get(address)
        if address in self._arrivals:  # by now
            return
        if known and known.state == "done":
            self._arrivals[address] = _Arrival(known.link if known.reason == ALIAS else known.key, known.digest)
        elif not known:
            self._aliases[row.key] = LedgerRow(address, row.feed, "", row.key, "done", ALIAS, 1, row.digest, 0, _now())

    def _begin(self, row: LedgerRow, entry: FeedEntry) -> Task:
        written = json.dumps(entry.to_dict(), ensure_ascii=False)
        row = replace(row, state="open", reason=None, entry=written, updated=_now())
        self._open[row.key] = replace(row, entry=None)  # the store has it: there may be thousands, with full texts
        self._taken.add(row.key)
        self._expected[row.key] = row.feed
        self._in_work[row.feed] += 1
        self._unsaved[row.key] = row
        if not row.tries:  # what has failed before says nothing new about its host
            self.hosts[host_of(row.link)] += 1
        self._save_soon()
        return Task(row.key, entry, row.revision)

    def _close(self, key: str, stat: str, **changes: object) -> LedgerRow | None:
        """End an entry or a page, once; whatever is said of it later changes nothing."""
        if key not in self._open:
            return None
        row = self._open.pop(key)
        self._count(stat)
        if row is None:
            return None
        row = replace(row, updated=_now(), **changes)  # type: ignore[arg-type]
        if row.state == "failed" and row.tries >= self._options.tries:
            row = replace(row, entry="")  # nobody will try again
        self._unsaved[key] = row
        self._settle_twins(row)
        self._save_soon()
        return row

    def _settle_twins(self, row: LedgerRow) -> None:
        """An article that is an item is done under all its addresses; else the next page there is the first."""
        address, alias = self._addresses.pop(row.key, None), self._aliases.pop(row.key, None)
        twins = self._twins.pop(row.key, [])
        if row.state != "done":
            self._arrivals.pop(address or row.key, None)
            return
        self._unsaved.update({twin.key: twin for twin in twins})
        if alias and alias.key not in self._taken:
            self._unsaved[alias.key] = alias

    def _save_soon(self) -> None:
        if self._unsaved and (self._saving is None or self._saving.done()):
            self._saving = asyncio.get_running_loop().create_task(self._save())

    async def _save(self) -> None:
        while self._unsaved:
            rows, self._unsaved = list(self._unsaved.values()), {}
            receipts, self._receipts = self._receipts, []
            await self._store.write("save_ledger", rows, receipts)


def _telling_ids(entries: Iterable[FeedEntry]) -> list[str]:
    """Ids that only one entry of the feed has."""
    counts = Counter(entry.id for entry in entries if entry.id)
    return [id_ for id_, count in counts.items() if count == 1]


def _if_same(row: LedgerRow | None, entry: FeedEntry) -> LedgerRow | None:
    """The row of an entry's key, unless it only stands for some other article."""
    return None if row and row.reason == ALIAS and not is_same_title(row.digest, digest_of(entry)) else row


def _hopeless(entry: FeedEntry) -> str | None:
    """Why the page of an entry is no article, if its link tells."""
    link = entry.link or ""
    if _COMMENT.search(link):
        return "comment"
    return "media_link" if _MEDIA.search(link.partition("?")[0].partition("#")[0]) else None


def _now() -> datetime:
    return datetime.now(timezone.utc)
