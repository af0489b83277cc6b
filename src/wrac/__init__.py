"""wrac: web pages and documents to retrieval chunks without rewriting a word."""

__version__ = "0.1.0"
