"""The plots of a report as inline SVG: recall against budget, cost against recall, groups, sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from wrac.evaluation.report.markup import Markup, el
from wrac.evaluation.report.reading import Size, figure
from wrac.evaluation.report.svg import (
    GREY,
    LETTER,
    Area,
    Axis,
    Style,
    drawing,
    grid,
    label,
    line,
    marker,
    polyline,
    spread,
    ticks,
)

WIDE, NARROW = 540, 350
"""Widths a plot is drawn at; the style sheet shows the one that fits."""
LINE = 15  # px between labels


class Series(NamedTuple):
    """A strategy's points, in ascending order of x."""

    name: str
    style: Style
    points: tuple[tuple[float, float], ...]


def both(draw: Callable[[int, str], Markup], anchor: str) -> Markup:
    """A drawing at both widths."""
    sizes = {"wide": WIDE, "narrow": NARROW}
    return el("div", *(el("div", draw(width, f"{anchor}-{name}"), class_=name) for name, width in sizes.items()))


def curves(series: Sequence[Series], title: str, width: int, anchor: str) -> Markup:
    """Recall against the budget of words: a line a strategy, its name at its end."""
    named = _cut([one.name for one in series], width)
    room = 20 + LETTER * max((len(name) for name in named), default=0)
    height = max(330, 70 + LINE * len(series))
    budgets = sorted({x for one in series for x, _ in one.points})
    levels = ticks(min(y for one in series for _, y in one.points), max(y for one in series for _, y in one.points))
    x = Axis(budgets[0], budgets[-1], 44, width - room, log=True)
    area = Area(width, height, x, Axis(levels[0], levels[-1], height - 48, 30))
    ends = spread([area.y.at(one.points[-1][1]) for one in series], LINE, 34, height - 52)
    shown = [value for value in (50, 100, 250, 500, 1000, 2000) if budgets[0] <= value <= budgets[-1]]
    return drawing(
        area,
        anchor,
        title,
        _told(series),
        grid(
            area,
            [(value, f"{value:,}") for value in (shown if width > NARROW else shown[::2])],
            [(value, figure(value)) for value in levels],
            ("words read", "recall"),
        ),
        *_grey_first(series, [_curve(*one, area) for one in zip(series, named, ends, strict=True)]),
    )


def _curve(one: Series, name: str, end: float, area: Area) -> Markup:
    points = [(area.x.at(x), area.y.at(y)) for x, y in one.points]
    last = points[-1]
    return el(
        "g",
        polyline(points),
        *(
            marker(one.style, *point, f"{one.name}: {figure(y)} at {x:,} words")
            for point, (x, y) in zip(points, one.points, strict=True)
            if one.style.name != GREY
        ),
        line(last[0] + 5, last[1], area.x.end + 14, end, "leader"),
        label(area.x.end + 17, end + 4, name),
        class_=f"series {one.style.name}",
    )


def scatter(series: Sequence[Series], title: str, axes: tuple[str, str], width: int, anchor: str) -> Markup:
    """One point a strategy, its name beside it."""
    points = [one.points[0] for one in series]
    levels = _around([y for _, y in points])
    steps = ticks(0, max(x for x, _ in points) or 1, 5 if width > NARROW else 3)
    height = max(330, 70 + LINE * len(series))
    area = Area(width, height, Axis(steps[0], steps[-1], 52, width - 24), Axis(levels[0], levels[-1], height - 48, 34))
    placed = _beside([(area.x.at(x), area.y.at(y)) for x, y in points], _cut([one.name for one in series], width), area)
    return drawing(
        area,
        anchor,
        title,
        "; ".join(f"{one.name}: {axes[0]} {_short(x)}, {figure(y)}" for one in series for x, y in one.points),
        grid(area, [(step, _short(step)) for step in steps], [(level, figure(level)) for level in levels], axes),
        *_grey_first(series, [_point(one, area, *at, axes) for one, at in zip(series, placed, strict=True)]),
    )


def _point(one: Series, area: Area, name: str, at: tuple[float, float], axes: tuple[str, str]) -> Markup:
    x, y = area.x.at(one.points[0][0]), area.y.at(one.points[0][1])
    near = abs(at[1] - y) < 2 and at[0] - x < 20
    edge = at[0] - 3 if at[0] > x else at[0] + LETTER * len(name) + 3
    told = f"{one.name}: {axes[0]} {_short(one.points[0][0])}, {axes[1]} {figure(one.points[0][1])}"
    return el(
        "g",
        Markup() if near else line(x, y, edge, at[1], "leader"),
        marker(one.style, x, y, told),
        label(at[0], at[1] + 4, name),
        class_=f"series {one.style.name}",
    )


