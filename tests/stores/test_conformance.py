"""What every index must do. A store is compared with the oracle on the same rows; a new one is added to `STORES`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes_index import Oracle
from tests.stores.stores import EMBEDDER, STORES, Open, Store, Vectors

from wrac.catalog import vectors
from wrac.core.ids import content_id
from wrac.indexing import ALL, DIGITS, Change, Filters, Index, Row
from wrac.retrieval import fuse


@pytest.fixture(params=STORES, ids=lambda store: store.__name__)
def store(request: pytest.FixtureRequest) -> Store:
    return request.param  # type: ignore[no-any-return]


def row(text: str, page: str = "a.html", position: int = 0, **more: object) -> Row:
    """A row whose ids, terms and key are those of its text."""
    chunk, prefix = content_id("c1", [text]), str(more.get("prefix", ""))
    whole = f"{prefix}\n{text}" if prefix else text
    made = Row(content_id("e1", [chunk, prefix]), chunk, page, position, text, prefix)
    return replace(made, terms=tuple(whole.lower().split()), key=vectors.key(whole), **more)  # type: ignore[arg-type]


def change(page: str, rows: Sequence[Row]) -> Change:
    """The rows with the vectors of their texts."""
    texts = [f"{one.prefix}\n{one.text}" if one.prefix else one.text for one in rows]
    return Change(page, tuple(rows), EMBEDDER.embed(texts))


def learn(known: Vectors, rows: list[Row]) -> None:
    for one in rows:
        text = f"{one.prefix}\n{one.text}" if one.prefix else one.text
        known[one.key] = EMBEDDER.embed([text])[0]


WORDS = ["refund", "fee", "c++", "node.js", "the", "the", "费用", "é"]
PAGES = ["docs/a.html", "docs/b.html", "blog/c.html"]


def words(random: Random) -> list[str]:
    return random.choices(WORDS, k=random.randrange(1, 8))


def page_rows(random: Random, page: str) -> list[Row]:
    """A page's rows: one language, planner and metadata for the page, kinds and roles by row."""
    language = random.choice(["en", "de-AT", ""])
    meta = {name: random.choice("xy") for name in ("product", "tenant") if random.random() < 0.6}
    date = random.choice(["", "2025-12-31", "2026-01-01"])
    texts = [" ".join(words(random)) for _ in range(random.randrange(6))]
    return [
        row(
            text, page, position, prefix=random.choice(["", "the fee"]), language=language, meta=meta,
            label=random.choice(["", "fees; late"]), date=date, planner="rules@1", units=(content_id("u1", [text]),),
            trail=("Fees", "Late"), anchor="x", link="#x",
            kinds=tuple(kind for kind in ("code", "paragraph") if random.random() < 0.5), tokens=3,
            roles=tuple(role for role in ("aside", "main") if random.random() < 0.5),
        )
        for position, text in enumerate(texts)
    ]  # fmt: skip


def history(random: Random) -> list[tuple[str, list[Row]]]:
    """Pages put, put again and, with no rows, removed."""
    pages = random.choices(PAGES, k=random.randrange(1, 8))
    return [(page, page_rows(random, page)) for page in pages]


FILTERS = [
    ALL,
    Filters(url=("docs/",)),
    Filters(url=("docs/b", "blog/")),
    Filters(language=("de",)),
    Filters(kind=("code",), role=("main", "aside")),
    Filters.of({"product": ["x", "y"], "tenant": "x"}),
    Filters.of({"since": "2026-01-01"}),
    Filters.of({"until": "2025-12-31", "language": "DE-at"}),
    Filters(url=("nothing/",)),
    Filters.of({"tenant": []}),
]


TOLERANCE = 2 * 10**-DIGITS
"""Two digits that rounding may turn: scores nearer than this may stand in either order."""


