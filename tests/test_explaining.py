"""What a score is made of: the parts sum to the score, whatever was found and however it was read again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wrac.retrieval import Parts, fuse, parts, rerank, reread

ENTRIES = st.sampled_from([f"e{number}" for number in range(12)])


def ranking(low: float) -> st.SearchStrategy[list[tuple[str, float]]]:
    """A store's list: entries with scores, best first."""
    scores = st.dictionaries(ENTRIES, st.floats(low, 30.0), max_size=8)
    return scores.map(lambda found: sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


LISTS = {
    "lexical": ranking(0.0),
    "dense": ranking(-1.0),
    "pages": st.dictionaries(ENTRIES, st.sampled_from(["p", "q"])),
    "trust": st.floats(0.0, 1.0),
}


@given(**LISTS)
def test_the_parts_of_a_score_sum_to_it(
    lexical: list[tuple[str, float]], dense: list[tuple[str, float]], pages: dict[str, str], trust: float
) -> None:
    found = parts(lexical, dense, pages, trust=trust)
    scores = dict(fuse(lexical, dense, pages, trust=trust))
    assert found.keys() == scores.keys()
    assert all(abs(sum(found[entry]) - score) < 1e-8 for entry, score in scores.items())
    assert all(min(one) >= 0 for one in found.values())


@given(**LISTS, close=st.dictionaries(ENTRIES, st.floats(-1.0, 1.0)))
def test_the_parts_of_a_score_that_was_read_again_sum_to_it(
    lexical: list[tuple[str, float]],
    dense: list[tuple[str, float]],
    pages: dict[str, str],
    trust: float,
    close: dict[str, float],
) -> None:
    before = fuse(lexical, dense, pages, trust=trust)
    head = {entry: close.get(entry, 0.0) for entry, _ in before[:5]}
    after = rerank(before, head, trust=trust)
    found = reread(parts(lexical, dense, pages, trust=trust), before, after, head, trust)
    assert all(abs(sum(found[entry]) - score) < 1e-8 for entry, score in after)
    assert all(found[entry].rerank == 0 for entry, score in after if entry not in head and score)


def test_who_has_words_and_who_is_near() -> None:
    found = parts([("words", 8.0), ("both", 4.0)], [("near", 0.9), ("both", 0.5)], {})
    assert found["words"] == Parts(lexical=0.5)
    assert found["near"] == Parts(dense=0.25)
    assert found["both"] == Parts(lexical=0.25)
