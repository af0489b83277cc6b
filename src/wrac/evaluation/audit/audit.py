"""Pages through strategies, one page at a time: the figures of each strategy, as plain values that JSON can hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from statistics import median
from typing import Any

from wrac.core.types import Page, Policy
from wrac.evaluation.audit.cuts import WARM, Cut, Cutter, Ours, theirs
from wrac.evaluation.audit.figures import FIGURES, Count, Example, row
from wrac.evaluation.audit.judging import SMALL, Sheet, count, fitting
from wrac.evaluation.audit.savings import Savings
from wrac.evaluation.audit.stability import Spread, edited, stability
from wrac.evaluation.audit.truth import Truth, truth
from wrac.evaluation.machine import machine
from wrac.evaluation.values import Chunker

Results = dict[str, Any]
Tell = Callable[[str], None]


@dataclass(slots=True)
class Column:
    """What is known of one strategy so far."""

    cutter: Cutter
    maximum: int
    counts: defaultdict[str, Count] = field(default_factory=lambda: defaultdict(Count))
    sizes: list[int] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    pages: int = 0
    cpu: float = 0.0
    wall: float = 0.0
    _stored: set[str] = field(default_factory=set)
    _texts: dict[bytes, str] = field(default_factory=dict)

    def add(self, page: Page, facts: Truth | None) -> Cut:
        """The page's cut, added to the figures; a page that cannot be cut loses all its words."""
        cut = self.cutter.cut(page)
        self.pages += 1
        if cut.failed:
            self.failed.append({"page": page.url, "reason": cut.failed})
        self.cpu += cut.cpu
        self.wall += cut.wall
        self._sizes(page, cut)
        if facts is not None:
            Sheet.of(page, facts, cut).judge(self.counts)
        return cut

    def _sizes(self, page: Page, cut: Cut) -> None:
        over, small, again = (self.counts[key] for key in ("over", "small", "duplicates"))
        for piece in cut.pieces:
            size = count(piece.text)
            self.sizes.append(size)
            small.add(size < SMALL)
            over.add(size > self.maximum)
            if size > self.maximum:
                over.fault(Example(page.url, piece.text[:120], f"{size} tokens"))
            if piece.key in self._stored:
                continue
            self._stored.add(piece.key)
            digest = blake2b(piece.text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            first = self._texts.setdefault(digest, page.url)
            again.add(first != page.url)
            if first != page.url:
                again.fault(Example(page.url, piece.text[:120], f"stands on {first} too"))

    def row(self) -> Results:
        """The public shape of a strategy's column."""
        return {
            "strategy": self.cutter.name,
            "pages": self.pages,
            "failed": self.failed,
            "chunks": len(self.sizes),
            "median": median(self.sizes) if self.sizes else 0,
            "largest": max(self.sizes, default=0),
            "cpu_seconds": round(self.cpu, 3),
            "seconds": round(self.wall, 3),
            "pages_per_cpu_second": round(self.pages / self.cpu, 2) if self.cpu else None,
            "figures": {figure.key: row(figure, self.counts[figure.key]) for figure in FIGURES},
        }


def audit(
    pages: Iterable[Page],
    against: Sequence[str | Chunker] = (),
    policy: Policy | None = None,
    *,
    tell: Tell = lambda _: None,
) -> Results:
    """wrac and other strategies over the same pages.

    Keys: `machine`, `pages`, `truth` (pages by the rule that found their main content, "none" where there was none),
    `left_out` (units, rows and blocks too long for any passage), `edited` (pages that got a paragraph more), `columns`
    (one a strategy, wrac first) and `wrac` (conservation, repetition, losses, omissions). `tell` is called with each
    page's URL. Of the pages a few are held at a time. A strategy is a name or a Chunker.

    Raises ConfigError for an unknown strategy, MissingExtraError without selectolax or a peer.
    """
    policy = policy or Policy()
    truth(WARM)  # whether its parser is there is known at once
    cutters: list[Cutter] = [Ours(policy), *map(theirs, dict.fromkeys(against))]
    cutters[0].cut(WARM)
    columns = [Column(cutter, policy.maximum) for cutter in cutters]
    rules, left_out, savings, spread = Counter[str](), Counter[str](), Savings(), Spread()
    total = 0
    for page in pages:
        tell(page.url)
        total += 1
        facts, over = _facts(page, policy.maximum)
        rules[facts.rule if facts else "none"] += 1
        left_out += over
        for column in columns:
            cut = column.add(page, facts)
            savings.add(page, cut)
        if facts and edited(page):
            spread.offer(page)
    changed = _stability(columns, spread.pages(), tell)
    return {
        "machine": machine(),
        "policy": {"target": policy.target, "maximum": policy.maximum},
        "pages": total,
        "truth": dict(rules.most_common()),
        "left_out": {"units": left_out["units"], "rows": left_out["rows"], "blocks": left_out["blocks"]},
        "edited": changed,
        "columns": [column.row() for column in columns],
        "wrac": savings.row(),
    }


def _facts(page: Page, maximum: int) -> tuple[Truth | None, Counter[str]]:
    facts = truth(page)
    return fitting(facts, maximum) if facts else (None, Counter())


def _stability(columns: Sequence[Column], pages: Sequence[Page], tell: Tell) -> int:
    """Adds what an inserted paragraph changes; the number of pages that got one."""
    for page in pages:
        after = edited(page)
        if after is not None:
            tell(after.url)
            for column in columns:
                stability(column.cutter, page, after, column.counts)
    return len(pages)
