"""What a model reads of a result: short, the address beside everything that may be cited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wrac import contract
from wrac.catalog.records import Listed
from wrac.core.answers import Answer
from wrac.flow import Result, Shown
from wrac.flow.section import Heading, Section

FIRST = 400
"""Characters that are shown of a hit; the rest is read with read_chunk."""


def hits(found: Sequence[Result]) -> str:
    """Hits, best first, each with the units that answer."""
    return "\n\n".join(map(_hit, found)) or "no passage matches; use other words"


def _hit(hit: Result) -> str:
    head = f"{hit.rank}. {' > '.join(hit.trail) or hit.url}"
    return f"{head}\n{excerpt(hit)}\n{hit.chunk}, {hit.tokens} tokens, confidence {hit.confidence}\n<{hit.link}>"


def excerpt(hit: Result) -> str:
    """The units of a hit that answer best, in their order on the page, or its text; cut to FIRST characters."""
    said = sorted(hit.focus, key=lambda one: hit.text.find(one.text))
    text = "\n".join(one.text for one in said) or hit.text
    return text if len(text) <= FIRST else f"{text[:FIRST].rsplit(maxsplit=1)[0]} …"


def hit_row(hit: Result) -> contract.Json:
    """A hit as data, without its whole text: that is a call of read_chunk away."""
    row = {name: value for name, value in contract.hit_row(hit).items() if name not in ("text", "markdown")}
    return {**row, "excerpt": excerpt(hit)}


def chunk(shown: Shown) -> str:
    """A chunk under its headings, and where it stands."""
    elsewhere = [f"also on <{page}>" for page in shown.pages[1:]]
    units = ", ".join(f"{unit.name} {unit.kind}" for unit in shown.units)
    return "\n".join([*_under(shown.trail), shown.markdown or shown.text, "", units, f"<{shown.link}>", *elsewhere])


def section(found: Section, outline: Sequence[Heading]) -> str:
    """A part of a page, the page's sections where it goes on, and how to read on."""
    lines = [*_under(found.trail), found.markdown, "", f"<{found.link}>"]
    if outline:
        lines += ["", "sections of the page:", *map(_heading, outline)]
    if found.following is not None:
        lines += ["", f"to read on: start={found.following}"]
    return "\n".join(lines)


def page(found: Section) -> str:
    """A whole page, and where it stands."""
    return f"{found.markdown}\n\n<{found.url}>"


def listing(found: Sequence[Listed], following: str | None) -> str:
    """Pages, a line each."""
    lines = [f"{one.url}  {one.chunks} chunks" for one in found]
    return "\n".join([*lines, *([f"more: after={following}"] if following else [])]) or "no page"


def answer(found: Answer) -> str:
    """An answer, and what its marks stand for."""
    cited = [f"[{one.mark}] {one.name} <{one.link}>" for one in found.citations]
    return "\n".join([found.text, *([""] if cited else []), *cited])


def _under(trail: Sequence[str]) -> Iterator[str]:
    if trail:
        yield f"{' > '.join(trail)}\n"


def _heading(one: Heading) -> str:
    return f"{'  ' * (one.level - 1)}{one.name} {one.title} ({one.tokens} tokens)"
