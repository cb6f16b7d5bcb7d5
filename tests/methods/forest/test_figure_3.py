"""The paper's figure 3: ten documents built so that every row of its table holds, and what FOREST makes of them."""

from scrapy_forest.methods.forest import PAPER, rank
from scrapy_forest.methods.forest.relevance import occurrences, rank_patterns
from scrapy_forest.model.page import Page
from scrapy_forest.model.sample import Sample

TABLE = {  # level, clue: dfs numbers, documents
    (1, 'body[@dfs="1"]'): ([1], 10),
    (2, 'div[@id="container"]'): ([19], 10),
    (3, 'div[@class="maincntnr"]'): ([20], 10),
    (4, 'div[@class="idem"]'): ([21], 10),
    (5, 'div[@class="idem"]'): ([25, 29], 10),
    (6, 'div[@class="story"]'): ([78, 82, 83], 8),
    (6, 'p[@style="text-align:justify;"]'): ([175], 2),
    (7, 'p[@dfs="98"]'): ([98], 1),
    (7, 'p[@dfs="107"]'): ([107], 1),
}
STORY = [78, 82, 83, 78, 82, 83, 78, 82]
PARAGRAPH = {0: 98, 1: 107}  # a significant paragraph inside of the story
COMMON = "menu about contact archive weather sports subscribe newsletter terms privacy " * 4


def filler(start: int, end: int) -> str:
    """Elements without text that take the dfs numbers from start to end, the latter excluded."""
    return "<i></i>" * (end - start)


def article(number: int) -> str:
    """Signifiers: words that no other document has."""
    return " ".join(f"subject{number}{letter} reporter said" for letter in "abcdefghij" * 3)


def document(number: int) -> str:
    inner = 25 if number % 2 else 29
    if number < 8:
        paragraph = ""
        if number in PARAGRAPH:
            before = filler(STORY[number] + 1, PARAGRAPH[number])
            paragraph = f"{before}<p>subject{number}a closing words</p>"
        content = f'{filler(inner + 1, STORY[number])}<div class="story">{article(number)}{paragraph}</div>'
    else:
        content = f'{filler(inner + 1, 175)}<p style="text-align:justify;">{article(number)}</p>'
    return (
        f'<html><body>{filler(2, 19)}<div id="container"><div class="maincntnr"><div class="idem">{filler(22, inner)}'
        f'<div class="idem">{content} {COMMON * 2}</div></div></div>{COMMON}</div></body></html>'
    )


SAMPLES = [Sample(Page.from_html(f"https://example.com/{number}", document(number))) for number in range(10)]


def test_the_table():
    ranked = rank_patterns(occurrences(SAMPLES, PAPER), PAPER)
    found = {
        (each.pattern.level, each.pattern.type): (
            sorted({occurrence.dfs for occurrence in each.occurrences}),
            len(each.occurrences),
        )
        for each in ranked
    }
    assert found == TABLE


def test_the_story_wins():
    best = rank(SAMPLES, PAPER)[0]
    assert best.label == '//div[@class="story"] on level 6'
    assert best.evidence["dfs"] == [78, 82, 83]
    assert best.evidence["documents"] == 8
    assert [node.get("class") for node in best.nodes] == ["story"] * 8
