"""Search results and shown chunks: as JSON, and for people to read."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from wrac import contract
from wrac.cli import paint
from wrac.core.types import HtmlAddress, PartAddress
from wrac.flow import Result, Shown, Workspace
from wrac.retrieval import DOUBTFUL, FAINT

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


_MOST_LINES = 14
_MOST_WORDS = 80
_SHORT = 11  # characters of an id that name a chunk: the tag and eight digits


class Asked(NamedTuple):
    """The options of a search; a `confidence` of None is each form's own."""

    query: str
    k: int | None
    budget: int | None
    where: Mapping[str, Sequence[str]]
    rerank: bool = False
    confidence: float | None = None


def search(workspace: str, asked: Asked, *, as_json: bool) -> None:
    """Print the passages that answer a query."""
    with Workspace(workspace, create=False) as opened:
        found = opened.search(
            asked.query, k=asked.k, budget=asked.budget, where=asked.where, rerank=asked.rerank,
            confidence=asked.confidence or 0.0,
        )  # fmt: skip
        late(opened)
    if as_json:
        for result in found:
            print(contract.dumps(contract.hit_row(result)))
        return
    results(found)
    _told(found, asked)


def context(workspace: str, asked: Asked, *, as_json: bool) -> None:
    """Print the passages that answer a query as one text, and where each part of it stands."""
    least = FAINT if asked.confidence is None else asked.confidence
    with Workspace(workspace, create=False) as opened:
        found = opened.context(
            asked.query, k=asked.k, budget=asked.budget, where=asked.where, rerank=asked.rerank,
            confidence=least,
        )  # fmt: skip
        late(opened)
    if as_json:
        print(contract.dumps(contract.context_row(found, asked.budget)))
        return
    out = paint.console()
    for block, sources in zip(found.context.blocks, found.sources, strict=True):
        paint.put(out, (f"[{block.number}]", "bold cyan"), (f" {paint.one_line(block.heading)}", "bold"))
        paint.block(out, paint.styled(block.text), 0)
        for source in sources:
            paint.whole(out, "    ", (source.link, f"dim link {opens(source.link)}"))
        paint.put(out)
    if found.context.blocks:
        size = paint.plural(found.context.tokens, "token")
        paint.put(out, (f"{size}, {paint.plural(len(found.answered.results), 'passage')}", "dim"))
    _told(found.answered.results, asked._replace(confidence=least))


def late(opened: Workspace) -> None:
    """Says on standard error that a store outside is behind, and that the search stands in no log."""
    if opened.log.lost:
        why = opened.log.problem.lower()
        sys.stderr.write(f"wrac: what is searched for is not kept here ({why}); statistics will not know of it\n")
    if opened.shelf.behind:
        late = paint.plural(opened.shelf.behind, "page")
        sys.stderr.write(f"wrac: {opened.shelf.place} has yet to be told of {late}; another process writes\n")


def _told(found: Sequence[Result], asked: Asked) -> None:
    """Says on standard error that nothing was found, or nothing that is likely to answer."""
    if not found:
        fits = f" in {asked.budget} tokens" if asked.budget else ""
        ways = [
            "use other words",
            *(["raise --budget"] if asked.budget else []),
            *(["lower --min-confidence"] if asked.confidence else []),
            *(["leave out a --where"] if asked.where else []),
        ]
        sys.stderr.write(f"wrac: no passage matches{fits}; {' or '.join(ways)}\n")
    elif (best := max(one.confidence for one in found)) < DOUBTFUL:
        sys.stderr.write(f"wrac: no passage matches well (confidence {best:.2f}); these are the nearest\n")


def results(found: Sequence[Result]) -> None:
    """Prints hits, best first: section, chunk and page, the passage with its best units in bold, and the link."""
    out = paint.console()
    for number, result in enumerate(found):
        if number:
            paint.put(out)
        heading = paint.trail(result.trail) or paint.one_line(result.text.partition("\n")[0])
        short = result.chunk[:_SHORT]
        paint.put(out, (f"{result.rank:>2}  ", "bold cyan"), (heading, "bold"), (f"  {short}  {result.url}", "dim"))
        _cut(out, passage(result), f"wrac show {short}")
        paint.whole(out, "    ", (result.link, f"dim link {opens(result.link)}"))


def passage(result: Result) -> Text:
    """The Markdown of a hit, its best units in bold."""
    text = paint.styled(result.markdown or result.text)
    for unit in result.focus:
        # Between a unit's words the rendering may have cell borders and marks.
        words = re.findall(r"\w+", paint.safe(unit.text))[:_MOST_WORDS]
        found = re.search(r"\W+".join(map(re.escape, words)), text.plain) if words else None
        if found:
            text.stylize("bold", *found.span())
    return text


def _cut(out: Console, text: Text, more: str) -> None:
    """The passage indented; on a terminal a long one is cut, with the command that shows the rest."""
    from rich.text import Text

    lines = text.split("\n", allow_blank=True)
    shown = lines[:_MOST_LINES] if out.is_terminal else lines
    paint.block(out, Text("\n").join(shown), 4)
    if len(shown) < len(lines):
        paint.put(out, (f"    … {len(lines) - len(shown)} more lines: {more}", "dim"))


def shown(found: Shown) -> None:
    """Prints a chunk: what it is, its text, its units with their addresses, and where it stands."""
    out = paint.console()
    paint.put(out, (found.chunk, "bold cyan"), (f"  {paint.plural(found.tokens, 'token')}, {found.planner}", "dim"))
    if found.trail:
        paint.put(out, (paint.trail(found.trail), "bold"))
    paint.put(out)
    paint.block(out, paint.styled(found.markdown or found.text), 4)
    paint.put(out)
    width = max(len(unit.name) for unit in found.units)
    for unit in found.units:
        part = f"[{unit.start}:{unit.end}]  " if (unit.start, unit.end) != (0, len(unit.text)) else ""
        where = f"{unit.id[:11]}  {part}{_address(unit.address)}"
        paint.put(out, (f"{unit.name:<{width}}  ", "cyan"), f"{unit.kind:<10}  ", (where, "dim"))
    paint.put(out)
    paint.whole(out, ("open  ", "dim"), (found.link, f"link {opens(found.link)}"))
    for page in found.pages[1:]:
        paint.put(out, ("also  ", "dim"), page)


def opens(link: str) -> str:
    """What a click on the link opens: a page that is a file here by its full path, any other as it is."""
    address, _, fragment = link.partition("#")
    path = Path(unquote(address))
    return f"{path.resolve().as_uri()}#{fragment}" if path.is_file() else link


def _address(address: object) -> str:
    if isinstance(address, HtmlAddress):
        within = f"{_address(address.within)}  " if address.within else ""
        return f"{within}{address.start}-{address.end}  {address.selector}"  # a terminal cuts the end
    if isinstance(address, PartAddress):
        return f"{address.part}  {address.shape}".rstrip()
    return str(address)
