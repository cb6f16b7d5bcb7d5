"""Spiders of this project; ``scrapy crawl feeds`` comes with the add-on."""
