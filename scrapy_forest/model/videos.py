"""Videos inside of an article: files, and frames of players that are known to show nothing else."""

from __future__ import annotations

from itertools import islice
from typing import Final

from lxml.etree import _Element

from scrapy_forest.model.web_link import host_of, web_link

# Chosen by hand: hosts that are well known and whose frames are players.
PLAYERS: Final = frozenset(
    "bilibili.com brightcove.net dai.ly dailymotion.com jwplayer.com kaltura.com loom.com rutube.ru streamable.com"
    " ted.com tiktok.com twitch.tv vimeo.com wistia.com wistia.net youku.com youtu.be youtube-nocookie.com"
    " youtube.com".split()
)
MAX_VIDEOS: Final = 100


def video_links(content: _Element, base: str) -> tuple[str, ...]:
    """Absolute links of the videos in a node."""
    links = (web_link(base, link) for node in content.iter("video", "source", "iframe") for link in _links(node))
    return tuple(islice(dict.fromkeys(filter(None, links)), MAX_VIDEOS))


def _links(node: _Element) -> list[str]:
    if node.tag == "source" and next(node.iterancestors("video"), None) is None:
        return []  # of a picture or of sound
    links = [link for name in ("src", "data-src") if (link := node.get(name))]
    return [link for link in links if node.tag != "iframe" or is_player(link)]


def is_player(link: str) -> bool:
    """Whether the link leads to the host of a known player.

    >>> is_player("https://www.youtube.com/embed/1"), is_player("https://youtube.com.evil.example/")
    (True, False)
    """
    names = host_of(link).split(".")
    return any(".".join(names[start:]) in PLAYERS for start in range(max(len(names) - 3, 0), len(names)))
