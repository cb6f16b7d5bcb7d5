"""Terms: what a text is about, in any language.

Words are runs of letters, marks and digits, lower-cased, without stop words, reduced to their Snowball stem where
the language has one.  Scripts that write no spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) give overlapping
character bigrams instead, which need no dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from unicodedata import category

import snowballstemmer
import stopwordsiso

_UNSPACED: Final = (
    "\u0e00-\u0e4e\u0e80-\u0ecd\u1000-\u109d\u1780-\u17dd"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"  # ideographs
)
_UNSPACED_RUN: Final = re.compile(f"[{_UNSPACED}]+")
# \w knows no combining marks: without these, Hindi or vocalised Arabic would fall apart at every vowel sign.
_MARKS: Final = "".join(
    mark for mark in map(chr, range(0x300, 0x2000)) if category(mark) in ("Mn", "Mc") and not _UNSPACED_RUN.match(mark)
)
_WORD: Final = re.compile(
    rf"[{_UNSPACED}]+|(?:[^\W_{_UNSPACED}]|[{_MARKS}])+(?:['’](?:[^\W_{_UNSPACED}]|[{_MARKS}])+)*"
)

SNOWBALL_NAMES: Final = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_STOPWORDS: Final = {"nb": "no", "nn": "no"}  # the package's name for them

MAX_WORD: Final = 64  # longer ones are encoded data
MOST_WORDS: Final = 50_000  # remembered for one language
LONG: Final = 100_000  # characters of a text that are looked at together: a list of a million words takes 60 MB


def language_code(tag: str | None) -> str | None:
    """The primary language of a tag such as ``pt-BR``, or None.

    >>> language_code("pt_BR"), language_code(" EN "), language_code("x"), language_code(None)
    ('pt', 'en', None, None)
    """
    match = re.match(r"\s*([a-zA-Z]{2,3})(?:[-_\s]|$)", tag or "")
    return match[1].lower() if match else None


def words(text: str) -> Iterator[str]:
    """Lower-case words; each character of an unspaced script is a word of its own.

    >>> list(words("L’été: 2 fêtes, 北京"))
    ['l’été', '2', 'fêtes', '北', '京']
    """
    for piece in pieces(text):
        for run in _WORD.findall(piece.lower()):
            if _UNSPACED_RUN.match(run):
                yield from run
            else:
                yield run


def terms(text: str, language: str | None = None, *, has_stems: bool = True) -> list[str]:
    """Terms of ``text`` with their multiplicity, in their order; words as they are if they have no stems.

    >>> terms("The runners were running", "en"), terms("東京都", "ja")
    (['runner', 'run'], ['東京', '京都'])
    """
    if len(text) > LONG:
        return [term for piece in pieces(text) for term in terms(piece, language, has_stems=has_stems)]
    term_of = _vocabulary(language, has_stems)
    runs = _WORD.findall(text.lower())
    if not _UNSPACED_RUN.search(text):
        return [term for run in runs if (term := term_of[run])]
    found: list[str] = []
    for run in runs:
        if _UNSPACED_RUN.match(run):
            found.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        elif term := term_of[run]:
            found.append(term)
    return found


def pieces(text: str) -> Iterator[str]:
    """A long text in pieces of at most ``LONG`` characters, cut between words if it has any.

    >>> [len(piece) for piece in pieces("word " * 50_000)]
    [99999, 99995, 50006]
    """
    start = 0
    while len(text) - start > LONG:
        end = text.rfind(" ", start + 1, start + LONG)
        end = start + LONG if end < 0 else end
        yield text[start:end]
        start = end
    yield text[start:]


class Vocabulary(dict[str, str]):
    """From word to term, ``""`` for a stop word.  Words are remembered, as stemming is the costly part."""

    def __init__(self, language: str | None, has_stems: bool = True) -> None:
        super().__init__()
        name = SNOWBALL_NAMES.get(language or "") if has_stems else None
        self._stop_words = stop_words_of(language)
        self._stem = snowballstemmer.stemmer(name).stemWord if name in snowballstemmer.algorithms() else str

    def __missing__(self, word: str) -> str:
        if len(word) > MAX_WORD:
            return ""  # and not remembered: encoded data is long, and new each time
        if len(self) >= MOST_WORDS:
            self.clear()
        plain = word.replace("’", "'")
        term = self[word] = "" if plain in self._stop_words else str(self._stem(plain))
        return term


_vocabulary = lru_cache(maxsize=16)(Vocabulary)
forget_words = _vocabulary.cache_clear  # so that each of several measurements pays for its own stems


def stop_words_of(language: str | None) -> frozenset[str]:
    """Stop words of a language; none for a language we do not know."""
    code = _STOPWORDS.get(language or "", language)
    if code is None or not stopwordsiso.has_lang(code):
        return frozenset()
    return frozenset(stopwordsiso.stopwords(code))
