"""ask: an answer as it comes, what it rests on, and what of it nothing was found for."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from wrac import contract
from wrac.cli import hits, paint
from wrac.core.answers import Answer, Citation, Route, Way
from wrac.core.errors import ConfigError, RemoteError
from wrac.flow import Workspace
from wrac.flow.answerers import Answerer, recalled
from wrac.llm.prices import Price
from wrac.retrieval import DOUBTFUL

if TYPE_CHECKING:
    from rich.console import Console

    from wrac.flow.sent import Wish

_SHORT = 240
_CALLED = {"passages": "passages", "document": "the whole document", "corpus": "the whole corpus"}
NO_MODEL = (
    "wrac: no model is set, so these are the best passages; for an answer add --model, such as openai:gpt-4.1, or"
    " --base-url URL --model NAME (remembered)\n"
)


class Asked(NamedTuple):
    """The options of a question."""

    query: str
    k: int | None
    budget: int
    where: Mapping[str, Sequence[str]]
    rerank: bool
    way: Wish


def way(named: Wish | None, *, whole: bool) -> Wish:
    """The way that two options say. Raises ConfigError where they say different ones."""
    if whole and named not in (None, "corpus"):
        raise ConfigError(f"--whole sends the whole corpus, --way {named} does not; give one of them")
    return "corpus" if whole else named or "auto"


def ask(workspace: str, asked: Asked, told: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the answer to a question, as it comes, and its sources; leave with 69 where it broke off."""
    flowing = Flowing(paint.console())
    with Workspace(workspace, create=False) as opened:
        answer = opened.ask(
            asked.query, answerer=_answerer(opened, told), budget=asked.budget, k=asked.k, where=asked.where,
            rerank=asked.rerank, way=asked.way, tell=None if as_json else flowing.tell,
        )  # fmt: skip
        hits.late(opened)
    if as_json:
        print(contract.dumps(contract.answer_row(answer)))
    else:
        flowing.end()
        _show(answer, asked)
    if not answer.whole:
        sys.stderr.write(f"wrac: the answer {paint.safe(paint.one_line(answer.problem))}; it is not whole\n")
        raise typer.Exit(RemoteError.exit_code)


def _answerer(opened: Workspace, told: Mapping[str, Any]) -> Answerer | None:
    """Who answers as the options say, of which None says nothing; without a model they change who was told before."""
    said = {name: one for name, one in told.items() if one is not None}
    if not said:
        return None
    if "price" in said:
        said["price"] = Price.read(said["price"])
    return Answerer(**said) if "model" in said else replace(recalled(opened.database), **said)


class Flowing:
    """Text as it comes: on a terminal broken between words, everywhere else as it is."""

    def __init__(self, out: Console) -> None:
        self._out, self._word, self._at, self.told = out, "", 0, False

    def tell(self, text: str) -> None:
        """Prints what can be printed of it now."""
        self.told = True
        if not self._out.is_terminal:
            self._out.file.write(paint.safe(text))
        else:
            for letter in paint.safe(text):
                self._word += letter
                if letter.isspace():
                    self._flush()
        self._out.file.flush()

    def end(self) -> None:
        """Prints the rest."""
        self._flush()
        if self.told:
            self._out.file.write("\n")

    def _flush(self) -> None:
        from rich.cells import cell_len

        size = cell_len(self._word.rstrip())
        if self._at and self._at + size > self._out.width:
            self._out.file.write("\n")
            self._at = 0
        self._out.file.write(self._word)
        self._at = 0 if self._word.endswith("\n") else self._at + cell_len(self._word)
        self._word = ""


# -- what is below the answer


def _show(answer: Answer, asked: Asked) -> None:
    """Prints what an answer rests on, and what of it on nothing; without a model the best units."""
    out = paint.console()
    if not (answer.citations or answer.route.passages.tokens or answer.route.corpus):
        within = f"in {asked.budget:,} tokens"
        sys.stderr.write(f"wrac: no passage matches well {within}; use other words; `wrac search` shows the nearest\n")
        return
    if not answer.model:
        _passages(out, answer)
        return
    if answer.refused:
        paint.put(out, ("What was sent does not answer this.", "bold"), f" {answer.text}".rstrip())
    if answer.uncited or answer.misquoted:
        paint.put(out)
    for found, parts in (("cites no source", answer.uncited), ("stands in no source", answer.misquoted)):
        said = Counter(paint.one_line(answer.text[start:end], _SHORT) for start, end in parts)
        for sentence, times in said.items():  # a small model may say one sentence fifty times
            paint.put(out, (f"{found}: ", "bold yellow"), sentence, f"  ({times} times)" if times > 1 else "")
    for one in answer.citations:
        _source(out, one)
    paint.put(out)
    paint.whole(out, (_route(answer.route), "dim"))
    paint.whole(out, (f"{answer.model}: {_paid(answer)}", "dim"))


def _source(out: Console, one: Citation) -> None:
    paint.put(out)
    paint.put(out, (f"[{one.mark}]  ", "bold cyan"), (one.heading or one.name, "bold"), (f"  {one.url}", "dim"))
    if one.quote:
        paint.put(out, "    ", (f"“{paint.one_line(one.quote, _SHORT)}”", "italic"))
    paint.whole(out, "    ", (one.link, f"dim link {hits.opens(one.link)}"))


def _passages(out: Console, answer: Answer) -> None:
    """The best units, by passage."""
    for number, (_, group) in enumerate(groupby(answer.citations, lambda one: one.mark.partition(".")[0]), 1):
        units = list(group)
        if number > 1:
            paint.put(out)
        heading = units[0].heading or units[0].name
        paint.put(out, (f"{number:>2}  ", "bold cyan"), (heading, "bold"), (f"  {units[0].url}", "dim"))
        for one in units:
            paint.block(out, paint.styled(one.quote), 4)
            paint.whole(out, "    ", (one.link, f"dim link {hits.opens(one.link)}"))
    if answer.confidence < DOUBTFUL:
        sys.stderr.write(f"wrac: no passage matches well (confidence {answer.confidence:.2f}); these are the nearest\n")
    sys.stderr.write(NO_MODEL)


def _route(route: Route) -> str:
    """What was sent and why, and what the other ways would take."""
    ways = {"passages": route.passages, "document": route.document, "corpus": route.corpus}
    weighed = {name: _takes(name, taken) for name, taken in ways.items() if taken is not None and taken.tokens}
    own = weighed.pop(route.choice, _CALLED[route.choice])
    others = "".join(f"; {taken}" for taken in weighed.values())
    return f"from {own}: {route.reason}{others}"


def _takes(name: str, taken: Way) -> str:
    cost = "" if taken.cost is None else f", at most {taken.cost:.4f} USD"
    return f"{_CALLED[name]} ({paint.plural(taken.tokens, 'token')}{cost})"


def _paid(answer: Answer) -> str:
    if answer.cached:
        return "known, nothing paid"
    usage = answer.usage
    said = paint.paid(usage) if usage.input else f"{paint.plural(usage.calls, 'call')}, tokens not told"
    return f"{said}, {usage.seconds:.1f} s"
