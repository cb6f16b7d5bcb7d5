"""Six small web sites with feeds, made up from head to foot, for trying the project without the internet.

``content/`` holds the articles, ``templates/`` what each site puts around them, ``build`` turns both into the bytes of
every page, ``serve`` serves them on loopback and ``gold`` tells what an extractor should find.
"""

from demo_sites.articles import SITES
from demo_sites.build import Response, build, feed_urls
from demo_sites.gold import gold
from demo_sites.serve import PORT_BASE, serve

__all__ = ["PORT_BASE", "SITES", "Response", "build", "feed_urls", "gold", "serve"]
