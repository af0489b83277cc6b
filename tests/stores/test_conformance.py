"""What every index must do. A store is compared with the oracle on the same rows; a new one is added to `STORES`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes_index import Oracle, WordEmbedder

from wrac.catalog import Database, vectors
from wrac.core.ids import content_id
from wrac.indexing import ALL, DIGITS, Filters, Index, Row
from wrac.indexing.sqlite import SqliteIndex
from wrac.indexing.tables import metadata
from wrac.indexing.vectors import MatrixFile

EMBEDDER = WordEmbedder()
Vectors = dict[bytes, "np.typing.NDArray[np.float32]"]
Open = Callable[[], AbstractContextManager[Index]]
Store = Callable[[Path, Vectors], AbstractContextManager[Open]]


@contextmanager
def sqlite(folder: Path, known: Vectors) -> Iterator[Open]:
    """The embedded index; each opening is a transaction of its own."""
    database = Database(folder)
    database.create(metadata)
    matrix = MatrixFile(folder, EMBEDDER.name)

    @contextmanager
    def opened() -> Iterator[Index]:
        with database.write() as connection:
            vectors.store(connection, EMBEDDER.name, {key: v.astype("<f4").tobytes() for key, v in known.items()})
            yield SqliteIndex(connection, matrix, lambda keys: vectors.recall(connection, EMBEDDER.name, keys))

    yield opened
    database.close()


STORES: list[Store] = [sqlite]


@pytest.fixture(params=STORES, ids=lambda store: store.__name__)
def store(request: pytest.FixtureRequest) -> Store:
    return request.param  # type: ignore[no-any-return]


def row(text: str, page: str = "a.html", position: int = 0, **more: object) -> Row:
    """A row whose ids, terms and key are those of its text."""
    chunk, prefix = content_id("c1", [text]), str(more.get("prefix", ""))
    whole = f"{prefix}\n{text}" if prefix else text
    made = Row(content_id("e1", [chunk, prefix]), chunk, page, position, text, prefix)
    return replace(made, terms=tuple(whole.lower().split()), key=vectors.key(whole), **more)  # type: ignore[arg-type]


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
    texts = [" ".join(words(random)) for _ in range(random.randrange(6))]
    return [
        row(
            text, page, position, prefix=random.choice(["", "the fee"]), language=language, meta=meta,
            planner="rules@1", units=(content_id("u1", [text]),), trail=("Fees", "Late"), anchor="x", link="#x",
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
    Filters(url=("nothing/",)),
]


def same(found: list[tuple[str, float]], wanted: list[tuple[str, float]]) -> None:
    """Equal entries in equal order with equal scores, but for the digit that rounding may turn."""
    assert [entry for entry, _ in found] == [entry for entry, _ in wanted]
    assert [score for _, score in found] == pytest.approx([score for _, score in wanted], abs=2 * 10**-DIGITS)


def test_a_store_ranks_as_the_oracle_does_after_any_history(
    store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=40, deadline=None)
    @given(st.integers(0, 2**32))
    def law(seed: int) -> None:
        random = Random(seed)
        known: Vectors = {}
        oracle = Oracle(known)
        with store(tmp_path_factory.mktemp("store"), known) as opened:
            for page, rows in history(random):
                learn(known, rows)
                with opened() as index:
                    if rows:
                        index.put(page, rows)
                        oracle.put(page, rows)
                    else:
                        index.remove(page)
                        oracle.remove(page)
            with opened() as index:
                compare(index, oracle, words(random), random.randrange(1, 5))

    law()


def compare(index: Index, oracle: Oracle, query: list[str], k: int) -> None:
    vector = EMBEDDER.embed([" ".join(query)], query=True)[0]
    assert index.check() == []
    for filters in FILTERS:
        same(index.lexical(query, k, filters), oracle.lexical(query, k, filters))
        same(index.dense(vector, k, filters), oracle.dense(vector, k, filters))
        entries = [entry for entry, _ in index.lexical(query, 99)]
        bare = {
            entry: [replace(one, terms=(), key=b"") for one in rows]
            for entry, rows in oracle.rows(entries, filters).items()
        }
        assert index.rows(entries, filters) == bare


@pytest.fixture
def opened(store: Store, tmp_path: Path) -> Iterator[tuple[Open, Vectors]]:
    known: Vectors = {}
    with store(tmp_path, known) as found:
        yield found, known


def put(opened: tuple[Open, Vectors], page: str, rows: list[Row]) -> None:
    learn(opened[1], rows)
    with opened[0]() as index:
        index.put(page, rows)


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
        index.remove("a.html")
    with opened[0]() as index:
        assert len(index.lexical(["shared"], 9)) == 1
        assert index.check() == []
        index.remove("b.html")
        index.remove("b.html")
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
    rows = [row(f"same {number}", position=number) for number in range(30)]
    for one in rows:
        put(
            opened,
            f"{one.position}.html",
            [replace(one, page=f"{one.position}.html", position=0, key=vectors.key("same"))],
        )
    opened[1][vectors.key("same")] = EMBEDDER.embed(["same"])[0]
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
