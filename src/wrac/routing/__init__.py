"""Passages, a whole document or the whole corpus: which one answers a question, and which architecture a corpus."""
