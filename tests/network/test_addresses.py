"""Which addresses are public, what spellings mean, which links are refused."""

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.errors import ForestError
from scrapy_forest.network.addresses import MalformedPermit, Permits, check_url, is_public, literal_address

PUBLIC = """
1.1.1.1 8.8.8.8 93.184.216.34 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
223.255.255.255 168.63.129.17 2606:2800:220:1::1 2001:4860:4860::8888 2a00:1450::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8
2002:808:808::1
""".split()
PRIVATE = """
0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.255
168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.9 192.0.0.192 192.0.2.1
192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
255.255.255.255
:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe
64:ff9b:1::8.8.8.8 100::1 2001::1 2001:0:7f00:1::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::1
2002:c0a8:1::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1
""".split()
NO_ADDRESS = ["", "example.com", "127.1", "1.2.3.4.5", "1.2.3.4 ", "localhost"]


@pytest.mark.parametrize("ip", PUBLIC)
def test_public(ip):
    assert is_public(ip)


@pytest.mark.parametrize("ip", [*PRIVATE, *NO_ADDRESS])
def test_not_public(ip):
    assert not is_public(ip)


LOOPBACK = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0X7F000001",
    "0x7f.0x0.0x0.0x1",
    "0x7f.1",
    "0177.0.0.1",
    "0177.0.0.01",
    "00000000000177.0.0.1",
    "0177.0x0.1",
    "127.0x1",
    "127.0.0.1.",
    "127.0.0.0x1",
    "①②⑦.⓪.⓪.①",
    "１２７．０．０．１",
    "127。0。0。1",
    "127｡0｡0｡1",
    "127．1",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    "¹²⁷.₀.₀.₁",
    "12\u00ad7.0.0.1",
    "127.0\u200b.0.1",
    "127\u2060.0.0.1",
    "０ｘ７ｆ.1",
    "%31%32%37.0.0.1",
    "127%2e0%2E0.1",
    "%EF%BC%91%EF%BC%92%EF%BC%97.1",
    "localhost",
    "LOCALHOST",
    "LocalHost.",
    "ｌｏｃａｌｈｏｓｔ",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "a.b.localhost",
    "localhost.localdomain",
    "ip6-localhost",
    "%6cocalhost",
]
OTHER_SPELLINGS = [
    ("0", "0.0.0.0"),  # noqa: S104 - nothing is bound
    ("0x", "0.0.0.0"),  # noqa: S104
    ("00", "0.0.0.0"),  # noqa: S104
    ("10.1", "10.0.0.1"),
    ("0xa9fea9fe", "169.254.169.254"),
    ("0251.0376.0251.0376", "169.254.169.254"),
    ("169.254.43518", "169.254.169.254"),
    ("4294967295", "255.255.255.255"),
    ("8.8.8.8", "8.8.8.8"),
    ("134744072", "8.8.8.8"),
    ("[::1]", "::1"),
    ("::1", "::1"),
    ("[0:0:0:0:0:0:0:1]", "::1"),
    ("[::FFFF:127.0.0.1]", "::ffff:127.0.0.1"),
    ("[::ffff:7f00:1]", "::ffff:127.0.0.1"),
    ("[64:FF9B::7f00:1]", "64:ff9b::7f00:1"),
    ("[fe80::1%25eth0]", "fe80::1"),
]
NAMES = ["example.com", "127.0.0.1.example.com", "127-0-0-1.example", "0x7f.example", "a" * 300, "1" * 300, "", "."]
NO_NUMBERS = [
    "256.0.0.1",
    "1.2.3.4.5",
    "4294967296",
    "0x100000000",
    "08.1",
    "1..2",
    "127.0.0.1..",
    "1_0.1",
    "[::1",
    "[:]",
]


@pytest.mark.parametrize("host", LOOPBACK)
def test_spellings_of_loopback(host):
    assert literal_address(host) == "127.0.0.1"


@pytest.mark.parametrize(("host", "address"), OTHER_SPELLINGS)
def test_other_spellings(host, address):
    read = literal_address(host)
    assert read is not None
    assert socket.getaddrinfo(read, None)[0][4] == socket.getaddrinfo(address, None)[0][4]


@pytest.mark.parametrize("host", [*NAMES, *NO_NUMBERS])
def test_names_have_no_address_in_them(host):
    assert literal_address(host) is None


@given(
    st.lists(
        st.sampled_from(["0", "1", "7", "08", "010", "127", "255", "256", "0x7f", "65536", "99999999999"]),
        min_size=1,
        max_size=5,
    )
)
def test_as_the_resolver_reads_numbers(parts):
    host = ".".join(parts)
    try:
        expected = socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        expected = None
    assert literal_address(host) == expected


@given(st.ip_addresses())
def test_an_address_means_itself(ip):
    assert is_public(str(ip)) == is_public(literal_address(str(ip)))


def spell(host):
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


@pytest.mark.parametrize("scheme", ["http", "https", "HTTP"])
@pytest.mark.parametrize("host", [*LOOPBACK, *(spell(ip) for ip in PRIVATE)])
def test_private_links(scheme, host):
    assert check_url(f"{scheme}://{host}/x", Permits()) == "private_address"
    assert check_url(f"{scheme}://{host}:8080/x", Permits()) == "private_address"


