"""Near-identical products: what a query names is found and read, and its siblings are not taken for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes_index import WordEmbedder

from wrac.evaluation.similar import FAMILIES, Family, about, comparisons, measured, questions, write
from wrac.flow import Workspace
from wrac.retrieval import DEMOTED, Stands, demote, path, strangers

SECTIONS = ("Battery", "Camera")


def shelf(*names: str, sections: tuple[str, ...] = SECTIONS, language: str = "en") -> dict[str, Stands]:
    """A passage a section of each name; its text does not say whose it is."""
    return {
        f"{name}/{section}": Stands((name, section), f"The {section.lower()} is checked twice.", language)
        for name in names
        for section in sections
    }


def kept(query: str, passages: dict[str, Stands]) -> set[str]:
    """The names whose passages stay."""
    found = strangers(query, passages)
    return {key.partition("/")[0] for key in passages if key not in found}


# laws

WORDS = st.sampled_from(("Nova", "One", "Pro", "Ultra", "Guide", "to", "X7", "Battery", "phone"))
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
SHELVES = st.lists(st.lists(NAMES, min_size=1, max_size=3).map(tuple), max_size=12).map(
    lambda paths: {str(n): Stands(one, f"Text {n} of {one[-1]}.", "en") for n, one in enumerate(paths)}
)


@given(NAMES, SHELVES)
def test_what_is_named_alone_stays_and_the_order_of_passages_says_nothing(
    query: str, passages: dict[str, Stands]
) -> None:
    found = strangers(query, passages)
    assert found <= passages.keys()
    assert found == strangers(query, dict(reversed(passages.items())))
    assert not found or found < passages.keys(), "somebody was named"


@given(SHELVES)
def test_a_query_that_names_nothing_changes_nothing(passages: dict[str, Stands]) -> None:
    assert not strangers("how long does it last?", passages)


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1)), st.data())
def test_demoting_keeps_every_entry_and_stays_in_order(scores: dict[str, float], data: st.DataObject) -> None:
    ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    strange = frozenset(data.draw(st.sets(st.sampled_from(sorted(scores))))) if scores else frozenset[str]()
    made = demote(ranked, strange)
    assert made == sorted(made, key=lambda pair: (-pair[1], pair[0]))
    assert {entry: round(score * (DEMOTED if entry in strange else 1), 9) for entry, score in ranked} == {
        entry: round(score, 9) for entry, score in made
    }


# what a query names


@pytest.mark.parametrize(
    ("query", "stay"),
    [
        ("How long does the battery of the Nova Pro last?", {"Nova Pro"}),
        ("how long does the battery of the nova pro last", {"Nova One", "Nova Pro", "Nova Ultra"}),
        ("Is the Pro better than the Ultra?", {"Nova Pro", "Nova Ultra"}),
        ("How do Nova One and Nova Pro differ?", {"Nova One", "Nova Pro"}),
        ("Which phone of Nova has the best battery?", {"Nova One", "Nova Pro", "Nova Ultra"}),
        ("Which one has a good camera?", {"Nova One", "Nova Pro", "Nova Ultra"}),
        ("What does the X9 cost?", {"Nova One", "Nova Pro", "Nova Ultra"}),
    ],
)
def test_one_two_and_none_of_three(query: str, stay: set[str]) -> None:
    assert kept(query, shelf("Nova One", "Nova Pro", "Nova Ultra")) == stay


def test_without_capitals_a_name_is_one_where_the_texts_have_it_so() -> None:
    passages = shelf("Nova One", "Nova Pro", "Nova Ultra")
    passages["x"] = Stands(("Shops", "Hours"), "We sell the Nova Pro and the Nova Ultra.", "en")
    assert kept("how long does the battery of the nova pro last", passages) == {"Nova Pro", "x"}


def test_the_plain_model_is_not_the_longer_one_nor_the_other_way_round() -> None:
    names = ("Nova 7", "Nova 7 Pro", "Nova 7 Pro Max")
    assert kept("battery of the Nova 7", shelf(*names)) == {"Nova 7"}
    assert kept("battery of the Nova 7 Pro", shelf(*names)) == {"Nova 7 Pro"}
    assert kept("battery of the Nova 7 Pro Max", shelf(*names)) == {"Nova 7 Pro Max"}


def test_names_of_two_parts_are_told_apart_by_both() -> None:
    names = ("Nova 7", "Nova 7 Ultra", "Nova 8 Ultra", "Vega 8 Ultra")
    assert kept("battery of the Nova 7 Ultra", shelf(*names)) == {"Nova 7 Ultra"}
    assert kept("battery of the Nova 8 Ultra", shelf(*names)) == {"Nova 8 Ultra"}


def test_a_maker_before_a_name_makes_no_other_product_of_it() -> None:
    assert kept("battery of the Acme Nova 7", shelf("Acme Nova 7", "Nova 7", "Nova 8")) == {"Acme Nova 7", "Nova 7"}


def test_what_stands_elsewhere_but_speaks_of_it_stays() -> None:
    passages = shelf("Nova One", "Nova Pro")
    passages["says"] = Stands(("Nova One", "Cases"), "The case fits the Nova Pro, too.", "en")
    passages["counts"] = Stands(("Nova One", "Pros"), "There are pros and cons.", "en")
    found = strangers("Which case has the Nova Pro?", passages)
    assert "says" not in found
    assert "counts" in found


def test_names_without_a_common_heading_are_no_siblings() -> None:
    passages = shelf("Nova Pro") | shelf("Nova Shops", sections=("Berlin", "Paris"))
    assert kept("battery of the Nova Pro", passages) == {"Nova Pro", "Nova Shops"}


def test_pages_without_headings_are_siblings_by_their_words() -> None:
    said = "The phone is charged overnight and lasts for {} days of calls, maps and music."
    passages = {name: Stands((name,), said.format(days), "en") for name, days in (("Nova One", 1), ("Nova Pro", 2))}
    passages["Nova Shops"] = Stands(("Nova Shops",), "Open from nine to five, closed on Sundays.", "en")
    assert kept("battery of the Nova Pro", passages) == {"Nova Pro", "Nova Shops"}


def test_a_page_is_named_by_its_one_heading_where_its_title_says_nothing() -> None:
    passages = {
        f"{number}{section}": Stands((f"page-{number}", name, section), "Text.", "en")
        for number, name in enumerate(("Nova One", "Nova Pro", "Vega Pro"))
        for section in SECTIONS
    }
    assert {key[0] for key in strangers("camera of the Nova Pro", passages)} == {"0", "2"}


def test_labels_are_names_whatever_heading_they_stand_under() -> None:
    assert path("manual > Battery > Nova Pro", "text: Nova Pro, leaflet") == ("manual", "Nova Pro", "Battery")
    assert path("manual > Specification", "specification: Nova Pro") == ("manual", "Specification")
    assert path("") == ("",)
    passages = {
        f"{name}/{part}": Stands(path(f"manual > {part} > {name}", f"text: {name}"), "It is fine.", "en")
        for name in ("Nova One", "Nova Pro")
        for part in SECTIONS
    }
    assert kept("camera of the Nova Pro", passages) == {"Nova Pro"}


@pytest.mark.parametrize(
    ("query", "names", "language"),
    [
        ("星云专业版的电池能用多久", ("星云专业版", "星云标准版"), "zh"),
        ("ギャラクシープロのバッテリーは?", ("ギャラクシープロ", "ギャラクシーウルトラ"), "ja"),
        ("ما هي بطارية هاتف نوفا برو", ("نوفا برو", "نوفا ألترا"), "ar"),
        ("Сколько держит батарея Нова Про?", ("Нова Про", "Нова Ультра"), "ru"),
    ],
    ids=["zh", "ja", "ar", "ru"],
)
def test_scripts_with_and_without_capitals(query: str, names: tuple[str, ...], language: str) -> None:
    assert kept(query, shelf(*names, language=language)) == {names[0]}


# whole flows


@pytest.fixture(scope="module", params=[False, True], ids=["a page each", "on one page"])
def phones(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Workspace]]:
    folder, made = tmp_path_factory.mktemp("similar"), dict[str, Workspace]()
    for family in FAMILIES:
        pages = folder / family.language
        pages.mkdir()
        write(pages, [family], joined=request.param)
        made[family.language] = Workspace(folder / f"{family.language}.ws", embedder=WordEmbedder())
        made[family.language].index([pages], workers=0)
    yield made
    for workspace in made.values():
        workspace.close()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.language)
@pytest.mark.parametrize("budget", [1000, 2000])
def test_a_context_about_one_phone_holds_no_other(phones: dict[str, Workspace], family: Family, budget: int) -> None:
    asked = list(questions(family))
    before = measured(phones[family.language], asked, about, budget, mixed=True)
    after = measured(phones[family.language], asked, about, budget)
    assert before.others > 0.15
    assert after.others == 0
    assert after.first >= before.first


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.language)
def test_a_comparison_has_both_and_no_third(phones: dict[str, Workspace], family: Family) -> None:
    workspace = phones[family.language]
    for one in comparisons(family):
        found = workspace.context(one.text, budget=2000, confidence=0)
        assert {about(hit) for hit in found.answered.results} - {""} == set(one.names)


def test_a_search_shows_siblings_last_and_a_question_about_none_all(phones: dict[str, Workspace]) -> None:
    workspace, family = phones["en"], FAMILIES[0]
    named = [about(hit) for hit in workspace.search(f"reset the {family.names[1]}", k=None)]
    assert set(named) - {""} == set(family.names), "a search leaves nothing out"
    assert named[0] == family.names[1]
    found = workspace.context("How do I reset a phone?", budget=2000, confidence=0)
    assert {about(hit) for hit in found.answered.results} - {""} == set(family.names)


def test_what_scores_are_made_of_adds_up_for_siblings_too(phones: dict[str, Workspace]) -> None:
    for hit in phones["de"].search("Akku des Falke Pro", k=None, explain=True):
        assert hit.parts is not None
        assert sum(hit.parts) == pytest.approx(hit.score, abs=1e-5)


def test_families_are_written_in_the_places_they_are_asked_for(tmp_path: Path) -> None:
    write(tmp_path)
    write(tmp_path, FAMILIES[:1], joined=True)
    assert len(list(tmp_path.iterdir())) == 9
    assert "Nimbus Ultra" in (tmp_path / "en-1.html").read_text("utf-8")
