"""The order of the stages: sources to a searchable workspace, a query to passages. The only place that knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wrac.flow.report import IndexReport, ReplanReport, Result, Shown, ShownUnit, Skipped, VerifyReport

if TYPE_CHECKING:
    from wrac.flow.workspace import Workspace

__all__ = ["IndexReport", "ReplanReport", "Result", "Shown", "ShownUnit", "Skipped", "VerifyReport", "Workspace"]


def __getattr__(name: str) -> object:
    # A parsing process imports this package too, and needs no database: half of its start.
    if name != "Workspace":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wrac.flow.workspace import Workspace

    globals()[name] = Workspace
    return Workspace
