"""Late interaction over the head of a ranking: laws, then the shipped model on a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes_index import WordEmbedder
from tests.site import build

from wrac.core.errors import ConfigError
from wrac.embedding import load
from wrac.flow import Workspace
from wrac.retrieval import Scored, closeness, rerank

SHARES = st.integers(0, 8).map(lambda n: n / 8)
RANKED = st.dictionaries(st.sampled_from([f"e{i}" for i in range(12)]), SHARES).map(
    lambda scores: sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
)


@given(RANKED, st.data(), SHARES)
def test_the_head_is_ordered_anew_and_the_rest_follows_as_it_was(
    ranked: list[Scored], data: st.DataObject, trust: float
) -> None:
    head = [entry for entry, _ in ranked[: data.draw(st.integers(0, 6))]]
    close = {entry: data.draw(SHARES) for entry in head}
    again = rerank(ranked, close, trust=trust)
    assert sorted(entry for entry, _ in again[: len(head)]) == sorted(head)
    assert [entry for entry, _ in again[len(head) :]] == [entry for entry, _ in ranked[len(head) :]]
    scores = [score for _, score in again]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores == sorted(scores, reverse=True)


@given(RANKED, SHARES)
def test_of_equal_scores_the_closer_comes_first_and_alike_closeness_changes_nothing(
    ranked: list[Scored], near: float
) -> None:
    entries = [entry for entry, _ in ranked]
    assert [entry for entry, _ in rerank(ranked, dict.fromkeys(entries, near))] == entries
    level = [(entry, 0.5) for entry in sorted(entries)]
    close = {entry: float(i) for i, entry in enumerate(sorted(entries))}
    assert [entry for entry, _ in rerank(level, close)] == sorted(entries, reverse=True)


def test_without_trust_closeness_says_nothing() -> None:
    ranked = [("a", 0.9), ("b", 0.8)]
    assert [entry for entry, _ in rerank(ranked, {"a": 0.0, "b": 1.0}, trust=0.0)] == ["a", "b"]
    assert [entry for entry, _ in rerank(ranked, {"a": 0.0, "b": 1.0})] == ["b", "a"]


def test_closeness_takes_the_nearest_token_of_each() -> None:
    axes = np.eye(3, dtype=np.float32)
    assert closeness(axes[:2], axes) == 1.0
    assert closeness(axes[:2], axes[1:]) == 0.5
    assert closeness(axes[:0], axes) == closeness(axes, axes[:0]) == 0.0


def test_the_shipped_model_finds_the_answer_closer_with_the_same_digits_each_time() -> None:
    embedder = load()
    asked = embedder.token_vectors("How long do refunds take?", query=True)
    texts = [
        "Money is sent back to you within five days.",
        "Our office dog is called Bruno.",
        "Refunds take five days.",
    ]
    close = [closeness(asked, embedder.token_vectors(text)) for text in texts]
    assert close[2] > close[0] > close[1]
    assert close == [closeness(asked, embedder.token_vectors(text)) for text in texts]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("rerank")
    with Workspace(folder / "ws") as made:
        made.index(build(folder, 3), workers=0)
        yield made


def test_a_search_read_once_more_finds_the_same_passages_in_a_fixed_order(workspace: Workspace) -> None:
    plain = workspace.search("what does the large plan cost for shipping", k=None)
    first, second = (workspace.search("what does the large plan cost for shipping", k=None, rerank=True) for _ in "12")
    assert first == second
    assert {hit.chunk for hit in first} == {hit.chunk for hit in plain}
    assert [hit.score for hit in first] == sorted((hit.score for hit in first), reverse=True)
    assert {hit.chunk: hit.confidence for hit in first} == {hit.chunk: hit.confidence for hit in plain}


def test_an_embedder_without_token_vectors_says_so(tmp_path: Path) -> None:
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as made:
        made.index(build(tmp_path, 1), workers=0)
        with pytest.raises(ConfigError, match=r"^words@1 has no vectors of tokens; search without --rerank$"):
            made.search("refunds", rerank=True)
