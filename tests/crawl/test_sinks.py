"""Export files: whole lines, whoever was killed before."""

import errno
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.crawl import sinks
from scrapy_forest.crawl.sinks import Line, Sink, is_full


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sub" / "articles.jsonl"


def opened(path, content):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    sink = Sink(str(path))
    sink.close()
    return sink


def test_half_a_line_of_another_crawl_is_not_continued(path):
    """Killed while this one had the file open, so that nobody could cut."""
    sink = opened(path, b"{}\n")
    sink = Sink(str(path))
    with path.open("ab") as other:
        other.write(b'{"a": "ha')
    assert sink.append(b'{"b": 2}\n') == sink.size
    assert path.read_bytes() == b'{}\n{"a": "ha\n{"b": 2}\n'
    sink.close()


@pytest.mark.parametrize(
    ("content", "left", "torn"),
    [
        pytest.param(b"", b"", b"", id="empty"),
        pytest.param(b"{}\n", b"{}\n", b"", id="whole"),
        pytest.param(b'{}\n{"a": 1', b"{}\n", b'{"a": 1', id="K05 torn"),
        pytest.param(b'{"a": 1', b"", b'{"a": 1', id="K05 the only line is torn"),
        pytest.param(b'{}\n{"a": 1}', b'{}\n{"a": 1}\n', b"", id="only the line end is missing"),
        pytest.param(b"{}\n" + b"[" * 5000, b"{}\n", b"[" * 5000, id="nested deeply"),
        pytest.param(b"{}\n\xff\xfe", b"{}\n", b"\xff\xfe", id="no text"),
        pytest.param(b"x" * 200_000 + b"\n{", b"x" * 200_000 + b"\n", b"{", id="long lines before"),
        pytest.param(b"{}\n" + b"{" * 200_000, b"{}\n", b"{" * 200_000, id="long torn line"),
    ],
)
def test_a_torn_line_is_cut(path, content, left, torn):
    sink = opened(path, content)
    assert path.read_bytes() == left
    assert sink.torn == torn


def test_what_is_no_file_of_lines_is_left_alone(path, monkeypatch):
    monkeypatch.setattr(sinks, "LONGEST", 100_000)
    content = b"{" * 300_000
    assert opened(path, content).torn == b""
    assert path.read_bytes() == content


@given(
    before=st.lists(st.binary(max_size=20).filter(lambda line: b"\n" not in line), max_size=3),
    cut=st.integers(min_value=1, max_value=15),
)
def test_whole_lines_are_never_cut(tmp_path_factory, before, cut):
    path = tmp_path_factory.mktemp("sink") / "articles.jsonl"
    whole = b"".join(line + b"\n" for line in before)
    opened(path, whole + b'{"url": "https"}'[:-cut])
    assert path.read_bytes() == whole


def test_nothing_is_cut_while_others_write(path):
    path.parent.mkdir()
    path.write_bytes(b"{}\n")
    first = Sink(str(path))
    with path.open("ab") as file:
        file.write(b"{half")
    second = Sink(str(path))
    assert second.torn == b""
    assert path.read_bytes() == b"{}\n{half"
    first.close()
    second.close()


def test_lines_end_where_it_says(path):
    sink = Sink(str(path))
    assert [sink.append(b"{}\n"), sink.append('{"ä": 1}\n'.encode())] == [3, 13]
    assert list(sink.lines(3)) == ['{"ä": 1}\n'.encode()]
    assert list(sink.lines(14)) == list(sink.lines(0))  # the file was moved away, and this is another one
    assert sink.size == 13
    sink.close()


def test_a_line_is_written_once(path):
    sink = Sink(str(path))
    line = Line(sink, b"{}\n")
    assert line.is_waiting
    assert line.write() == line.write() == 3
    assert not line.is_waiting
    assert not Line(sink, b"{}\n", is_dropped=True).is_waiting
    sink.close()


FULL_FILE = """
import resource, signal, sys
from scrapy_forest.crawl.sinks import Sink, is_full
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sink = Sink(sys.argv[1])
sink.append(b"{}" * 50 + b"\\n")
resource.setrlimit(resource.RLIMIT_FSIZE, (150, 150))
try:
    sink.append(b"[]" * 50 + b"\\n")
except OSError as error:
    sys.exit(7 if is_full(error) else 8)
"""


def test_what_does_not_fit_is_taken_back(path):
    """S05: there is room for half of the second line."""
    run = subprocess.run([sys.executable, "-c", FULL_FILE, str(path)], timeout=30)
    assert run.returncode == 7
    assert path.read_bytes() == b"{}" * 50 + b"\n"


@pytest.mark.parametrize(
    ("error", "is_it"),
    [
        (OSError(errno.ENOSPC, "no space"), True),
        (OSError(errno.EFBIG, "too big"), True),
        (OSError(errno.EACCES, "no"), False),
        (ValueError("no"), False),
    ],
)
def test_full(error, is_it):
    assert is_full(error) == is_it
