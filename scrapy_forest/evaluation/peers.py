"""The extractors that people use today, as functions from a page to its article's text.

They are an extra (``peers``), imported at first use.  Each has its defaults, with two exceptions: what fetches images
is told not to, so that none opens a connection, and trafilatura is told to leave out comments, as all others do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Final

from scrapy_forest.evaluation.dataset import GoldPage
from scrapy_forest.model.charset import decode
from scrapy_forest.model.markup import parse
from scrapy_forest.model.terms import SNOWBALL_NAMES
from scrapy_forest.model.text import element_text

_LANG: Final = re.compile(rb"""<html[^>]*\slang=["']?([a-zA-Z]{2})""", re.IGNORECASE)

Peer = Callable[[GoldPage, str | None], str]  # page and language, if known


def trafilatura(page: GoldPage, _language: str | None) -> str:
    """Rules on tags and names, with readability and justext as fallbacks."""
    from trafilatura import extract

    return extract(page.html, url=page.url, include_comments=False) or ""


def trafilatura_precision(page: GoldPage, _language: str | None) -> str:
    """The same, told to leave out more."""
    from trafilatura import extract

    return extract(page.html, url=page.url, include_comments=False, favor_precision=True) or ""


def readability(page: GoldPage, _language: str | None) -> str:
    """Arc90's scoring of paragraphs, the ancestor of browsers' reader modes."""
    from readability import Document

    return element_text(parse(Document(decode(page.html)).summary(), page.url))


def newspaper(page: GoldPage, _language: str | None) -> str:
    """newspaper4k: scoring of paragraphs by stop words."""
    from newspaper import Article

    article = Article(page.url, fetch_images=False)
    article.download(input_html=decode(page.html))
    article.parse()
    return str(article.text)


def boilerpy(page: GoldPage, _language: str | None) -> str:
    """boilerpipe's ArticleExtractor, the paper's own baseline."""
    from boilerpy3.extractors import ArticleExtractor

    return str(ArticleExtractor(raise_on_failure=False).get_content(decode(page.html)))


def justext(page: GoldPage, language: str | None) -> str:
    """Paragraphs by stop words and link density; taken for English where its lists lack the language."""
    from justext import get_stoplist, get_stoplists
    from justext import justext as paragraphs_of

    declared = _LANG.search(page.html)
    code = declared[1].decode().lower() if declared else language or ""
    name = SNOWBALL_NAMES.get(code, "english").capitalize()
    stoplist = get_stoplist(name if name in get_stoplists() else "English")
    return "\n".join(each.text for each in paragraphs_of(page.html, stoplist) if not each.is_boilerplate)


def resiliparse(page: GoldPage, _language: str | None) -> str:
    """Rules compiled to native code, made for web archives."""
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(decode(page.html), main_content=True))


def goose(page: GoldPage, _language: str | None) -> str:
    """goose3: scoring of paragraphs by stop words."""
    from goose3 import Goose

    with Goose({"enable_image_fetching": False}) as extractor:
        return str(extractor.extract(url=page.url, raw_html=decode(page.html)).cleaned_text)


PEERS: Final[Mapping[str, Peer]] = {
    "trafilatura": trafilatura,
    "trafilatura-precision": trafilatura_precision,
    "readability-lxml": readability,
    "newspaper4k": newspaper,
    "boilerpy3": boilerpy,
    "justext": justext,
    "resiliparse": resiliparse,
    "goose3": goose,
}
_MODULES: Final = {
    "trafilatura-precision": "trafilatura",
    "readability-lxml": "readability",
    "newspaper4k": "newspaper",
}


def is_installed(name: str) -> bool:
    """Whether the package behind a peer is there."""
    return find_spec(_MODULES.get(name, name)) is not None
