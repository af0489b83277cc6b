"""advise: what answering from a corpus costs by architecture, and which one to choose."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

from wrac import contract
from wrac.catalog.places import existing
from wrac.cli import advised, options, paint
from wrac.cli.files import probe, write
from wrac.cli.progress import bars, telling
from wrac.core.errors import ConfigError
from wrac.core.types import NOTHING
from wrac.fetching import pages
from wrac.flow.advise import Again, Asked, advise, keep, measured, watch
from wrac.flow.measures import Corpus, corpus_at
from wrac.flow.report import Progress
from wrac.flow.workspace import Workspace
from wrac.llm.prices import Price
from wrac.routing.advice import Advice

if TYPE_CHECKING:
    from wrac.evaluation.both_ways import Comparison

MOVED: Final = 10
"""The exit code of `--watch` where the advice is another one by now."""


class Quality(NamedTuple):
    """Whose questions both ways are compared on (the log's without a file), how often, for how many USD at most."""

    file: Path | None
    runs: int
    most: float | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command is to do: advise on sources or a workspace, or look again, and where to write a report.

    With a `quality` both ways are compared on questions.
    """

    sources: tuple[str, ...]
    workspace: str
    asked: Asked
    html: Path | None = None
    watch: bool = False
    as_json: bool = False
    progress: bool = True
    quality: Quality | None = None


class Told(NamedTuple):
    """What the command has to say: an advice, or in place of it what moved since; and how both ways compare."""

    corpus: Corpus
    advice: list[Advice]
    again: list[Again] | None = None
    quality: Comparison | None = None

    @property
    def moved(self) -> bool:
        """Whether the advice is another one by now."""
        return any(one.other for one in self.again or ())


def given(texts: Sequence[str] | None, **numbers: float | None) -> dict[str, float]:
    """The numbers that were said, by the names of factors: those of `--set NAME=VALUE`, and of options of their own.

    Raises ConfigError for what is no number, and what is said twice.
    """
    found = {name: value for name, value in numbers.items() if value is not None}
    for name, text in options.pairs("--set", texts).items():
        factor = name.replace("-", "_")
        if factor in found:
            raise ConfigError(f"--set {name}: given 2 times; give it once")
        try:
            found[factor] = float(text)
        except ValueError:
            raise ConfigError(f"--set {name}={text}: give a number") from None
    return found


def asked(
    numbers: Mapping[str, float], models: Sequence[str] | None, price: str | None, write: float | None, window: int
) -> Asked:
    """What is asked for. Raises ConfigError for what makes no sense."""
    return Asked(numbers, tuple(dict.fromkeys(models or ())), Price.read(price) if price else None, write, window)


def run(wanted: Wanted) -> None:
    """Prints the advice, and keeps it in the workspace it is about; or what moved, and leaves with `MOVED`."""
    if wanted.watch and wanted.asked != Asked():
        raise ConfigError("--watch looks at the kept advice again; for other numbers or models run `wrac advise`")
    if wanted.html:
        probe(wanted.html)
    told = _of_sources(wanted) if wanted.sources else _of_workspace(wanted)
    if wanted.html:
        from wrac.evaluation.report.advice import page

        write(wanted.html, page(told.advice, told.corpus, told.quality))
    if wanted.as_json:
        print(contract.dumps(_row(told)))
    else:
        _print(told)
    if told.moved:
        raise typer.Exit(MOVED)


def _of_sources(wanted: Wanted) -> Told:
    if wanted.watch or wanted.quality:
        raise ConfigError("--watch, --compare and --questions are of a workspace; index the sources first")
    with bars(wanted=wanted.progress and not wanted.as_json) as tell:
        corpus = corpus_at(pages(wanted.sources), tell)
    return Told(corpus, advise(wanted.asked, corpus.measures()))


def _of_workspace(wanted: Wanted) -> Told:
    """What a workspace shows; without one what was given is all there is."""
    if "corpus_tokens" in wanted.asked.given and not (wanted.watch or wanted.quality or _there(wanted.workspace)):
        return Told(Corpus(), advise(wanted.asked, NOTHING))
    with Workspace(wanted.workspace, create=False, events=False) as workspace:
        with bars(wanted=wanted.progress and not wanted.as_json) as tell:
            told = _looked(workspace, tell) if wanted.watch else _advised(workspace, wanted.asked, tell)
        return told._replace(quality=_compared(workspace, told.corpus, wanted.quality)) if wanted.quality else told


def _advised(workspace: Workspace, asked: Asked, tell: Progress) -> Told:
    corpus, measures = measured(workspace, asked, tell)
    found = advise(asked, measures)
    if workspace.database.readonly:
        sys.stderr.write("wrac: the workspace may only be read here, so the advice is not kept\n")
    else:
        keep(workspace.database, found)
    return Told(corpus, found)


def _looked(workspace: Workspace, tell: Progress) -> Told:
    corpus, again = watch(workspace, tell)
    return Told(corpus, [one.now for one in again], again)


def _compared(workspace: Workspace, corpus: Corpus, wanted: Quality) -> Comparison:
    from wrac.evaluation.both_ways import Task, compare, logged, read

    questions = read(wanted.file) if wanted.file else logged(workspace.log.read())
    with telling() as tell:
        return compare(workspace, Task(questions, corpus, wanted.runs, wanted.most, tell))


def _there(workspace: str) -> bool:
    """Whether there is such a workspace."""
    database = existing(workspace)
    if database is not None:
        database.close()
    return database is not None


def _row(told: Told) -> contract.Json:
    """The public shape of what is told."""
    if told.again is None:
        row = contract.advice_row(told.advice, told.corpus)
    else:
        row = {"moved": told.moved, "models": list(map(contract.again_row, told.again))}
    return {**row, "quality": told.quality.row()} if told.quality else row


def _print(told: Told) -> None:
    out = paint.console()
    if told.again is None:
        advised.show(out, told.advice, told.corpus)
    else:
        advised.moves(out, told.again)
    if told.quality:
        paint.put(out)
        advised.quality(out, told.quality)
