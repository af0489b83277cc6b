"""Results as text tables for a terminal, and as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import fill
from unicodedata import combining, east_asian_width

from wrac.evaluation.report import reading
from wrac.evaluation.report.reading import Results, Row

WIDTH = 80
GAP = "  "
ASIDE = ("chunks", "words")
"""The last columns, which a narrow table without detail goes without."""
Table = Callable[[Sequence[str], Sequence[Sequence[str]]], str]


def text(results: Results, *, detail: bool = True, width: int = WIDTH) -> str:
    """The report for a terminal: setting, a table a search, notes; with detail also breakdowns and what was left out.

    A table wider than `width` columns goes on below, its first column repeated; 0 never folds.
    """
    parts = [_setting(results)]
    for search in reading.searches(results):
        head, body = _main(results, search)
        shown = len(head) if detail else _fitting(head, body, width)
        parts.append(f"search: {search}\n" + table(head[:shown], [row[:shown] for row in body], width))
        if detail:
            parts.extend(
                f"search: {search}, {reading.headline(results)}\n" + table(*_broken_down(results, search, group), width)
                for group in results["data"]["groups"]
            )
    return reading.seen(
        "\n\n".join([*parts, *_remarks(results, detail, lambda head, body: table(head, body, width), width)])
    )


def markdown(results: Results) -> str:
    """The report as Markdown: a table a search, then notes."""
    parts = []
    for search in reading.searches(results):
        parts += [f"search: {search}", grid(*_main(results, search))]
    return reading.seen("\n\n".join([*parts, *_remarks(results, False, grid, lead="- ")]))


def table(head: Sequence[str], body: Sequence[Sequence[str]], width: int = 0) -> str:
    """Columns aligned by spaces, the first to the left, the others to the right.

    Columns that do not fit into `width` (0: all fit) follow below, the first column repeated.
    """
    widths = _widths(head, body)
    return "\n\n".join(
        "\n".join(_line(row, widths, columns) for row in (head, *body)) for columns in _folded(widths, width)
    )


def grid(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [" | ".join(cell.strip().replace("|", "\\|") for cell in row) for row in (head, *body)]
    return "\n".join([f"| {lines[0]} |", "|" + "---|" * len(head), *(f"| {line} |" for line in lines[1:])])


def _line(row: Sequence[str], widths: Sequence[int], columns: Sequence[int]) -> str:
    room = {column: " " * (widths[column] - _width(row[column])) for column in (0, *columns)}
    return GAP.join([row[0] + room[0], *(room[column] + row[column] for column in columns)]).rstrip()


def _widths(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[int]:
    return [max(_width(row[column]) for row in (head, *body)) for column in range(len(head))]


def _width(text: str) -> int:
    """How many cells of a terminal the text takes: two a wide character, none a mark."""
    return len(text) if text.isascii() else sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def _folded(widths: Sequence[int], width: int) -> list[list[int]]:
    """The columns after the first, in as few runs as fit; a run has one column at least."""
    runs: list[list[int]] = [[]]
    taken = widths[0]
    for column in range(1, len(widths)):
        needed = len(GAP) + widths[column]
        if width and runs[-1] and taken + needed > width:
            runs.append([])
            taken = widths[0]
        runs[-1].append(column)
        taken += needed
    return runs


def _fitting(head: Sequence[str], body: Sequence[Sequence[str]], width: int) -> int:
    """How many columns are shown: those of ASIDE only where they fit."""
    widths = _widths(head, body)
    columns = len(head)
    while width and columns > len(head) - len(ASIDE) and sum(widths[:columns]) + len(GAP) * (columns - 1) > width:
        columns -= 1
    return columns


def _setting(results: Results) -> str:
    facts = reading.facts(results)
    said = ("data", "baseline", "failed", "left out")  # below, or without a name
    return "\n".join([facts["data"], *(f"{name}: {value}" for name, value in facts.items() if name not in said)])


def _main(results: Results, search: str) -> tuple[list[str], list[list[str]]]:
    """Head and body of the table of a search."""
    metrics, rows = reading.primary(results), reading.of_search(results, search)
    real = reading.differences(results, search)

    def cell(row: Row, metric: str) -> str:
        difference = real.get((row["strategy"], metric))
        sign = reading.SIGNS[reading.verdict(metric, difference)] if difference else " "
        return reading.figure(row["metrics"][metric]) + sign

    return ["strategy", *metrics, *ASIDE], [
        [
            row["strategy"],
            *(cell(row, metric) for metric in metrics),
            f"{row['passages']:,}",
            f"{row['words'] / max(row['passages'], 1):.0f}",
        ]
        for row in rows
    ]


def _broken_down(results: Results, search: str, group: str) -> tuple[list[str], list[list[str]]]:
    rows, metric = reading.of_search(results, search), reading.headline(results)
    labels = reading.labels(rows, group)
    head = [f"by {group}", *(f"{label or 'none'} ({count})" for label, count in labels.items())]
    return head, [
        [row["strategy"], *(reading.figure(row["by"][group][label]["metrics"][metric]) for label in labels)]
        for row in rows
    ]


def _remarks(results: Results, detail: bool, drawn: Table, width: int = 0, lead: str = "") -> Iterator[str]:
    """What the tables do not say: the legend, strategies' notes, failures, what was left out, costs."""
    if baseline := reading.baseline(results):
        yield f"+ better, - worse than {baseline} (95 %, paired bootstrap), = no difference"
    if costs := results.get("costs"):
        yield "cost of cutting:"
        yield drawn(*_costs(costs, results["data"]["pages"]))
    told = [f"{name}: {_counts(counts)}" for name, counts in reading.notes(results)]
    told += [f"{one['strategy']}: failed: {one['reason']}" for one in results.get("failed", ())]
    if told:
        yield "\n".join(lead + wrapped(one, width) for one in told)
    if excluded := results["data"]["excluded"]:
        yield _excluded(excluded, detail=detail)


def wrapped(line: str, width: int) -> str:
    """A line broken between words above `width` columns, what follows indented; 0 never breaks."""
    return fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) if width else line


def _costs(costs: Sequence[Row], pages: int) -> tuple[list[str], list[list[str]]]:
    models = list(costs[0]["usd"])
    head = ["strategy", "calls", "input", "output", "s/page", *(f"USD {model}" for model in models)]
    return head, [
        [
            one["strategy"],
            *(f"{one[name]:,}" for name in ("calls", "input", "output")),
            f"{one['seconds'] / max(pages, 1):.1f}" if one["seconds"] else "",  # a recorded answer took no time
            *(f"{one['usd'][model]:.2f}" for model in models),
        ]
        for one in costs
    ]


def _counts(counts: Mapping[str, float]) -> str:
    return ", ".join(f"{what} {count:g}" for what, count in counts.items())


def _excluded(excluded: Sequence[Mapping[str, str]], *, detail: bool) -> str:
    reasons: dict[str, int] = {}
    for one in excluded:
        reasons[one["reason"]] = reasons.get(one["reason"], 0) + 1
    if not detail:
        return "left out: " + ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    return "left out:\n" + "\n".join(
        f"  {one['query']}: {one['reason']}: {' '.join(one['text'].split())[:WIDTH]}" for one in excluded
    )
