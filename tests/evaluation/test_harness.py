import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from scrapy_forest.errors import NoCandidate
from scrapy_forest.evaluation.harness import Evaluation, SiteFailure, evaluate, evaluate_site
from scrapy_forest.evaluation.learners import OURS, FirstPages
from scrapy_forest.evaluation.metrics import ZERO, Score

TESTS = Path(__file__).parent.parent
SITES = sorted(path.name for path in (TESTS / "sites").iterdir() if path.is_dir())
BLOG = TESTS / "sites" / "wordpress-blog"


@dataclass(frozen=True)
class Fixed:
    """A method that needs no page: the gold text itself, or what it was given."""

    text: str | None = None

    def learn(self, _site, _pages):
        return lambda page: page.text if self.text is None else self.text


class Raising:
    def learn(self, _site, _pages):
        return self.extract

    def extract(self, page):
        if page.entry is None:
            raise ZeroDivisionError("no entry")
        return page.text


class Unlearnable:
    def learn(self, _site, _pages):
        raise NoCandidate("unlearnable")


class Counting:
    """Extracts how many pages it was shown."""

    def learn(self, _site, pages):
        return lambda _page: f"{len(pages)} pages"


def measure(learner, folder=BLOG, **options):
    return evaluate_site(folder, Evaluation({"it": learner}, **options))


@pytest.mark.parametrize("name", SITES)
@pytest.mark.parametrize("samples", [1, 5, 6, 10])
def test_pages_learned_from_are_seen(name, samples):
    results = measure(Fixed(), TESTS / "sites" / name, samples=samples)
    assert [each.seen for each in results] == [number < samples for number in range(len(results))]
    assert {each.score for each in results} == {Score(1, 1)}
    assert {(each.method, each.site, each.error) for each in results} == {("it", name, None)}
    assert all(each.parsing > 0 and each.extracting >= 0 and each.learning >= 0 for each in results)


@pytest.mark.parametrize(("samples", "expected"), [(1, "1 pages"), (4, "4 pages"), (99, "6 pages")])
def test_a_method_is_shown_the_samples_only(samples, expected):
    method = Counting()
    shown = []
    method.learn = lambda site, pages: shown.append(Counting.learn(method, site, pages)(pages[0])) or str
    measure(method, samples=samples)
    assert shown == [expected]


def test_first_pages():
    assert FirstPages(Counting(), 2).learn(None, range(5))(None) == "2 pages"


def test_an_exception_is_the_error_of_its_page():
    *good, bad = measure(Raising())
    assert {(each.score, each.error) for each in good} == {(Score(1, 1), None)}
    assert (bad.score, bad.error) == (ZERO, "ZeroDivisionError('no entry')")


def test_what_cannot_be_learned_is_an_error_on_all_pages():
    results = measure(Unlearnable())
    assert len(results) == 6
    assert {each.score for each in results} == {ZERO}
    assert {each.error for each in results} == {"unlearnable found no node that could hold the article"}


def test_no_text_scores_zero_without_an_error():
    assert {(each.score, each.error) for each in measure(Fixed(""))} == {(ZERO, None)}


@pytest.mark.parametrize(("metric", "expected"), [("bigrams", 0), ("words", 1)])
def test_the_metric_is_chosen(metric, expected):
    result = measure(Fixed("its and on us"), metric=metric)[0]
    assert bool(result.score.precision) == expected


@pytest.mark.parametrize("name", ["forest-tfidf", "sigfeed"])
def test_sharing_pages_changes_no_score(name):
    alone, shared = (measure(OURS[name], share_pages=share_pages) for share_pages in (False, True))
    assert [each.score for each in alone] == [each.score for each in shared]


def test_methods_are_measured_one_after_the_other():
    results = evaluate_site(BLOG, Evaluation({"one": Fixed(), "other": Fixed("")}))
    assert [each.method for each in results] == ["one"] * 6 + ["other"] * 6


@pytest.mark.parametrize("empty", [b"", b" \n", b"<!-- nothing -->"])
def test_a_page_without_text_is_an_error_of_that_page_only(tmp_path, empty):
    folder = shutil.copytree(BLOG, tmp_path / "sites" / "blog")
    (folder / "pages" / "001.html").write_bytes(empty)
    results = measure(OURS["forest-tfidf"], folder)
    assert [bool(each.error) for each in results] == [False, True, False, False, False, False]
    assert all(each.score.f1 > 0.9 for each in results if not each.error)


def test_other_sites_are_measured_when_one_cannot_be_read(tmp_path):
    for name in ("arabic-magazine", "french-tables", "german-numbers"):
        shutil.copytree(TESTS / "sites" / name, tmp_path / "sites" / name)
    (tmp_path / "sites" / "french-tables" / "gold.jsonl").write_text("no JSON\n")
    measured = list(evaluate(tmp_path, Evaluation({"description": OURS["description"]}), processes=2))
    (failure,) = [each for each in measured if isinstance(each, SiteFailure)]
    assert failure.site == "french-tables"
    assert json.JSONDecodeError.__name__ in failure.error
    results = [each for site in measured if site is not failure for each in site]
    assert sorted({each.site for each in results}) == ["arabic-magazine", "german-numbers"]
    assert len(results) == 12
