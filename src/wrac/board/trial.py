"""Another plan to try on a page, as a form and an address say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, get_args

from wrac.core.errors import ConfigError
from wrac.core.types import Document, Policy
from wrac.flow.page import Scope, ruled
from wrac.flow.planners import PLANNERS, RULES, Planning, Who
from wrac.flow.remembered import Wish
from wrac.planning.policies import Policies

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)


class Field(NamedTuple):
    """A field of a policy in the form."""

    name: str
    label: str
    kind: Literal["number", "check"]
    hint: str


FIELDS: Final = (
    Field("target", "Target", "number", "tokens a chunk should have"),
    Field("maximum", "Maximum", "number", "tokens no chunk may exceed"),
    Field("prose", "Prose", "number", "target where headings are missing or far apart"),
    Field("chunks_per_h2", "Chunks per h2", "number", "how many a section may become; 0: as many as it takes"),
    Field("entities", "Entities", "number", "names, dates and codes a target holds; 0: they are not counted"),
    Field("whole_tables", "Keep tables whole", "check", ""),
    Field("whole_lists", "Keep lists whole", "check", ""),
    Field("one_question", "One question a chunk", "check", ""),
)
_LONGEST: Final = 9


@dataclass(frozen=True, slots=True)
class Trial:
    """A policy and a planner to try, and the pages they would be for."""

    policy: Policy
    who: Who
    scope: Scope

    def query(self) -> dict[str, Any]:
        """The trial in an address: what `read` reads."""
        said = {one.name: getattr(self.policy, one.name) for one in FIELDS}
        return {"try": 1, **{name: int(value) for name, value in said.items()}, "planner": self.who, "for": self.scope}

    def wish(self, policies: Policies, planning: Planning, document: Document, url: str) -> Wish:
        """How the workspace's pages would be planned. Raises ConfigError for what makes no sense."""
        return Wish(ruled(policies, document, url, self.policy, self.scope), self.planning(planning))

    def planning(self, remembered: Planning) -> Planning:
        """The planner of the workspace as the trial has it. Raises ConfigError where no model is known to ask."""
        if self.who == "rules":
            return RULES
        if remembered.who == "rules":
            raise ConfigError("no model is known to plan by; run `wrac replan --planner llm --model NAME` once")
        return replace(remembered, who=self.who)


def read(query: Mapping[str, str], policy: Policy, planning: Planning) -> Trial | None:
    """What an address asks to try, where it says so; a field that is left out is as it is now.

    Raises ConfigError for values that are none.
    """
    if not query.get("try"):
        return None
    changes: dict[str, Any] = {
        one.name: _value(one, query.get(one.name, ""), getattr(policy, one.name)) for one in FIELDS
    }
    who, scope = query.get("planner") or planning.who, query.get("for") or "page"
    if who not in PLANNERS or scope not in SCOPES:
        raise ConfigError(f"a trial takes a planner of {', '.join(PLANNERS)}, for one of {', '.join(SCOPES)}")
    return Trial(replace(policy, **changes), who, scope)


def _value(field: Field, text: str, now: int | bool) -> int | bool:
    """A field's value as a form sends it: a box that is not ticked sends nothing."""
    if field.kind == "check":
        return text not in ("", "0")
    if not text.strip():
        return now
    if not (text.strip().isascii() and text.strip().isdigit() and len(text.strip()) <= _LONGEST):
        raise ConfigError(f"{field.label.lower()}: {text[:20]!r} is no number from 0; write one like {now}")
    return int(text)
