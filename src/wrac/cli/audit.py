"""audit: what wrac and others lose, tear apart and add on these pages, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wrac import contract
from wrac.cli import paint
from wrac.cli.pages import report_skips
from wrac.cli.progress import bars
from wrac.core.errors import InputError
from wrac.core.types import Page, Policy
from wrac.evaluation.audit import BY_KEY, FIGURES, Figure, audit
from wrac.fetching import READABLE, Skip

if TYPE_CHECKING:
    from rich.console import Console

Results = Mapping[str, Any]
_TITLE = max(len(figure.title) for figure in FIGURES) + 1
_BAR = "bar"
_COUNTS = (("chunks", "chunks"), ("median", "tokens, median"), ("largest", "tokens, largest"))
_SPEED = ("pages_per_cpu_second", "pages a CPU second")


def run(
    found: Iterable[Page | Skip], against: Sequence[str], policy: Policy, *, as_json: bool, progress: bool = True
) -> None:
    """Prints the figures. Raises InputError when there was no page at all."""
    skips: list[Skip] = []
    with bars(wanted=progress and not as_json) as tell:
        done = 0

        def count(url: str) -> None:
            nonlocal done
            done += 1
            tell("audit", done, None, url)

        results = audit(_usable(found, skips), against, policy, tell=count)
    if as_json:
        skipped = [{"url": skip.url, "reason": skip.reason} for skip in skips]
        print(contract.dumps({**results, "skipped": skipped}))
    elif results["pages"]:
        show(results)
    if not results["pages"] and not skips:
        raise InputError("no page was found", "the folder is empty", f"give {READABLE}")
    report_skips([skip.reason for skip in skips], nothing=not results["pages"])


def _usable(found: Iterable[Page | Skip], skips: list[Skip]) -> Iterator[Page]:
    for one in found:
        if isinstance(one, Skip):
            skips.append(one)
        else:
            yield one


def show(results: Results) -> None:
    """Prints the table, faults of wrac below its bar, and what wrac saves."""
    out = paint.console()
    truth = dict(results["truth"])
    blind = truth.pop("none", 0)
    found = ", ".join(f"{rule} ({pages:,})" for rule, pages in truth.items()) or "nowhere"
    paint.put(out, (paint.plural(results["pages"], "page"), "bold"), (f"  main content: {found}", "dim"))
    if blind:
        paint.put(out, (f"{paint.plural(blind, 'page')} without main content to hold chunks against", "yellow"))
    for columns in _fitting(out, results["columns"]):
        paint.put(out)
        _table(out, columns)
    _failures(out, results["columns"])
    _faults(out, results["columns"][0])
    _savings(out, results["wrac"])


def _fitting(out: Console, columns: Sequence[Results]) -> Iterator[Sequence[Results]]:
    """The columns in tables that fit the terminal, wrac's in each; one table everywhere else."""
    ours, others = columns[0], list(columns[1:])
    room = out.width - _TITLE - _width(ours) - len(_BAR) - 6 if out.is_terminal else 10**6
    while True:
        taken, used = [ours], 0
        while others and (len(taken) == 1 or used + _width(others[0]) <= room):
            used += _width(others[0])
            taken.append(others.pop(0))
        yield taken
        if not others:
            return


def _width(column: Results) -> int:
    return max(len(column["strategy"]), 8) + 2


def _table(out: Console, columns: Sequence[Results]) -> None:
    head = [(f"{column['strategy']:>{_width(column)}}", "bold") for column in columns]
    paint.put(out, " " * _TITLE, *head, (f"{_BAR:>8}", "dim"))
    for figure in FIGURES:
        cells = [_cell(figure, column["figures"][figure.key], _width(column)) for column in columns]
        paint.put(out, f"{figure.title:<{_TITLE}}", *cells, (f"{_bar(figure):>8}", "dim"))
    for key, title in _COUNTS:
        paint.put(out, f"{title:<{_TITLE}}", *(f"{column[key]:>{_width(column)},.0f}" for column in columns))
    rates = (f"{column[_SPEED[0]] or 0:>{_width(column)},.1f}" for column in columns)
    paint.put(out, f"{_SPEED[1]:<{_TITLE}}", *rates)


def _cell(figure: Figure, row: Results, width: int) -> tuple[str, str]:
    style = {True: "green", False: "red", None: ""}[row["good"]]
    return f"{_shown(figure, row['value']):>{width}}", style


def _shown(figure: Figure, value: float | None) -> str:
    """A value with its unit; never rounded to none or all when it is not."""
    if value is None:
        return "-"
    text = f"{value:.2f}"
    if float(text) in (0, figure.scale) and value not in (0, figure.scale):
        text = f"{value:.4f}"
    return f"{text}{figure.unit}" if figure.unit in ("%", "x") else text


def _bar(figure: Figure) -> str:
    return "" if figure.bar is None else f"{'≤' if figure.low else '≥'} {figure.bar:g}"


def _failures(out: Console, columns: Sequence[Results]) -> None:
    for column in columns:
        if failed := column["failed"]:
            what = f"{column['strategy']} failed on {paint.plural(len(failed), 'page')}"
            page, reason = failed[0]["page"], paint.one_line(failed[0]["reason"])
            paint.block(out, paint.styled((what, "red"), f": {page}: {reason.removeprefix(f'{page}: ')}"))


def _faults(out: Console, ours: Results) -> None:
    """Prints up to three faults of each figure of wrac that is below its bar."""
    for key, row in ours["figures"].items():
        if row["good"] is not False:
            continue
        figure = BY_KEY[key]
        bad = row["count"] if figure.low else row["of"] - row["count"]
        told = f"{_shown(figure, row['value'])}, bar {_bar(figure)}: {bad:,.0f} of {row['of']:,.0f}"
        paint.put(out)
        paint.put(out, (figure.title, "bold red"), f"  {told}")
        for example in row["examples"]:
            paint.put(out, f"  {example['page']}")
            paint.put(out, ("    " + paint.one_line(example["text"]), "dim"))
            paint.block(out, paint.styled(example["what"]), 4)


def _savings(out: Console, ours: Results) -> None:
    """Prints what wrac alone can say: conservation, repetition, losses, omissions."""
    paint.put(out)
    pages = paint.plural(ours["pages"], "page")
    paint.put(out, f"every character is in a unit or a loss on {ours['balanced']:,} of {pages}")
    if repeated := ours["repetition"]:
        once = (f"{one['stored']:,} of {one['stand']:,} {name}" for name, one in repeated.items())
        paint.block(out, paint.styled(f"stored once: {', '.join(once)}"))
    for title, what, unit in (("in no unit", "losses", "characters"), ("omitted", "omitted", "words")):
        if ours[what]:
            told = paint.tally((f"{unit} of {reason}", count) for reason, count in ours[what].items())
            paint.block(out, paint.styled(f"{title}: {told}"))
