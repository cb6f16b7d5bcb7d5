import gzip
import json
import shutil
from datetime import datetime, timezone
from pathlib import Path

import pytest
from lxml import html

from scrapy_forest.errors import DatasetError
from scrapy_forest.evaluation.dataset import read_site, site_folders

TESTS = Path(__file__).parent.parent
SITES = sorted(path.name for path in (TESTS / "sites").iterdir() if path.is_dir())


@pytest.fixture
def folder(tmp_path):
    """A copy of a shipped site, to be broken."""
    return shutil.copytree(TESTS / "sites" / "wordpress-blog", tmp_path / "sites" / "wordpress-blog")


def records_of(folder, name="gold.jsonl"):
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def write_gold(folder, *records):
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "gold.jsonl").write_text(lines, encoding="utf-8")


def test_all_shipped_sites_are_found():
    assert [folder.name for folder in site_folders(TESTS)] == SITES
    assert len(SITES) >= 6


@pytest.mark.parametrize("name", SITES)
def test_shipped_site(name):
    site = read_site(TESTS / "sites" / name)
    gold, extra = (records_of(TESTS / "sites" / name, file) for file in ("gold.jsonl", "extra.jsonl"))
    assert site.id == name
    assert site.feed.problems == ()
    assert site.feed.language
    assert [page.url for page in site.pages] == [record["url"] for record in gold + extra]
    assert [page.entry.link for page in site.pages if page.entry] == [entry.link for entry in site.feed.entries]
    assert [page.entry for page in site.pages[len(gold) :]] == [None] * len(extra)


@pytest.mark.parametrize("name", SITES)
def test_shipped_gold_text_is_on_the_page(name):
    encoding = "iso-8859-1" if name == "french-tables" else "utf-8"
    for page in read_site(TESTS / "sites" / name).pages:
        shown = " ".join(html.document_fromstring(page.html.decode(encoding)).text_content().split())
        missing = [line for line in page.text.splitlines() if " ".join(line.split()) not in shown]
        assert not missing, page.url


@pytest.mark.parametrize("name", SITES)
def test_shipped_entries_agree_with_the_gold(name):
    gold = records_of(TESTS / "sites" / name)
    for record, entry in zip(gold, read_site(TESTS / "sites" / name).feed.entries, strict=True):
        assert entry.title == record["title"]
        date = datetime.fromisoformat(record["date"])
        assert entry.published == (date if date.tzinfo else date.replace(tzinfo=timezone.utc))
        assert entry.authors in ((record["author"],), ())


def test_pages_may_be_compressed(folder):
    record = records_of(folder)[0]
    page = (folder / "pages" / record["page"]).read_bytes()
    (folder / "pages" / "a.html.gz").write_bytes(gzip.compress(page))
    write_gold(folder, {**record, "page": "a.html.gz"})
    assert read_site(folder).pages[0].html == page


def test_pages_without_gold_text_are_left_out(folder):
    first, second, *_ = records_of(folder)
    write_gold(folder, {**first, "text": ""}, {"url": first["url"], "kind": "other"}, second)
    (folder / "extra.jsonl").unlink()
    assert [page.url for page in read_site(folder).pages] == [second["url"]]


@pytest.mark.parametrize("make", [False, True], ids=["missing", "empty"])
def test_no_data_set(tmp_path, make):
    directory = tmp_path / "nothing"
    if make:
        directory.mkdir()
    with pytest.raises(DatasetError, match=r"nothing is no data set: it holds" if make else "nothing is no directory"):
        site_folders(directory)


def break_json(folder):
    with (folder / "gold.jsonl").open("a") as gold:
        gold.write('{"url": "https://a.example/", "page":\n')


def remove_page(folder):
    (folder / "pages" / records_of(folder)[2]["page"]).unlink()


def remove_feed(folder):
    (folder / "feed.xml").unlink()


def remove_gold_text(folder):
    write_gold(folder)
    (folder / "extra.jsonl").unlink()


def write_list(folder):
    write_gold(folder, ["https://a.example/", "000.html"])


def leave_out_url(folder):
    record = records_of(folder)[0]
    del record["url"]
    write_gold(folder, record)


def write_latin1(folder):
    (folder / "gold.jsonl").write_bytes('{"text": "é"}\n'.encode("latin-1"))


def name_page_by_number(folder):
    write_gold(folder, {**records_of(folder)[0], "page": 0})


def cut_off_gzip(folder):
    (folder / "pages" / "a.html.gz").write_bytes(gzip.compress(b"<p>" * 1000)[:-20])
    write_gold(folder, {**records_of(folder)[0], "page": "a.html.gz"})


def damage_gzip(folder):
    data = bytearray(gzip.compress(bytes(range(256))))
    data[10] = 0xFF
    (folder / "pages" / "a.html.gz").write_bytes(data)
    write_gold(folder, {**records_of(folder)[0], "page": "a.html.gz"})


@pytest.mark.parametrize(
    "damage",
    [
        break_json,
        remove_page,
        remove_feed,
        remove_gold_text,
        write_list,
        leave_out_url,
        write_latin1,
        name_page_by_number,
        cut_off_gzip,
        damage_gzip,
    ],
)
def test_broken_site(folder, damage):
    damage(folder)
    with pytest.raises(DatasetError, match="wordpress-blog"):
        read_site(folder)


@pytest.mark.parametrize("page", ["../../etc/passwd", "/etc/passwd", "../gold.jsonl", "../feed.xml", "..", ".", ""])
def test_pages_are_read_from_their_folder_only(folder, page):
    write_gold(folder, {**records_of(folder)[0], "page": page})
    with pytest.raises(DatasetError, match="wordpress-blog"):
        read_site(folder)
