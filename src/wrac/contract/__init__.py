"""The public JSON shapes: the same at the command line, over HTTP and as a tool. A change needs a changelog entry."""

from __future__ import annotations

from wrac.contract.base import Json, dumps
from wrac.contract.documents import (
    chunk_row,
    loss,
    losses_row,
    mark,
    occurrence_row,
    place_rows,
    plan_row,
    span,
    structure_row,
    where,
)
from wrac.contract.measures import advice_row, again_row, statistics_row
from wrac.contract.queries import answer_row, context_row, hit_row, page_row, route_row, section_row, shown_row
from wrac.contract.runs import index_row, replan_row

__all__ = [
    "Json",
    "advice_row",
    "again_row",
    "answer_row",
    "chunk_row",
    "context_row",
    "dumps",
    "hit_row",
    "index_row",
    "loss",
    "losses_row",
    "mark",
    "occurrence_row",
    "page_row",
    "place_rows",
    "plan_row",
    "replan_row",
    "route_row",
    "section_row",
    "shown_row",
    "span",
    "statistics_row",
    "structure_row",
    "where",
]
