"""Boundaries for people and programs: why each is where it is, and how two plans differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from wrac.cli import paint, views
from wrac.cli.paint import plural, put
from wrac.contract import Json
from wrac.core.structure import names
from wrac.core.types import Document, Plan, Policy
from wrac.planning import RulesPlanner
from wrac.planning.compare import Change, Stretch, compare, starts
from wrac.planning.llm import Asked
from wrac.planning.why import Boundary, why
from wrac.text.tokens import counter

if TYPE_CHECKING:
    from rich.console import Console

_SIDE = 37
_INDENT = 6


class Made(NamedTuple):
    """A plan, the policy it was made under, and what was asked for it, if anything was."""

    plan: Plan
    policy: Policy
    asked: Asked | None = None


# -- why


def row(document: Document, made: Made) -> Json:
    """Every boundary there is or could be, with what speaks for and against it by the rules, and what was asked.

    `taken` is what the plan decided, `rules` what the rules alone would; `margin` is null where they have no choice.
    """
    called, taken = names(document), starts(made.plan)
    found = [
        {
            "ordinal": one.ordinal,
            "name": called[one.ordinal],
            "taken": one.ordinal in taken,
            "rules": one.taken,
            "cut": one.cut,
            "join": one.join,
            "margin": one.margin if isfinite(one.margin) else None,
            "terms": dict(one.terms),
        }
        for one in _why(document, made)
    ]
    return {"why": found, "asked": None if made.asked is None else _asked_row(made.asked)}


def _asked_row(asked: Asked) -> Json:
    return {**asdict(asked), "repairs": asked.repairs._asdict()}


def _why(document: Document, made: Made) -> list[Boundary]:
    return why(RulesPlanner(made.policy, counter(made.policy.tokenizer)), document)


def show(document: Document, made: Made) -> None:
    """Prints each chunk, why it begins where it does, and what keeps it together; then how much is omitted."""
    out, called = paint.console(), names(document)
    views.planned(out, document, made.plan, made.policy)
    if made.asked is not None:
        _show_asked(out, made.asked)
    put(out, ("+ speaks against a boundary, - for it; margin: what the other choice costs", "dim"))
    boundaries, padded = {one.ordinal: one for one in _why(document, made)}, views.aligned(called)
    taken = starts(made.plan)
    for number, members in enumerate(made.plan.groups, 1):
        if members[0] in boundaries:
            _show_cut(out, boundaries[members[0]], called)
        views.group(out, document, made.policy, padded, number, members)
        _show_kept(out, [boundaries[one] for one in members if one in boundaries and one not in taken], called)
    if reasons := Counter(made.plan.omitted.values()):
        put(out, f"omitted: {paint.tally(reasons.most_common())}")


def _show_asked(out: Console, asked: Asked) -> None:
    """What a model was asked, answered, and where it was put right."""
    known = f"{asked.remembered} remembered, {asked.unanswered} unanswered"
    put(out, f"{plural(asked.segments, 'part')} for the model: {known}; {paint.paid(asked.usage)}")
    for answer in asked.answers:
        paint.block(out, paint.styled(("answer  ", "dim"), answer))
    mended = [f"{count} {what}" for what, count in asked.repairs._asdict().items() if count]
    mended += [f"{asked.malformed} malformed"] if asked.malformed else []
    if mended:
        put(out, ("mended  ", "dim"), ", ".join(mended))
    if asked.failed:
        put(out, ("failed  ", "dim"), (asked.failed, "yellow"))


def _show_cut(out: Console, one: Boundary, called: Sequence[str]) -> None:
    margin = f"margin {_number(one.margin)}" if isfinite(one.margin) else "no other choice"
    against = "" if one.taken else ", the model's choice: rules would go on"
    head = (f"┄ cut before {called[one.ordinal]}  ", "green")
    paint.block(out, paint.styled(head, f"{_terms(one.terms)}; {margin}{against}"), _INDENT)


def _show_kept(out: Console, kept: Sequence[Boundary], called: Sequence[str]) -> None:
    """Why a chunk is not cut inside: the terms that speak against it, summed, and where that costs least."""
    if not kept:
        return
    terms: Counter[str] = Counter()
    for one in kept:
        terms.update({name: cost for name, cost in one.terms.items() if cost > 0})
    weakest = min(kept, key=lambda one: one.margin)
    least = f"weakest before {called[weakest.ordinal]}, margin {_number(weakest.margin)}"
    reasons = f"{_terms(dict(terms.most_common()))}; " if terms else ""
    paint.block(out, paint.styled((f"kept together: {reasons}{least}", "dim")), _INDENT)


def _terms(terms: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {cost:+.4g}" for name, cost in terms.items()) or "nothing speaks for or against it"


def _number(value: float) -> str:
    return f"{value:.4g}" if isfinite(value) else "none"


# -- two plans


def diff_row(document: Document, before: Made, after: Made) -> Json:
    """The boundaries that differ, with unit names, and what only one of the plans omits."""
    called, old, new = names(document), before.plan, after.plan
    changes = [change for stretch in compare(document, old, new) for change in stretch.changes]

    def unit(ordinal: int) -> Json:
        return {"ordinal": ordinal, "name": called[ordinal]}

    return {
        "document": document.id,
        "old": _side_row(before),
        "new": _side_row(after),
        "same": len(starts(old) & starts(new)),
        "added": [unit(new_) for old_, new_ in changes if old_ is None and new_ is not None],
        "removed": [unit(old_) for old_, new_ in changes if new_ is None and old_ is not None],
        "moved": [
            {"from": unit(old_), "to": unit(new_)} for old_, new_ in changes if old_ is not None and new_ is not None
        ],
        "omitted": {
            "old": [unit(one) for one in sorted({*old.omitted} - {*new.omitted})],
            "new": [unit(one) for one in sorted({*new.omitted} - {*old.omitted})],
        },
    }


def _side_row(made: Made) -> Json:
    plan, asked = made.plan, made.asked
    return {
        "planner": plan.planner,
        "chunks": len(plan.groups),
        "usage": asdict(plan.usage),
        "failed": asked.failed if asked is not None else "",
    }


def show_diff(document: Document, old: Made, new: Made) -> None:
    """Prints the stretches of a page where its plans differ, side by side, and below each what is different."""
    out, called = paint.console(), names(document)
    stretches = compare(document, old.plan, new.plan)
    put(out, (document.title or "(no title)", "bold"))
    for sign, made in (("A", old), ("B", new)):
        put(out, f"{sign}  {plural(len(made.plan.groups), 'chunk')}  ", (made.plan.planner, "dim"))
    put(out, _summary(old.plan, new.plan, stretches))
    for stretch in stretches:
        put(out)
        sides = ([*_side(document, made, stretch, called)] for made in (old, new))
        for left, right in zip_longest(*sides, fillvalue=""):
            put(out, f"{left:<{_SIDE}} │ {right}")
        for change in stretch.changes:
            put(out, (f"{' ' * _INDENT}{_told(change, called)}", "dim"))
    for sign, one, other in (("A", old.plan, new.plan), ("B", new.plan, old.plan)):
        if only := sorted({*one.omitted} - {*other.omitted}):
            put(out, f"omitted in {sign} alone: {', '.join(called[ordinal] for ordinal in only)}")


def _summary(old: Plan, new: Plan, stretches: Sequence[Stretch]) -> str:
    kinds = Counter(_kind(change) for stretch in stretches for change in stretch.changes)
    counts = paint.tally((kind, kinds[kind]) for kind in ("moved", "added", "removed") if kinds[kind])
    same = plural(len(starts(old) & starts(new)), "boundary", "boundaries")
    return f"{same} in both; {counts or 'no difference'}"


def _kind(change: Change) -> str:
    return "added" if change.old is None else "removed" if change.new is None else "moved"


def _told(change: Change, called: Sequence[str]) -> str:
    ends = [called[one] for one in change if one is not None]
    return f"{_kind(change)}: {' → '.join(ends)}"


def _side(document: Document, made: Made, stretch: Stretch, called: Sequence[str]) -> Iterator[str]:
    """A line a chunk that begins in a stretch: its ordinals, first unit and size."""
    count = counter(made.policy.tokenizer).count
    for members in made.plan.groups:
        if stretch.first <= members[0] < stretch.end:
            size = sum(count(document.text(ordinal)) for ordinal in members)
            head = f"{views.ranges(members):<9} {called[members[0]]}"
            yield f"{head[: _SIDE - 7]:<{_SIDE - 7}} {size:>6}"
