"""What a hostile input is, what is expected of it, and the healthy pages that it comes with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["page", "feed", "link", "wrapper"]

MEGABYTE: Final = 1024 * 1024
HTML: Final = "text/html; charset=utf-8"
ARTICLE: Final = "article"
TOO_LARGE: Final = "too_large"  # the downloader's word
TOO_BIG: Final = "too_big"
TOO_DEEP: Final = "too_deep"
TAG_TOO_LARGE: Final = "tag_too_large"
EMPTY: Final = "empty_page"
NOT_HTML: Final = "not_html"
READ: Final = "read"  # a feed with nothing wrong
REFUSED: Final = "InvalidWrapper"
APPLIED: Final = "applied"  # a wrapper that is allowed, and takes no longer than any other
LATE: Final = frozenset(["page_timeout", "feed_timeout"])  # a counted error; the worker's own limit has ended it

# What each page is about; no two share a word.
SUBJECTS: Final = (
    "glacier moraine crevasse",
    "pumpkin lantern candle",
    "sourdough flour oven",
    "harbour anchor lighthouse",
    "bicycle saddle handlebar",
)
HOSTILE: Final = len(SUBJECTS) - 1  # the page that the input takes the place of
TOLD: Final = "About the saddle there is much to tell"  # of the hostile page's article
# So much that other extractors, too, take it for an article.
STORY: Final = (
    "When they first saw the {0}, nobody would have said that it was going to be of any use to them. But as the years"
    " went by, more and more people came to ask about the {0}, and some of them stayed for the rest of the summer."
    " What became of the {0} after that, and who has it now, is told in the second part of this story."
)


@dataclass(frozen=True, slots=True)
class Input:
    """One hostile input; its bytes are made when they are asked for."""

    row: str  # of the table of what must be survived
    name: str
    kind: Kind
    group: str
    make: Callable[[], bytes]
    words: tuple[str, ...]  # any of these outcomes is right
    holds: tuple[str, ...] = ()  # what the text of the outcome must have
    never: str = ""  # what it must not have
    content_type: str | None = HTML
    samples: Callable[[int], str] | None = None  # its template's other pages, if they are not the usual ones
    is_lifted: bool = False  # it comes with DOWNLOAD_MAXSIZE lifted
    is_heavy: bool = False  # more than 20 MB or a second: not for the test suite


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an input: a word for it, and what was read."""

    word: str
    text: str = ""


def fault_of(item: Input, outcome: Outcome) -> str | None:
    """What is wrong with an outcome; None if it is as expected, or late.

    >>> fault_of(Input("P14", "nothing", "page", "no pages", bytes, ("empty_page",)), Outcome("article"))
    "'article' instead of 'empty_page': "
    """
    if outcome.word in LATE:
        return None
    if outcome.word not in item.words:
        return f"{outcome.word!r} instead of {' or '.join(map(repr, item.words))}: {outcome.text[:300]}"
    missing = [text for text in item.holds if text not in outcome.text]
    if missing and outcome.word in (ARTICLE, *item.words[:1]):
        return f"{missing[0]!r} is not in {outcome.text[:200]!r}"
    return f"{item.never!r} is in it" if item.never and item.never in outcome.text else None


def page(
    number: int = HOSTILE, *, tag: str = "div class=story", before: str = "", inside: str = "", head: str = ""
) -> str:
    """A page of the one template: a menu, an article, an end; ``tag`` is the article's."""
    words = SUBJECTS[number].split()
    text = "".join(
        f"<p>About the {word} there is much to tell, and the {word} itself tells it best. {STORY.format(word)}</p>"
        for word in words
    )
    name = tag.split(" ")[0]
    return (
        f"<html lang=en><head><title>The {words[0]}</title>{head}</head><body>{before}<div id=menu><a href=/>Home</a>"
        f" <script>var menu = 1</script></div><div id=outer><h2>Read this</h2><{tag}>{inside}{text}</{name}></div>"
        "<div id=end>The end</div></body></html>"
    )
