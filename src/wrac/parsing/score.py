"""How likely a unit is content of its page, 0..1, by rules over role, visibility, links and length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wrac.core.types import Role
from wrac.parsing.frames import Draft

_BY_ROLE: Final[dict[Role, float]] = {
    "main": 0.9, "data": 0.7, "comment": 0.5, "aside": 0.35, "form": 0.3, "header": 0.2, "dialog": 0.1,
    "control": 0.15, "breadcrumb": 0.1, "toc": 0.1, "footer": 0.1, "nav": 0.05, "cookie": 0.0,
}  # fmt: skip
_BY_VISIBILITY: Final = {"visible": 1.0, "collapsed": 0.95, "hidden": 0.6}


def scores(drafts: Sequence[Draft]) -> list[float]:
    """The content scores of a page's units, in their order."""
    return [_by_rules(draft) for draft in drafts]


def _by_rules(draft: Draft) -> float:
    base = _BY_ROLE[draft.role] * _BY_VISIBILITY[draft.visible]
    if draft.kind == "heading" or not draft.marks:
        return round(base, 3)
    linked = sum(mark.end - mark.start for mark in draft.marks if mark.kind == "link")
    density = min(linked / max(len(draft.text), 1), 1.0)
    if density > 0.8 and len(draft.text) < 60:
        return round(base * 0.6, 3)
    return round(base * (1 - 0.3 * density), 3)
