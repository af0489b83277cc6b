"""Markdown of places: each kind, nesting, tables with spans, escapes only where Markdown would change the text."""

from __future__ import annotations

import pytest
from tests.strategies import Builder

from wrac.core.types import Mark
from wrac.text.inline import escape, fence, inline
from wrac.text.render import markdown


def shown(page: Builder, *ordinals: int) -> str:
    document = page.build()
    return markdown(document, ordinals or range(len(document.places)))


def test_headings_by_level_without_permalink() -> None:
    page = Builder()
    page.heading(2, "1. Fees¶", marks=(Mark("permalink", 7, 8, "#fees"),))
    page.heading(9, "Deep\nin two lines")
    assert shown(page) == "## 1. Fees\n\n###### Deep in two lines"


def test_nested_lists_are_indented_and_numbered() -> None:
    page = Builder()
    with page.span("list", ordered=True):
        for number, text in ((9, "Nine"), (10, "Ten")):
            with page.span("item", number=number):
                page.add("list_item", text, 1)
                page.items("a", "b\nc")
                if number == 10:
                    page.add("code", "x = 1")
    assert shown(page) == (
        "9. Nine\n   - a\n   - b  \n     c\n10. Ten\n    - a\n    - b  \n      c\n\n    ```\n    x = 1\n    ```"
    )


def test_a_part_of_a_list_keeps_its_numbers_and_starts_at_the_margin() -> None:
    page = Builder()
    page.items("Five", "Six", "Seven", ordered=True, start=5)
    assert shown(page, 1, 2) == "6. Six\n7. Seven"
    nested = Builder()
    with nested.span("list"), nested.span("item"):
        nested.add("list_item", "Outer", 1)
        nested.items("inner", "other")
    assert shown(nested, 1, 2) == "- inner\n- other"


def test_a_table_expands_spans_and_repeats_its_header_in_a_part() -> None:
    page = Builder()
    with page.span("table") as data:
        data["header_rows"] = (0, 1)
        page.add("table_row", "Plan\tPrice", marks=(Mark("cell", 0, 4, rows=2), Mark("cell", 5, 10, cols=2)))
        page.row("EUR", "USD")
        page.row("Basic", "9", "a|b\nc")
        page.row("Pro", "19", "21")
    head = "| Plan | Price / EUR | Price / USD |\n|---|---|---|\n"
    assert shown(page) == head + "| Basic | 9 | a\\|b<br>c |\n| Pro | 19 | 21 |"
    assert shown(page, 3) == head + "| Pro | 19 | 21 |"


def test_a_table_without_header_has_an_empty_one() -> None:
    page = Builder()
    page.table(("a", "b"), ("c", "d"), header=False)
    assert shown(page) == "|  |  |\n|---|---|\n| a | b |\n| c | d |"


def test_a_row_outside_of_a_table_is_text() -> None:
    page = Builder()
    page.row("a", "b")
    assert shown(page) == "a\tb"


def test_a_table_of_absurd_spans_stays_small() -> None:
    page = Builder()
    with page.span("table"):
        for _ in range(50):
            page.add("table_row", "x", marks=(Mark("cell", 0, 1, rows=60000, cols=1000),))
    assert len(shown(page)) < 50_000


def test_questions_definitions_quotes_images_math() -> None:
    page = Builder()
    with page.span("qa"):
        page.add("question", "Why **this**?")
        page.paragraph("Because.")
    with page.span("definitions"):
        page.add("term", "fee")
        page.add("definition", "what one pays\neach year")
    with page.span("quote"):
        page.add("quote", "One\ntwo")
        page.items("in a quote")
    page.add("image", "A [red] card", marks=(Mark("image", 0, 12, "a card.png"),))
    page.add("math", "a^2")
    assert shown(page) == (
        "**Why \\*\\*this\\*\\*?**\n\nBecause.\n\n"
        "fee\n: what one pays  \neach year\n\n> One  \n> two\n>\n> - in a quote\n\n"
        "![A \\[red\\] card](<a card.png>)\n\n$$\na^2\n$$"
    )


