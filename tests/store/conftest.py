from contextlib import closing

import pytest

from scrapy_forest.store import open_store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "forest.db"


@pytest.fixture
def store(path):
    with closing(open_store(path)) as store:
        yield store
