"""What happens during a crawl, told without Scrapy: which entries are open, which pages wait for which template."""
