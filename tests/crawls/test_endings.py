"""Crawls that cannot go on: each ends in order and says why, and the next one completes what is missing."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from website import Answer, page

HERE = Path(__file__).parent
SCRAPY = str(Path(sys.executable).parent / "scrapy")
MOUNT, UMOUNT = shutil.which("mount"), shutil.which("umount")
LINE = b'{"url": "an earlier one"}\n'


def assert_complete(project, entries, before=0):
    urls = [item["url"] for item in project.items()[before:]]
    assert sorted(urls) == sorted(entry["link"] for entry in entries)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 400 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    if not MOUNT or not UMOUNT:
        pytest.skip("there is no mount here")
    command = [MOUNT, "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    yield place
    subprocess.run([UMOUNT, "--lazy", str(place)], check=True)


@pytest.mark.parametrize("filled", [0, 280_000], ids=["by the store", "by others"])
def test_s05_a_full_disk(project, site, small_disk, filled):
    """Store, outbox, export and spilled pages on one disk that has no room for all of them."""
    entries = site.add_articles(60, weight=20_000)
    feed = site.add_feed("/feed", entries)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(filled))
    project.export = small_disk / "articles.jsonl"
    settings = {"FOREST_STORE": str(small_disk / "forest.sqlite"), "FOREST_SAMPLES": 5, "FOREST_BUFFER_MB": 0}
    first = project.crawl(feeds=feed, settings=settings)
    assert first.stats["finish_reason"] == "disk_full"
    assert first.counts("errors") == {}
    assert first.counts("skipped").keys() == {"interrupted"}
    assert first.log.count("disk is full") + first.log.count("No space left") <= 5  # told, but not for each article
    ballast.unlink()
    subprocess.run([MOUNT, "-o", "remount,size=20m", str(small_disk)], check=True)
    project.crawl(feeds=feed, settings=settings)
    assert_complete(project, entries)


def test_s05_no_room_in_the_export_file(project, site):
    """Where nobody can mount a disk: a limit on the size of files, which the export meets first."""
    entries = site.add_articles(12, weight=5_000)
    feed = site.add_feed("/feed", entries)
    before = 400_000 // len(LINE)
    project.export.write_bytes(LINE * before)
    settings = {"EXTENSIONS": {"limits.FileSize": 0}, "FILE_BYTES": 410_000, "FOREST_SAMPLES": 5}
    first = project.crawl(feeds=feed, settings=settings)
    assert first.stats["finish_reason"] == "disk_full"
    assert first.counts("errors") == {}
    project.crawl(feeds=feed)
    assert_complete(project, entries, before)


def test_k10_no_memory(project, site):
    """Pages wait in the buffer until there is no room for more."""
    entries = site.add_articles(12)
    for number, entry in enumerate(entries):
        noise = os.urandom(3_000_000).hex()
        site.add(entry["link"].removeprefix(site.origin), page(number).replace("</head>", f"<!--{noise}--></head>"))
    feed = site.add_feed("/feed", entries)
    settings = {"EXTENSIONS": {"limits.Memory": 0}, "MEMORY_MB": 60, "FOREST_SAMPLES": 50}
    first = project.crawl(feeds=feed, settings=settings)
    assert first.stats["finish_reason"] == "out_of_memory"
    project.crawl(feeds=feed)
    assert_complete(project, entries)


def crawl(project, *arguments, spider="feeds"):
    """As a user starts it."""
    settings = {
        "ADDONS": '{"scrapy_forest.Addon": 500}',
        "FOREST_STORE": project.directory / "forest.sqlite",
        "FOREST_ALLOW_PRIVATE": ",".join(site.permit for site in project.sites),
        "AUTOTHROTTLE_ENABLED": 0,
    }
    options = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    command = [SCRAPY, "forest", "crawl", spider, "-o", str(project.export), *options, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=project.directory, env=environment, **pipes)


def end_of(process):
    log, _ = process.communicate(timeout=60)
    return process.returncode, log


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 0, "3 entries = 3 items"),
        (["-s", 'EXTENSIONS={"limits.Quota": 0}'], 5, "disk I/O error"),
        (["-s", "FOREST_METHOD=magic"], 1, "FOREST_METHOD is 'magic'"),
        (["-a", "nonsense"], 2, "-a NAME=VALUE"),
    ],
    ids=["done", "store lost", "not started", "usage"],
)
def test_k14_exit_codes(project, site, arguments, code, told):
    feed = site.add_feed("/feed", site.add_articles(3))
    found, log = end_of(crawl(project, "-a", f"feeds={feed}", *arguments))
    assert (found, told in log) == (code, True), log[-3000:]


def test_k14_an_unknown_spider(project):
    code, log = end_of(crawl(project, spider="unknown"))
    assert code == 2
    assert "unknown" in log
    assert "Traceback" not in log


def test_k14_interrupted(project, site):
    site.answers["/stalled"] = Answer(page(9).encode(), stall=60)
    process = crawl(
        project, "-a", f"feeds={site.add_feed('/feed', [{'title': 't', 'link': site.origin + '/stalled'}])}"
    )
    deadline = time.monotonic() + 30
    while not site.hits["/stalled"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert end_of(process)[0] == 3


def test_s03_a_store_damaged_before_is_set_aside(project, site):
    feed = site.add_feed("/feed", site.add_articles(3))
    project.crawl(feeds=feed)
    store = project.directory / "forest.sqlite"
    store.write_bytes(b"\xff" * store.stat().st_size)
    project.export.unlink()
    again = project.crawl(feeds=feed)
    assert len(again.items) == 3
    assert again.log.count("is set aside as") == 1
    assert [*project.directory.glob("forest.sqlite.corrupt-*")]
