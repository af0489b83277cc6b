"""Drafts to places and spans: the last step of every parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from wrac.core.types import NOTHING, Place, Span, Unit
from wrac.parsing.frames import NOWHERE, Draft, SpanDraft
from wrac.parsing.score import scorer


def places_of(drafts: Sequence[Draft], title: str | None = None) -> tuple[tuple[Place, ...], Mapping[str, Unit]]:
    """The places of the drafts, in order, and the units they show, by id; `title` is a web page's.

    The drafts' frames are let go.
    """
    scored = scorer(drafts, title)
    for draft in drafts:
        draft.frame = NOWHERE  # and with the frames the page's tree, before scores and places need room
    found = scored()
    units: dict[str, Unit] = {}
    places: list[Place] = []
    for ordinal, (draft, score) in enumerate(zip(drafts, found, strict=True)):
        unit = Unit(draft.kind, draft.text)
        unit = units.setdefault(unit.id, unit)
        places.append(
            tuple.__new__(Place, (
                ordinal, unit.id, draft.level, draft.role, score, draft.visible, draft.address(), draft.anchor,
                draft.marks, draft.language,
            ))
        )  # fmt: skip
    return tuple(places), MappingProxyType(units)


def nest(drafts: list[SpanDraft], count: int) -> tuple[Span, ...]:
    """Spans in order, nested or disjoint: one that crosses the end of an outer one is cut in two there."""
    todo = [(d.first, d.last, n, d) for n, d in enumerate(drafts) if 0 <= d.first <= d.last < count]
    todo.sort(key=_outer_first)
    result: list[Span] = []
    open_: list[int] = []
    queue = list(reversed(todo))
    while queue:
        first, last, number, draft = queue.pop()
        while open_ and result[open_[-1]].last < first:
            open_.pop()
        if open_ and result[open_[-1]].last < last:
            cut = result[open_[-1]].last
            rest = (cut + 1, last, number, draft)
            last = cut
            at = len(queue)
            while at and _outer_first(queue[at - 1]) < _outer_first(rest):
                at -= 1
            queue.insert(at, rest)
        result.append(Span(draft.kind, first, last, open_[-1] if open_ else -1, _frozen(draft.data)))
        open_.append(len(result) - 1)
    return tuple(result)


def _outer_first(item: tuple[int, int, int, SpanDraft]) -> tuple[int, int, int]:
    first, last, number, _ = item
    return first, -last, -number  # of two equal intervals the one that ended later is the outer


def _frozen(data: dict[str, Any]) -> Mapping[str, Any]:
    if not data:
        return NOTHING
    return MappingProxyType({key: tuple(value) if isinstance(value, list) else value for key, value in data.items()})