def same(found: list[tuple[str, float]], wanted: list[tuple[str, float]], all_wanted: dict[str, float]) -> None:
    """Equal scores in equal order, of the entries that have them; `all_wanted` are those of the whole index."""
    assert [score for _, score in found] == pytest.approx([score for _, score in wanted], abs=TOLERANCE)
    assert len(dict(found)) == len(found)
    for entry, score in found:
        assert all_wanted[entry] == pytest.approx(score, abs=TOLERANCE)
    assert found == sorted(found, key=lambda one: (-one[1], one[0]))


def test_a_store_ranks_as_the_oracle_does_after_any_history(
    store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=40 if store.__name__ == "sqlite" else 10, deadline=None)
    @given(st.integers(0, 2**32))
    def law(seed: int) -> None:
        random = Random(seed)
        known: Vectors = {}
        oracle = Oracle(known)
        with store(tmp_path_factory.mktemp("store"), known) as opened:
            for _ in range(random.randrange(1, 4)):
                changes = [change(page, rows) for page, rows in history(random)]
                for one in changes:
                    learn(known, list(one.rows))
                with opened() as index:
                    index.write(changes)
                oracle.write(changes)
            with opened() as index:
                compare(index, oracle, words(random), random.randrange(1, 5))

    law()


def compare(index: Index, oracle: Oracle, query: list[str], k: int) -> None:
    vector = EMBEDDER.embed([" ".join(query)], query=True)[0]
    assert index.check() == []
    assert sorted(index.contents()) == sorted(oracle.contents())
    assert (index.size(), index.fields()) == (oracle.size(), oracle.fields())
    assert sorted(index.languages()) == sorted(oracle.languages())
    for filters in FILTERS:
        lexical(index, oracle, query, k, filters)
        same(index.dense(vector, k, filters), oracle.dense(vector, k, filters), dict(oracle.dense(vector, 99)))
        entries = [entry for entry, _ in oracle.lexical(query, 99)]
        bare = {
            entry: [replace(one, terms=(), key=b"") for one in rows]
            for entry, rows in oracle.rows(entries, filters).items()
        }
        assert index.rows(entries, filters) == bare
        stored = index.vectors(entries)
        for entry, vector_of in oracle.vectors(entries).items():
            assert np.allclose(stored[entry], vector_of, atol=1e-6)


def lexical(index: Index, oracle: Oracle, query: list[str], k: int, filters: Filters) -> None:
    """The oracle's BM25 where the store says so; else its own over the same passages, a shorter list the head of it."""
    found, every = index.lexical(query, k, filters), index.lexical(query, 99, filters)
    if index.traits.lexical:
        same(found, oracle.lexical(query, k, filters), dict(oracle.lexical(query, 99)))
    assert {entry for entry, _ in every} == {entry for entry, _ in oracle.lexical(query, 99, filters)}
    assert all(score > 0 for _, score in every)
    assert found == every[:k]


@pytest.fixture
def opened(store: Store, tmp_path: Path) -> Iterator[tuple[Open, Vectors]]:
    known: Vectors = {}
    with store(tmp_path, known) as found:
        yield found, known


def put(opened: tuple[Open, Vectors], page: str, rows: list[Row]) -> None:
    learn(opened[1], rows)
    with opened[0]() as index:
        index.write([change(page, rows)])


def test_a_word_in_most_passages_of_a_small_site_still_counts(opened: tuple[Open, Vectors]) -> None:
    rows = [row(f"refund policy {number}", position=number) for number in range(11)]
    put(opened, "a.html", [*rows, row("shipping", position=11)])
    with opened[0]() as index:
        found = index.lexical(["refund"], 20)
    assert len(found) == 11
    assert min(score for _, score in found) > 0


def test_a_rare_token_is_found_whatever_its_signs(opened: tuple[Open, Vectors]) -> None:
    texts = [
        "c++ templates",
        "c# generics",
        "node.js 18",
        "utf-8 text",
        "费用 表",
        "x'; drop table pages; --",
        'say "hi" AND (x OR',
    ]
    put(opened, "a.html", [row(text, position=number) for number, text in enumerate(texts)])
    with opened[0]() as index:
        for text in texts:
            assert index.lexical([text.split()[0]], 1)[0][0] == row(text).entry


