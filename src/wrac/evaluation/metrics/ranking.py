"""Where in a ranking the helpful passages stand: P@3, MRR and nDCG@10, as ir-measures counts them."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple

from wrac.core.errors import MissingExtraError

RANKING = ("P@3", "MRR", "nDCG@10")


class Needs(NamedTuple):
    """Of one query: whether each hit helps, best first, and how many of all passages that were searched do."""

    hits: tuple[bool, ...]
    helpful: int


def ir_measures() -> ModuleType:
    """The package that counts. Raises MissingExtraError where it is absent."""
    try:
        import ir_measures  # 0.3 s that only evaluation pays
    except ImportError as error:
        raise MissingExtraError("eval", "evaluation") from error
    return ir_measures


def by_position(needs: Sequence[Needs]) -> list[tuple[float, float, float]]:
    """P@3, reciprocal rank and nDCG@10 of each query; a query without hits, or without anything helpful, gives 0.

    Relevance is binary; the ideal ranking puts every helpful passage of the strategy first.
    """
    ir = ir_measures()
    measures = [ir.P @ 3, ir.RR, ir.nDCG @ 10]
    names = [[f"h{i}" for i in range(len(need.hits))] for need in needs]
    wanted = [ir.Qrel(str(row), name, 1) for row, need in enumerate(needs) for name in _helpful(names[row], need)]
    ranked = [ir.ScoredDoc(str(row), name, -place) for row, one in enumerate(names) for place, name in enumerate(one)]
    found = {(one.query_id, one.measure): one.value for one in ir.iter_calc(measures, wanted, ranked)} if wanted else {}
    values = [[float(found.get((str(row), measure), 0.0)) for measure in measures] for row in range(len(needs))]
    return [(precision, reciprocal, gain) for precision, reciprocal, gain in values]


def _helpful(names: Sequence[str], need: Needs) -> list[str]:
    hit = [name for name, helps in zip(names, need.hits, strict=True) if helps]
    return hit + [f"missed{i}" for i in range(need.helpful - len(hit))]
