"""What the crawler may connect to: http and https, public addresses, and what the user allows on top.

``addresses`` decides and knows no Scrapy; ``guard`` asks it for every request, ``handlers`` for every connection.
"""
