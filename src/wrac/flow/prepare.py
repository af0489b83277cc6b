"""A page to all that can be said of it without a model: what the parsing processes do."""

from __future__ import annotations

import time
from dataclasses import dataclass

from wrac import __version__
from wrac.chunking import VERSION, chunk, prefixes
from wrac.core.errors import InputError, MissingExtraError
from wrac.core.ids import content_id
from wrac.core.types import Chunk, Document, Entry, Occurrence, Page, Plan, Policy
from wrac.parsing import PARSERS, parse
from wrac.parsing.formats import FORMATS
from wrac.planning import RulesPlanner, plan
from wrac.text.analysis import analyse, analyser
from wrac.text.detection import detect
from wrac.text.tokens import counter


@dataclass(frozen=True, slots=True)
class Prepared:
    """A page's document, plan and chunks. `prefixes` and `terms` are aligned with `chunks`; terms are those of prefix
    and text. `language` is the page's own or guessed. `parsing` and `planning` are seconds.
    """

    document: Document
    plan: Plan
    chunks: tuple[Chunk, ...]
    occurrences: tuple[Occurrence, ...]
    prefixes: tuple[str, ...]
    terms: tuple[tuple[str, ...], ...]
    language: str
    parsing: float
    planning: float


def prepare(page: Page, policy: Policy, known: Document | None = None) -> Prepared:
    """The page parsed, unless its document is known, then planned, checked and cut to chunks.

    Raises InputError for a page that cannot be parsed, and for a file of pages or parts without any text.
    """
    started = time.perf_counter()
    document = parse(page) if known is None else known
    if not document.places and page.media_type in FORMATS:
        raise InputError(page.url, _nothing(document))
    parsed = time.perf_counter()
    planned = plan(document, policy)
    made = chunk(document, planned, policy, page.url)
    above = prefixes(document, made.chunks, page.url)
    language = document.language or detect("\n".join(one.text for one in made.chunks))
    terms = tuple(tuple(analyse(Entry(one, line).text, language)) for one, line in zip(made.chunks, above, strict=True))
    done = time.perf_counter()
    return Prepared(
        document, planned, made.chunks, made.occurrences, above, terms, language, parsed - started, done - parsed
    )


def _nothing(document: Document, shown: int = 3) -> str:
    """Why a file has no text, by what its parser could not read."""
    reasons = list(dict.fromkeys(loss.reason for loss in document.losses))
    more = f" and {len(reasons) - shown} more" if len(reasons) > shown else ""
    return "no text in it" + (f": {'; '.join(reasons[:shown])}{more}" if reasons else "")


def answer(page: Page, policy: Policy, known: Document | None = None) -> Prepared | str:
    """The page prepared, or the reason why it cannot be."""
    try:
        return prepare(page, policy, known)
    except InputError as error:
        return error.problem
    except MissingExtraError as error:
        return str(error)


def recipe(policy: Policy, embedder: str) -> str:
    """Names and versions of all that makes a page what it becomes here; a page made by another one is made again."""
    planner = RulesPlanner(policy, counter(policy.tokenizer)).name
    made = (f"wrac@{__version__}", *sorted(PARSERS), planner, VERSION, policy.tokenizer, analyser(), embedder)
    return "\n".join(made)


def state(page: Page, made_by: str) -> str:
    """The id of a page's bytes, of what its source says of them, and of the recipe; equal, nothing is to be done."""
    meta = [part for name in sorted(page.meta) for part in (name, page.meta[name])]
    return content_id("s1", [page.body_id, page.media_type, page.charset, str(page.status), made_by, *meta])
