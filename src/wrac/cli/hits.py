"""Search results and shown chunks: as JSON, and for people to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wrac.cli import paint
from wrac.cli.shapes import Json
from wrac.core.types import HtmlAddress
from wrac.flow import Result, Shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_MOST_LINES = 14


def row(result: Result) -> Json:
    """The public shape of a hit."""
    return {
        "rank": result.rank,
        "score": result.score,
        "chunk": result.chunk,
        "url": result.url,
        "link": result.link,
        "trail": list(result.trail),
        "text": result.text,
        "markdown": result.markdown,
        "focus": [{"unit": one.unit, "text": one.text, "score": one.score} for one in result.focus],
        "tokens": result.tokens,
    }


def results(found: Sequence[Result]) -> None:
    """Prints hits, best first: section and page, the passage with its best units in bold, and the link."""
    out = paint.console()
    for number, result in enumerate(found):
        if number:
            out.print()
        heading = paint.trail(result.trail) or paint.one_line(result.text.partition("\n")[0], 60)
        out.print(paint.line((f"{result.rank:>2}  ", "bold cyan"), (heading, "bold"), (f"  {result.url}", "dim")))
        _passage(out, passage(result), f"wrac show {result.chunk[:11]}")
        out.print(paint.line((f"    {result.link}", "dim")))


def passage(result: Result) -> Text:
    """The Markdown of a hit, its best units in bold."""
    from rich.text import Text

    body = paint.safe(result.markdown or result.text)
    text = Text(body, style="")
    for unit in result.focus:
        for form in (unit.text, " | ".join(unit.text.split("\t"))):
            start = body.find(paint.safe(form))
            if start >= 0:
                text.stylize("bold", start, start + len(form))
                break
    return text


def _passage(out: Console, text: Text, more: str) -> None:
    """The passage indented; on a terminal a long one is cut, with the command that shows the rest."""
    from rich.padding import Padding
    from rich.text import Text

    lines = text.split("\n", allow_blank=True)
    shown = lines[:_MOST_LINES] if out.is_terminal else lines
    if out.is_terminal:
        out.print(Padding(Text("\n").join(shown), (0, 2, 0, 4)))
    else:
        for one in shown:
            out.print(f"    {one.plain}".rstrip())
    if len(shown) < len(lines):
        out.print(paint.line((f"    … {len(lines) - len(shown)} more lines: {more}", "dim")))


def shown(found: Shown) -> None:
    """Prints a chunk: what it is, its text, its units with their addresses, and where it stands."""
    out = paint.console()
    out.print(
        paint.line((found.chunk, "bold cyan"), (f"  {paint.plural(found.tokens, 'token')}, {found.planner}", "dim"))
    )
    if found.trail:
        out.print(paint.line((paint.trail(found.trail), "bold")))
    out.print()
    for one in paint.safe(found.markdown or found.text).split("\n"):
        out.print(f"    {one}".rstrip(), overflow="fold")
    out.print()
    width = max(len(unit.name) for unit in found.units)
    for unit in found.units:
        part = f" [{unit.start}:{unit.end}]" if (unit.start, unit.end) != (0, len(unit.text)) else ""
        out.print(paint.line((f"{unit.name:<{width}}  ", "cyan"), f"{unit.kind:<10}  ",
                             (f"{unit.id[:11]}{part}  {_address(unit.address)}", "dim")))  # fmt: skip
    out.print()
    out.print(paint.line("open  ", (found.link, "underline")))
    for page in found.pages[1:]:
        out.print(paint.line(("also  ", "dim"), page))


def _address(address: object) -> str:
    if isinstance(address, HtmlAddress):
        return f"{address.selector} {address.start}-{address.end}"
    return str(address)
