"""Sources to an index: read, parse in processes, plan, embed what is new, write each page in one transaction."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from wrac import catalog
from wrac.catalog import Database, Record, vectors
from wrac.chunking import entries as make_entries
from wrac.core.seams import Embedder
from wrac.core.types import NOTHING, Entry, Event, Page, Policy, Usage
from wrac.fetching import MAX_SIZE, Skip, files, pages
from wrac.flow.prepare import Prepared, recipe, state
from wrac.flow.report import IndexReport, Progress, Skipped, silent
from wrac.flow.rows import rows_of
from wrac.flow.workers import PATIENCE, Died, Workers
from wrac.indexing.sqlite import SqliteIndex
from wrac.llm.ledger import total
from wrac.observing import EventLog
from wrac.parsing import PARSERS

BATCH = 64
"""Texts that are embedded between two commits to the vector cache: what a killed run may have to embed again."""
AHEAD = 4
"""Pages a process may be ahead of the writer."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a run reads and cuts pages; `workers` are the parsing processes: None for one a processor, 0 for this one,
    which no clock stops. `max_seconds` is the longest a page may take in another, `wait` seconds for the writer's lock.
    """

    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    base: str = ""
    max_size: int = MAX_SIZE
    policy: Policy = field(default_factory=Policy)
    workers: int | None = None
    wait: float = 60.0
    progress: Progress = silent
    max_seconds: float = PATIENCE


@dataclass(frozen=True, slots=True)
class _Job:
    """A page on its way through the processes."""

    page: Page
    source: str
    state: str
    answer: Future[Prepared | str]


@dataclass(slots=True)
class IndexRun:
    """One run over the sources; what it did so far."""

    database: Database
    embedder: Embedder
    log: EventLog
    options: Options
    recipe: str = field(init=False)
    total: int | None = None
    counts: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("read", "parse", "plan", "embed", "write"), 0.0)
    )
    usage: Usage = field(default_factory=Usage)
    skipped: list[Skipped] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    name: str = field(default_factory=lambda: uuid4().hex[:12])

    def __post_init__(self) -> None:
        """The recipe is the same for every page."""
        self.recipe = recipe(self.options.policy, self.embedder.name)

    def run(self, sources: Sequence[str]) -> IndexReport:
        """What was found and done."""
        started = time.perf_counter()
        pages(sources, base=self.options.base)  # refuses what cannot be read before anything is written
        count = self.options.workers if self.options.workers is not None else os.cpu_count() or 1
        self.total = sum(map(self._size, sources)) if self.options.progress is not silent else None
        with (
            self.database.writer(self.options.wait, self._waiting),
            Workers(count, self.options.max_seconds) as workers,
        ):
            for source in dict.fromkeys(sources):
                self._source(source, workers, max(count * AHEAD, 1))
        self.seconds["total"] = time.perf_counter() - started
        counts = self.counts
        return IndexReport(
            pages=counts["pages"],
            units=counts["units"],
            chunks=counts["chunks"],
            embedded=counts["embedded"],
            reused=counts["reused"],
            unchanged=counts["unchanged"],
            gone=tuple(self.gone),
            skipped=tuple(self.skipped),
            usage=self.usage,
            seconds={stage: round(spent, 3) for stage, spent in self.seconds.items()},
        )

    def _source(self, source: str, workers: Workers, bound: int) -> None:
        """Bring the workspace up to what one source holds now."""
        scope = files.posix(os.path.realpath(source)) if Path(source).exists() else source
        seen: set[str] = set()
        skips: list[Skip] = []
        jobs: deque[_Job] = deque()
        for found in self._read(source):
            seen.add(found.url)
            if isinstance(found, Skip):
                skips.append(found)
                self._done(found.url)
            elif (job := self._job(found, scope, workers)) is not None:
                jobs.append(job)
            while len(jobs) >= bound or (jobs and jobs[0].answer.done()):
                self._finish(jobs.popleft())
        while jobs:
            self._finish(jobs.popleft())
        self._pass_over(skips, scope)
        if Path(source).is_dir():
            closed = tuple(f"{skip.url}/" for skip in skips if skip.reason.startswith("unreadable"))
            self._forget(scope, seen, closed)

    def _read(self, source: str) -> Iterator[Page | Skip]:
        """What a source holds, its time counted."""
        options = self.options
        found = pages([source], meta=options.meta, base=options.base, max_size=options.max_size)
        while True:
            started = time.perf_counter()
            page = next(found, None)
            self.seconds["read"] += time.perf_counter() - started
            if page is None:
                return
            yield page

    def _job(self, page: Page, source: str, workers: Workers) -> _Job | None:
        """The page on its way; None when it is known to the last byte and version."""
        wanted = state(page, self.recipe)
        with self.database.read() as connection:
            known = catalog.find(connection, page.url)
            same = known is not None and known.state == wanted
            document = None if known is None or same else catalog.parsed(connection, page)
        if known is not None and source.startswith(f"{known.source}/"):
            source = known.source  # a folder that was indexed whole goes on to answer for its files
        if known is not None and same:
            self._unchanged(page.url, source, known)
            return None
        self._tell("fetch", url=page.url, status=page.status, bytes=len(page.body))
        if document is not None and document.parser not in PARSERS:
            document = None
        return _Job(page, source, wanted, workers.submit(page, self.options.policy, document))

    def _unchanged(self, url: str, source: str, known: catalog.Known) -> None:
        self._done(url)
        if known.reason:
            self.skipped.append(Skipped(url, known.reason))
            return
        if known.source != source:
            with self.database.write() as connection:
                catalog.own(connection, url, source)
        self.counts.update(pages=1, unchanged=1, units=known.places, chunks=known.chunks, reused=known.entries)

    def _finish(self, job: _Job) -> None:
        """Embed and store one page, or record why it is not."""
        made = job.answer.result()
        if isinstance(made, str):
            self._skip(job, made)
            return
        self._spent(parse=made.parsing, plan=made.planning)
        self.usage = total((self.usage, made.plan.usage))
        started = time.perf_counter()
        entries = tuple(
            make_entries(one, above, self.embedder) for one, above in zip(made.chunks, made.prefixes, strict=True)
        )
        fresh = self._embed(job.page.url, [entry.text for made_of in entries for entry in made_of])
        embedded = time.perf_counter()
        self._write(job, made, entries, fresh)
        self._spent(embed=embedded - started, write=time.perf_counter() - embedded)
        self.counts.update(pages=1, units=len(made.document.places), chunks=len(made.chunks))
        self._tell(
            "plan", url=job.page.url, document=made.document.id, planner=made.plan.planner,
            groups=len(made.plan.groups), omitted=len(made.plan.omitted), cost=made.plan.usage.cost,
        )  # fmt: skip
        self._done(job.page.url)

    def _embed(self, url: str, texts: Sequence[str]) -> dict[bytes, bytes]:
        """Vectors of the texts that had none. All but the last batch are in the cache already, each committed."""
        wanted = {vectors.key(text): text for text in texts}
        with self.database.read() as connection:
            known = vectors.known(connection, self.embedder.name, wanted)
        missing = [(key, text) for key, text in wanted.items() if key not in known]
        fresh: dict[bytes, bytes] = {}
        for start in range(0, len(missing), BATCH):
            if fresh:
                with self.database.write() as connection:
                    vectors.store(connection, self.embedder.name, fresh)
            batch = missing[start : start + BATCH]
            found = self.embedder.embed([text for _, text in batch]).astype("<f4")
            fresh = {key: row.tobytes() for (key, _), row in zip(batch, found, strict=True)}
            self.options.progress("embed", start + len(batch), len(missing), url)
        self.counts.update(embedded=len(missing), reused=len(texts) - len(missing))
        return fresh

    def _write(
        self, job: _Job, made: Prepared, entries: tuple[tuple[Entry, ...], ...], fresh: Mapping[bytes, bytes]
    ) -> None:
        """The page, its vectors and its index rows, in one transaction."""
        record = Record(
            page=job.page, source=job.source, state=job.state, document=made.document, plan=made.plan,
            chunks=made.chunks, occurrences=made.occurrences, entries=entries, embedder=self.embedder.name,
            policy=self.options.policy,
        )  # fmt: skip
        rows = rows_of(record, made.language, made.terms)
        with self.database.write() as connection:
            vectors.store(connection, self.embedder.name, fresh)
            catalog.put(connection, record)
            SqliteIndex(connection).put(job.page.url, rows)

    def _skip(self, job: _Job, reason: str) -> None:
        """Record that a page cannot be parsed; what it said before is not there any more."""
        self.skipped.append(Skipped(job.page.url, reason))
        self._done(job.page.url)
        with self.database.write() as connection:
            if catalog.remove(connection, job.page.url):
                SqliteIndex(connection).remove(job.page.url)
            state = NEVER if isinstance(reason, Died) else job.state  # the next run tries again
            catalog.skip(connection, catalog.Skipped(job.page.url, job.source, state, reason))

    def _pass_over(self, skips: Sequence[Skip], source: str) -> None:
        """Record what became no page. A page that is unreadable now stays as it was: it is still there."""
        self.skipped += [Skipped(skip.url, skip.reason) for skip in skips]
        with self.database.read() as connection:
            recorded = {one.url: one.reason for one in catalog.skipped(connection)}
            stored = set(catalog.urls(connection))
        new = [skip for skip in skips if recorded.get(skip.url) != skip.reason and not _stays(skip, stored)]
        if not new:
            return
        with self.database.write() as connection:
            for skip in new:
                if catalog.remove(connection, skip.url):
                    SqliteIndex(connection).remove(skip.url)
                catalog.skip(connection, catalog.Skipped(skip.url, source, NEVER, skip.reason))

    def _forget(self, source: str, seen: set[str], closed: tuple[str, ...]) -> None:
        """Remove the pages of a folder that are not in it any more; what lies in a closed folder cannot be known."""
        with self.database.read() as connection:
            gone = [url for url in catalog.urls(connection, source) if url not in seen and not url.startswith(closed)]
            lost = [s.url for s in catalog.skipped(connection) if s.source == source and s.url not in seen]
        if not gone and not lost:
            return
        with self.database.write() as connection:
            for url in gone:
                catalog.remove(connection, url)
                SqliteIndex(connection).remove(url)
            for url in lost:
                catalog.forgive(connection, url)
        self.gone += gone

    def _size(self, source: str) -> int:
        """How many files or pages a source will give, skips included."""
        if not Path(source).is_dir():
            return 1
        return sum(1 for _ in files.walk(files.root(source, keep_name=True), {}))

    def _done(self, url: str) -> None:
        self.counts["done"] += 1
        self.options.progress("index", self.counts["done"], self.total, url)

    def _spent(self, **seconds: float) -> None:
        for stage, spent in seconds.items():
            self.seconds[stage] += spent

    def _waiting(self) -> None:
        self.options.progress("wait", 0, None, "another process is writing to this workspace")

    def _tell(self, name: str, **fields: object) -> None:
        self.log.write([Event(time.time(), name, self.name, fields)])


NEVER = "s1:" + "0" * 32
"""The state of a skip that fetching reports: it is reported anew by each run."""


def _stays(skip: Skip, stored: Set[str]) -> bool:
    """Whether a skip leaves a stored page alone."""
    return skip.url in stored and skip.reason.startswith("unreadable")
