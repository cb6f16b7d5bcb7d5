"""Grouping pages by template: what a signature sees, what it does not, and that no page can break it."""

import json
from itertools import permutations
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.errors import InvalidTemplate
from scrapy_forest.induction.templates import (
    FULL,
    MAX_FEATURES,
    MEMORY,
    SAME_TEMPLATE,
    Signature,
    Template,
    find_template,
    signature_of,
    similarity,
    split_group,
)
from scrapy_forest.model.page import Page

POST = """<body class="single postid-{n} tag-{tag}"><header id="top"><nav class="menu"><ul><li>Home</ul></nav>
</header><main id="main"><article id="post-{n}" class="post hentry"><h1>Title</h1><div class="entry-content">{content}
</div></article>{comments}</main><aside id="side"><div class="widget recent"></div></aside><footer></footer></body>"""
REVIEW = """<body class="review-page no-{n}"><div id="masthead"><div class="logo"></div></div>
<section class="review {tag}"><div class="stars"></div><div class="verdict"><form class="vote"></form></div>
<div class="text">{content}</div>
</section>{comments}<div id="imprint"></div></body>"""
OLD = """<body><table><tr><td><table><tr><td>Menu {n}</table><td><table><tr><td>{content}</td></tr></table>{comments}
</td></tr></table></body>"""
COMMENT = '<div class="comment" id="comment-{n}"><div class="comment-body"><p>I agree.</p></div></div>'


def page(template=POST, n=1, paragraphs=3, comments=0, extra=""):
    content = extra + "<p>Some <b>words</b> of the article.</p>" * paragraphs
    said = f'<div id="comments">{"".join(COMMENT.format(n=n) for n in range(comments))}</div>' if comments else ""
    html = template.format(n=n, tag=f"topic-{'abc'[n % 3]}", content=content, comments=said)
    return Page.from_html(f"https://example.com/{n}", f"<html>{html}</html>")


def group(signatures):
    templates, labels = [], []
    for signature in signatures:
        found = find_template(signature, templates)
        if found is None:
            templates.append(Template(signature))
            labels.append(len(templates) - 1)
        else:
            templates[found] = templates[found].adding(signature)
            labels.append(found)
    return labels, templates


weights = st.dictionaries(st.integers(0, 2**32 - 1) | st.integers(0, 9), st.integers(1, FULL), min_size=1, max_size=60)
signatures = st.builds(Signature, weights)

LISTING = "<pre>" + "".join(f'<span class="tok-{chr(97 + n % 26)}{chr(97 + n // 26)}">x</span>' for n in range(600))
CONTENTS = {
    "one paragraph": {"paragraphs": 1},
    "300 paragraphs": {"paragraphs": 300},
    "another number and tag": {"n": 4711},
    "a listing with hundreds of classes": {"extra": LISTING + "</pre>"},
    "headings, lists and figures": {"extra": "<h2>A</h2><ul><li>b</ul><figure class=wide><img></figure>" * 9},
    "links with names": {"extra": "".join(f'<a id="note-{n}" class="ref">{n}</a>' for n in range(99))},
}


@pytest.mark.parametrize("template", [POST, REVIEW, OLD], ids=["post", "review", "old"])
@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_content_does_not_matter(template, content):
    assert similarity(signature_of(page(template)), signature_of(page(template, **content))) > 0.9


def test_how_many_comments_does_not_matter_and_whether_there_are_any_matters_little():
    none, few, many = (signature_of(page(comments=comments)) for comments in (0, 2, 200))
    assert few == many
    assert SAME_TEMPLATE < similarity(none, many) < 1


@pytest.mark.parametrize(("one", "other"), [(POST, REVIEW), (POST, OLD), (REVIEW, OLD)])
def test_templates_differ(one, other):
    assert similarity(signature_of(page(one)), signature_of(page(other))) < SAME_TEMPLATE / 2


def test_templates_are_told_apart_in_any_order():
    kinds = [(POST, 0), (POST, 9), (POST, 0), (REVIEW, 0), (REVIEW, 9), (OLD, 1)]
    pages = [(kind, signature_of(page(kind, n, comments=comments))) for n, (kind, comments) in enumerate(kinds)]
    for order in permutations(pages):
        labels, templates = group(signature for _, signature in order)
        assert len({(kind, label) for (kind, _), label in zip(order, labels, strict=True)}) == len(templates) == 3
        assert sorted(template.count for template in templates) == [1, 2, 3]


