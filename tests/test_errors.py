import pickle

import pytest

from scrapy_forest.errors import (
    EmptyPage,
    NoCandidate,
    NotEnoughSamples,
    PageTooDeep,
    StoreDamaged,
    StoreError,
    TaskFailed,
)

ERRORS = [EmptyPage("https://a/"), PageTooDeep("https://a/"), NotEnoughSamples(have=1, need=2), NoCandidate("r4")]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_come_whole_from_another_process(error):
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


@pytest.mark.parametrize(
    "error",
    [
        TaskFailed("ValueError", "a\n1999-01-01 forged \x1b[2J\u202e\u2028\ud800"),
        StoreDamaged("a\nb", "is damaged (malformed schema x\n1999-01-01 forged \x1b[2J)"),
        StoreError("a", "b\r\nc"),
        EmptyPage("https://a/\n1999"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_x11_errors_are_one_line_of_what_can_be_printed(error):
    assert str(error).isprintable()


def test_x11_what_can_be_printed_stays():
    assert str(TaskFailed("ValueError", "no “é” 北京")) == "ValueError: no “é” 北京"


def test_what_they_say():
    assert [str(error) for error in ERRORS] == [
        "'https://a/' has nothing to read",
        "'https://a/' is nested too deeply",
        "induction needs 2 or more readable pages, got 1",
        "r4 found no node that could hold the article",
    ]
