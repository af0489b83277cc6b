"""Two results files against each other, for a terminal and as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wrac.evaluation.report import plain, reading
from wrac.evaluation.report.changes import compare, read
from wrac.evaluation.report.html import compared
from wrac.evaluation.report.markup import Markup, el, folded, foreign, listed, section, table, whole
from wrac.evaluation.report.reading import figure, signed

__all__ = ["compare", "page", "read", "text"]

Found = Mapping[str, Any]
_SIDES = {"gained": "better", "lost": "worse"}


# -- for a terminal ---------------------------------------------------------------------------------------------------


def text(found: Found, width: int = plain.WIDTH) -> str:
    """The comparison for a terminal: what differs, a table a strategy, the queries that changed most."""
    return reading.seen("\n\n".join(_parts(found, width)))


def _parts(found: Found, width: int) -> Iterator[str]:
    yield "\n".join(f"{which}: {_run(found[which])}" for which in ("old", "new"))
    yield "\n".join(_settings(found["settings"]))
    yield f"{found['queries']:,} queries of both runs, paired; intervals are 95 % (bootstrap)"
    for row in filter(_moved, found["rows"]):
        yield _figures(row)
        yield from (_queries(row, side, width) for side in _SIDES if row[side])
    if still := [f"{row['strategy']} ({row['search']})" for row in found["rows"] if not _moved(row)]:
        yield plain.wrapped(f"no figure changed: {', '.join(still)}", width)
    for which in ("old", "new"):
        if only := found[f"only_{which}"]:
            yield plain.wrapped(f"only in the {which} run: {_named(only)}", width)


def _run(facts: Mapping[str, str]) -> str:
    return ", ".join(facts[name] for name in ("file", "data", "date") if name in facts)


def _settings(settings: Sequence[Mapping[str, str]]) -> list[str]:
    if not settings:
        return ["the same settings, versions and machine"]
    return [
        line
        for one in settings
        for line in (f"{one['name']} was {one['old'] or 'not set'}", f"  now {one['new'] or 'not set'}")
    ]


def _moved(row: Mapping[str, Any]) -> bool:
    """Whether anything changed for any query."""
    return bool(row["gained"] or row["lost"] or any(one["mean"] for one in row["figures"].values()))


def _figures(row: Mapping[str, Any]) -> str:
    head = [f"{row['strategy']} ({row['search']})", "old", "new", "change", "interval", "verdict"]
    body = [
        [
            metric,
            figure(one["old"]),
            figure(one["new"]),
            signed(one["mean"]),
            f"{signed(one['low'])} to {signed(one['high'])}",
            one["verdict"],
        ]
        for metric, one in row["figures"].items()
    ]
    return plain.table(head, body)


def _queries(row: Mapping[str, Any], side: str, width: int) -> str:
    room = max(width - 24, 20) if width else 0
    body = [
        [
            _cut(f"{one['query']}  {' '.join(one['text'].split())}", room),
            *map(figure, (one["old"], one["new"])),
            signed(one["change"]),
        ]
        for one in row[side]
    ]
    return plain.table([f"queries that are {_SIDES[side]}", "old", "new", "change"], body)


def _cut(words: str, most: int) -> str:
    return words.rstrip() if not most or len(words) <= most else words[: most - 1].rstrip() + "…"


def _named(keys: Sequence[Sequence[str]]) -> str:
    return ", ".join(f"{strategy} ({search})" for strategy, search in keys)


# -- as a page --------------------------------------------------------------------------------------------------------


def page(found: Found) -> str:
    """The comparison as one HTML document that loads nothing and runs nothing."""
    title = f"Two runs on {found['new']['data'].partition(':')[0]}"
    searches = dict.fromkeys(row["search"] for row in found["rows"])
    ways = el(
        "nav", *(el("a", f"{name} search", href=f"#search-{i}") for i, name in enumerate(searches)), aria_label="Parts"
    )
    runs = listed((which, _run(found[which])) for which in ("old", "new"))
    parts = [_search(found, search, f"search-{i}") for i, search in enumerate(searches)]
    main = el("main", _set_differently(found), *parts, _alone(found))
    return whole(f"{title} - wrac eval", el("header", el("h1", title), runs, ways), main)


def _set_differently(found: Found) -> Markup:
    settings = [(one["name"], one["old"] or "not set", one["new"] or "not set") for one in found["settings"]]
    if not settings:
        return section("settings", "What was set differently", el("p", "Settings, versions and machine are the same."))
    return section("settings", "What was set differently", table(["setting", "old", "new"], settings, kind="texts"))


def _search(found: Found, search: str, anchor: str) -> Markup:
    """The figures of the new run, each with its change, and the queries behind it."""
    rows = [row for row in found["rows"] if row["search"] == search]
    body = [(row["strategy"], *(_cell(metric, one) for metric, one in row["figures"].items())) for row in rows]
    caption = f"Means of the new run over {found['queries']:,} queries of both, and the change"
    legend = (
        "▲ better, ▼ worse than the old run, = no difference: a paired bootstrap over the queries, 95 %. "
        "Point at a figure, or move to it by keyboard, for the interval."
    )
    return section(
        anchor,
        f"{search} search",
        table(["strategy", *found["metrics"]], body, caption, "figures"),
        el("p", legend, class_="legend"),
        *(_most(row) for row in rows if row["gained"] or row["lost"]),
    )


def _cell(metric: str, one: Mapping[str, Any]) -> Markup:
    change = signed(one["mean"]) if one["mean"] else "same"
    value = el("span", figure(one["new"]), el("small", f" {change}"))
    return compared(value, metric, one, f"the old run's {figure(one['old'])}")


def _most(row: Mapping[str, Any]) -> Markup:
    """The queries of a strategy that changed most."""
    tables = [
        table(
            ["query", "id", "old", "new", "change"],
            [
                (
                    foreign(one["text"]),
                    foreign(one["query"]),
                    *map(figure, (one["old"], one["new"])),
                    signed(one["change"]),
                )
                for one in row[side]
            ],
            f"Queries that are {_SIDES[side]}: means over the figures",
            "queries",
        )
        for side in _SIDES
        if row[side]
    ]
    return folded(f"{row['strategy']}: queries that changed most", *tables)


def _alone(found: Found) -> Markup:
    told = [
        (f"only in the {which} run", _named(found[f"only_{which}"]))
        for which in ("old", "new")
        if found[f"only_{which}"]
    ]
    return section("alone", "Not compared", listed(told, "facts wide-names")) if told else Markup()
