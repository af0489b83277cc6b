"""What `wrac advise` prints: what to choose and the factor first, then figures by model, then every factor."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from wrac.cli import paint
from wrac.flow.advise import Again
from wrac.flow.measures import Corpus
from wrac.routing.advice import Advice, number
from wrac.routing.economics import AXES, DAYS, KINDS, TARIFF, WAYS, Axis, upkeep

if TYPE_CHECKING:
    from rich.console import Console

    from wrac.evaluation.both_ways import Comparison

_WIDTH, _TITLE, _COLUMN, _SPREAD = 80, 25, 18, 27
_CHOICES: Final = {"window": "the corpus in the window", "retrieval": "retrieval"}


def show(out: Console, found: Sequence[Advice], corpus: Corpus) -> None:
    """Prints what to choose and the factor, then the figures by model, then every factor."""
    _headline(out, found)
    for some in _fitting(found):
        paint.put(out)
        _table(out, some, corpus)
    paint.put(out)
    for one in found:
        _why(out, one)
    paint.put(out)
    _factors(out, found[0])
    _closing(out, found, corpus)


def _headline(out: Console, found: Sequence[Advice]) -> None:
    choices = list(_choices(found))
    if len(choices) == 1:
        (choice, models), rules = choices[0], ", ".join(dict.fromkeys(one.rule for one in found))
        paint.put(out, (choice, "bold green"), f" with {models}: {rules}")
    else:
        for choice, models in choices:
            paint.put(out, (choice, "bold green"), f" with {models}")
    passages, index = found[0].factors.passages, number(found[0].costs["retrieval"].fixed)
    factors, window = _span((one.factor for one in found), times), _span((one.month for one in found), number)
    retrieval = _span((one.costs["retrieval"].month for one in found), number)
    paint.put(out, f"a question from the window costs {factors} times as much as from {passages:g} passages")
    paint.put(out, f"USD a month: window {window}, retrieval {retrieval} (index {index})")
    if found[0].factors.origin("upkeep").source == "default":
        assumed = f"assumed: keeping an index takes {number(found[0].factors.upkeep)} USD a month"
        paint.put(out, (f"{assumed} (--set upkeep=USD)", "dim"))
    if not all(one.factors.fits for one in found):
        held = _span(
            (min(1.0, one.factors.room / one.factors.corpus_tokens) for one in found), lambda share: f"{share:.2%}"
        )
        paint.put(out, f"the window holds {held} of the corpus")


def _span(values: Iterable[float], words: Callable[[float], str]) -> str:
    """`7.6 to 10`, or the one value."""
    found = sorted(values)
    return " to ".join(dict.fromkeys((words(found[0]), words(found[-1]))))


def _choices(found: Sequence[Advice]) -> Iterator[tuple[str, str]]:
    """What to choose, with the models it is for."""
    for choice, alike in groupby(sorted(found, key=lambda one: one.choice), key=lambda one: one.choice):
        models = list(alike)
        every = len(found) > 1 and len(models) == len(found)
        yield _CHOICES[choice], f"all {len(found)} models" if every else ", ".join(map(short, models))


def short(one: Advice) -> str:
    """The model without its provider."""
    return one.factors.tariff.model.rpartition(":")[2]


def _why(out: Console, one: Advice) -> None:
    head = f"{short(one)}: {one.choice}, "
    first, *more = wrap(f"{head}{one.rule}: {one.reason}", _WIDTH, subsequent_indent="  ")
    paint.put(out, (head, "bold"), first.removeprefix(head))
    for line in more:
        paint.put(out, line)


def times(value: float) -> str:
    """A factor as a person reads it."""
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def _fitting(found: Sequence[Advice]) -> Iterator[Sequence[Advice]]:
    """Three models a table: 80 columns."""
    for start in range(0, len(found), 3):
        yield found[start : start + 3]


def _table(out: Console, found: Sequence[Advice], corpus: Corpus) -> None:
    def row(title: str, cells: Iterable[str], style: str = "") -> None:
        cut = "".join(f"{paint.one_line(cell, _COLUMN - 1):>{_COLUMN}}" for cell in cells)
        paint.put(out, (f"{title:<{_TITLE}}{cut}", style))

    row("", map(short, found), "bold")
    row("choose", (one.choice for one in found), "green")
    paint.put(out, ("USD a question", "bold"))
    for way in WAYS:
        row(f"  {way}", (number(one.costs[way].question) for one in found))
    row("  window / retrieval", (f"{times(one.factor)}x" for one in found))
    row("  cached / retrieval", (f"{times(one.factor_cached)}x" for one in found))
    paint.put(out, ("USD a month", "bold"), f", {number(found[0].factors.queries_per_day * DAYS)} questions")
    for way in WAYS:
        row(f"  {way}", (number(one.costs[way].month) for one in found))
    row("  the index in that", (number(sum(upkeep(one.factors).values())) for one in found))
    paint.put(out, ("break-even", "bold"), " of window and retrieval, all else as it is")
    for axis, title in _AXES.items():
        row(f"  {title}", (_breaks(one.breaks[axis]) for one in found))
    paint.put(out, ("model", "bold"))
    row("  window, tokens", (f"{one.factors.tariff.window:,}" for one in found))
    row("  holds with air", (f"{one.factors.room:,.0f}" for one in found))
    if every := len(corpus.documents):
        row("  documents that fit", (f"{corpus.fitting(one.factors.room):,} of {every:,}" for one in found))
    row("  input/output, USD/M", (_rates(one, 0, 1) for one in found))
    row("  cached/written, USD/M", (_rates(one, 2, 3) for one in found))
    row("  price, window from", (", ".join(one.factors.origin(name).source for name in TARIFF) for one in found))


_AXES: Final[Mapping[Axis, str]] = {
    "queries_per_day": "questions a day",
    "corpus_tokens": "tokens of corpus",
    "cache_ratio": "cached price / price",
    "price_level": "prices, times now",
}


def _breaks(values: Sequence[float]) -> str:
    """The first break-even, and how many more there are."""
    if not values:
        return "none"
    return f"{number(values[0])} (+{len(values) - 1})" if len(values) > 1 else number(values[0])


def _rates(one: Advice, *parts: int) -> str:
    rates = one.factors.tariff.at(one.costs["window"].tokens)
    return "/".join(f"{rates[part]:g}" for part in parts)


def _factors(out: Console, one: Advice) -> None:
    paint.put(out, ("factors", "bold"), "; change any of them with --set NAME=VALUE")
    for name, kind in KINDS.items():
        source, note = one.factors.origin(name)
        value = f"{number(getattr(one.factors, name))} {kind.unit}".rstrip()
        told = note or kind.meaning
        style = "" if source != "default" else "dim"
        paint.put(out, f"  {name.replace('_', '-'):<21}{value:<18}", (f"{source:<9}", style), (told, "dim"))


def _closing(out: Console, found: Sequence[Advice], corpus: Corpus) -> None:
    if corpus.skipped:
        sys.stderr.write(f"wrac: skipped {paint.skips(one.reason for one in corpus.skipped)}\n")
    if any(one.choice == "window" for one in found):
        paint.put(out, "to answer from the window: wrac ask --whole QUESTION")


def quality(out: Console, found: Comparison) -> None:
    """Prints a row a figure and a column a way: the mean, and the lowest and highest run where there were several."""
    by = f"by {found.model}" if found.model else "no model: the gold that would be read"
    runs = f", {paint.plural(found.runs, 'run')}" if found.model else ""
    paint.put(out, ("quality", "bold"), f" on {paint.plural(found.questions, 'question')}{runs}, {by}")
    width = _SPREAD if found.model else _COLUMN
    paint.put(out, (f"{'':<{_TITLE}}" + "".join(f"{way:>{width}}" for way in found.ways), "bold"))
    for name in next(iter(found.ways.values())):
        cells = "".join(f"{figures[name].text:>{width}}" for figures in found.ways.values())
        paint.put(out, f"  {name:<{_TITLE - 2}}{cells}")
    if found.agreement:
        paint.put(out, f"  {'both agree, token F1':<{_TITLE - 2}}{found.agreement.text:>{width}}")
    if found.note:
        paint.put(out, (f"  {found.note}", "dim"))


def moves(out: Console, found: Sequence[Again]) -> None:
    """Prints what moved across a break-even and what that makes of the advice; one line where nothing did."""
    others = [one for one in found if one.other]
    if not others:
        choices = ", ".join(f"{name} with {models}" for name, models in _choices([one.now for one in found]))
        paint.put(out, f"nothing moved across a break-even: still {choices}")
        return
    for one in others:
        model = one.now.factors.tariff.model
        became = f"now {one.now.choice}" if one.now.choice != one.before.choice else f"still {one.now.choice}"
        paint.put(out, (f"{model}: {became}", "bold"), f" ({one.now.rule})")
        for axis, before, now, across in one.moved:
            told = f"{AXES[axis]}: {number(before)} to {number(now)}, across {number(across)}"
            paint.put(out, f"  {told}")
        paint.block(out, paint.styled(one.now.reason), 2)
    paint.put(out, ("run `wrac advise` to keep the advice as it is now", "dim"))
