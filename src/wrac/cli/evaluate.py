"""`wrac eval`: data sets and strategies to tables, files and reports."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wrac import contract
from wrac.cli import paint
from wrac.cli.files import probe, write
from wrac.cli.progress import telling
from wrac.core.errors import ConfigError
from wrac.evaluation.values import NO_USAGE, DataSet
from wrac.llm.asking import Model

if TYPE_CHECKING:
    from wrac.flow.answerers import Answerer
    from wrac.flow.talk import Talk


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run is to do; empty strategies and searches mean those that suit the data set.

    `models` are those at whose prices is counted; live strategies ask the first, with a `base_url` at that address.
    """

    strategies: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    baseline: str = "sections"
    embedder: str = "minilm"
    models: tuple[str, ...] = ()
    base_url: str = ""
    detail: bool = False


def load(source: str, site: Sequence[str], form: str, where: Mapping[str, str]) -> DataSet:
    """The data set that is named. Raises ConfigError when none is."""
    from wrac.evaluation import datasets

    if not source:
        raise ConfigError("no data set is named; give a folder or a JSONL file, or draft one with --make SITE")
    return datasets.load(source, site, form=form, where=where)


def evaluate(data: DataSet, wanted: Wanted, *, out: Path | None, html: Path | None, as_json: bool) -> None:
    """Run and print, write what is asked for, and leave with the first failed strategy's code when one failed."""
    from wrac.evaluation.report import page, text

    for file in filter(None, (out, html)):
        probe(file)  # a place that takes nothing is told before the work, not after
    with telling() as tell:
        results = run(data, wanted, tell)
    print(contract.dumps(results) if as_json else text(results, detail=wanted.detail))
    if out:
        write(out, contract.dumps(results) + "\n")
    if html:
        write(html, page(results))
    for one in results["failed"]:
        sys.stderr.write(paint.safe(f"wrac: {one['strategy']}: {paint.one_line(one['reason'])}\n"))
    if results["failed"]:
        raise typer.Exit(results["failed"][0]["exit"])


def run(data: DataSet, wanted: Wanted, tell: Callable[[str], None]) -> dict[str, Any]:
    """The results with differences to the baseline, costs, settings and the command that made them."""
    from wrac import evaluation
    from wrac.evaluation.cost import costs
    from wrac.evaluation.saved import Saved
    from wrac.evaluation.strategies import available
    from wrac.evaluation.vectors import VectorCache, cache_folder
    from wrac.llm.prices import MODELS, prices

    started = time.perf_counter()
    priced = wanted.models[bool(wanted.base_url) :]  # a model at an address of one's own has no list price
    prices(NO_USAGE, priced)  # a model without a price is told before the work, not after
    strategies = wanted.strategies or tuple(available(data))
    if wanted.baseline not in (*strategies, Wanted().baseline):
        raise ConfigError(f"--baseline {wanted.baseline!r} is not run; choose from {', '.join(strategies)}")
    searches = wanted.searches or (("dense", "default") if data.spans else ("bm25", "default"))
    saved = Saved(cache_folder(), data, (*searches, wanted.embedder, *wanted.models[:1], wanted.base_url))
    vectors = VectorCache.of(wanted.embedder)
    with _asked(wanted) as model:
        results = evaluation.run(data, strategies, searches, vectors=vectors, model=model, saved=saved, tell=tell)
    results["differences"] = evaluation.differences(results, wanted.baseline)
    results["costs"] = costs(results, priced or MODELS)
    results["settings"] = {"embedder": wanted.embedder, "baseline": wanted.baseline}
    results["command"] = shlex.join(["wrac", *sys.argv[1:]])
    results["seconds"] = round(time.perf_counter() - started, 1)
    return results


@contextmanager
def _asked(wanted: Wanted) -> Iterator[Model | None]:
    """The model that live strategies ask, None where none is named. Raises ConfigError for an address without one."""
    from wrac.flow.planners import Planning
    from wrac.llm.providers import Provider

    if not wanted.models:
        if wanted.base_url:
            raise ConfigError("--base-url says where a model is; say which with --model NAME")
        yield None
        return
    provider = Provider(Planning("llm", wanted.models[0], wanted.base_url).endpoint)
    try:
        yield provider
    finally:
        provider.close()


