"""A host: a site at an origin, with the addresses of its pages and what its pages tell about each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from demo_sites.articles import Article, Comment, Site

PAGE_LENGTH: Final = 8  # articles on one page of an index, so that every site has a second one
RELATED: Final = 3


@dataclass(frozen=True, slots=True)
class Routes:
    """The paths of a site's pages, as format strings; ``name`` is a tag, section or author made fit for a path."""

    article: str  # gets the article, and its date
    tag: str
    section: str
    author: str
    page: str
    about: str
    feed: str
    comment_feed: str | None = None
    other_article: str | None = None  # for articles of template b


@dataclass(frozen=True, slots=True)
class Host:
    """A site at its origin, such as ``http://127.0.0.1:8471``."""

    site: Site
    origin: str
    routes: Routes

    def url(self, path: str) -> str:
        """The absolute form of a path."""
        return self.origin + path

    def article_path(self, article: Article) -> str:
        """Where an article is."""
        is_other = article.template == "b" and self.routes.other_article
        route = self.routes.other_article if is_other else self.routes.article
        section = path_name(article.section)
        return str(route).format(article=article, date=article.date, section=section, id=page_id(article))

    def article_url(self, article: Article) -> str:
        """The absolute address of an article."""
        return self.url(self.article_path(article))

    def tag_path(self, tag: str) -> str:
        """The list of all articles with a tag."""
        return self.routes.tag.format(name=path_name(tag))

    def section_path(self, section: str) -> str:
        """The list of all articles of a section."""
        return self.routes.section.format(name=path_name(section))

    def author_path(self, author: str) -> str:
        """The list of all articles by an author."""
        return self.routes.author.format(name=path_name(author))

    def page_path(self, number: int) -> str:
        """A page of the index; the first is the home page."""
        return "/" if number == 1 else self.routes.page.format(number=number)

    @property
    def page_count(self) -> int:
        """How many pages the index has."""
        return -(-len(self.site.articles) // PAGE_LENGTH)

    @property
    def sections(self) -> tuple[str, ...]:
        """All sections, in the order of the alphabet."""
        return tuple(sorted({article.section for article in self.site.articles}))

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags, in the order of the alphabet."""
        return tuple(sorted({tag for article in self.site.articles for tag in article.tags}))

    @property
    def authors(self) -> tuple[str, ...]:
        """All authors, in the order of the alphabet."""
        return tuple(sorted({author for article in self.site.articles for author in article.authors}))

    def recent(self, count: int = 5) -> tuple[Article, ...]:
        """The newest articles."""
        return self.site.articles[:count]

    def related(self, article: Article, count: int = RELATED) -> tuple[Article, ...]:
        """Others, those of the same section and with the same tags first."""
        others = [other for other in self.site.articles if other.number != article.number]

        def distance(other: Article) -> tuple[bool, int, int]:
            shared = len({*other.tags} & {*article.tags})
            return other.section != article.section, -shared, (other.number - article.number) % 97

        return tuple(sorted(others, key=distance)[:count])

    def neighbours(self, article: Article) -> tuple[Article | None, Article | None]:
        """The article before and the one after it in time."""
        articles = self.site.articles
        place = articles.index(article)
        older = articles[place + 1] if place + 1 < len(articles) else None
        return older, articles[place - 1] if place else None

    def comments_on(self, article: Article) -> tuple[Comment, ...]:
        """None to four comments; the step of 5 lets neighbours in the index share few of them."""
        comments = self.site.comments
        count = min((article.number * 3 + 1) % 5, len(comments))
        return tuple(comments[(article.number * 5 + place) % len(comments)] for place in range(count))

    def advert_on(self, article: Article, place: int = 0) -> str:
        """The advert in one of a page's places."""
        adverts = self.site.adverts
        return adverts[(article.number + place) % len(adverts)] if adverts else ""


def page_id(article: Article) -> int:
    """A number as content management systems give them: growing, with gaps."""
    return 1000 + article.number * 37


def path_name(name: str) -> str:
    """A name made fit for a path, as a request writes it.

    >>> path_name("Garten & Küche")
    'garten-k%C3%BCche'
    """
    words = "".join(letter if letter.isalnum() or letter == "-" else " " for letter in name.lower()).split()
    return quote("-".join(words))
