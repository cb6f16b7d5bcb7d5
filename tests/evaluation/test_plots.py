import pytest
from lxml import etree

from scrapy_forest.evaluation.experiments import Experiment
from scrapy_forest.evaluation.harness import PageResult
from scrapy_forest.evaluation.metrics import Score
from scrapy_forest.evaluation.plots import draw_experiment, draw_methods

PNG = b"\x89PNG\r\n\x1a\n"
SCORES = {
    "forest-tfidf: 1": [Score(0.5, 0.5), Score(1, 0.5)],
    "forest-tfidf: 40": [Score(1, 1), Score(1, 1)],
    "sigfeed: 1": [Score(0.25, 0.75), Score(0.25, 0.25)],
}
RESULTS = [
    PageResult(method, "a", f"https://a.example/{number}", True, True, score, None, 0.1, 0.1, 0.1)
    for method, scores in SCORES.items()
    for number, score in enumerate(scores)
]


def experiment(name):
    methods = dict.fromkeys(["forest-tfidf: 1", "forest-tfidf: 40", "sigfeed: 1", "sigfeed: never measured"])
    return Experiment(name, "A tiny experiment", "pages", methods)


def assert_drawn(path, *texts):
    root = etree.parse(path.with_suffix(".svg")).getroot()
    shown = [" ".join(element.itertext()) for element in root.iter("{*}text")]
    assert not set(texts) - set(shown)
    assert path.with_suffix(".png").read_bytes().startswith(PNG)


def test_box_plot_of_methods(tmp_path):
    draw_methods(tmp_path / "methods", RESULTS)
    assert_drawn(tmp_path / "methods", *SCORES)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("pages", ["forest-tfidf", "sigfeed", "1", "40", "pages", "mean F1"]),
        ("signifiers", ["forest-tfidf", "sigfeed"]),
        ("measures", ["forest-tfidf", "sigfeed", "precision", "recall", "f1"]),
    ],
)
def test_experiment_is_drawn(tmp_path, name, texts):
    draw_experiment(tmp_path, experiment(name), RESULTS)
    assert_drawn(tmp_path / name, *texts)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{name}.{kind}" for kind in ("md", "png", "svg")]


def test_table_of_an_experiment(tmp_path):
    draw_experiment(tmp_path, experiment("changes"), RESULTS)
    (path,) = tmp_path.iterdir()
    assert path.name == "changes.md"
    assert path.read_text(encoding="utf-8").splitlines() == [
        "A tiny experiment: mean F1 (precision, recall)",
        "",
        "| pages | forest-tfidf | sigfeed |",
        "| --- | --- | --- |",
        "| 1 | 0.583 (0.750, 0.500) | 0.312 (0.250, 0.500) |",
        "| 40 | 1.000 (1.000, 1.000) | – |",
    ]


def test_the_same_results_give_the_same_picture(tmp_path):
    for name in ("one", "other"):
        draw_methods(tmp_path / name, RESULTS)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
