"""Groups that someone else chose, made a plan: what they got wrong is mended by a plan that is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from wrac.core.types import Document, Plan, Usage
from wrac.planning.check import check

NO_USAGE: Final = Usage()
APART: Final = frozenset(("comment", "data"))
"""Roles that never share a group with the page's text, nor with one another."""

Group: TypeAlias = tuple[int, str]
"""A group's number among those given and the role it is kept apart by; below 0, the fallback's groups."""


class Repairs(NamedTuple):
    """How many ordinals were mended: not in the document, said again, omitted by the other plan, left out of all."""

    unknown: int = 0
    repeated: int = 0
    omitted: int = 0
    missing: int = 0


def repair(
    document: Document, groups: Iterable[Sequence[int]], fallback: Plan, *, planner: str = "", usage: Usage = NO_USAGE
) -> tuple[Plan, Repairs]:
    """A checked plan of the groups, and what was mended; groups that were right come out as they are.

    An ordinal counts where it is said first; one that the fallback omits stays omitted, so nobody can talk chrome into
    a chunk. What no group names goes where the fallback's group of it went: to the nearest of its neighbours there, a
    heading to one behind it, or with all of them into a group of their own. Within a group ordinals ascend: no plan
    reorders a page. Raises PlanError where the fallback itself is no partition of the document.
    """
    owner, counts = _owners(document, groups, fallback)
    missing = 0
    for theirs in fallback.groups:
        left = [ordinal for ordinal in theirs if ordinal not in owner]
        missing += len(left)
        owner.update(_adopted(document, theirs, left, owner))
    made: dict[Group, list[int]] = {}
    for ordinal in sorted(owner):
        made.setdefault(owner[ordinal], []).append(ordinal)
    parts = tuple(sorted(tuple(group) for group in made.values()))
    plan = Plan(document.id, parts, fallback.omitted, planner or f"{fallback.planner}+repaired", usage)
    check(document, plan)
    return plan, counts._replace(missing=missing)


def _owners(document: Document, groups: Iterable[Sequence[int]], fallback: Plan) -> tuple[dict[int, Group], Repairs]:
    """The number of the group that names each ordinal first, and what was wrong with the other names."""
    owner: dict[int, Group] = {}
    unknown = repeated = omitted = 0
    for number, group in enumerate(groups):
        for ordinal in group:
            if not 0 <= ordinal < len(document.places):
                unknown += 1
            elif ordinal in owner:
                repeated += 1
            elif ordinal in fallback.omitted:
                omitted += 1
            else:
                role = document.places[ordinal].role
                owner[ordinal] = (number, role if role in APART else "")
    return owner, Repairs(unknown, repeated, omitted)


def _adopted(
    document: Document, theirs: Sequence[int], left: Sequence[int], owner: dict[int, Group]
) -> Iterator[tuple[int, Group]]:
    """The groups of the ordinals left of one of the fallback's groups; a new number where all of it was left."""
    placed = [ordinal for ordinal in theirs if ordinal in owner]
    for ordinal in left:
        if not placed:
            yield ordinal, (-1 - theirs[0], "")
            continue
        heading = document.unit(ordinal).kind == "heading"
        nearest = min(placed, key=lambda one: (heading and one < ordinal, abs(one - ordinal), one))
        yield ordinal, owner[nearest]
