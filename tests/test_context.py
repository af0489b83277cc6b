"""One text to answer from: laws over arbitrary pages and rankings, then real pages with tables and cut units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data import FOLDER, existing
from tests.fakes_index import WordEmbedder

from wrac.core.types import Policy
from wrac.evaluation.datasets import load
from wrac.flow import Workspace
from wrac.retrieval import Context, Part, Stand, context
from wrac.text.tokens import counter


class Book:
    """Pages of chunks, a text each, under headings: what a catalog is to a context."""

    def __init__(self, pages: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]) -> None:
        self.pages = pages

    def stand(self, page: str, position: int) -> Stand:
        return Stand(*self.pages[page][position])

    def title(self, page: str, unit: str) -> str:
        return f"{page} {unit}"

    def markdown(self, page: str, positions: Sequence[int]) -> str:
        return "\n\n".join(f"{page} {unit}" for at in positions for unit in self.pages[page][at][1])


def words(text: str) -> int:
    return len(text.split())


@st.composite
def books(draw: st.DrawFn) -> Book:
    """Pages whose headings h0, h1 ... open sections; a chunk holds a heading or stands under it."""
    pages = {}
    for page in draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)):
        path: tuple[str, ...] = ()
        chunks: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        for number in range(draw(st.integers(1, 6))):
            body: tuple[str, ...] = (f"t{number}",)
            depth = draw(st.none() | st.integers(0, 2))
            if depth is None:
                chunks.append((path, body))
                continue
            # Headings have few names: two sections may be called alike.
            head = f"h{draw(st.integers(0, 2))}"
            chunks.append((path[:depth], (head, *body)))
            path = (*path[:depth], head)
        pages[page] = chunks
    return Book(pages)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[Book, list[Part]]:
    book = draw(books())
    every = [(page, at) for page, chunks in book.pages.items() for at in range(len(chunks))]
    order = draw(st.permutations(every))
    parts = [Part(f"{p}{at}", p, at, words(book.markdown(p, [at]))) for p, at in order]
    return book, parts[: draw(st.integers(0, len(parts)))]


LIMITS = st.none() | st.integers(0, 40)


def held(made: Context) -> list[tuple[str, int]]:
    return [(part.page, part.position) for block in made.blocks for part in block.parts]


@given(rankings(), LIMITS, st.none() | st.integers(0, 5))
def test_the_size_is_that_of_the_text_and_within_both_limits(
    ranked: tuple[Book, list[Part]], budget: int | None, k: int | None
) -> None:
    book, parts = ranked
    made = context(parts, book, words, budget=budget, k=k)
    assert made.tokens == words(made.text)
    assert budget is None or made.tokens <= budget
    assert k is None or len(held(made)) <= k
    if budget is None and k is None:
        assert sorted(held(made)) == sorted((part.page, part.position) for part in parts)


@given(rankings(), LIMITS)
def test_every_line_is_a_heading_or_verbatim_and_nothing_stands_twice(
    ranked: tuple[Book, list[Part]], budget: int | None
) -> None:
    book, parts = ranked
    made = context([*parts, *parts], book, words, budget=budget)
    assert len(set(held(made))) == len(held(made))
    assert made.text == "\n\n".join(
        "\n".join(
            [f"[{n}] {block.heading}".rstrip(), book.markdown(block.page, [part.position for part in block.parts])]
        )
        for n, block in enumerate(made.blocks, 1)
    )
    for block in made.blocks:
        said = block.heading.split(" > ") if block.heading else []
        assert set(said) <= {
            f"{block.page} {unit}" for part in block.parts[:1] for unit in book.stand(*part[1:3]).trail
        }


@given(rankings(), LIMITS)
def test_pages_stand_by_their_best_passage_and_passages_in_reading_order(
    ranked: tuple[Book, list[Part]], budget: int | None
) -> None:
    book, parts = ranked
    made = context(parts, book, words, budget=budget)
    taken = set(held(made))
    best_first = [part.page for part in parts if (part.page, part.position) in taken]
    assert list(dict.fromkeys(block.page for block in made.blocks)) == list(dict.fromkeys(best_first))
    for page in book.pages:
        positions = [at for where, at in held(made) if where == page]
        assert positions == sorted(positions)
    for block in made.blocks:
        run = [part.position for part in block.parts]
        assert run == list(range(run[0], run[0] + len(run)))


@given(rankings())
def test_a_reader_always_knows_the_section(ranked: tuple[Book, list[Part]]) -> None:
    """Read from the top, the headings seen last spell each passage's own trail, in order."""
    book, parts = ranked
    for page in book.pages:
        seen: list[str] = []
        for block in context(parts, book, words).blocks:
            if block.page != page:
                continue
            seen += [one.split()[1] for one in block.heading.split(" > ") if one]
            for part in block.parts:
                trail, units = book.stand(page, part.position)
                at = iter(seen)
                assert all(unit in at for unit in trail)
                seen += units


