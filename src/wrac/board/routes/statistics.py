"""Statistics: what searches found, what troubles them, what is stored; proposals tried and applied."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Depends, Form
from fastapi.responses import HTMLResponse, RedirectResponse

from wrac.board import charts
from wrac.board.charts import Column, Line
from wrac.board.times import Time, Timed
from wrac.board.views import page
from wrac.catalog import figures
from wrac.core.errors import ConfigError
from wrac.flow.proposals import Preview, Proposal, adjust, look, own_rules, proposals, take_back
from wrac.flow.statistics import Statistics, classes
from wrac.observing.columns import Events

router = APIRouter()
TOP: Final = 8
"""Rows of a list on the page of all statistics."""
MOST: Final = 12
"""Proposals that are shown at once."""
WAIT: Final = 5.0
"""Seconds that a press of a button waits for another writer."""
CHANGES: Final[Mapping[str, type]] = {
    "target": int, "prose": int, "maximum": int, "whole_tables": bool, "whole_lists": bool, "one_question": bool,
}  # fmt: skip
"""The fields of a policy that a proposal may change."""
_SWITCHES: Final = {
    "whole_tables": "tables kept whole", "whole_lists": "lists kept whole", "one_question": "one question a chunk",
}  # fmt: skip


@router.get("/statistics")
def overview(time: Timed) -> HTMLResponse:
    """All statistics on one page, each number with the way to the rows behind it."""
    workspace, days = time.workspace, time.days
    found = workspace.statistics(days.since, days.until, days.zone)
    with workspace.database.read() as connection:
        begins = figures.begins(connection, (one.name for one in found.use.chunks[:TOP]))
    return page(
        time.request,
        "statistics.html",
        time=time,
        use=found.use,
        kept=found.kept,
        begins=begins,
        plots=_plots(found),
        sizes=list(zip(classes(), found.kept.sizes, strict=True)),
        rules=[(rule.match, said(dict(rule.changes))) for rule in own_rules(workspace.remembered().policies)],
        log=workspace.log,
        top=TOP,
        done=time.request.query_params.get("of", ""),
    )


def _plots(found: Statistics) -> dict[str, str]:
    """The plots by name; one with nothing to show is left out."""
    days, sizes, paid = found.use.days, found.kept.sizes, found.kept.paid["day"]
    names = [_short(one.day) for one in days]
    made: dict[str, str] = {}
    if days:
        counts = [Column(name, one.searches, one.empty) for name, one in zip(names, days, strict=True)]
        made["searches"] = charts.columns(counts, "Searches a day", "searches", unit="searches", part="found nothing")
        seconds = [Line("median", [one.p50 for one in days]), Line("95 %", [one.p95 for one in days])]
        made["seconds"] = charts.lines(names, seconds, "Seconds that searches take, by day", "seconds", unit="seconds")
    if any(sizes):
        counts = [Column(name, count) for name, count in zip(classes(), sizes, strict=True)]
        made["sizes"] = charts.columns(counts, "Chunks by their size in tokens", "sizes", unit="chunks")
    if paid:
        spent = [Column(_short(date.fromisoformat(day)), usage.cost) for day, usage in paid.items()]
        made["paid"] = charts.columns(spent, "USD paid for models, by day", "paid", unit="USD")
    return made


def _short(day: date) -> str:
    return f"{day:%b} {day.day}"


# -- proposals --------------------------------------------------------------------------------------------------------


@router.get("/statistics/proposals")
def proposed(time: Timed) -> HTMLResponse:
    """What could be changed for pages whose chunks serve searches badly."""
    events = time.events()
    rows = [Shown.of(time, one, events) for one in proposals(time.workspace, events)[:MOST]]
    return page(time.request, "statistics_proposals.html", time=time, rows=rows)


class Shown(NamedTuple):
    """A proposal with its effect, and the addresses where it is seen in full and applied."""

    proposal: Proposal
    said: str
    effect: Preview
    preview: str
    apply: str

    @classmethod
    def of(cls, time: Time, one: Proposal, events: Events) -> Shown:
        """The proposal as it is shown."""
        query = {"url": one.url, **_query(one.changes)}
        effect = look(time.workspace, time.workspace.record(one.url), one.changes, events)
        ways = (time.link(f"/statistics/{way}", **query) for way in ("preview", "apply"))
        return cls(one, said(one.changes), effect, *ways)


def _query(changes: Mapping[str, Any]) -> dict[str, str]:
    """Changes as an address says them."""
    return {name: str(int(value)) for name, value in changes.items()}


class Change:
    """A page and the fields of its policy that are to change, as an address says them."""

    def __init__(self, time: Timed, url: str) -> None:
        self.time, self.url, self.record = time, url, time.workspace.record(url)
        given = time.request.query_params
        self.fields = {name: _value(name, kind, given[name]) for name, kind in CHANGES.items() if name in given}

    def link(self, path: str) -> str:
        """An address of the same change."""
        return self.time.link(path, url=self.url, **_query(self.fields))


Changed = Annotated[Change, Depends()]


def _value(name: str, kind: type, text: str) -> int | bool:
    """A field's value. Raises ConfigError for one that is none."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len("999999")):
        raise ConfigError(f"{name}={text[:20]!r} is no value of a policy; give a whole number, for a switch 1 or 0")
    return bool(int(text)) if kind is bool else int(text)


def said(changes: Mapping[str, Any]) -> str:
    """Changes of a policy in words.

    >>> said({"target": 80, "prose": 80, "whole_tables": True})
    'target 80 tokens, tables kept whole'
    """
    parts = [
        ("" if value else "not ") + _SWITCHES[name] if name in _SWITCHES else f"{name.replace('_', ' ')} {value} tokens"
        for name, value in changes.items()
        if name != "prose" or "target" not in changes
    ]
    return ", ".join(parts) or "as it is"


@router.get("/statistics/preview")
def preview(change: Changed) -> HTMLResponse:
    """What a proposal would change, for the page and for the queries that found it."""
    found = look(change.time.workspace, change.record, change.fields, change.time.events())
    return page(
        change.time.request,
        "statistics_preview.html",
        time=change.time,
        change=change,
        title=change.record.document.title or change.url,
        found=found,
        said=said(change.fields),
    )


@router.post("/statistics/apply")
def apply(change: Changed) -> RedirectResponse:
    """Give the page the policy, plan it anew, and go back to the page of all statistics."""
    adjust(change.time.workspace, change.record, change.fields, wait=WAIT)
    return RedirectResponse(change.time.link("/statistics", of=change.url) + "#rules", 303)


@router.post("/statistics/take-back")
def undo(time: Timed, url: Annotated[str, Form()]) -> RedirectResponse:
    """Take the page's own rule back and plan it anew."""
    take_back(time.workspace, url, wait=WAIT)
    return RedirectResponse(time.link("/statistics", of=url) + "#rules", 303)
