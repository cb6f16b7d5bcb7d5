"""FOREST: Focused Object Retrieval by Exploiting Significant Tag paths (Oita and Senellart, 2012)."""

from scrapy_forest.methods.forest.options import FEEDS, PAPER, PAPER_FEEDS, TFIDF, ForestOptions
from scrapy_forest.methods.forest.relevance import rank

__all__ = ["FEEDS", "PAPER", "PAPER_FEEDS", "TFIDF", "ForestOptions", "rank"]
