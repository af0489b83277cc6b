"""What plots are drawn with: axes, ticks, markers, and labels that keep out of each other's way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wrac.evaluation.report.markup import Markup, el

COLOURS, GREY = 8, "rest"
"""How many colours the style sheet has, and the class of what is beyond them."""
LETTER = 6.6  # mean width of a letter of a label, px


class Style(NamedTuple):
    """How a strategy is drawn everywhere: a class of the style sheet and a marker."""

    name: str
    shape: int


class Axis(NamedTuple):
    """Values `low` to `high` on pixels `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value, rounded to a tenth."""
        low, high, here = map(math.log, (self.low, self.high, value)) if self.log else (self.low, self.high, value)
        share = (here - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 1)


class Area(NamedTuple):
    """Where a plot's data lie: the size of the drawing and its two axes."""

    width: float
    height: float
    x: Axis
    y: Axis


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round values from `low` or less to `high` or more, at most `most` steps apart.

    >>> ticks(0.61, 0.98)
    [0.6, 0.7, 0.8, 0.9, 1.0]
    """
    rough = max(high - low, 1e-9) / (most - 1)
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * one for one in (1, 2, 2.5, 5, 10) if unit * one >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * i, 10) for i in range(first, max(last, first + 1) + 1)]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions near the wanted ones, in their order, at least `gap` apart and inside `low` to `high`.

    Where so many do not fit the gap gives way.
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    placed = [0.0] * len(wanted)
    edge = low
    for i in order:
        placed[i] = edge = max(wanted[i], edge)
        edge += gap
    edge = high
    for i in reversed(order):
        placed[i] = edge = min(placed[i], edge)
        edge -= gap
    return placed


def marker(style: Style, x: float, y: float, title: str) -> Markup:
    """A point with its own shape, and what it says to a pointer."""
    shapes = (
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
        "M-3.6-3.6h7.2v7.2h-7.2z",
        "M0-4.8 4.6 3.4h-9.2z",
        "M0-5 5 0 0 5-5 0z",
    )
    outline = shapes[style.shape % len(shapes)]
    return el("path", el("title", title), d=outline, transform=f"translate({x:g} {y:g})", class_="mark")


def label(x: float, y: float, words: str, *, anchor: str = "", kind: str = "label") -> Markup:
    """A text at a point; `anchor` is start, middle or end."""
    return el("text", words, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, class_=kind)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return el("line", x1=f"{x1:g}", y1=f"{y1:g}", x2=f"{x2:g}", y2=f"{y2:g}", class_=kind)


def polyline(points: Iterable[tuple[float, float]]) -> Markup:
    """A line through points."""
    return el("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in points), class_="line")


def grid(
    area: Area, xs: Sequence[tuple[float, str]], ys: Sequence[tuple[float, str]], titles: tuple[str, str]
) -> Markup:
    """Grid lines with their values, and the titles of both axes."""
    x, y = area.x, area.y
    return el(
        "g",
        *(line(x.start, y.at(value), x.end, y.at(value), "grid") for value, _ in ys),
        *(label(x.start - 8, y.at(value) + 4, words, anchor="end", kind="tick") for value, words in ys),
        *(line(x.at(value), y.start, x.at(value), y.start + 4, "axis") for value, _ in xs),
        *(label(x.at(value), y.start + 18, words, anchor="middle", kind="tick") for value, words in xs),
        line(x.start, y.start, x.end, y.start, "axis"),
        label((x.start + x.end) / 2, area.height - 4, titles[0], anchor="middle", kind="title"),
        label(4, 14, titles[1], kind="title"),
    )


def drawing(area: Area, anchor: str, title: str, description: str, *inside: Markup) -> Markup:
    """The drawing with its title and its description for those who do not see it."""
    return el(
        "svg",
        el("title", title, id=f"{anchor}-title"),
        el("desc", description, id=f"{anchor}-desc"),
        *inside,
        viewBox=f"0 0 {area.width:g} {area.height:g}",
        role="img",
        aria_labelledby=f"{anchor}-title {anchor}-desc",
    )
