"""One digest of all that the catalog says, equal wherever and in whatever order it was said."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import blake2b

from sqlalchemy import Connection

from wrac.catalog import records, vectors
from wrac.catalog.codec import columns, unit_order
from wrac.catalog.records import Record


def digest(connection: Connection) -> str:
    """The canonical digest: pages by URL with all they were made to, and recorded skips.

    Times, row numbers, where a folder lies, caches that nothing refers to and events are left out. Entity tags and
    modification dates are left out too: they are what a server said about the bytes, and the bytes are in.
    """
    total = blake2b(digest_size=16)
    for url in records.urls(connection):
        record = records.get(connection, url)
        if record is not None:
            total.update(_page(connection, record))
    for skipped in records.skipped(connection):
        total.update(_line("skip", skipped.url, skipped.state, skipped.reason))
    return total.hexdigest()


def _page(connection: Connection, record: Record) -> bytes:
    page, plan = record.page, record.plan
    texts = {e.id: vectors.key(e.text) for made in record.entries for e in made}
    known = vectors.recall(connection, record.embedder, texts.values())
    lines = [
        _line("page", page.url, record.state, page.media_type, page.charset, page.status, dict(page.meta)),
        _line("body", page.body_id, record.embedder),
        _line("document", unit_order(record.document), columns(record.document)),
        _line("plan", plan.planner, plan.groups, sorted(plan.omitted.items())),
    ]
    for occurrence, chunk, made in zip(record.occurrences, record.chunks, record.entries, strict=True):
        embedded = [(entry.id, known.get(texts[entry.id], b"").hex()) for entry in made]
        lines.append(_line("chunk", asdict(occurrence), chunk.tokens, embedded))
    return b"".join(lines)


def _line(*values: object) -> bytes:
    return json.dumps(values, sort_keys=True, default=str).encode() + b"\n"
