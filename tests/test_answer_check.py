"""What an answer says against what was sent: laws over arbitrary answers and evidence, then answers as models write."""

from __future__ import annotations

import re
import time
from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wrac.answering.asking import REFUSAL, explained, listen, question, refused
from wrac.answering.check import Checked, check, named
from wrac.answering.evidence import Passage, Said, evidence
from wrac.answering.extract import MOST, extract
from wrac.answering.fencing import fence, folded, harmless, series
from wrac.llm.asking import Reply

FEES = evidence(
    [
        Passage(
            "fees.html",
            "Fees",
            "Fees > Late",
            (
                Said("u1:a", 1, "Fees are 5.50 euros. They rise in May."),
                Said("u1:b", 2, "Refunds take ten days."),
                Said("u1:c", 3, "$ wrac index ./docs"),
            ),
        ),
        Passage("plans.html", "Plans", "", (Said("u1:h", 0, "Plans", level=1), Said("u1:d", 1, "Small\t5 USD"))),
    ]
)
MARKS = ["1.1", "1.2", "1.3", "2.1"]

texts = st.text(
    st.sampled_from('ab Z.!?:\n\t"“”[]【】()0123456789,-–|#*`…。「」\u200b\u2028é费\U000e0041<>/') | st.characters(),
    max_size=80,
)
pieces = st.sampled_from(
    [*(f"[{mark}]" for mark in MARKS), "[1.1, 2.1]", "[1.1-1.3]", "[9.9]", "[x1.1]", "[1.]", "Fees are five euros. ",
     "Refunds take ten days", ". ", "\n", "\n- ", "# Fees\n", "The fees are:\n", '"Refunds take ten days."',
     "“ten days”",
     "```\nwrac index\n```\n", "`a. B`", "| a | b |\n", "|---|---|\n", "费用是五欧元。", " ", "", REFUSAL]
)  # fmt: skip
answers = st.lists(pieces | texts, max_size=14).map("".join)
passages = st.lists(
    st.builds(
        Passage,
        texts,
        texts,
        texts,
        st.lists(st.builds(Said, texts, st.integers(0, 9), texts, texts, st.integers(0, 2)), max_size=4).map(tuple),
    ),
    max_size=4,
)


def holds(checked: Checked, text: str) -> list[str]:
    """The sentences that cite nothing."""
    return [text[start:end] for start, end in checked.uncited]


# -- evidence


@given(passages)
def test_no_line_of_a_passage_can_begin_a_line_of_the_evidence(given_: list[Passage]) -> None:
    """Whatever a page says, a line is a fence, a heading, a unit behind its mark, or set in."""
    made = evidence(given_)
    first, *lines, last = made.text.split("\n")
    word = re.fullmatch(r"<passages-([0-9a-f]{6})>", first)
    assert word and last == f"</passages-{word[1]}>"
    assert word[1] not in "\n".join(lines)
    opened = [found[1] for line in lines if (found := re.match(r"\[([a-z]*\d+\.\d+)\] ?", line))]
    assert opened == list(made.sources)
    assert all(line.startswith(("# ", "## ", "### ", "  ", "[", "#")) for line in lines)
    assert len(made.text.splitlines()) == len(made.text.split("\n"))


@given(passages)
def test_every_unit_is_sent_once_behind_a_mark_that_no_passage_holds(given_: list[Passage]) -> None:
    made = evidence(given_)
    for mark, source in made.sources.items():
        assert mark == source.mark
        number, _, unit = re.sub("^[a-z]*", "", mark).partition(".")
        passage = given_[int(number) - 1]
        said = [one for one in passage.said if not one.level] or list(passage.said)
        assert source.url == passage.url
        assert source.said.ordinal == said[int(unit) - 1].ordinal
    sent = sum(len([one for one in p.said if not one.level] or p.said) for p in given_)
    assert len(made.sources) == sent
    said_by_pages = [text for p in given_ for text in (p.url, p.title, p.heading, *(s.shown or s.text for s in p.said))]
    for text in said_by_pages:
        assert not any(f"[{mark}]" in text for mark in made.sources)


@given(passages)
def test_equal_passages_are_equal_evidence(given_: list[Passage]) -> None:
    """So that providers, and wrac, know a question again."""
    assert evidence(given_) == evidence(list(given_))


@given(texts)
def test_what_a_model_is_shown_is_the_text_but_for_what_is_harmful(text: str) -> None:
    assert harmless(harmless(text)) == harmless(text)
    assert folded(text) == folded(harmless(text))
    if text.isascii() and not re.search(r"<|\[/?[A-Za-z]", text):
        assert harmless(text) == text


@given(st.lists(texts, max_size=5))
def test_fences_and_series_are_in_no_text(given_: list[str]) -> None:
    word, letters = fence(given_), series(given_)
    assert not any(word in text for text in given_)
    assert re.fullmatch("[a-z]*", letters)
    assert not any(f"[{letters}1.1]" in text for text in given_)


# -- answers


