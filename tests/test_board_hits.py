"""Hits for people: every word of a text is shown once, what answers is marked, what moved is said."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from wrac.board.hits import Cells, Piece, blocks, excerpt, moved, rows, shares, title
from wrac.board.prose import marked
from wrac.core.answers import Answer, Citation, Route, Way
from wrac.core.types import Focus
from wrac.flow.report import Result
from wrac.retrieval import Parts

UNITS = st.lists(st.text("abc \t", min_size=1, max_size=9).filter(str.strip), min_size=1, max_size=8)


def hit(units: list[str], focus: list[str], rank: int = 1, *, heading: bool = False) -> Result:
    text = "\n\n".join(units)
    return Result(
        rank=rank, score=0.5, chunk=f"c1:{abs(hash(text)):032x}"[:35], url="u", link="l", trail=("Above",), text=text,
        markdown=("# " if heading else "") + text, focus=tuple(Focus(f"u1:{one}", one, 0.7) for one in focus), tokens=1,
    )  # fmt: skip


def words(shown: list[list[object]]) -> str:
    return "".join("".join(piece.text.split()) for block in shown for piece in block)  # type: ignore[attr-defined]


@given(UNITS, st.data(), st.booleans())
def test_all_of_a_text_is_shown_once(units: list[str], data: st.DataObject, heading: bool) -> None:
    focus = data.draw(st.lists(st.sampled_from(units), max_size=3, unique=True))
    found = hit(units, focus, heading=heading)
    said = words(blocks(found))  # type: ignore[arg-type]
    assert said == "".join("".join(unit.split()) for unit in (units[1:] if heading else units))
    assert title(found) == (units[0] if heading else "Above")


def test_an_excerpt_keeps_what_answers_and_says_what_it_leaves_out() -> None:
    units = [f"Paragraph number {number}. " + "word " * 30 for number in range(12)]
    found = excerpt(hit(units, [units[5]]))
    told = ["".join(piece.text for piece in block) for block in found]
    assert told == ["…", units[4], units[5], units[6], "…"]
    assert [piece.score for block in found for piece in block if piece.score] == [0.7]
    assert excerpt(hit(units[:2], [])) == blocks(hit(units[:2], []))


def test_what_moved_between_two_searches() -> None:
    one, two, three = hit(["a"], []), hit(["b"], [], 2), hit(["c"], [], 3)
    there = [hit(["b"], []), hit(["a"], [], 2)]
    assert [found.sign for found in moved([one, two, three], there)] == ["▲ 1", "▼ 1", "only here"]
    assert [found.told for found in moved([one], [one])] == ["same rank"]


@given(st.lists(st.floats(0, 0.25), min_size=4, max_size=4))
def test_the_parts_of_a_score_stand_side_by_side(values: list[float]) -> None:
    found = shares(Parts(*values))
    assert all(abs(b.start - (a.start + a.width)) < 1e-9 for a, b in pairwise(found))
    assert sum(one.width for one in found) <= 100 + 1e-9
    assert shares(None) == []


@given(st.text("ab [1.2],", max_size=30), st.lists(st.integers(0, 30), min_size=4, max_size=4))
def test_an_answer_in_pieces_is_the_answer(text: str, edges: list[int]) -> None:
    a, b, c, d = (min(edge, len(text)) for edge in sorted(edges))
    cited = (Citation("1.2", "u1:x", "u", "n", "l"), Citation("1.22", "u1:y", "u", "n", "l"))
    route = Route("passages", "why", Way(1))
    found = marked(Answer(text, cited, route, uncited=((a, b),), misquoted=((c, d),)))
    assert "".join(piece.text for piece in found) == text
    assert all(piece.citation is None or piece.citation.mark == piece.text for piece in found)


def test_marks_lead_to_what_they_cite_and_numbers_do_not() -> None:
    text = "It costs 1.2 USD [1.2]. Or more [1.22, 9.9]."
    cited = (Citation("1.2", "u1:x", "u", "n", "l"), Citation("1.22", "u1:y", "u", "n", "l"))
    found = marked(Answer(text, cited, Route("passages", "why", Way(1)), uncited=((24, 44),)))
    assert [(one.text, one.citation.unit) for one in found if one.citation] == [("1.2", "u1:x"), ("1.22", "u1:y")]
    assert {one.fault for one in found} == {"", "uncited"}


def test_rows_of_a_table_keep_their_cells_and_what_answers() -> None:
    block = [Piece("Code\tError\n"), Piece("75\tBusyError", 0.8), Piece("\n130\t")]
    assert rows(block) == [Cells(("Code", "Error")), Cells(("75", "BusyError"), 0.8), Cells(("130", ""))]
    assert rows([Piece("A sentence.\n75\tBusyError")]) == []