def test_neighbours_are_one_block_and_a_trail_is_said_once() -> None:
    book = Book(
        {"fees": [((), ("h1", "intro")), (("h1",), ("h2", "late")), (("h1", "h2"), ("more",)), (("h1",), ("x",))]}
    )
    two, one, far = Part("e2", "fees", 2), Part("e1", "fees", 1), Part("e3", "fees", 3)
    made = context([two], book, words)
    assert made.text == "[1] fees h1 > fees h2\nfees more"
    made = context([two, one], book, words)
    assert made.text == "[1] fees h1\nfees h2\n\nfees late\n\nfees more"
    assert [part.entry for part in made.blocks[0].parts] == ["e1", "e2"]
    assert [block.heading for block in context([far, one], book, words).blocks] == ["fees h1", ""]


def test_what_does_not_fit_is_passed_over_for_what_does() -> None:
    book = Book({"a": [((), ("one",))], "b": [((), tuple("pqrstuv"))], "c": [((), ("two",))]})
    parts = [Part("a0", "a", 0), Part("b0", "b", 0), Part("c0", "c", 0)]
    assert held(context(parts, book, words, budget=6)) == [("a", 0), ("c", 0)]
    assert context(parts, book, words, budget=1) == Context("", 0, ())


TABLE = "".join(
    f"<tr><td>Plan {n}</td><td>{n} USD a month, billed in advance for the plan</td></tr>" for n in range(30)
)
LONG = " ".join(f"Sentence {n} says that refunds are handled by the desk." for n in range(40))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    site = tmp_path / "site"
    site.mkdir()
    head = "<title>Plans</title><h1>Plans</h1><p>Our plans.</p><h2>Prices</h2>"
    (site / "plans.html").write_text(f"{head}<table><tr><th>Plan</th><th>Price</th></tr>{TABLE}</table>")
    (site / "refunds.html").write_text(
        f"<title>Refunds</title><h1>Refunds</h1><p>{LONG}</p><h2>Desk</h2><p>Call us.</p>"
    )
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as made:
        made.index(site, workers=0, policy=Policy(target=60, maximum=90))
        yield made


def test_a_table_that_goes_on_has_its_header_once(workspace: Workspace) -> None:
    found = workspace.context("price of plan 3 billed in advance", budget=3000, confidence=0.0)
    block = next(block for block in found.context.blocks if len(block.parts) > 2)
    assert block.text.count("| Plan | Price |") == 1
    assert block.text.count("| Plan 3 |") == 1


def test_a_unit_that_was_cut_is_whole_again(workspace: Workspace) -> None:
    found = workspace.context("refunds handled by the desk", budget=3000, confidence=0.0)
    assert any(LONG in block.text for block in found.context.blocks)


@pytest.mark.parametrize("budget", [20, 90, 200, 700])
def test_a_budget_holds_for_the_text_itself_and_every_passage_is_cited(workspace: Workspace, budget: int) -> None:
    found = workspace.context("refunds for plan 7", budget=budget, confidence=0.0)
    assert found.context.tokens == counter("o200k").count(found.context.text) <= budget
    assert [len(block.parts) for block in found.context.blocks] == [len(sources) for sources in found.sources]
    for block, sources in zip(found.context.blocks, found.sources, strict=True):
        for source in sources:
            assert source.url == block.page
            assert source.link.startswith(source.url)
    ranks = sorted(source.rank for sources in found.sources for source in sources)
    assert ranks == list(range(1, len(ranks) + 1))


def test_a_budget_is_not_filled_up_with_what_does_not_match(workspace: Workspace) -> None:
    all_of_it = workspace.context("refunds desk", budget=5000, confidence=0.0)
    some = workspace.context("refunds desk", budget=5000)
    assert len(some.answered.results) < len(all_of_it.answered.results)
    assert min(hit.confidence for hit in some.answered.results) >= 0.25
    assert workspace.context("zebra quokka", budget=500).context.text == ""


WORD = re.compile(r"\w+")


def test_on_real_pages_every_unit_stands_in_its_block_word_by_word(tmp_path: Path) -> None:
    """A company's pages and questions: the laws hold for what the catalog renders, tables and cut units included."""
    data = load(str(existing(FOLDER / "rmc")), where={"company": "cloudway"})
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as made:
        made.index(existing(FOLDER / "rmc" / "cloudway" / "html"), workers=0)
        for number, query in enumerate(data.queries[::12]):
            budget = (120, 400, 1500)[number % 3]
            found = made.context(query.text, budget=budget, confidence=0.0)
            assert found.context.tokens == counter("o200k").count(found.context.text) <= budget
            chunks = [source.chunk for sources in found.sources for source in sources]
            assert len(set(chunks)) == len(chunks)
            for block, sources in zip(found.context.blocks, found.sources, strict=True):
                assert block.shown in found.context.text
                said = " ".join(WORD.findall(block.text))
                for unit in (unit for source in sources for unit in made.show(source.chunk).units):
                    # A cell's own words stand in a row; between cells the rendering may have a spanned one again.
                    assert all(" ".join(WORD.findall(cell)) in said for cell in unit.text.split("\t"))
