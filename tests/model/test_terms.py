from __future__ import annotations

from time import monotonic
from unicodedata import category

import pytest
import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_forest.model.terms import (
    LONG,
    MAX_WORD,
    MOST_WORDS,
    SNOWBALL_NAMES,
    Vocabulary,
    language_code,
    pieces,
    stop_words_of,
    terms,
    words,
)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("", "en", []),
        (" — … !? ___ ", "en", []),
        # stems and stop words
        ("The runners were running", "en", ["runner", "run"]),
        ("Dogs, dogs and a DOG", "en", ["dog", "dog", "dog"]),
        ("I don't, I don’t", "en", []),
        ("O'Neill’s", "en", ["o'neil"]),
        ("Les maisons de l’été, l'hiver", "fr", ["maison", "été", "hiv"]),
        ("aujourd’hui aujourd'hui", "fr", []),
        ("Die Häuser und die Bäume", "de", ["haus", "baum"]),
        ("Straße STRASSE", "de", ["strass", "strass"]),
        ("Fotballkampene og båtene", "nb", ["fotballkamp", "båt"]),
        ("Fotballkampene og båtene", "nn", ["fotballkamp", "båt"]),
        ("Новости о городах", "ru", ["новост", "город"]),
        # no stemmer, no stop words
        ("The runners", None, ["the", "runners"]),
        ("The runners", "xx", ["the", "runners"]),
        ("The runners", "tlh", ["the", "runners"]),
        ("psy i koty", "pl", ["psy", "koty"]),
        # digits, and letters of all kinds
        ("COVID-19 in 2024_05", None, ["covid", "19", "in", "2024", "05"]),
        ("naïve nai\u0308ve", None, ["naïve", "nai\u0308ve"]),
        ("𝔞𝔟𝔠 ① ²", None, ["𝔞𝔟𝔠", "①", "²"]),
        ("a😀b", None, ["a", "b"]),
        # scripts without spaces
        ("北京", "zh", ["北京"]),
        ("北京新闻", "zh", ["北京", "京新", "新闻"]),
        ("京", "zh", ["京"]),
        ("北京，新闻", None, ["北京", "新闻"]),
        ("東京タワー", "ja", ["東京", "京タ", "タワ", "ワー"]),
        ("iPhone発売 2024年", "ja", ["iphone", "発売", "2024", "年"]),
        ("ข่าว", "th", ["ข่", "่า", "าว"]),
        ("𠀀𠀁", "zh", ["𠀀𠀁"]),
        # marks belong to their letters
        ("مُحَمَّد", None, ["مُحَمَّد"]),
        ("الأخبار في المدينة", "ar", ["اخبار", "مدين"]),
        ("שָׁלוֹם עולם", "he", ["שָׁלוֹם", "עולם"]),
        ("हिन्दी समाचार", None, ["हिन्दी", "समाचार"]),
        ("ਪੰਜਾਬੀ ਖ਼ਬਰਾਂ", "pa", ["ਪੰਜਾਬੀ", "ਖ਼ਬਰਾਂ"]),
        ("தமிழ் செய்திகள்", None, ["தமிழ்", "செய்திகள்"]),
        ("ދިވެހި", "dv", ["ދިވެހި"]),
        ("안녕하세요 세계", None, ["안녕하세요", "세계"]),
        # data are no words
        ("a" * MAX_WORD, None, ["a" * MAX_WORD]),
        ("a" * (MAX_WORD + 1) + " b", None, ["b"]),
    ],
)
def test_terms(text: str, language: str | None, expected: list[str]) -> None:
    assert terms(text, language) == expected


def test_no_mark_ends_a_word() -> None:
    marks = [mark for mark in map(chr, range(0x300, 0xE00)) if category(mark) in ("Mn", "Mc")]
    assert [mark for mark in marks if terms(f"क{mark}क") != [f"क{mark}क"]] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One, two — THREE", ["one", "two", "three"]),
        ("L’été d'été", ["l’été", "d'été"]),
        ("'quoted' ’quoted’", ["quoted", "quoted"]),
        ("北京 news", ["北", "京", "news"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("en", "en"),
        ("EN", "en"),
        (" en ", "en"),
        ("pt-BR", "pt"),
        ("pt_BR", "pt"),
        ("zh-Hans-CN", "zh"),
        ("gsw", "gsw"),
        ("en, de", None),
        ("english", None),
        ("i-klingon", None),
        ("x", None),
        ("e1", None),
        ("{}", None),
        ("ру", None),
        ("", None),
        (None, None),
    ],
)
def test_language_code(tag: str | None, code: str | None) -> None:
    assert language_code(tag) == code


def test_every_stemmer_is_there() -> None:
    assert set(SNOWBALL_NAMES.values()) <= set(snowballstemmer.algorithms())


@pytest.mark.parametrize(("language", "word"), [("en", "the"), ("de", "und"), ("nb", "og"), ("nn", "og"), ("no", "og")])
def test_stop_words(language: str, word: str) -> None:
    assert word in stop_words_of(language)


@pytest.mark.parametrize("language", [None, "", "xx", "../en"])
def test_no_stop_words(language: str | None) -> None:
    assert stop_words_of(language) == frozenset()


@pytest.mark.parametrize("text", ["The runners were running", "don't", "2nd RUNNERS"])
def test_words_without_stems(text: str) -> None:
    assert terms(text, "en", has_stems=False) == [word for word in words(text) if word not in stop_words_of("en")]


@pytest.mark.parametrize("text", ["word ", "x", "北京", "été,", "a b\n"])
@pytest.mark.parametrize("size", [LONG - 1, LONG, LONG + 1, 3 * LONG])
def test_long_texts_are_cut_and_nothing_is_lost(text: str, size: int) -> None:
    whole = (text * size)[:size]
    assert "".join(pieces(whole)) == whole
    assert max(map(len, pieces(whole))) <= LONG
    if " " in text:
        assert list(words(whole)) == [word for piece in pieces(whole) for word in words(piece)]
        assert len(terms(whole)) == len(whole.split())


def test_a_vocabulary_does_not_grow_forever() -> None:
    vocabulary = Vocabulary(None)
    for number in range(MOST_WORDS + 10):
        assert vocabulary[str(number)] == str(number)
    assert len(vocabulary) == 10
    assert vocabulary["a" * (MAX_WORD + 1)] == ""
    assert len(vocabulary) == 10


@pytest.mark.parametrize(
    "text", [" " * 2_000_000, "2024-" * 400_000, "http://a." * 220_000, "a'" * 1_000_000, "'’" * 1_000_000]
)
def test_long_texts_take_linear_time(text: str) -> None:
    start = monotonic()
    terms(text, "en")
    assert monotonic() - start < 5


@settings(max_examples=150, deadline=None)
@given(st.text(), st.sampled_from([None, "en", "ja", "tr", "ar"]))
def test_terms_of_a_text_are_those_of_its_parts(text: str, language: str | None) -> None:
    assert terms(f"{text} — {text}", language) == 2 * terms(text, language)
    assert all(0 < len(term) <= 2 * MAX_WORD for term in terms(text, language))
