"""Each structural rule of the planner on a small page, and its speed on large ones."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from tests.strategies import Builder

from wrac.chunking import chunk
from wrac.core.errors import ConfigError
from wrac.core.types import Document, Mark, Page, Policy, Role, Visible
from wrac.parsing import parse
from wrac.planning import RulesPlanner, check, plan
from wrac.planning.why import Boundary, why
from wrac.text.partition import Terrain, cheapest, curve
from wrac.text.tokens import counter

LINE = "A line about fees that says enough to be a sentence of its own, with some words to fill it."
DEFAULT = Policy()
TIGHT = Policy(target=40, maximum=80)


def groups(page: Builder, policy: Policy = DEFAULT) -> tuple[tuple[int, ...], ...]:
    document = page.build()
    made = plan(document, policy)
    check(document, made)
    return made.groups


def together(page: Builder, policy: Policy, first: int, second: int) -> bool:
    return any(first in group and second in group for group in groups(page, policy))


def sections(*bodies: int, level: int = 2) -> Builder:
    page = Builder()
    page.heading(1, "Fees")
    for number, body in enumerate(bodies):
        page.heading(level, f"Part {number}")
        for _ in range(body):
            page.paragraph(LINE)
    return page


def test_sections_are_the_units() -> None:
    assert groups(sections(5, 6, 5)) == ((0, *range(1, 7)), tuple(range(7, 14)), tuple(range(14, 20)))


def test_headings_in_a_row_stay_with_the_first_text() -> None:
    page = Builder()
    for level in (1, 2, 3):
        page.heading(level, f"Level {level}")
    page.paragraph(LINE)
    assert groups(page) == ((0, 1, 2, 3),)


def test_small_neighbours_merge_and_large_sections_split_evenly() -> None:
    page = Builder()
    page.heading(1, "Parts")
    for number in range(4):
        page.heading(3, f"Part {number}")
        page.paragraph("A short word on it.")
    assert len(groups(page)) == 1
    split = groups(sections(40))
    sizes = [len(group) for group in split]
    assert len(sizes) > 1
    assert max(sizes) - min(sizes) <= 3


def test_a_lone_heading_at_the_end_is_a_group_of_headings() -> None:
    page = sections(6)
    page.heading(2, "Empty")
    assert groups(page)[-1] == (8,)


@pytest.mark.parametrize("lead", ["You need:", "您需要：", "These are the fees"])
def test_a_list_stays_with_its_lead_in(lead: str) -> None:
    page = Builder()
    page.heading(2, "Fees")
    for _ in range(3):
        page.paragraph(LINE)
    page.paragraph(lead)
    page.items("passport", "proof of address", "two photographs")
    assert together(page, TIGHT, 4, 5)


def test_code_stays_with_the_line_before() -> None:
    page = Builder()
    for _ in range(3):
        page.paragraph(LINE)
    page.paragraph("Then run this command")
    page.add("code", "wrac index docs\nwrac search fees")
    page.paragraph(LINE)
    assert together(page, TIGHT, 3, 4)


def test_a_question_stays_with_the_start_of_its_answer() -> None:
    page = Builder()
    for number in range(4):
        with page.span("qa"):
            page.add("question", f"What does account {number} cost, and when is it due?")
            page.paragraph(LINE)
            page.paragraph(LINE)
    for number in range(4):
        assert together(page, TIGHT, 3 * number, 3 * number + 1)


def test_a_term_stays_with_its_definitions() -> None:
    page = Builder()
    with page.span("definitions"):
        for number in range(8):
            with page.span("item"):
                page.add("term", f"fee {number}")
                page.add("definition", LINE)
    for number in range(8):
        assert together(page, TIGHT, 2 * number, 2 * number + 1)


def test_a_caption_and_header_row_stay_with_the_first_rows() -> None:
    page = Builder()
    with page.span("table") as data:
        page.add("caption", "Fees by account and by year, all of them in euro, without any tax")
        data["header_rows"] = (page.row("Account", "Fee", "Remark", header=True),)
        for number in range(12):
            page.row(f"Account {number}", f"{number} EUR", "due on the first working day of the year")
    made = groups(page, TIGHT)
    assert len(made) > 1
    assert made[0][:3] == (0, 1, 2)


def test_an_item_is_not_cut_from_its_nested_list() -> None:
    page = Builder()
    with page.span("list"):
        for number in range(6):
            with page.span("item"):
                page.add("list_item", f"Account {number} is opened in three steps", 1)
                page.items("Ask for a form at any branch", "Fill it in and sign it")
    for group in groups(page, TIGHT):
        assert group[0] % 3 == 0


def test_a_paragraph_that_refers_back_does_not_open_a_chunk() -> None:
    def starts(position: int, opening: str) -> set[int]:
        made = Builder()
        for number in range(6):
            made.paragraph(f"{opening if number == position else 'Our'} {LINE}")
        return {group[0] for group in groups(made, Policy(target=40, maximum=120))}

    usual = max(starts(0, "Our"))
    assert usual in starts(usual, "All")
    assert usual not in starts(usual, "This")
    assert usual not in starts(usual, "and then")


def test_a_short_title_line_stays_with_what_follows() -> None:
    page = Builder()
    for number in range(9):
        page.paragraph("Note" if number == 4 else LINE)
    assert together(page, TIGHT, 4, 5)


@pytest.mark.parametrize(
    ("role", "visible", "score", "reason"),
    [
        ("nav", "visible", 1.0, "nav"),
        ("footer", "visible", 1.0, "footer"),
        ("cookie", "visible", 1.0, "cookie"),
        ("control", "visible", 1.0, "control"),
        ("main", "collapsed", 0.0, None),
        ("main", "hidden", 0.9, None),
        ("main", "hidden", 0.05, "hidden"),
        ("aside", "visible", 0.1, None),
        ("data", "hidden", 0.5, None),
        ("data", "hidden", 0.05, "hidden"),
    ],
)
def test_chrome_is_omitted_with_a_reason(role: Role, visible: Visible, score: float, reason: str | None) -> None:
    page = Builder()
    page.paragraph(LINE)
    page.role, page.visible, page.score = role, visible, score
    page.paragraph("Something else")
    assert plan(page.build()).omitted.get(1) == reason


def test_footnotes_that_the_text_links_to_are_kept_whatever_they_score() -> None:
    page = Builder()
    page.add("paragraph", LINE, marks=(Mark("link", 0, 4, "#n1"), Mark("link", 5, 6, "#n3")))
    page.score = 0.05
    for number in range(1, 5):
        page.add("paragraph", f"Note {number}", anchor=f"n{number}")
    assert not plan(page.build()).omitted


def test_a_question_in_a_script_is_kept_whatever_it_scores() -> None:
    asked = {
        "@type": "FAQPage",
        "mainEntity": [{"@type": "Question", "name": "Why?", "acceptedAnswer": {"text": "So."}}],
    }
    text = "".join(f"<p>{LINE} {number}</p>" for number in range(30))
    page = f'<main>{text}</main><script type="application/ld+json">{json.dumps(asked)}</script>'
    document = parse(Page("a.html", page.encode()))
    assert [document.text(ordinal) for ordinal in (30, 31)] == ["Why?", "So."]
    assert not {30, 31} & set(plan(document).omitted)


def test_a_run_of_low_scores_is_omitted_and_a_single_one_is_not() -> None:
    page = Builder()
    page.paragraph(LINE)
    page.score = 0.1
    page.paragraph("A doubtful line")
    page.score = 0.9
    page.paragraph(LINE)
    page.score = 0.1
    for number in range(3):
        page.paragraph(f"Related {number}")
    page.row("A", "row")
    assert plan(page.build()).omitted == dict.fromkeys((3, 4, 5), "low score")


def test_a_page_of_low_scores_keeps_its_text() -> None:
    page = Builder(score=0.0)
    for number in range(5):
        page.paragraph(f"Line {number}")
    assert not plan(page.build()).omitted


def test_a_page_of_chrome_keeps_its_text() -> None:
    page = Builder(role="nav")
    page.paragraph("Home")
    assert plan(page.build()).groups == ((0,),)
    page.role, page.visible, page.score = "main", "hidden", 0.0
    page.paragraph("Shown by a script")
    made = plan(page.build())
    assert made.groups == ((1,),)
    assert made.omitted == {0: "nav"}


def test_a_title_in_the_page_header_is_kept() -> None:
    page = Builder(role="header")
    page.heading(1, "Refunds")
    page.paragraph("Log in")
    page.role = "main"
    page.paragraph(LINE)
    made = plan(page.build())
    assert made.groups == ((0, 2),)
    assert made.omitted == {1: "header"}


def test_comments_and_data_keep_to_themselves() -> None:
    page = Builder()
    roles: list[Role] = ["main", "comment", "data", "main", "comment"]
    for role in roles:
        page.role = role
        page.paragraph("Short.")
    assert groups(page) == ((0, 3), (1, 4), (2,))


def test_a_policy_can_keep_tables_whole() -> None:
    page = Builder()
    page.heading(2, "Fees")
    page.paragraph(LINE)
    page.table(("Account", "Fee"), *((f"Account {number}", "five euro") for number in range(60)))
    assert any(set(range(2, 63)) <= set(group) for group in groups(page, Policy(60, 512, whole_tables=True)))
    assert len(groups(page, Policy(60, 512))) > 2


def test_a_policy_can_keep_lists_whole() -> None:
    page = Builder()
    page.paragraph(LINE)
    page.items(*(f"Account {number} costs five euro a year" for number in range(30)))
    assert len(groups(page, Policy(60, 512))) > 2
    assert any(set(range(1, 31)) <= set(group) for group in groups(page, Policy(60, 512, whole_lists=True)))


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_policy_can_limit_the_chunks_of_an_h2_section(limit: int) -> None:
    page = sections(9, 3, 9)
    page.heading(3, "More")
    for _ in range(9):
        page.paragraph(LINE)
    document = page.build()
    made = plan(document, Policy(60, 512, chunks_per_h2=limit))
    check(document, made)
    for span in document.spans:
        if span.kind == "section" and span.data["level"] == 2:
            assert sum(span.first <= group[-1] <= span.last for group in made.groups) <= limit
    assert len(plan(document, Policy(60, 512)).groups) > 6


def test_a_policy_can_cut_dense_text_finer() -> None:
    page = Builder()
    for number in range(16):
        page.paragraph(f"On {number + 1} May 2024 the fee of Visa Gold rose from $1{number} to $2{number}, by 3.5%.")
    assert len(groups(page, Policy(entities=8))) > len(groups(page))


def test_an_answer_stays_whole_under_the_heading_that_asks() -> None:
    for title, many in (("What does it cost?", 1), ("Costs", 2)):
        page = sections(2)
        page.heading(2, title)
        for number in range(19):
            page.paragraph(f"{number} {LINE}")
        assert sum(group[-1] > 3 for group in groups(page)) == many, title


def test_answers_under_a_question_do_not_swallow_the_sections_below() -> None:
    page = sections(2)
    page.heading(2, "How do I pay?")
    page.paragraph(LINE * 2)
    for number in range(2):
        page.heading(3, f"By card {number}")
        for _ in range(7):
            page.paragraph(LINE)
    assert len(groups(page)) == 4


@pytest.mark.parametrize(
    ("language", "usual", "tied"),
    [
        ("en", "Fees rise by a tenth", "Unlike fees, rates fall"),
        ("en", "Fees rise by a tenth", "Fees by this method rise"),
        ("en", "Fees follow a rule", "Fees follow equation (13)"),
        ("de", "Die Gebühr steigt", "Die Gebühr steigt, wie oben beschrieben"),
        ("de", "Die Gebühr steigt", "Im Vergleich dazu steigt die Gebühr"),
        ("fr", "Le prix monte", "Le prix indiqué ci-dessus monte"),
        ("es", "El precio sube", "A diferencia de este, el precio sube"),
        ("it", "Il prezzo sale", "Questo prezzo sale"),
        ("pt", "O preço sobe", "Este preço sobe"),
        ("nl", "De prijs stijgt", "Deze prijs stijgt"),
        ("ja", "手数料は上がります", "これは手数料です"),
        ("zh", "费用上涨", "该费用上涨"),
        ("", "Fees rise by a tenth", "However, fees rise"),
    ],
)
def test_wording_ties_a_paragraph_to_the_one_before(language: str, usual: str, tied: str) -> None:
    ties = {"anaphor", "refers", "compared"}

    def named(text: str) -> set[str]:
        page = Builder(language=language)
        page.paragraph("Nothing is said here about money.")
        page.paragraph(text)
        return ties & set(told(page)[0].terms)

    assert not named(usual)
    assert named(tied)


def told(page: Builder, policy: Policy = DEFAULT) -> list[Boundary]:
    return why(RulesPlanner(policy, counter("o200k")), page.build())


@pytest.mark.parametrize("text", ["See the following table for fees", "Die folgende Tabelle nennt alles", "如下表"])
def test_what_is_announced_stays_with_the_announcement(text: str) -> None:
    page = Builder(language="de" if text.startswith("Die") else "zh" if text == "如下表" else "en")
    page.paragraph(LINE)
    page.paragraph(text)
    page.table(("Account", "Fee"), ("Gold", "5 EUR"))
    assert told(page)[1].terms["announced"] == 3


def test_statements_of_the_same_kind_of_fact_lean_together() -> None:
    page = Builder()
    for text in ("In 2023 it was Oslo.", "In 2024 it was Rome.", "It costs $5.", "Version 2.1 is out."):
        page.paragraph(text)
    assert ["facts" in boundary.terms for boundary in told(page)] == [True, False, False]


def test_code_leans_to_its_explanation_on_both_sides() -> None:
    page = Builder()
    page.paragraph("Run it")
    page.add("code", "wrac index")
    page.paragraph("The index is written.")
    before, after = told(page)
    assert before.terms["code"] == 2
    assert after.terms["explained"] == 0.5


def test_a_policy_can_start_a_chunk_at_each_question() -> None:
    page = Builder()
    for number in range(4):
        with page.span("qa"):
            page.add("question", f"Question {number}?")
            page.paragraph("Yes.")
    assert len(groups(page)) == 1
    assert groups(page, Policy(one_question=True)) == ((0, 1), (2, 3), (4, 5), (6, 7))


@pytest.mark.parametrize("policy", [Policy(0), Policy(600), Policy(-5, -1)])
def test_a_policy_without_sense_is_refused(policy: Policy) -> None:
    with pytest.raises(ConfigError, match="1 <= target <= maximum"):
        plan(Builder().build(), policy)


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        (Policy(prose=0), "prose 0: a policy needs prose >= 1"),
        (Policy(chunks_per_h2=-2), "chunks_per_h2 -2: a policy needs chunks_per_h2 >= 0"),
        (Policy(entities=-1), "entities -1: a policy needs entities >= 0"),
    ],
)
def test_a_field_without_sense_is_named(policy: Policy, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        plan(Builder().build(), policy)


def test_a_maximum_beyond_any_page_takes_no_more_memory_than_the_page() -> None:
    page = Builder()
    for number in range(50):
        page.paragraph(f"Paragraph {number} says a few words and then some more.")
    page.paragraph(" ".join(f"Sentence {number} of a long paragraph about subject {number}." for number in range(800)))
    document = page.build()
    huge, large = Policy(maximum=10**15), Policy(maximum=10**5)
    made = plan(document, huge)
    assert made.groups == plan(document, large).groups
    assert chunk(document, made, huge).chunks == chunk(document, made, large).chunks


def test_a_huge_maximum_takes_no_time_that_grows_with_it() -> None:
    def seconds(count: int) -> float:
        prices = curve(160, 10**5)
        terrain = Terrain([25] * count, [False] * count, [1.0] * count, [prices] * count)
        started = time.process_time()
        cheapest(terrain, 12.0)
        return time.process_time() - started

    seconds(500)
    assert seconds(8000) < 10 * seconds(2000), "without an early end it is the square: 16 times"


def test_the_planner_names_its_policy() -> None:
    count = counter("words")
    names = {RulesPlanner(policy, count).name for policy in (Policy(), Policy(80), Policy(80, 100))}
    assert "rules@3" in names
    assert len(names) == 3
    assert all(name.startswith("rules@3") for name in names)


def flat(count: int) -> Document:
    page = Builder()
    for number in range(count):
        page.paragraph(f"p{number % 7}")
    return page.build()


def rows(count: int) -> Document:
    page = Builder()
    page.table(("Name", "Fee"), *((f"n{number}", str(number)) for number in range(1, count)))
    return page.build()


def headings(count: int) -> Document:
    page = Builder()
    for number in range(count):
        page.heading(2, f"h{number % 5}")
    return page.build()


@pytest.mark.parametrize(("make", "count"), [(flat, 20_000), (rows, 5_000), (headings, 2_000)])
def test_long_pages_take_linear_time(make: Callable[[int], Document], count: int) -> None:
    document = make(count)
    start = time.process_time()
    made = plan(document)
    assert time.process_time() - start < 15
    assert sum(map(len, made.groups)) == count
