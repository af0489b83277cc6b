"""The program with all its commands, in the order of its help."""

from wrac.cli.root import app  # isort: split

from wrac.cli.commands import pages, runs, queries, measures, servers  # noqa: F401, I001 - each registers its commands

__all__ = ["app"]
