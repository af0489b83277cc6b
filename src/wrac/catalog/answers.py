"""What models answered, by key: an answer that was paid for once is never asked again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sqlalchemy import Connection, delete, insert, or_, select

from wrac.catalog.contents import batches
from wrac.catalog.schema import answers

QUOTING: Final = ("e1:", "l1:")
"""How keys begin of answers that say what pages say (answers to questions, labels): JSON with the `pages` they rest on.
Others, such as plans, hold numbers alone."""


def recall(connection: Connection, keys: Iterable[str]) -> dict[str, str]:
    """Of the keys that are known, the answer."""
    found: dict[str, str] = {}
    for batch in batches(keys):
        query = select(answers.c.key, answers.c.answer).where(answers.c.key.in_(batch))
        found.update((row.key, row.answer) for row in connection.execute(query))
    return found


def store(connection: Connection, model: str, at: float, found: Mapping[str, str]) -> None:
    """Keep a model's answers; those already known stay as they are."""
    have = recall(connection, found)
    rows = [{"key": k, "answer": a, "model": model, "at": at} for k, a in found.items() if k not in have]
    if rows:
        connection.execute(insert(answers), rows)


def forget(connection: Connection, urls: Iterable[str]) -> None:
    """Keep no answer that rests on one of the pages."""
    gone = set(urls)
    keys = [key for key, pages in _quoting(connection) if not gone.isdisjoint(pages)]
    for batch in batches(keys):
        connection.execute(delete(answers).where(answers.c.key.in_(batch)))


def quoted(connection: Connection) -> set[str]:
    """The pages that answers rest on, also those that are gone."""
    return {page for _, pages in _quoting(connection) for page in pages}


def _quoting(connection: Connection) -> Iterator[tuple[str, list[str]]]:
    """The keys of answers that say what pages say, with those pages."""
    quoting = or_(*(answers.c.key.startswith(one) for one in QUOTING))
    for row in connection.execute(select(answers.c.key, answers.c.answer).where(quoting)):
        yield row.key, json.loads(row.answer)["pages"]
