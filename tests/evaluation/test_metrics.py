import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.evaluation.metrics import METRICS, Score, lcs_length, percentile
from scrapy_forest.model.terms import words

THIRD = pytest.approx(1 / 3)
TWO_THIRDS = pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("metric", "gold", "text", "precision", "recall"),
    [
        # disjoint
        ("bigrams", "a b c", "d e f", 0, 0),
        ("words", "a b c", "d e f", 0, 0),
        ("shingles", "a b c d", "e f g h", 0, 0),
        ("lcs", "a b c", "d e f", 0, 0),
        # a part of the gold text, and more than it
        ("bigrams", "a b c d", "a b c", 1, TWO_THIRDS),
        ("bigrams", "a b c", "a b c d", TWO_THIRDS, 1),
        ("words", "a b c", "a b", 1, TWO_THIRDS),
        ("words", "a b", "a b c", TWO_THIRDS, 1),
        ("shingles", "a b c d e f", "a b c d", 1, THIRD),
        ("lcs", "a b c", "a c", 1, TWO_THIRDS),
        # nothing on one side or on both
        *(
            (metric, gold, text, 0, 0)
            for metric in METRICS
            for gold, text in [("", "a"), ("a", ""), ("", ""), ("a", "…")]
        ),
        # a text shorter than a shingle is one shingle
        ("bigrams", "a", "a", 1, 1),
        ("bigrams", "a", "a b", 0, 0),
        ("shingles", "a b c", "a b c", 1, 1),
        ("shingles", "a b c", "c b a", 0, 0),
        # each character of an unspaced script is a word
        ("bigrams", "東京都", "東京", 1, 0.5),
        ("words", "東京都", "京東", 1, TWO_THIRDS),
        ("shingles", "北京大学生", "北京大学", 1, 0.5),
        ("lcs", "東京都", "都東京", TWO_THIRDS, TWO_THIRDS),
        # repeated words count in bags and sequences, not in sets
        ("bigrams", "a b a b", "a b a", 1, 1),
        ("bigrams", "a a b", "a b b", 0.5, 0.5),
        ("words", "a a b", "a b b", TWO_THIRDS, TWO_THIRDS),
        ("words", "a", "a a a", THIRD, 1),
        ("lcs", "a a b", "a b b", TWO_THIRDS, TWO_THIRDS),
        # order
        ("words", "a b c", "c b a", 1, 1),
        ("bigrams", "a b c", "c b a", 0, 0),
        ("lcs", "a b c", "c b a", THIRD, THIRD),
        # case, punctuation and layout do not count
        ("bigrams", "The cat, sat", "the CAT\n\tsat!", 1, 1),
    ],
)
def test_score(metric, gold, text, precision, recall):
    score = METRICS[metric](gold, text)
    assert (score.precision, score.recall) == (precision, recall)


@pytest.mark.parametrize("metric", METRICS)
@given(text=st.text().filter(lambda text: any(words(text))))
def test_equal_texts_score_one(metric, text):
    score = METRICS[metric](text, text)
    assert score == Score(1, 1)
    assert score.f1 == 1


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", "東", "é"])).map(" ".join)


@pytest.mark.parametrize("metric", METRICS)
@given(gold=TEXTS, text=TEXTS)
def test_scores_stay_between_zero_and_one_and_swap_with_the_texts(metric, gold, text):
    score, swapped = METRICS[metric](gold, text), METRICS[metric](text, gold)
    assert 0 <= score.precision <= 1
    assert 0 <= score.recall <= 1
    assert score.f1 <= 1
    assert score.f1 == pytest.approx(swapped.f1)
    assert swapped == Score(score.recall, score.precision)


def naive_lcs_length(one, other):
    above = [0] * (len(other) + 1)
    for item in one:
        row = [0]
        for column, each in enumerate(other):
            row.append(above[column] + 1 if item == each else max(above[column + 1], row[column]))
        above = row
    return above[-1]


@given(one=st.text("abcd", max_size=80), other=st.text("abcd", max_size=80))
def test_lcs_length_is_that_of_the_textbook(one, other):
    assert lcs_length(one, other) == naive_lcs_length(one, other)


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([], 10, 0), ([7], 10, 7), ([3, 1, 2], 50, 2), ([0, 10], 10, 1), ([4, 3, 2, 1, 0], 0, 0), ([1, 2], 100, 2)],
)
def test_percentile(values, percent, expected):
    assert percentile(values, percent) == pytest.approx(expected)
