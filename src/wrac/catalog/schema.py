"""The catalog's tables. `SCHEMA` is their number: a change of a table or of a stored value takes a new one, and a step
in `migrations`.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA = 3

metadata = MetaData()

meta = Table("meta", metadata, Column("name", String, primary_key=True), Column("value", Text, nullable=False))

bodies = Table(
    "bodies",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("id", LargeBinary, nullable=False, unique=True),
    Column("size", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("id", LargeBinary, nullable=False, unique=True),
    # Rows of `units` in order of first appearance: a document's units are found without decoding it.
    Column("units", LargeBinary, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

units = Table(
    "units",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("id", LargeBinary, nullable=False, unique=True),
    Column("kind", String, nullable=False),
    Column("text", Text, nullable=False),
    # The one document most units are in; further ones stand in `shared`.
    Column("document", Integer, nullable=False),
)

shared = Table(
    "shared",
    metadata,
    Column("unit", Integer, ForeignKey("units.row"), nullable=False),
    Column("document", Integer, nullable=False),
    PrimaryKeyConstraint("unit", "document"),
    sqlite_with_rowid=False,
)

plans = Table(
    "plans",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("document", Integer, ForeignKey("documents.row"), nullable=False),
    Column("planner", String, nullable=False),
    Column("data", LargeBinary, nullable=False),
    UniqueConstraint("document", "planner"),
)

pages = Table(
    "pages",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("url", Text, nullable=False, unique=True),
    Column("source", Text, nullable=False, index=True),
    Column("state", LargeBinary, nullable=False),
    Column("media_type", String, nullable=False),
    Column("charset", String, nullable=False),
    Column("fetched", Float, nullable=False),
    Column("etag", Text, nullable=False),
    Column("last_modified", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("meta", Text, nullable=False),
    Column("body", Integer, ForeignKey("bodies.row"), nullable=False, index=True),
    Column("document", Integer, ForeignKey("documents.row"), nullable=False, index=True),
    Column("plan", Integer, ForeignKey("plans.row"), nullable=False, index=True),
    Column("embedder", String, nullable=False),
    Column("policy", Text, nullable=False),
    Column("places", Integer, nullable=False),
    Column("entries", Integer, nullable=False),
    # Anchor, label, prefix, ordinals and rendering of the page's occurrences, in their order.
    Column("occurrences", LargeBinary, nullable=False),
)

chunks = Table(
    "chunks",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("id", LargeBinary, nullable=False, unique=True),
    Column("data", Text, nullable=False),
)

occurrences = Table(
    "occurrences",
    metadata,
    Column("page", Integer, ForeignKey("pages.row"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("chunk", Integer, ForeignKey("chunks.row"), nullable=False),
    PrimaryKeyConstraint("page", "position"),
    Index("occurrences_by_chunk", "chunk", "page", "position"),
    sqlite_with_rowid=False,
)

# A row, not WITHOUT ROWID: a vector is larger than an index page keeps in place, and would overflow.
vectors = Table(
    "vectors",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("embedder", String, nullable=False),
    Column("key", LargeBinary, nullable=False),
    Column("data", LargeBinary, nullable=False),
    UniqueConstraint("embedder", "key"),
)

skips = Table(
    "skips",
    metadata,
    Column("url", Text, primary_key=True),
    Column("source", Text, nullable=False, index=True),
    Column("state", LargeBinary, nullable=False),
    Column("reason", Text, nullable=False),
)

answers = Table(
    "answers",
    metadata,
    Column("key", String, primary_key=True),
    Column("answer", Text, nullable=False),
    Column("model", String, nullable=False),
    Column("at", Float, nullable=False),
)

ledger = Table(
    "ledger",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("day", String, nullable=False, index=True),
    Column("purpose", String, nullable=False),
    Column("site", Text, nullable=False),
    Column("page", Text, nullable=False),
    Column("model", String, nullable=False),
    Column("input", Integer, nullable=False),
    Column("cached", Integer, nullable=False),
    Column("output", Integer, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("cost", Float, nullable=False),
)

# Pages that changed and that a store outside has not been told of yet; what they are now stands in the other tables.
outbox = Table(
    "outbox",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("url", Text, nullable=False),
    sqlite_autoincrement=True,
)
