"""Public shapes of the HTTP API: a page's record and chunks, how another policy would cut it, sums of costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from wrac import contract
from wrac.catalog import Record
from wrac.core.types import Chunk, Document, Occurrence, Usage
from wrac.flow.links import passage_link
from wrac.flow.page import Cut
from wrac.flow.rows import trail_texts
from wrac.llm.ledger import total


def record_row(record: Record) -> contract.Json:
    """The public shape of a stored page: what it is, how it was planned, and its chunks in order."""
    page, document = record.page, record.document
    return {
        "url": page.url,
        "source": record.source,
        "title": document.title,
        "language": document.language,
        "media_type": page.media_type,
        "status": page.status,
        "fetched": page.fetched,
        "meta": {**document.meta, **page.meta},
        "document": document.id,
        "planner": record.plan.planner,
        "policy": asdict(record.policy),
        "places": len(document.places),
        "omitted": len(record.plan.omitted),
        "chunks": list(chunks_rows(document, record.chunks, record.occurrences, page.url)),
    }


def chunks_rows(
    document: Document, chunks: Sequence[Chunk], occurrences: Sequence[Occurrence], url: str
) -> Iterator[contract.Json]:
    """A row for each chunk of a page, in order."""
    for one, found in zip(chunks, occurrences, strict=True):
        yield {
            "id": one.id,
            "text": one.text,
            "tokens": one.tokens,
            "trail": list(trail_texts(document, one)),
            "ordinals": list(found.ordinals),
            "anchor": found.anchor,
            "link": passage_link(document, one, found, url),
        }


def preview_row(before: Cut, after: Cut, url: str) -> contract.Json:
    """The public shape of a page as another policy would cut it."""
    return {
        "policy": asdict(after.policy),
        "plan": contract.plan_row(after.plan),
        "chunks": list(chunks_rows(after.document, after.chunks, after.occurrences, url)),
        "changes": [change._asdict() for change in before.changes(after)],
    }


def costs_row(by: str, since: str, found: Mapping[str, Usage]) -> contract.Json:
    """The public shape of what models were paid for, as `wrac costs --json` prints it."""
    lines = [{by: name, **asdict(usage)} for name, usage in found.items()]
    return {"by": by, "since": since, "rows": lines, "total": asdict(total(found.values()))}
