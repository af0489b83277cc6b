"""Questions to answers: what a model is sent, what is refused before it is asked, what is kept of what it says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import FakeModel
from tests.fakes_index import WordEmbedder

from wrac.answering.asking import REFUSAL
from wrac.core.answers import Answer
from wrac.core.errors import ConfigError, WorkspaceError, WracError
from wrac.core.types import Policy, Usage
from wrac.flow import Workspace
from wrac.flow.answerers import NOBODY, Answerer, keep, recalled
from wrac.flow.ask import Wanted, answer
from wrac.flow.kept import Kept
from wrac.flow.search import Ask
from wrac.flow.talk import AIR, Talk
from wrac.indexing import Filters
from wrac.llm.asking import Question
from wrac.llm.prices import Price

QUERY = "How long do refunds take?"
PRICE = Price(2, 8)
MODEL = Answerer("fake:model", price=PRICE, window=8000)
ROWS = "".join(f"<tr><td>Plan {n}</td><td>{n} USD a month, billed in advance</td></tr>" for n in range(1, 25))
PAGES = {
    "refunds.html": "<title>Refunds</title><h1>Refunds</h1><p id=how>Refunds take ten days.</p>"
    "<h2>Desk</h2><ol><li>Call the desk.</li><li>Name the order.</li></ol>"
    "<h2>Rest</h2><p>Nothing else is said of it. Only much about paper, ink and other things that nobody asks.</p>",
    "plans.html": f"<title>Plans</title><h1>Plans</h1><table><tr><th>Plan</th><th>Price</th></tr>{ROWS}</table>",
    "shop.html": "<title>Shop</title><h1>Shop</h1><p>Our shop sells paper, ink and refunds nothing in cash.</p>",
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages and a workspace of them."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "site").mkdir()
    for name, text in PAGES.items():
        (folder / "site" / name).write_text(text)
    with Workspace(folder / "ws", embedder=WordEmbedder()) as made:
        made.index(str(folder / "site"), workers=0, base="https://shop.example/", policy=Policy(target=40, maximum=60))
    return folder


@pytest.fixture
def workspace(indexed: Path, tmp_path: Path) -> Iterator[Workspace]:
    shutil.copytree(indexed, tmp_path, dirs_exist_ok=True)
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as made:
        yield made


class Asker:
    """Asks a workspace by a fake model; `told` is what was told of answers."""

    def __init__(self, workspace: Workspace, model: FakeModel, answerer: Answerer = MODEL) -> None:
        self.workspace, self.model, self.answerer, self.told = workspace, model, answerer, list[str]()

    def __call__(
        self, query: str = QUERY, way: Any = "passages", budget: int | None = 2000, most: float | None = None,
        where: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        talk = Talk(self.answerer, self.model, Kept(self.workspace.database))
        ask = Ask(query, None, budget, Filters.of(where or {}))
        return answer(self.workspace.shelf, self.workspace.log, talk, Wanted(ask, way, most, self.told.append))


def mark(question: Question, text: str) -> str:
    """The mark of the unit that begins so."""
    line = next(line for line in question.data.split("\n") if line.partition("] ")[2].startswith(text))
    return line.partition("]")[0] + "]"


def says(text: str) -> Any:
    """The model that says a text, with the mark of the unit about refunds in place of `{}`."""
    return FakeModel(lambda question: text.replace("{}", mark(question, "Refunds take")))


# -- without a model


def test_without_a_model_the_best_units_are_the_answer_and_nothing_is_paid(workspace: Workspace) -> None:
    told: list[str] = []
    made = workspace.ask(QUERY, tell=told.append)
    assert "Refunds take ten days." in made.text
    assert (made.model, made.route.choice, made.route.reason) == ("", "passages", "no model is set")
    assert not (made.refused or made.uncited or made.misquoted)
    assert all(one.quote in made.text and f"[{one.mark}]" in made.text for one in made.citations)
    assert workspace.costs() == {}
    assert told == []  # there is nothing to wait for
    (event,) = (one for one in workspace.log.read() if one.name == "ask")
    assert event.run == made.run
    assert [one.run for one in workspace.log.read() if one.name in ("query", "hit")].count(made.run) >= 2


def test_a_citation_opens_its_unit(workspace: Workspace) -> None:
    made = workspace.ask(QUERY)
    one = next(one for one in made.citations if one.quote == "Refunds take ten days.")
    assert one.link == "https://shop.example/refunds.html#how:~:text=Refunds%20take%20ten%20days."
    assert (one.name, one.heading) == ("h1_1.p_1", "Refunds")
    place = next(p for p in workspace.record(one.url).document.places if p.unit == one.unit)
    assert place.anchor == "how"


# -- what is sent, and what is kept


def test_a_model_is_sent_units_behind_marks_and_its_answer_is_checked(workspace: Workspace) -> None:
    ask = Asker(workspace, says('It takes "ten days" {}. It is nice [9.9]. He says "eleven days" {}.'))
    made = ask()
    (question,) = ask.model.asked
    assert f"Question: {QUERY}" in question.data
    assert "# Refunds (https://shop.example/refunds.html)" in question.data
    assert "".join(ask.told) == made.text
    (one,) = made.citations
    assert (one.url, one.quote) == ("https://shop.example/refunds.html", "ten days")
    assert [made.text[start:end] for start, end in made.uncited] == ["It is nice [9.9]."[: -len(" [9.9].")] + " [9.9]."]
    assert [made.text[start:end] for start, end in made.misquoted] == ['"eleven days"']
    assert (made.model, made.cached, made.whole, made.usage) == ("fake:model", False, True, Usage(100, 0, 10, 1))


def test_lists_and_tables_are_sent_as_they_read(workspace: Workspace) -> None:
    """Items with their numbers; a part of a table has the header row, which can be cited like any other."""
    ask = Asker(workspace, FakeModel("Yes."))
    ask("Call the desk and name the order")
    assert any(line.endswith("] 1. Call the desk.") for line in ask.model.asked[0].data.split("\n"))
    ask("Plan 20 billed in advance", budget=120)
    lines = ask.model.asked[1].data.split("\n")
    at = next(i for i, line in enumerate(lines) if "Plan 20\t" in line)
    assert any(line.endswith("] Plan\tPrice") for line in lines[:at])


def test_an_answer_is_paid_for_once_and_in_the_ledger(workspace: Workspace) -> None:
    ask = Asker(workspace, says("Ten days {}."))
    first, ask.told = ask(), []
    again = ask()
    assert len(ask.model.asked) == 1
    assert (again.text, again.citations, again.uncited) == (first.text, first.citations, first.uncited)
    assert (again.cached, again.usage) == (True, Usage())
    assert "".join(ask.told) == first.text  # at once
    assert workspace.costs("purpose") == {"answer": Usage(100, 0, 10, 1)}
    ask("How long do refunds take!")
    assert len(ask.model.asked) == 2


def test_a_page_that_changed_is_asked_about_anew(workspace: Workspace, tmp_path: Path) -> None:
    ask = Asker(workspace, says("Ten days {}."))
    ask()
    changed = PAGES["refunds.html"].replace("ten days", "two days")
    (tmp_path / "site" / "refunds.html").write_text(changed)
    workspace.index(str(tmp_path / "site"), workers=0, base="https://shop.example/")
    ask()
    assert len(ask.model.asked) == 2


def test_an_answer_that_broke_off_is_kept_from_nobody_and_asked_again(workspace: Workspace) -> None:
    ask = Asker(workspace, FakeModel("Ten da", whole=False))
    made = ask()
    assert (made.text, made.whole, made.problem) == ("Ten da", False, "was cut after 10 tokens")
    ask()
    assert len(ask.model.asked) == 2
    assert workspace.costs("purpose")["answer"].calls == 2


def test_answers_that_rest_on_a_page_are_forgotten_with_it(workspace: Workspace) -> None:
    ask = Asker(workspace, FakeModel("It takes ten days."))
    ask()
    ask("What does the shop sell?", where={"url": "https://shop.example/shop"})
    with workspace.database.read() as connection:
        before = connection.exec_driver_sql("SELECT answer FROM answers").all()
    workspace.forget("https://shop.example/refunds.html")
    with workspace.database.read() as connection:
        after = connection.exec_driver_sql("SELECT answer FROM answers").all()
    assert len(before) == 2
    assert [json.loads(row[0])["pages"] for row in after] == [["https://shop.example/shop.html"]]


def test_the_log_knows_what_was_asked_and_why(workspace: Workspace) -> None:
    made = Asker(workspace, says("Ten days {}."))(way="auto")
    (event,) = (one for one in workspace.log.read() if one.name == "ask")
    fields = event.fields
    assert (fields["query"], fields["choice"], fields["model"]) == (QUERY, made.route.choice, "fake:model")
    assert fields["cited"] == [one.unit for one in made.citations]
    assert set(fields["ways"]) == {"passages", "document"}
    assert all(way["tokens"] > 0 and way["cost"] > 0 for way in fields["ways"].values())
    assert fields["seconds"] >= 0


# -- the route


def test_what_the_passages_do_not_answer_the_document_may(workspace: Workspace) -> None:
    ask = Asker(workspace, FakeModel(REFUSAL, says("Ten days {}.")._answers[0]))
    made = ask(way="auto", budget=40)
    passages, document = ask.model.asked
    assert len(document.data) > len(passages.data)
    assert (made.route.choice, made.route.reason) == ("document", "the model says that the passages do not answer")
    assert made.route.page == "https://shop.example/refunds.html"
    assert made.usage == Usage(200, 0, 20, 2)
    assert ask.told == ["Ten ", "days ", "[1.1]."]  # nothing of the refusal
    assert not made.refused


def test_two_refusals_are_one(workspace: Workspace) -> None:
    ask = Asker(workspace, FakeModel(f"{REFUSAL}: nothing on rabbits."))
    made = ask(way="auto", budget=40)
    assert (made.refused, made.text, made.citations, made.uncited) == (True, "nothing on rabbits", (), ())
    assert (len(ask.model.asked), ask.told) == (2, [])


@pytest.mark.parametrize(
    ("answerer", "budget", "most"),
    [
        (replace(MODEL, window=None, base_url="http://127.0.0.1:1/v1"), 40, None),  # how much it reads is not known
        (MODEL, 40, 0.0088),  # one answer is within, two are not
        (MODEL, 4000, None),  # all of the document is among the passages
    ],
    ids=["window", "cost", "nothing more"],
)
def test_a_document_is_sent_only_where_it_fits_and_says_more(
    workspace: Workspace, answerer: Answerer, budget: int, most: float | None
) -> None:
    ask = Asker(workspace, FakeModel(REFUSAL, usage=Usage(100, 0, 10, 1, cost=0.0003)), answerer)
    assert ask(way="auto", budget=budget, most=most).refused
    assert len(ask.model.asked) == 1


def test_the_document_of_the_best_passage_whole(workspace: Workspace) -> None:
    ask = Asker(workspace, says("Ten days {}."))
    made = ask(way="document", budget=40)
    assert (made.route.choice, made.route.page) == ("document", "https://shop.example/refunds.html")
    assert "other things that nobody asks" in ask.model.asked[0].data
    assert made.route.document is not None
    assert made.route.document.tokens > made.route.passages.tokens


class Unused(WordEmbedder):
    """An embedder that must not be asked."""

    def embed(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the corpus needs no index")


def test_the_whole_corpus_is_one_beginning_and_no_index_is_used(workspace: Workspace) -> None:
    with Workspace(workspace.path, embedder=Unused()) as opened:
        ask = Asker(opened, says("Ten days {}. No [7.7]."))
        made = ask(way="corpus")
        ask("What else?", way="corpus")
    one, other = ask.model.asked
    assert one.shared == other.shared
    assert one.data.startswith(one.shared)
    assert one.data.count("\n# ") == len(PAGES)
    assert (made.route.choice, [one.url for one in made.citations]) == ("corpus", ["https://shop.example/refunds.html"])
    assert len(made.uncited) == 1


def test_a_chunk_that_stands_on_two_pages_is_sent_once(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "twin.html").write_text(PAGES["shop.html"])
    workspace.index(str(tmp_path / "twin.html"), workers=0)
    ask = Asker(workspace, FakeModel("Yes."))
    ask(way="corpus")
    assert ask.model.asked[0].data.count("refunds nothing in cash") == 1


@pytest.mark.parametrize("window", [420, 480, 600, 800, 1200, 2000])
@pytest.mark.parametrize("way", ["passages", "auto"])
def test_a_question_fits_the_window_with_its_answer(workspace: Workspace, window: int, way: str) -> None:
    ask = Asker(workspace, FakeModel("Yes."), replace(MODEL, window=window))
    made = ask("refunds plan price", way=way)
    talk = Talk(ask.answerer, ask.model, Kept(workspace.database))
    for question in ask.model.asked:
        assert talk.size(question) * AIR + question.most <= window
    full = Asker(workspace, FakeModel("Yes."))("refunds plan price", way="passages")
    assert ("the window has room for" in made.route.reason) == (
        made.route.choice == "passages" and made.route.passages.tokens < full.route.passages.tokens
    )


# -- what cannot be asked


def small(window: int | None = None, **settings: Any) -> Answerer:
    return Answerer("fake:model", window=window, **settings)


LOCAL = Answerer("fake:model", "http://127.0.0.1:1/v1")
MORE = "choose a model that reads more"
BOTH = "with the question and the answer, the window of fake:model is"
INSTRUCTED = "with its instructions and an answer, the window of fake:model is"
ADD = "is for a language model; add --model, such as openai:gpt-4.1"


@pytest.mark.parametrize(
    ("answerer", "options", "line"),
    [
        (small(340), {}, f"the smallest passage takes {{}} tokens {BOTH} 340; {MORE}"),
        (small(200), {}, f"the question takes {{}} tokens {INSTRUCTED} 200; ask a shorter one, or {MORE}"),
        (small(3000), {"query": "word " * 10_000},
         f"the question takes {{}} tokens {INSTRUCTED} 3,000; ask a shorter one, or {MORE}"),
        (small(360), {"way": "document", "budget": 40},
         f"https://shop.example/refunds.html takes {{}} tokens {BOTH} 360; ask with --way passages, or {MORE}"),
        (small(340), {"way": "corpus"}, "the corpus is larger than the window of fake:model, 340 tokens; ask without"
                                        f" --whole, or {MORE}"),
        (small(1200), {"way": "corpus"}, f"the corpus takes {{}} tokens {BOTH} 1,200; ask without --whole, or {MORE}"),
        (LOCAL, {"way": "document"}, "how much fake:model reads is not known; give --window TOKENS"),
        (LOCAL, {"way": "corpus"}, "how much fake:model reads is not known; give --window TOKENS"),
        (MODEL, {"most": 0.0001}, "an answer from {} tokens may cost {} USD, --max-cost is 0.0001; lower --budget or"
                                  " raise --max-cost"),
        (replace(MODEL, most=0.0001), {}, "an answer from {} tokens may cost {} USD, --max-cost is 0.0001; lower"
                                          " --budget or raise --max-cost"),
        (MODEL, {"query": " \n?"}, "the query is empty; ask a question or give some words"),
        (MODEL, {"query": "", "way": "corpus"}, "the query is empty; ask a question or give some words"),
        (MODEL, {"way": "corpus", "where": {"kind": "paragraph"}}, "--whole sends all pages; leave out --where"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_one_line_and_costs_nothing(
    workspace: Workspace, answerer: Answerer, options: dict[str, Any], line: str
) -> None:
    ask = Asker(workspace, FakeModel("Never."), answerer)
    with pytest.raises(ConfigError) as told:
        ask(**options)
    pieces = line.split("{}")
    said = str(told.value)
    assert said.startswith(pieces[0])
    assert said.endswith(pieces[-1])
    assert ask.model.asked == []
    assert workspace.costs() == {}


class Unpriced(FakeModel):
    """A model whose price nobody knows."""

    priced = False


def test_prices_that_are_not_known_are_asked_for_where_they_matter(workspace: Workspace) -> None:
    ask = Asker(workspace, Unpriced("Yes."), small(8000))
    assert ask().route.passages.cost is None
    with pytest.raises(ConfigError) as told:
        ask(most=1.0)
    assert str(told.value) == "no price is known for fake:model; give --price IN/OUT in USD per million tokens"


def test_what_is_not_found_is_refused_and_nobody_is_asked(workspace: Workspace) -> None:
    ask = Asker(workspace, FakeModel("Never."))
    made = ask(budget=1)
    assert (made.refused, made.text, made.model, ask.model.asked) == (True, "", "fake:model", [])
    with pytest.raises(ConfigError, match="no page has"):
        ask(where={"colour": "red"})


def test_an_empty_workspace_has_nothing_to_send(tmp_path: Path) -> None:
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as empty:
        ask = Asker(empty, FakeModel("Never."))
        assert ask().refused
        with pytest.raises(WorkspaceError, match="it holds no page; run `wrac index` first"):
            ask(way="corpus")
        for way, option in (("document", "--way document"), ("corpus", "--whole")):
            with pytest.raises(ConfigError) as told:
                empty.ask(QUERY, way=way)  # type: ignore[arg-type]
            assert str(told.value) == f"{option} needs a model to read it; give --model, such as openai:gpt-4.1"


def test_another_way_is_told(workspace: Workspace) -> None:
    with pytest.raises(ConfigError) as told:
        workspace.ask(QUERY, way="pages")  # type: ignore[arg-type]
    assert str(told.value) == "'pages' is no way to answer; give one of auto, passages, document, corpus"


# -- who answers


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"base_url": "http://127.0.0.1/v1"}, f"--base-url {ADD}"),
        ({"most": 1.0}, f"--max-cost {ADD}"),
        ({"model": "m", "base_url": "ftp://x"}, "--base-url is no address; write it as https://host/v1"),
        ({"model": "m", "base_url": "http://u:p@x/v1"}, "--base-url holds a password; put the key into WRAC_API_KEY"),
        ({"model": "m\n"}, "--model 'm\\n' is no name; it holds what cannot be printed"),
        ({"model": "m", "window": 0}, "--window 0 makes no sense; give the tokens that the model reads and writes"),
        ({"model": "m", "most": -1.0}, "--max-cost -1.0 makes no sense; give USD from 0"),
        ({"model": "m", "most": float("nan")}, "--max-cost nan makes no sense; give USD from 0"),
    ],
)  # fmt: skip
def test_who_makes_no_sense_is_refused(settings: dict[str, Any], line: str) -> None:
    with pytest.raises(ConfigError) as told:
        Answerer(**settings)
    assert str(told.value) == line


def test_who_answers_is_remembered(workspace: Workspace) -> None:
    assert recalled(workspace.database) == NOBODY
    who = Answerer("m", "http://127.0.0.1:1/v1", Price(1, 2, 0.5), 4000, 0.5)
    keep(workspace.database, who)
    keep(workspace.database, who)
    assert recalled(workspace.database) == who
    with workspace.database.write() as connection:
        connection.exec_driver_sql("UPDATE meta SET value = '{\"who\": 1}' WHERE name = 'answerer'")
    with pytest.raises(ConfigError, match="give --model anew"):
        recalled(workspace.database)


def test_listed_windows_are_known_and_no_other(workspace: Workspace) -> None:
    def window(answerer: Answerer) -> int | None:
        return Talk(answerer, FakeModel(""), Kept(workspace.database)).window

    assert window(Answerer("openai:gpt-4.1")) == 1_000_000
    assert window(Answerer("openai:gpt-4.1", window=5)) == 5
    assert window(Answerer("nobody:nothing")) is None
    assert window(Answerer("gpt-4.1", "http://127.0.0.1:1/v1")) is None


def test_errors_of_a_model_end_the_question(workspace: Workspace) -> None:
    class DownError(WracError):
        pass

    ask = Asker(workspace, FakeModel(DownError("down")))
    with pytest.raises(DownError):
        ask()
    assert workspace.costs() == {}
