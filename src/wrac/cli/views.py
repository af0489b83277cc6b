"""Pages, plans and chunks for people to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wrac.cli.paint import console, line, one_line, plural, safe, tally, trail
from wrac.core.structure import names, trails
from wrac.core.types import Chunk, Document, Place, Plan, Policy

if TYPE_CHECKING:
    from rich.console import Console

_ROLE_STYLE = "magenta"
_SHOWN = 72


def tree(document: Document) -> None:
    """Prints the places of a page below their headings, with name, kind, role and visibility."""
    out = console()
    out.print(line((document.title or "(no title)", "bold"), ("  " + facts(document), "dim")))
    above, called = trails(document), names(document)
    for place in document.places:
        _place(out, document, place, called[place.ordinal], len(above[place.ordinal]))
    if document.losses:
        chars: Counter[str] = Counter()
        for loss in document.losses:
            chars[loss.reason] += loss.chars
        out.print(line((f"no unit: {tally(chars.most_common())} (characters)", "dim")))


def facts(document: Document) -> str:
    """`12 places, 11 units, German` in a line."""
    language = f", {document.language}" if document.language else ""
    return f"{plural(len(document.places), 'place')}, {plural(len(document.units), 'unit')}{language}"


def _place(out: Console, document: Document, place: Place, name: str, depth: int) -> None:
    unit = document.units[place.unit]
    tags = [tag for tag in (place.role, place.visible) if tag not in ("main", "visible")]
    quiet = "dim" if tags else ""
    text = ("bold" if unit.kind == "heading" else "") or quiet
    room = max(30, out.width - 2 * depth - 46) if out.is_terminal else 0
    out.print(
        line(
            (f"{place.ordinal:>4} ", "dim"),
            "  " * depth,
            (f"{unit.kind:<10} ", "cyan" if not tags else "dim"),
            (one_line(unit.text, room), text),
            (f"  {name}", "dim"),
            (f"  [{', '.join(tags)}]" if tags else "", _ROLE_STYLE),
        )
    )


def plan(document: Document, made: Plan, policy: Policy) -> None:
    """Prints each group with its size and opening words, then what is omitted and why."""
    from wrac.text.tokens import counter

    out, count, called = console(), counter(policy.tokenizer).count, names(document)
    out.print(line((document.title or "(no title)", "bold"), (f"  {plural(len(made.groups), 'chunk')}, "
              f"target {policy.target}, maximum {policy.maximum} tokens, planner {made.planner}", "dim")))  # fmt: skip
    for number, group in enumerate(made.groups, 1):
        size = sum(count(document.text(ordinal)) for ordinal in group)
        words = one_line("  ".join(document.text(ordinal) for ordinal in group[:3]), _SHOWN if out.is_terminal else 0)
        out.print(line((f"{number:>4} ", "dim"), (f"{ranges(group):<10} ", "cyan"), (f"{size:>4} tokens  ", "dim"),
                       words, (f"  {called[group[0]]}", "dim")))  # fmt: skip
    if made.omitted:
        out.print(line(f"omitted: {tally(Counter(made.omitted.values()).most_common())}"))
    for ordinal, reason in sorted(made.omitted.items()):
        words = one_line(document.text(ordinal), _SHOWN if out.is_terminal else 0)
        out.print(line((f"{ordinal:>4}  {reason:<12} {words}  {called[ordinal]}", "dim")))


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
    out.print(line((made.id, "cyan"), (f"  {plural(made.tokens, 'token')}", "dim"),
                   (f"  {trail(headings)}" if headings else "", "bold")))  # fmt: skip
    out.print(safe(made.text), no_wrap=False, overflow="fold")
    for place in where:
        out.print(line((f"→ {place}", "dim")))
    out.print()
