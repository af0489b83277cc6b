"""A stored page as people look at it: chunks over units, why they begin there, and what another plan would change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sqlalchemy import Connection, func, select

from wrac.catalog import Record, contents, schema
from wrac.chunking import chunk
from wrac.core.structure import names
from wrac.core.types import Chunk, Document, Occurrence, Plan, Policy
from wrac.flow.kept import Kept
from wrac.flow.planners import RULES, Asking
from wrac.flow.remembered import Wish, keep, recalled
from wrac.planning import RulesPlanner
from wrac.planning import plan as plan_by_rules
from wrac.planning.compare import Change, compare, starts
from wrac.planning.llm import Asked
from wrac.planning.page_types import page_type
from wrac.planning.policies import Policies, Rule
from wrac.planning.why import Boundary, why
from wrac.text.tokens import counter

if TYPE_CHECKING:
    from wrac.flow.workspace import Workspace

Scope: TypeAlias = Literal["page", "type", "all"]
"""The pages that a policy is for: one, those of its type, every one."""
UNPAID: Final = "a model is not asked for a preview"


@dataclass(frozen=True)
class Cut:
    """A page cut to chunks under a plan: as it is stored, or as it would be.

    `chunks` and `occurrences` are aligned. `asked` is what a model was asked or had said before, where one plans.
    """

    document: Document
    plan: Plan
    policy: Policy
    chunks: tuple[Chunk, ...]
    occurrences: tuple[Occurrence, ...]
    asked: Asked | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each place is called."""
        return names(self.document)

    @cached_property
    def of(self) -> Mapping[int, tuple[int, ...]]:
        """For each kept ordinal the chunks it is in, counted from 0: several where its unit is split."""
        found: dict[int, tuple[int, ...]] = {}
        for position, occurrence in enumerate(self.occurrences):
            for ordinal in occurrence.ordinals:
                found[ordinal] = (*found.get(ordinal, ()), position)
        return found

    @cached_property
    def boundaries(self) -> Mapping[int, Boundary]:
        """What the rules say for and against a boundary before each ordinal that could have one."""
        return _boundaries(_Same(self.document), self.policy)

    @cached_property
    def starts(self) -> frozenset[int]:
        """The ordinals that the plan has a boundary before."""
        return starts(self.plan)

    def changes(self, new: Cut) -> tuple[Change, ...]:
        """The boundaries that another plan of the page has elsewhere, more, or no more."""
        return tuple(change for stretch in compare(self.document, self.plan, new.plan) for change in stretch.changes)


class _Same:
    """A document, equal to every other one of its id."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.document.id == other.document.id

    def __hash__(self) -> int:
        return hash(self.document.id)


@lru_cache(maxsize=16)
def _boundaries(page: _Same, policy: Policy) -> Mapping[int, Boundary]:
    """Kept for the pages that are looked at, one unit after another: it takes half a second for a thousand units."""
    planner = RulesPlanner(policy, counter(policy.tokenizer))
    return {one.ordinal: one for one in why(planner, page.document)}


def stored(record: Record) -> Cut:
    """The page as it was planned last."""
    return Cut(record.document, record.plan, record.policy, record.chunks, record.occurrences)


def preview(workspace: Workspace, record: Record, wish: Wish, *, pay: bool = False, silence: str = UNPAID) -> Cut:
    """The page as the wish would have it, where that is silent as the workspace would; nothing is stored but answers.

    Unless it may `pay`, a model is not asked, and what it said before is used; the rules plan the rest. Raises
    ConfigError for policies that make no sense for the page, and what asking a model raises.
    """
    before = recalled(workspace.database)
    policies, planning = wish.policies or before.policies or Policies(), wish.planning or before.planning or RULES
    document, url = record.document, record.page.url
    policy, asked = policies.of(url, document), None
    if planning.who == "rules":
        plan = plan_by_rules(document, policy)
    else:
        with Asking(planning, Kept(workspace.database), "" if pay else silence) as asking:
            plan, asked = asking.plan(url, document, policy)
    made = chunk(document, plan, policy, url)
    return Cut(document, plan, policy, made.chunks, made.occurrences, asked)


def remember(workspace: Workspace, wish: Wish, wait: float = 60.0) -> None:
    """The workspace plans by the wish from its next run on.

    Raises BusyError when another process writes for `wait` seconds.
    """
    with workspace.database.writer(wait, lambda: None):
        keep(workspace.database, wish)


def ruled(policies: Policies, document: Document, url: str, policy: Policy, scope: Scope) -> Policies:
    """The policies with one for a page, for those of its type, or for all; what an earlier rule for just these said
    goes. Raises ConfigError where a target could come to stand above a maximum.
    """
    if scope == "all":
        changes = (*_changes(policies.default, policy), *_changes(policies.of(url, document), policy))
        return policies.override(**dict(changes))
    if scope == "type":
        kind = page_type(document)
        rest = replace(policies, types=_but(policies.types, kind))
        return replace(rest, types=(*rest.types, *_rule(kind, rest.of(url, document), policy)))
    rest = replace(policies, sites=_but(policies.sites, url))
    return replace(rest, sites=(*rest.sites, *_rule(url, rest.at(url).default, policy)))


def _but(rules: tuple[Rule, ...], match: str) -> tuple[Rule, ...]:
    """The rules without those for just one match."""
    return tuple(rule for rule in rules if rule.match != match)


def _rule(match: str, before: Policy, wanted: Policy) -> tuple[Rule, ...]:
    """The rule that makes one policy of another; none where they are equal."""
    changes = _changes(before, wanted)
    return (Rule(match, changes),) if changes else ()


def _changes(before: Policy, wanted: Policy) -> tuple[tuple[str, object], ...]:
    """The fields in which two policies differ, as the second has them."""
    old = asdict(before)
    return tuple((name, value) for name, value in sorted(asdict(wanted).items()) if value != old[name])


def carriers(connection: Connection, unit: str, limit: int = 50) -> list[str]:
    """At most `limit` URLs of pages that carry a unit, in order."""
    found: list[str] = []
    for identities in contents.batches(contents.documents_of_unit(connection, unit)):
        joined = schema.pages.join(schema.documents, schema.documents.c.row == schema.pages.c.document)
        wanted = schema.documents.c.id.in_([contents.short(one) for one in identities])
        found += connection.scalars(
            select(schema.pages.c.url).select_from(joined).where(wanted).order_by(schema.pages.c.url).limit(limit)
        )
    return sorted(found)[:limit]


def count(connection: Connection, prefix: str = "") -> int:
    """How many pages there are whose URLs begin with a prefix."""
    begin = (schema.pages.c.url >= prefix) & (schema.pages.c.url < prefix + "\U0010ffff")
    return int(connection.scalar(select(func.count()).select_from(schema.pages).where(begin)) or 0)
