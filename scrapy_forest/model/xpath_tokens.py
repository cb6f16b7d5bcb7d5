"""The words that XPath is written in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, NoReturn

from scrapy_forest.errors import InvalidWrapper

LEVELS: Final[tuple[frozenset[str], ...]] = (  # of operators, from those that bind least
    frozenset(["or"]),
    frozenset(["and"]),
    frozenset(["=", "!="]),
    frozenset(["<", "<=", ">", ">="]),
    frozenset(["+", "-"]),
    frozenset(["*", "div", "mod"]),
)

_TOKEN: Final = re.compile(
    r"""[ \t\r\n]*(?:
    (?P<literal>"[^"]*"|'[^']*')
    |(?P<number>\d+(?:\.\d*)?|\.\d+)
    |(?P<name>[^\W\d][\w.-]*)
    |(?P<symbol>//|::|\.\.|!=|<=|>=|[][()@,|/.=<>+*:$-])
    |(?P<end>\Z)
    )""",
    re.VERBOSE | re.ASCII,
)


class Token(NamedTuple):
    """A word and where it stands; ``kind`` is a group of the pattern above."""

    kind: str
    text: str
    start: int
    end: int
    is_operator: bool


def refuse(expression: str, position: int, problem: str) -> NoReturn:
    """Say what is wrong, and where."""
    around = expression[max(0, position - 20) : position + 20]
    raise InvalidWrapper(f"XPath that wrappers may not have, at character {position + 1}, near {around!r}: {problem}")


def read_tokens(expression: str) -> Iterator[Token]:
    """The words of an expression, and its end.

    >>> [token.text for token in read_tokens("//p[@a='b c']")]
    ['//', 'p', '[', '@', 'a', '=', "'b c'", ']', '']
    """
    position, before = 0, ""
    while True:
        found = _TOKEN.match(expression, position)
        if found is None or found.lastgroup is None:
            refuse(expression, position, "no part of XPath starts here")
        kind, text, position = found.lastgroup, found[found.lastgroup], found.end()
        # The rule of XPath: what could be a name or an operator is a name where no operand stands before it.
        is_operator = bool(before) and any(text in level for level in LEVELS)
        yield Token(kind, text, found.start(kind), position, is_operator)
        if kind == "end":
            return
        before = "" if is_operator or text in ("(", "[", ",", "@", "::", "/", "//", "|") else text
