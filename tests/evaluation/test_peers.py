import socket
from pathlib import Path

import pytest

from scrapy_forest.evaluation.dataset import read_site
from scrapy_forest.evaluation.learners import LEARNERS, OURS
from scrapy_forest.evaluation.metrics import score_words
from scrapy_forest.evaluation.peers import PEERS, is_installed

SITES = Path(__file__).parent.parent / "sites"


@pytest.fixture
def connections(monkeypatch):
    """Attempts to reach the network, none of which succeeds."""
    attempts = []

    def refuse(*arguments, **_options):
        attempts.append(arguments)
        raise OSError("no network in tests")

    for owner, name in [(socket.socket, "connect"), (socket.socket, "connect_ex"), (socket, "getaddrinfo")]:
        monkeypatch.setattr(owner, name, refuse)
    return attempts


@pytest.mark.filterwarnings("ignore")  # theirs
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.skipif(not is_installed(name), reason="not installed")) for name in PEERS],
)
def test_peer_finds_text_and_opens_no_connection(name, connections):
    site = read_site(SITES / "wordpress-blog")
    page = site.pages[0]
    text = LEARNERS[name].learn(site, [])(page)
    assert score_words(page.text, text).f1 > 0.5
    assert connections == []


def test_peers_can_be_measured():
    assert list(LEARNERS) == [*OURS, *PEERS]


def test_what_nobody_has_is_not_installed():
    assert not is_installed("an-extractor-that-does-not-exist")
