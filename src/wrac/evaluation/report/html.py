"""Results as one HTML page: tables, plots, the worst queries, and all that was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from wrac.evaluation.report import plots, reading
from wrac.evaluation.report.markup import Markup, el, folded, foreign, listed, section, table, whole
from wrac.evaluation.report.plots import Series
from wrac.evaluation.report.reading import Results, Row, figure
from wrac.evaluation.report.svg import COLOURS, GREY, Style, ticks

SIGNS = {"better": "▲", "worse": "▼", "no difference": "="}


def page(results: Results) -> str:
    """The whole report; it loads nothing, runs nothing, and needs no network."""
    styles = _styles(results)
    title = f"Chunking compared on {results['data']['name']}"
    parts = [
        *(_search(results, search, number, styles) for number, search in enumerate(reading.searches(results))),
        _cost(results),
        _sizes(results, styles),
        _worst(results),
        _left_out(results),
        _reading(results),
    ]
    return whole(
        f"{title} - wrac eval",
        _header(title, results),
        el("main", *parts),
        el("footer", el("p", "Written by wrac eval.")),
    )


def _styles(results: Results) -> Mapping[str, Style]:
    """Colours for the best strategies by the headline metric and for the baseline, grey for the others."""
    metric, names = reading.headline(results), reading.strategies(results)
    reached = {name: max(r["metrics"][metric] for r in results["rows"] if r["strategy"] == name) for name in names}
    first = sorted(names, key=lambda name: (name != reading.baseline(results), -reached[name]))[:COLOURS]
    coloured = {name: f"s{i}" for i, name in enumerate(name for name in names if name in first)}
    return {name: Style(coloured.get(name, GREY), i) for i, name in enumerate(names)}


def _header(title: str, results: Results) -> Markup:
    """The title, what was run and where, and the way to each part."""
    facts = reading.facts(results)
    told = listed((name, el("code", value) if name == "command" else value) for name, value in facts.items())
    links = [(f"search-{i}", f"{search} search") for i, search in enumerate(reading.searches(results))]
    links += [("cost", "cost"), ("sizes", "chunk sizes"), ("worst", "worst queries"), ("left-out", "notes")]
    ways = el("nav", *(el("a", words, href=f"#{anchor}") for anchor, words in links), aria_label="Parts of this report")
    return el("header", el("h1", title), told, ways)


# -- one search -------------------------------------------------------------------------------------------------------


def _search(results: Results, search: str, number: int, styles: Mapping[str, Style]) -> Markup:
    """The table, the plots and the breakdowns of a search."""
    rows, anchor = reading.of_search(results, search), f"search-{number}"
    groups = results["data"]["groups"]
    figures = [one for one in (_curves(rows, anchor, styles), _tradeoff(results, rows, anchor, styles)) if one]
    return section(
        anchor,
        f"{search} search",
        el("p", _lead(results, search, rows)),
        _figures(results, search, rows),
        el("div", *figures, class_="plots"),
        *(_groups(rows, group, reading.headline(results), f"{anchor}-{i}", styles) for i, group in enumerate(groups)),
    )


def _lead(results: Results, search: str, rows: Sequence[Row]) -> str:
    """What the table says, in a sentence."""
    metric, base = reading.headline(results), reading.baseline(results)
    best = reading.best(rows, metric)
    first, *others = (row for row in rows if figure(row["metrics"][metric]) == best)
    if others:
        return f"Best at {metric}, with {best}: {', '.join(row['strategy'] for row in (first, *others))}."
    told = f"Best at {metric}: {first['strategy']} with {best}"
    difference = reading.differences(results, search).get((first["strategy"], metric))
    if not difference:
        return f"{told}."
    verdict = reading.verdict(metric, difference)
    words = f"no difference to {base}" if verdict == "no difference" else f"{verdict} than {base}"
    return f"{told}, {words} ({reading.span(difference)})."


def _figures(results: Results, search: str, rows: Sequence[Row]) -> Markup:
    """The table of primary metrics; each difference to the baseline opens on pointing and on focus."""
    metrics, base = reading.primary(results), reading.baseline(results)
    real = reading.differences(results, search)
    best = {metric: reading.best(rows, metric) for metric in metrics}

    def cell(row: Row, metric: str) -> Markup:
        words = figure(row["metrics"][metric])
        value = el("b", words, class_="best") if words == best[metric] else Markup(words)
        difference = real.get((row["strategy"], metric))
        return compared(value, metric, difference, base) if difference else el("span", value, el("i"), class_="d")

    body = [
        (
            el("span", row["strategy"], el("small", " baseline") if row["strategy"] == base else ""),
            *(cell(row, metric) for metric in metrics),
            f"{row['passages']:,}",
            f"{row['words'] / max(row['passages'], 1):.0f}",
        )
        for row in rows
    ]
    caption = f"Means over {results['data']['queries']:,} queries"
    told = table(["strategy", *metrics, "chunks", "words a chunk"], body, caption, "figures")
    legend = (
        f"▲ better, ▼ worse than {base}, = no difference: a paired bootstrap over the queries, 95 %. "
        "Point at a figure, or move to it by keyboard, for the interval. Bold is the best of a column."
        if base
        else "Bold is the best of a column."
    )
    return el("div", told, el("p", legend, class_="legend"))


def compared(value: Markup, metric: str, difference: Mapping[str, float], base: str) -> Markup:
    """A figure with its verdict, and the interval for a pointer, a keyboard and a reader."""
    verdict = reading.verdict(metric, difference)
    words = f"{verdict} {'to' if verdict == 'no difference' else 'than'} {base}: {reading.span(difference)}"
    sign = el("i", SIGNS[verdict], aria_hidden="true")
    kind = f"d {verdict.split()[0]}"
    return el("span", value, sign, el("span", words, class_="unseen"), class_=kind, tabindex=0, data_tip=words)


def _curves(rows: Sequence[Row], anchor: str, styles: Mapping[str, Style]) -> Markup:
    """Recall against the words read, where the data set has gold blocks."""
    drawn = [row for row in rows if row.get("curve") and row["curve"]["recall"]]
    if not drawn:
        return Markup()
    budgets = drawn[0]["curve"]["words"]
    series = [
        Series(row["strategy"], styles[row["strategy"]], tuple(zip(budgets, row["curve"]["recall"], strict=True)))
        for row in drawn
    ]
    title = "Recall against the words read"
    data = table(
        ["strategy", *(f"{words:,}" for words in budgets)],
        [(one.name, *(figure(y) for _, y in one.points)) for one in series],
        "Recall by budget of words",
    )
    return _figure(title, plots.both(partial(plots.curves, series, title), f"{anchor}-curve"), data)


def _tradeoff(results: Results, rows: Sequence[Row], anchor: str, styles: Mapping[str, Style]) -> Markup:
    """What the chunks cost against what they find: USD a page where a model was paid, else the words of a chunk."""
    metric = reading.headline(results)
    costs = {one["strategy"]: one for one in results.get("costs", ())}
    model = next((name for one in costs.values() for name in one["usd"]), "")
    if model and any(row["strategy"] in costs for row in rows):
        title, axis = f"{metric} against the cost of chunking", f"USD a page, {model}"
        pages = max(results["data"]["pages"], 1)
        at = {name: one["usd"][model] / pages for name, one in costs.items()}
        xs = {row["strategy"]: at.get(row["strategy"], 0.0) for row in rows}
    else:
        title, axis = f"{metric} against the size of chunks", "words a chunk"
        xs = {row["strategy"]: row["words"] / max(row["passages"], 1) for row in rows}
    series = [
        Series(row["strategy"], styles[row["strategy"]], ((xs[row["strategy"]], row["metrics"][metric]),))
        for row in rows
    ]
    draw = partial(plots.scatter, series, title, (axis, metric))
    data = table(
        ["strategy", axis, metric],
        [(one.name, f"{one.points[0][0]:.4g}", figure(one.points[0][1])) for one in series],
        title,
    )
    return _figure(title, plots.both(draw, f"{anchor}-cost"), data)


def _figure(title: str, drawing: Markup, data: Markup) -> Markup:
    """A plot under its title, with its figures as a table."""
    return el("figure", el("figcaption", title), drawing, folded("Figures of this plot", data))


def _groups(rows: Sequence[Row], group: str, metric: str, anchor: str, styles: Mapping[str, Style]) -> Markup:
    """A metric by the values of a group: a small plot each, all on one scale, and the table."""
    labels, every_label = reading.labels(rows, group), rows[0]["by"].get(group, {})
    values = {label: {row["strategy"]: row["by"][group][label]["metrics"][metric] for row in rows} for label in labels}
    every = [value for part in values.values() for value in part.values()]
    if not every:
        return Markup()
    levels = ticks(min(every), max(every), 5)
    small = [
        el(
            "figure",
            el("figcaption", f"{label or 'none'} ", el("small", f"{labels[label]:,} queries")),
            plots.dots(part, styles, levels, f"{anchor}-{i}", f"{metric}, {group} {label}"),
        )
        for i, (label, part) in enumerate(values.items())
    ]
    data = table(
        ["strategy", *(f"{label or 'none'} ({count})" for label, count in labels.items())],
        [(row["strategy"], *(figure(values[label][row["strategy"]]) for label in labels)) for row in rows],
        f"{metric} by {group}",
    )
    fewer = f" {len(labels)} of {len(every_label)}, those with most queries" if len(labels) < len(every_label) else ""
    return el(
        "div",
        el("h3", f"{metric} by {group}", el("small", fewer)),
        el("div", *small, class_="small"),
        folded("Figures of these plots", data),
    )


# -- all searches -----------------------------------------------------------------------------------------------------


def _cost(results: Results) -> Markup:
    """What cutting the pages took: chunks, tokens, time, and what models were paid."""
    pages = max(results["data"]["pages"], 1)
    costs = {one["strategy"]: one for one in results.get("costs", ())}
    models = list(next(iter(costs.values()))["usd"]) if costs else []
    paid = {"calls": "calls", "input": "input tokens", "cached": "cached tokens", "output": "output tokens"}
    head = ["strategy", "chunks", "repeated", "tokens", "seconds"]
    if costs:
        head += [*paid.values(), *(f"USD, {one.replace(':', ': ')}" for one in models)]

    def spent(name: str) -> list[str]:
        if name not in costs:
            return ["0"] * (len(head) - 5)
        one = costs[name]
        return [f"{one[what]:,}" for what in paid] + [f"{one['usd'][model]:.2f}" for model in models]

    body = [
        (
            name,
            f"{row['passages']:,}",
            f"{row['repeated']:,}",
            f"{row['tokens']:,}",
            f"{max(row['seconds'], costs.get(name, row)['seconds']):,.2f}",
            *spent(name),
        )
        for name, row in reading.by_strategy_in_order(results)
    ]
    return section("cost", "What cutting cost", table(head, body, f"Cutting {pages:,} pages", "costs"))


def _sizes(results: Results, styles: Mapping[str, Style]) -> Markup:
    """The share of chunks by size: a small histogram a strategy, all on one scale."""
    found = {name: reading.sizes(row) for name, row in reading.by_strategy_in_order(results)}
    most = max((one.share for classes in found.values() for one in classes), default=1.0)
    small = [
        el(
            "figure",
            el("figcaption", name),
            plots.histogram(classes, most, styles[name], f"sizes-{i}", f"Chunk sizes of {name}"),
        )
        for i, (name, classes) in enumerate(found.items())
    ]
    data = table(
        ["strategy", *(one.label for one in next(iter(found.values()), ()))],
        [(name, *(f"{one.share:.1%}" for one in classes)) for name, classes in found.items()],
        "Share of chunks by tokens",
    )
    told = el("p", "Share of each strategy's chunks by their size in tokens (o200k); a class starts at its number.")
    return section(
        "sizes", "Chunk sizes", told, el("div", *small, class_="small"), folded("Figures of these plots", data)
    )


def _worst(results: Results) -> Markup:
    """The queries each strategy does worst on under each search: what was wanted, and what came instead."""
    parts = []
    for row in results["rows"]:
        queries = [_missed(one, results, row["queries"][one["id"]]) for one in row["worst"]]
        if queries:
            parts.append(folded(f"{row['strategy']}, {row['search']} search", *queries))
    told = el("p", "The queries with the lowest figures, what was wanted, and the first chunks found instead.")
    return section("worst", "Worst queries", told, *parts)


def _missed(one: Row, results: Results, values: Sequence[float]) -> Markup:
    told = dict(zip(results["metrics"], values, strict=True))
    figures = ", ".join(f"{metric} {figure(told[metric])}" for metric in reading.primary(results))
    wanted = [_passage(" or ".join(gold["pages"]), gold["text"]) for gold in one["gold"]]
    found = [_passage(hit["page"], hit["text"]) for hit in one["found"]]
    return el(
        "article",
        el("h3", foreign(one["query"]), el("small", f" {one['id']}")),
        el("p", figures, class_="legend"),
        el(
            "div",
            el("div", el("h4", "wanted"), *wanted),
            el("div", el("h4", "found instead"), *(found or [el("p", "nothing")])),
            class_="pair",
        ),
    )


def _passage(page: str, text: str) -> Markup:
    return el("blockquote", el("cite", foreign(page)), el("p", foreign(text)))


def _left_out(results: Results) -> Markup:
    """Failures, notes of strategies, and gold or queries that are not in the figures."""
    return section("left-out", "Notes", *_remarks(results))


def _remarks(results: Results) -> Iterator[Markup]:
    if failed := results.get("failed"):
        yield table(
            ["strategy", "why it has no figures"],
            [(one["strategy"], one["reason"]) for one in failed],
            "Failed",
            "texts",
        )
    told = [(name, what, f"{count:,g}") for name, counts in reading.notes(results) for what, count in counts.items()]
    if told:
        yield table(["strategy", "note", "count"], told, "What strategies report", "notes")
    if excluded := results["data"]["excluded"]:
        rows = [(foreign(one["query"]), one["reason"], foreign(one["text"][:400])) for one in excluded]
        body = table(["query", "why", "text"], rows, "Left out of all figures", "texts")
        yield folded(f"{len(excluded):,} left out of all figures", body)
    if not (failed or told or excluded):
        yield el("p", "Nothing was left out, and no strategy had anything to report.")


def _reading(results: Results) -> Markup:
    """What the metrics mean."""
    alike: dict[str, list[str]] = {}
    for metric in results["metrics"]:
        alike.setdefault(reading.meaning(metric), []).append(metric)
    known = [(", ".join(metrics), words) for words, metrics in alike.items() if words]
    return section("reading", "How to read the figures", listed(known, "facts wide-names"))