def test_a_page_put_again_leaves_nothing_of_what_it_was(opened: tuple[Open, Vectors]) -> None:
    put(opened, "a.html", [row("old words", position=0), row("kept words", position=1)])
    put(opened, "a.html", [row("kept words", position=0), row("new words", position=1)])
    with opened[0]() as index:
        assert index.lexical(["old"], 9) == []
        assert {entry for entry, _ in index.lexical(["words"], 9)} == {row("kept words").entry, row("new words").entry}
        assert row("old words").entry not in dict(index.dense(EMBEDDER.embed(["old words"])[0], 9))


def test_an_entry_on_two_pages_is_one_and_lives_as_long_as_either(opened: tuple[Open, Vectors]) -> None:
    for page in ("a.html", "b.html"):
        put(opened, page, [row("shared words", page)])
    with opened[0]() as index:
        assert len(index.lexical(["shared"], 9)) == 1
        assert [one.page for one in index.rows([row("shared words").entry])[row("shared words").entry]] == [
            "a.html",
            "b.html",
        ]
        index.write([Change("a.html")])
    with opened[0]() as index:
        assert len(index.lexical(["shared"], 9)) == 1
        assert index.check() == []
        index.write([Change("b.html")])
        index.write([Change("b.html")])
    with opened[0]() as index:
        assert index.lexical(["shared"], 9) == []
        assert index.check() == []


def test_parts_of_a_chunk_stand_at_one_position(opened: tuple[Open, Vectors]) -> None:
    parts = [
        replace(row("long text", prefix=f"p{number}"), start=number, end=number + 1, position=0) for number in range(2)
    ]
    put(opened, "a.html", parts)
    with opened[0]() as index:
        found = index.rows([one.entry for one in parts])
    assert [(found[one.entry][0].start, found[one.entry][0].end) for one in parts] == [(0, 1), (1, 2)]


def test_equal_scores_stand_in_the_order_of_their_ids(opened: tuple[Open, Vectors]) -> None:
    rows = [row(f"same {number}", page=f"{number}.html") for number in range(30)]
    rows = [replace(one, key=vectors.key("same")) for one in rows]
    opened[1][vectors.key("same")] = EMBEDDER.embed(["same"])[0]
    with opened[0]() as index:
        index.write([Change(one.page, (one,), EMBEDDER.embed(["same"])) for one in rows])
    wanted = sorted(one.entry for one in rows)[:7]
    with opened[0]() as index:
        assert [entry for entry, _ in index.lexical(["same"], 7)] == wanted
        assert [entry for entry, _ in index.dense(EMBEDDER.embed(["same"])[0], 7)] == wanted


@pytest.mark.parametrize("terms", [[], ["absent"], [""]])
def test_a_query_without_a_known_term_finds_nothing(opened: tuple[Open, Vectors], terms: list[str]) -> None:
    put(opened, "a.html", [row("some words")])
    with opened[0]() as index:
        assert index.lexical(terms, 9) == []


def test_an_empty_index_finds_nothing(opened: tuple[Open, Vectors]) -> None:
    with opened[0]() as index:
        assert index.lexical(["a"], 9) == []
        assert index.dense(EMBEDDER.embed(["a"])[0], 9) == []
        assert index.rows(["e1:" + "0" * 32]) == {"e1:" + "0" * 32: []}


def test_a_query_of_ten_thousand_terms_is_cut_to_its_rarest(opened: tuple[Open, Vectors]) -> None:
    put(opened, "a.html", [row(f"word{number} common", position=number) for number in range(100)])
    with opened[0]() as index:
        found = index.lexical([f"word{number}" for number in range(10_000)] + ["common"], 100)
    assert 0 < len(found) <= 100


def test_a_page_written_twice_in_one_batch_is_as_the_last_says(opened: tuple[Open, Vectors]) -> None:
    old, new = row("old words"), row("new words")
    learn(opened[1], [old, new])
    with opened[0]() as index:
        index.write([change("a.html", [old]), change("a.html", [new])])
        index.write([])
    with opened[0]() as index:
        assert list(index.contents()) == [("a.html", 0, new.entry)]


