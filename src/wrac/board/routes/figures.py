"""The rows behind the numbers of the statistics: searches, queries, pages, chunks, verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse

from wrac import catalog
from wrac.board.times import Timed
from wrac.board.views import address, page
from wrac.catalog import figures, ledger
from wrac.catalog.ledger import Grouping
from wrac.catalog.repetition import repetition
from wrac.flow.passed import behind
from wrac.flow.planners import site
from wrac.flow.statistics import Use, classes, size_class
from wrac.observing.statistics import judged, searched

router = APIRouter(prefix="/statistics")
ROWS: Final = 50
_SEARCHES: Final = {"": "Searches", "empty": "Searches that found nothing", "judged": "Searches that readers judged",
                    "slow": "Searches, the slowest first"}  # fmt: skip
_OF_CHUNKS: Final = ("chunks", "unseen", "verdicts")
_VERDICTS: Final = {"": "Verdicts of readers", "good": "Passages found good", "bad": "Passages found bad"}


class Rows:
    """Which rows of a list a request wants: `only` some kind of them, `of` something, from one on."""

    def __init__(self, time: Timed, only: str = "", of: str = "", start: Annotated[int, Query(ge=0)] = 0) -> None:
        self.time, self.only, self.of, self.start = time, only, of, start

    def use(self) -> Use:
        """What searches found in the time."""
        days = self.time.days
        return self.time.workspace.statistics(days.since, days.until, days.zone).use

    def shown(
        self,
        title: str,
        shape: str,
        rows: Sequence[Any],
        stored: frozenset[str] = frozenset(),
        total: int | None = None,
    ) -> HTMLResponse:
        """The page of the rows, each as its shape has it; with a `total` they are those from the start on alone."""
        request, end = self.time.request, self.start + ROWS
        count = len(rows) if total is None else total
        query = {name: one for name, one in request.query_params.items() if name not in ("start", "workspace")}
        path, shown = request.url.path, rows[self.start : end] if total is None else rows
        ids = [one.name if shape == "chunks" else one.chunk for one in shown] if shape in _OF_CHUNKS else []
        with self.time.workspace.database.read() as connection:
            begins = figures.begins(connection, ids)
        return page(
            request,
            "statistics_rows.html",
            time=self.time,
            title=f"{title}: {self.of}" if self.of else title,
            shape=shape,
            rows=shown,
            begins=begins,
            total=count,
            start=self.start,
            first=address(request, path, **query) if self.start else "",
            following=address(request, path, **{**query, "start": str(end)}) if end < count else "",
            stored=stored,
        )


Wanted = Annotated[Rows, Depends()]


@router.get("/searches")
def searches(wanted: Wanted, chunk: str = "", url: str = "", q: str = "") -> HTMLResponse:
    """Searches: all, those of a query, those that found a chunk or a page, slow ones, those that found nothing."""
    rows = searched(wanted.time.events(), chunk=chunk, url=url, query=q)
    if wanted.only == "empty":
        rows = [one for one in rows if not one.hits]
    elif wanted.only == "judged":
        rows = [one for one in rows if one.good or one.bad]
    elif wanted.only == "slow":
        rows.sort(key=lambda one: -one.seconds)
    wanted.of = q or chunk or url
    return wanted.shown(_SEARCHES.get(wanted.only, "Searches"), "searches", rows)


@router.get("/queries")
def queries(wanted: Wanted) -> HTMLResponse:
    """Queries, or those without a good hit."""
    use = wanted.use()
    if wanted.only == "unanswered":
        return wanted.shown("Queries without a good hit", "queries", use.unanswered)
    return wanted.shown("Queries", "queries", use.queries)


@router.get("/pages")
def pages(wanted: Wanted) -> HTMLResponse:
    """Pages by how often they were found; those of a site or tag, those that readers found bad."""
    use = wanted.use()
    with wanted.time.workspace.database.read() as connection:
        tags = figures.tags(connection, (one.name for one in use.pages)) if "=" in wanted.of else {}
    found = use.disliked if wanted.only == "disliked" else use.pages
    rows = [one for one in found if not wanted.of or _is_of(one.name, wanted.of, tags)]
    title = "Pages that readers found bad" if wanted.only == "disliked" else "Pages that were found"
    return wanted.shown(title, "pages", rows, use.stored)


def _is_of(url: str, of: str, tags: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a page is of a site, or has a tag, `name=value`."""
    return site(url) == of or any(f"{name}={value}" == of for name, value in tags.get(url, {}).items())


