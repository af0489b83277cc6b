"""What is handed on in place of a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Skip:
    """A source that became no page. `reason` is a phrase made to be counted: "empty", "hidden", "not text: PDF"."""

    url: str
    reason: str
