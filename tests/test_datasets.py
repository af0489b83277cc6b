"""Data sets: told by their files, gold that is there, and what is said of what is not."""

from __future__ import annotations

import copy
import csv
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import debian
from tests.data import FOLDER, existing

from wrac.core.errors import InputError
from wrac.core.types import Page
from wrac.evaluation import run
from wrac.evaluation.datasets import load, make
from wrac.evaluation.datasets.blocks import Block, blocks
from wrac.evaluation.datasets.matching import Names
from wrac.evaluation.datasets.own import SHAPE
from wrac.evaluation.datasets.questions import is_question
from wrac.evaluation.masking import mask
from wrac.evaluation.metrics import SpanJudge
from wrac.evaluation.strategies import Corpus, strategy
from wrac.evaluation.values import Gold, name
from wrac.fetching import Skip, pages
from wrac.fetching.media import PDF

ROOT = Path(__file__).parents[1]
REFUNDS = "<h1>Refunds</h1><p>Refunds are paid daily.</p><h2>Limits</h2><p>At most 500 euros a day.</p>"
CARDS = "<h1>Cards</h1><p>A card costs nothing.</p><script>var limit = 'nine hundred yen';</script>"
GOOD = {"query": "What is the limit?", "page": "refunds.html", "text": "At most 500 euros a day."}


def data(*parts: str) -> str:
    """A path of the shared data; of a data set of several files it is their common beginning."""
    path = FOLDER.joinpath(*parts)
    existing(path.with_name(f"{path.name}.queries.jsonl") if parts[0] == "faq" else path)
    return str(path)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `site` with two pages, which is also the working folder's only one."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "site" / "help"
    folder.mkdir(parents=True)
    (folder / "refunds.html").write_text(REFUNDS, "utf-8")
    (folder / "cards.html").write_text(CARDS, "utf-8")
    return tmp_path / "site"


