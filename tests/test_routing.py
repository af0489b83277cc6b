"""Passages or the whole document: laws of the rule, what it says, and what a search and a catalog make of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes import FakeEmbedder

from wrac.core.answers import Route, Way
from wrac.flow.gather import Pages, assemble
from wrac.flow.route import beside, read, whole
from wrac.flow.search import Ask, rank
from wrac.flow.workspace import Workspace
from wrac.routing import FIRST, RULE, Seen, Signals, route, signals

SHARES = st.floats(0, 1, allow_nan=False)
SEEN = st.lists(st.builds(Seen, st.sampled_from(["a", "b", "c"]), st.floats(0, 1)), max_size=20).map(
    lambda seen: sorted(seen, key=lambda one: -one.score)
)
FIGURES = st.builds(
    Signals,
    st.just("page"),
    st.lists(SHARES, min_size=1, max_size=FIRST).map(tuple),
    st.integers(0, 9),
    SHARES,
    st.integers(0, 5000),
    st.integers(0, 50_000),
)


def free(_: int) -> float | None:
    return None


def cent(tokens: int) -> float | None:
    return tokens / 100


@given(SEEN, st.integers(0, 9), SHARES, st.integers(0, 5000), st.integers(0, 9000))
def test_signals_are_of_the_first_results_of_the_best_page(
    seen: list[Seen], sections: int, held: float, passages: int, document: int
) -> None:
    found = signals(seen, sections, held, passages, document)
    own = [one for one in seen[:FIRST] if seen and one.page == seen[0].page]
    assert len(found.shares) == len(own)
    assert found.page == (seen[0].page if seen else "")
    assert all(0 <= share <= 1 for share in found.shares)
    assert found.near(1.0) == len(own)
    assert found.near(0.0) <= found.near(0.1) <= found.near(0.5)


@given(FIGURES, st.one_of(st.none(), st.integers(0, 60_000)), st.one_of(st.none(), st.floats(0, 600)))
def test_a_document_is_never_read_that_breaks_a_limit(found: Signals, window: int | None, most: float | None) -> None:
    made = route(found, cent, window=window, most=most)
    assert made.passages == Way(found.passages, found.passages / 100)
    assert made.document == Way(found.document, found.document / 100)
    if made.choice == "document":
        assert window is None or found.document <= window
        assert most is None or found.document / 100 <= most
        assert RULE.why(found)


@given(FIGURES)
def test_without_limits_the_rule_alone_decides_and_the_reason_has_its_figures(found: Signals) -> None:
    made = route(found, free)
    assert (made.choice == "document") == bool(RULE.why(found))
    assert f"{found.held:.0%}" in made.reason
    assert "\n" not in made.reason


@given(FIGURES, st.floats(0, 1))
def test_holding_more_of_a_document_never_makes_it_less_wanted(found: Signals, more: float) -> None:
    fuller = replace(found, held=max(found.held, more))
    assert bool(RULE.why(fuller)) >= bool(RULE.why(found))


@pytest.mark.parametrize(
    ("found", "limits", "expected"),
    [
        (
            Signals("p", (1.0,), 1, 0.9, 300, 330),
            {},
            Route("document", "the passages hold 90% of the document", Way(300), Way(330), page="p"),
        ),
        (
            Signals("p", (1.0, 0.99, 0.95, 0.9), 1, 0.5, 300, 600),
            {},
            Route(
                "document",
                "4 results of one document score alike, and the passages hold 50% of it",
                Way(300),
                Way(600),
                page="p",
            ),
        ),
        (
            Signals("p", (1.0,), 1, 0.9, 300, 9000),
            {"window": 8000},
            Route(
                "passages",
                "the passages hold 90% of the document; but its 9,000 tokens do not fit the window of 8,000",
                Way(300),
                Way(9000),
                page="p",
            ),
        ),
        (
            Signals("p", (1.0,), 1, 0.9, 300, 9000),
            {"most": 0.01},
            Route(
                "passages",
                "the passages hold 90% of the document; but its price is not known",
                Way(300),
                Way(9000),
                page="p",
            ),
        ),
        (Signals(passages=0), {}, Route("passages", "nothing was found", Way(0))),
    ],
)
def test_what_a_route_says(found: Signals, limits: dict[str, float], expected: Route) -> None:
    assert route(found, free, **limits) == expected  # type: ignore[arg-type]


def test_a_document_over_the_price_is_refused_with_both_prices() -> None:
    made = route(Signals("p", (1.0,), 1, 0.9, 300, 9000), lambda tokens: tokens / 1e6, most=0.004)
    assert made.choice == "passages"
    assert made.reason.endswith("but it would cost $0.0090, the most is $0.0040")
    assert (made.passages.cost, made.document and made.document.cost) == (0.0003, 0.009)


PAGE = "<h1>Refunds</h1>" + "".join(
    f"<h2>{name}</h2><p>A refund of {name} is paid within {days} days after the parcel came back to the store.</p>"
    for days, name in enumerate(("shoes", "shirts", "books", "lamps", "chairs"), 3)
)
OTHER = "<h1>Opening hours</h1><p>The store is open from nine to five, a refund desk until four.</p>"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "refunds.html").write_text(PAGE)
    (tmp_path / "site" / "hours.html").write_text(OTHER)
    made = Workspace(tmp_path / "workspace", embedder=FakeEmbedder(), events=False)
    made.index([tmp_path / "site"], workers=0)
    return made


def test_a_search_is_read_with_the_size_of_its_document_and_of_what_stands_beside_it(workspace: Workspace) -> None:
    with workspace, workspace.shelf.searching() as (connection, index):
        pages, ask = Pages(connection), Ask("How are refunds of shoes, shirts and books paid?", None, 2000)
        ranking = rank(index, workspace.embedder, ask)
        gathered = assemble(connection, ranking, ask, 0.0, pages)
        found = read(pages, ranking, gathered)
        text = whole(pages, found.page)
        other = beside(gathered, found.page)
        made = route(found, free)
    assert found.page.endswith("refunds.html")
    assert found.held == 1.0
    assert found.sections >= 3
    assert found.document >= text.tokens
    assert {block.page for block in other} <= {f"{found.page.removesuffix('refunds.html')}hours.html"}
    assert all(name in text.text for name in ("shoes", "shirts", "books", "lamps", "chairs"))
    assert made.choice == "document"


def test_little_of_a_document_in_the_passages_is_read_as_passages(workspace: Workspace) -> None:
    with workspace, workspace.shelf.searching() as (connection, index):
        pages, ask = Pages(connection), Ask("How is a refund of lamps paid?", 1, 60)
        ranking = rank(index, workspace.embedder, ask)
        made = route(read(pages, ranking, assemble(connection, ranking, ask, 0.0, pages)), free)
    assert made.choice == "passages"
    assert made.document is not None
    assert made.document.tokens > made.passages.tokens


def test_nothing_found_is_passages(workspace: Workspace) -> None:
    with workspace, workspace.shelf.searching() as (connection, index):
        pages, ask = Pages(connection), Ask("zzz", None, 100, confidence=1.0)
        ranking = rank(index, workspace.embedder, ask)
        made = route(read(pages, ranking, assemble(connection, ranking, ask, 0.0, pages)), free)
    assert made == Route("passages", "nothing was found", Way(0))
