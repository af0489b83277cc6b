"""What a run did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from wrac.contract.base import Json
from wrac.flow.report import IndexReport, ReplanReport, Skipped

if TYPE_CHECKING:
    pass


def index_row(report: IndexReport) -> Json:
    """The public shape of an index run; `seconds` is the whole run's, `stages` its parts."""
    return {
        "pages": report.pages,
        "units": report.units,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "reused": report.reused,
        "skipped": skips_rows(report.skipped),
        "usage": asdict(report.usage),
        "seconds": report.seconds.get("total", 0.0),
        "unchanged": report.unchanged,
        "added": report.added,
        "requests": report.requests,
        "gone": list(report.gone),
        "unanswered": skips_rows(report.unanswered),
        "stages": _stages(report.seconds),
    }


def replan_row(report: ReplanReport) -> Json:
    """The public shape of planning anew; `seconds` is the whole run's, `stages` its parts."""
    return {
        "pages": report.pages,
        "chunks": report.chunks,
        "changed": report.changed,
        "kept": report.kept,
        "embedded": report.embedded,
        "reused": report.reused,
        "usage": asdict(report.usage),
        "seconds": report.seconds.get("total", 0.0),
        "skipped": skips_rows(report.skipped),
        "unanswered": skips_rows(report.unanswered),
        "stages": _stages(report.seconds),
    }


def skips_rows(skips: Sequence[Skipped]) -> list[Json]:
    """The public shape of sources that became no page, or of pages that a model did not answer for."""
    return [{"url": skip.url, "reason": skip.reason} for skip in skips]


def _stages(seconds: Mapping[str, float]) -> Json:
    return {stage: spent for stage, spent in seconds.items() if stage != "total"}