def test_code_is_fenced_longer_than_what_is_inside() -> None:
    assert fence("a\n```\nb", "md") == "````md\na\n```\nb\n````"
    page = Builder()
    page.add("code", "if x:\n    y()\n\n\n# end", marks=(Mark("code", 0, 22, "py"),))
    assert shown(page) == "```py\nif x:\n    y()\n\n\n# end\n```"


def drawn(text: str, *marks: Mark, lean: bool = False) -> str:
    return inline(text, sorted(marks, key=lambda mark: (mark.start, -mark.end)), (0, len(text)), lean=lean)


def test_marks() -> None:
    text = "Call send_it() or see the guide now"
    marks = (Mark("code", 5, 14), Mark("link", 22, 31, "/a (b)"), Mark("strong", 26, 31), Mark("em", 32, 35))
    assert drawn(text, *marks) == "Call `send_it()` or see [the **guide**](</a (b)>) *now*"
    assert drawn(text, *marks, lean=True) == text


@pytest.mark.parametrize(
    ("text", "mark", "expected"),
    [
        ("oneTWOthree", Mark("strong", 3, 6), "one**TWO**three"),
        ("H2O", Mark("sub", 1, 2), "H<sub>2</sub>O"),
        ("see `x` here", Mark("code", 4, 7), "see `` `x` `` here"),
        ("is E=mc^2 so", Mark("math", 3, 9), "is $E=mc^2$ so"),
        ("a red dot", Mark("image", 2, 5, "x.png"), "a ![red](x.png) dot"),
        ("bold  gap", Mark("strong", 0, 5), "bold  gap"),
        ("a - b", Mark("strong", 0, 1), "**a** - b"),
    ],
)
def test_a_mark(text: str, mark: Mark, expected: str) -> None:
    assert drawn(text, mark) == expected


def test_crossing_marks_are_clipped() -> None:
    assert drawn("abcdef", Mark("strong", 0, 4), Mark("em", 2, 6)) == "**ab*cd***ef"


@pytest.mark.parametrize(
    "text",
    [
        "snake_case and kebab-case, 2 * 3, a < b, R&D, 5 > 3, x [note], C#, 1.5 %, — dash, $5, #tag, -5, +49 30, 3.14",
        "3.14 is pi",
        "#tag first",
        "-5 degrees",
        "A&B",
        "(see [1] and [2])",
        "für Gebühr 費用",
    ],
)
def test_plain_text_is_left_alone(text: str) -> None:
    assert escape(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# not a heading", "\\# not a heading"),
        ("1. not a list", "1\\. not a list"),
        ("- not a list", "\\- not a list"),
        ("> not a quote", "\\> not a quote"),
        ("one\n2) two", "one\n2\\) two"),
        ("---", "\\---"),
        ("title\n===", "title\n\\==="),
        ("*not em*", "\\*not em\\*"),
        ("_not em_", "\\_not em\\_"),
        ("<b> and </b>", "\\<b> and \\</b>"),
        ("&lt; &#60;", "\\&lt; \\&#60;"),
        ("[a](b)", "\\[a\\](b)"),
        ("[a [b] c](d)", "[a [b] c\\](d)"),
        ("* not a list", "\\* not a list"),
        ("title\n--", "title\n\\--"),
        ("a | b\n--- | ---", "a | b\n\\--- | ---"),
        ("a | b\n|---|---|", "a | b\n\\|---|---|"),
        ("back`tick", "back\\`tick"),
        ("a\\*b", "a\\\\\\*b"),
        ("~~gone~~", "\\~~gone\\~~"),
    ],
)
def test_what_markdown_would_change_is_escaped(text: str, expected: str) -> None:
    assert escape(text) == expected
