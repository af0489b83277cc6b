"""A page in words for its view: chunks with their units, what is in none, one unit with all that is known of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from statistics import median
from typing import Final, NamedTuple

from wrac.board.writing import Sign
from wrac.contract import Json, where
from wrac.core.types import Chunk, Occurrence, Place, Unit
from wrac.flow.links import passage_link
from wrac.flow.page import Cut
from wrac.flow.rows import label_of
from wrac.planning.why import Boundary

COLOURS: Final = 8
_MOVES: Final = {"added": ("a boundary comes here",), "gone": ("a boundary goes here",)}
_SHOWN: Final = 140
_NO_CHUNK: Final = Chunk((), (), "", 0)
TERMS: Final = {
    "cut": "any boundary inside a section",
    "heading": "a heading opens a section here",
    "asked": "the heading is a question",
    "question": "the policy wants one question a chunk",
    "chance": "a draw from the unit's content, so that edits elsewhere move nothing here",
    "glued": "it means nothing without the unit before it",
    "colon": "the unit before it ends in a colon",
    "lead": "the unit before it leads up to it",
    "code": "code belongs to what explains it",
    "explained": "it may explain the code before it",
    "anaphor": "it begins with a word that points back",
    "refers": "it refers to what stands before it",
    "announced": "the unit before it announces it",
    "compared": "it compares with what stands before it",
    "facts": "it names the same facts as the unit before it",
    "topic": "the topic changes here",
    "limit": "the policy limits the chunks of a section",
    "answer": "it would part an answer from its question",
    "table": "it would cut a table",
    "list": "it would cut a list",
    "item": "it would cut a list item",
    "definitions": "it would cut a list of definitions",
    "qa": "it would cut an answer",
    "details": "it would cut a panel that opens",
    "tabs": "it would cut a group of tabs",
    "figure": "it would cut a figure",
    "quote": "it would cut a quotation",
    "aside": "it would cut an aside",
}
"""What the planner's terms mean."""


class Listed(NamedTuple):
    """A unit in a list."""

    ordinal: int
    name: str
    kind: str
    text: str
    sign: str


class Shown(NamedTuple):
    """A chunk in the outline: its number from 1, its colour's class, what it holds."""

    number: int
    colour: str
    chunk: Chunk
    units: tuple[Listed, ...]
    label: str


class Term(NamedTuple):
    """What speaks against a boundary (above 0) or for it."""

    name: str
    cost: float
    meaning: str


@dataclass(frozen=True, slots=True)
class Why:
    """Why a chunk begins at a unit or goes on: in a sentence, by terms, and by how much the other choice is dearer."""

    told: str
    terms: tuple[Term, ...] = ()
    margin: str = ""
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """A unit with all that is known of it at a place."""

    place: Place
    unit: Unit
    name: str
    address: Json
    link: str
    omitted: str
    chunks: tuple[tuple[int, str, Chunk], ...]
    why: Why


class Difference(NamedTuple):
    """What another plan changes: boundaries that stay, move, come and go; figures of both plans."""

    same: int
    moved: tuple[tuple[Listed, Listed], ...]
    added: tuple[Listed, ...]
    removed: tuple[Listed, ...]
    old: dict[str, float]
    new: dict[str, float]
    kept: int


def colour(chunk: int) -> str:
    """The class of a chunk, counted from 0."""
    return f"k{chunk % COLOURS}"


def chunks(cut: Cut) -> list[Shown]:
    """The chunks of a page in their order."""
    found = []
    for position, (chunk, occurrence) in enumerate(zip(cut.chunks, cut.occurrences, strict=True)):
        units = tuple(listed(cut, ordinal) for ordinal in occurrence.ordinals)
        found.append(Shown(position + 1, colour(position), chunk, units, label_of(occurrence.label)))
    return found


def omitted(cut: Cut) -> list[tuple[str, list[Listed]]]:
    """The units that are in no chunk, by their reason, the most frequent first."""
    reasons: dict[str, list[Listed]] = {}
    for ordinal, reason in sorted(cut.plan.omitted.items()):
        reasons.setdefault(reason, []).append(listed(cut, ordinal))
    return sorted(reasons.items(), key=lambda pair: (-len(pair[1]), pair[0]))


def listed(cut: Cut, ordinal: int) -> Listed:
    """A unit as lists show it."""
    unit = cut.document.unit(ordinal)
    of = cut.of.get(ordinal, ())
    return Listed(ordinal, cut.names[ordinal], unit.kind, _brief(unit.text), colour(of[0]) if of else "out")


def signs(cut: Cut, href: Callable[[int], str], before: Cut | None = None) -> list[Sign]:
    """How each unit is marked on the page; with the plan `before`, the boundaries that come and go too."""
    firsts = {occurrence.ordinals[0]: position for position, occurrence in reversed([*enumerate(cut.occurrences)])}
    old = cut.starts if before is None else before.starts
    moves = dict.fromkeys(cut.starts - old, "added") | dict.fromkeys(old - cut.starts, "gone")
    return [
        _sign(cut, place, href(place.ordinal), firsts.get(place.ordinal), moves.get(place.ordinal, ""))
        for place in cut.document.places
    ]


