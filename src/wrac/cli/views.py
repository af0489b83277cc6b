"""Pages, plans and chunks for people to read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from wrac.cli import paint
from wrac.cli.paint import console, one_line, plural, put, styled, tally, trail
from wrac.core.structure import names, trails
from wrac.core.types import Chunk, Document, Loss, Plan, Policy

if TYPE_CHECKING:
    from rich.console import Console

_HEAD = 240  # characters of a text that is shown to be recognised


def tree(document: Document, ordinals: Iterable[int]) -> None:
    """Prints places of a page below their headings, with name, kind, role and visibility."""
    out = console()
    language = f", {document.language}" if document.language else ""
    counts = f"{plural(len(document.places), 'place')}, {plural(len(document.units), 'unit')}{language}"
    put(out, (document.title or "(no title)", "bold"), (f"  {counts}", "dim"))
    above, called = trails(document), names(document)
    width = max(map(len, called), default=0)
    for place in map(document.places.__getitem__, ordinals):
        unit, name = document.units[place.unit], called[place.ordinal]
        tags = [tag for tag in (place.role, place.visible) if tag not in ("main", "visible")]
        quiet = "dim" if place.role != "main" else ""
        put(
            out,
            (f"{place.ordinal:>4}  {name:<{width}}  ", "dim"),
            (f"{unit.kind:<10}  ", quiet or "cyan"),
            "  " * len(above[place.ordinal]),
            (f"[{', '.join(tags)}] " if tags else "", "magenta"),
            (one_line(unit.text), quiet or ("bold" if unit.kind == "heading" else "")),
        )
    if document.losses:
        chars: Counter[str] = Counter()
        for loss in document.losses:
            chars[loss.reason] += loss.chars
        lost = [f"{count:,} characters of {reason}" if count else reason for reason, count in chars.most_common()]
        put(out, (f"in no unit: {', '.join(lost)}", "dim"))


def losses(document: Document, source: str) -> None:
    """Prints how much is in no unit for each reason, then each loss: where it stands, its size, how it begins.

    `source` is the text that losses count in, "" where there is none.
    """
    out = console()
    groups: dict[str, list[tuple[str, Loss]]] = {}
    lines = [found.end() for found in re.finditer("\n", source)]
    for loss in document.losses:
        reason, where = _reason(loss.reason)
        if not where and 0 <= loss.start < len(source):
            where = f"line {bisect_right(lines, loss.start) + 1:,}, offset {loss.start:,}"
        groups.setdefault(reason, []).append((where, loss))
    sizes = {reason: sum(loss.chars for _, loss in found) for reason, found in groups.items()}
    counts = f"{plural(len(document.losses), 'loss', 'losses')}, {plural(sum(sizes.values()), 'character')} in no unit"
    put(out, (document.title or "(no title)", "bold"), (f"  {counts}", "dim"))
    order = sorted(groups, key=lambda reason: -sizes[reason])
    for reason in order:
        put(out, (f"{sizes[reason]:>7,} in {len(groups[reason]):>3,}  ", "cyan"), reason)
    for reason in order:
        put(out)
        put(out, (reason, "bold"))
        width = max(len(where) for where, _ in groups[reason])
        for where, loss in groups[reason]:
            put(out, (f"  {where:<{width}}  {loss.chars:>7,}  ", "dim"), one_line(loss.text, _HEAD))


def _reason(reason: str) -> tuple[str, str]:
    """A reason without the page or the part of the file that it names, and that page or part.

    >>> _reason("picture without text, page 3"), _reason("script")
    (('picture without text', 'page 3'), ('script', ''))
    """
    kind, comma, number = reason.rpartition(", page ")
    if comma and number.isdigit():
        return kind, f"page {number}"
    kind, _, part = reason.partition(": ")
    return kind, part


def plan(document: Document, made: Plan, policy: Policy) -> None:
    """Prints each group with its size and opening words, then what is omitted and why."""
    out, called = console(), aligned(names(document))
    planned(out, document, made, policy)
    for number, members in enumerate(made.groups, 1):
        group(out, document, policy, called, number, members)
    omitted(out, document, made, called)


def aligned(called: Sequence[str]) -> list[str]:
    """Names of one width."""
    width = max(map(len, called), default=0)
    return [f"{name:<{width}}" for name in called]


def planned(out: Console, document: Document, made: Plan, policy: Policy) -> None:
    """Prints the title of a plan: its page, its chunks, and who made it."""
    sizes = f"target {policy.target}, maximum {policy.maximum} tokens, planner {made.planner}"
    put(out, (document.title or "(no title)", "bold"), (f"  {plural(len(made.groups), 'chunk')}, {sizes}", "dim"))


def group(  # noqa: PLR0913, PLR0917 - what a line shows
    out: Console, document: Document, policy: Policy, called: Sequence[str], number: int, members: Sequence[int]
) -> None:
    """Prints one group: its number, ordinals, size, first unit by its aligned name, and opening words."""
    from wrac.text.tokens import counter

    count = counter(policy.tokenizer).count
    size = sum(count(document.text(ordinal)) for ordinal in members)
    put(
        out,
        (f"{number:>4}  ", "dim"),
        (f"{ranges(members):<9}  ", "cyan"),
        (f"{size:>4} tokens  {called[members[0]]}  ", "dim"),
        one_line("  ".join(document.text(ordinal) for ordinal in members), _HEAD),
    )


def omitted(out: Console, document: Document, made: Plan, called: Sequence[str]) -> None:
    """Prints what of a page is in no group, by aligned names, and why."""
    if made.omitted:
        put(out, f"omitted: {tally(Counter(made.omitted.values()).most_common())}")
    for ordinal, reason in sorted(made.omitted.items()):
        words = one_line(document.text(ordinal), _HEAD)
        put(out, (f"{ordinal:>4}  {called[ordinal]}  ", "dim"), (f"{reason:<12}  ", "magenta"), (words, "dim"))


def ranges(ordinals: Sequence[int]) -> str:
    """`0-3,7`: ordinals as the ranges they form, in their order."""
    runs: list[list[int]] = []
    for ordinal in ordinals:
        if runs and ordinal == runs[-1][1] + 1:
            runs[-1][1] = ordinal
        else:
            runs.append([ordinal, ordinal])
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in runs)


def chunk(out: Console, made: Chunk, headings: Sequence[str], where: Sequence[str]) -> None:
    """Prints a chunk: id, size and trail above, its text, where it stands below."""
    above = f"  {trail(headings)}" if headings else ""
    put(out, (made.id, "cyan"), (f"  {plural(made.tokens, 'token')}", "dim"), (above, "bold"))
    paint.block(out, styled(made.text))
    for place in where:
        put(out, (f"→ {place}", "dim"))
    put(out)
