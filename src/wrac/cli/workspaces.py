"""index, replan, search, show, status and verify: a workspace's flows to output."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from wrac import contract
from wrac.cli import hits, left, options, paint
from wrac.cli.progress import bars
from wrac.core.errors import InputError, RemoteError, WorkspaceError
from wrac.core.types import Usage
from wrac.fetching import READABLE, pages
from wrac.flow import IndexReport, ReplanReport, VerifyReport, Workspace
from wrac.flow.report import Skipped

if TYPE_CHECKING:
    from wrac.flow.labellers import Labelling
    from wrac.flow.planners import Planning
    from wrac.flow.sites import Site
    from wrac.planning.policies import Policies

# What a folder of pages is full of; other reasons are worth a line for each file.
_ORDINARY = ("hidden", "not a page", "link to what", "already read")
_NAMED = 10
# What stands on several pages is counted once here, but on each page by `wrac index`.
_LABELS = {"units": "distinct units", "chunks": "distinct chunks", "entries": "index entries"}


def index(  # noqa: PLR0913 - a command's options
    path: str,
    sources: Sequence[str],
    *,
    meta: Mapping[str, str],
    base: str,
    max_size: int,
    policies: Policies | None,
    planning: Mapping[str, Any],
    labelling: Mapping[str, Any],
    workers: int | None,
    wait: float,
    max_seconds: float,
    embedder: str,
    store: str,
    site: Site | None,
    progress: bool,
    as_json: bool,
) -> None:
    """Index the sources and print what was done. Raises InputError when there was no page at all."""
    pages(sources, base=base)  # a source that is none leaves no workspace behind
    with Workspace(path, embedder=embedder) as workspace, bars(wanted=progress) as tell:
        report = workspace.index(
            sources,
            meta=meta,
            base=base,
            max_size=max_size,
            policy=policies,
            planning=_planning(workspace, planning),
            labelling=_labelling(workspace, labelling),
            workers=workers,
            progress=tell,
            wait=wait,
            max_seconds=max_seconds,
            store=store,
            site=site,
        )
    if as_json:
        print(contract.dumps(contract.index_row(report)))
    else:
        print_index(report, workspace.place)
    if not report.pages:
        reasons = paint.skips(skip.reason for skip in report.skipped)
        raise InputError("no page was found", f"skipped {reasons}" if reasons else "the folder is empty",
                         f"give {READABLE}")  # fmt: skip


def replan(  # noqa: PLR0913 - a command's options
    path: str,
    *,
    policies: Policies | None,
    planning: Mapping[str, Any],
    labelling: Mapping[str, Any],
    batch: bool,
    workers: int | None,
    wait: float,
    progress: bool,
    as_json: bool,
) -> None:
    """Plan every page of a workspace anew and print what was done."""
    with Workspace(path, create=False) as workspace, bars(wanted=progress) as tell:
        report = workspace.replan(
            policy=policies,
            planning=_planning(workspace, planning),
            labelling=_labelling(workspace, labelling),
            batch=batch,
            progress=tell,
            workers=workers,
            wait=wait,
        )
    if as_json:
        print(contract.dumps(contract.replan_row(report)))
    else:
        _print_replan(report, workspace.place)


def _planning(workspace: Workspace, given: Mapping[str, Any]) -> Planning | None:
    """Who plans as the options say; without `--planner` they change what the workspace remembers."""
    if all(value is None for value in given.values()):
        return None
    return options.planning(workspace.remembered().planning, **given)


def _labelling(workspace: Workspace, given: Mapping[str, Any]) -> Labelling | None:
    """Who labels as the options say; without `--labels` they change what the workspace remembers."""
    if all(value is None for value in given.values()):
        return None
    from wrac.flow.labellers import recalled

    return options.labelling(recalled(workspace.database), **given)


def print_index(report: IndexReport, place: str) -> None:
    """What a run found and did, for people."""
    out = paint.console()
    counted = (("page", report.pages), ("unit", report.units), ("chunk", report.chunks))
    counts = ", ".join(paint.plural(count, name) for name, count in counted)
    paint.put(out, (counts, "bold"), f" in {place}", (f"  {report.seconds.get('total', 0.0):.1f} s", "dim"))
    unchanged = f"{paint.plural(report.unchanged, 'page')} unchanged"
    paint.put(out, f"embedded {report.embedded:,}, reused {report.reused:,}; {unchanged}")
    if report.gone:
        paint.put(out, f"gone: {', '.join(report.gone[:_NAMED])}{' …' if len(report.gone) > _NAMED else ''}")
    _print_usage(report.usage)
    _print_skips(report.skipped)
    _print_unanswered(report.unanswered)


def _print_replan(report: ReplanReport, place: str) -> None:
    out = paint.console()
    counts = f"{paint.plural(report.pages, 'page')}, {paint.plural(report.chunks, 'chunk')}"
    paint.put(out, (counts, "bold"), f" in {place}", (f"  {report.seconds.get('total', 0.0):.1f} s", "dim"))
    changed = f"{paint.plural(report.changed, 'page')} changed, {report.kept:,} kept"
    paint.put(out, f"embedded {report.embedded:,}, reused {report.reused:,}; {changed}")
    _print_usage(report.usage)
    _print_skips(report.skipped)
    _print_unanswered(report.unanswered)


def _print_usage(usage: Usage) -> None:
    if usage.calls:
        paint.put(paint.console(), f"asked the model: {paint.paid(usage)}")


def _print_unanswered(pages: Sequence[Skipped]) -> None:
    """Says which pages the rules planned or labelled after all; the reason once where it is one."""
    if not pages:
        return
    out = paint.console(stderr=True)
    head = f"{paint.plural(len(pages), 'page')} left to the rules, asked again by the next run: {pages[0].reason}"
    paint.put(out, (paint.one_line(head), "yellow"))
    others = [page for page in pages if page.reason != pages[0].reason]
    for page in others[:_NAMED]:
        paint.put(out, (f"  {page.url}: {page.reason}", "dim"))
    if len(others) > _NAMED:
        paint.put(out, (f"  and {len(others) - _NAMED:,} more; --json lists all", "dim"))


def _print_skips(skips: Sequence[Skipped]) -> None:
    if not skips:
        return
    out = paint.console(stderr=True)
    paint.put(out, (f"skipped {paint.skips(skip.reason for skip in skips)}", "yellow"))
    telling = [skip for skip in skips if not skip.reason.startswith(_ORDINARY)]
    for skip in telling[:_NAMED]:
        paint.put(out, (f"  {skip.url}: {skip.reason}", "dim"))
    if len(telling) > _NAMED:
        paint.put(out, (f"  and {len(telling) - _NAMED:,} more; --json lists all", "dim"))


def show(path: str, chunk: str, *, as_json: bool) -> None:
    """Print one chunk with its units."""
    with Workspace(path, create=False) as workspace:
        shown = workspace.show(chunk)
    if as_json:
        print(contract.dumps(contract.shown_row(shown)))
    else:
        hits.shown(shown)


def status(path: str, *, as_json: bool) -> None:
    """Print what the workspace holds; leaves with 69 when its store does not answer."""
    with Workspace(path, create=False) as workspace:
        held = workspace.status()
    if as_json:
        print(contract.dumps(held))
    else:
        out = paint.console()
        for name, value in held.items():
            if name not in (*left.NAMES, "problem"):
                paint.put(out, (f"{_LABELS.get(name, name):<17}", "dim"), _readable(name, value))
        left.put(out, held)
    if "problem" in held:
        sys.stderr.write(f"wrac: {paint.safe(paint.one_line(str(held['problem'])))}\n")
        raise typer.Exit(RemoteError.exit_code)


def _readable(name: str, value: object) -> str:
    if isinstance(value, int):
        return f"{value / 2**20:,.1f} MB" if name == "bytes" else f"{value:,}"
    # A page too short to tell its language has an empty one.
    return ", ".join(str(one) or "unknown" for one in value) if isinstance(value, list | tuple) else str(value)


def reindex(  # noqa: PLR0913 - a command's options
    path: str, to: str, *, embedder: str, wait: float, progress: bool, as_json: bool
) -> None:
    """Make the index anew, or move it, and print where it is."""
    with Workspace(path, create=False) as workspace, bars(wanted=progress) as tell:
        started = time.perf_counter()
        found = workspace.reindex(to, embedder=embedder, progress=tell, wait=wait)
        seconds = round(time.perf_counter() - started, 3)
        place = workspace.shelf.place or workspace.place
    if as_json:
        print(contract.dumps({"pages": found, "store": place, "seconds": seconds}))
    else:
        paint.put(paint.console(), (paint.plural(found, "page"), "bold"), f" in the index of {place}")


def verify(path: str, *, digest: bool, as_json: bool) -> None:
    """Print whether the workspace is sound; leaves with 4 when it is not."""
    with Workspace(path, create=False) as workspace, bars(wanted=not as_json) as tell:
        report = workspace.verify(digest, progress=tell)
    if as_json:
        print(contract.dumps({"ok": report.ok, **asdict(report)}))
    else:
        _print_verify(report)
    if not report.ok:
        raise typer.Exit(WorkspaceError.exit_code)


def _print_verify(report: VerifyReport) -> None:
    out = paint.console()
    for problem in report.problems:
        paint.put(out, ("damaged  ", "bold red"), problem)
    counted = (("page", report.pages), ("unit", report.units), ("chunk", report.chunks), ("vector", report.vectors))
    looked = ", ".join(paint.plural(count, name) for name, count in counted)
    verdict = ("sound", "bold green") if report.ok else (paint.plural(len(report.problems), "problem"), "bold red")
    paint.put(out, verdict, f"  {looked}")
    if report.digest:
        paint.put(out, ("digest ", "dim"), report.digest)
