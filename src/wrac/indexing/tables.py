"""The embedded index's tables, in the catalog's file but not of it: all can be dropped and derived again."""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    column,
    event,
    select,
    table,
)

FORM = 2
"""The number of these tables' form: an index of another one is made anew from the catalog."""
metadata = MetaData()
_BINARY = Text().with_variant(Text(collation="C"), "postgresql")  # ordered as Python orders strings

state = Table(
    "index_state", metadata, Column("name", String, primary_key=True), Column("value", Integer, nullable=False)
)

segments = Table(
    "index_segments",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("entries", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    # Rows of `index_terms`: where the segment's postings are, for the day they go.
    Column("terms", LargeBinary, nullable=False),
)

entries = Table(
    "index_entries",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("segment", Integer, ForeignKey("index_segments.row"), nullable=False, index=True),
    Column("length", Integer, nullable=False),
    Column("key", LargeBinary, nullable=False),
    Column("chunk", String, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("part_start", Integer, nullable=False),
    Column("part_end", Integer, nullable=False),
    Column("text", Text, nullable=False),
    # A number is never given twice: the matrix file knows entries by it.
    sqlite_autoincrement=True,
)

pages = Table(
    "index_pages",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("url", _BINARY, nullable=False, unique=True),
    Column("language", String, nullable=False),
    Column("planner", String, nullable=False),
    Column("date", String, nullable=False),
    Column("meta", Text, nullable=False),
)

places = Table(
    "index_places",
    metadata,
    Column("page", Integer, ForeignKey("index_pages.row"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("entry", Integer, ForeignKey("index_entries.row"), nullable=False),
    Column("anchor", Text, nullable=False),
    Column("link", Text, nullable=False),
    Column("units", Text, nullable=False),
    Column("trail", Text, nullable=False),
    Column("kinds", Text, nullable=False),
    Column("roles", Text, nullable=False),
    Column("label", Text, nullable=False),
    PrimaryKeyConstraint("page", "position", "entry"),
    Index("index_places_by_entry", "entry"),
)

terms = Table(
    "index_terms",
    metadata,
    Column("row", Integer, primary_key=True),
    Column("term", String, nullable=False, unique=True),
)

# One value a term and segment: (entry, frequency, length) triples as `sqlite.POSTING`.
postings = Table(
    "index_postings",
    metadata,
    Column("term", Integer, nullable=False),
    Column("segment", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("term", "segment"),
    sqlite_with_rowid=False,
)

passages = table(
    "passages",
    *(column(name) for name in (
        "entry", "chunk", "page", "position", "text", "prefix", "part_start", "part_end", "units", "trail", "anchor",
        "link", "tokens", "planner", "language", "kinds", "roles", "label", "date", "meta",
    )),
)  # fmt: skip


def form(connection: Connection) -> int:
    """The number of the form that the tables are of; 0 where none is said."""
    return connection.scalar(select(state.c.value).where(state.c.name == "form")) or 0


# For whoever reads the database without wrac: one row a passage, all it needs beside it.
_PASSAGES = (
    " passages AS SELECT e.id AS entry, e.chunk, p.url AS page, o.position, e.text,"
    " e.prefix, e.part_start, e.part_end, o.units, o.trail, o.anchor, o.link, e.tokens, p.planner, p.language,"
    " o.kinds, o.roles, o.label, p.date, p.meta"
    " FROM index_places o JOIN index_entries e ON e.row = o.entry JOIN index_pages p ON p.row = o.page"
)
event.listen(
    metadata,
    "after_create",
    DDL(  # type: ignore[no-untyped-call]
        "INSERT INTO index_state (name, value) VALUES ('form', %(form)s) ON CONFLICT (name) DO NOTHING",
        context={"form": FORM},
    ),
)
event.listen(
    metadata,
    "after_create",
    DDL(f"CREATE VIEW IF NOT EXISTS{_PASSAGES}").execute_if(dialect="sqlite"),  # type: ignore[no-untyped-call]
)
event.listen(
    metadata,
    "after_create",
    DDL(f"CREATE OR REPLACE VIEW{_PASSAGES}").execute_if(dialect="postgresql"),  # type: ignore[no-untyped-call]
)
