"""Hostile inputs, made by code, and what they do to us and to others; ``gauntlet.py`` runs it.

``pages``, ``tags``, ``characters``, ``feeds``, ``links`` and ``wrappers`` make the inputs, ``catalogue`` has them all.
``crawl`` takes one the way a crawl would, ``peers`` gives a page to another extractor; both run in processes that
``bench`` starts, measures and, where it must, kills.
"""
