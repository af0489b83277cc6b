"""Factors to advice: what is given, else measured, else the default; kept in the workspace, and looked at again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from wrac.catalog import Database
from wrac.catalog.memory import remember, remembered
from wrac.core.errors import ConfigError, WorkspaceError
from wrac.core.types import NOTHING
from wrac.flow.embedders import recalled
from wrac.flow.measures import Corpus, Measure, corpus_of, embedding, measure, planning, shown
from wrac.flow.report import Progress
from wrac.flow.workspace import Workspace
from wrac.llm.prices import MODELS, Price
from wrac.llm.tariffs import SHORT, Tariff, tariff, window
from wrac.routing.advice import Advice, Moved, crossed, recommend
from wrac.routing.economics import KINDS, TARIFF, Factors, Origin, check

STORED: Final = "advice"
MOST: Final = 1e15
"""What a number that is given may be: with larger ones nothing could be reckoned any more."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an advice is wanted for: numbers by the names of `KINDS`, and models, the usual three where none is named.

    `price`, `write` (USD a million tokens put into the cache) and `window` are of the one model that is named. Raises
    ConfigError for what makes no sense.
    """

    given: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    models: tuple[str, ...] = ()
    price: Price | None = None
    write: float | None = None
    window: int = 0

    def __post_init__(self) -> None:
        for name, value in self.given.items():
            if name not in KINDS:
                known = ", ".join(one.replace("_", "-") for one in KINDS)
                raise ConfigError(f"--set {name.replace('_', '-')}: no such factor; choose from {known}")
            check(name, value)
        if any(one > MOST for one in self._numbers()):
            raise ConfigError(f"a number above {MOST:g} makes no sense; give a smaller one")
        if (self.price or self.window or self.write is not None) and len(self.models) != 1:
            raise ConfigError("--price, --cache-write and --window are of one model; name it with one --model")
        if self.write is not None and self.price is None:
            raise ConfigError("--cache-write goes with --price; give both")

    def _numbers(self) -> Iterator[float]:
        """All that is given."""
        yield from self.given.values()
        yield from filter(None, (*(self.price or ()), self.write, self.window))

    def tariffs(self) -> list[tuple[Tariff, dict[str, Origin]]]:
        """Each model's tariff, and whence it is. Raises ConfigError where no price is known."""
        lifetime = self.given.get("cache_lifetime", SHORT)
        return [self._tariff(model, lifetime) for model in self.models or MODELS]

    def _tariff(self, model: str, lifetime: float) -> tuple[Tariff, dict[str, Origin]]:
        listed, given = Origin("listed", "genai-prices"), Origin("given")
        origins = dict(zip(TARIFF, (given if self.price else listed, given if self.window else listed), strict=True))
        if self.price is None:
            found = tariff(model, lifetime)
            return (replace(found, window=self.window) if self.window else found), origins
        return Tariff.given(model, self.price, self.window or window(model), self.write), origins


def advise(asked: Asked, found: Mapping[str, Measure]) -> list[Advice]:
    """An advice for each model: what is given comes before what was found, that before the defaults.

    Raises ConfigError where the corpus is not known, and what `recommend` raises.
    """
    given = {name: measure(value, "", "given") for name, value in asked.given.items()}
    known = {**found, **given}
    if "corpus_tokens" not in known:
        raise ConfigError("the corpus is not known; give sources, a --workspace with pages, or --tokens")
    if "document_tokens" in found and "corpus_tokens" in given and "document_tokens" not in given:
        del known["document_tokens"]  # of another corpus
    values = {name: one.value for name, one in known.items()}
    origins = {name: one.origin for name, one in known.items()}
    return [recommend(Factors(tariff=rates, origins={**origins, **told}, **values)) for rates, told in asked.tariffs()]


def measured(workspace: Workspace, asked: Asked, progress: Progress) -> tuple[Corpus, dict[str, Measure]]:
    """The corpus of a workspace, and all factors that it shows.

    Raises WorkspaceError where it holds no text, ConfigError where nobody knows what embedding or planning is paid.
    """
    database, paid = workspace.database, dict[str, Measure]()
    if "embed_price" not in asked.given:
        paid["embed_price"] = embedding(recalled(database))
    with database.read() as connection:
        corpus = corpus_of(connection, progress)
    if not corpus.tokens and "corpus_tokens" not in asked.given:
        raise WorkspaceError(workspace.place, "there is no text in it", "run `wrac index`, or give --tokens")
    if "plan_price" not in asked.given:
        paid |= planning(database, corpus)
    return corpus, {**corpus.measures(), **shown(database, workspace.log.read(), corpus), **paid}


# -- kept, and looked at again


def keep(database: Database, found: Sequence[Advice]) -> None:
    """Remember an advice, in place of the one before."""
    with database.write() as connection:
        remember(connection, STORED, json.dumps([one.factors.row() for one in found], sort_keys=True))


def kept(database: Database) -> list[Advice]:
    """The advice that was kept.

    Raises WorkspaceError where there is none, ConfigError where this version cannot read it.
    """
    with database.read() as connection:
        text = remembered(connection, STORED)
    if text is None:
        raise WorkspaceError(database.place, "no advice is kept", "run `wrac advise` first")
    try:
        return [recommend(one) for one in _read(text)]
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError("the advice was kept by another version of wrac; run `wrac advise` anew") from error


def _read(text: str) -> list[Factors]:
    """The factors of each model. Raises ValueError, TypeError or KeyError for what is no advice."""
    rows = json.loads(text)
    if not (isinstance(rows, list) and rows):
        raise ValueError("no advice")
    return [Factors.read(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Again:
    """An advice, what it is by now, and what moved across a break-even meanwhile."""

    before: Advice
    now: Advice
    moved: tuple[Moved, ...]

    @property
    def other(self) -> bool:
        """Whether something moved that the choice rests on."""
        return bool(self.moved) or self.before.choice != self.now.choice


def watch(workspace: Workspace, progress: Progress) -> tuple[Corpus, list[Again]]:
    """The corpus, and the kept advice against what follows from all that is measured and listed now.

    What was given stays. Raises as `kept` and `advise` do.
    """
    before = kept(workspace.database)
    given = {name: getattr(before[0].factors, name) for name in KINDS if _given(before[0].factors, name)}
    corpus, found = measured(workspace, Asked(given), progress)
    return corpus, [_again(one, given, found) for one in before]


def _again(one: Advice, given: Mapping[str, float], found: Mapping[str, Measure]) -> Again:
    (now,) = advise(_as_asked(one.factors, given), found)
    return Again(one, now, tuple(crossed(one, now)))


def _as_asked(f: Factors, given: Mapping[str, float]) -> Asked:
    """What the factors were asked for as: a given price and window stay."""
    said = f.tariff.window if _given(f, "window") else 0
    if not _given(f, "price"):
        return Asked(given, (f.tariff.model,), window=said)
    rates = f.tariff.rates[0]
    return Asked(given, (f.tariff.model,), Price(*rates[:3]), rates.write, said)


def _given(f: Factors, name: str) -> bool:
    return f.origin(name).source == "given"
