"""One page's pieces held against its truth: counts and examples of faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from wrac.core.errors import WracError
from wrac.core.types import Address, Page
from wrac.evaluation.audit.cuts import Cut, Made
from wrac.evaluation.audit.figures import Count, Example
from wrac.evaluation.audit.stack import Stack
from wrac.evaluation.audit.truth import Truth
from wrac.evaluation.wording import bare, fold, grams, unlinked, words
from wrac.parsing.address import Resolver
from wrac.text.tokens import counter

Counts = Mapping[str, Count]
TOKENIZER: Final = "o200k"
SMALL: Final = 20
_HEAD = 120  # characters of a text that is shown to be recognised


def count(text: str) -> int:
    """Tokens of o200k: what a reader of today pays for."""
    return counter(TOKENIZER).count(text)


def fitting(truth: Truth, maximum: int) -> tuple[Truth, Counter[str]]:
    """The truth without units, rows and blocks of code that no passage could hold whole, and how many those are.

    A text of more than four fifths of the maximum may have to be cut: what is left is for headings and the like.
    """
    most, over = maximum * 4 // 5, Counter[str]()

    def fits(kind: str, text: str) -> bool:
        fine = len(text) <= most or count(text) <= most
        over[kind] += not fine
        return fine

    return replace(
        truth,
        units=tuple(unit for unit in truth.units if fits("units", unit[-1])),
        rows=tuple(row for row in truth.rows if fits("rows", " ".join((*row.cells, *row.header)))),
        blocks=tuple(block for block in truth.blocks if fits("blocks", block)),
    ), over


@dataclass(slots=True)
class Sheet:
    """A page's pieces in the forms in which they are searched."""

    page: Page
    truth: Truth
    cut: Cut
    folded: Stack
    bare: Stack
    context: Stack
    shown: Stack

    @classmethod
    def of(cls, page: Page, truth: Truth, cut: Cut) -> Sheet:
        """The sheet of a page."""
        pieces = cut.pieces
        return cls(
            page,
            truth,
            cut,
            folded=Stack(fold(piece.text) for piece in pieces),
            bare=Stack(bare(piece.text) for piece in pieces),
            context=Stack(bare(piece.context) for piece in pieces),
            shown=Stack(bare(piece.shown) for piece in pieces),
        )

    def judge(self, counts: Counts) -> None:
        """Adds every figure of the page."""
        self._words(counts["lost"], counts["added"])
        self._units(counts["exact"], counts["exact_bare"])
        self._pairs(counts["heading_text"], self.bare, self.truth.headed)
        self._pairs(counts["heading"], self.context, self.truth.headed)
        self._pairs(counts["defined"], self.bare, self.truth.defined)
        self._rows(counts["rows"], counts["header"])
        self._code(counts["blocks"], counts["lines"])
        self._chrome(counts["chrome"])
        shown = sum(count(piece.shown) for piece in self.cut.pieces)
        counts["tokens"].add(shown, count(self.truth.text))
        self._addresses(counts["address"], counts["unique"])

    def _words(self, lost: Count, added: Count) -> None:
        have = Counter(word for piece in self.cut.pieces for word in words(piece.text))
        missing = self.truth.words - have
        lost.add(missing.total(), self.truth.words.total())
        if missing and lost.wants(self.page.url):
            line, where = self._loss(missing)
            what = f"{missing.total()} words of the page are lost, here {where}"
            lost.fault(Example(self.page.url, line[:_HEAD], what))
        said = [word for piece in self.cut.pieces for word in words(unlinked(piece.text))]
        new = [word for word in said if word not in self.truth.known]
        added.add(len(new), len(said))
        if new:
            added.fault(Example(self.page.url, " ".join(new)[:_HEAD], "stands nowhere on the page"))

    def _loss(self, missing: Counter[str]) -> tuple[str, str]:
        """A line of main content that is left out or holds most of what is missing, and what happened to it."""
        lines = dict.fromkeys(map(fold, self.truth.text.split("\n")))
        left = [(line, reason) for text, reason in self._omissions() if (line := fold(text)) in lines]

        def most(line: str) -> int:
            return sum(word in missing for word in words(line))

        if left:
            line, reason = max(left, key=lambda one: most(one[0]))
            return line, f"omitted as {reason}"
        worst = max(lines, key=lambda line: (line not in self.folded, most(line)))
        return worst, f"such as {', '.join([*missing][:5])}"

    def _omissions(self) -> Iterator[tuple[str, str]]:
        """What wrac's plan leaves out, and why."""
        if self.cut.made is not None:
            document, plan, _ = self.cut.made
            yield from ((document.text(ordinal), reason) for ordinal, reason in plan.omitted.items())

    def _units(self, exact: Count, exact_bare: Count) -> None:
        for unit in self.truth.units:
            found = any(form in self.folded for form in unit)
            exact.add(found)
            if not found:
                self._fault(exact, unit[0], unit[0])
            same = any(shape in self.bare and shape in self.shown for shape in map(bare, unit))
            exact_bare.add(same)
            if not same:
                self._fault(exact_bare, unit[0], unit[0])

    def _pairs(self, together: Count, stack: Stack, pairs: Iterable[tuple[str, str]]) -> None:
        for first, second in pairs:
            a, b = bare(first), bare(second)
            good = any(a in stack.texts[index] for index in stack.where(b))
            together.add(good)
            if not good:
                self._fault(together, f"{first} | {second}", first, second)

    def _rows(self, whole: Count, headed: Count) -> None:
        for row in self.truth.rows:
            cells = [bare(cell) for cell in row.cells]
            where = list(self.bare.in_order(cells))
            whole.add(bool(where))
            if not where:
                self._fault(whole, " | ".join(row.cells), *row.cells)
            if row.header:
                heads = [bare(cell) for cell in row.header]
                good = any(all(head in self.shown.texts[index] for head in heads) for index in where)
                headed.add(good)
                if not good:
                    self._fault(headed, " | ".join(row.cells), *row.cells, *row.header)

    def _code(self, whole: Count, verbatim: Count) -> None:
        texts = [_trimmed(piece.text) for piece in self.cut.pieces]
        blocks = Stack(texts)
        for block in self.truth.blocks:
            good = _trimmed(block) in blocks
            whole.add(good)
            if not good:
                self._fault(whole, block, block)
        lines = {line for text in texts for line in text.split("\n")}
        for line in (line for block in self.truth.code for line in _trimmed(block).split("\n") if line):
            good = line in lines
            verbatim.add(good)
            if not good:
                self._fault(verbatim, line, line)

    def _chrome(self, chrome: Count) -> None:
        for piece in self.cut.pieces:
            said = words(unlinked(piece.text))  # a trail puts headings beside one another that a sidebar lists
            at = [i for i, gram in enumerate(grams(said)) if gram in self.truth.chrome]
            chrome.add(len({i + step for i in at for step in range(3)}), len(said))
            if at:
                text = fold(piece.text)
                start = max(text.find(said[at[0]]), 0)
                chrome.fault(Example(self.page.url, text[start:][:_HEAD], "stands outside of main content only"))

    def _addresses(self, found: Count, unique: Count) -> None:
        if self.cut.made is not None:
            for text, good in _resolved(self.page, self.cut.made):
                found.add(good)
                unique.add(good)
                if not good:
                    found.fault(Example(self.page.url, text[:_HEAD], "an address gives another text"))
            return
        page = f" {self.truth.page} "
        for piece in self.cut.pieces:
            said = f" {' '.join(words(unlinked(piece.text)))} "
            at = page.find(said)
            found.add(at >= 0)
            unique.add(at >= 0 and page.rfind(said) == at)

    def _fault(self, where: Count, text: str, *parts: str) -> None:
        if where.wants(self.page.url):
            where.fault(Example(self.page.url, fold(text)[:_HEAD], self._what(parts)))

    def _what(self, parts: Iterable[str]) -> str:
        """Where the parts are: together in other words, apart, omitted, or nowhere."""
        told = []
        for part in dict.fromkeys(parts):
            shape = bare(part)
            where = [*self.bare.where(shape)][:3]
            if where:
                told.append(f"{_quoted(part)} in chunk {', '.join(str(index + 1) for index in where)}")
            else:
                told.append(f"{_quoted(part)} {self._omitted(shape) or 'in no chunk as it stands'}")
        return "; ".join(told)

    def _omitted(self, shape: str) -> str:
        omitted = ((bare(text), reason) for text, reason in self._omissions())
        found = (reason for text, reason in omitted if text and (shape in text or text in shape))
        return next((f"omitted as {reason}" for reason in found), "")


def _quoted(text: str) -> str:
    flat = fold(text)
    return f'"{flat[:30]}…"' if len(flat) > 31 else f'"{flat}"'


def _trimmed(text: str) -> str:
    """The lines without the white space at their ends, which nobody sees."""
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _resolved(page: Page, made: Made) -> Iterable[tuple[str, bool]]:
    """Each chunk's text, and whether the addresses of its places give their texts again."""
    resolver, document = Resolver(page.body, page.media_type, page.charset), made.document
    read: dict[int, bool] = {}
    for one, occurrence in zip(made.chunked.chunks, made.chunked.occurrences, strict=True):
        for ordinal in occurrence.ordinals:
            if ordinal not in read:
                read[ordinal] = _reads(resolver, document.places[ordinal].address, document.text(ordinal))
        yield one.text, all(read[ordinal] for ordinal in occurrence.ordinals)


def _reads(resolver: Resolver, address: Address, text: str) -> bool:
    """Whether an address gives a text; one that leads nowhere does not."""
    try:
        return resolver.text(address) == text
    except WracError:
        return False
