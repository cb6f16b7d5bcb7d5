"""The floor: what the methods reach on the shipped sites must not get lost."""

from pathlib import Path

import pytest

from scrapy_forest.evaluation.dataset import site_folders
from scrapy_forest.evaluation.harness import Evaluation, evaluate_site
from scrapy_forest.evaluation.learners import OURS
from scrapy_forest.evaluation.summary import by_method, summarise

TESTS = Path(__file__).parent.parent
FLOOR = 0.97  # mean F1; 0.983 when this was written
PAGE_FLOOR = 0.8  # of the worst page; 0.917 when this was written
BASELINES = ("sigfeed", "coverage", "description")
FOREST = ("forest-tfidf", "forest-feeds")


@pytest.fixture(scope="module")
def results():
    """Learned from the pages of the feed; the last page of each site is unseen."""
    evaluation = Evaluation({name: OURS[name] for name in (*FOREST, *BASELINES)}, samples=5)
    return by_method(result for folder in site_folders(TESTS) for result in evaluate_site(folder, evaluation))


@pytest.mark.parametrize("method", FOREST)
def test_mean(results, method):
    assert summarise(results[method]).f1 >= FLOOR
    assert summarise([each for each in results[method] if not each.seen]).f1 >= FLOOR


@pytest.mark.parametrize("method", FOREST)
def test_every_page(results, method):
    assert not [(each.url, each.score.f1, each.error) for each in results[method] if each.score.f1 < PAGE_FLOOR]


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("method", FOREST)
def test_better_than_the_baselines(results, method, baseline):
    ours, theirs = ([each for each in results[name] if each.in_feed] for name in (method, baseline))  # all they can do
    assert summarise(ours).f1 > summarise(theirs).f1
