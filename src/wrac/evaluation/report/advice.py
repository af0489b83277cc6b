"""An advice as one HTML page: what to choose, what it costs, where window and retrieval break even, every factor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple

from wrac.evaluation.both_ways import Comparison
from wrac.evaluation.report import svg
from wrac.evaluation.report.markup import Markup, el, folded, foreign, listed, section, table, whole
from wrac.evaluation.report.plots import LINE, NARROW, both
from wrac.evaluation.report.svg import LETTER, Area, Style, drawing, grid, label, line, marker, polyline, spread
from wrac.flow.measures import Corpus
from wrac.routing.advice import Advice, number
from wrac.routing.economics import AXES, DAYS, KINDS, TARIFF, WAYS, Axis, Factors, Way, costs, moved, present, upkeep

_STYLES: Final[Mapping[Way, Style]] = {way: Style(f"s{i}", i) for i, way in enumerate(WAYS)}
_BREAK: Final = Style("s6", 0)
_POINTS, _LARGEST = 48, 100


class Curve(NamedTuple):
    """USD a month of each way by the values of an axis, ascending."""

    axis: Axis
    xs: tuple[float, ...]
    months: Mapping[Way, tuple[float, ...]]

    @property
    def log(self) -> bool:
        """Whether values stand by their logarithm: all but a share."""
        return self.axis != "cache_ratio"


def page(found: Sequence[Advice], corpus: Corpus, quality: Comparison | None = None) -> str:
    """The whole report; it loads nothing, runs nothing, and needs no network."""
    parts = {"costs": ("costs", _costs(found))}
    if quality:
        parts["quality"] = ("quality", _quality(quality))
    parts |= {f"model-{i}": (_model(one), _curves(one, f"model-{i}")) for i, one in enumerate(found)}
    parts |= {"rules": ("rules", _rules(found)), "factors": ("factors", _factors(found))}
    if corpus.documents:
        parts["documents"] = ("documents", _documents(corpus))
    links = [el("a", words, href=f"#{anchor}") for anchor, (words, _) in parts.items()]
    return whole(
        "The window or retrieval? - wrac advise",
        _header(found, corpus, el("nav", *links, aria_label="Parts of this report")),
        el("main", *(part for _, part in parts.values())),
        el("footer", el("p", "Written by wrac advise.")),
    )


def _header(found: Sequence[Advice], corpus: Corpus, ways: Markup) -> Markup:
    first = found[0].factors
    documents = f", {len(corpus.documents):,} documents" if corpus.documents else ""
    assumed = ", which is assumed" if first.origin("upkeep").source == "default" else ""
    facts = {
        "corpus": f"{first.corpus_tokens:,.0f} tokens{documents}",
        "questions": f"{number(first.queries_per_day)} a day, {first.passages:g} passages each",
        "changes": f"{number(first.changes_per_week)} a week",
        "an index": f"{number(first.upkeep)} USD a month of servers and time{assumed}",
    }
    return el("header", el("h1", "The window or retrieval?"), *_choices(found), listed(facts.items()), ways)


def _choices(found: Sequence[Advice]) -> Iterator[Markup]:
    """A sentence for what is chosen by the same rule."""
    alike = sorted(found, key=lambda one: (one.choice, one.rule))
    for (choice, rule), group in groupby(alike, key=lambda one: (one.choice, one.rule)):
        some = list(group)
        models = ", ".join(_model(one) for one in some)
        factors = sorted(one.factor for one in some)
        span = " to ".join(dict.fromkeys((number(factors[0]), number(factors[-1]))))
        told = f" with {models}, by the rule “{rule}”. A question from the window costs {span} times as much as by"
        yield el("p", el("b", choice.capitalize()), f"{told} retrieval.")


def _costs(found: Sequence[Advice]) -> Markup:
    """USD of a question and of a month, and the break-evens, a row a model."""
    question = [
        (_model(one), *_of_ways(one, "question"), f"{number(one.factor)}x", f"{number(one.factor_cached)}x")
        for one in found
    ]
    parts = list(upkeep(found[0].factors))
    month = [(_model(one), *_of_ways(one, "month"), *map(number, upkeep(one.factors).values())) for one in found]
    breaks = [(_model(one), *("; ".join(map(number, one.breaks[axis])) or "none" for axis in AXES)) for one in found]
    questions = number(found[0].factors.queries_per_day * DAYS)
    beside = [f"index: {part}" for part in parts]
    return section(
        "costs",
        "Costs",
        table(["model", *WAYS, "window / retrieval", "cached / retrieval"], question, "USD a question", "costs"),
        table(["model", *WAYS, *beside], month, f"USD a month of {DAYS} days and {questions} questions", "costs"),
        table(
            ["model", *AXES.values()], breaks, "Where window and retrieval cost the same, all else as it is", "costs"
        ),
    )


def _model(one: Advice) -> str:
    return one.factors.tariff.model


def _of_ways(one: Advice, what: str) -> Iterator[str]:
    return (number(getattr(one.costs[way], what)) for way in WAYS)


def _quality(found: Comparison) -> Markup:
    """A row a way, a column a figure: the mean and, of several runs, the lowest and the highest."""
    names = list(next(iter(found.ways.values())))
    body = [(way, *(figures[name].text for name in names)) for way, figures in found.ways.items()]
    by = f"{found.runs} runs by {found.model}" if found.model else "no model: the gold that would be read"
    told = [f"The answers of both ways agree by {found.agreement.text} (token F1)."] if found.agreement else []
    told += [f"{found.note}."] if found.note else []
    caption = f"{found.questions:,} questions, {by}; mean, and lowest to highest run"
    return section(
        "quality", "Quality", table(["way", *names], body, caption, "costs"), *(el("p", one) for one in told)
    )


# -- plots


def _curves(one: Advice, anchor: str) -> Markup:
    """The month of each way against each of the four figures that it may turn on."""
    figures = [_plot(one, axis, f"{anchor}-{i}") for i, axis in enumerate(AXES)]
    told = f"{one.choice}, by the rule: {one.rule}. {one.reason}."
    return section(anchor, _model(one), el("p", told), el("div", *figures, class_="plots"))


def _plot(one: Advice, axis: Axis, anchor: str) -> Markup:
    curve = curve_of(one.factors, axis, one.breaks[axis])
    title = f"USD a month by {AXES[axis]}"
    data = table(
        [AXES[axis], *WAYS],
        [(number(x), *(number(curve.months[way][i]) for way in WAYS)) for i, x in enumerate(curve.xs) if i % 6 == 0],
        title,
    )
    draw = partial(_drawn, curve, one, title)
    return el("figure", el("figcaption", title), both(draw, anchor), folded("Figures of this plot", data))


def curve_of(f: Factors, axis: Axis, breaks: Sequence[float]) -> Curve:
    """What each way costs around the present value and the break-evens of an axis."""
    xs = tuple(_values(f, axis, breaks))
    found = [costs(moved(f, axis, x)) for x in xs]
    return Curve(axis, xs, {way: tuple(one[way].month for one in found) for way in WAYS})


def _values(f: Factors, axis: Axis, breaks: Sequence[float]) -> Iterator[float]:
    if axis == "cache_ratio":
        yield from (i / _POINTS for i in range(_POINTS + 1))
        return
    marks = [max(present(f, axis), 1e-3), *breaks]
    low, high = min(marks) / 20, max(marks) * 20
    if axis == "corpus_tokens":
        low, high = max(low, 1.0), max(high, min(f.room * 2, high * 100))
    yield from (low * (high / low) ** (i / _POINTS) for i in range(_POINTS + 1))


def _drawn(curve: Curve, one: Advice, title: str, width: int, anchor: str) -> Markup:
    """The lines with their names, where things stand now, and the break-evens."""
    area = _area(curve, width)
    ends = spread([area.y.at(_least(curve.months[way][-1])) for way in WAYS], LINE, 34, area.height - 52)
    now, room = present(one.factors, curve.axis), one.factors.room
    marks = [(now, "now")] if curve.xs[0] <= now <= curve.xs[-1] else []
    if curve.axis == "corpus_tokens" and curve.xs[0] < room < curve.xs[-1]:
        marks.append((room, "fits"))
    return drawing(
        area,
        anchor,
        title,
        _told(curve, one.breaks[curve.axis]),
        grid(area, _ticks(curve, width), _powers(area.y.low, area.y.high), (AXES[curve.axis], "USD a month")),
        *(_upright(area, x, words) for x, words in marks),
        *(_line(curve, way, end, area) for way, end in zip(WAYS, ends, strict=True)),
        *(_broken(curve, one.factors, x, area) for x in one.breaks[curve.axis]),
    )


def _area(curve: Curve, width: int) -> Area:
    every = [_least(value) for values in curve.months.values() for value in values]
    low, high = 10.0 ** math.floor(math.log10(min(every))), 10.0 ** math.ceil(math.log10(max(every)))
    room = 28 + LETTER * max(map(len, WAYS))
    x = svg.Axis(curve.xs[0], curve.xs[-1], 64, width - room, log=curve.log)
    return Area(width, 330, x, svg.Axis(low, max(high, low * 10), 330 - 48, 30, log=True))


def _least(value: float) -> float:
    """What a logarithm can show."""
    return max(value, 0.01)


def _powers(low: float, high: float) -> list[tuple[float, str]]:
    """Powers of ten between two values, at most seven."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, math.ceil((last - first) / 6))
    return [(10.0**power, number(10.0**power)) for power in range(first, last + 1, step)]


