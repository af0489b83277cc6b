"""A workspace: one folder that holds a catalog, its index and its event log."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, date, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wrac import catalog
from wrac.catalog import Record
from wrac.catalog.ledger import Grouping, sums
from wrac.catalog.places import at
from wrac.catalog.records import Listed, listed
from wrac.core.errors import NotFoundError, WorkspaceError
from wrac.core.seams import Embedder
from wrac.core.types import NOTHING, Event, Policy, Usage
from wrac.fetching import MAX_SIZE
from wrac.flow.folders import folder
from wrac.flow.report import IndexReport, Progress, ReplanReport, Result, Shown, VerifyReport, silent
from wrac.flow.shelf import Shelf, unknown
from wrac.flow.sites import Site
from wrac.indexing import Filters, Searched, tables
from wrac.observing import EventLog
from wrac.retrieval import FAINT, NEAR

if TYPE_CHECKING:
    from wrac.core.answers import Answer, Choice
    from wrac.flow.answerers import Answerer
    from wrac.flow.forget import Collected, Forgotten
    from wrac.flow.gather import Gathered
    from wrac.flow.labellers import Labelling
    from wrac.flow.planners import Planning
    from wrac.flow.remembered import Wish
    from wrac.flow.search import Answered
    from wrac.flow.statistics import Statistics
    from wrac.planning.policies import Policies


class Workspace:
    """The workspace in a folder or at a `postgresql://` URL, made if it is not there and `create` is true.

    `embedder` is a model's name or an embedder; without one it is what the workspace was told first. `events` switches
    the event log. Any number of processes may search while one writes. Raises WorkspaceError for a folder that is
    something else, or of another version.
    """

    def __init__(
        self,
        path: str | Path = ".wrac",
        *,
        create: bool = True,
        embedder: str | Embedder = "",
        events: bool = True,
    ) -> None:
        self._embedder, self._named = embedder, ""
        self.path = folder(path, create=create)
        self.database = at(path)
        self.place = self.database.place
        with ExitStack() as opening:
            opening.callback(self.database.close)
            if self.database.empty():
                if not create:
                    advice = "run `wrac index` first, or give --workspace"
                    raise WorkspaceError(self.place, "there is no workspace", advice)
                self.database.create(tables.metadata)
            self.database.check()
            self.log = EventLog(self.path / "events", enabled=events)
            self.shelf = Shelf(self.database, self.path, lambda: self.embedder)
            self.shelf.form()
            opening.pop_all()

    @property
    def embedder(self) -> Embedder:
        """The embedder, loaded on first use, of which many threads may make the first."""
        given = self._embedder
        if not isinstance(given, str):
            return given
        from wrac.embedding import load
        from wrac.flow.embedders import recalled

        self._named = given or recalled(self.database)
        self._embedder = found = load(self._named)
        return found

    def _agree(self) -> None:
        """Raises WorkspaceError where the pages are embedded by another embedder."""
        from wrac.flow.embedders import agree

        agree(self.database, self.embedder, self._named)

    def index(  # noqa: PLR0913 - the options of one verb
        self,
        sources: str | Path | Sequence[str | Path],
        *,
        meta: Mapping[str, str] = NOTHING,
        policy: Policy | Policies | None = None,
        planning: Planning | None = None,
        labelling: Labelling | None = None,
        progress: Progress | None = None,
        base: str = "",
        max_size: int = MAX_SIZE,
        workers: int | None = None,
        wait: float = 60.0,
        max_seconds: float = 120.0,
        store: str = "",
        site: Site | None = None,
    ) -> IndexReport:
        """Bring the workspace up to what the sources hold now; what is known is neither parsed nor embedded again.

        A page over `max_size` bytes, or over `max_seconds` in one of the parsing processes, is skipped with the reason.
        `policy` and `planning` say how pages are planned, `labelling` who labels; None is as the last run was told.
        `store` is the URL of an
        index outside, for a workspace that has none yet; it is remembered, without its password. With a `site` the
        pages behind a URL are crawled; a crawl that was stopped goes on.

        Raises InputError for a source that cannot be read, BusyError when another process writes for `wait` seconds,
        StorageError when the disk is full. What was written before an error or Ctrl-C stays, and a new run goes on.
        """
        from wrac.flow.embedders import keep
        from wrac.flow.index import index
        from wrac.flow.pipeline import Options

        tell, wish = progress or silent, _wish(policy, planning)
        options = Options(
            meta, base, max_size, wish, workers, wait, tell, max_seconds, store, site, labelling=labelling
        )
        named = [sources] if isinstance(sources, str | Path) else sources
        self._agree()
        if self._named:
            keep(self.database, self._named)
        return index(self.shelf, self.log, options, [str(source) for source in named])

    def refresh(  # noqa: PLR0913 - the options of one verb
        self,
        *,
        due: bool = False,
        since: float = 0.0,
        headers: Mapping[str, str] = NOTHING,
        progress: Progress | None = None,
        workers: int | None = None,
        wait: float = 60.0,
    ) -> IndexReport:
        """Ask every source again, as it was given to `index`; a page that did not change costs one short question.

        With `due` only pages are asked for that, by what visits have shown, may have changed; with `since` (seconds
        since 1970) only those that were not asked for since then. `headers` go to the sites' own hosts.
        """
        from wrac.flow import refresh as flow
        from wrac.flow.pipeline import Options

        site = Site(headers=headers) if headers else None
        options = Options(workers=workers, wait=wait, progress=progress or silent, site=site)
        self._agree()
        fresh = flow.due(time.time()) if due else flow.since(since) if since else lambda _: False
        return flow.refresh(self.shelf, self.log, options, fresh)

    def forget(self, url: str, *, wait: float = 60.0, progress: Progress | None = None) -> Forgotten:
        """Erase the pages of a URL, or of a glob with `*`, everywhere they left something.

        Raises NotFoundError where no page has such a URL, BusyError when another process writes for `wait` seconds.
        """
        from wrac.flow.forget import forget

        return forget(self.shelf, self.log, url, wait, progress or silent)

    def gc(self, *, older: float = 0.0, wait: float = 60.0, progress: Progress | None = None) -> Collected:
        """Drop what nothing refers to any more, and events from months before a moment (seconds since 1970)."""
        from wrac.flow.forget import collect

        return collect(self.shelf, self.log, wait, progress or silent, older)

    def export(self, warc: str | Path) -> int:
        """How many pages were written to a WARC file, as they were fetched, in order of their URLs.

        Raises StorageError where the file cannot be written.
        """
        from wrac.flow.export import export

        return export(self.database, Path(warc))

    def replan(  # noqa: PLR0913 - the options of one verb
        self,
        *,
        policy: Policy | Policies | None = None,
        planning: Planning | None = None,
        labelling: Labelling | None = None,
        pages: Sequence[str] = (),
        batch: bool = False,
        progress: Progress | None = None,
        workers: int | None = None,
        wait: float = 60.0,
    ) -> ReplanReport:
        """Plan every page anew, or only `pages` by URL; nothing is fetched, only chunks that are new are embedded.

        `policy`, `planning` and `labelling` are as for `index`, and remembered. With `batch` the planner's model is
        asked in the provider's batches, for half the price and within a day; a process that ends meanwhile loses
        nothing. A run that was stopped goes on where it stopped.

        Raises BusyError when another process writes for `wait` seconds, and what asking a model raises.
        """
        from wrac.flow.pipeline import Options

        tell, wish = progress or silent, _wish(policy, planning)
        options = Options(wish=wish, workers=workers, wait=wait, progress=tell, labelling=labelling)
        self._agree()
        if batch:
            from wrac.flow.batches import replan_in_batches

            return replan_in_batches(self.shelf, self.log, options)
        from wrac.flow.replan import replan

        return replan(self.shelf, self.log, options, pages)

    def remembered(self) -> Wish:
        """How pages are planned where a run is not told."""
        from wrac.flow.remembered import recalled

        return recalled(self.database)

    def costs(self, by: Grouping = "day", since: str = "") -> dict[str, Usage]:
        """What models were paid for, by day (of UTC), site, model or purpose; from a day such as `2026-11-30` on."""
        with self.database.read() as connection:
            return sums(connection, by, since)

    def statistics(self, since: date | None = None, until: date | None = None, zone: tzinfo = UTC) -> Statistics:
        """What searches found on the days of a zone from `since` to `until`, and what is stored."""
        from wrac.flow.statistics import statistics

        return statistics(self, since, until, zone)

    def search(  # noqa: PLR0913 - the options of one verb
        self,
        query: str,
        *,
        k: int | None = 10,
        budget: int | None = None,
        where: Mapping[str, str | Sequence[str]] = NOTHING,
        rerank: bool = False,
        confidence: float = 0.0,
        explain: bool = False,
    ) -> list[Result]:
        """The best passages, best first, each text once: at most `k`, and at most `budget` tokens as rendered.

        `where` filters by `url` (a prefix), `kind`, `role`, `language`, `since` and `until` (ISO dates) or metadata; a
        list gives alternatives. Passages of less than `confidence` are left out; `rerank` orders the first 20 anew by
        their tokens; `explain` adds each score's parts. Raises ConfigError for a name that no page has, or no word.
        """
        from wrac.flow.search import Ask, search

        ask = Ask(query, k, budget, Filters.of(where), rerank, confidence, explain)
        self._agree()
        with self.shelf.searching() as (connection, index):
            return self._told(index, search(connection, index, self.embedder, ask)).results

    def context(  # noqa: PLR0913 - the options of one verb
        self,
        query: str,
        *,
        budget: int | None = 2000,
        k: int | None = None,
        where: Mapping[str, str | Sequence[str]] = NOTHING,
        rerank: bool = False,
        confidence: float = FAINT,
    ) -> Gathered:
        """The best passages as one text of at most `budget` tokens, by page and in reading order, each cited.

        The options are those of `search`.
        """
        from wrac.flow.gather import gather
        from wrac.flow.search import Ask

        ask = Ask(query, k, budget, Filters.of(where), rerank, confidence)
        self._agree()
        with self.shelf.searching() as (connection, index):
            found = gather(connection, index, self.embedder, ask)
            self._told(index, found.answered)
        return found

    def ask(  # noqa: PLR0913 - the options of one verb
        self,
        query: str,
        *,
        answerer: Answerer | None = None,
        budget: int | None = 2000,
        k: int | None = None,
        where: Mapping[str, str | Sequence[str]] = NOTHING,
        rerank: bool = False,
        way: Choice | Literal["auto"] = "auto",
        most: float | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Answer:
        """The answer to a question, every citation of it checked against what the model was sent.

        `answerer` is who answers, None for who was told last; without a model the best units do. `way` is what is sent:
        passages of `budget` tokens, the document of the best one, the corpus, or what is best. It may cost `most` USD;
        `tell` is told it piece by piece. Raises ConfigError for what cannot be asked, RemoteError for no answer.
        """
        from wrac.flow.ask import Wanted, ask
        from wrac.flow.search import Ask

        wanted = Wanted(Ask(query, k, budget, Filters.of(where), rerank, FAINT, near=NEAR), way, most, tell)
        if way != "corpus":
            self._agree()
            self.shelf.catch_up()
        return ask(self.shelf, self.log, answerer, wanted)

    def _told(self, index: Searched, answered: Answered) -> Answered:
        """The answer, of which the log knows. Raises ConfigError where it is empty for a filter that names nothing."""
        if not answered.results:
            unknown(index, answered.ask.filters)
        self.log.write(answered.events())
        return answered

    def show(self, chunk: str) -> Shown:
        """The chunk with that id, or whose id begins so.

        Raises NotFoundError when there is none, or more than one.
        """
        from wrac.flow.show import show

        with self.database.read() as connection:
            return show(connection, self.place, chunk)

    def record(self, url: str) -> Record:
        """All that is stored of a page: its bytes, document, plan, chunks. Raises NotFoundError when there is none."""
        with self.database.read() as connection:
            found = catalog.get(connection, url)
        if found is None:
            raise NotFoundError(self.place, f"no page is called {url}", "take a URL from `wrac search`")
        return found

    def pages(self, prefix: str = "", *, after: str = "", limit: int = 100) -> list[Listed]:
        """At most `limit` pages by URL: those that begin with `prefix`, from the one that follows `after` on."""
        with self.database.read() as connection:
            return listed(connection, prefix, after, limit)

    def feedback(self, chunk: str, verdict: int, *, query: str = "", note: str = "", run: str = "") -> Event:
        """Keep what a reader thinks of a passage: 1 for good, -1 for bad, 0 to take it back.

        `run` is that of the search which found it. Raises NotFoundError for a chunk that there is not, ConfigError for
        another verdict, StorageError where it cannot be kept.
        """
        from wrac.flow.feedback import feedback

        return feedback(self.log, self.show(chunk), verdict, query=query, note=note, run=run)

    def verify(self, digest: bool = False, *, progress: Progress | None = None) -> VerifyReport:
        """What is wrong with the workspace, by computing every id and law again from what is stored."""
        from wrac.flow.verify import verify

        return verify(self.shelf, digest=digest, progress=progress or silent)

    def reindex(
        self, to: str = "", *, embedder: str | Embedder = "", progress: Progress | None = None, wait: float = 60.0
    ) -> int:
        """How many pages are in the index, which is made anew from the catalog; no model is called.

        `to` moves it: to a store's URL, or with `workspace` back into the workspace. With an `embedder` all is embedded
        by that one, which the workspace remembers. Raises BusyError when another process writes for `wait` seconds.
        """
        from wrac.flow.embedders import change
        from wrac.flow.pipeline import Options
        from wrac.flow.reindex import reindex

        tell, pages = progress or silent, 0
        if embedder:
            self._embedder, self._named = embedder, ""
            self.shelf.close()
            _ = self.embedder  # an embedder that is not there says so before anything is changed
            pages = change(self.shelf, self.log, Options(wait=wait, progress=tell), self._named)
        return pages if embedder and not to else reindex(self.shelf, to, tell, wait)

    def status(self) -> dict[str, object]:
        """What the workspace holds, in numbers."""
        from wrac.flow.status import status

        return status(self.shelf)

    def close(self) -> None:
        """Close the database and let go of the index."""
        self.shelf.close()
        self.database.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _wish(policy: Policy | Policies | None, planning: Planning | None) -> Wish:
    from wrac.flow.remembered import Wish
    from wrac.planning.policies import Policies  # and with it what plans, which a search does without

    return Wish(Policies(policy) if isinstance(policy, Policy) else policy, planning)