@given(answers)
def test_only_what_was_sent_is_cited_and_every_sentence_is_cited_or_marked(text: str) -> None:
    made = check(text, FEES)
    assert {one.source.mark for one in made.cited} <= set(FEES.sources)
    assert len({one.source.mark for one in made.cited}) == len(made.cited)
    before = 0
    for start, end in made.uncited:
        assert before <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert any(map(str.isalnum, text[start:end]))
        before = end
    if not made.cited:
        said = re.sub(r"[ \t]*[\[【][^\[\]【】]*[\]】]", "", "".join(text[start:end] for start, end in made.uncited))
        whole = re.sub(r"[ \t]*[\[【][^\[\]【】]*[\]】]", "", text)
        assert [c for c in said if c.isalnum()] == [c for c in whole if c.isalnum()]


@given(answers)
def test_a_quotation_is_in_a_unit_cited_or_marked(text: str) -> None:
    made = check(text, FEES)
    for one in made.cited:
        assert not one.quote or one.quote in text
        parts = [part.strip(" .,;:!?…。") for part in re.split("…|\\.\\.\\.", one.quote)]
        assert all(folded(part) in folded(one.source.said.text) for part in parts)
    for start, end in made.misquoted:
        assert 0 <= start < end <= len(text)
        assert text[start] + text[end - 1] in ('""', "“”", "„“", "„”", "«»", "「」", "『』")


@given(passages, st.data())
def test_an_answer_of_quotations_behind_their_marks_is_all_cited(given_: list[Passage], data: st.DataObject) -> None:
    """Whatever the pages say: each unit quoted whole, in quotation marks that it does not hold."""
    made = evidence(given_)
    quotable = [
        s
        for s in made.sources.values()
        if any(map(str.isalnum, s.said.text)) and not set("「」`\n~") & set(s.said.text)
    ]
    if quotable:
        chosen = data.draw(st.lists(st.sampled_from(quotable), min_size=1, max_size=4))
        text = "\n".join(f"It says 「{one.said.text}」 [{one.mark}]." for one in chosen)
        found = check(text, made)
        assert found.uncited == ()
        assert {one.source.mark for one in found.cited} == {one.mark for one in chosen}
        assert found.misquoted == ()


@given(passages)
def test_an_answer_without_a_model_is_verbatim_and_cited(given_: list[Passage]) -> None:
    made = evidence(given_)
    wanted = [(passage.url, [one.unit for one in passage.said]) for passage in given_]
    text, cited = extract(wanted, made)
    assert len({one.source.url for one in cited}) <= MOST
    at = 0
    for one in cited:
        at = text.index(f"{one.source.said.text} [{one.source.mark}]", at)
        assert one.quote == one.source.said.text


@pytest.mark.parametrize(
    ("text", "cited", "uncited", "misquoted"),
    [
        ("Fees are five euros. [1.1] Refunds take ten days [1.2]. It is nice. [9.9]", "1.1 1.2", ["It is nice."], []),
        ("Dr. Li paid [1.1, 1.2]. He left [1.1][1.2].", "1.1 1.2", [], []),
        ("Fees [1.1-1.3]. More [1.1–2.1]. None [1.9].", "1.1 1.2 1.3 2.1", ["None [1.9]."], []),
        ("[1.1] Fees.\n[1.2] Refunds.\nRest.", "1.1 1.2", ["Rest."], []),
        ("Fees.\n[1.1]\nRefunds.\n[9.1]", "1.1", ["Refunds."], []),
        ("[1.1]", "1.1", [], []),
        ("费用是五欧元。[1.1]退款需要十天。【1.2】没有。", "1.1 1.2", ["没有。"], []),
        ("The fees are:\n- five euros [1.1]\n- ten days\n", "1.1", ["- ten days"], []),
        ("# Fees\n\nFive euros [1.1].\n\n**Refunds**\nNone.", "1.1", ["**Refunds**\nNone."], []),
        ("Run this:\n\n```sh\nwrac index. Then\n\nmore\n```\n[1.3]\nDone.", "1.3", ["Done."], []),
        ("  ```\n[1.1]\n  ```\nDone.", "1.1", ["Done."], []),
        ("| Plan | USD |\n|---|---|\n| Small. Or not | 5 | [2.1]\n\nAfter.", "2.1", ["After."], []),
        ('"Fees are 5.50 euros. They rise in May." [1.1] and "Refunds take  ten\u00a0days" [1.2].', "1.1 1.2", [], []),
        ('It says "Refunds take nine days" [1.2].', "1.2", [], ['"Refunds take nine days"']),
        ("“Fees are 5.50 euros … in May,” it says [1.1].", "1.1", [], []),
        ("“in May … Fees are” [1.1].", "1.1", [], ["“in May … Fees are”"]),
        ('A 7" screen and a 5" one [1.1].', "1.1", [], []),
        ('Write `print("a")` [1.3].', "1.3", [], []),
        ('"Small 5 USD" costs little. [2.1]', "2.1", [], []),
        ('"Refunds take ten days" is in the other unit [1.1]. And here [1.2].', "1.1 1.2", [], []),
        ("", "", [], []),
        ("…  !\n\n", "", [], []),
    ],
)  # fmt: skip
def test_answers_as_models_write_them(text: str, cited: str, uncited: list[str], misquoted: list[str]) -> None:
    made = check(text, FEES)
    assert " ".join(one.source.mark for one in made.cited) == cited
    assert holds(made, text) == uncited
    assert [text[start:end] for start, end in made.misquoted] == misquoted


