from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.model.agreement import agreement, coverage

TEXTS = st.text("abc ,.日本é\n", max_size=40)


@pytest.mark.parametrize(
    ("text", "body", "share"),
    [
        ("", "", None),
        ("", "a body", None),
        ("one", "one", None),  # no pair
        ("one two", "", 0.0),
        ("one two", "One, two!", 1.0),
        ("one two", "two one", 0.0),
        ("one two three", "one two, four", 0.5),
        ("one two one two", "one two", 0.5),  # "two one" is not there
        ("東京の", "東京", 0.5),
        ("東京", "これは東京です", 1.0),
    ],
)
def test_coverage(text, body, share):
    assert coverage(text, body) == share


@pytest.mark.parametrize(
    ("summary", "body", "language", "share"),
    [
        ("", "body", "en", None),
        ("the of and", "the of and", "en", None),
        ("the kettle", "A kettle.", "en", 1.0),
        ("the kettle", "A kettle.", None, 0.5),  # without a language, no word is a stop word
        ("kettle pond", "pond, then kettle", "en", 1.0),
        ("kettle pond sea wheat", "KETTLE", "en", 0.25),
        ("kettle kettle pond", "kettle", "en", 0.5),
        ("die Mühle", "Eine Mühle", "de", 1.0),
        ("kettle", "", "en", 0.0),
        ("kettle", "kettle", "no-such-language", 1.0),
    ],
)
def test_agreement(summary, body, language, share):
    assert agreement(summary, body, language) == share


@pytest.mark.parametrize("compare", [agreement, coverage])
def test_of_a_book_only_the_start_is_read(compare):
    start = process_time()
    assert compare("kettle pond", "kettle pond " + "1," * 5_000_000) == 1.0
    assert compare("kettle pond", "1," * 5_000_000 + "kettle pond") == 0.0
    assert process_time() - start < 3


@given(TEXTS, TEXTS)
def test_both_are_shares(text, body):
    assert (coverage(text, body) or 0.0) <= 1.0
    assert (agreement(text, body) or 0.0) <= 1.0


@given(TEXTS, TEXTS)
def test_what_stands_in_the_body_is_covered(text, more):
    assert coverage(text, f"{text}\n\n{more}") in (1.0, None)
    assert agreement(text, f"{more} {text}") in (1.0, None)
