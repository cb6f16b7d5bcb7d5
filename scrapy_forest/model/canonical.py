"""What a page says its own address is: ``<link rel="canonical">``."""

from __future__ import annotations

from scrapy_forest.model.page import Page
from scrapy_forest.model.web_link import web_link


def canonical_link(page: Page) -> str | None:
    """The address, absolute; None if the page names none, or several."""
    stated = page.root.find("head/base[@href]")
    base = (web_link(page.url, stated.get("href", "")) if stated is not None else None) or page.url
    links = page.root.iterfind("head/link[@href]")
    found = [link.get("href", "") for link in links if "canonical" in link.get("rel", "").lower().split()]
    addresses = {web_link(base, href) for href in found}
    return addresses.pop() if len(addresses) == 1 else None
