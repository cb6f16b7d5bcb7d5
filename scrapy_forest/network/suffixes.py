"""Public suffixes without a download.

Scrapy's cookies middleware asks tldextract which domains are public suffixes, and that fetches the list by itself, past
Scrapy, its proxies and our guard.  The list that comes with tldextract does as well.
"""

from __future__ import annotations

from scrapy.downloadermiddlewares import cookies
from tldextract import TLDExtract

from scrapy_forest.network.blocked import UnsafeSetup


def use_bundled_suffixes() -> None:
    """Let Scrapy look public suffixes up in the list that is installed; a second call changes nothing."""
    current = getattr(cookies, "_split_domain", None)
    if not isinstance(current, TLDExtract):
        raise UnsafeSetup("this Scrapy looks up public suffixes in a way that we do not know")
    if current.suffix_list_urls:
        cookies._split_domain = TLDExtract(include_psl_private_domains=True, suffix_list_urls=())
