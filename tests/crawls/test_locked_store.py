"""S02: another process holds the store for longer than SQLite waits; the crawl goes on, and nothing is lost."""

import sqlite3
import threading
import time
from contextlib import closing

HELD = 7.0  # seconds: SQLite waits for five by itself


def test_s02_another_process_holds_the_store(project, site):
    entries = site.add_articles(8)
    feed = site.add_feed("/feed", entries)
    is_time, asked, released = threading.Event(), [], []

    def note(answer):
        def answered(_):
            is_time.set()
            asked.append(time.monotonic())
            return answer

        return answered

    def hold():
        """Let nobody write, from the first page on."""
        is_time.wait(60)
        with closing(sqlite3.connect(project.directory / "forest.sqlite", timeout=30, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            time.sleep(HELD)
            released.append(time.monotonic())
            other.execute("ROLLBACK")

    for number in range(8):
        site.answers[f"/post/{number}"] = note(site.answers[f"/post/{number}"])
    holder = threading.Thread(target=hold)
    holder.start()
    crawl = project.crawl(feeds=feed)
    holder.join()
    assert crawl.urls == sorted(entry["link"] for entry in entries)
    assert crawl.counts("errors") == {}
    assert "WARNING: Waiting, nothing is lost so far" in crawl.log
    assert max(asked) < released[0]  # downloads did not wait