def reviewed(n, comments=0):
    """A review with all that is around a post."""
    review = '<section class="review"><div class="stars"></div><div class="review-text">{content}</div></section>'
    start, end = POST.index("<article"), POST.index("{comments}")
    return page(POST[:start] + review + POST[end:], n, comments=comments)


def test_posts_and_reviews_in_the_same_surroundings_are_split_when_several_are_there():
    pages = [page(n=1), reviewed(2, comments=3), page(n=3, comments=9), reviewed(4), page(n=5)]
    signatures = [signature_of(each) for each in pages]
    assert split_group(signatures) == [[0, 2, 4], [1, 3]]
    assert split_group(signatures[::-1]) == [[0, 2, 4], [1, 3]]
    templates = [Template(signatures[0]).adding(signatures[2]), Template(signatures[1]).adding(signatures[3])]
    assert find_template(signature_of(page(n=6, comments=2)), templates) == 0
    assert find_template(signature_of(reviewed(7, comments=2)), templates) == 1


@pytest.mark.parametrize(
    "pages",
    [
        [],
        [page()],
        [page(), page(REVIEW)],  # too few to tell
        [page(), page(n=2), reviewed(3)],  # one may be an oddity
        [page(n=n, comments=5 * (n % 2)) for n in range(6)],  # nothing stands in for comments
        [page(n=n, extra=LISTING if n % 2 else "<table class=facts><tr><td>x</table>") for n in range(6)],
        [page(n=n) for n in range(20)],
    ],
    ids=["none", "one", "two", "an oddity", "comments", "tables or listings", "many"],
)
def test_one_template_is_not_split(pages):
    assert split_group([signature_of(each) for each in pages]) == [list(range(len(pages)))]


@given(st.lists(signatures, max_size=8))
def test_a_split_is_a_partition(many):
    assert sorted(index for part in split_group(many) for index in part) == list(range(len(many)))


def test_none_is_found_among_none():
    assert find_template(signature_of(page()), []) is None
    assert find_template(Signature({1: FULL}), [Template(Signature({2: FULL}))]) is None


def test_the_best_is_found_and_of_equals_the_first():
    near, same = Template(Signature({1: FULL, 2: FULL, 3: FULL})), Template(Signature({1: FULL, 2: FULL}))
    assert find_template(same.signature, [near, same, same]) == 1
    assert find_template(same.signature, [near, same], threshold=1.0) == 1
    assert find_template(same.signature, [near], threshold=1.0) is None


def test_a_template_is_the_mean_of_its_pages():
    template = (
        Template(Signature({1: FULL, 2: FULL})).adding(Signature({1: FULL, 3: FULL})).adding(Signature({1: FULL}))
    )
    assert template == Template(Signature({1: FULL, 2: 333, 3: 333}), 3)


def test_a_template_follows_a_site_that_changes():
    old, new = Signature({1: FULL, 2: FULL}), Signature({1: FULL, 3: FULL})
    template = Template(old, 10_000)
    for _ in range(4 * MEMORY):
        template = template.adding(new)
    assert similarity(template.signature, new) > 0.99
    assert template.count == 10_000 + 4 * MEMORY


def test_a_mean_is_bounded_and_keeps_what_most_pages_have():
    common = dict.fromkeys(range(10), FULL)
    template = Template(Signature(common))
    for n in range(1, 20):
        template = template.adding(Signature({**common, **dict.fromkeys(range(n * 1000, n * 1000 + 400), FULL)}))
    assert len(template.signature.weights) == MAX_FEATURES
    assert all(template.signature.weights[key] == FULL for key in common)
    assert len(template.signature.to_json()) < 9_000


@given(signatures, signatures)
def test_similarity_is_symmetric_and_within_bounds(one, other):
    assert 0 <= similarity(one, other) == similarity(other, one) <= 1


@given(signatures)
def test_a_signature_is_like_itself(signature):
    assert similarity(signature, signature) == 1
    assert find_template(signature, [Template(signature)], threshold=1.0) == 0


