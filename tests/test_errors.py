import pickle

import pytest

from scrapy_forest.errors import EmptyPage, NoCandidate, NotEnoughSamples, PageTooDeep

ERRORS = [EmptyPage("https://a/"), PageTooDeep("https://a/"), NotEnoughSamples(have=1, need=2), NoCandidate("r4")]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_come_whole_from_another_process(error):
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_what_they_say():
    assert [str(error) for error in ERRORS] == [
        "'https://a/' has nothing to read",
        "'https://a/' is nested too deeply",
        "induction needs 2 or more readable pages, got 1",
        "r4 found no node that could hold the article",
    ]