def asked(rows: Iterable[Any], file: str = "asked.jsonl") -> str:
    """The name of a JSON lines file of the rows; a text is a line as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    Path(file).write_text("\n".join(lines), "utf-8")
    return file


def own(*rows: Mapping[str, Any] | str) -> Any:
    return load(asked(rows), ["site"])


@pytest.mark.usefixtures("site")
def test_lines_of_ones_own_become_queries_with_gold_on_the_page_meant() -> None:
    found = own(
        GOOD,
        {**GOOD, "id": "cards", "page": "https://example.com/help/cards.html#costs", "text": ["A card costs nothing."]},
        {**GOOD, "id": 7, "pages": ["help/refunds.html", "cards"], "type": "fact", "mask": ["Limits", "limit"]},
    )
    assert [query.id for query in found.queries] == ["line 1", "cards", "7"]
    refunds, cards = "site/help/refunds.html", "site/help/cards.html"
    assert [query.gold[0].pages for query in found.queries] == [{refunds}, {cards}, {refunds, cards}]
    assert found.queries[2].groups == {"type": "fact"}
    assert found.masks == ("Limits", "limit")
    assert (found.name, found.excluded, found.spans) == ("asked", (), False)


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"text": "At most 900 euros a week."}, "it is nowhere on its page"),
        ({"text": "the of and"}, "it has no words that tell it apart"),
        ({"page": "fees.html"}, "page fees.html is not among the pages"),
        ({"query": " "}, "the query is empty"),
    ],
)
def test_what_cannot_count_is_left_out_with_its_reason(change: Mapping[str, Any], reason: str) -> None:
    found = own(GOOD, {**GOOD, **change})
    assert [query.id for query in found.queries] == ["line 1"]
    assert [(one.query, one.reason) for one in found.excluded] == [("line 2", reason)]


@pytest.mark.usefixtures("site")
def test_gold_that_is_nowhere_leaves_the_other_gold_of_its_query() -> None:
    found = own({**GOOD, "text": [GOOD["text"], "Nobody wrote this sentence anywhere."]})
    assert [gold.text for gold in found.queries[0].gold] == [GOOD["text"]]
    assert [one.text for one in found.excluded] == ["Nobody wrote this sentence anywhere."]


@pytest.mark.usefixtures("site")
def test_a_page_that_is_not_there_is_told_though_others_of_the_query_are() -> None:
    found = own({**GOOD, "pages": ["refunds.html", "fees.html"]})
    assert [query.gold[0].pages for query in found.queries] == [{"site/help/refunds.html"}]
    assert [one.reason for one in found.excluded] == ["page fees.html is not among the pages"]


@pytest.mark.usefixtures("site")
def test_halves_of_characters_are_read_as_unknown_ones() -> None:
    found = own(
        json.dumps({**GOOD, "query": "Limit \ud83d\ude00?", "mask": "\ud800 ab", "type": "\udfff", "id": "\udc00"})
    )
    assert (found.queries[0].text, found.queries[0].id) == ("Limit \U0001f600?", "\ufffd")
    assert (found.masks, found.queries[0].groups) == (("\ufffd ab",), {"type": "\ufffd"})


@pytest.mark.usefixtures("site")
def test_program_code_is_no_text_of_a_page() -> None:
    found = own(GOOD, {**GOOD, "page": "cards.html", "text": "limit nine hundred yen"})
    assert [one.reason for one in found.excluded] == ["it is nowhere on its page"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["{"], "asked.jsonl:1: is not JSON; one object a line"),
        (["[" * 100_000], "asked.jsonl:1: is not JSON; one object a line"),
        ([GOOD, "[]"], "asked.jsonl:2: is not a JSON object; one object a line"),
        (["", {"query": "?", "page": "a"}], f"asked.jsonl:2: lacks 'text'; {SHAPE}"),
        ([{"page": "a", "text": "b"}], f"asked.jsonl:1: lacks 'query'; {SHAPE}"),
        ([{"query": "a", "text": "b"}], f"asked.jsonl:1: lacks 'page'; {SHAPE}"),
        ([{**GOOD, "text": ["a", 1]}], f"asked.jsonl:1: 'text' is neither a text nor a list of texts; {SHAPE}"),
        ([{**GOOD, "query": 5}], f"asked.jsonl:1: 'query' is no text; {SHAPE}"),
        ([{**GOOD, "id": "x"}, {**GOOD, "id": "x"}], "asked.jsonl: query id x stands twice; ids must be unique"),
        ([], "asked.jsonl: holds no queries; one object a line"),
        (
            [{**GOOD, "page": "x"}, {**GOOD, "page": "x"}],
            "asked.jsonl: no query is left: page x is not among the pages (2 times); "
            "check that the pages are those of the queries",
        ),
    ],
)
@pytest.mark.usefixtures("site")
def test_a_file_that_cannot_be_used_is_named_with_its_fault(rows: list[Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        own(*rows)
    assert str(caught.value) == message


@pytest.mark.usefixtures("site")
def test_a_string_may_hold_any_line_separator_and_the_file_a_mark() -> None:
    Path("asked.jsonl").write_text(
        "\ufeff" + json.dumps({**GOOD, "query": "a\u2028b\x85c"}, ensure_ascii=False), "utf-8"
    )
    assert load("asked.jsonl", ["site"]).queries[0].text == "a\u2028b\x85c"


@pytest.mark.usefixtures("site")
def test_a_source_that_is_no_data_set_says_what_is_accepted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: no such data set; give a JSONL file of {query, page, text}"):
        load("nowhere")
    with pytest.raises(InputError, match=r"site: is no data set; give a JSONL file"):
        load("site")
    with pytest.raises(InputError, match=r"asked.jsonl: has no pages; name the site"):
        load(asked([GOOD]))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty: holds no page; give the files or the folder"):
        load("asked.jsonl", ["empty"])
    Path("latin.jsonl").write_bytes(b'{"query": "\xe9"}')
    with pytest.raises(InputError, match=r"latin.jsonl: is not UTF-8; save it as UTF-8"):
        load("latin.jsonl", ["site"])


def test_a_folder_may_hold_its_queries_beside_its_pages(site: Path) -> None:
    asked([GOOD], str(site / "queries.jsonl"))
    found = load("site")
    assert [page.url for page in found.pages] == ["site/help/cards.html", "site/help/refunds.html"]
    assert len(found.queries) == 1


PARTS = st.sampled_from(["a", "b", "index.html", "Fees & Limits.html", "fees.md"])
URLS = st.sets(st.lists(PARTS, min_size=1, max_size=3).map("/".join), min_size=1, max_size=6)


@given(URLS, st.data())
def test_a_page_is_found_by_its_url_and_by_every_end_of_it_that_is_its_own(urls: set[str], data: st.DataObject) -> None:
    names = Names([Page(url, b"") for url in sorted(urls)])
    url = data.draw(st.sampled_from(sorted(urls)))
    parts = url.split("/")
    end = "/".join(parts[data.draw(st.integers(0, len(parts) - 1)) :])
    found, reason = names.find(end)
    rivals = [one for one in urls if one == end or f"/{one}".endswith(f"/{end}")]
    assert names.find(url) == (url, "")
    assert bool(found) != bool(reason)
    if end in urls:
        assert found == end
    else:
        assert found == (rivals[0] if len(rivals) == 1 else "")


def test_an_ambiguous_page_is_told_with_its_rivals() -> None:
    names = Names([Page(url, b"") for url in ("de/faq.html", "en/faq.html", "https://x.org/a%20b.html")])
    assert names.find("faq.html")[1] == "page faq.html may be de/faq.html or en/faq.html; give more of its path"
    assert names.find("https://example.com/site/en/faq.html?x=1#y") == ("en/faq.html", "")
    assert names.find("A  B.pdf") == ("https://x.org/a%20b.html", "")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_is_found_in_whichever_form_a_file_system_keeps_it(form: Literal["NFC", "NFD"]) -> None:
    page = unicodedata.normalize(form, "hilfe/über uns.html")
    names = Names([Page(page, b""), Page("hilfe/a.html", b"")])
    assert {
        names.find(one)[0] for one in ("über uns.html", "u\u0308ber uns.html", "hilfe/%C3%BCber%20uns.html", "Über Uns")
    } == {page}


LINES: Mapping[str, dict[str, Any]] = {
    "own/queries.jsonl": {**GOOD, "id": "x", "type": "t", "mask": ["Limits"], "pages": ["help/refunds.html"]},
    "rmc/queries.jsonl": {
        "id": "x", "query": "What is the limit?", "company": "c", "type": "t",
        "gold": [{"page": "refunds.html", "text": GOOD["text"]}, {"pages": ["refunds.html"], "text": GOOD["text"]}],
    },
    "faq/x.documents.jsonl": {"doc": "refunds.html", "path": "help/refunds.html", "debian_package": "p"},
    "faq/x.queries.jsonl": {
        "id": "x", "query": "Limits", "doc": "refunds.html", "anchor": "limits", "answer": GOOD["text"],
    },
}  # fmt: skip
JUNK: st.SearchStrategy[Any] = st.sampled_from([None, 3, "", "x", [], {}, [1], {"a": 1}, [None], True, 1e400, "\ud800"])


@settings(max_examples=60)
@given(st.sampled_from(sorted(LINES)), JUNK, st.data())
def test_whatever_a_line_holds_it_is_read_or_refused(file: str, junk: Any, data: st.DataObject) -> None:
    """One value of a line of a data set is another, or is gone."""
    lines = copy.deepcopy(LINES)
    at: Any = lines[file]
    while isinstance(at, dict | list):
        key = data.draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or data.draw(st.booleans()):
            break
        at = at[key]
    if data.draw(st.booleans()):
        at[key] = junk
    else:
        del at[key]
    with TemporaryDirectory() as folder:
        for page in ("own/help", "rmc/help/html", "faq/help"):
            (Path(folder) / page).mkdir(parents=True)
            (Path(folder) / page / "refunds.html").write_text(REFUNDS.replace("<h2>", "<h2 id=limits>"), "utf-8")
        for name, line in lines.items():
            (Path(folder) / name).write_text(json.dumps(line), "utf-8")
        root = Path(folder) / file.partition("/")[0]
        try:
            load(str(root / "x" if root.name == "faq" else root), [str(root)] if root.name == "faq" else [])
        except InputError as error:
            assert "\n" not in str(error)


HTML = st.lists(
    st.sampled_from(
        ["<p>", "</p>", "<td>", "<tr>", "<table>", "</table>", "<h2>", "<li>", "<b>", " one ", "two", "&amp;"]
    )
)


@given(HTML)
def test_blocks_hold_all_text_once_in_order(parts: list[str]) -> None:
    found = blocks(Page("a.html", "".join(parts).encode()))
    text = re.sub(r"\s", "", "".join(part for part in parts if not part.startswith("<"))).replace("&amp;", "&")
    assert "".join(block.text for block in found).replace(" ", "") == text


def test_blocks_of_a_page() -> None:
    body = (
        "<title>No</title><h2 id=a>1.2. <code>x</code>&nbsp;y<a href=#a>¶</a></h2><p><a name=b></a>One <b>two</b>three"
        "<p>Four<table><tr><th>k<td><p>v</p><p>w</p></table><script>no</script>after"
    )
    assert blocks(Page("a.html", body.encode())) == [
        Block("h2", ("a",), "1.2. x y"),
        Block("p", ("b",), "One twothree"),
        Block("p", (), "Four"),
        Block("tr", (), "k v w"),
        Block("", (), "after"),
    ]


def test_rmc_is_whole() -> None:
    found = load(data("rmc"))
    assert (len(found.pages), len(found.queries), found.excluded) == (158, 585, ())


def test_rmc_over_the_pages_of_another_folder_asks_what_these_answer() -> None:
    found = load(data("rmc"), [data("rmc", "cloudway", "md")])
    assert [page.media_type for page in found.pages] == ["text/markdown"] * 37
    assert len(found.queries) > 100
    assert {query.groups["company"] for query in found.queries} == {"cloudway"}
    assert {one.reason for one in found.excluded} <= {"its page is not in the set", "it is nowhere on its page"}


def test_chromas_spans_are_what_stands_in_the_source() -> None:
    found = load(data("chroma"))
    assert (len(found.pages), len(found.queries), found.spans, found.excluded) == (5, 472, True, ())
    assert {page.media_type for page in found.pages} == {"text/plain"}


@pytest.mark.parametrize(("size", "overlap", "published"), [(200, 0, 0.312), (250, 125, 0.219)])
def test_a_perfect_search_is_as_precise_as_published(size: int, overlap: int, published: float) -> None:
    """Precision-omega depends on chunks and gold alone; the other figures of these rows need an embedder."""
    found = load(data("chroma"))
    cut = strategy(f"recursive-{size}/{overlap}", found, Corpus()).passages(found.pages).items
    scored = SpanJudge().scores(found.queries, [[] for _ in found.queries], cut)
    assert sum(one[2] for one in scored) / len(scored) == pytest.approx(published, abs=0.015)


def chroma(folder: Path, text: bytes, *spans: tuple[str, int, int], corpus: str = "notes") -> str:
    """A small data set in Chroma's form, a question a span."""
    (folder / "notes.md").write_bytes(text)
    with (folder / "questions_df.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "references", "corpus_id"])
        for content, start, end in spans:
            references = [{"content": content, "start_index": start, "end_index": end}]
            writer.writerow(["Which?", json.dumps(references), corpus])
    return str(folder)


@pytest.mark.parametrize("text", [b"one\ntwo, three", b"one\r\ntwo, three", b"\xef\xbb\xbfone\r\ntwo, three"])
def test_spans_count_in_the_source_without_mark_and_carriage_returns(tmp_path: Path, text: bytes) -> None:
    found = load(chroma(tmp_path, text, ("two", 4, 7), ("three", 4, 9), ("", 2, 2)))
    assert [query.gold for query in found.queries] == [(Gold("two", frozenset({"notes.md"}), 4, 7),)]
    assert [one.reason for one in found.excluded] == ["it is not what stands there in the source"] * 2


def test_chroma_without_its_text_or_with_other_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"corpus 'x' has no text x.md beside it"):
        load(chroma(tmp_path, b"a", ("a", 0, 1), corpus="x"))
    (tmp_path / "questions_df.csv").write_text("question,answer\na,b\n", "utf-8")
    with pytest.raises(InputError, match=r"has no column references; its columns are question, references, corpus_id"):
        load(str(tmp_path))
    (tmp_path / "questions_df.csv").write_text("question,references,corpus_id\na,b,notes\n", "utf-8")
    with pytest.raises(InputError, match=r"row 1: references are no list of spans"):
        load(str(tmp_path))
    (tmp_path / "questions_df.csv").write_text(f"question,references,corpus_id\n{'a' * 200_000},[],notes\n", "utf-8")
    with pytest.raises(InputError, match=r"questions_df.csv:2: field larger than field limit"):
        load(str(tmp_path))


