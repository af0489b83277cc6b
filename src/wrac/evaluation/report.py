"""Results as text tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


SHOWN_TYPES = 20  # query types with fewer queries say nothing


def text(results: Mapping[str, Any], *, detail: bool = True) -> str:
    """The whole report: setting, a table a search, breakdowns at B@250 and B@500, differences, notes."""
    parts = [_setting(results)]
    for search in dict.fromkeys(row["search"] for row in results["rows"]):
        rows = [row for row in results["rows"] if row["search"] == search]
        parts.append(_main(search, rows, results["metrics"], results.get("differences", [])))
        if detail:
            parts.extend(_broken_down(search, rows, group) for group in results["data"]["groups"])
    parts.extend(_notes(results["rows"]))
    return "\n\n".join(parts)


def _setting(results: Mapping[str, Any]) -> str:
    machine, data = results["machine"], results["data"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    lines = [
        f"{data['name']}: {data['pages']} pages, {data['queries']} queries",
        f"{machine['date']}, {machine['processor']}, {machine['cores']} cores, Python {machine['python']}, {versions}",
    ]
    if command := results.get("command"):
        lines.append(command)
    if seconds := results.get("seconds"):
        lines.append(f"{seconds:.1f} seconds")
    return "\n".join(lines)


def _main(
    search: str, rows: Sequence[Mapping[str, Any]], metrics: Sequence[str], differences: Sequence[Mapping[str, Any]]
) -> str:
    real = {
        (one["strategy"], metric): _sign(value)
        for one in differences
        if one["search"] == search
        for metric, value in one["metrics"].items()
    }
    body = [
        [
            row["strategy"],
            str(row["passages"]),
            f"{row['words'] / max(row['passages'], 1):.0f}",
            *(f"{row['metrics'][metric]:.3f}{real.get((row['strategy'], metric), ' ')}" for metric in metrics),
        ]
        for row in rows
    ]
    baseline = next((one["baseline"] for one in differences), "")
    legend = f"\n+ - better, worse than {baseline} (95 %, paired bootstrap); = no difference" if baseline else ""
    return f"search: {search}\n" + table(["chunks", "number", "words", *metrics], body) + legend


def _sign(value: Mapping[str, Any]) -> str:
    return ("+" if value["mean"] > 0 else "-") if value["real"] else "="


def _broken_down(search: str, rows: Sequence[Mapping[str, Any]], group: str) -> str:
    labels = [label for label, part in rows[0]["by"][group].items() if part["queries"] >= SHOWN_TYPES]
    head = [f"by {group}", *(f"{label} ({rows[0]['by'][group][label]['queries']})" for label in labels)]
    body = [
        [
            row["strategy"],
            *(" ".join(f"{row['by'][group][label]['metrics'][m]:.3f}" for m in ("B@250", "B@500")) for label in labels),
        ]
        for row in rows
    ]
    return f"search: {search}, B@250 B@500\n" + table(head, body)


def _notes(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for name in dict.fromkeys(row["strategy"] for row in rows):
        row = next(row for row in rows if row["strategy"] == name)
        notes = {**row["notes"], **({"repeated passages": row["repeated"]} if row["repeated"] else {})}
        if notes:
            yield f"{name}: " + ", ".join(f"{what} {count:g}" for what, count in notes.items())


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Columns aligned by spaces, the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in (head, *body)) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in (head, *body)
    )
