"""Reports as text, Markdown and HTML, and two runs compared: laws of their parts, then what a small run says."""

from __future__ import annotations

import copy
import json
import math
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import runs

from wrac.core.errors import InputError
from wrac.evaluation.report import compare, markdown, page, reading, table, text
from wrac.evaluation.report.markup import Markup, el
from wrac.evaluation.report.reading import figure, signed
from wrac.evaluation.report.svg import spread, ticks

Results = dict[str, Any]
CELLS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return runs.results(tmp_path_factory.mktemp("run"))


# -- laws of the parts ------------------------------------------------------------------------------------------------


@given(
    st.integers(2, 7).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1)),
    st.integers(0, 90),
)
def test_a_folded_table_has_every_cell_once_in_order_and_fits(rows: list[list[str]], width: int) -> None:
    head, body = rows[0], rows[1:]
    parts = [part.split("\n") for part in table(head, body, width).split("\n\n")]
    for number, row in enumerate((head, *body)):
        assert [cell for part in parts for cell in part[number].split()[1:]] == row[1:]
        assert all(part[number].split()[0] == row[0] for part in parts)
    if width:
        assert all(len(line) <= width or len(line.split()) == 2 for part in parts for line in part)
    else:
        assert len(parts) == 1


def test_columns_of_wide_characters_stand_under_their_heads() -> None:
    head, wide, marked = table(["by type", "質問 (3)"], [["wrac", ".500"], ["Gru\u0308n", "1.000"]]).split("\n")
    assert (len(head) + 2, len(wide), len(marked) - 1) == (17, 17, 17)


