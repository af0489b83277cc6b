"""Sites on the command line: how one is crawled; refresh, forget, gc and export: flows to output."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from wrac import contract
from wrac.cli import paint
from wrac.cli.progress import bars
from wrac.cli.workspaces import print_index
from wrac.core.errors import ConfigError, InputError
from wrac.flow import Workspace
from wrac.flow.sites import Shown, Site

if TYPE_CHECKING:
    from wrac.flow.forget import Collected, Forgotten

DAY = 86_400.0


def site(given: Mapping[str, Any], header: Sequence[str] | None) -> Site | None:
    """The site that options describe, None without `--site`. Raises ConfigError for options that need it."""
    said = {name: value for name, value in given.items() if value not in (None, False, ())}
    if not said.pop("site", False):
        if said or header:
            name = next(iter(said), "header").replace("_", "-")
            raise ConfigError(f"--{_OPTIONS.get(name, name)} is about a crawl: add --site")
        return None
    if said.get("browser", "never") not in get_args(Shown):
        raise ConfigError(f"--browser {said['browser']}: choose {', '.join(get_args(Shown))}")
    said["robots"] = not said.pop("ignore_robots", False)
    return Site(**said, headers=headers(header))


def listed(sources: Sequence[str]) -> list[str]:
    """The sources, with those of an `@FILE` in its place: one a line, but for blank lines and `#` comments.

    Raises InputError for a file that cannot be read.
    """
    found: list[str] = []
    for source in sources:
        if not source.startswith("@") or Path(source).exists():
            found.append(source)
            continue
        try:
            lines = Path(source[1:]).read_text("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(source, getattr(error, "strerror", None) or "not UTF-8", "give @ and a list") from error
        found += [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if sources and not found:
        raise InputError(sources[0], "it lists no source")
    return found


_OPTIONS = {"parallel": "at-once", "private": "allow-private", "pages": "max-pages", "state": "browser-state"}


def headers(given: Sequence[str] | None) -> dict[str, str]:
    """`Name: value` texts as a mapping. Raises ConfigError for one that is none, without repeating what it says."""
    found = {}
    for text in given or ():
        name, colon, value = text.partition(":")
        if not colon or not name.strip() or not value.strip() or "\n" in text or "\r" in text:
            raise ConfigError("--header: write it as 'Name: value'")
        found[name.strip()] = value.strip()
    return found


def refresh(  # noqa: PLR0913 - a command's options
    path: str,
    *,
    due: bool,
    since: str,
    header: Sequence[str] | None,
    workers: int | None,
    wait: float,
    progress: bool,
    as_json: bool,
) -> None:
    """Ask every source of a workspace again and print what was done."""
    with Workspace(path, create=False) as workspace, bars(wanted=progress) as tell:
        report = workspace.refresh(
            due=due, since=moment(since), headers=headers(header), workers=workers, wait=wait, progress=tell
        )
    changed = report.pages - report.unchanged - report.added
    if as_json:
        row = {"added": report.added, "changed": changed, "tokens_saved": report.saved, **contract.index_row(report)}
        print(contract.dumps(row))
        return
    print_index(report, workspace.place)
    told = f"{report.added} added, {changed} changed, {report.unchanged} unchanged, {len(report.gone)} gone"
    print(f"{told}; {report.saved:,} tokens were not embedded again")


def moment(text: str) -> float:
    """Seconds since 1970 of a date, a moment, or an age such as `12h` or `3d`; 0 for nothing.

    Raises ConfigError for what is none of these.
    """
    if not text:
        return 0.0
    unit = {"h": DAY / 24, "d": DAY, "w": 7 * DAY}.get(text[-1:])
    if unit is not None and text[:-1].isdecimal():
        return time.time() - int(text[:-1]) * unit
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise ConfigError(f"--since {text}: write a date such as 2026-11-30, or an age such as 12h or 3d") from error
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def forget(path: str, url: str, *, wait: float, as_json: bool) -> None:
    """Erase pages and print what went."""
    with Workspace(path, create=False) as workspace:
        gone = workspace.forget(url, wait=wait)
    print(contract.dumps(asdict(gone)) if as_json else _forgotten(gone))


def _forgotten(gone: Forgotten) -> str:
    pages = paint.plural(len(gone.pages), "page")
    told = ", ".join(
        paint.plural(number, what)
        for number, what in ((gone.chunks, "chunk"), (gone.vectors, "vector"), (gone.events, "event"))
    )
    return f"erased {pages} with {told}"


def gc(path: str, *, events: str, wait: float, as_json: bool) -> None:
    """Drop what nothing refers to and print how much room that gave."""
    with Workspace(path, create=False) as workspace:
        found = workspace.gc(older=moment(events), wait=wait)
    print(contract.dumps(asdict(found)) if as_json else _collected(found))


def _collected(found: Collected) -> str:
    what = f"dropped {paint.plural(found.vectors, 'vector')} and {paint.plural(found.events, 'event')}"
    return f"{what}; {found.before / 2**20:.1f} MB before, {found.after / 2**20:.1f} MB now"


def export(path: str, warc: Path, *, as_json: bool) -> None:
    """Write every page as it was fetched to a WARC file, and print how many."""
    with Workspace(path, create=False) as workspace:
        count = workspace.export(warc)
    said = f"{paint.plural(count, 'page')} in {warc}"
    print(contract.dumps({"pages": count, "file": str(warc)}) if as_json else said)
    sys.stdout.flush()
