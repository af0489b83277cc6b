"""Passages to one text that a reader or a model is given: by page, in reading order, nothing twice, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, Protocol, TypeAlias


class Part(NamedTuple):
    """A passage as a context needs it: the `position`-th chunk of its page, and the size of its text.

    `tokens` is what no rendering of it is below; `far` says that it scores far below the best one.
    """

    entry: str
    page: str
    position: int
    tokens: int = 0
    far: bool = False


class Stand(NamedTuple):
    """Ids of the headings above a passage, outermost first, and of its units: a heading there says the same."""

    trail: tuple[str, ...]
    units: tuple[str, ...]


class Texts(Protocol):
    """What stands on the pages?"""

    def stand(self, page: str, position: int) -> Stand:
        """What is above a chunk and in it."""
        ...

    def title(self, page: str, unit: str) -> str:
        """A heading of the page on one line."""
        ...

    def markdown(self, page: str, positions: Sequence[int]) -> str:
        """The chunks at positions in a row, ascending, as one text."""
        ...


Size: TypeAlias = Callable[[str], int]
NEAR: Final = 0.725
"""The share of the best score from which on a passage may fill a budget; see docs/design/0019-routing.md."""
SPARE: Final = 0.25
"""The share of a budget that passages below it may fill."""
SURE: Final = 0.5
"""The confidence of the best passage below which all passages may fill a budget: the best may be the wrong one."""


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring passages of a page as one text, under the headings that the block before it has not said.

    `number` is 1-based and stands in the context before the block; `parts` are in reading order.
    """

    number: int
    page: str
    heading: str
    text: str
    parts: tuple[Part, ...]

    @property
    def shown(self) -> str:
        """The block as it stands in the context."""
        return f"[{self.number}] {self.heading}".rstrip() + f"\n{self.text}"


@dataclass(frozen=True, slots=True)
class Context:
    """Blocks as one text; `tokens` is its size."""

    text: str
    tokens: int
    blocks: tuple[Block, ...]


EMPTY = Context("", 0, ())


def context(  # noqa: PLR0913 - a text and its limits
    parts: Iterable[Part],
    texts: Texts,
    size: Size,
    *,
    budget: int | None = None,
    k: int | None = None,
    spare: int | None = None,
) -> Context:
    """The passages, given best first, as one text of at most `budget` by `size`, of at most `k` of them.

    Each is taken where the whole text with it still fits, and passed over where not; of one that is `far` it is
    `spare` that the text must fit. Pages stand in the order of their best passage, the passages of a page in reading
    order, neighbours as one block. What is counted is the text itself: a block may be smaller than its parts.
    """
    taken: dict[tuple[str, int], Part] = {}
    made = EMPTY
    markdown = lru_cache(None)(texts.markdown)
    for part in parts:
        if k is not None and len(taken) >= k:
            break
        place, room = (part.page, part.position), spare if part.far else budget
        if place in taken or (room is not None and made.tokens + part.tokens > room):
            continue
        blocks = tuple(_blocks([*taken.values(), part], texts, markdown))
        text = "\n\n".join(block.shown for block in blocks)
        tokens = size(text)
        if room is None or tokens <= room:
            taken[place] = part
            made = Context(text, tokens, blocks)
    return made


def _blocks(parts: Sequence[Part], texts: Texts, markdown: Callable[[str, tuple[int, ...]], str]) -> Iterator[Block]:
    pages: dict[str, list[Part]] = {}
    for part in parts:
        pages.setdefault(part.page, []).append(part)
    number = 0
    for page, own in pages.items():
        for heading, run in _runs(sorted(own, key=lambda part: part.position), texts):
            number += 1
            said = " > ".join(texts.title(page, unit) for unit in heading)
            yield Block(number, page, said, markdown(page, tuple(part.position for part in run)), tuple(run))


def _runs(parts: Sequence[Part], texts: Texts) -> Iterator[tuple[tuple[str, ...], list[Part]]]:
    """Neighbours of one page that can be read on as one, each run with the headings to print above it."""
    run: list[Part] = []
    heading: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    read: list[str] = []
    for part in parts:
        stand = texts.stand(part.page, part.position)
        new = _unsaid(stand.trail, path, read)
        if new:
            path, read = stand.trail, []
        if run and (new or part.position != run[-1].position + 1):
            yield heading, run
            run = []
        if not run:
            heading = new
        run.append(part)
        read += stand.units
    if run:
        yield heading, run


def _unsaid(trail: tuple[str, ...], path: tuple[str, ...], read: Sequence[str]) -> tuple[str, ...]:
    """The headings of a trail from the first on that a reader of `read`, under the headings `path`, is not in."""
    common = next((i for i, pair in enumerate(zip(trail, path, strict=False)) if pair[0] != pair[1]), len(path))
    rest = trail[common:]
    if not rest or rest[0] not in read:
        return rest
    at = len(read) - 1 - read[::-1].index(rest[0])
    after = iter(read[at:])
    return () if all(unit in after for unit in rest) else rest
