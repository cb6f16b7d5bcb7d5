from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_forest.errors import FrameError
from scrapy_forest.workers import frames
from scrapy_forest.workers.frames import encode_frame, read_frame, write_frame

TEXT = st.text(st.characters())  # lone surrogates too: there is no category that is left out
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)
HEADERS = st.dictionaries(TEXT, VALUES, max_size=4)
BLOBS = st.lists(st.binary(max_size=200), max_size=5)


def encoded(header, blobs=()):
    return b"".join(encode_frame(header, blobs))


@given(st.lists(st.tuples(HEADERS, BLOBS), max_size=3))
def test_what_is_written_is_read(messages):
    stream = BytesIO()
    for header, blobs in messages:
        write_frame(stream, encode_frame(header, blobs))
    stream.seek(0)
    assert [read_frame(stream) for _ in messages] == messages
    assert read_frame(stream) is None


@given(HEADERS, BLOBS, st.data())
def test_a_frame_that_is_cut_off_raises(header, blobs, data):
    whole = encoded(header, blobs)
    length = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(FrameError, match="cut off"):
        read_frame(BytesIO(whole[:length]))


@given(st.binary(min_size=1, max_size=100))
def test_other_bytes_raise(data):
    with pytest.raises(FrameError):
        read_frame(BytesIO(data))


def claim(length, sizes):
    return b"SF1\n" + b"".join(number.to_bytes(4, "big") for number in (length, len(sizes), *sizes))


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        pytest.param(claim(frames.MAX_BYTES + 1, []), "bytes, more than", id="header"),
        pytest.param(claim(2, [frames.MAX_BYTES]), "bytes, more than", id="one blob"),
        pytest.param(claim(2, [frames.MAX_BYTES // 2] * 3), "bytes, more than", id="blobs together"),
        pytest.param(b"SF1\n\0\0\0\2\xff\xff\xff\xff", "4294967295 blobs", id="number of blobs"),
        pytest.param(claim(2, []) + b"[]", "no JSON object", id="a list"),
        pytest.param(claim(2, []) + b"{]", "no JSON", id="no JSON"),
        pytest.param(claim(2, []) + b"\xff\xff", "no JSON", id="no UTF-8"),
        pytest.param(claim(100_000, []) + b"[" * 100_000, "no JSON", id="nested too deeply"),
        pytest.param(b"hello, world\n", "it starts with", id="stray output"),
    ],
)
def test_what_is_no_message_raises(data, problem):
    with pytest.raises(FrameError, match=problem):
        read_frame(BytesIO(data))


def test_too_much_is_not_written(monkeypatch):
    monkeypatch.setattr(frames, "MAX_BYTES", 100)
    with pytest.raises(FrameError, match="more than 100"):
        encode_frame({}, [b"-" * 50, b"-" * 50])
    with pytest.raises(FrameError, match="1001 blobs"):
        encode_frame({}, [b""] * 1_001)


def test_what_json_does_not_know_is_not_written():
    with pytest.raises(TypeError):
        encode_frame({"value": object()})
