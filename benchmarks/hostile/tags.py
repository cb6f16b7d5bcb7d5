"""Names and values that break, or break into, an expression made of them: all pages of the template have them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from hostile.inputs import ARTICLE, HOSTILE, TOLD, Input, page

GROUP: Final = "names and values"
INJECTION: Final = 'x"] | //script | //*["'
SCRIPT: Final = "var menu"  # what only a script says

ATTRIBUTES: Final = (
    "{}=1",
    "{z}=5",
    "{=7",
    "{a}b=9",
    'a"b=3',
    "@x=1",
    ":y=2",
    "x:y=1",
    "xmlns:a=b",
    "<=1",
    "é=1",
    "'=1",
)
ELEMENTS: Final = ("foo:bar", "x{y}", "a<b", 'a"b', "a:b:c", "a'b", "a|b", "a[1]", "a-", "aé")
VALUES: Final = {
    "both quotes": "it's &quot;main&quot;",
    "brackets": "a]b[1]",
    "a bar": "a|b",
    "a newline": "one\ntwo",
    "10 kB": "x" * 10_000,
    "an emoji": "🎃",
    "a NUL": "sto\0ry",
    "a surrogate by reference": "a&#xD800;b",
    "a control character": "a\x01b",
    "1,000 classes": " ".join(f"c{number}" for number in range(1_000)),
    "variables and braces": "$x {y} %s {0}",
    "a right-to-left override": "a\u202eb",
}
INJECTIONS: Final = {
    "in a class": f"div class='{INJECTION}'",
    "in an id": f"div id='{INJECTION}'",
    "with the other quote": """div class="x'] | //script | //*['" """,
    "with both quotes": """div class='x&quot;] | //script | //*[&quot;&#39;] | //script | //*[&#39;'""",
    "in an attribute's name": "div x]|//script|//*[y=1 class=story",
    "in an element's name": "x]|//script|//*[y",
    "as a function": "div class=\"x') or true() or contains('\"",
    "in a data attribute": f"div data-x='{INJECTION}'",
    "as an axis": "div id='x/preceding::script'",
    "as an entity": "div class='x&#34;] | //script | //*[&#34;'",
}


def inputs() -> Iterator[Input]:
    for name in ATTRIBUTES:
        yield _template("P08", f"an attribute {name}", f"div {name} class=story")
    for name in ELEMENTS:
        yield _template("P09", f"an element {name}", f"{name} class=story")
    for name, value in VALUES.items():
        for attribute in ("class", "id"):
            yield _template("P10", f"{name}, as {attribute}", f'div {attribute}="{value}"')
    for name, tag in INJECTIONS.items():
        yield _template("X01", f"an expression {name}", tag)


def _template(row: str, name: str, tag: str) -> Input:
    make = partial(_encoded, tag)
    samples = partial(page, tag=tag)
    return Input(row, name, "page", GROUP, make, (ARTICLE,), (TOLD,), never=SCRIPT, samples=samples)


def _encoded(tag: str) -> bytes:
    return page(HOSTILE, tag=tag).encode()