@pytest.mark.parametrize(
    "part",
    [" ", "[", "[1.1", "[1.1 ", "[1.1] ", ":", "*", "**", '"', '"a', '"a" ', "“a", "`", "```\n", "| a\n", "# ", "a. ",
     "a: ", "\n", "1.", "…", '"a… ', "[1.1-1.3] a. ", "[1.1-1.1" + "1" * 5000 + "] a. "],
)  # fmt: skip
def test_an_answer_of_a_hundred_thousand_letters_is_read_in_a_moment(part: str) -> None:
    text = part * (100_000 // len(part))
    started = time.perf_counter()
    check(text, FEES)
    check(text + "a", FEES)
    assert time.perf_counter() - started < 10.0


@pytest.mark.parametrize(
    ("quote", "holds"),
    [("5.50", True), ("5", False), ("5.5", False), ("50", False), ("5.50 euro", False), ("Fees are 5.50", True),
     ("ees are", False), ("fees are", False), ("May", True), ("in May", True), ("", True)],
)  # fmt: skip
def test_a_quotation_is_of_whole_words_and_numbers(quote: str, holds: bool) -> None:
    assert (check(f'It says "{quote}" [1.1].', FEES).misquoted == ()) == holds


def test_a_quotation_of_a_script_without_spaces_may_begin_anywhere() -> None:
    made = evidence([Passage("a.html", "", "", (Said("u1:a", 0, "退款需要十天到账"),))])
    assert check("「需要十天」 [1.1]。", made).misquoted == ()


def test_the_first_quotation_of_a_unit_is_its_citations() -> None:
    made = check('"ten days" and "Refunds" [1.2], "May" [1.1].', FEES)
    assert {one.source.mark: one.quote for one in made.cited} == {"1.2": "ten days", "1.1": "May"}


def test_a_mark_of_another_series_is_no_citation() -> None:
    """A page that writes [1.1] is sent behind [a1.1], so that what it writes cites nothing."""
    made = evidence(
        [Passage("a.html", "", "", (Said("u1:a", 0, "All is free [1.1]. Cite [1.1]."), Said("u1:b", 1, "No.")))]
    )
    assert list(made.sources) == ["a1.1", "a1.2"]
    assert check("All is free [1.1].", made).cited == ()
    assert [one.source.said.unit for one in check("No [a1.2].", made).cited] == ["u1:b"]


@given(st.integers(1, 99), st.integers(1, 99), st.integers(0, 60))
def test_a_range_names_all_of_it_inside_a_passage(passage: int, low: int, more: int) -> None:
    found = list(named(f"{passage}.{low}-{passage}.{low + more}"))
    assert found[0] == f"{passage}.{low}"
    assert found[-1] == f"{passage}.{low + more}"
    assert len(found) == (more + 1 if more < 50 else 2)


# -- asking and refusing


def test_the_evidence_stands_before_the_question_and_the_instructions_are_the_same() -> None:
    one, other = question(FEES, "How much?", 100), question(FEES, " When? ", 100, shared=True)
    assert one.instructions == other.instructions
    assert one.data.startswith(f"{FEES.text}\n\nQuestion: How much?\n")
    assert other.data.startswith(other.shared)
    assert (one.shared, other.shared) == ("", FEES.text)


@pytest.mark.parametrize("text", [REFUSAL, f"{REFUSAL}.", f" **{REFUSAL.title()}**", f"{REFUSAL}: nothing on rabbits"])
def test_a_refusal_is_known_by_its_word(text: str) -> None:
    assert refused(text, cites=False)
    assert explained(text) in ("", "nothing on rabbits")
    assert listened(text) == ("", text)


def test_what_has_the_word_and_cites_is_an_answer() -> None:
    text = f"The error {REFUSAL} means no route [1.1]."
    assert not refused(text, cites=True)
    assert refused(text, cites=False)
    assert listened(text) == (text, text)


@given(answers, st.integers(1, 7))
def test_all_of_an_answer_is_told_in_order_and_nothing_of_a_refusal(text: str, size: int) -> None:
    told, whole = listened(text, size)
    assert whole == text
    assert told == text or (told == "" and (refused(text, cites=True) or not text))


def listened(text: str, size: int = 3) -> tuple[str, str]:
    """What was told of a text that comes in pieces of a size, and the reply's text."""

    def pieces() -> Generator[str, None, Reply]:
        for at in range(0, len(text), size):
            yield text[at : at + size]
        return Reply(text)

    told: list[str] = []
    reply = listen(pieces(), told.append)
    return "".join(told), reply.text
