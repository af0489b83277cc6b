"""Pages in, stored pages out: parsed in processes, planned, embedded where new, each written in one transaction."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self, TypeVar
from uuid import uuid4

from sqlalchemy import Connection

from wrac import catalog
from wrac.catalog import Record, vectors
from wrac.chunking import entries as make_entries
from wrac.core.types import NOTHING, Document, Entry, Event, Page, Usage
from wrac.fetching import MAX_SIZE
from wrac.flow import labellers
from wrac.flow.kept import Kept
from wrac.flow.labellers import AskingLabels, Labelling
from wrac.flow.planners import Asking
from wrac.flow.prepare import READING, Prepared, label, prepare_or_why, read_or_why, recipe, state
from wrac.flow.remembered import Wish, keep, settled
from wrac.flow.report import Progress, Skipped, silent
from wrac.flow.rows import rows_of
from wrac.flow.shelf import PAGES, Shelf
from wrac.flow.sites import Site
from wrac.flow.workers import PATIENCE, Died, Workers
from wrac.llm.ledger import total
from wrac.observing import EventLog
from wrac.parsing import PARSERS
from wrac.planning.policies import Policies

BATCH = 64
"""Texts that are embedded between two commits to the vector cache: what a killed run may have to embed again."""
AHEAD = 4
"""Pages a process, or a question to a model, may be ahead of the writer."""
NEVER = "s1:" + "0" * 32
"""The state of what each run tries anew."""
STAGES = ("read", "parse", "plan", "embed", "write")
UNANSWERED = "\nunanswered"
"""What the recipe of a page ends with that a model was to plan and did not plan whole: the next run asks again."""

_NO_MODEL = ("rules", "none")

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Options:
    """How a run reads and cuts pages; `workers` are the parsing processes: None for one a processor, 0 for this one,
    which no clock stops. `wish` says how pages are planned; where it is silent, the workspace does. `max_seconds` is
    the longest a page may take in another process, `wait` seconds for the writer's lock. With a `site` the pages behind
    a URL are crawled. With a `silence` no model is asked to plan, for that reason: what it answered before is used.
    `labelling` says who labels; where it is None, the workspace does.
    """

    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    base: str = ""
    max_size: int = MAX_SIZE
    wish: Wish = Wish()  # noqa: RUF009 - a named tuple of frozen values
    workers: int | None = None
    wait: float = 60.0
    progress: Progress = silent
    max_seconds: float = PATIENCE
    store: str = ""
    site: Site | None = None
    silence: str = ""
    labelling: Labelling | None = None

    def waiting(self) -> None:
        """Tell that another process has the lock."""
        self.progress("wait", 0, None, "another process is writing to this workspace")


@dataclass(frozen=True, slots=True)
class _Job:
    """A page on its way."""

    page: Page
    source: str
    made_by: str
    new: bool
    answer: Future[Prepared | str]


class Pipeline:
    """The pages of one run, in the order they are offered; what was done with them so far."""

    def __init__(self, shelf: Shelf, log: EventLog, options: Options, verb: str = "index") -> None:
        self.shelf, self.database, self.embedder = shelf, shelf.database, shelf.embedder
        self.log, self.options, self.verb = log, options, verb
        self.total: int | None = None
        self.counts: Counter[str] = Counter()
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self.usage = Usage()
        self.skipped: list[Skipped] = []
        self.unanswered: list[Skipped] = []
        self.name = uuid4().hex[:12]
        self.taken = 0
        self._jobs: deque[_Job] = deque()
        self._recipes: dict[Policies, str] = {}
        self._open = ExitStack()

    def __enter__(self) -> Self:
        options = self.options
        self.shelf.begin(options.store)
        self.policies, self.planning = settled(self.database, options.wish)
        planning = self.planning
        self.labelling = labellers.settled(self.database, options.labelling, planning)
        count = options.workers if options.workers is not None else os.cpu_count() or 1
        self._bound = max(count * AHEAD, 1)
        self._asking: Asking | None = None
        self._labels: AskingLabels | None = None
        asked = [
            one.parallel
            for one, by in ((planning, planning.who), (self.labelling, self.labelling.by))
            if by not in _NO_MODEL
        ]
        with self._open as opening:
            if asked:
                threads = sum(asked) + max(count, 1)
                self._bound = max(self._bound, sum(asked) * AHEAD)
                self._threads = opening.enter_context(ThreadPoolExecutor(threads, "wrac-plan"))
                opening.callback(self._threads.shutdown, wait=False, cancel_futures=True)
            self._workers = opening.enter_context(Workers(count, options.max_seconds))
            if planning.who != "rules":
                self._asking = opening.enter_context(Asking(planning, Kept(self.database), options.silence))
            if self.labelling.by == "llm":
                self._labels = opening.enter_context(AskingLabels(self.labelling, Kept(self.database)))
            self._open = opening.pop_all()
        keep(self.database, options.wish)  # not before it is known to make sense
        labellers.keep(self.database, options.labelling)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what is under way: questions, then processes, then the threads that waited for them."""
        self._open.close()

    def offer(self, page: Page, source: str) -> None:
        """Take a page; what has become ready of those before is stored. `source` is what it was asked for by."""
        job = self._job(page, source)
        if job is not None:
            self._jobs.append(job)
            self.taken += 1
        while len(self._jobs) >= self._bound or (self._jobs and self._jobs[0].answer.done()):
            self._finish(self._jobs.popleft())

    @property
    def behind(self) -> int:
        """How many of the pages `taken`, which are stored in their order, are not stored yet."""
        return len(self._jobs)

    def flush(self) -> None:
        """Store every page that was taken."""
        while self._jobs:
            self._finish(self._jobs.popleft())

    def read(self, found: Iterator[Found]) -> Iterator[Found]:
        """The same, the time counted that it takes to get each."""
        while True:
            started = time.perf_counter()
            one = next(found, None)
            self.seconds["read"] += time.perf_counter() - started
            if one is None:
                return
            yield one

    def done(self, url: str) -> None:
        """Tell that one more page is dealt with."""
        self.counts["done"] += 1
        missed = f"{self.counts['missed']} not read  " if self.counts["missed"] else ""
        self.options.progress(self.verb, self.counts["done"], self.total, missed + url)

    def spent(self, started: float) -> dict[str, float]:
        """Seconds by stage, and in total since a moment."""
        seconds = {**self.seconds, "total": time.perf_counter() - started}
        return {stage: round(one, 3) for stage, one in seconds.items()}

    def gone(self, connection: Connection, url: str) -> None:
        """The page is not searched any more, once the transaction ends."""
        self.shelf.put(connection, url)

    def told(self) -> None:
        """The index, wherever it is, has every page and is ready for searches."""
        self.shelf.drain(self.options.progress)
        self.shelf.settle()
        counts = {name: self.counts[name] for name in ("pages", "added", "unchanged")}
        self._tell("ran", verb=self.verb, **counts, skipped=len(self.skipped), seconds=sum(self.seconds.values()))

    # -- a page in

    def _job(self, page: Page, source: str) -> _Job | None:
        """The page on its way; None when it is known to the last byte and version."""
        made_by = self._recipe(page.url)
        with self.database.read() as connection:
            known = catalog.find(connection, page.url)
            same = known is not None and known.state == state(page, READING if known.reason else made_by)
            document = None if known is None or same else catalog.parsed(connection, page)
        if known is not None and source.startswith(f"{known.source}/"):
            source = known.source  # a folder that was indexed whole goes on to answer for its files
        if known is not None and same:
            self._unchanged(page.url, source, known)
            return None
        if self.verb != "replan":
            self._tell("fetch", url=page.url, status=page.status, bytes=len(page.body))
        if document is not None and document.parser not in PARSERS:
            document = None
        return _Job(page, source, made_by, known is None or bool(known.reason), self._submit(page, document))

    def _recipe(self, url: str) -> str:
        """The recipe of a page; the same for all that the same rules hold for."""
        policies = self.policies.at(url)
        if policies not in self._recipes:
            planner = self.planning.name(policies.default)
            self._recipes[policies] = recipe(planner, policies, self.embedder.name, self.labelling.name)
        return self._recipes[policies]

    def _submit(self, page: Page, document: Document | None) -> Future[Prepared | str]:
        if self._asking is None and self._labels is None:
            labelled = self.labelling.by == "rules"
            return self._workers.submit(prepare_or_why, page, self.policies, document, labelled=labelled)
        return self._threads.submit(self._asked, page, document)

    def _asked(self, page: Page, known: Document | None) -> Prepared | str:
        """The page parsed in a process, planned by asking from here, cut in a process, and labelled by asking."""
        labelled = self.labelling.by == "rules"
        made: Prepared | str
        if self._asking is None:
            made = self._workers.submit(prepare_or_why, page, self.policies, known, labelled=labelled).result()
        else:
            made = self._planned(self._asking, page, known, labelled=labelled)
        if self._labels is None or isinstance(made, str):
            return made
        started, passages = time.perf_counter(), [one.ordinals for one in made.occurrences]
        labels, told = self._labels.labels(page.url, made.document, passages, made.language)
        seconds = made.planning + time.perf_counter() - started
        failed = f"labels: {told.failed}" if told.failed else ""
        return replace(label(made, labels), planning=seconds, labels=told.usage, unanswered=made.unanswered or failed)

    def _planned(self, asking: Asking, page: Page, known: Document | None, *, labelled: bool) -> Prepared | str:
        """The page parsed in a process, planned by asking from here, and cut in a process."""
        started, policies = time.perf_counter(), self.policies
        document = self._workers.submit(read_or_why, page).result() if known is None else known
        if isinstance(document, str):
            return document
        parsed = time.perf_counter()
        plan, asked = asking.plan(page.url, document, policies.of(page.url, document))
        planned = time.perf_counter()
        made = self._workers.submit(prepare_or_why, page, policies, document, plan, labelled=labelled).result()
        if isinstance(made, str):
            return made
        return replace(
            made,
            parsing=parsed - started,
            planning=made.planning + planned - parsed,
            unanswered=asked.failed if asked.unanswered else "",
        )

    def _unchanged(self, url: str, source: str, known: catalog.Known) -> None:
        self.done(url)
        if known.reason:
            self.skipped.append(Skipped(url, known.reason))
            return
        if known.source != source:
            with self.database.write() as connection:
                catalog.own(connection, url, source)
        self.counts.update(pages=1, unchanged=1, units=known.places, chunks=known.chunks, reused=known.entries)

    # -- a page out

    def _finish(self, job: _Job) -> None:
        """Embed and store one page, or record why it is not."""
        made = job.answer.result()
        if isinstance(made, str):
            self._skip(job, made)
            return
        self.seconds["parse"] += made.parsing
        self.seconds["plan"] += made.planning
        self.usage = total((self.usage, made.plan.usage, made.labels))
        if made.unanswered:
            self.unanswered.append(Skipped(job.page.url, made.unanswered))
        started = time.perf_counter()
        entries = tuple(
            make_entries(one, above, self.embedder) for one, above in zip(made.chunks, made.prefixes, strict=True)
        )
        sizes = {
            vectors.key(entry.text): one.tokens
            for one, made_of in zip(made.chunks, entries, strict=True)
            for entry in made_of
        }
        fresh = self._embed(job.page.url, [entry.text for made_of in entries for entry in made_of], sizes)
        embedded = time.perf_counter()
        self._write(job, made, entries, fresh)
        self.seconds["embed"] += embedded - started
        self.seconds["write"] += time.perf_counter() - embedded
        self.counts.update(pages=1, units=len(made.document.places), chunks=len(made.chunks), added=job.new)
        self._tell(
            "plan", url=job.page.url, document=made.document.id, planner=made.plan.planner,
            groups=len(made.plan.groups), omitted=len(made.plan.omitted), cost=made.plan.usage.cost,
        )  # fmt: skip
        self.done(job.page.url)

    def _embed(self, url: str, texts: Sequence[str], sizes: Mapping[bytes, int]) -> dict[bytes, bytes]:
        """Vectors of the texts that had none. All but the last batch are in the cache already, each committed.

        `sizes` are the tokens of the texts' chunks, by key.
        """
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
        self.counts.update(
            embedded=len(missing), reused=len(texts) - len(missing), tokens=sum(sizes[key] for key, _ in missing)
        )
        return fresh

    def _write(
        self, job: _Job, made: Prepared, entries: tuple[tuple[Entry, ...], ...], fresh: Mapping[bytes, bytes]
    ) -> None:
        """The page, its vectors and its index rows, in one transaction."""
        made_by = job.made_by + UNANSWERED if made.unanswered else job.made_by
        record = Record(
            page=job.page, source=job.source, state=state(job.page, made_by), document=made.document, plan=made.plan,
            chunks=made.chunks, occurrences=made.occurrences, entries=entries, embedder=self.embedder.name,
            policy=made.policy,
        )  # fmt: skip
        rows = rows_of(record, made.language, made.terms)
        with self.database.write() as connection:
            vectors.store(connection, self.embedder.name, fresh)
            self.counts["changed"] += catalog.chunks_on(connection, job.page.url) != [one.id for one in made.chunks]
            catalog.put(connection, record)
            self.shelf.put(connection, job.page.url, rows)
        self.shelf.drain(least=PAGES)

    def _skip(self, job: _Job, reason: str) -> None:
        """Record that a page cannot be parsed; what it said before is not there any more."""
        self.skipped.append(Skipped(job.page.url, reason))
        self.done(job.page.url)
        with self.database.write() as connection:
            if catalog.remove(connection, job.page.url):
                self.gone(connection, job.page.url)
            unread = NEVER if isinstance(reason, Died) else state(job.page, READING)  # the next run tries again
            catalog.skip(connection, catalog.Skipped(job.page.url, job.source, unread, reason))

    def _tell(self, name: str, **fields: object) -> None:
        self.log.write([Event(time.time(), name, self.name, fields)])
