"""What a crawl finds when the one before was killed between two steps."""

from datetime import datetime, timezone

import pytest

from scrapy_forest.crawl.job import lock_job
from scrapy_forest.crawl.outbox import settle
from scrapy_forest.errors import ExportError, JobBusy
from scrapy_forest.store import LedgerRow, Receipt, open_store

NOW = datetime(2026, 3, 2, tzinfo=timezone.utc)
A, B, C = b'{"url": "a"}\n', b'{"url": "b"}\n', b'{"url": "c"}\n'


@pytest.fixture
def store(tmp_path):
    made = open_store(tmp_path / "forest.sqlite")
    rows = [LedgerRow(key, "feed", key, key, "open", None, 1, "", 0, NOW, "{}") for key in "abc"]
    made.save_ledger(rows)
    yield made
    made.close()


@pytest.fixture
def export(tmp_path):
    return tmp_path / "articles.jsonl"


def states(store):
    return {key: row.state for key, row in store.ledger("abc").items()}


@pytest.mark.parametrize(
    ("content", "left"),
    [
        pytest.param(None, A + B, id="nothing was written"),
        pytest.param(A, A + B, id="the first was written"),
        pytest.param(A + B, A + B, id="both were written"),
        pytest.param(B, B + A, id="in any order"),
        pytest.param(A + B[:5], A + B, id="K05 the second is torn"),
        pytest.param(A + B[:-1], A + B, id="only the line end is missing"),
        pytest.param(C + A + b"{}\n", C + A + b"{}\n" + B, id="among others"),
    ],
)
def test_files_and_ledger_are_brought_together(store, export, content, left):
    store.add_to_outbox("feeds", "a", [(str(export), A)])
    store.add_to_outbox("feeds", "b", [(str(export), B)])
    if content is not None:
        export.write_bytes(content)
    settle(store, "feeds")
    assert export.read_bytes() == left
    assert states(store) == {"a": "done", "b": "done", "c": "open"}
    settle(store, "feeds")
    assert export.read_bytes() == left
    assert len(store.outbox("feeds")) == 1  # the last line, which tells where to look next time


def written(store, export, key, line):
    """A line with all three steps done."""
    [number] = store.add_to_outbox("feeds", key, [(str(export), line)])
    with export.open("ab") as file:
        file.write(line)
    row = store.ledger([key])[key]
    store.save_ledger([row], [Receipt(number, export.stat().st_size)])


def test_the_last_line_that_was_done_is_sent_again_if_it_is_torn(store, export):
    """K05: as a disk may leave it that lost its power."""
    written(store, export, "a", A)
    written(store, export, "b", B)
    store.add_to_outbox("feeds", "c", [(str(export), C)])
    export.write_bytes(A + B[:6])
    settle(store, "feeds")
    assert export.read_bytes() == A + B + C


@pytest.mark.parametrize("content", [None, b"", C])
def test_a_file_that_was_moved_away_stays_away(store, export, content):
    written(store, export, "a", A)
    export.unlink()
    if content is not None:
        export.write_bytes(content)
    settle(store, "feeds")
    assert (export.read_bytes() if export.exists() else None) == content


def test_only_the_lines_after_the_last_one_count(store, export):
    """Two articles may have the same line, as a pipeline can make them."""
    written(store, export, "a", A)
    store.add_to_outbox("feeds", "b", [(str(export), A)])
    settle(store, "feeds")
    assert export.read_bytes() == A + A


def test_two_files(store, export, tmp_path):
    second = tmp_path / "second.jsonl"
    store.add_to_outbox("feeds", "a", [(str(export), A), (str(second), B)])
    export.write_bytes(A)
    settle(store, "feeds")
    assert (export.read_bytes(), second.read_bytes()) == (A, B)
    assert states(store)["a"] == "done"


def test_other_jobs_are_left_alone(store, export):
    store.add_to_outbox("others", "a", [(str(export), A)])
    settle(store, "feeds")
    assert not export.exists()
    assert states(store)["a"] == "open"


def test_a_file_that_cannot_be_written_is_named(store, tmp_path):
    store.add_to_outbox("feeds", "a", [(str(tmp_path), A)])
    with pytest.raises(ExportError, match="1 lines of an earlier crawl") as caught:
        settle(store, "feeds")
    assert caught.value.path == str(tmp_path)
    assert states(store)["a"] == "open"


@pytest.mark.parametrize("job", ["feeds", "../../up", "Ünï/code"])
def test_one_crawl_at_a_time(tmp_path, job):
    """K11."""
    store = tmp_path / "forest.sqlite"
    lock = lock_job(store, job)
    with pytest.raises(JobBusy, match=r"another crawl of .* FOREST_STORE"):
        lock_job(store, job)
    lock_job(store, "another").close()
    lock.close()
    lock_job(store, job).close()
    assert all(path.parent == tmp_path and path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())