@router.get("/chunks")
def chunks(wanted: Wanted) -> HTMLResponse:
    """Chunks by how often they were found; those with a kind of unit."""
    use = wanted.use()
    with wanted.time.workspace.database.read() as connection:
        kinds = figures.kinds(connection, (one.name for one in use.chunks)) if wanted.of else {}
    rows = [one for one in use.chunks if not wanted.of or wanted.of in kinds.get(one.name, ())]
    return wanted.shown("Chunks that were found", "chunks", rows, use.stored)


@router.get("/hits")
def hits(wanted: Wanted, by: Literal["site", "kind", "tag"] = "site") -> HTMLResponse:
    """Hits by site, by kind of unit or by tag."""
    use = wanted.use()
    rows = {"kind": use.kinds, "tag": use.tags}.get(by, use.sites)
    return wanted.shown(f"Hits by {by}", by, rows)


@router.get("/unseen")
def unseen(wanted: Wanted) -> HTMLResponse:
    """Chunks that no search found."""
    days = wanted.time.days
    found = wanted.time.workspace.statistics(days.since, days.until, days.zone)
    return wanted.shown("Chunks that no search found", "unseen", found.kept.unseen)


@router.get("/sizes")
def sizes(wanted: Wanted) -> HTMLResponse:
    """Chunks of a class of sizes, the largest first."""
    with wanted.time.workspace.database.read() as connection:
        found = sorted(figures.measured(connection), key=lambda one: (-one.tokens, one.url))
    names = classes()
    rows = [one for one in found if not wanted.of or names[size_class(one.tokens)] == wanted.of]
    return wanted.shown("Chunks by size in tokens", "unseen", rows)


@router.get("/repeated")
def repeated(wanted: Wanted) -> HTMLResponse:
    """Units that several pages carry, those that most do first."""
    with wanted.time.workspace.database.read() as connection:
        rows = figures.repeated(connection, wanted.start, ROWS)
        total = repetition(connection).repeated
    return wanted.shown("Units that several pages carry", "repeated", rows, total=total)


@router.get("/paid")
def paid(wanted: Wanted, by: Grouping | None = None) -> HTMLResponse:
    """What models were paid for, line by line; of a day, site, model or purpose."""
    first, last = (day.isoformat() if day else "" for day in (wanted.time.days.since, wanted.time.days.until))
    with wanted.time.workspace.database.read() as connection:
        rows = ledger.lines(connection, by, wanted.of, first, last)
    return wanted.shown(f"Paid for, by {by}" if by else "Paid for", "paid", rows)


@router.get("/passed")
def passed(wanted: Wanted) -> HTMLResponse:
    """What became no page, for one reason or all."""
    with wanted.time.workspace.database.read() as connection:
        found = catalog.skipped(connection)
    rows = behind(found, wanted.of) if wanted.of else found
    return wanted.shown("What became no page", "passed", rows)


@router.get("/verdicts")
def verdicts(wanted: Wanted) -> HTMLResponse:
    """What readers thought of passages."""
    sign = {"good": 1, "bad": -1}.get(wanted.only)
    rows = [one for one in judged(wanted.time.events()) if sign in (None, one.verdict)]
    return wanted.shown(_VERDICTS.get(wanted.only, _VERDICTS[""]), "verdicts", rows)
