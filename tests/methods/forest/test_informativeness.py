import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.methods.forest.informativeness import (
    Counts,
    informativeness,
    signifier_share,
    statistical_density,
    unexpectedness,
)

PAGE = Counts(20, 100)
counts = st.integers(0, 10_000)


@pytest.mark.parametrize(("x", "y", "expected"), [(1, 0, 0.317), (0, 0, 0.0), (0, 50, 0.0), (10, 26, 0.209)])
def test_statistical_density(x, y, expected):
    assert statistical_density(Counts(x, y)) == pytest.approx(expected, abs=0.001)


def test_the_papers_comparable_densities():
    assert statistical_density(Counts(8, 20)) == pytest.approx(statistical_density(Counts(3, 5)), abs=0.01)


@pytest.mark.parametrize(("x", "y", "expected"), [(10, 26, 22.66), (3, 1, 5.56), (0, 0, 0.0)])
def test_unexpectedness_of_the_papers_nodes(x, y, expected):
    assert unexpectedness(Counts(x, y), PAGE) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("node", "page"), [((0, 7), (0, 30)), ((4, 0), (9, 0)), ((0, 0), (0, 0))])
def test_nothing_unexpected_where_all_terms_are_of_one_kind(node, page):
    assert unexpectedness(Counts(*node), Counts(*page)) == 0.0


def test_informativeness_is_the_product():
    node = Counts(10, 26)
    assert informativeness(node, PAGE) == statistical_density(node) * unexpectedness(node, PAGE)


@pytest.mark.parametrize(("node", "page", "expected"), [((5, 1), (20, 100), 0.25), ((0, 9), (0, 9), 0.0)])
def test_signifier_share(node, page, expected):
    assert signifier_share(Counts(*node), Counts(*page)) == expected


@given(x=counts, y=counts, more_x=counts, more_y=counts)
def test_measures_are_finite_and_not_negative(x, y, more_x, more_y):
    node, page = Counts(x, y), Counts(x + more_x, y + more_y)
    assert 0 <= statistical_density(node) < 1
    assert unexpectedness(node, page) >= -1e-6
    assert 0 <= signifier_share(node, page) <= 1


@given(x=st.integers(1, 500), y=counts)
def test_density_is_below_the_naive_one(x, y):
    assert 0 < statistical_density(Counts(x, y)) < (x + 0.5) / (x + y + 1)