class Reader(HTMLParser):
    """What a reader of HTML makes of it: texts joined, attributes, elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.attributes, self.elements = "", list[str | None](), list[str]()
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += [value for _, value in attrs]


@given(st.text())
def test_a_text_comes_back_from_markup_as_it_is_seen_and_adds_no_element(words: str) -> None:
    read = Reader(el("p", words, el("b", words), title=words or "none", data_tip="x"))
    assert read.text == reading.seen(words) * 2
    assert read.attributes == [reading.seen(words or "none"), "x"]
    assert read.elements == ["p", "b"]
    assert read.text.encode().decode() == read.text


def test_markup_is_taken_as_it_is_and_names_become_attributes() -> None:
    assert (
        el("td", Markup("<b>1</b>"), "<", class_="x", aria_label="y", id="")
        == '<td class="x" aria-label="y"><b>1</b>&lt;</td>'
    )


@given(st.floats(0, 1e6), st.floats(1e-6, 1e6), st.integers(3, 9))
def test_ticks_are_even_few_and_hold_the_values(low: float, size: float, most: int) -> None:
    found = ticks(low, low + size, most)
    steps = [b - a for a, b in pairwise(found)]
    assert found[0] <= low + size * 1e-6
    assert found[-1] >= (low + size) * (1 - 1e-6)
    assert 2 <= len(found) <= most + 2
    assert max(steps) == pytest.approx(min(steps), rel=1e-3)


@given(st.lists(st.floats(0, 300), max_size=12), st.floats(1, 20))
def test_labels_stand_apart_in_order_inside_the_plot(wanted: list[float], gap: float) -> None:
    found = spread(wanted, gap, 10, 290)
    pairs = sorted(zip(wanted, found, strict=True))
    assert all(10 - 1e-6 <= one <= 290 + 1e-6 for one in found)
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(sorted(found)))
    assert all(a <= b + 1e-6 for (v, a), (w, b) in pairwise(pairs) if v < w)


@given(st.floats(-2, 2) | st.floats(-1e7, 1e7))
def test_figures_read_back(value: float) -> None:
    assert float(figure(value).replace(",", "")) == pytest.approx(value, abs=0.5 if abs(value) >= 9.9995 else 0.0005001)
    assert signed(value)[0] in "+-"


# -- what a small run says --------------------------------------------------------------------------------------------


def test_text_fits_a_terminal_and_says_everything(results: Results) -> None:
    told = text(results, detail=True)
    assert all(len(line) <= 80 for line in told.splitlines() if not line.startswith(("versions", "command")))
    for words in (
        "24 pages, 24 queries",
        "search: bm25",
        "search: default",
        "by type",
        "paid: units dropped 3",
        "= no diff",
    ):
        assert words in told
    short = text(results, detail=False)
    assert "by type" not in short
    assert all(metric in short for metric in results["primary"])


def test_text_says_what_failed_and_what_was_left_out(results: Results) -> None:
    found = {**results, "failed": [{"strategy": "docling", "reason": "needs an extra", "exit": 2}]}
    lost = {"query": "q9", "text": "gold\nthat is\x1b[2J nowhere", "reason": "not on its page"}
    found["data"] = {**results["data"], "excluded": [lost, lost]}
    assert "docling: failed: needs an extra" in text(found)
    assert "left out: 2 not on its page" in text(found, detail=False)
    assert "q9: not on its page: gold that is\ufffd[2J nowhere" in text(found, detail=True)


def test_signs_are_the_verdicts_and_fewer_tokens_are_better(results: Results) -> None:
    metric = next(metric for metric in results["primary"] if metric.startswith("tokens@"))
    difference = {"mean": 5.0, "low": 4.0, "high": 6.0, "real": True}
    assert reading.verdict(metric, difference) == "worse"
    assert reading.verdict("B@500", difference) == "better"
    assert reading.verdict("B@500", {**difference, "low": -1.0}) == "no difference"
    rows = reading.of_search(results, "bm25")
    assert reading.best(rows, metric) == figure(min(row["metrics"][metric] for row in rows))


def test_the_worst_queries_are_those_that_found_least_not_those_that_read_least(results: Results) -> None:
    for row in results["rows"]:
        found = {query: sum(values[:-1]) for query, values in row["queries"].items()}
        assert results["metrics"][-1].startswith("tokens@")
        worst = [found[one["id"]] for one in row["worst"]]
        assert worst == sorted(found.values())[: len(worst)]


def test_markdown_has_a_table_a_search(results: Results) -> None:
    lines = markdown(results).splitlines()
    assert sum(line.startswith("| strategy | R@1") for line in lines) == 2
    assert len({line.count("|") for line in lines if line.startswith("| wrac")}) == 1
    assert "- paid: units dropped 3, repeated passages 1" in lines


def test_a_report_without_curves_differences_costs_and_rows_is_a_report(results: Results) -> None:
    bare = copy.deepcopy(results)
    for key in ("differences", "costs", "settings", "command", "seconds"):
        del bare[key]
    for row in bare["rows"]:
        del row["curve"]
    assert "words a chunk" in page(bare)
    assert text(bare)
    bare["rows"] = []
    assert "How to read the figures" in page(bare)
    assert text(bare)


# -- two runs ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def found(results: Results) -> Results:
    """A run compared with a later one, in which wrac finds all under BM25, and a strategy is gone."""
    before, after = copy.deepcopy(results), copy.deepcopy(results)
    for run, value in ((before, 0.25), (after, 1.0)):
        run["rows"][0]["queries"] = {query: [value] * len(run["metrics"]) for query in run["texts"]}
    after["rows"] = [row for row in after["rows"] if row["strategy"] != "paid"]
    after["settings"]["embedder"] = "other"
    return compare.compare(before, after)


def test_what_became_better_is_said_with_its_interval(found: Results) -> None:
    first = found["rows"][0]
    assert (first["strategy"], first["search"]) == ("wrac", "bm25")
    assert first["figures"]["B@500"]["verdict"] == "better"
    assert (first["figures"]["B@500"]["old"], first["figures"]["B@500"]["new"]) == (0.25, 1.0)
    assert first["figures"]["tokens@3"]["verdict"] == "worse"
    assert len(first["gained"]) == 10
    assert first["lost"] == []
    assert first["gained"][0]["text"].startswith("What is the limit of refund")
    assert all(one["verdict"] == "no difference" for row in found["rows"][1:] for one in row["figures"].values())
    assert found["only_old"] == [["paid", "bm25"], ["paid", "default"]]
    assert found["settings"] == [{"name": "embedder", "old": "minilm", "new": "other"}]
    assert json.loads(json.dumps(found)) == found


def test_a_comparison_is_printed_and_drawn(found: Results) -> None:
    told = compare.text(found)
    for words in (
        "embedder was minilm",
        "only in the old run: paid (bm25)",
        "no figure changed: wrac (default)",
        "+.750",
    ):
        assert words in told
    html = compare.page(found)
    assert "queries that changed most" in html
    assert "paid (default)" in html


def test_rows_that_are_equally_best_are_all_called_so(results: Results) -> None:
    tied, told = copy.deepcopy(results), copy.deepcopy(results)
    for row in tied["rows"]:
        row["metrics"]["B@500"] = 0.5
    for row in told["rows"]:
        row["metrics"]["B@500"] = 0.7 if row["strategy"] == "page" else 0.5
    names = ", ".join(reading.strategies(results))
    assert f"Best at B@500, with .500: {names}." in page(tied)
    assert "Best at B@500: page with .700, " in page(told)


def test_a_run_against_itself_has_no_difference(results: Results) -> None:
    found = compare.compare(results, results)
    assert found["settings"] == found["only_old"] == found["only_new"] == []
    assert all(row["gained"] == row["lost"] == [] for row in found["rows"])
    assert "no figure changed" in compare.text(found)


def test_another_data_set_is_refused(results: Results) -> None:
    """Questions are told by id and words: a drafted id is the same on every site."""
    for change in ("ids", "words"):
        other = copy.deepcopy(results)
        other["file"] = "new.json"
        if change == "words":
            other["texts"] = {query: f"{text} or not" for query, text in other["texts"].items()}
        else:
            other["texts"] = {f"x{query}": text for query, text in other["texts"].items()}
            for row in other["rows"]:
                row["queries"] = {f"x{query}": values for query, values in row["queries"].items()}
        with pytest.raises(InputError, match=r"^new.json: is a run over .*; compare two runs over the same data$"):
            compare.compare(results, other)


def test_questions_asked_in_other_words_are_not_paired_and_a_file_of_another_name_is(results: Results) -> None:
    other = copy.deepcopy(results)
    first = next(iter(other["texts"]))
    other["texts"][first] += " at all"
    other["data"]["name"] = "renamed"
    found = compare.compare(results, other)
    assert found["queries"] == len(results["texts"]) - 1
    assert [one["name"] for one in found["settings"]] == ["data"]


def spoilt(results: Results, key: str, value: Any) -> str:
    return json.dumps({**results, key: value})


def test_a_file_of_results_is_read_back(results: Results, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text(json.dumps(results), "utf-8")
    assert compare.read(file) == {**results, "file": str(file)}


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "it is no object"),
        ("{}", "it has no 'data'"),
        ('{"data": 1}', "'data' is no object"),
    ],
)
def test_a_file_that_holds_no_results_is_named_with_its_fault(tmp_path: Path, words: str, fault: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(words, "utf-8")
    with pytest.raises(InputError) as caught:
        compare.read(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert fault in str(caught.value)
    assert "wrac eval DATA --out FILE" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("rows", [{}], "row 1 has no 'strategy'"),
        ("rows", [3], "row 1 is no object"),
        ("metrics", ["R@1"], "row 1 has a query without a number for each metric"),
        ("texts", [], "'texts' of it is no dict"),
    ],
)
def test_results_of_another_form_are_refused(
    results: Results, tmp_path: Path, key: str, value: Any, fault: str
) -> None:
    file = tmp_path / "results.json"
    file.write_text(spoilt(results, key, value), "utf-8")
    with pytest.raises(InputError, match=fault):
        compare.read(file)


@pytest.mark.parametrize("figure", [math.inf, math.nan, 10**400])
def test_a_figure_that_is_no_number_is_refused(results: Results, tmp_path: Path, figure: float) -> None:
    spoilt = copy.deepcopy(results)
    next(iter(spoilt["rows"][1]["queries"].values()))[0] = figure
    file = tmp_path / "results.json"
    file.write_text(json.dumps(spoilt), "utf-8")
    with pytest.raises(InputError, match="row 2 has a query without a number for each metric"):
        compare.read(file)


JUNK: st.SearchStrategy[Any] = st.sampled_from([None, 3, "x", [], {}, [1], {"a": 1}, [{}], True, "\ud800"])


@given(junk=JUNK, data=st.data())
def test_whatever_a_file_holds_it_is_compared_or_refused(results: Results, junk: Any, data: st.DataObject) -> None:
    """One value anywhere in the file is another, or is gone."""
    spoilt = copy.deepcopy(results)
    spoilt["failed"] = [{"strategy": "x", "reason": "y", "exit": 2}]
    at: Any = spoilt
    for _ in range(data.draw(st.integers(0, 3))):
        inside = [
            value for value in (at.values() if isinstance(at, dict) else at) if value and isinstance(value, dict | list)
        ]
        at = data.draw(st.sampled_from(inside)) if inside else at
    key = data.draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
    if isinstance(at, dict) and data.draw(st.booleans()):
        del at[key]
    else:
        at[key] = junk
    with TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        file.write_text(json.dumps(spoilt), "utf-8")
        try:
            found = compare.compare(results, compare.read(file))
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert compare.text(found)
            assert compare.page(found)


def test_of_many_small_groups_the_largest_are_shown(results: Results) -> None:
    rows = copy.deepcopy(reading.of_search(results, "bm25"))
    part = rows[0]["by"]["type"]["Fact"]
    rows[0]["by"]["type"] = {f"t{i}": {**part, "queries": i % 19} for i in range(60)}
    assert len(reading.labels(rows, "type")) == reading.SHOWN
    assert set(reading.labels(rows, "type").values()) == {18, 17, 16, 15}
    rows[0]["by"]["type"]["large"] = {**part, "queries": 20}
    assert reading.labels(rows, "type") == {"large": 20}


def test_a_file_that_is_absent_or_a_folder_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(InputError, match="cannot be read"):
            compare.read(path)
