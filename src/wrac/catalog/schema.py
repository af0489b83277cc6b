"""The catalog's tables. `SCHEMA` is their number: a change of a table or of a stored value takes a new one, and a step
in `migrations`.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Dialect,
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
    TypeDecorator,
    UniqueConstraint,
)

SCHEMA = 4

metadata = MetaData()
_BINARY = Text().with_variant(Text(collation="C"), "postgresql")  # ordered as Python orders strings


class _Verbatim(TypeDecorator[str]):
    """Text that may hold U+0000. PostgreSQL's cannot: there it is written behind U+10FFFF, as that is itself."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or dialect.name == "sqlite":
            return value
        return value.replace("\U0010ffff", "\U0010ffff1").replace("\0", "\U0010ffff0")

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or dialect.name == "sqlite" or "\U0010ffff" not in value:
            return value
        return value.replace("\U0010ffff0", "\0").replace("\U0010ffff1", "\U0010ffff")


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
    Column("text", _Verbatim, nullable=False),
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
    Column("url", _BINARY, nullable=False, unique=True),
    Column("source", Text, nullable=False, index=True),
    Column("state", LargeBinary, nullable=False),
    Column("media_type", String, nullable=False),
    Column("charset", String, nullable=False),
    Column("fetched", Float, nullable=False),
    Column("etag", _Verbatim, nullable=False),
    Column("last_modified", _Verbatim, nullable=False),
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
    Column("url", _BINARY, primary_key=True),
    Column("source", Text, nullable=False, index=True),
    Column("state", LargeBinary, nullable=False),
    Column("reason", _Verbatim, nullable=False),
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

# Addresses of crawls that have begun and not ended.
frontier = Table(
    "frontier",
    metadata,
    Column("crawl", _BINARY, nullable=False),
    Column("url", _BINARY, nullable=False),
    Column("position", Integer, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("changed", Float, nullable=False),
    Column("listed", Boolean, nullable=False),
    Column("settled", Boolean, nullable=False),
    PrimaryKeyConstraint("crawl", "url"),
    sqlite_with_rowid=False,
)

visits = Table(
    "visits",
    metadata,
    Column("url", _BINARY, primary_key=True),
    Column("checked", Float, nullable=False),
    Column("changed", Float, nullable=False),
    Column("checks", Integer, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("misses", Integer, nullable=False),
    Column("wait", Float, nullable=False),
)
