"""The program with all its commands, in the order of its help."""

from wrac.cli.root import app  # isort: split

from wrac.cli.commands import pages, runs, queries, measures, servers  # isort: skip

_ORDER = [module.__name__ for module in (pages, runs, queries, measures, servers)]
# One of them may have been imported before the others, by a program of that one command.
app.registered_commands.sort(key=lambda one: _ORDER.index(one.callback.__module__) if one.callback else 0)

__all__ = ["app"]
