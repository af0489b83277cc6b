"""The order of the stages: sources to a searchable workspace, a query to passages. The only place that knows it."""

from wrac.flow.report import IndexReport, Result, Shown, ShownUnit, Skipped, VerifyReport
from wrac.flow.workspace import Workspace

__all__ = ["IndexReport", "Result", "Shown", "ShownUnit", "Skipped", "VerifyReport", "Workspace"]