def _sign(cut: Cut, place: Place, href: str, first: int | None, move: str) -> Sign:
    """The sign of a unit; `first` is the chunk that begins with it, `move` what becomes of the boundary before it."""
    ordinal, of = place.ordinal, cut.of.get(place.ordinal, ())
    own = of[0] if of and first is None else first
    numbers = "–".join(str(one + 1) for one in dict.fromkeys((of[0], of[-1]))) if of else ""
    unit = cut.document.units[place.unit]
    says = (
        f"Unit {ordinal}, {unit.kind.replace('_', ' ')} {cut.names[ordinal]}",
        f"chunk {numbers}" if of else f"omitted: {cut.plan.omitted.get(ordinal, '')}",
        *_MOVES.get(move, ()),
    )
    kinds = (
        "out" if own is None else colour(own),
        "first" if first is not None else "",
        move,
        "hid" if place.visible != "visible" else "",
    )
    return Sign(ordinal, href, "" if first is None else str(first + 1), " ".join(filter(None, kinds)), ", ".join(says))


def told(cut: Cut, ordinal: int, url: str) -> Told:
    """One unit with all that is known of it."""
    place = cut.document.places[ordinal]
    of = cut.of.get(ordinal, ())
    chunk, occurrence = (cut.chunks[of[0]], cut.occurrences[of[0]]) if of else (_NO_CHUNK, Occurrence("", url, ()))
    here = replace(occurrence, ordinals=(ordinal,), anchor=place.anchor or occurrence.anchor)
    return Told(
        place=place,
        unit=cut.document.units[place.unit],
        name=cut.names[ordinal],
        address=where(place.address),
        link=passage_link(cut.document, chunk, here, url),
        omitted=cut.plan.omitted.get(ordinal, ""),
        chunks=tuple((one + 1, colour(one), cut.chunks[one]) for one in of),
        why=why(cut, ordinal),
    )


def why(cut: Cut, ordinal: int) -> Why:
    """Why there is a boundary before a unit, or none."""
    if reason := cut.plan.omitted.get(ordinal):
        return Why(f"It is in no chunk: {reason}.")
    found, taken = cut.boundaries.get(ordinal), ordinal in cut.starts
    if found is None:
        return Why("A chunk begins here: nothing of its kind stands before it.", taken=True)
    begins = "A chunk begins here" if taken else "The chunk goes on from the unit before"
    if found.taken != taken:
        begins += f": the model's choice; by the rules it would {'begin' if found.taken else 'go on'}"
    terms = tuple(Term(name, cost, TERMS.get(name, "")) for name, cost in _by_weight(found))
    margin = f"{found.margin:.3g}" if isfinite(found.margin) else ""
    return Why(f"{begins}.", terms, margin, taken)


def _by_weight(boundary: Boundary) -> list[tuple[str, float]]:
    return sorted(((name, cost) for name, cost in boundary.terms.items() if cost), key=lambda pair: -abs(pair[1]))


def difference(old: Cut, new: Cut) -> Difference:
    """What the new plan of a page changes."""
    changes = old.changes(new)
    before, after = ({chunk.id for chunk in cut.chunks} for cut in (old, new))
    return Difference(
        same=len(old.starts & new.starts),
        moved=tuple((listed(old, a), listed(new, b)) for a, b in changes if a is not None and b is not None),
        added=_only(new, [change.new for change in changes if change.old is None]),
        removed=_only(old, [change.old for change in changes if change.new is None]),
        old=figures(old),
        new=figures(new),
        kept=len(before & after),
    )


def _only(cut: Cut, ordinals: Sequence[int | None]) -> tuple[Listed, ...]:
    return tuple(listed(cut, ordinal) for ordinal in ordinals if ordinal is not None)


def figures(cut: Cut) -> dict[str, float]:
    """A plan in numbers: chunks, and the least, the median and the most tokens of one."""
    sizes = [chunk.tokens for chunk in cut.chunks] or [0]
    return {"chunks": len(cut.chunks), "least": min(sizes), "median": median(sizes), "most": max(sizes)}


def losses(cut: Cut) -> list[tuple[str, int, str]]:
    """What became no unit: why, how many characters, and how it begins."""
    found = Counter[str]()
    texts: dict[str, str] = {}
    for loss in cut.document.losses:
        found[loss.reason] += loss.chars
        texts.setdefault(loss.reason, _brief(loss.text))
    return [(reason, chars, texts[reason]) for reason, chars in found.most_common()]


def _brief(text: str) -> str:
    folded = " ".join(text[: 4 * _SHOWN].split())
    return folded if len(folded) <= _SHOWN else f"{folded[:_SHOWN].rstrip()}…"
