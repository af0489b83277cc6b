"""parse and chunk: pages to output without a workspace."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from wrac import contract
from wrac.chunking import chunk as make_chunks
from wrac.cli import paint, views
from wrac.cli.options import Format
from wrac.core.errors import InputError, MissingExtraError
from wrac.core.types import Chunk, Document, Page, Policy
from wrac.fetching import READABLE, Skip
from wrac.labelling import RulesLabeller
from wrac.parsing import parse as make_document
from wrac.parsing.formats import FORMATS
from wrac.parsing.source import source_of
from wrac.planning import plan as make_plan
from wrac.planning.policies import Policies
from wrac.text.detection import page_language
from wrac.text.html import page as html_page
from wrac.text.render import markdown


def parse(page: Page, form: Format, least: float = 0.0) -> None:
    """Prints the places of a page that score at least `least`."""
    document = make_document(page)
    chosen = [place.ordinal for place in document.places if place.score >= least]
    if form is Format.tree:
        views.tree(document, chosen)
    elif form is Format.json:
        for row in contract.place_rows(document):
            if row["score"] >= least:
                print(contract.dumps(row))
        print(contract.dumps(contract.structure_row(document)))
    elif form is Format.markdown:
        _write(markdown(document, chosen))
    elif form is Format.html:
        _write(html_page(document, chosen))
    else:
        _write("\n\n".join(document.text(ordinal) for ordinal in chosen))


def losses(page: Page, *, as_json: bool) -> None:
    """Prints what of a page is in no unit."""
    document = make_document(page)
    if as_json:
        print(contract.dumps(contract.losses_row(document)))
    else:
        readable = document.media_type not in FORMATS and any(loss.start >= 0 for loss in document.losses)
        views.losses(document, source_of(page.body, document.encoding) if readable else "")


def _write(text: str) -> None:
    """Prints a page's text: as it is into a file or pipe, with its control characters made visible on a terminal."""
    print(paint.safe(text) if sys.stdout.isatty() else text)


@dataclass(slots=True)
class _Collected:
    """A chunk of the run: how it is headed and rendered where it was met first, and everywhere it stands."""

    chunk: Chunk
    trail: list[str]
    markdown: str
    language: str
    occurrences: list[contract.Json] = field(default_factory=list)


def chunk(found: Iterable[Page | Skip], policies: Policies, *, as_json: bool) -> None:
    """Prints each distinct chunk once, in the order of first appearance; all are held until the last page is read."""
    collected: dict[str, _Collected] = {}
    skips: list[str] = []
    for page in found:
        if isinstance(page, Skip):
            skips.append(page.reason)
            continue
        try:
            document = make_document(page)
        except InputError as error:
            skips.append(error.problem)
            continue
        except MissingExtraError as error:
            skips.append(str(error))
            continue
        _collect(collected, document, page, policies.of(page.url, document))
    _print(collected.values(), as_json=as_json)
    report_skips(skips, nothing=not collected)


def _collect(collected: dict[str, _Collected], document: Document, page: Page, policy: Policy) -> None:
    made = make_chunks(document, make_plan(document, policy), policy, page.url)
    language = page_language(document)
    labels = RulesLabeller().labels(document, [one.ordinals for one in made.occurrences], page.url, language)
    for piece, occurrence, label in zip(made.chunks, made.occurrences, labels, strict=True):
        headings = [document.units[unit].text for unit in piece.trail]
        entry = collected.setdefault(piece.id, _Collected(piece, headings, occurrence.markdown, language))
        stands = contract.occurrence_row(document, piece, replace(occurrence, label=label), page)
        entry.occurrences.append(stands)


def _print(entries: Iterable[_Collected], *, as_json: bool) -> None:
    out = None if as_json else paint.console()
    for entry in entries:
        if out is None:
            told = (entry.chunk, entry.trail, entry.markdown, entry.occurrences, entry.language)
            print(contract.dumps(contract.chunk_row(*told)))
        else:
            places = [f"{o['url']}{'#' + o['anchor'] if o['anchor'] else ''}" for o in entry.occurrences]
            views.chunk(out, entry.chunk, entry.trail, places)


def report_skips(skips: Sequence[str], *, nothing: bool) -> None:
    """Says on stderr what was passed over. Raises InputError when that was all there was."""
    if not skips:
        return
    counts = paint.skips(skips)
    if nothing:
        raise InputError("no page was found", f"skipped {counts}", f"give {READABLE}")
    sys.stderr.write(f"wrac: skipped {counts}\n")