def _ticks(curve: Curve, width: int) -> list[tuple[float, str]]:
    if not curve.log:
        return [(share, f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)]
    found = _powers(curve.xs[0], curve.xs[-1])
    return found if width > NARROW else found[::2]


def _upright(area: Area, x: float, words: str) -> Markup:
    at = area.x.at(x)
    return el(
        "g",
        line(at, area.y.start, at, area.y.end, "axis"),
        label(at, area.y.end - 4, words, anchor="middle", kind="tick"),
    )


def _line(curve: Curve, way: Way, end: float, area: Area) -> Markup:
    points = [(area.x.at(x), area.y.at(_least(y))) for x, y in zip(curve.xs, curve.months[way], strict=True)]
    return el(
        "g",
        polyline(points),
        line(points[-1][0] + 5, points[-1][1], area.x.end + 14, end, "leader"),
        label(area.x.end + 17, end + 4, way),
        class_=f"series {_STYLES[way].name}",
    )


def _broken(curve: Curve, f: Factors, x: float, area: Area) -> Markup:
    """A break-even, on the line of retrieval."""
    if not curve.xs[0] <= x <= curve.xs[-1]:
        return Markup()
    month = costs(moved(f, curve.axis, x))["retrieval"].month
    told = f"break-even at {number(x)}: {number(month)} USD a month"
    return el("g", marker(_BREAK, area.x.at(x), area.y.at(_least(month)), told), class_=f"series {_BREAK.name}")


