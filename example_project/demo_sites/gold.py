"""What an extractor should find on the pages: the truth that the templates were filled with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml.html import fragment_fromstring

from demo_sites.articles import Article
from demo_sites.build import hosts
from scrapy_forest.model.text import element_text


def gold(base: Mapping[str, str]) -> list[dict[str, Any]]:
    """A record for each article of the sites in ``base``: url, site, template, title, text, authors, date, tags."""
    return [
        {
            "url": host.article_url(article),
            "site": host.site.key,
            "template": article.template,
            "title": article.title.replace("\xa0", " "),  # as everything that reads text writes it
            "text": article_text(article),
            "authors": list(article.authors),
            "date": article.date.isoformat(),
            "tags": list(article.tags),
            "in_feed": article.in_feed,
        }
        for host in hosts(base).values()
        for article in host.site.articles
    ]


def article_text(article: Article) -> str:
    """The text of the body, as it reads without all that templates put around it."""
    return element_text(fragment_fromstring(article.body, create_parent="div"))
