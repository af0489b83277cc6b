"""A page to all that can be said of it without a model: what the parsing processes do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from wrac import __version__
from wrac.chunking import VERSION, chunk, prefixes
from wrac.core.errors import InputError, MissingExtraError
from wrac.core.ids import content_id
from wrac.core.types import Chunk, Document, Entry, Label, Occurrence, Page, Plan, Policy, Usage
from wrac.labelling import RulesLabeller, beside
from wrac.parsing import PARSERS, parse
from wrac.parsing.formats import FORMATS
from wrac.planning import plan as make_plan
from wrac.planning.policies import Policies
from wrac.text.analysis import analyse, analyser
from wrac.text.detection import detect

LABELLER: Final = RulesLabeller()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A page's document, plan and chunks. `prefixes` and `terms` are aligned with `chunks`; terms are those of prefix
    and text. `policy` is what the page was planned by, `language` its own or guessed. `parsing` and `planning` are
    seconds. `unanswered` says why a model that was to plan or label the page did not do all of it; `labels` is
    what its labels were paid.
    """

    document: Document
    plan: Plan
    policy: Policy
    chunks: tuple[Chunk, ...]
    occurrences: tuple[Occurrence, ...]
    prefixes: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    language: str
    parsing: float
    planning: float
    unanswered: str = ""
    labels: Usage = Usage()  # noqa: RUF009 - a frozen value


def read(page: Page) -> Document:
    """The page parsed. Raises InputError where that cannot be, and for a file of pages or parts without any text."""
    document = parse(page)
    if not document.places and page.media_type in FORMATS:
        raise InputError(page.url, _nothing(document))
    return document


def prepare(
    page: Page,
    policies: Policies,
    known: Document | None = None,
    planned: Plan | None = None,
    *,
    labelled: bool = True,
) -> Prepared:
    """The page parsed, unless its document is known, planned by rules, unless its plan is, cut to chunks, and labelled
    by rules, unless somebody else does that, or nobody.

    Raises InputError for a page that cannot be read, ConfigError where the policies make no sense for it.
    """
    started = time.perf_counter()
    document = read(page) if known is None else known
    parsed = time.perf_counter()
    policy = policies.of(page.url, document)
    plan = make_plan(document, policy) if planned is None else planned
    made = chunk(document, plan, policy, page.url)
    language = document.language or detect("\n".join(one.text for one in made.chunks))
    above = prefixes(document, made.chunks, page.url)
    done = time.perf_counter()
    found = Prepared(
        document, plan, policy, made.chunks, made.occurrences, above, (), language, parsed - started, done - parsed
    )
    passages = [one.ordinals for one in made.occurrences]
    labels = LABELLER.labels(document, passages, page.url, language) if labelled else None
    found = label(found, labels)
    return replace(found, planning=time.perf_counter() - parsed)


def label(made: Prepared, labels: Sequence[Label] | None) -> Prepared:
    """The page with labels beside its prefixes, and its terms; with None it has none."""
    above, occurrences = made.prefixes, made.occurrences
    if labels is not None:
        above = beside(above, labels)
        occurrences = tuple(replace(one, label=own) for one, own in zip(occurrences, labels, strict=True))
    entries = (Entry(one, line).text for one, line in zip(made.chunks, above, strict=True))
    terms = tuple(tuple(analyse(text, made.language)) for text in entries)
    return replace(made, occurrences=occurrences, prefixes=above, terms=terms)


def _nothing(document: Document, shown: int = 3) -> str:
    """Why a file has no text, by what its parser could not read."""
    reasons = list(dict.fromkeys(loss.reason for loss in document.losses))
    more = f" and {len(reasons) - shown} more" if len(reasons) > shown else ""
    return "no text in it" + (f": {'; '.join(reasons[:shown])}{more}" if reasons else "")


def read_or_why(page: Page) -> Document | str:
    """The page parsed, or the reason why it cannot be."""
    try:
        return read(page)
    except InputError as error:
        return error.problem
    except MissingExtraError as error:
        return str(error)


def prepare_or_why(
    page: Page,
    policies: Policies,
    known: Document | None = None,
    planned: Plan | None = None,
    *,
    labelled: bool = True,
) -> Prepared | str:
    """The page prepared, or the reason why it cannot be."""
    try:
        return prepare(page, policies, known, planned, labelled=labelled)
    except InputError as error:
        return error.problem
    except MissingExtraError as error:
        return str(error)


READING: Final = "\n".join((f"wrac@{__version__}", *sorted(PARSERS)))
"""The recipe of a page that cannot be read: whatever makes plans and vectors, it stays unreadable."""


def recipe(planner: str, policies: Policies, embedder: str, labeller: str = LABELLER.name) -> str:
    """Names and versions of all that makes a page what it becomes here; a page made by another one is made again."""
    return "\n".join(
        (
            READING,
            planner,
            *_by_type(policies),
            VERSION,
            labeller,
            policies.default.tokenizer,
            analyser(),
            embedder,
        )
    )


def _by_type(policies: Policies) -> tuple[str, ...]:
    return (policies.text,) if policies.types else ()


def state(page: Page, made_by: str) -> str:
    """The id of a page's bytes, of what its source says of them, and of the recipe; equal, nothing is to be done."""
    meta = [part for name in sorted(page.meta) for part in (name, page.meta[name])]
    return content_id("s1", [page.body_id, page.media_type, page.charset, str(page.status), made_by, *meta])
