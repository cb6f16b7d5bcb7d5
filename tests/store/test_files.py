import os
import sqlite3
import stat
from contextlib import closing

import pytest

from scrapy_forest.errors import StoreDamaged, StoreError
from scrapy_forest.store import FeedState, open_store
from scrapy_forest.store.connection import Connection
from scrapy_forest.store.schema import APPLICATION_ID, MIGRATIONS, migrate

needs_modes = pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
needs_refusal = pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may do everything")


def modes(directory):
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in directory.iterdir()}


@needs_modes
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277], ids=oct)
def test_x15_files_are_for_the_owner_only(tmp_path, umask):
    before = os.umask(umask)
    try:
        with closing(open_store(tmp_path / "forest.db")) as store:
            store.save_feed_state(FeedState("u"))
            names = {"forest.db", "forest.db-wal", "forest.db-shm"}
            assert modes(tmp_path) == dict.fromkeys(names, 0o600)
    finally:
        os.umask(before)


@needs_modes
def test_x15_missing_directories_are_for_the_owner_only(tmp_path):
    open_store(tmp_path / "a" / "b" / "forest.db").close()
    assert modes(tmp_path) == {"a": 0o700}
    assert modes(tmp_path / "a") == {"b": 0o700}


@needs_modes
def test_x15_a_mode_that_somebody_chose_stays(path):
    open_store(path).close()
    path.chmod(0o660)
    with closing(open_store(path)) as store:
        store.save_feed_state(FeedState("u"))
        assert set(modes(path.parent).values()) == {0o660}


def test_settings_of_the_connection(store):
    asked = ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "user_version"]
    answers = [store._db.query(f"PRAGMA {name}")[0][0] for name in asked]
    assert answers == ["wal", 1, 1, 5000, len(MIGRATIONS)]


@pytest.mark.parametrize("name", [":memory:", "file:x.db?mode=memory", "ü b'.db", "%41?.db"])
def test_a_path_is_a_path(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    for path in (name, str(tmp_path / "x" / name)):
        with closing(open_store(path)) as store:
            store.save_feed_state(FeedState("u"))
    assert (tmp_path / name).stat().st_size > 0
    assert (tmp_path / "x" / name).stat().st_size > 0


def is_a_directory(path):
    path.mkdir()


def is_below_a_file(path):
    path.parent.rmdir()
    path.parent.write_text("a file")


def is_a_pipe(path):
    os.mkfifo(path)


def belongs_to_another_program(path):
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")


def is_newer(path):
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        other.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (is_a_directory, "name a file"),
        (is_below_a_file, "cannot be created.*name another file"),
        pytest.param(is_a_pipe, "name a file", marks=needs_modes),
        (belongs_to_another_program, "another program: name another file"),
        (is_newer, rf"its schema is {len(MIGRATIONS) + 1}, this one knows {len(MIGRATIONS)}.*upgrade"),
    ],
)
def test_what_cannot_be_opened_says_why(tmp_path, make, says):
    path = tmp_path / "sub" / "forest.db"
    path.parent.mkdir()
    make(path)
    with pytest.raises(StoreError, match=says) as caught:
        open_store(path)
    assert caught.value.path == str(path)
    assert str(path) in str(caught.value)


def test_a_path_with_a_nul(tmp_path):
    with pytest.raises(StoreError, match="cannot be created"):
        open_store(f"{tmp_path}/a\0b")


@pytest.mark.parametrize("make", [belongs_to_another_program, is_newer])
def test_what_is_refused_is_not_changed(path, make):
    make(path)
    before = path.read_bytes()
    with pytest.raises(StoreError):
        open_store(path)
    assert path.read_bytes() == before
    assert [*path.parent.iterdir()] == [path]


@needs_refusal
@pytest.mark.parametrize("closed", ["file", "directory"])
def test_no_permission(path, closed):
    open_store(path).close()
    place = path if closed == "file" else path.parent
    place.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="change the mode"):
            open_store(path)
    finally:
        place.chmod(0o700)


@pytest.mark.parametrize("is_new", [True, False])
def test_s06_a_directory_that_is_read_only(path, read_only, is_new):
    if not is_new:
        open_store(path).close()
    read_only(path.parent)
    with pytest.raises(StoreError, match=r"may not be|cannot be created") as caught:
        open_store(path)
    assert str(path) in str(caught.value)


def fill(path):
    with closing(open_store(path)) as store, store.transaction():
        for number in range(200):
            store.save_feed_state(FeedState(f"https://a.example/{number}", title="x" * 200))


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"no database" * 100,
        lambda content: b"\xff" * 100 + content[100:],
        lambda content: content[: len(content) // 2],
        lambda content: content[:4096] + bytes(len(content) - 4096),
    ],
    ids=["text", "header", "truncated", "zeros"],
)
def test_a_damaged_file_is_told(path, damage):
    fill(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(StoreDamaged, match=r"forest\.db.*move it away"), closing(open_store(path)) as store:
        store.save_feed_state(FeedState("https://a.example/100"))


def test_an_empty_file_is_a_new_store(path):
    path.touch()
    fill(path)


def test_s04_an_older_schema_is_brought_up_to_date(path):
    fill(path)
    newer = (*MIGRATIONS, ("ALTER TABLE feeds ADD COLUMN colour TEXT", "UPDATE feeds SET colour = 'green'"))
    with closing(Connection(path, 1)) as connection:
        migrate(connection, newer)
        assert connection.query("SELECT DISTINCT colour FROM feeds") == [("green",)]
        migrate(connection, newer)
        assert connection.query("PRAGMA user_version") == [(len(newer),)]


def test_a_migration_that_fails_changes_nothing(path):
    fill(path)
    newer = (*MIGRATIONS, ("ALTER TABLE feeds ADD COLUMN colour TEXT", "UPDATE nothing SET colour = 'green'"))
    with closing(Connection(path, 1)) as connection, pytest.raises(StoreError):
        migrate(connection, newer)
    with closing(open_store(path)) as store:
        assert store.feed_state("https://a.example/199") is not None
        store.save_feed_state(FeedState("new"))


def test_s07_without_write_ahead_logging_it_warns_and_works(path, monkeypatch, caplog):
    monkeypatch.setattr("scrapy_forest.store.connection._journal_mode", lambda _: "delete")
    with closing(open_store(path)) as store:
        store.save_feed_state(FeedState("u"))
        assert store._db.query("PRAGMA synchronous") == [(2,)]
    assert "cannot use write-ahead logging (delete)" in caplog.text
