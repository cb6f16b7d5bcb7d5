"""Wrappers as somebody may have left them in a store: none of them may run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from hostile.inputs import APPLIED, MEGABYTE, REFUSED, Input

GROUP: Final = "wrappers"
EXPRESSIONS: Final = {
    "a pattern": "//p[re:test(., '^(a+)+$')]",
    "a pattern by another name": "//p[regexp:match(., '(a+)+$')]",
    "1 MB of predicates": "//p" + "[1]" * (MEGABYTE // 3),
    "1 MB of a literal": f"//p[@class='{'a' * MEGABYTE}']",
    "1 MB of brackets": "(" * MEGABYTE,
    "100,000 unions": "|".join(["//p"] * 100_000),
    "all that precedes": "//*[count(preceding::*) > 10]",
    "all that precedes, twice": "//*[count(preceding::*[count(following::*) > 1]) > 1]",
    "all of all": "//*[//*[//*[//*[. = 'x']]]]",
    "a document": "document('/etc/passwd')",
    "a document by address": "//p[document('http://127.0.0.1:9/')]",
    "an unknown function": "//p[system-property('x')]",
    "a variable": "//p[$x]",
    "a prefix": "//foo:bar",
    "a number": "count(//p)",
    "a text": "string(//p)",
    "a boolean": "//p = 'x'",
    "no expression": "//p[",
    "nothing": "",
    "a NUL": "//p\0",
    "a surrogate": "//p[@class='\ud800']",
    "CSS": ".story > p",
    "long sums": "//p[" + "+".join(["1"] * 20_000) + "]",
    "translations": "//p[" + "translate(" * 500 + "." + ", 'a', 'b')" * 500 + "]",
}
# Allowed or not: they must end soon.
SLOW: Final = {
    "steps to and fro": "//*/ancestor::*/descendant::*/ancestor::*/descendant::*",
    "a descendant of descendants": "//div//div//p//ancestor::div//p",
    "siblings of siblings": "//p/following-sibling::*/preceding-sibling::*/following-sibling::*",
    "many unions": " | ".join(["//div//p"] * 30),
    "many tests": "//*" + "[contains(concat(' ', normalize-space(@class), ' '), ' a ')]" * 30,
    "the last of all": "(//*)[last()]",
    "a count of all below": "//*[count(.//*) > 5]",
    "the text of all": "//*[contains(., 'words')]",
    "the parents of all": "//p/../../..//p/../../..//p",
}
TEXTS: Final = {
    "no bytes": "",
    "no JSON": "{",
    "null": "null",
    "a list": "[]",
    "100,000 brackets": "[" * 100_000,
    "100,000 objects": '{"a":' * 100_000,
    "no format": '{"content": "//p", "method": "x"}',
    "another format": '{"format": 99, "content": "//p", "method": "x"}',
    "a number for an expression": '{"format": 1, "content": 1, "method": "x"}',
    "a text for exclusions": '{"format": 1, "content": "//p", "method": "x", "exclusions": "//b"}',
    "an unknown key": '{"format": 1, "content": "//p", "method": "x", "__class__": "os.system"}',
    "a pickle": "\x80\x04\x95cos\nsystem\n",
}


def inputs() -> Iterator[Input]:
    for name, expression in EXPRESSIONS.items():
        yield _wrapper(name, json.dumps({"format": 1, "content": expression, "method": "x"}))
        inside = {"format": 1, "content": "//div", "method": "x", "exclusions": [expression]}
        yield _wrapper(f"{name}, to leave out", json.dumps(inside))
    for name, expression in SLOW.items():
        text = json.dumps({"format": 1, "content": expression, "method": "x"})
        is_heavy = name == "siblings of siblings"  # ended by the worker's limit
        yield replace(_wrapper(name, text), words=(APPLIED, REFUSED), is_heavy=is_heavy)
    for name, text in TEXTS.items():
        yield _wrapper(name, text)


def _wrapper(name: str, text: str) -> Input:
    make = partial(text.encode, "utf-8", "surrogatepass")
    return Input("X03", name, "wrapper", GROUP, make, (REFUSED,), content_type=None)
