import asyncio
import os
import random
import tempfile
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_forest.crawl.buffer import SMALL, SampleBuffer
from scrapy_forest.model.document import Document
from scrapy_forest.model.feed import FeedEntry

MEGABYTE = 1024 * 1024


def noise(number, size):
    """Bytes that cannot be compressed."""
    return random.Random(number).randbytes(size)  # noqa: S311 - the same each time, no secret


def document(number=0, size=1000):
    return Document(f"https://a.example/{number}", noise(number, size), "text/html", "en", FeedEntry(title=str(number)))


@pytest.fixture
def files(monkeypatch):
    """The temporary files that are made."""
    made = []
    make = tempfile.TemporaryFile

    def remember(*args, **kwargs):
        made.append(make(*args, **kwargs))
        return made[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", remember)
    return made


def size_of(file):
    file.flush()
    return os.fstat(file.fileno()).st_size


@pytest.mark.parametrize("memory", [0, MEGABYTE], ids=["file", "memory"])
@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, 3 * SMALL])
def test_a_document_comes_back_as_it_was(tmp_path, memory, size):
    async def main():
        buffer = SampleBuffer(memory, tmp_path)
        ticket = await buffer.put("a.example", document(size=size))
        assert await buffer.get(ticket) == document(size=size)
        assert await buffer.get(ticket) == document(size=size)  # as often as it is asked for
        assert len(buffer) == 1
        buffer.close()

    asyncio.run(main())


def test_memory_is_bounded_however_many_come(tmp_path, files):
    documents = [document(number, 20_000) for number in range(200)]

    async def main():
        buffer = SampleBuffer(MEGABYTE, tmp_path)
        tickets = []
        for each in documents:
            tickets.append(await buffer.put(each.url[-1], each))
            assert buffer.in_memory <= MEGABYTE
        assert buffer.in_memory > MEGABYTE - 21_000  # and what fits is used
        assert len(buffer) == sum(buffer.pages.values()) == 200
        assert buffer.pages["7"] == 20
        assert [await buffer.get(ticket) for ticket in tickets] == documents
        buffer.close()

    asyncio.run(main())
    assert len(files) == 1
    assert list(tmp_path.iterdir()) == []  # the file has no name


def test_many_at_a_time(tmp_path):
    documents = [document(number, size) for number in range(20) for size in (1000, SMALL + 1000)]

    async def main():
        buffer = SampleBuffer(200_000, tmp_path)
        tickets = await asyncio.gather(*(buffer.put("a.example", each) for each in documents))
        assert len(set(tickets)) == len(documents)
        assert buffer.in_memory <= 200_000
        assert await asyncio.gather(*map(buffer.get, tickets)) == documents
        buffer.close()

    asyncio.run(main())


def test_text_is_compressed():
    async def main():
        buffer = SampleBuffer(MEGABYTE)
        page = replace(document(), body=b"<p>the same again</p>" * 10_000)
        ticket = await buffer.put("a.example", page)
        assert buffer.in_memory < len(page.body) / 20
        assert await buffer.get(ticket) == page
        buffer.close()

    asyncio.run(main())


@pytest.mark.parametrize("memory", [0, MEGABYTE], ids=["file", "memory"])
def test_what_is_dropped_is_gone(tmp_path, memory):
    async def main():
        buffer = SampleBuffer(memory, tmp_path)
        first, second = [await buffer.put("a.example", document(number)) for number in (1, 2)]
        buffer.drop(first)
        buffer.drop(first)  # nothing happens
        assert len(buffer) == buffer.pages["a.example"] == 1
        with pytest.raises(KeyError):
            await buffer.get(first)
        assert await buffer.get(second) == document(2)
        buffer.drop(second)
        assert (len(buffer), buffer.in_memory, dict(buffer.pages)) == (0, 0, {})
        buffer.close()

    asyncio.run(main())


def test_an_empty_file_is_used_again(tmp_path, files):
    async def main():
        buffer = SampleBuffer(0, tmp_path)
        sizes = []
        for _ in range(5):
            tickets = [await buffer.put("a.example", document(number, 10_000)) for number in range(5)]
            assert [await buffer.get(ticket) for ticket in tickets] == [document(n, 10_000) for n in range(5)]
            sizes.append(size_of(files[0]))
            for ticket in tickets:
                buffer.drop(ticket)
        assert len(set(sizes)) == 1
        buffer.close()

    asyncio.run(main())
    assert len(files) == 1
    assert files[0].closed


def test_a_file_that_is_in_use_is_not_overwritten(tmp_path):
    async def main():
        buffer = SampleBuffer(0, tmp_path)
        first, second = [await buffer.put("a.example", document(number)) for number in (1, 2)]
        buffer.drop(first)
        third = await buffer.put("a.example", document(3))
        assert [await buffer.get(second), await buffer.get(third)] == [document(2), document(3)]
        buffer.close()

    asyncio.run(main())


def test_no_file_without_need(tmp_path, files):
    async def main():
        buffer = SampleBuffer(MEGABYTE, tmp_path)
        await buffer.put("a.example", document())
        buffer.close()
        assert (len(buffer), buffer.in_memory, len(buffer.pages)) == (0, 0, 0)

    asyncio.run(main())
    assert files == []


async def check_against_a_dictionary(operations, memory):
    buffer, kept = SampleBuffer(memory), {}
    for number, (operation, value) in enumerate(operations):
        if operation == "put":
            page = document(number, value)
            kept[await buffer.put(f"{value % 3}.example", page)] = page
        elif kept:
            ticket = sorted(kept, key=lambda each: each.number)[value % len(kept)]
            assert await buffer.get(ticket) == kept[ticket]
            if operation == "drop":
                buffer.drop(ticket)
                del kept[ticket]
        assert buffer.in_memory <= memory
        assert len(buffer) == sum(buffer.pages.values()) == len(kept)
    for ticket, page in kept.items():
        assert await buffer.get(ticket) == page
    buffer.close()


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["put", "put", "get", "drop"]), st.integers(0, 300)), max_size=40),
    st.sampled_from([0, 100, 1000]),
)
def test_it_is_a_dictionary(operations, memory):
    asyncio.run(check_against_a_dictionary(operations, memory))
