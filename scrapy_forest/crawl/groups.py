"""Template groups: which template a page belongs to, and which pages wait until its wrapper is known.

Groups are of a landing host, never of a feed: a feed may lead to many hosts, and one host may use several templates.
Nothing here waits or does I/O; time comes in as a number.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final
from urllib.parse import urlsplit

from scrapy_forest.crawl.offers import Offer
from scrapy_forest.induction.templates import Signature, Template, find_template, split_group
from scrapy_forest.model.wrapper import Wrapper

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
LEARNED_FROM: Final = 20  # pages that shape a template; after that it is known well enough
MOST_TEMPLATES: Final = 32  # of a host, which could make up a new one for each page; real ones have a handful
MOST_FOREIGN: Final = 8  # of them, met only by links from elsewhere, which must not use up a host's templates
MIN_SAMPLES: Final = 2  # one page cannot tell template from content
OWN: Final = "own"  # in a wrapper's evidence: how many of its samples were entitled to teach it


def host_of(url: str) -> str:
    """The host that answered, with its port unless that is the scheme's own; ``www.`` is the same site as without.

    >>> host_of("https://www.Example.com:443/a"), host_of("http://example.com.:8080/"), host_of("http://[::1]:81/")
    ('example.com', 'example.com:8080', '[::1]:81')
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".").removeprefix("www.")
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{parts.port}"


@dataclass(slots=True, eq=False)
class Group:
    """One template of one host."""

    host: str
    name: str  # t1, t2, … within the host
    template: Template
    wrapper: Wrapper | None = None
    held: list[Offer] = field(default_factory=list)
    since: float = 0.0  # when the first of them came
    is_inducing: bool = False
    samples: int = 0  # pages of earlier runs that the store has, to learn from
    is_pinned: bool = False  # somebody chose its wrapper by hand
    is_foreign: bool = False  # no page that is entitled to teach was seen yet

    @property
    def is_taught(self) -> bool:
        """Whether it has a wrapper that stays: chosen by hand, or learned from pages that are entitled to teach."""
        if self.wrapper is None:
            return False
        own = self.wrapper.evidence.get(OWN)
        return self.is_pinned or not isinstance(own, int) or own >= MIN_SAMPLES

    def serves(self, offer: Offer) -> bool:
        """Whether a page need not wait: there is a wrapper, and the page cannot teach a better one."""
        return self.is_taught or (self.wrapper is not None and not offer.is_entitled)

    def add_page(self, signature: Signature, *, is_entitled: bool) -> None:
        """Let the template learn from one more page; what others link to does not shape a host's own template."""
        if (is_entitled or self.is_foreign) and self.template.count < LEARNED_FROM:
            self.template = self.template.adding(signature)
        self.is_foreign = self.is_foreign and not is_entitled


@dataclass(slots=True, eq=False)
class Batch:
    """Offers of one group that are released together, and the one induction that they all wait for."""

    group: Group
    offers: Sequence[Offer]
    induction: asyncio.Task[None] | None = None
    alone: Wrapper | None = None  # a wrapper for these pages only, where they are too few to learn their template


