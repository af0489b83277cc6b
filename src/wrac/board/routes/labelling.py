"""Labelling: logged queries become gold, by picking the units that answer them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, NamedTuple

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from wrac.api.served import Opened
from wrac.board.times import Time, Timed
from wrac.board.views import address, page
from wrac.catalog import Record
from wrac.core.errors import ConfigError
from wrac.core.structure import names
from wrac.evaluation import gold
from wrac.flow import Result, Workspace
from wrac.flow.leavings import GOLD
from wrac.flow.search import Ask, search
from wrac.observing.statistics import Asked, asked, same, unanswered
from wrac.retrieval import DOUBTFUL

router = APIRouter()
ROWS: Final = 50
HITS: Final = 10
LONGEST: Final = 2000
Question = Annotated[str, Query(max_length=LONGEST)]


class Choice(NamedTuple):
    """A unit that may be picked: `picked` where it is gold already, `hit` its rank in the search, 0 where not found."""

    unit: str
    name: str
    kind: str
    text: str
    level: int
    picked: bool
    hit: int


@router.get("/labelling")
def labelling(time: Timed, start: Annotated[int, Query(ge=0)] = 0) -> HTMLResponse:
    """What was asked and is not labelled yet, queries without a good hit first; and what is labelled."""
    folder = time.workspace.path
    labelled = gold.gold(folder)
    waiting = _waiting(time, {same(one.query) for one in labelled})
    return page(
        time.request,
        "labelling.html",
        time=time,
        rows=waiting[start : start + ROWS],
        total=len(waiting),
        start=start,
        following=time.link("/labelling", start=start + ROWS) if start + ROWS < len(waiting) else "",
        labelled=labelled,
        saved=time.request.query_params.get("saved", ""),
    )


def _waiting(time: Time, labelled: set[str]) -> list[tuple[Asked, bool]]:
    """The queries that are not labelled, and whether each is without a good hit: these first, then by how often."""
    found = asked(time.events())
    poor = {one.query for one in unanswered(found, DOUBTFUL)}
    waiting = [(one, one.query in poor) for one in found if same(one.query) not in labelled]
    return sorted(waiting, key=lambda one: not one[1])


@router.get("/labelling/query")
def query(request: Request, workspace: Opened, q: Question, url: str = "") -> HTMLResponse:
    """A question with its hits and the units of a page, to pick those that answer it."""
    if not q.strip():
        raise ConfigError("the question is empty; write one, or take one from the list")
    hits = _hits(workspace, q)
    known = gold.labelled(workspace.path, q)
    url = url or (known.pages[0] if known else hits[0].url if hits else "")
    record = workspace.record(url) if url else None
    return page(
        request,
        "labelling_query.html",
        q=q,
        hits=hits,
        known=known,
        record=record,
        url=url,
        choices=list(_choices(record, hits, known)) if record else [],
    )


def _hits(workspace: Workspace, query: str) -> list[Result]:
    """The best passages; a search of who labels is none that statistics should count."""
    with workspace.shelf.searching() as (connection, index):
        return search(connection, index, workspace.embedder, Ask(query, HITS)).results


def _choices(record: Record, hits: list[Result], known: gold.Labelled | None) -> Iterator[Choice]:
    """The units in the chunks of a page, in reading order, each once."""
    document, called = record.document, names(record.document)
    ranks = {hit.chunk: hit.rank for hit in hits}
    found: dict[str, int] = {}
    for chunk in sorted((one for one in record.chunks if one.id in ranks), key=lambda one: -ranks[one.id]):
        found |= dict.fromkeys((piece.unit for piece in chunk.slices), ranks[chunk.id])
    picked, seen = set(known.texts) if known else set(), set[str]()
    for ordinal in sorted(ordinal for group in record.plan.groups for ordinal in group):
        place, one = document.places[ordinal], document.unit(ordinal)
        if one.id not in seen:
            seen.add(one.id)
            rank = found.get(one.id, 0)
            yield Choice(one.id, called[ordinal], one.kind, one.text, place.level, one.text in picked, rank)


@router.post("/labelling/query")
def save(
    request: Request,
    workspace: Opened,
    q: Annotated[str, Form(max_length=LONGEST)],
    url: Annotated[str, Form()],
    unit: Annotated[list[str] | None, Form()] = None,
) -> RedirectResponse:
    """Keep the picked units as the gold of the question."""
    if not q.strip():
        raise ConfigError("the question is empty; write one, or take one from the list")
    units = workspace.record(url).document.units
    if unknown := next((one for one in unit or () if one not in units), ""):
        raise ConfigError(f"{url} has no unit {unknown} any more; load it again and pick anew")
    texts = [units[one].text for one in unit or ()]
    gold.label(workspace.path, q, url, texts, {one.text for one in units.values()})
    return RedirectResponse(address(request, "/labelling", saved=q) + "#labelled", 303)


@router.post("/labelling/remove")
def remove(request: Request, workspace: Opened, identity: Annotated[str, Form(alias="id")]) -> RedirectResponse:
    """Take a question out of the gold."""
    gold.remove(workspace.path, identity)
    return RedirectResponse(address(request, "/labelling") + "#labelled", 303)


@router.get("/labelling/gold.jsonl")
def export(workspace: Opened) -> Response:
    """The gold as `wrac eval` reads it."""
    file = workspace.path / GOLD
    body = file.read_bytes() if file.exists() else b""
    headers = {"Content-Disposition": f'attachment; filename="{GOLD}"'}
    return Response(body, media_type="application/jsonl", headers=headers)
