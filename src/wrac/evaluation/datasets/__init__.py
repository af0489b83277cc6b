"""Data sets by small adapters to one form."""

from wrac.evaluation.datasets.rmc import rmc

__all__ = ["rmc"]
