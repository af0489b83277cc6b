"""Data sets by small adapters to one form."""

from wrac.evaluation.datasets.chroma import chroma
from wrac.evaluation.datasets.faq import book_index, faq
from wrac.evaluation.datasets.load import load
from wrac.evaluation.datasets.make import make
from wrac.evaluation.datasets.own import own
from wrac.evaluation.datasets.rmc import rmc

__all__ = ["book_index", "chroma", "faq", "load", "make", "own", "rmc"]
