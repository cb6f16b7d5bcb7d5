import time
from collections.abc import Iterator

import pytest

from scrapy_forest.model.feed import reading


@pytest.fixture(params=["feedparser", "lxml"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whichever reader a feed goes to by itself, and the lxml reader."""
    if request.param == "lxml":
        monkeypatch.setattr(reading, "is_heavy", lambda text: bool(text))
    return str(request.param)


@pytest.fixture
def soon() -> Iterator[None]:
    """Most take less than a second; what this is about takes minutes."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < 10
