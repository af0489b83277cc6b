"""Text for people: styled and fitted to a terminal, plain and whole everywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from wrac.core.types import Usage

Part: TypeAlias = tuple[str, str] | str
"""A text, or a text and its style."""

_NAMED = 6  # details of a reason that are named

# Pages come from strangers: what would steer a terminal is shown, not obeyed.
_CONTROLS = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | dict.fromkeys(
    (*range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD
)


def console(*, stderr: bool = False) -> Console:
    """The console that all readable output goes through; nothing in it is taken for markup."""
    from rich.console import Console

    return Console(file=sys.stderr if stderr else sys.stdout, markup=False, highlight=False, emoji=False)


def safe(text: str) -> str:
    """The text with control characters made visible; tabs and line breaks stay."""
    return text.translate(_CONTROLS)


def styled(*parts: Part) -> Text:
    """The parts as one text."""
    from rich.text import Text

    made = Text()
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        made.append(safe(text), style=style or None)
    return made


def put(out: Console, *parts: Part) -> None:
    """Prints one line: cut with an ellipsis where a terminal ends, whole everywhere else."""
    if out.is_terminal:
        out.print(styled(*parts), no_wrap=True, overflow="ellipsis")
    else:
        out.file.write("".join(safe(part if isinstance(part, str) else part[0]) for part in parts).rstrip() + "\n")


def whole(out: Console, *parts: Part) -> None:
    """Prints one line that is never cut: a terminal wraps it itself, so that a copied link is all there."""
    if out.is_terminal:
        out.print(styled(*parts), soft_wrap=True)
    else:
        put(out, *parts)


def block(out: Console, text: Text, indent: int = 0) -> None:
    """Prints a text of several lines: wrapped on a terminal, its own lines everywhere else."""
    if out.is_terminal:
        from rich.padding import Padding

        out.print(Padding(text, (0, 0, 0, indent)))
    else:
        out.file.writelines(f"{' ' * indent}{one}".rstrip() + "\n" for one in text.plain.split("\n"))


def one_line(text: str, most: int = 0) -> str:
    """The text with runs of white space made a space, cut with an ellipsis above `most` characters (0: never)."""
    flat = " ".join(text.split())
    return flat if not most or len(flat) <= most else flat[: most - 1].rstrip() + "…"


def trail(parts: Iterable[str]) -> str:
    """Headings from the outermost to the nearest."""
    return " › ".join(one_line(part) for part in parts)


def plural(count: int, one: str, many: str = "") -> str:
    """`1 page`, `1,204 pages`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def paid(usage: Usage) -> str:
    """`2 calls, 1,204 tokens in, 60 out, 0.0029 USD`; a model without a known price costs nothing that is known."""
    cost = f"{usage.cost:.4f} USD" if usage.cost else "no price known"
    return f"{plural(usage.calls, 'call')}, {usage.input:,} tokens in, {usage.output:,} out, {cost}"


def tally(counts: Iterable[tuple[str, int]]) -> str:
    """`4 hidden, 1 empty`."""
    return ", ".join(f"{count:,} {reason}" for reason, count in counts)


def skips(reasons: Iterable[str]) -> str:
    """Reasons counted; those that differ in their detail alone are one, with the details in brackets.

    >>> skips(["not a page: .js", "not text: PNG image", "not a page: .css"])
    '2 not a page (.js, .css), 1 not text: PNG image'
    """
    kinds: dict[str, list[str]] = {}
    for reason in reasons:
        kind, _, detail = reason.partition(": ")
        kinds.setdefault(kind, []).append(detail)
    counted = sorted(kinds.items(), key=lambda one: -len(one[1]))
    return tally((_reason(kind, list(dict.fromkeys(details))), len(details)) for kind, details in counted)


def _reason(kind: str, details: list[str]) -> str:
    if len(details) == 1:
        return f"{kind}: {details[0]}" if details[0] else kind
    named = [*details[:_NAMED], "…"] if len(details) > _NAMED else details
    return f"{kind} ({', '.join(filter(None, named))})"
