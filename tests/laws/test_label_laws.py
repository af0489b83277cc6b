"""Laws of labels on any document: verbatim names, closed categories, determinism, and prefixes that only grow."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes import FakeModel
from tests.strategies import documents

from wrac.chunking import chunk, prefixes
from wrac.core.types import Document, Label
from wrac.labelling import CATEGORIES, LlmLabeller, RulesLabeller, beside
from wrac.planning import plan

LAW = settings(deadline=None)
ANSWERS = st.one_of(st.text(max_size=80), st.just('{"labels":[{"same":true},{"nouns":["made up"],"model":"Z9"}]}'))


def passages(document: Document) -> list[tuple[int, ...]]:
    return [one.ordinals for one in chunk(document, plan(document)).occurrences]


def holds(document: Document, label: Label) -> None:
    """Whatever a label names stands on the page; a generated word never does."""
    text = " ".join(" ".join(document.text(place.ordinal).split()) for place in document.places).casefold()
    title = " ".join(document.title.split()).casefold()
    for words in filter(None, (*label.nouns, label.model)):
        folded = " ".join(words.split()).casefold()
        assert folded in text or folded in title
    assert label.category in CATEGORIES


@LAW
@given(documents())
def test_labels_name_only_what_the_page_says(document: Document) -> None:
    labels = RulesLabeller().labels(document, passages(document), "guide.html")
    assert len(labels) == len(passages(document))
    for label in labels:
        holds(document, label)
    assert labels == RulesLabeller().labels(document, passages(document), "guide.html")


@LAW
@given(documents())
def test_an_inherited_label_is_that_of_the_passage_before(document: Document) -> None:
    labels = RulesLabeller().labels(document, passages(document))
    for number, label in enumerate(labels):
        if label.inherited:
            assert number
            assert (label.nouns, label.model) == (labels[number - 1].nouns, labels[number - 1].model)


@LAW
@given(documents(), ANSWERS)
def test_whatever_a_model_says_nothing_is_made_up(document: Document, answer: str) -> None:
    labels = LlmLabeller(FakeModel(answer), {}).labels(document, passages(document))
    assert len(labels) == len(passages(document))
    for label in labels:
        holds(document, label)


@LAW
@given(documents())
def test_what_goes_beside_a_prefix_only_adds(document: Document) -> None:
    made = chunk(document, plan(document))
    before = prefixes(document, made.chunks)
    labels = RulesLabeller().labels(document, [one.ordinals for one in made.occurrences])
    after = beside(before, labels)
    assert all(new.startswith(old) for old, new in zip(before, after, strict=True))
    assert beside(before, [Label()] * len(before)) == before