def _told(curve: Curve, breaks: Sequence[float]) -> str:
    """The ends of the lines and the break-evens in words."""
    ends = "; ".join(f"{way} {number(values[0])} to {number(values[-1])}" for way, values in curve.months.items())
    broken = ", ".join(map(number, breaks)) or "none"
    return f"From {number(curve.xs[0])} to {number(curve.xs[-1])}: {ends}. Break-even: {broken}"


# -- what decided, and from what


def _rules(found: Sequence[Advice]) -> Markup:
    """Each rule in its order, whether it holds, and why."""
    body = [
        (f"{verdict.rule}", one.factors.tariff.model, verdict.choice, _holds(one, verdict.rule), verdict.reason)
        for one in found
        for verdict in one.verdicts
    ]
    told = el("p", "The first rule that holds decides.")
    return section("rules", "Rules", told, table(["rule", "model", "says", "holds", "figures"], body, "Rules", "texts"))


def _holds(one: Advice, rule: str) -> str:
    if rule == one.rule:
        return "decides"
    return "yes" if next(verdict.holds for verdict in one.verdicts if verdict.rule == rule) else "no"


def _factors(found: Sequence[Advice]) -> Markup:
    """Every number the costs follow from, and whence it is."""
    first = found[0].factors
    body = [
        (name.replace("_", "-"), f"{number(getattr(first, name))} {kind.unit}", kind.meaning, *first.origin(name))
        for name, kind in KINDS.items()
    ]
    head = ["factor", "value", "what it is", "from", "note"]
    told = el("p", "Change any of them with ", el("code", "--set NAME=VALUE"), ".")
    return section("factors", "Factors", told, table(head, body, "Factors", "texts"), _rates(found))


def _rates(found: Sequence[Advice]) -> Markup:
    body = [
        (
            one.factors.tariff.model, f"{rates.above:,}", f"{rates.input:g}", f"{rates.output:g}",
            f"{rates.cached:g}", f"{rates.write:g}",
            *(one.factors.origin(name).source for name in TARIFF),
        )
        for one in found
        for rates in one.factors.tariff.rates
    ]  # fmt: skip
    head = ["model", "above tokens", "input", "output", "cached", "written", "price from", "window from"]
    return table(head, body, "USD per million tokens, by the size of a call", "figures")


def _documents(corpus: Corpus) -> Markup:
    largest = sorted(corpus.documents.items(), key=lambda one: -one[1])[:_LARGEST]
    body = [(foreign(url), f"{tokens:,}") for url, tokens in largest]
    more = f", the largest {_LARGEST:,} of {len(corpus.documents):,}" if len(corpus.documents) > _LARGEST else ""
    sizes = table(["document", "tokens"], body, "Tokens as rendered (o200k)", "queries")
    return section("documents", "Documents", folded(f"Tokens of each document{more}", sizes))