FAQ = (
    "<ul><li><a href=#why>1.1. Why does it cost money?</a></li></ul>"
    "<div class=section><h2><a id=why></a>1.1. Why does it cost money?</h2>"
    "<p>Servers are not free, nor are people.</p><ul><li>See <a href=#how>How is it paid?</a></li></ul></div>"
    "<section id=how><h2>1.2. How is it paid?</h2><p>By card, every month.</p></section>"
)


def faq(folder: Path, *answers: tuple[str, str, str]) -> str:
    """A small data set of documentation questions; each answer has a question, an anchor and a text."""
    page = folder / "packages" / "usr/share/doc/faq/faq.html"
    page.parent.mkdir(parents=True)
    page.write_text(FAQ, "utf-8")
    document = {"doc": "faq.html", "debian_package": "faq", "path": "usr/share/doc/faq/faq.html"}
    asked([document], str(folder / "faq.documents.jsonl"))
    rows = [
        {"id": f"q{number}", "query": query, "doc": "faq.html", "anchor": anchor, "level": 2, "answer": answer}
        for number, (query, anchor, answer) in enumerate(answers)
    ]
    asked(rows, str(folder / "faq.queries.jsonl"))
    return str(folder / "faq")


def test_documentation_questions_have_the_blocks_of_their_answer_and_are_masked(tmp_path: Path) -> None:
    why = ("Why does it cost money?", "why", "Servers are not free, nor are people. See How is it paid?")
    how = ("How is it paid?", "how", "By card, every month.")
    source = faq(tmp_path, why, how, ("Where?", "why", "Nowhere at all."), ("When?", "gone", "Now."))
    found = load(source, [str(tmp_path / "packages")])
    assert [[gold.text for gold in query.gold] for query in found.queries] == [
        ["Servers are not free, nor are people."],
        ["By card, every month."],
    ]
    assert [(one.query, one.reason) for one in found.excluded] == [
        ("q2", "its answer is not what follows #why on page faq.html"),
        ("q3", "page faq.html has no anchor gone"),
    ]
    assert found.masks[:2] == (why[0], how[0])


