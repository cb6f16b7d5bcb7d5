import json

import pytest

from scrapy_forest.evaluation.harness import PageResult
from scrapy_forest.evaluation.metrics import ZERO, Score
from scrapy_forest.evaluation.summary import as_json, by_method, summarise

FIGURES = ["precision", "recall", "f1", "median", "p10", "under_half", "errors", "cost", "apply_cost"]


def result(score, url="https://a.example/1", **changes):
    values = {
        "method": "it",
        "site": "a",
        "seen": True,
        "in_feed": True,
        "error": None,
        "extracting": 1,
        "learning": 2,
        "parsing": 1,
    }
    return PageResult(url=url, score=score, **{**values, **changes})


RESULTS = [
    result(Score(1, 1), "https://a.example/1", extracting=0.5, learning=0.25, parsing=0.5),
    result(Score(0.5, 1), "https://a.example/2", extracting=0.25, learning=0.25, parsing=0.25),
    result(Score(0.25, 0.75), "https://a.example/3", extracting=0.25, learning=0.25, parsing=0.25),
    result(ZERO, "https://a.example/4", seen=False, error="it broke", extracting=0, learning=0.25, parsing=1),
]


def test_summary_of_all_pages():
    figures = summarise(RESULTS)
    assert figures.precision == pytest.approx((1 + 0.5 + 0.25 + 0) / 4)
    assert figures.recall == pytest.approx((1 + 1 + 0.75 + 0) / 4)
    assert figures.f1 == pytest.approx((1 + 2 / 3 + 3 / 8 + 0) / 4)  # not 0.52, the F1 of the means
    assert figures.median == pytest.approx((2 / 3 + 3 / 8) / 2)
    assert figures.p10 == pytest.approx(0.3 * 3 / 8)  # ranks 0 to 3, the place is 0.3
    assert figures.under_half == 0.5
    assert figures.errors == 1
    assert figures.cost == pytest.approx((1 + 1) / 2)
    assert figures.apply_cost == pytest.approx(1 / 2)


def test_half_is_not_under_half():
    assert summarise([result(Score(0.5, 0.5)), result(Score(0.49, 0.49))]).under_half == 0.5


def test_no_pages_no_figures():
    assert summarise([]) is None


def test_parsing_too_fast_for_the_clock():
    assert summarise([result(Score(1, 1), parsing=0.0)]).cost == 0


def test_by_method_keeps_the_order():
    results = [result(ZERO, method=method) for method in "bab"]
    assert {name: len(group) for name, group in by_method(results).items()} == {"b": 2, "a": 1}
    assert list(by_method(results)) == ["b", "a"]


def test_json_has_the_documented_keys():
    summary = as_json("tests", RESULTS)
    assert list(summary) == ["dataset", "pages", "methods"]
    assert (summary["dataset"], summary["pages"]) == ("tests", 4)
    assert list(summary["methods"]["it"]) == [*FIGURES, "seen", "unseen", "in_feed"]
    assert list(summary["methods"]["it"]["seen"]) == list(summary["methods"]["it"]["unseen"]) == FIGURES
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_json_tells_seen_from_unseen():
    (figures,) = as_json("tests", RESULTS)["methods"].values()
    assert figures["f1"] == 0.510417
    assert figures["seen"]["f1"] == 0.680556
    assert (figures["seen"]["errors"], figures["unseen"]["errors"]) == (0, 1)
    assert figures["unseen"]["f1"] == 0


@pytest.mark.parametrize(("seen", "absent"), [(True, "unseen"), (False, "seen")])
def test_json_is_null_where_there_are_no_pages(seen, absent):
    (figures,) = as_json("tests", [result(Score(1, 1), seen=seen)])["methods"].values()
    assert figures[absent] is None


def test_a_page_is_counted_once_for_all_methods():
    results = [result(ZERO, method=method, site=site) for method in "ab" for site in "xyz"]
    assert as_json("tests", results)["pages"] == 3
