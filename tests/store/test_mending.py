"""S03: a damaged store is set aside, and a new one takes its place."""

import subprocess
import sys
from contextlib import closing

import pytest

from scrapy_forest.errors import StoreError
from scrapy_forest.store import FeedState, open_store
from scrapy_forest.store.mending import mark_damaged, open_sound_store

PAGE = 4096


def fill(path):
    with closing(open_store(path)) as store, store.transaction():
        for number in range(200):
            store.save_feed_state(FeedState(f"https://a.example/{number}", title="x" * 200))


def zeroed(content):
    """Without its last page, which nobody looks at when the file is opened."""
    return content[:-PAGE] + bytes(PAGE)


DAMAGES = {
    "text": lambda _: b"no database" * 100,
    "header": lambda content: b"\xff" * 100 + content[100:],
    "truncated": lambda content: content[: len(content) // 2],
    "zeroed page": zeroed,
    "zeros": lambda content: content[:PAGE] + bytes(len(content) - PAGE),
    "random": lambda content: bytes(7 * n % 256 for n in range(len(content))),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_s03_a_damaged_store_is_set_aside(path, damage, caplog):
    fill(path)
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    with closing(open_sound_store(path)) as store:
        assert store.feed_state("https://a.example/1") is None
        store.save_feed_state(FeedState("https://b.example/"))
    [aside] = path.parent.glob(f"{path.name}.corrupt-*[0-9]")
    assert aside.read_bytes() == damaged
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert str(aside) in caplog.text
    caplog.clear()
    with closing(open_sound_store(path)) as store:
        assert store.feed_state("https://b.example/") is not None
    assert not caplog.records


def test_s03_what_was_no_store_stays(path):
    """Somebody's list of feeds, named by mistake."""
    path = path.with_name("feeds.txt")
    path.write_text("https://a.example/feed\n")
    with pytest.raises(StoreError, match="is no store"):
        open_sound_store(path)
    assert path.read_text() == "https://a.example/feed\n"


def test_s03_damage_that_shows_only_later_is_remembered(path):
    fill(path)
    mark_damaged(path)
    for _ in range(2):
        with closing(open_sound_store(path)) as store:
            assert store.feed_state("https://a.example/1") is None
    assert len([*path.parent.glob(f"{path.name}.corrupt-*[0-9]")]) == 1


def test_a_sound_store_stays(path):
    fill(path)
    with closing(open_sound_store(path)) as store:
        assert store.feed_state("https://a.example/199") is not None
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_s04_what_others_wrote_is_refused_and_stays(path):
    fill(path)
    with closing(open_store(path)) as store:
        store._db.change("PRAGMA user_version = 1000")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="upgrade scrapy-forest"):
        open_sound_store(path)
    assert path.read_bytes() == before


OPEN = """
import sys
from pathlib import Path
from scrapy_forest.store import FeedState
from scrapy_forest.store.mending import open_sound_store

print("ready", flush=True)
sys.stdin.readline()
store = open_sound_store(Path(sys.argv[1]), patience=30)
store.save_feed_state(FeedState(sys.argv[2]))
print("saved", flush=True)
sys.stdin.readline()
store.close()
"""


def test_several_that_find_it_damaged_at_once_share_the_new_one(path):
    fill(path)
    path.write_bytes(DAMAGES["header"](path.read_bytes()))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([sys.executable, "-c", OPEN, path, str(number)], **pipes) for number in range(4)]
    for word in ("ready\n", "saved\n"):
        assert [process.stdout.readline() for process in processes] == [word] * 4
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    with closing(open_store(path)) as store:
        assert all(store.feed_state(str(number)) for number in range(4))
    assert len([*path.parent.glob(f"{path.name}.corrupt-*[0-9]")]) == 1