class Groups:
    """All groups of a crawl."""

    def __init__(self, enough: int) -> None:
        self._enough = enough
        self._hosts: dict[str, list[Group]] = {}
        self._waiting: dict[Group, None] = {}  # groups that hold pages, in the order they began to

    def has_host(self, host: str) -> bool:
        """Whether the templates of a host were looked up already."""
        return host in self._hosts

    def set_host(self, host: str, groups: Iterable[Group]) -> None:
        """What is known of a host from earlier runs."""
        self._hosts.setdefault(host, list(groups))

    def of_host(self, host: str) -> Sequence[Group]:
        """All groups of a host."""
        return self._hosts.get(host, [])

    def is_settled(self, host: str) -> bool:
        """Whether a host has a template with a wrapper: its next page most likely needs no buffer."""
        return any(group.wrapper for group in self._hosts.get(host, []))

    def place(self, host: str, signature: Signature, *, is_entitled: bool = True) -> Group:
        """The group of a page: the most similar one, or a new one."""
        groups = self._hosts.setdefault(host, [])
        templates = [group.template for group in groups]
        index = find_template(signature, templates)
        if index is None and not _has_room(groups, is_entitled=is_entitled):
            index = find_template(signature, templates, threshold=0.0)
        if index is None:
            return self._found(host, Template(signature), is_foreign=not is_entitled)
        groups[index].add_page(signature, is_entitled=is_entitled)
        return groups[index]

    def hold(self, group: Group, offer: Offer, now: float) -> list[Batch]:
        """Keep an offer until its group is released; gives the batches if that is now."""
        if not group.held:
            group.since = now
        group.held.append(offer)
        self._waiting[group] = None
        return self.release(group) if self.is_ready(group) else []

    def is_ready(self, group: Group) -> bool:
        """Whether a group has pages enough to learn its template."""
        # Whoever links to a host does not decide from how many of its own pages it is learned.
        held = [offer for offer in group.held if offer.is_entitled or group.is_foreign]
        return not group.is_inducing and len(held) + group.samples >= self._enough

    def release(self, group: Group) -> list[Batch]:
        """All that a group holds; two batches if its pages turn out to be of two templates in one frame."""
        offers, group.held = group.held, []
        self._waiting.pop(group, None)
        parts = [offers]
        if not group.is_taught and _has_room(self._hosts[group.host], is_entitled=not group.is_foreign):
            parts = [[offers[n] for n in part] for part in split_group([offer.signature for offer in offers])]
        if len(parts) > 1:
            group.template = _template_of(parts[0])
        groups = [group, *(self._found_beside(group, _template_of(part)) for part in parts[1:])]
        return [_batch(each, part) for each, part in zip(groups, parts, strict=True)]

    def divide(self, batch: Batch, parts: Sequence[Sequence[Offer]]) -> list[Group]:
        """Groups for the templates that a batch turned out to be of; offers that are in no part go to the nearest."""
        group = batch.group
        group.template, *templates = map(_template_of, parts)
        groups = [group, *(self._found_beside(group, template) for template in templates)]
        for each, part in zip(groups, parts, strict=True):
            for offer in part:
                offer.group = each
        placed = {id(offer) for part in parts for offer in part}
        for offer in batch.offers:
            if id(offer) not in placed:
                index = find_template(offer.signature, [each.template for each in groups], threshold=0.0)
                offer.group = groups[index or 0]
        return groups

    def release_exhausted(self, in_work: Container[str]) -> Iterator[Batch]:
        """Batches of groups whose feeds are not in work any more: nothing more will come for them."""
        for group in self._idle():
            if all(offer.feed is not None and offer.feed not in in_work for offer in group.held):
                yield from self.release(group)

    def release_overdue(self, now: float, limit: float) -> Iterator[Batch]:
        """Batches of groups that have held pages for too long."""
        for group in self._idle():
            if now - group.since >= limit:
                yield from self.release(group)

    def release_first(self, most: int) -> Iterator[Batch]:
        """Batches of the groups that have held pages for longest."""
        for group in self._idle()[:most]:
            yield from self.release(group)

    def drop(self) -> list[Offer]:
        """Give up all that is held."""
        dropped = [offer for group in self._waiting for offer in group.held]
        for group in self._waiting:
            group.held = []
        self._waiting.clear()
        return dropped

    def __len__(self) -> int:
        """How many pages are held."""
        return sum(len(group.held) for group in self._waiting)

    def _found_beside(self, group: Group, template: Template) -> Group:
        return self._found(group.host, template, is_foreign=group.is_foreign)

    def _found(self, host: str, template: Template, *, is_foreign: bool) -> Group:
        groups = self._hosts[host]
        taken = {group.name for group in groups}
        name = next(name for number in count(1) if (name := f"t{number}") not in taken)
        groups.append(Group(host, name, template, is_foreign=is_foreign))
        return groups[-1]

    def _idle(self) -> list[Group]:
        """Groups that hold pages; what comes in during an induction is released when that has ended."""
        return [group for group in self._waiting if not group.is_inducing]


def _has_room(groups: Sequence[Group], *, is_entitled: bool) -> bool:
    """Whether a host may have one template more."""
    foreign = sum(group.is_foreign for group in groups)
    return len(groups) < MOST_TEMPLATES and (is_entitled or foreign < MOST_FOREIGN)


def _template_of(offers: Sequence[Offer]) -> Template:
    first, *others = (offer.signature for offer in offers)
    template = Template(first)
    for signature in others:
        template = template.adding(signature)
    return template


def _batch(group: Group, offers: Sequence[Offer]) -> Batch:
    batch = Batch(group, offers)
    group.is_inducing = not group.is_taught
    for offer in offers:
        offer.group, offer.batch = group, batch
    return batch
