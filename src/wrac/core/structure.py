"""What places and spans say together: trails, table cells, item numbers, human names. Functions of a Document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from wrac.core.types import Document, Mark, Span

_SHORT = {
    "paragraph": "p", "list_item": "li", "table_row": "tr", "caption": "cap", "code": "pre", "quote": "q",
    "term": "dt", "definition": "dd", "question": "qn", "math": "math", "image": "img", "label": "label",
}  # fmt: skip


def trails(document: Document) -> tuple[tuple[int, ...], ...]:
    """For each place the ordinals of the headings above it, outermost first, itself excluded."""
    sections = [span for span in document.spans if span.kind == "section"]
    result: list[tuple[int, ...]] = []
    open_: list[Span] = []
    current: tuple[int, ...] = ()
    following = 0
    for ordinal in range(len(document.places)):
        changed = False
        while open_ and open_[-1].last < ordinal:
            open_.pop()
            changed = True
        above = tuple(span.first for span in open_) if changed else current
        while following < len(sections) and sections[following].first == ordinal:
            open_.append(sections[following])
            following += 1
            changed = True
        result.append(above)
        current = tuple(span.first for span in open_) if changed else current
    return tuple(result)


def trail(document: Document, ordinal: int) -> tuple[int, ...]:
    """The ordinals of the headings above a place, outermost first, itself excluded."""
    return tuple(s.first for s in document.spans if s.kind == "section" and s.first < ordinal <= s.last)


def names(document: Document) -> tuple[str, ...]:
    """A human name for each place, scoped by its nearest heading: `h2_3` is the third h2, `h2_3.p_2` the second
    paragraph under it; `top.p_1` stands before any heading."""
    headings: Counter[int] = Counter()
    heads: dict[int, str] = {}
    within: Counter[tuple[str, str]] = Counter()
    result = []
    for place, above in zip(document.places, trails(document), strict=True):
        kind = document.units[place.unit].kind
        if kind == "heading":
            headings[place.level] += 1
            heads[place.ordinal] = name = f"h{place.level}_{headings[place.level]}"
        else:
            scope = next((heads[o] for o in reversed(above) if o in heads), "top")
            short = _SHORT[kind]
            within[scope, short] += 1
            name = f"{scope}.{short}_{within[scope, short]}"
        result.append(name)
    return tuple(result)


def numbers(document: Document) -> dict[int, int]:
    """The number of each ordered list item, by the ordinal of the item's first place."""
    found: dict[int, int] = {}
    for span in document.spans:
        if span.kind == "item" and "number" in span.data:
            found.setdefault(span.first, span.data["number"])
    return found


def rows(document: Document, table: Span) -> tuple[int, ...]:
    """The ordinals of a table's own rows, those of tables inside it left out."""
    inner = [s for s in document.spans if s.kind == "table" and s is not table and table.first <= s.first <= table.last]
    inner = [s for s in inner if (s.first, -s.last) > (table.first, -table.last) or s.last < table.last]
    nested = {o for s in inner for o in range(s.first, s.last + 1)}
    own = range(table.first, table.last + 1)
    return tuple(o for o in own if o not in nested and document.unit(o).kind == "table_row")


def table_at(document: Document, ordinal: int) -> Span | None:
    """The innermost table span that holds a place."""
    found = None
    for span in document.spans:
        if span.first > ordinal:
            break
        if span.kind == "table" and span.last >= ordinal:
            found = span
    return found


def grid(document: Document, table: Span) -> dict[int, tuple[str, ...]]:
    """The cell texts of each own row of a table, row and column spans expanded, by ordinal.

    A row span ends with its row group, as HTML says; `table.data["groups"]` holds the groups' first ordinals.
    """
    return dict(_grid(document, table, rows(document, table)))


def _grid(document: Document, table: Span, own: Iterable[int]) -> Iterator[tuple[int, tuple[str, ...]]]:
    groups = set(table.data.get("groups", ()))
    hanging: dict[int, tuple[int, str]] = {}
    for ordinal in own:
        if ordinal in groups:
            hanging = {}
        yield ordinal, tuple(_expand(document, ordinal, hanging))


def _expand(document: Document, ordinal: int, hanging: dict[int, tuple[int, str]]) -> Iterator[str]:
    """Yields a row's cells; `hanging` maps a column to (rows still covered, text) and is updated in place."""
    text, column = document.text(ordinal), 0
    cells: list[Mark] = [mark for mark in document.places[ordinal].marks if mark.kind == "cell"]
    fresh: set[int] = set()
    for cell in cells:
        while column in hanging and column not in fresh:
            yield from _hang(hanging, column)
            column += 1
        for _ in range(cell.cols):
            content = text[cell.start : cell.end]
            yield content
            if cell.rows != 1:
                hanging[column] = (cell.rows - 1, content)
                fresh.add(column)
            column += 1
    while column in hanging and column not in fresh:
        yield from _hang(hanging, column)
        column += 1


def _hang(hanging: dict[int, tuple[int, str]], column: int) -> Iterator[str]:
    left, content = hanging[column]
    yield content
    if left == 1:
        del hanging[column]
    else:
        hanging[column] = (left - 1, content)


def cells(document: Document, ordinal: int) -> tuple[str, ...]:
    """The cell texts of a row with row and column spans expanded; empty when the place is no table row."""
    table = table_at(document, ordinal)
    if table is None or document.unit(ordinal).kind != "table_row":
        return ()
    return grid(document, table).get(ordinal, ())


def table_cells(document: Document) -> dict[int, tuple[str, ...]]:
    """The expanded cell texts of every table row of the document, by ordinal. Linear in the places of its tables."""
    tables = [span for span in document.spans if span.kind == "table"]
    owner: dict[int, int] = {}
    for number, table in enumerate(tables):  # outer before inner, so the innermost stays
        owner.update(dict.fromkeys(range(table.first, table.last + 1), number))
    own: list[list[int]] = [[] for _ in tables]
    for ordinal in sorted(owner):
        if document.unit(ordinal).kind == "table_row":
            own[owner[ordinal]].append(ordinal)
    found: dict[int, tuple[str, ...]] = {}
    for table, ordinals in zip(tables, own, strict=True):
        found.update(_grid(document, table, ordinals))
    return found
