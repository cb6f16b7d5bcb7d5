import subprocess
import sys

import pytest

import scrapy_forest


def test_public_names():
    assert scrapy_forest.__all__ == [
        "Addon",
        "Article",
        "ArticleItem",
        "Feed",
        "FeedEntry",
        "ForestError",
        "Page",
        "Sample",
        "Wrapper",
        "extract",
        "induce",
        "read_feed",
    ]
    assert dir(scrapy_forest) == sorted(scrapy_forest.__all__)


@pytest.mark.parametrize("name", scrapy_forest.__all__)
def test_each_resolves(name):
    assert getattr(scrapy_forest, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        scrapy_forest.nothing  # noqa: B018


def test_importing_the_package_imports_nothing_else():
    code = (
        "import sys, scrapy_forest; print([name for name in sys.modules if name.split('.')[0] in ('lxml', 'scrapy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
