"""The board's plots as inline SVG, drawn with the same axes and colours as the reports of `wrac eval`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from math import isnan
from typing import NamedTuple

from markupsafe import Markup

from wrac.evaluation.report import svg
from wrac.evaluation.report.markup import Markup as Drawn
from wrac.evaluation.report.markup import el
from wrac.evaluation.report.svg import LETTER, Area, Axis, Style, drawing, grid, label, marker, polyline, ticks

WIDE, NARROW = 560, 350
"""Widths a plot is drawn at; the style sheet shows the one that fits."""
HEIGHT = 210
_LEFT, _TOP, _BOTTOM = 46.0, 26.0, 30.0  # px around the data


class Column(NamedTuple):
    """One column: its label, its height, and the part of the height that is drawn in the second colour."""

    label: str
    value: float
    part: float = 0.0


class Line(NamedTuple):
    """A line with its name: a value for each label of the plot, NaN where there is none."""

    name: str
    values: Sequence[float]


def columns(found: Sequence[Column], title: str, anchor: str, *, unit: str = "", part: str = "") -> Markup:
    """A column for each value, side by side; `unit` is what is counted, `part` what the second colour stands for."""
    return _both(lambda width, name: _columns(found, title, (unit, part), width, name), anchor)


def lines(labels: Sequence[str], found: Sequence[Line], title: str, anchor: str, *, unit: str = "") -> Markup:
    """A line for each series over the same labels, its name at its end."""
    return _both(lambda width, name: _lines(labels, found, (title, unit), width, name), anchor)


def _both(draw: Callable[[int, str], Drawn], anchor: str) -> Markup:
    """A drawing at both widths."""
    sizes = (("wide", WIDE), ("narrow", NARROW))
    made = [el("div", draw(width, f"{anchor}-{name}"), class_=f"{name}-only") for name, width in sizes]
    return Markup("".join(made))  # noqa: S704 - made by `el`, which escapes


def _columns(found: Sequence[Column], title: str, names: tuple[str, str], width: int, anchor: str) -> Drawn:
    area = _area(len(found), max((one.value for one in found), default=0), width)
    step = (area.x.end - area.x.start) / max(len(found), 1)
    wide = min(max(step * 0.78, step - 6), 44.0)
    inside = [_column(one, area, area.x.at(i) + (step - wide) / 2, wide) for i, one in enumerate(found)]
    told = "; ".join(f"{one.label}: {_short(one.value)}" + _parted(one, names[1]) for one in found)
    legend = [_legend(names[1], width)] if any(one.part for one in found) else []
    return drawing(area, anchor, title, told, _grid(area, [one.label for one in found], names[0]), *inside, *legend)


def _legend(words: str, width: int) -> Drawn:
    """What the second colour stands for, above the columns at the right."""
    at = width - 8 - LETTER * len(words)
    return el("g", marker(Style("s1", 1), at - 8, 8, words), label(at, 12, words), class_="series s1")


def _column(one: Column, area: Area, x: float, wide: float) -> Drawn:
    top, middle, floor = area.y.at(one.value), area.y.at(one.part), area.y.start
    return el(
        "g",
        el("title", f"{one.label}: {_short(one.value)}"),
        _rect(x, top, wide, middle - top, "s0"),
        _rect(x, middle, wide, floor - middle, "s1"),
    )


def _rect(x: float, y: float, width: float, height: float, colour: str) -> Drawn:
    if height <= 0:
        return Drawn()
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}"}
    return el("g", el("rect", **place, fill="currentColor"), class_=f"series {colour}")


def _parted(one: Column, part: str) -> str:
    return f", {part} {_short(one.part)}" if one.part else ""


def _lines(labels: Sequence[str], found: Sequence[Line], titles: tuple[str, str], width: int, anchor: str) -> Drawn:
    known = [value for one in found for value in one.values if not isnan(value)]
    room = 10 + LETTER * max((len(one.name) for one in found), default=0)
    area = _area(len(labels), max(known, default=0), width, room)
    ends = [next((v for v in reversed(one.values) if not isnan(v)), 0.0) for one in found]
    placed = svg.spread([area.y.at(value) for value in ends], 15, area.y.end, area.y.start)
    told = "; ".join(f"{one.name}: last {_short(end)}" for one, end in zip(found, ends, strict=True))
    drawn = [
        _line(one, labels, area, Style(f"s{number}", number), end)
        for number, (one, end) in enumerate(zip(found, placed, strict=True))
    ]
    return drawing(area, anchor, titles[0], told, _grid(area, labels, titles[1]), *drawn)


def _line(one: Line, labels: Sequence[str], area: Area, style: Style, end: float) -> Drawn:
    """The stretches without a gap, a marker at each value where they are few, the name."""
    points = [(area.x.at(i + 0.5), value) for i, value in enumerate(one.values)]
    runs = [[*run] for gap, run in groupby(points, lambda point: isnan(point[1])) if not gap]
    few = len(points) <= 40
    marks = [
        marker(style, x, area.y.at(value), f"{day}, {one.name}: {_short(value)}")
        for day, (x, value) in zip(labels, points, strict=True)
        if few and not isnan(value)
    ]
    stretches = (polyline((x, area.y.at(value)) for x, value in run) for run in runs if len(run) > 1 or not few)
    return el("g", *stretches, *marks, label(area.x.end + 8, end + 4, one.name), class_=f"series {style.name}")


def _area(count: int, most: float, width: int, right: float = 6.0) -> Area:
    levels = ticks(0, most or 1, 4)
    floor = HEIGHT - _BOTTOM
    return Area(width, HEIGHT, Axis(0, max(count, 1), _LEFT, width - right), Axis(0, levels[-1], floor, _TOP))


def _grid(area: Area, labels: Sequence[str], unit: str) -> Drawn:
    """Grid lines, as many labels as fit, and the unit above the axis."""
    fit = max(int((area.x.end - area.x.start) // (LETTER * max(map(len, labels), default=1) + 16)), 1)
    every = -(-len(labels) // fit) or 1
    xs = [(i + 0.5, words) for i, words in enumerate(labels) if i % every == 0]
    levels = ticks(0, area.y.high, 4)
    return grid(area, xs, [(level, _short(level)) for level in levels], ("", unit))


def _short(value: float) -> str:
    """A value in few characters.

    >>> _short(12345), _short(0.0425), _short(7)
    ('12,345', '0.0425', '7')
    """
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
