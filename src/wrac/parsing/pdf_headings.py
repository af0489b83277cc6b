"""Which blocks of a PDF are headings, and of which level: by its outline, by structure tags, by how they are set."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from wrac.parsing.pdf_blocks import Block, Flow
from wrac.parsing.pdf_measure import Measure
from wrac.parsing.pdf_read import HEADINGS, Facts, Sheet

_MAX_CHARS: Final = 220
_HIGHEST: Final = 6
_NUMBERED: Final = re.compile(r"(?:\d+(?:\.\d+)*\.?|[A-Z]\.|§\s*\d+|[IVX]+\.)\s+\S")
_SIGNS: Final = re.compile(r"[\W_]+")

Style = tuple[float, bool, bool]


def mark_headings(flow: Sequence[Flow], sheets: Sequence[Sheet], facts: Facts, measure: Measure) -> None:
    """Gives the blocks that are headings their kind and level."""
    blocks = [block for block in flow if isinstance(block, Block)]
    tags = {sheet.number: sheet.tags for sheet in sheets}
    tagged = _tagged(blocks, tags)
    if tagged:
        for block, level in tagged:
            block.kind, block.level = "heading", level
        return
    outlined = _outlined(blocks, facts)
    chosen = {id(block) for block, _ in outlined}
    styles = _styles(blocks, measure)
    found = [block for block in blocks if id(block) in chosen or (_heads(block, measure) and block.style in styles)]
    levels = _levels(found, outlined)
    for block in found:
        block.kind, block.level = "heading", levels[id(block)]
    for before, after in pairwise(flow):  # such as "Chapter 1" above the chapter's name
        if isinstance(before, Block) and isinstance(after, Block) and before.kind == after.kind == "heading":
            before.level = min(before.level, after.level)


def _can_head(block: Block) -> bool:
    text = block.text()
    if block.kind not in ("paragraph", "list_item") or len(block.parts) > 5 or len(text) > _MAX_CHARS:
        return False
    if block.kind == "list_item" and block.number < 0:
        return False
    return any(map(str.isalpha, text)) and not any(part.join == "\n" for part in block.parts)


def _heads(block: Block, measure: Measure) -> bool:
    """Whether a block is set as a heading may be: larger than the text, or bold, short and no sentence."""
    if not _can_head(block) or (block.kind == "list_item" and not measure.at_margin(block.edge)):
        return False
    if block.size > 1.08 * measure.body + 0.2:
        return True
    short = len(block.parts) <= 2 and block.text()[-1] not in ".:;,!"
    return block.bold and block.size > 0.93 * measure.body and short


def _tagged(blocks: Sequence[Block], tags: dict[int, dict[int, str]]) -> list[tuple[Block, int]]:
    """The blocks whose glyphs are tagged as headings, in a file with such tags."""
    found = []
    for block in blocks:
        lines = [part.line for part in block.parts]
        levels = {HEADINGS.get(tags[line.page].get(word.font.tag, ""), 0) for line in lines for word in line.words}
        if len(levels) == 1 and (level := levels.pop()):
            found.append((block, level))
    return found


def _key(text: str) -> str:
    return _SIGNS.sub("", text).lower()


def _outlined(blocks: Sequence[Block], facts: Facts) -> list[tuple[Block, int]]:
    """The blocks that the outline names, on its page, with the outline's level."""
    wanted: dict[tuple[int, str], int] = {}
    for level, title, page in facts.outline:
        key = _key(title)
        if key:
            wanted.setdefault((page, key), level)
            bare = _key(re.sub(r"^(?:chapter|appendix|part)?\s*[\dA-Z.]+\s+", "", title, flags=re.IGNORECASE))
            wanted.setdefault((page, bare or key), level)
    found = []
    for block in blocks:
        if not _can_head(block):
            continue
        text = block.text()
        marker = "".join(word.text for word in block.marker)
        bare = re.sub(r"^(?:chapter|appendix|part)?\s*[\dA-Z]+(?:\.\d+)*\.?\s+", "", text, flags=re.IGNORECASE)
        for key in (_key(marker + text), _key(text), _key(bare)):
            if key and (block.first.page, key) in wanted:
                found.append((block, wanted[block.first.page, key]))
                break
    return found


def _styles(blocks: Sequence[Block], measure: Measure) -> set[Style]:
    """The styles that headings have: larger than the text, or bold and set apart from it."""
    usual = _usual_gap(blocks)
    count: Counter[Style] = Counter()
    apart: Counter[Style] = Counter()
    seen: dict[Style, int] = defaultdict(int)
    for block in blocks:
        if not _heads(block, measure):
            if block.kind == "paragraph":
                seen[block.style] += len(block.text())
            continue
        large = block.size > 1.08 * measure.body + 0.2
        count[block.style] += 1
        apart[block.style] += (
            large
            or block.above < 0
            or block.above > max(1.15 * usual, 0.35 * block.size)
            or (block.above > 1.3 * max(block.below, 0.5) and block.above > 0.25 * block.size)
        )
    return {style for style, times in count.items() if apart[style] * 2 >= times and seen[style] < 40 * times + 200}


def _usual_gap(blocks: Sequence[Block]) -> float:
    """The white between two paragraphs of text that is most common."""
    gaps = Counter(
        round(block.above * 2) / 2
        for block in blocks
        if block.kind == "paragraph" and not block.bold and block.above > 0
    )
    return gaps.most_common(1)[0][0] if gaps else 0.0


def _levels(found: Sequence[Block], outlined: Sequence[tuple[Block, int]]) -> dict[int, int]:
    """The level of each heading: the outline's, or by the rank of its style among those of the others."""
    ranks = sorted({block.style for block in found}, key=lambda style: (-style[0], not style[1], style[2]))
    merged: list[Style] = []
    rank: dict[Style, int] = {}
    for style in ranks:
        if not merged or merged[-1][0] - style[0] > 0.4 or merged[-1][1:] != style[1:]:
            merged.append(style)
        rank[style] = len(merged)
    given = {id(block): level for block, level in outlined}
    by_style: dict[Style, Counter[int]] = defaultdict(Counter)
    for block, level in outlined:
        by_style[block.style][level] += 1
    told = {style: levels.most_common(1)[0][0] for style, levels in by_style.items()}
    title = _is_title(found, given)
    result = {}
    for block in found:
        level = given.get(id(block)) or _between(block.style, rank, told)
        result[id(block)] = max(1, min(level + (1 if title and block is not found[0] else 0), _HIGHEST))
    return result


def _is_title(found: Sequence[Block], given: dict[int, int]) -> bool:
    """Whether the first heading is the document's title, which its outline does not name."""
    if not given or id(found[0]) in given or 1 not in given.values():
        return False
    return found[0].size > max((block.size for block in found if given.get(id(block)) == 1), default=0)


def _between(style: Style, rank: dict[Style, int], told: dict[Style, int]) -> int:
    """The level of a style that the outline says nothing of: one below the lowest style above it."""
    if not told:
        return rank[style]
    if style in told:
        return told[style]
    above = [told[other] for other in told if rank[other] < rank[style]]
    below = [told[other] for other in told if rank[other] > rank[style]]
    if not above:
        return min(below, default=1)
    nearest = max(rank[other] for other in told if rank[other] < rank[style])
    between = {rank[other] for other in rank if nearest < rank[other] <= rank[style]}
    return max(above) + len(between)