def test_absent_packages_are_named_with_the_command_that_gets_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WRAC_DEBIAN_DOCS", raising=False)
    source = faq(tmp_path, ("How is it paid?", "how", "By card, every month."))
    with pytest.raises(
        InputError, match=r"run: apt-get download faq && dpkg -x faq_\*.deb .cache/debian, or set WRAC_"
    ):
        load(source)
    with pytest.raises(InputError, match=r"holds several data sets: faq; give one, as "):
        load(str(tmp_path))
    monkeypatch.setenv("WRAC_DEBIAN_DOCS", str(tmp_path / "packages" / "usr/share/doc"))
    assert len(load(source).queries) == 1


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_debian_questions_have_their_answers_in_the_packages(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = data("faq", f"debian-faq-{language}")
    folder = debian.folder()
    if folder is None:
        pytest.skip(debian.ABSENT)
    monkeypatch.setenv("WRAC_DEBIAN_DOCS", str(folder))
    found = load(source)
    assert len(found.pages) == 17
    assert len(found.queries) + len({one.query for one in found.excluded}) == 160
    assert {one.reason for one in found.excluded} == {"its answer is little more than other questions"}
    assert 10 <= len(found.excluded) <= 20


def drafted(*bodies: str) -> list[dict[str, Any]]:
    return make([Page(f"p{i}.html", f"<html lang=en><main>{b}</main>".encode()) for i, b in enumerate(bodies)])


def test_a_draft_has_the_questions_a_page_shows_once_each() -> None:
    said = {"Is it open?": "On every day but Sunday.", "Who are you?": "We are said in data only."}
    body = (
        "<h1>Help</h1><h2>1.2. How do I pay?<a class=headerlink href=#x>¶</a></h2><p>With a card, at the desk.</p>"
        "<ul><li>Yes.</li><li>Cash is fine too, of course.</li></ul><h2>Prices</h2><p>Nothing costs anything here.</p>"
        "<details><summary>Is it open?</summary><p>Every day but Sunday, all year.</p></details>"
        "<details><summary>More</summary><p>This is not an answer to anything.</p></details>"
        "<script type='application/ld+json'>" + json.dumps({
            "@type": "FAQPage",
            "mainEntity": [
                {"@type": "Question", "name": asked, "acceptedAnswer": {"@type": "Answer", "text": answer}}
                for asked, answer in said.items()
            ],
        }) + "</script>"
    )  # fmt: skip
    rows = drafted(body)
    assert [(row["query"], row["type"], row["text"]) for row in rows] == [
        ("How do I pay?", "heading", ["With a card, at the desk.", "Cash is fine too, of course."]),
        ("Is it open?", "details", "Every day but Sunday, all year."),
    ]  # and none that a script's data says alone: ways that cut the page's text never see it
    assert all(row["mask"] == row["query"] and row["page"] == "p0.html" for row in rows)


def test_a_question_on_several_pages_is_one_line_where_they_answer_alike_and_none_where_not() -> None:
    alike, other = (
        "<h2>What is it?</h2><p>It is a thing of beauty.</p>",
        "<h2>What is it?</h2><p>It is a joy for ever.</p>",
    )
    lonely = "<h2>Who is it?</h2><p>It is somebody of note.</p>"
    assert [row["pages"] for row in drafted(alike, alike)] == [["p0.html", "p1.html"]]
    assert [row["query"] for row in drafted(alike, other, lonely)] == ["Who is it?"]


def test_a_page_that_cannot_be_read_is_told_and_the_others_are_drafted(site: Path) -> None:
    told: list[str] = []
    found = [Page("a.html", b"<h2>What is it?</h2><p>It is a thing of beauty.</p>"), Page("b.pdf", b"%PDF-1.4", PDF)]
    assert [row["page"] for row in make(found, told.append)] == ["a.html"]
    (line,) = told
    assert line.startswith("b.pdf: the page cannot be read: ")
    (site / "b.pdf").write_bytes(b"%PDF-1.4")
    data = own(GOOD, {**GOOD, "page": "b.pdf"})
    assert [(one.query, one.reason[:30]) for one in data.excluded] == [("line 2", line[7:37])]
    results = run(data, ["sections"], ["bm25"])
    assert results["data"]["pages"] == 2
    assert [(one["query"], one["reason"][:30]) for one in results["data"]["excluded"][1:]] == [
        ("site/b.pdf", line[7:37])
    ]
    assert len(results["rows"]) == 1


def test_a_site_without_questions_is_told_to_write_lines_by_hand() -> None:
    with pytest.raises(InputError, match=r"p0.html: no question with an answer of its own was found; write lines of"):
        drafted("<h1>Prices</h1><p>Nothing costs anything here.</p>")


@pytest.mark.parametrize(
    ("text", "language", "answer"),
    [
        ("Refunds?", "", True), ("وكيف أدفع؟", "ar", True), ("どうすれば払えますか。", "ja", True),
        ("怎么付款", "zh", True),
        ("환불은 어떻게 하나요", "ko", True), ("Wie zahle ich", "de", True), ("Wie zahle ich", "en", False),
        ("Why so", "en", False), ("Comment payer en ligne", "fr-CA", True), ("As prices rise", "en", False),
        ("Как оплатить заказ", "ru", True), ("退款政策", "zh", False), ("", "", False),
    ],
)  # fmt: skip
def test_questions_are_told_in_many_languages(text: str, language: str, answer: bool) -> None:
    assert is_question(text, language) is answer


def test_a_draft_of_the_example_site_gives_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    rows = make([page for page in pages(["examples/site"]) if not isinstance(page, Skip)])
    found = load(asked(rows, str(tmp_path / "drafted.jsonl")), ["examples/site"])
    assert len(rows) >= 15
    assert (len(found.queries), found.excluded) == (len(rows), ())
    assert set(found.masks) == {row["query"] for row in rows}
    row = run(found, ["sections"], ["bm25"])["rows"][0]
    assert 0.2 < row["metrics"]["B@500"] < 1.0
    assert {name(page.url) for page in found.pages} >= {"faq", "schnellstart"}


def test_masked_gold_headings_are_in_no_indexed_text_of_the_debian_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    source = data("faq", "debian-faq-en")
    folder = debian.folder()
    if folder is None:
        pytest.skip(debian.ABSENT)
    monkeypatch.setenv("WRAC_DEBIAN_DOCS", str(folder))
    found = load(source)
    hide = mask(found.masks)
    text = hide("\n".join(block.text for page in found.pages for block in blocks(page))).casefold()
    long = [one for one in found.masks if len(one.split()) >= 3]
    assert len(long) > 100
    assert not [one for one in long if one.casefold() in text]