def _beside(
    points: Sequence[tuple[float, float]], names: Sequence[str], area: Area
) -> list[tuple[str, tuple[float, float]]]:
    """For each point its name and where that starts: the nearest place that covers no point and no other name."""
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in points]
    placed = {}
    for i in sorted(range(len(points)), key=lambda i: points[i][1]):
        (x, y), size = points[i], LETTER * len(names[i]) + 6
        across = ((x + 12, 0), (x - 12 - size, 20), (x + 150, 60))
        tries = sorted((abs(step) * 8 + far, at, y + step * 8) for at, far in across for step in range(-60, 61))
        inside = [(a, b) for _, a, b in tries if area.x.start <= a <= area.width - size and 22 <= b <= area.y.start - 8]
        free = [(a, b) for a, b in inside if not _meets((a, b - 7, a + size, b + 7), taken)]
        a, b = (free or inside or [points[i]])[0]
        taken.append((a, b - 7, a + size, b + 7))
        placed[i] = (names[i], (a, b))
    return [placed[i] for i in range(len(points))]


def _meets(box: tuple[float, ...], others: Sequence[tuple[float, ...]]) -> bool:
    return any(box[0] < x2 and x1 < box[2] and box[1] < y2 and y1 < box[3] for x1, y1, x2, y2 in others)


def dots(
    values: Mapping[str, float], styles: Mapping[str, Style], levels: Sequence[float], anchor: str, title: str
) -> Markup:
    """A small plot: a line a strategy with its name, a dot at its value, the value at the end."""
    names = dict(zip(values, _cut(list(values), NARROW), strict=True))
    height = 34 + 17 * len(values)
    x = Axis(levels[0], levels[-1], 22 + LETTER * max(map(len, names.values())), NARROW - 46)
    area = Area(NARROW, height, x, Axis(0, 1, height - 22, 8))
    rows = []
    for i, (name, value) in enumerate(values.items()):
        y = 16 + 17 * i
        rows.append(
            el(
                "g",
                line(x.start, y, x.end, y, "grid"),
                label(x.start - 10, y + 4, names[name], anchor="end"),
                marker(styles[name], x.at(value), y, f"{name}: {figure(value)}"),
                label(NARROW - 4, y + 4, figure(value), anchor="end", kind="value"),
                class_=f"series {styles[name].name}",
            )
        )
    ends = [label(x.at(level), height - 4, figure(level), anchor="middle", kind="tick") for level in levels]
    told = ", ".join(f"{name} {figure(value)}" for name, value in values.items())
    return drawing(area, anchor, title, told, *ends, *rows)


def histogram(classes: Sequence[Size], most: float, style: Style, anchor: str, title: str) -> Markup:
    """A small plot: the share of chunks in each class of size; `most` is the highest share of all plots."""
    height = 120
    area = Area(NARROW, height, Axis(0, len(classes), 8, NARROW - 8), Axis(0, most or 1, height - 22, 20))
    step = (area.x.end - area.x.start) / len(classes)
    bars = [
        el(
            "rect",
            el("title", f"{one.label} tokens: {one.share:.0%}"),
            x=f"{area.x.at(i) + 1:g}",
            y=f"{area.y.at(one.share):g}",
            width=f"{step - 2:.1f}",
            height=f"{area.y.start - area.y.at(one.share):.1f}",
            class_="bar",
        )
        for i, one in enumerate(classes)
    ]
    top = max(range(len(classes)), key=lambda i: classes[i].share)
    told = ", ".join(f"{one.label} tokens {one.share:.0%}" for one in classes if one.share)
    return drawing(
        area,
        anchor,
        title,
        told,
        line(area.x.start, area.y.start, area.x.end, area.y.start, "axis"),
        *(
            label(area.x.at(i), height - 6, one.label.partition("-")[0].rstrip("+"), anchor="middle", kind="tick")
            for i, one in enumerate(classes)
        ),
        el("g", *bars, class_=f"series {style.name}"),
        label(
            area.x.at(top) + step / 2, area.y.at(classes[top].share) - 5, f"{classes[top].share:.0%}", anchor="middle"
        ),
    )


def _grey_first(series: Sequence[Series], drawn: Sequence[Markup]) -> list[Markup]:
    """The drawings with the grey ones below the others."""
    return [one for _, one in sorted(zip(series, drawn, strict=True), key=lambda pair: pair[0].style.name != GREY)]


def _cut(names: Sequence[str], width: int) -> list[str]:
    most = 24 if width > NARROW else 19
    return [name if len(name) <= most else name[: most - 1] + "…" for name in names]


def _around(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    room = max((high - low) * 0.08, 0.01)
    return ticks(max(low - room, 0), min(high + room, 1.0) if high <= 1 else high + room)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _told(series: Sequence[Series]) -> str:
    """The ends of the lines in words."""
    return "; ".join(
        f"{one.name}: {figure(one.points[0][1])} at {one.points[0][0]:,} words to "
        f"{figure(one.points[-1][1])} at {one.points[-1][0]:,}"
        for one in series
    )