@pytest.mark.parametrize(
    "host", [*(spell(ip) for ip in PUBLIC), "example.com", "bücher.example", "☃.net", "a_b.example."]
)
def test_public_links(host):
    assert check_url(f"http://{host}/x?u=http://127.0.0.1/#@127.0.0.1", Permits()) is None


REFUSED = [
    ("file:///etc/passwd", "bad_scheme"),
    ("file:/etc/passwd", "bad_scheme"),
    ("FILE:///etc/passwd", "bad_scheme"),
    ("file://localhost/etc/passwd", "bad_scheme"),
    ("file://example.com/etc/passwd", "bad_scheme"),
    ("data:text/html,x", "bad_scheme"),
    ("ftp://example.com/", "bad_scheme"),
    ("s3://bucket/key", "bad_scheme"),
    ("gopher://example.com/", "bad_scheme"),
    ("jar:http://example.com/!/", "bad_scheme"),
    ("view-source:http://example.com/", "bad_scheme"),
    ("feed:http://example.com/", "bad_scheme"),
    ("javascript:alert(1)", "bad_scheme"),
    ("ws://example.com/", "bad_scheme"),
    ("http-proxy://example.com/", "bad_scheme"),
    ("", "bad_url"),
    ("/path", "bad_url"),
    ("//example.com/", "bad_url"),
    ("http:", "bad_url"),
    ("http:example.com", "bad_url"),
    ("http:///example.com", "bad_url"),
    ("http:\\\\example.com\\", "bad_url"),
    ("http://:80/", "bad_url"),
    ("http://./", "bad_url"),
    ("http://../x", "bad_url"),
    ("http://example..com/", "bad_url"),
    ("http://.example.com/", "bad_url"),
    ("http://example.com:0/", "bad_url"),
    ("http://example.com:99999/", "bad_url"),
    ("http://example.com:abc/", "bad_url"),
    ("http://example.com:+80/", "bad_url"),
    ("http://example.com:8_0/", "bad_url"),
    ("http://[::1/", "bad_url"),
    ("http://[v1.abc]/", "bad_url"),
    ("http://::1/", "bad_url"),
    ("http://127.0.0.1\\.example.com/", "bad_url"),
    ("http://127.0.0.1%00.example.com/", "bad_url"),
    ("http://127.0.0.1%2f.example.com/", "bad_url"),
    ("http://%2531.0.0.1/", "bad_url"),
    ("http://exa mple.com/", "bad_url"),
    ("http://a;b.example/", "bad_url"),
    ("http://a\u202eb.example/", "bad_url"),  # a name that has no ASCII form
    (f"http://{'é' * 64}.example/", "bad_url"),
    (f"http://{'a' * 300}/", "bad_url"),
    *((f"http://{host}/", "bad_url") for host in NO_NUMBERS),
    ("http://user:pw@example.com/", "credentials"),
    ("http://user@127.0.0.1/", "credentials"),
    ("http://@example.com/", "credentials"),
    ("http://example.com\\@127.0.0.1/", "credentials"),
]


@pytest.mark.parametrize(("url", "reason"), REFUSED)
def test_refused_links(url, reason):
    assert check_url(url, Permits()) == reason


@given(st.text() | st.text(alphabet="htps:/.@[]%\\127x0localhost。①ß\ud800").map(lambda tail: f"http://{tail}"))
def test_any_text_gets_an_answer(url):
    assert check_url(url, Permits()) in {None, "bad_scheme", "bad_url", "credentials", "private_address"}


PERMITTED = Permits.parse(["127.0.0.1:8000", "LocalHost.:80", "[::1]:443", "intranet:8080", "bücher.example:80"])


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:8000/", None),
        ("http://0x7f.1:8000/", None),
        ("https://127.0.0.1:8000/", None),
        ("http://127.0.0.1/", "private_address"),
        ("http://127.0.0.1:8001/", "private_address"),
        ("http://127.0.0.2:8000/", "private_address"),
        ("http://localhost:8000/", "private_address"),
        ("http://localhost/", None),
        ("https://localhost/", "private_address"),
        ("http://a.localhost/", "private_address"),
        ("https://[::1]/", None),
        ("http://[::1]/", "private_address"),
        ("http://user@127.0.0.1:8000/", "credentials"),
        ("ftp://127.0.0.1:8000/", "bad_scheme"),
    ],
)
def test_permits_are_for_one_host_and_port(url, reason):
    assert check_url(url, PERMITTED) == reason


@pytest.mark.parametrize("host", ["bücher.example", "BÜCHER.example.", "xn--bcher-kva.example", "b%C3%BCcher.example"])
def test_permits_know_a_name_in_all_its_forms(host):
    assert PERMITTED.allows(host, 80)
    assert not PERMITTED.allows(host, 81)


@pytest.mark.parametrize(
    "entry",
    [
        *["", "localhost", "localhost:", ":80", "localhost:x", "localhost:0", "localhost:65536", "localhost:-1"],
        *["http://localhost:80", "user@localhost:80", "::1:80", "[::1]", "*:80", "10.0.0.0/8:80", "256.1.1.1:80"],
        *["a b:80", "h:８０"],
    ],
)
def test_malformed_permits(entry):
    with pytest.raises(MalformedPermit, match="is not host:port") as caught:
        Permits.parse(["localhost:80", entry])
    assert caught.value.entry == entry
    assert isinstance(caught.value, ForestError)
