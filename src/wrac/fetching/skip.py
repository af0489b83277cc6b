"""What is handed on in place of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["no page", "missing", "unreachable"]
"""Whether what was there before goes (it is no page now), goes after some time, or stays: nobody knows what it is."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A source that became no page. `reason` is a phrase made to be counted: "empty", "hidden", "not text: PDF"."""

    url: str
    reason: str
    state: State = "no page"
