"""X15, S08 and S09: which files a crawl makes, for whom, and where."""

import asyncio
import os
import re
import stat
from pathlib import Path
from urllib.parse import quote

import pytest

from scrapy_forest.crawl.groups import host_of
from scrapy_forest.crawl.job import lock_job
from scrapy_forest.errors import StoreError
from scrapy_forest.store import open_store

HOSTS = [
    *["..", ".", "...", "con", "nul", "-", "[::1]", "..%2f", "..%2f..%2fetc", "a%00b", "~", "*", "$(id)", "a;b", "a&b"],
    *["a" * 300, "日本.example", "xn--wgv71a119e.example", "EXAMPLE.example", "example.example.", "1.2.3.4", "a.b..c"],
]
needs_modes = pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")


def modes(directory):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.rglob("*")}


def url(host, number):
    return f"https://{host}/{number}"


def test_s08_no_host_names_a_file(tmp_path, crawling, document):
    outside = tmp_path / "outside"
    outside.mkdir()

    async def main():
        async with crawling(FOREST_SAMPLES=2, FOREST_HOLD_SECONDS=0, FOREST_BUFFER_MB=0) as crawl:
            documents = [document(number, host=host) for host in HOSTS for number in range(2)]
            for page in documents:
                await crawl.bring(page)
            crawl.forest.release_some()
            while crawl.batches:
                assert all(await crawl.extract_released())
                crawl.forest.release_some()
            stored = await crawl.forest.store.call("templates", host_of(url("EXAMPLE.example", 1)))
            assert [each.host for each in stored] == ["example.example"]

    asyncio.run(main())
    assert {path.name for path in tmp_path.rglob("*")} == {"outside", "forest.sqlite"}


@pytest.mark.parametrize(
    ("one", "other"),
    [("EXAMPLE.example", "example.example"), ("example.example.", "example.example"), ("www.a.example", "a.example")],
)
def test_s08_one_host_has_one_key(one, other):
    assert host_of(url(one, 1)) == host_of(url(other, 1))


@pytest.mark.parametrize("host", HOSTS)
def test_s08_any_host_is_a_key(host):
    assert isinstance(host_of(f"https://{quote(host, safe='[]:%')}/"), str)


@needs_modes
def test_x15_all_files_of_a_crawl_are_for_the_owner_only(tmp_path, crawling, document):
    before = os.umask(0)
    try:

        async def main():
            async with crawling(FOREST_SAMPLES=2, FOREST_BUFFER_MB=0) as crawl:
                lock = lock_job(tmp_path / "forest.sqlite", "feeds")
                await crawl.bring(document(1))  # goes to the temporary file at once
                assert crawl.forest.buffer.in_memory == 0
                await crawl.forest.store.drain()
                found = modes(tmp_path)
                assert {"forest.sqlite", "forest.sqlite-wal"} <= found.keys()
                assert any("lock" in name for name in found), found
                assert set(found.values()) == {0o600}, found
                assert spilled_modes(tmp_path) in ([], [0o600])
                lock.close()

        asyncio.run(main())
    finally:
        os.umask(before)


def spilled_modes(directory):
    """Modes of the files without a name that this process has in a directory, where the system shows them."""
    links = [path for path in Path("/proc/self/fd").glob("*") if path.is_symlink()]
    spilled = [path for path in links if re.fullmatch(rf"{directory}/.* \(deleted\)", os.readlink(path))]
    return [stat.S_IMODE(path.stat().st_mode) for path in spilled]


@needs_modes
def test_s09_a_link_in_place_of_the_lock_changes_nothing_elsewhere(tmp_path):
    """Where it leads is no store of ours, and is left as it is."""
    path = tmp_path / "forest.sqlite"
    open_store(path).close()
    lock_job(path, "feeds").close()
    [name] = [each.name for each in tmp_path.iterdir() if "lock" in each.name]
    victim = tmp_path / "victim"
    victim.write_text("precious " * 1000)
    before = victim.read_text(), victim.stat().st_mode
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to(victim)
    with pytest.raises(StoreError):
        lock_job(path, "feeds")
    assert (victim.read_text(), victim.stat().st_mode) == before


@needs_modes
def test_s09_a_link_in_place_of_the_store_is_the_users_own(tmp_path):
    """A store may be a link to another disk; a link to what is no store is refused, and what it leads to is kept."""
    real = tmp_path / "disk" / "real.sqlite"
    open_store(real).close()
    (tmp_path / "forest.sqlite").symlink_to(real)
    open_store(tmp_path / "forest.sqlite").close()
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious" * 1000)
    (tmp_path / "other.sqlite").symlink_to(victim)
    with pytest.raises(StoreError):
        open_store(tmp_path / "other.sqlite")
    assert victim.read_bytes() == b"precious" * 1000


@needs_modes
def test_s09_the_temporary_file_has_no_name_to_plant_a_link_at(tmp_path, crawling, document):
    async def main():
        async with crawling(FOREST_BUFFER_MB=0) as crawl:
            before = {path.name for path in tmp_path.iterdir()}
            await crawl.bring(document(1))
            assert {path.name for path in tmp_path.iterdir()} <= before | {"forest.sqlite-wal", "forest.sqlite-shm"}

    asyncio.run(main())