def test_tenants_are_kept_apart(opened: tuple[Open, Vectors]) -> None:
    """The same text on pages of two tenants is found by each on its own page alone, whatever the names look like."""
    tenants = [("tenant", "a"), ("tenant", "a=b"), ("tenant=a", "b"), ("tenant", "A"), ("tenant", "a' OR '1'='1")]
    pages = [
        [
            row("shared words", f"{number}.html", meta={name: value}),
            row(f"own{number} words", f"{number}.html", 1, meta={name: value}),
        ]
        for number, (name, value) in enumerate(tenants)
    ]
    for rows in pages:
        learn(opened[1], rows)
    with opened[0]() as index:
        index.write([change(rows[0].page, rows) for rows in pages])
    vector = EMBEDDER.embed(["shared words"])[0]
    with opened[0]() as index:
        for rows, (name, value) in zip(pages, tenants, strict=True):
            filters = Filters.of({name: value})
            own = {one.entry for one in rows}
            assert {entry for entry, _ in index.lexical(["words"], 9, filters)} == own
            assert {entry for entry, _ in index.dense(vector, 9, filters)} == own
            found = index.rows([one.entry for one in rows], filters)
            assert {one.page for places in found.values() for one in places} == {rows[0].page}


def test_a_filter_misses_nothing_that_an_exact_search_finds(opened: tuple[Open, Vectors]) -> None:
    """One row in fifty is allowed, and none of them is near the query: the filter must hold before the ranking."""
    random = Random(1)
    rows = [
        row(" ".join(words(random)) + f" n{number}", f"{number}.html", meta={"rare": str(number % 50 == 0)})
        for number in range(500)
    ]
    learn(opened[1], rows)
    oracle = Oracle(opened[1])
    changes = [change(one.page, [one]) for one in rows]
    oracle.write(changes)
    with opened[0]() as index:
        index.write(changes)
    with opened[0]() as index:
        for query in ("refund fee", "c++ node.js", "费用"):
            vector = EMBEDDER.embed([query])[0]
            filters = Filters.of({"rare": "True"})
            wanted = oracle.dense(vector, 10, filters)
            same(index.dense(vector, 10, filters), wanted, dict(oracle.dense(vector, 999)))
            assert len(wanted) == 10


def test_both_lists_fused_are_what_the_oracle_gives(opened: tuple[Open, Vectors]) -> None:
    """Exact stores give the oracle's order; a store that ranks by its own BM25 shares half of the first ten."""
    random = Random(2)
    rows = [row(" ".join(words(random) + words(random)) + f" n{n}", f"{n % 40}.html", n // 40) for n in range(400)]
    learn(opened[1], rows)
    oracle = Oracle(opened[1])
    changes = [change(f"{page}.html", [one for one in rows if one.page == f"{page}.html"]) for page in range(40)]
    oracle.write(changes)
    with opened[0]() as index:
        index.write(changes)
    pages = {one.entry: one.page for one in rows}
    shared = []
    with opened[0]() as index:
        for query in ("refund fee", "c++ node.js the", "n7 费用"):
            vector = EMBEDDER.embed([query])[0]
            found, wanted = (
                [entry for entry, _ in fuse(one.lexical(query.split(), 200), one.dense(vector, 200), pages)[:10]]
                for one in (index, oracle)
            )
            shared.append(len(set(found) & set(wanted)) / 10)
    assert min(shared) >= (1.0 if index.traits.lexical and index.traits.dense else 0.5), shared


def test_what_was_written_is_there_when_opened_again(opened: tuple[Open, Vectors]) -> None:
    with opened[0]() as index:
        assert index.size() == 0
    put(opened, "a.html", [row("some words", meta={"product": "x"}, date="2026-11-30", label="fees")])
    for _ in range(2):
        with opened[0]() as index:
            assert index.rows([row("some words").entry])[row("some words").entry][0].date == "2026-11-30"
            assert (index.size(), index.fields(), index.languages()) == (1, ["product"], [""])