def test_nothing_is_like_nothing_only():
    assert similarity(Signature({}), Signature({})) == 1
    assert similarity(Signature({}), Signature({1: FULL})) == 0


@given(signatures, st.integers(1, 10_000))
def test_adding_its_own_signature_only_counts(signature, count):
    assert Template(signature, count).adding(signature) == Template(signature, count + 1)


@given(signatures)
def test_json_comes_back_the_same(signature):
    assert Signature.from_json(signature.to_json()) == signature


def test_json_is_the_same_for_equal_signatures_and_small():
    assert Signature({1: 5, 2: 7}).to_json() == Signature({2: 7, 1: 5}).to_json()
    assert Signature({1: 5}).to_json() == '{"format":1,"features":{"00000001":5}}'
    assert len(signature_of(page(comments=200)).to_json()) < 1_000


INVALID = {
    "empty": "",
    "no JSON": "{",
    "deep": "[" * 100_000,
    "no object": "[]",
    "null": "null",
    "no format": '{"features":{"00000001":5}}',
    "another format": '{"format":2,"features":{"00000001":5}}',
    "true as format": '{"format":true,"features":{"00000001":5}}',
    "no features": '{"format":1}',
    "features as list": '{"format":1,"features":["00000001"]}',
    "none at all": '{"format":1,"features":{}}',
    "too many": json.dumps({"format": 1, "features": {f"{n:08x}": 1 for n in range(MAX_FEATURES + 1)}}),
    "a short key": '{"format":1,"features":{"1":5}}',
    "a key that int() would take": '{"format":1,"features":{"0x0000_1":5}}',
    "digits of another script": '{"format":1,"features":{"٠٠٠٠٠٠٠١":5}}',
    "a key and a newline": '{"format":1,"features":{"00000001\\n":5}}',
    "zero": '{"format":1,"features":{"00000001":0}}',
    "too heavy": '{"format":1,"features":{"00000001":1001}}',
    "negative": '{"format":1,"features":{"00000001":-1}}',
    "a fraction": '{"format":1,"features":{"00000001":0.5}}',
    "NaN": '{"format":1,"features":{"00000001":NaN}}',
    "true as weight": '{"format":1,"features":{"00000001":true}}',
    "a huge number": f'{{"format":1,"features":{{"00000001":{"9" * 10_000}}}}}',
}


@pytest.mark.parametrize("text", INVALID.values(), ids=INVALID)
def test_what_is_no_signature_is_refused(text):
    with pytest.raises(InvalidTemplate):
        Signature.from_json(text)


@given(st.text())
def test_any_text_is_a_signature_or_refused(text):
    with pytest.raises(InvalidTemplate):
        Signature.from_json(text)


HOSTILE = {
    "140,000 paragraphs": "<p>x</p>" * 140_000,
    "140,000 boxes": "<div>x</div>" * 140_000,
    "140,000 named boxes": "".join(f"<div class=c{chr(97 + n % 26)}{n}>x</div>" for n in range(140_000)),
    "2,000 levels": "<div>" * 2_000,
    "2,000 named levels": "".join(f"<div class={'x' * (n % 40)}y>" for n in range(2_000)),
    "names that differ": "".join(f"<div id={hex(n).translate(str.maketrans('0123456789', 'ghijklmnop'))}>" * 1
                                 + "</div>" for n in range(3_000)),
    "5,000 divs of 200 classes": f"<div class='{' '.join(f'c{chr(97 + n % 26)}' for n in range(200))}'></div>" * 5_000,
    "a class of a million characters": f"<div class='{'x' * 1_000_000}' id='{'y' * 1_000_000}'></div>",
    "strange names": "<foo:bar class=a><x{y} id=b><a\"b><div {}=1 {z}=5 class='🎃 a\0b &#xD800;' id=\"it's\"></div>",
    "empty names": "<div class id=''></div><div class=' \t\n '></div>",
}  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_any_page_has_a_small_signature_soon(body):
    hostile = Page.from_html("https://example.com/", f"<html><body>{body}</body></html>")
    start = process_time()
    signature = signature_of(hostile)
    assert process_time() - start < 0.25  # how long the event loop may be blocked
    assert 0 < len(signature.weights) <= MAX_FEATURES
    assert Signature.from_json(signature.to_json()) == signature
    assert len(signature.to_json()) < 9_000
