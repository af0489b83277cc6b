"""The fidelity audit: the truth of a page, each fault counted where it is made, and wrac held to its bars."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import debian
from tests.commands import command
from tests.html_strategies import tidy_paragraphs

from wrac.core.errors import InputError, MissingExtraError
from wrac.core.types import Page, Policy
from wrac.evaluation.audit import BY_KEY, FIGURES, audit
from wrac.evaluation.audit.figures import Count, value
from wrac.evaluation.audit.stability import PARAGRAPH, Spread, edited
from wrac.evaluation.audit.stack import Stack
from wrac.evaluation.audit.truth import Truth, truth
from wrac.evaluation.values import Passage, Passages
from wrac.evaluation.wording import bare, fold, words
from wrac.fetching.media import PDF

ROOT = Path(__file__).parent.parent
SITE = ROOT / "examples" / "site"
MANUAL = """<!doctype html><title>Sensor 7</title><nav><a href=/>Home of the sensors</a> <a href=/s>Shop now</a></nav>
<main><h1>Sensor 7</h1><p>The seventh sensor measures <b>heat</b> and light.</p>
<h2>Modes</h2><table><thead><tr><th>Mode<th>Current</thead><tr><td>Idle<td>2 mA<tr><td>Busy<td>30 mA</table>
<h2>Words</h2><dl><dt>drift<dd>How far a value wanders in a year.<dt>lag<dd>How late a value comes.</dl>
<h2>Use</h2><p>Read it as follows:</p><pre>
for value in sensor:
    print(value)
