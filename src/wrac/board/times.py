"""The days that a page of statistics is about, as its address says them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fastapi import Depends, Query, Request

from wrac.api.served import Opened
from wrac.board.views import address
from wrac.core.errors import ConfigError
from wrac.observing.columns import Events
from wrac.observing.statistics import moments

DAYS: Final = 30
"""Days that are looked at where none are named."""
_MOST: Final = 3650


class Days:
    """`from` and `to`, or the last `days`, 0 for all."""

    def __init__(
        self,
        days: Annotated[int, Query(ge=0, le=_MOST)] = DAYS,
        since: Annotated[str, Query(alias="from", max_length=10)] = "",
        until: Annotated[str, Query(alias="to", max_length=10)] = "",
        zone: Annotated[str, Query(max_length=60)] = "UTC",
    ) -> None:
        self.days, self.name, self.zone = days, zone or "UTC", _zone(zone or "UTC")
        self.since, self.until = _day(since), _day(until)
        self.given = bool(self.since or self.until)
        if not self.given and days:
            self.since = datetime.now(self.zone).date() - timedelta(days=days - 1)


class Time:
    """A request for a workspace's statistics of some days, in a time zone."""

    def __init__(self, request: Request, workspace: Opened, days: Annotated[Days, Depends()]) -> None:
        self.request, self.workspace, self.days = request, workspace, days

    def events(self) -> Events:
        """The events of these days."""
        days = self.days
        return self.workspace.log.events().between(*moments(days.since, days.until, days.zone))

    def link(self, path: str, **query: Any) -> str:  # noqa: ANN401 - whatever an address says
        """An address of the same days."""
        days = self.days
        told: dict[str, Any] = {"from": days.since, "to": days.until} if days.given else {"days": days.days}
        told |= {} if days.name == "UTC" else {"zone": days.name}
        return address(self.request, path, **{**({} if told == {"days": DAYS} else told), **query})

    def moment(self, at: float) -> str:
        """A moment as a clock of the zone has it."""
        return datetime.fromtimestamp(at, self.days.zone).strftime("%Y-%m-%d %H:%M") if at else ""

    @property
    def said(self) -> str:
        """The days in words."""
        days = self.days
        if days.given:
            return " to ".join(day.isoformat() if day else "…" for day in (days.since, days.until))
        return f"last {days.days} days" if days.days else "all days"


Timed = Annotated[Time, Depends()]


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ConfigError(f"{text!r} is no day; write it as 2026-11-30") from None


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ConfigError(f"no time zone is called {name!r}; write it as Europe/Berlin") from None
