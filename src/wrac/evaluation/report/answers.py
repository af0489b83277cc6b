"""The figures of answers for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wrac.evaluation.report.plain import WIDTH, table, wrapped

Results = dict[str, Any]


def text(found: Results) -> str:
    """A table of the ways, what differs, and what is refused."""
    about = found["data"]
    who = (
        f"by {found['model']}, {found['runs']} runs" if found["model"] else "without a model: the best units themselves"
    )
    head = f"{about['name']}: {about['pages']:,} pages, {about['queries']:,} queries; answers {who}"
    return "\n\n".join([head, table(["way", *found["metrics"]], list(_rows(found)), WIDTH), *_remarks(found)])


def _rows(found: Results) -> Iterator[Sequence[str]]:
    for way in found["ways"]:
        names = found["metrics"]
        yield [_name(way["way"]), *(_figure(name, way["mean"][name]) for name in names)]
        if found["runs"] > 1:
            yield ["  lowest run", *(_figure(name, way["low"][name]) for name in names)]
            yield ["  highest run", *(_figure(name, way["high"][name]) for name in names)]


def _name(way: str) -> str:
    return "mixture" if way == "auto" else way


def _figure(name: str, value: float) -> str:
    if name == "tokens":
        return f"{value:,.0f}"
    return f"{value:.5f}" if name == "USD" else f"{value:.3f}"


def _remarks(found: Results) -> Iterator[str]:
    for way in found["ways"][1:]:
        one = way["difference"]
        told = f"{one['mean']:+.3f} ({one['low']:+.3f} to {one['high']:+.3f}, 95 %, paired bootstrap)"
        yield wrapped(f"F1 of {_name(way['way'])} against passages: {told}: {one['verdict']}", WIDTH)
    own = found["references"]
    gold = f"{own:,} of {found['data']['queries']:,} questions have answers of their own, " if own else ""
    yield wrapped(f"references: {gold}{'the others' if own else 'answers'} are held against their gold blocks", WIDTH)
    if found["embedder"]:
        apart = f"an answer and the reference of another question have {found['apart']:.3f}"
        yield wrapped(f"BERTScore: by the token vectors of {found['embedder']}, greedily matched; {apart}", WIDTH)
    asked = [one for one in found["unanswerable"] if one["asked"]]
    if asked:
        shares = ", ".join(f"{_name(one['way'])} {one['refused']:.1%}" for one in asked)
        yield wrapped(f"refused of {asked[0]['asked']:,} questions that the pages asked do not answer: {shares}", WIDTH)