</pre></main><footer>Imprint of the sensor company</footer>"""
FAITHFUL = (
    "Sensor 7\nThe seventh sensor measures heat and light.",
    "Modes\nMode\tCurrent\nIdle\t2 mA\nBusy\t30 mA",
    "Words\ndrift\nHow far a value wanders in a year.\nlag\nHow late a value comes.",
    "Use\nRead it as follows:\nfor value in sensor:\n    print(value)",
)


@dataclass(frozen=True)
class Fake:
    """A strategy that gives what it is told."""

    cut: Callable[[Page], Sequence[str]]
    name: str = "fake"

    def passages(self, pages: Sequence[Page]) -> Passages:
        return Passages(tuple(Passage(page.url, text, text) for page in pages for text in self.cut(page)))


def html(body: str, url: str = "page.html") -> Page:
    return Page(url, body.encode())


def known(page: Page) -> Truth:
    found = truth(page)
    assert found is not None
    return found


def figures(pages: Sequence[Page], cut: Callable[[Page], Sequence[str]]) -> dict[str, Any]:
    """The figures of a fake strategy."""
    found: dict[str, Any] = audit(pages, [Fake(cut)])["columns"][1]["figures"]
    return found


def saying(text: str) -> Callable[[Page], Sequence[str]]:
    return lambda _: [text]


def faulty(*texts: str) -> dict[str, Any]:
    return figures([html(MANUAL)], lambda _: texts)


# laws


@settings(max_examples=40)
@given(tidy_paragraphs, st.data())
def test_what_a_strategy_drops_is_lost_and_nothing_else(paragraphs: list[str], data: st.DataObject) -> None:
    page = html("<main>" + "".join(f"<p>{text}" for text in paragraphs) + "</main>")
    dropped = data.draw(st.sampled_from(range(len(paragraphs))))
    lost = figures([page], lambda _: [text for i, text in enumerate(paragraphs) if i != dropped])["lost"]
    assert lost["count"] == len(words(paragraphs[dropped]))
    assert lost["of"] == sum(len(words(text)) for text in paragraphs)


@settings(max_examples=40)
@given(tidy_paragraphs, st.sampled_from(("p", "li", "h2", "td", "dd", "pre", "blockquote")))
def test_the_truth_itself_has_no_fault_and_wrac_has_none(paragraphs: list[str], tag: str) -> None:
    inner = "".join(f"<{tag}>{text} stands here for a test</{tag}>" for text in paragraphs)
    around = {"li": "ul", "td": "table", "dd": "dl"}.get(tag, "div")
    page = html(f"<title>t</title><h1>One heading</h1><{around}>{inner}</{around}>")
    results = audit([page], [Fake(lambda page: [known(page).text])])
    for column in results["columns"]:
        for key in ("lost", "added", "exact", "exact_bare", "heading", "defined", "rows", "header", "lines", "chrome"):
            assert column["figures"][key]["good"] is not False, (column["strategy"], key, column["figures"][key])


@given(st.lists(st.text("ab", max_size=4), max_size=6), st.text("ab", min_size=1, max_size=3))
def test_a_stack_finds_what_its_texts_hold(texts: list[str], wanted: str) -> None:
    assert list(Stack(texts).where(wanted)) == [index for index, text in enumerate(texts) if wanted in text]


@given(st.lists(st.text("ab", max_size=6), max_size=5), st.lists(st.text("ab", min_size=1, max_size=2), max_size=3))
def test_parts_in_order_are_a_subsequence_of_the_text(texts: list[str], parts: list[str]) -> None:
    for index in Stack(texts).in_order(parts):
        rest = texts[index]
        for part in parts:
            assert part in rest
            rest = rest.partition(part)[2]


@given(st.text("ab []()`*<br>\n\té中-", max_size=40))
def test_bare_is_stable_and_blind_to_white_space(text: str) -> None:
    assert bare(bare(text)) == bare(text)
    assert bare(" ".join(text)) == bare(fold(" ".join(text)))


@given(st.integers(0, 200), st.integers(1, 15))
def test_a_spread_holds_few_pages_and_gives_them_evenly(count: int, most: int) -> None:
    spread = Spread(most)
    for number in range(count):
        spread.offer(html("", str(number)))
    given_ = [int(page.url) for page in spread.pages()]
    assert len(given_) == min(count, len(given_)) <= most
    assert len(given_) >= min(count, most) // 2
    steps = {b - a for a, b in pairwise(given_)}
    assert len(steps) <= 1


# the truth


@pytest.mark.parametrize(
    ("body", "rule", "text"),
    [
        ("<div class=x>a</div><div class='document body' role=main>b<nav>c</nav></div>", "Sphinx body", "b\nc"),
        ("<div class=navheader>a</div><p>b<div class=navfooter>c</div>", "DocBook page", "b"),
        ("<header>a</header><main>b<nav>c</nav><header>d</header></main>", "main element", "b\nd"),
        ("<p>a<article>b<footer>c</footer></article>", "article element", "b\nc"),
        ("<nav>a</nav><header>b</header><section><header>c</header>d</section><aside>e</aside>",
         "body without chrome", "c\nd"),
        ("<article>a</article><article>b</article><footer>c</footer>", "body without chrome", "a\nb"),
        ("<p>a<script>b</script><select><option>c</select><button>d</button>", "body without chrome", "a"),
        ("<div>a <b>b</b>c<p>d<br>e</p>f<!-- g -->h</div>", "body without chrome", "a bc\nd e\nfh"),
    ],
)  # fmt: skip
def test_main_content_is_found_by_a_rule_that_says_its_name(body: str, rule: str, text: str) -> None:
    found = known(html(body))
    assert (found.rule, found.text) == (rule, text)


@pytest.mark.parametrize("body", ["", "<script>x</script>", "<nav>only chrome</nav>"])
def test_a_page_without_text_has_no_truth(body: str) -> None:
    assert truth(html(body)) is None


def test_a_page_that_is_no_html_has_no_truth_and_is_counted() -> None:
    results = audit([Page("a.md", b"# a\n\nb", "text/markdown"), html(MANUAL)])
    assert results["truth"] == {"none": 1, "main element": 1}
    assert results["columns"][0]["pages"] == 2


@pytest.mark.parametrize(
    ("page", "word"),
    [
        (Page("a", "<p>Größe".encode("utf-16")), "Größe"),
        (Page("a", "<meta charset=iso-8859-1><p>“Größe”".encode("cp1252")), "Größe"),
        (Page("a", "<p>Größe".encode("cp1252")), "Größe"),
        (Page("a", "<p>размер".encode("koi8-r"), charset="koi8-r"), "размер"),
        (Page("a", '<?xml version="1.0" encoding="UTF-8"?><p>Größe'.encode()), "Größe"),
    ],
)
def test_pages_are_decoded_as_they_say(page: Page, word: str) -> None:
    assert word in known(page).words


def test_what_belongs_together_is_told() -> None:
    found = known(html(MANUAL))
    assert found.headed[0] == ("Sensor 7", "The seventh sensor measures heat and light.")
    assert found.defined[0] == ("drift", "How far a value wanders in a year.")
    assert found.rows == ((("Idle", "2 mA"), ("Mode", "Current")), (("Busy", "30 mA"), ("Mode", "Current")))
    assert found.blocks == ("for value in sensor:\n    print(value)",)


def test_a_unit_with_a_picture_may_say_its_alternative_text_or_not() -> None:
    page = html('<p>pay later with <img alt="Big Bank"> or at once</p>')
    assert known(page).units == (("pay later with or at once", "pay later with Big Bank or at once"),)
    without, with_it = (figures([page], saying(form)) for form in known(page).units[0])
    assert without["exact"]["count"] == with_it["exact"]["count"] == 1
    assert without["added"]["count"] == with_it["added"]["count"] == 0


def test_a_table_that_only_arranges_has_no_rows() -> None:
    assert not known(html("<table><tr><td><h2>a</h2><td>b</table>")).rows
    assert not known(html("<table role=presentation><tr><th>a<tr><td>b</table>")).rows


# faults


def test_a_faithful_strategy_has_none() -> None:
    assert not [key for key, row in faulty(*FAITHFUL).items() if row["good"] is False]


@pytest.mark.parametrize(
    ("key", "index", "old", "new", "count"),
    [
        ("lost", 0, "heat and ", "", 2),
        ("added", 0, "heat", "warmth", 1),
        ("exact", 0, "heat and light", "light and heat", 3),
        ("exact_bare", 0, "heat and light", "light and heat", 3),
        ("heading", 0, "Sensor 7\n", "", 3),
        ("defined", 2, "drift\n", "", 1),
        ("rows", 1, "Idle\t2 mA", "2 mA\tIdle", 1),
        ("header", 1, "Mode\tCurrent\n", "", 0),
        ("blocks", 3, "\n    print", " print", 0),
        ("lines", 3, "    print", "print", 1),
    ],
)
def test_each_fault_is_counted_where_it_is_made(key: str, index: int, old: str, new: str, count: int) -> None:
    texts = [text.replace(old, new) if i == index else text for i, text in enumerate(FAITHFUL)]
    assert texts[index] != FAITHFUL[index]
    before, row = faulty(*FAITHFUL)[key], faulty(*texts)[key]
    assert row["count"] == count
    assert row["count"] != before["count"]
    assert row["examples"][0]["page"] == "page.html"


def test_markup_is_no_fault_but_for_the_words_it_stands_in() -> None:
    found = faulty(FAITHFUL[0].replace("heat", "**heat**").replace("Sensor", "# [Sensor](http://x.org)"), *FAITHFUL[1:])
    assert found["exact"]["count"] == found["exact"]["of"] - 1
    assert found["exact_bare"]["count"] == found["exact_bare"]["of"]
    assert (found["lost"]["count"], found["added"]["count"]) == (0, 0)


def test_chrome_counts_by_runs_of_three_words_that_main_content_has_not() -> None:
    found = faulty(*FAITHFUL, "Imprint of the sensor company")
    assert (found["chrome"]["count"], faulty(*FAITHFUL)["chrome"]["count"]) == (5, 0)


def test_a_chunk_on_two_pages_is_stored_again() -> None:
    pages = [html("<p>The same text on both", "a"), html("<p>The same text on both", "b")]
    found = audit(pages, [Fake(lambda _: ["The same text on both"])])
    assert [column["figures"]["duplicates"]["count"] for column in found["columns"]] == [0, 1]


def test_addresses_are_searched_for_where_a_strategy_gives_none() -> None:
    page = html("<p>one two</p><p>three</p><p>one two</p><p>four</p>")
    found = figures([page], lambda _: ["two three", "one two", "four one"])
    assert (found["address"]["count"], found["unique"]["count"], found["address"]["of"]) == (2, 1, 3)


def test_sizes_are_told() -> None:
    column = audit([html("<p>a b c")], [Fake(lambda _: ["a", "a b c " * 300])], Policy(target=50, maximum=60))[
        "columns"
    ][1]
    assert column["figures"]["over"]["count"] == column["figures"]["small"]["count"] == 1
    assert column["largest"] >= 900


def test_units_that_no_chunk_can_hold_are_left_out_and_counted() -> None:
    results = audit([html(f"<p>{'many words ' * 400}</p><p>four words stand here</p>")])
    assert results["left_out"] == {"units": 1, "rows": 0, "blocks": 0}
    assert results["columns"][0]["figures"]["exact"]["of"] == 1


# one paragraph inserted


def test_a_paragraph_is_inserted_after_the_first_heading() -> None:
    after = edited(html("<h2>a</h2><h1 id=x>b</H1 ><p>c"))
    assert after is not None
    assert after.body.decode() == f"<h2>a</h2><h1 id=x>b</H1 ><p>{PARAGRAPH}</p><p>c"
    assert edited(html("<p>no heading")) is None


def test_who_cuts_by_length_embeds_everything_again() -> None:
    text = "<h1>a</h1>" + "".join(f"<h2>Part {i}</h2><p>{f'Sentence {i} of many words. ' * 30}</p>" for i in range(9))
    page = html(text)

    def by_length(page: Page) -> list[str]:
        whole = known(page).text
        return [whole[at : at + 500] for at in range(0, len(whole), 500)]

    wrac, fake = (column["figures"] for column in audit([page], [Fake(by_length)])["columns"])
    assert fake["again"]["count"] == fake["again"]["of"]
    assert wrac["each"]["value"] <= 3
    assert wrac["ids"]["value"] == 100
    assert fake["ids"]["value"] is None


# the whole


def test_figures_without_anything_to_count_have_no_value() -> None:
    assert all(value(figure, Count()) is None for figure in FIGURES)
    assert set(audit([])["columns"][0]["figures"]) == set(BY_KEY)


def test_a_page_nested_beyond_reason_is_counted_without_a_truth() -> None:
    page = html("<div>" * 50_000 + "deep words")
    results = audit([page])
    assert results["truth"] == {"none": 1}
    assert results["columns"][0]["failed"] or results["columns"][0]["chunks"] == 1


def test_a_strategy_that_fails_on_a_page_loses_its_words_and_says_why() -> None:
    def refuse(page: Page) -> list[str]:
        if page.url == "page.html":
            raise InputError(page.url, "cannot be cut", "cut another")
        return ["b"]

    column = audit([html("<p>five words stand right here")], [Fake(refuse)])["columns"][1]
    assert column["failed"] == [{"page": "page.html", "reason": "page.html: cannot be cut; cut another"}]
    assert column["figures"]["lost"]["count"] == 5


def test_without_lexbor_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    with pytest.raises(MissingExtraError, match=r'pip install "wrac\[eval\]"'):
        audit([html(MANUAL)])


@pytest.mark.skipif(not debian.pages("python3.11-doc"), reason=debian.ABSENT)
def test_wrac_reaches_its_bars_on_documentation() -> None:
    paths = debian.sample(400)[::40]
    results = audit([Page(path.as_uri(), path.read_bytes()) for path in paths])
    found = results["columns"][0]["figures"]
    below = {
        key: found[key]
        for key in (
            "lost",
            "added",
            "exact",
            "exact_bare",
            "heading",
            "defined",
            "rows",
            "header",
            "address",
            "ids",
            "each",
        )
        if found[key]["good"] is False
    }
    assert not below
    assert results["wrac"]["balanced"] == results["pages"]


# the command


def test_the_command_prints_a_table_with_the_others_beside() -> None:
    code, out, noise = command("audit", SITE, "--against", "sections", cwd=ROOT)
    assert code == 0, noise
    lines = out.splitlines()
    assert lines[0].startswith(f"{len(list(SITE.rglob('*.html')))} pages  main content: main element")
    head = next(line for line in lines if "sections" in line)
    assert head.split() == ["wrac", "sections", "bar"]
    for figure in FIGURES:
        assert any(line.startswith(figure.title) for line in lines), figure.title
    assert "skipped" in noise


def test_json_has_every_count_and_what_it_is_out_of() -> None:
    code, out, _ = command("audit", SITE, "--json", cwd=ROOT)
    assert code == 0
    (line,) = out.splitlines()
    results = json.loads(line)
    for row in results["columns"][0]["figures"].values():
        assert set(row) == {"value", "count", "of", "good", "examples"}
        assert row["count"] <= row["of"] or row["value"] > 1
    assert {skip["reason"] for skip in results["skipped"]}
    repeated = results["wrac"]["repetition"]
    assert all(one["stored"] <= one["stand"] for one in repeated.values())
    assert repeated["units"]["stored"] < repeated["units"]["stand"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--against", "nonsense"], 2, "no strategy 'nonsense'"),
        (["--target", "900"], 2, "--target 900 is above"),
    ],
)
def test_a_wrong_option_is_one_line(arguments: list[str], code: int, told: str) -> None:
    left, out, noise = command("audit", SITE, *arguments, cwd=ROOT)
    assert (left, out) == (code, "")
    assert told in noise
    assert noise.count("\n") == 1


def test_a_page_that_cannot_be_read_fails_in_each_column_and_ends_none() -> None:
    pytest.importorskip("semchunk")
    pages = [Page("cut.pdf", b"%PDF-1.4", PDF), Page("manual.html", MANUAL.encode())]
    for column in audit(pages, ["sections", "semchunk"])["columns"]:
        assert [one["page"] for one in column["failed"]] == ["cut.pdf"]
        assert column["chunks"]


def test_nothing_to_audit_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    left, _, noise = command("audit", tmp_path, cwd=tmp_path)
    assert left == 3
    assert "no page was found" in noise
