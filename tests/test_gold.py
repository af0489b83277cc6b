"""A workspace's gold set: what is picked is what the harness reads; its stored chunks are what is measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.commands import command
from tests.fakes_index import WordEmbedder
from tests.misfits import build

from wrac import evaluation
from wrac.core.errors import InputError, NotFoundError
from wrac.evaluation.gold import Stored, data_set, gold, label, labelled, remove
from wrac.flow import Workspace
from wrac.flow.leavings import GOLD as FILE
from wrac.flow.leavings import RESULTS
from wrac.flow.proposals import adjust

URL = "https://docs.example.com/prices.html"
TEXTS = st.sampled_from(["one", "two", "zwei\tdrei", 'quo"te', "\u2028line", "trailing "])
PAGES = st.sampled_from(["a", "b", "c"])


@dataclass
class Model:
    """What a gold set should hold: by question, the texts picked on each page."""

    picked: dict[str, dict[str, list[str]]]

    def label(self, query: str, page: str, texts: list[str], units: set[str]) -> None:
        of = self.picked.setdefault(query, {})
        for other in of:
            of[other] = [text for text in of[other] if text not in units]
        of[page] = list(dict.fromkeys(texts))

    def texts(self, query: str) -> set[str]:
        return {text for texts in self.picked.get(query, {}).values() for text in texts}


@given(st.lists(st.tuples(st.sampled_from(["q", "Q  ", "other"]), PAGES, st.lists(TEXTS, max_size=3)), max_size=8))
@settings(max_examples=60)
def test_what_is_picked_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, list[str]]]
) -> None:
    folder, model = tmp_path_factory.mktemp("gold"), Model({})
    for query, page, picks in steps:
        texts = [f"{page}: {one}" for one in picks]  # each page has units of its own
        units = {f"{page}: {one}" for one in ("one", "two", "zwei\tdrei", 'quo"te', "\u2028line", "trailing ")}
        model.label(" ".join(query.split()).casefold(), page, texts, units)
        label(folder, query, page, texts, units)
        for name in ("q", "other"):
            found = labelled(folder, name)
            assert set(found.texts if found else ()) == model.texts(name)
            assert (found is None) == (not model.texts(name))
            if found:
                assert set(found.pages) >= {text.partition(":")[0] for text in found.texts}
    lines = (folder / FILE).read_text("utf-8").split("\n") if steps else [""]
    assert [json.loads(line) for line in lines if line] == [one.row for one in gold(folder)]
    assert len({one.id for one in gold(folder)}) == len(gold(folder))


def test_what_a_hand_wrote_stays(tmp_path: Path) -> None:
    line = {"id": "mine", "query": "What is it?", "page": "faq.html", "text": "A thing.", "type": "qa", "mask": "x"}
    (tmp_path / FILE).write_text(json.dumps(line) + "\n", "utf-8")
    label(tmp_path, "what IS it?", URL, ["More of it."], {"More of it.", "A stranger."})
    (row,) = (one.row for one in gold(tmp_path))
    assert row == {
        "id": "mine", "query": "What is it?", "pages": ["faq.html", URL], "text": ["A thing.", "More of it."],
        "type": "qa", "mask": "x",
    }  # fmt: skip
    label(tmp_path, "What is it?", "faq.html", [], set())
    assert gold(tmp_path)[0].texts == ("A thing.", "More of it.")  # it is no unit of that page
    remove(tmp_path, "mine")
    assert gold(tmp_path) == []
    with pytest.raises(NotFoundError, match="mine"):
        remove(tmp_path, "mine")


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"query": "a"}', '{"query": 1, "page": "a", "text": "b"}', '{"query":"a","page":[],"text":"b"}'],
)
def test_a_line_that_is_none_is_told_and_nothing_is_lost(tmp_path: Path, line: str) -> None:
    (tmp_path / FILE).write_text(line + "\n", "utf-8")
    with pytest.raises(InputError, match=":1"):
        label(tmp_path, "a", URL, ["b"], {"b"})
    assert (tmp_path / FILE).read_text("utf-8") == line + "\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    build(tmp_path / "site")
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as one:
        one.index(tmp_path / "site", base="https://docs.example.com", workers=0)
        yield one


def picked(workspace: Workspace, *begins: str) -> None:
    units = [unit.text for unit in workspace.record(URL).document.units.values()]
    for begin in begins:
        text = next(one for one in units if one.startswith(begin))
        label(workspace.path, f"{begin.strip()} dollars", URL, [text], units)


def test_the_harness_reads_it_from_the_workspace_alone(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing is labelled"):
        data_set(workspace)
    picked(workspace, "plan1\t", "plan20\t")
    data = data_set(workspace)
    assert (len(data.pages), len(data.queries), data.excluded) == (4, 2, ())
    code, out, noise = command("eval", "ws", "--strategies", "wrac,page", "--search", "bm25", "--json", cwd=tmp_path)
    assert code == 0, noise
    assert json.loads(out)["data"] == {"name": "gold", "pages": 4, "queries": 2, "groups": [], "excluded": []}


def test_stored_chunks_are_measured_as_they_are(workspace: Workspace) -> None:
    picked(workspace, "plan1\t")
    data = data_set(workspace)
    first = {one.page: one.text for one in Stored(workspace).passages(data.pages).items}
    assert set(first) == {page.url for page in data.pages}
    rows = evaluation.run(data, [Stored(workspace), "wrac"], ["bm25"])["rows"]
    assert rows[0]["metrics"] == rows[1]["metrics"]  # under the default policy they are wrac's own
    assert rows[0]["passages"] == rows[1]["passages"]
    adjust(workspace, workspace.record(URL), {"whole_tables": True})
    (row,) = evaluation.run(data_set(workspace), [Stored(workspace)], ["bm25"])["rows"]
    assert row["passages"] < rows[0]["passages"]


def test_a_forgotten_page_leaves_no_question_and_no_result_that_quotes_it(workspace: Workspace) -> None:
    picked(workspace, "plan1\t")
    steps = URL.replace("prices", "steps")
    unit = next(iter(workspace.record(steps).document.units.values()))
    label(workspace.path, "how do I begin", steps, [unit.text], [unit.text])
    folder = workspace.path / RESULTS
    folder.mkdir()
    results = evaluation.run(data_set(workspace), ["wrac"], ["bm25"])
    (folder / "quotes.json").write_text(json.dumps(results), "utf-8")
    (folder / "other.json").write_text("{}", "utf-8")
    with (workspace.path / FILE).open("a") as file:
        file.write("no JSON\n")
    workspace.forget(URL)
    lines = (workspace.path / FILE).read_text("utf-8").split("\n")
    assert [json.loads(line)["page"] for line in lines if line.startswith("{")] == [steps]
    assert "no JSON" in lines
    assert [file.name for file in folder.iterdir()] == ["other.json"]
    assert all(b"plan1\t" not in file.read_bytes() for file in workspace.path.rglob("*.json*"))
