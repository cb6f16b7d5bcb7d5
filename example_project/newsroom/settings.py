"""A Scrapy project as users have one: what `scrapy startproject` writes, and the add-on."""

BOT_NAME = "newsroom"
SPIDER_MODULES = ["newsroom.spiders"]
NEWSPIDER_MODULE = "newsroom.spiders"

ADDONS = {"scrapy_forest.Addon": 500}

FOREST_FEEDS_FILE = "feeds.txt"
FEEDS = {"articles.jsonl": {"format": "jsonlines", "encoding": "utf-8"}}

# The demo sites are on this machine, so they need neither patience nor public addresses.  Leave this out elsewhere.
FOREST_ALLOW_PRIVATE = [f"127.0.0.1:{port}" for port in range(8471, 8477)]
AUTOTHROTTLE_START_DELAY = 0.05
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