def route(data: DataSet, embedder: str, *, out: Path | None, as_json: bool, detail: bool) -> None:
    """Measure what questions are answered from, and print it."""
    from wrac.evaluation import routing
    from wrac.evaluation.vectors import VectorCache
    from wrac.evaluation.workspaces import workspace

    if data.spans:
        raise ConfigError("--route counts gold blocks; this data set has gold by code points")
    if out:
        probe(out)
    vectors = VectorCache.of(embedder)()
    with telling() as tell, workspace(data, vectors, tell) as made:
        tell("reading every way")
        observed = routing.observe(data, made, tell)
        found = routing.results(data, observed, routing.strangers(data, made, vectors, tell))
    found["command"] = shlex.join(["wrac", *sys.argv[1:]])
    print(contract.dumps(found) if as_json else routing.report(found, detail=detail))
    if out:
        write(out, contract.dumps(found) + "\n")


def answerer(wanted: Wanted, price: str | None, window: int | None) -> Answerer:
    """Who answers: the first model, or nobody."""
    from wrac.flow.answerers import Answerer
    from wrac.llm.prices import Price

    model = wanted.models[0] if wanted.models else ""
    return Answerer(model, wanted.base_url, Price.read(price) if price else None, window)


def answers(  # noqa: PLR0913 - the options of one measure
    data: DataSet, answerer: Answerer, embedder: str, runs: int, *, out: Path | None, as_json: bool
) -> None:
    """Measure what `wrac ask` answers, and print it."""
    from wrac.evaluation.answers import Task
    from wrac.evaluation.answers import answers as measured
    from wrac.evaluation.report.answers import text
    from wrac.evaluation.vectors import VectorCache
    from wrac.evaluation.workspaces import workspace

    if data.spans:
        raise ConfigError("--answers counts gold blocks; this data set has gold by code points")
    if out:
        probe(out)
    vectors = VectorCache.of(embedder)()
    with telling() as tell, _talking(answerer) as talk, workspace(data, vectors, tell) as made:
        tell("answering")
        found = measured(Task(data, made, vectors, talk, runs, tell))
    found["command"] = shlex.join(["wrac", *sys.argv[1:]])
    print(contract.dumps(found) if as_json else text(found))
    if out:
        write(out, contract.dumps(found) + "\n")


@contextmanager
def _talking(answerer: Answerer) -> Iterator[Talk | None]:
    """The model that answers, None where none is named."""
    if not answerer.model:
        yield None
        return
    from wrac.evaluation.answers import Forgetting
    from wrac.flow.talk import Talk
    from wrac.llm.providers import Provider

    with closing(Provider(answerer.endpoint)) as provider:
        yield Talk(answerer, provider, Forgetting())


def compare(old: Path, new: Path, *, html: Path | None, as_json: bool) -> None:
    """Print what changed between two results files."""
    from wrac.evaluation.report import compare as report

    found = report.compare(report.read(old), report.read(new))
    if html:
        write(html, report.page(found))
    print(contract.dumps(found) if as_json else report.text(found))


def make(sites: Sequence[str]) -> None:
    """Print a data set drafted from a site's own questions, one JSON object a line."""
    from wrac.evaluation.datasets import make as draft
    from wrac.evaluation.datasets.reading import read

    found = read(sites)
    rows = draft(found, lambda line: print(f"wrac: {paint.safe(paint.one_line(line))}", file=sys.stderr))
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))
    sys.stderr.write(f"{paint.plural(len(rows), 'question')} from {paint.plural(len(found), 'page')}\n")


def strategies() -> None:
    """Print the names of all strategies, one a line."""
    from wrac.evaluation.strategies import STRATEGIES

    print("\n".join(STRATEGIES))


def names(option: str, value: str) -> tuple[str, ...]:
    """Names with commas between them, each once; `wrac:target=200,maximum=400` is one. Raises ConfigError for none."""
    parts = re.split(r",(?!\s*\w+=)", value) if value else ()
    found = tuple(dict.fromkeys(name.strip() for name in parts))
    if not all(found):
        raise ConfigError(f"{option} {value!r}: write names with single commas between them")
    return found
