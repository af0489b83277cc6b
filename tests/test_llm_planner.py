"""The planner that asks a model: outlines, answers, memory; and that a model can move boundaries and nothing else."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes import Answer, FakeModel, everything
from tests.strategies import documents

from wrac.chunking import Chunked, chunk, limits, verify
from wrac.core.errors import ConfigError, MissingExtraError, RemoteError
from wrac.core.types import Document, Page, Policy, Usage
from wrac.parsing import parse
from wrac.planning import check
from wrac.planning.answers import Form, grammar, read, schema, write
from wrac.planning.cascade import THRESHOLD
from wrac.planning.llm import UNANSWERED, LlmPlanner
from wrac.planning.outline import WINDOW
from wrac.planning.rules import RulesPlanner
from wrac.text.tokens import counter

COUNT = counter("o200k")
RULES = RulesPlanner(Policy(), COUNT)
SMALL = Policy(target=24, maximum=40)
NUMBERS = st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=6, unique=True), max_size=5)
ANSWERS = st.one_of(
    st.text(max_size=60),
    st.text('0123456789-,;[]{}": \n', max_size=60),
    NUMBERS.map(write),
    NUMBERS.map(lambda groups: json.dumps({"groups": [write([group]) for group in groups]})),
    NUMBERS.map(json.dumps),
    st.just("1-999999999;3-1;2147483648"),
)


def planner(*answers: Answer, form: Form = "ranges", memory: dict[str, str] | None = None) -> LlmPlanner:
    return LlmPlanner(RULES, FakeModel(*answers), {} if memory is None else memory, form)


def site(*sections: str) -> Document:
    body = "".join(f"<h2>{name}</h2>" + "".join(f"<p>{name} line {n}.</p>" for n in range(14)) for name in sections)
    return parse(Page("a.html", f"<main><h1>All</h1>{body}</main>".encode()))


# -- laws


@given(documents(), ANSWERS, st.sampled_from(["ranges", "starts"]))
def test_whatever_a_model_says_the_plan_is_a_partition_and_omits_what_the_rules_omit(
    document: Document, answer: str, form: Form
) -> None:
    made, _ = planner(answer, form=form).ask(document)
    check(document, made)
    assert made.omitted == RULES.plan(document).omitted


@given(documents(), ANSWERS)
def test_what_was_answered_is_remembered_and_gives_the_same_plan(document: Document, answer: str) -> None:
    memory: dict[str, str] = {}
    first, asked = planner(answer, memory=memory).ask(document)
    second, again = planner(answer, memory=memory).ask(document)
    assert first.planner.endswith(UNANSWERED) == bool(asked.failed) == bool(asked.unanswered)
    assert again.remembered == asked.segments - asked.unanswered
    assert (again.usage.calls > 0) == bool(asked.unanswered)
    assert asked.unanswered or first.groups == second.groups


@given(st.lists(st.sets(st.integers(1, 60), min_size=1), min_size=1, max_size=12))
def test_written_groups_are_read_as_they_were(groups: list[set[int]]) -> None:
    wanted = [tuple(sorted(group)) for group in groups]
    for answer in (
        write(wanted),
        json.dumps({"groups": write(wanted).split(";")}),
        json.dumps([list(g) for g in wanted]),
    ):
        assert read(answer, "ranges", 60) == (tuple(wanted), 0)


@given(documents(), ANSWERS, st.sampled_from([None, 0.5, 2.5]))
def test_a_model_moves_boundaries_and_nothing_else(document: Document, answer: str, threshold: float | None) -> None:
    made = replace(planner(answer), threshold=threshold).plan(document)
    rules = RULES.plan(document)
    ours, theirs = (chunk(document, plan, SMALL) for plan in (made, rules))
    for one in ours.chunks:
        verify(document, one)
        limits(one, SMALL)
    assert covered(document, ours) == covered(document, theirs)
    assert made.omitted == rules.omitted
    assert all(list(group) == sorted(group) for group in made.groups)


def covered(document: Document, made: Chunked) -> dict[str, set[int]]:
    """The letters of each unit that stand in a chunk, by their places in its text."""
    found: dict[str, set[int]] = {}
    for part in (part for one in made.chunks for part in one.slices):
        text = document.units[part.unit].text
        found.setdefault(part.unit, set()).update(at for at in range(part.start, part.end) if not text[at].isspace())
    return found


# -- answers


@pytest.mark.parametrize(
    ("answer", "groups", "malformed"),
    [
        ("1-3;4,6;5", ((1, 2, 3), (4, 6), (5,)), 0),
        ("```\n1-3; 4, 6\n```", ((1, 2, 3), (4, 6)), 0),
        ('{"groups":["1-2","3"]}', ((1, 2), (3,)), 0),
        ("[[1,2],[3]]", ((1, 2), (3,)), 0),
        ("3-1", ((1, 2, 3),), 0),
        ("Sure! Groups: 1-3", ((1, 2, 3),), 0),
        ("", (), 0),
        ("none", (), 1),
        ("1-999999999", ((*range(1, 8),),), 0),
    ],
)
def test_answers_are_read_in_every_writing(answer: str, groups: tuple[tuple[int, ...], ...], malformed: int) -> None:
    assert read(answer, "ranges", 6) == (groups, malformed)


def test_starts_are_neighbours_groups() -> None:
    assert read("1,3,6", "starts", 7).groups == ((1, 2), (3, 4, 5), (6, 7))
    assert read('{"starts":[3]}', "starts", 4).groups == ((1, 2), (3, 4))
    assert read("1,3,9", "starts", 4).groups == ((1, 2), (3, 4), (9,))
    assert read("no idea", "starts", 3).groups == ()


def test_a_grammar_has_no_white_space_and_forces_starts_to_ascend() -> None:
    assert grammar("starts", 3) == 'root ::= "1" (",2")? (",3")?'
    assert '" "' not in grammar("ranges", 120)
    assert schema("ranges", 3)["required"] == ["groups"]


# -- the planner


def test_groups_that_are_right_come_out_as_they_are_even_when_others_stand_between() -> None:
    document = parse(Page("a.html", b"<main><h1>A</h1><p>One.</p><p>Two.</p><p>Three.</p></main>"))
    made, asked = planner("1-2,4;3").ask(document)
    assert made.groups == ((0, 1, 3), (2,))
    assert asked.repairs == (0, 0, 0, 0)
    assert made.planner == "llm@1+plan-1+ranges+fake:model+rules@3"
    assert made.usage.calls == 1


def test_gaps_repeats_and_unknown_numbers_are_mended_and_counted() -> None:
    document = parse(Page("a.html", b"<main><h1>A</h1><p>One.</p><p>Two.</p><p>Three.</p></main>"))
    _, asked = planner("1-2,2;2,3;77;what?").ask(document)
    assert (asked.repairs.repeated, asked.repairs.missing, asked.malformed) == (1, 1, 1)
    assert asked.repairs.unknown == 1


def test_a_changed_page_asks_for_its_changed_segments_alone() -> None:
    memory: dict[str, str] = {}
    names = [f"Section {n}" for n in range(12)]
    planner(everything, memory=memory).ask(site(*names))
    known = len(memory)
    assert known > 2
    fake = FakeModel(everything)
    changed = [*names[:3], "Another", *names[3:]]
    _, asked = LlmPlanner(RULES, fake, memory).ask(site(*changed))
    assert asked.remembered >= asked.segments - 2
    assert len(fake.asked) == 1
    assert "Another line 3" in fake.asked[0].data
    assert "Section 11 line" not in fake.asked[0].data


def test_a_page_of_twenty_thousand_units_is_asked_in_windows_in_linear_time() -> None:
    spent = []
    for size in (5_000, 20_000):
        body = "".join(f"<p>Paragraph number {n}.</p>" for n in range(size))
        document = parse(Page("a.html", f"<main>{body}</main>".encode()))
        fake = FakeModel(everything)
        started = time.process_time()
        made, asked = LlmPlanner(RULES, fake, {}).ask(document)
        spent.append(time.process_time() - started)
        check(document, made)
        assert asked.segments == len(fake.asked) == size // WINDOW
        assert [len(question.data.split("\n")) for question in fake.asked] == [WINDOW] * (size // WINDOW)
    assert spent[1] < 8 * spent[0]


def test_nothing_is_asked_about_a_page_without_a_choice() -> None:
    fake = FakeModel("1")
    for body in (b"", b"<p>One.</p>", b"<nav><a href=/>Home</a></nav><p>One.</p>"):
        LlmPlanner(RULES, fake, {}).plan(parse(Page("a.html", body)))
    assert fake.asked == []


def test_the_model_is_told_what_a_policy_wishes_and_its_answers_are_kept_apart() -> None:
    document = site("One")
    questions = []
    for policy in (Policy(), Policy(whole_tables=True, one_question=True), Policy(target=100)):
        (window,) = LlmPlanner(RulesPlanner(policy, COUNT), FakeModel("1"), {}).questions(document)
        questions.append(window)
    plain, wishing, small = (window.question.instructions for window in questions)
    assert wishing == plain.replace("Units that", "Never part a table. Start a group at every question. Units that")
    assert small == plain.replace("160", "100")
    assert len({window.key for window in questions}) == 3


# -- the cascade


CLEAR = "".join(f"<h2>Topic {n}</h2><p>{'All that is to be said about it. ' * 18}</p>" for n in range(6))
FLAT = "".join(f"<p>{'A paragraph of some length, as others are. ' * 3}Number {n}.</p>" for n in range(60))


def test_a_cascade_asks_where_the_rules_are_in_doubt_alone() -> None:
    clear, flat = (parse(Page("a.html", f"<main><h1>T</h1>{body}</main>".encode())) for body in (CLEAR, FLAT))
    fake = FakeModel(everything)
    cascade = LlmPlanner(RULES, fake, {}, threshold=THRESHOLD)
    made, asked = cascade.ask(clear)
    assert (made.groups, asked.segments, fake.asked) == (RULES.plan(clear).groups, 0, [])
    assert made.planner == cascade.name == f"cascade@1:2.5+plan-1+ranges+fake:model+{RULES.name}"
    _, asked = cascade.ask(flat)
    assert (asked.segments, len(fake.asked)) == (1, 1)


@given(documents())
def test_a_higher_threshold_asks_about_no_other_segments(document: Document) -> None:
    asked = []
    for threshold in (None, 0, 0.5, 1, 4, 100):
        windows = LlmPlanner(RULES, FakeModel("1"), {}, threshold=threshold).questions(document)
        asked.append({part.key for window in windows for part in window.parts})
    assert asked[0] == asked[1]
    assert all(more >= fewer for more, fewer in pairwise(asked))
    assert not asked[-1]


def test_answers_are_the_same_for_planner_and_cascade() -> None:
    memory: dict[str, str] = {}
    document = site(*(f"Section {n}" for n in range(6)))
    planner(everything, memory=memory).ask(document)
    silent = FakeModel(RemoteError("fake:model", "must not be asked"))
    _, asked = LlmPlanner(RULES, silent, memory, threshold=0).ask(document)
    assert (asked.failed, asked.remembered) == ("", asked.segments)


def test_what_is_missing_counts_for_segments_that_were_decided() -> None:
    document = site(*(f"Section {n}" for n in range(12)))
    (whole,) = planner("1").questions(document)
    first = whole.parts[0].size
    assert len(whole.parts) > 1
    made, asked = planner("1-3").ask(document)
    assert (asked.repairs.missing, asked.unanswered) == (first - 3, len(whole.parts) - 1)
    assert made.planner == planner("1").name + UNANSWERED
    assert asked.failed == f"fake:model: grouped 1 of {len(whole.parts)} parts of the outline; ask another model"


def test_a_segment_that_an_earnest_answer_leaves_out_is_not_asked_again() -> None:
    document = site(*(f"Section {n}" for n in range(12)))
    (whole,) = planner("1").questions(document)
    last = whole.parts[-1].size
    named = sum(part.size for part in whole.parts[:-1])
    memory: dict[str, str] = {}
    made, asked = planner(f"1-{named}", memory=memory).ask(document)
    assert (asked.unanswered, asked.repairs.missing, asked.failed) == (0, last, "")
    assert made.planner == planner("1").name
    assert planner("1", memory=memory).ask(document)[1].usage.calls == 0
    cut = LlmPlanner(RULES, FakeModel(f"1-{named};", whole=False), {})
    assert cut.ask(document)[1].unanswered == 1


# -- when the model does not answer


def test_what_was_answered_before_the_model_went_away_is_kept() -> None:
    body = "".join(f"<p>Paragraph number {n}.</p>" for n in range(500))
    document = parse(Page("a.html", f"<main>{body}</main>".encode()))
    memory: dict[str, str] = {}
    gone = RemoteError("fake:model", "is gone")
    made, asked = planner(everything, gone, memory=memory).ask(document)
    assert (len(memory), asked.segments, asked.unanswered) == (1, 3, 2)
    assert asked.failed == "fake:model: is gone"
    assert made.planner == planner("1").name + UNANSWERED
    again = planner(everything, memory=memory)
    made, asked = again.ask(document)
    assert (made.planner, asked.remembered, asked.usage.calls) == (again.name, 1, 2)


@pytest.mark.parametrize("error", [RemoteError("fake:model", "is gone"), ConfigError("no such model")])
def test_without_fallback_errors_are_raised(error: RemoteError | ConfigError) -> None:
    with pytest.raises(type(error)) as told:
        replace(planner(error), fallback=False).ask(site("One"))
    assert told.value is error


def test_a_missing_package_is_told_even_with_a_fallback() -> None:
    with pytest.raises(MissingExtraError):
        planner(MissingExtraError("llm", "asking a language model")).ask(site("One"))


# -- questions for a batch


@given(documents(), ANSWERS)
def test_questions_asked_apart_and_learnt_give_the_same_plan(document: Document, answer: str) -> None:
    here, there = planner(answer), planner(answer)
    for window in there.questions(document):
        there.learn(window.parts, there.model.ask(window.question))
    assert {part.key for window in here.questions(document) for part in window.parts} >= set(there.answers)  # type: ignore[call-overload]
    made, asked = here.ask(document)
    known, again = there.ask(document)
    if not asked.unanswered:
        assert known == replace(made, usage=Usage())
        assert again.usage == Usage()
