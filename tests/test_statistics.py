"""Statistics of a log: sums agree, however the log was written, read, torn and erased, and in whatever time zone."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes_index import WordEmbedder
from tests.site import build

from wrac import contract
from wrac.core.types import Event
from wrac.flow import Workspace
from wrac.flow.statistics import EDGES, sizes
from wrac.observing import EventLog
from wrac.observing.columns import Events, Journal
from wrac.observing.statistics import (
    asked,
    counted,
    days,
    latency,
    moments,
    same,
    searched,
    standing,
    unanswered,
)

CHUNKS, URLS = [f"c1:{i:032x}" for i in range(5)], ["https://a.example/1", "a/2.html", "üñí?x=1"]
TEXTS = ["What is a unit?", "what  is a UNIT?", "", "Preise", 'quote " and \\ and \u2028 line']
MOMENTS = st.floats(1.6e9, 1.9e9).map(lambda at: round(at, 3))
RUNS = st.sampled_from([f"{i:012x}" for i in range(6)])
CITIES = ("Europe/Berlin", "Asia/Kathmandu", "America/St_Johns")
ZONES = st.sampled_from([UTC, *map(ZoneInfo, CITIES), timezone(timedelta(hours=14))])


def made(name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Event]:
    return st.builds(Event, MOMENTS, st.just(name), RUNS, st.fixed_dictionaries(fields))


QUERY = made("query", query=st.sampled_from(TEXTS), hits=st.integers(0, 10), seconds=st.floats(0, 9))
HIT = made(
    "hit", chunk=st.sampled_from(CHUNKS), url=st.sampled_from(URLS), rank=st.integers(1, 10), confidence=st.floats(0, 1)
)
OLD_HIT = made("hit", chunk=st.sampled_from(CHUNKS), url=st.sampled_from(URLS), rank=st.integers(1, 10))
FEEDBACK = made(
    "feedback",
    chunk=st.sampled_from(CHUNKS),
    url=st.sampled_from(URLS),
    verdict=st.sampled_from([-1, 0, 1]),
    query=st.just(""),
    note=st.text(max_size=5),
)
OTHER = made("fetch", url=st.sampled_from(URLS), bytes=st.integers(0, 9))
LOGS = st.lists(st.one_of(QUERY, HIT, OLD_HIT, FEEDBACK, OTHER), max_size=40)


def read(found: Sequence[Event]) -> Events:
    with tempfile.TemporaryDirectory() as folder:
        EventLog(Path(folder) / "events").write(found)
        return Journal(Path(folder) / "events").read()


def of(found: Sequence[Event], name: str) -> Iterator[Event]:
    return (one for one in found if one.name == name)


@given(LOGS)
@settings(max_examples=40)
def test_sums_agree(found: list[Event]) -> None:
    events = read(found)
    queries = len(list(of(found, "query")))
    assert latency(events).searches == queries == sum(one.searches for one in days(events))
    assert queries == sum(one.searches for one in asked(events)) == len(searched(events))
    empty = sum(not one.fields["hits"] for one in of(found, "query"))
    assert empty == sum(one.empty for one in asked(events)) == sum(one.empty for one in days(events))
    for field, by in (("chunk", counted(events, "chunk")), ("url", counted(events, "url"))):
        hits = Counter(one.fields[field] for one in of(found, "hit"))
        assert {one.name: one.hits for one in by if one.hits} == hits
        assert [one.hits for one in by] == sorted((one.hits for one in by), reverse=True)
    chunks, pages = (counted(events, by) for by in ("chunk", "url"))
    assert sum(one.good for one in chunks) == sum(one.good for one in pages)
    assert sum(one.bad for one in chunks) == sum(one.bad for one in pages)


@given(LOGS)
@settings(max_examples=40)
def test_the_last_verdict_of_a_run_on_a_chunk_counts(found: list[Event]) -> None:
    last: dict[tuple[str, str], int] = {}
    for one in of(found, "feedback"):
        last[one.run, one.fields["chunk"]] = one.fields["verdict"]
    good: Counter[str] = Counter(chunk for (_, chunk), verdict in last.items() if verdict > 0)
    bad: Counter[str] = Counter(chunk for (_, chunk), verdict in last.items() if verdict < 0)
    events = read(found)
    assert len(standing(events)) == good.total() + bad.total()
    assert {one.name: one.good for one in counted(events, "chunk") if one.good} == good
    assert {one.name: one.bad for one in counted(events, "chunk") if one.bad} == bad


@given(LOGS, ZONES)
@settings(max_examples=40)
def test_days_are_those_of_a_clock_in_the_zone(found: list[Event], zone: tzinfo) -> None:
    by_day: defaultdict[date, list[float]] = defaultdict(list)
    for one in of(found, "query"):
        by_day[datetime.fromtimestamp(one.at, zone).date()].append(one.fields["seconds"])
    told = days(read(found), zone)
    assert {one.day: one.searches for one in told if one.searches} == {day: len(of) for day, of in by_day.items()}
    assert all((b.day - a.day).days == 1 for a, b in pairwise(told))
    for day, seconds in ((one, sorted(by_day[one.day])) for one in told if one.searches):
        assert day.p50 == pytest.approx(seconds[math.ceil(len(seconds) * 0.5) - 1], abs=1e-3)
        assert day.p95 == pytest.approx(seconds[math.ceil(len(seconds) * 0.95) - 1], abs=1e-3)


@given(LOGS, ZONES, st.dates(date(2020, 1, 1), date(2030, 1, 1)))
@settings(max_examples=40)
def test_days_before_and_from_a_day_make_up_all(found: list[Event], zone: tzinfo, day: date) -> None:
    events = read(found)
    before = events.between(*moments(None, day - timedelta(days=1), zone))
    after = events.between(*moments(day, None, zone))
    assert all(len(before[name]) + len(after[name]) == len(events[name]) for name in events.rows)
    assert days(before, zone)[-1:] == [] or days(before, zone)[-1].day < day
    assert days(after, zone)[:1] == [] or days(after, zone)[0].day >= day


@given(LOGS, st.data())
@settings(max_examples=40)
def test_a_log_read_as_it_grows_is_the_log(found: list[Event], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "events"
        EventLog(folder).write(found)
        whole = {path.name: path.read_bytes() for path in folder.glob("*.jsonl")}
        grown = Path(name) / "grown"
        grown.mkdir()
        journal = Journal(grown)
        for file, content in whole.items():
            cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4)))
            for start, end in zip([0, *cuts], [*cuts, len(content)], strict=True):
                with (grown / file).open("ab") as stream:
                    stream.write(content[start:end])
                journal.read()
        events = journal.read()
        assert figures(events) == figures(Journal(folder).read())


@given(LOGS, st.lists(st.binary(max_size=20).filter(lambda one: b"\n" not in one), max_size=5), st.randoms())
@settings(max_examples=40)
def test_torn_and_strange_lines_are_passed_over(found: list[Event], torn: list[bytes], random: Any) -> None:
    strange = [
        b'{"at":1.7e9,"name":"query","run":"x"', b'{"at":"soon","name":"query","run":"x"}', b"[1]", b"{}", b"   ",
        b'{"at":1e300,"name":"hit","run":"x"}', b'{"at":NaN,"name":"query","run":"x"}', b'{"name":["hit"],"at":1}',
        b'{"at":1},{"at":2}',
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "events"
        EventLog(folder).write(found)
        before = figures(Journal(folder).read())
        for path in folder.glob("*.jsonl"):
            lines = path.read_bytes().splitlines(keepends=True)
            for one in (*torn, *strange):
                lines.insert(random.randrange(len(lines) + 1), one + b"\n")
            path.write_bytes(b"".join(lines))
        assert figures(Journal(folder).read()) == before


def test_values_of_another_kind_stand_for_nothing(tmp_path: Path) -> None:
    lines = [
        {"at": 1.7e9, "name": "query", "run": 5, "query": ["x"], "hits": "many", "seconds": "long"},
        {"at": 1.7e9, "name": "query", "run": "r", "query": "x", "hits": 10**400, "seconds": True},
        {"at": 1.7e9, "name": "query", "run": "r", "query": "x", "hits": float("nan")},
        {"at": 1.7e9, "name": "hit", "run": "r"},
    ]
    (tmp_path / "2023-11.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    events = Journal(tmp_path).read()
    assert [one.query for one in asked(events)] == ["x", ""]
    assert latency(events).searches == 3
    assert latency(events).p50 == 1.0
    assert [one.hits for one in counted(events, "chunk")] == [1]


def figures(events: Events) -> tuple[object, ...]:
    """All that is said of events; a number that nothing is known of is equal to itself."""
    found = (latency(events), days(events), asked(events), *(counted(events, by) for by in ("chunk", "url")))
    return tuple(repr(one) for one in (*found, searched(events)))


def test_nothing_says_nothing(tmp_path: Path) -> None:
    events = Journal(tmp_path / "absent").read()
    assert (days(events), asked(events), counted(events, "url"), searched(events)) == ([], [], [], [])
    assert latency(events).searches == 0
    assert math.isnan(latency(events).p50)


def test_queries_differ_by_more_than_white_space_and_case(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    for at, query in enumerate(["What is it?", "what  IS it?", "What is that?"]):
        log.write([Event(1.7e9 + at, "query", f"r{at}", {"query": query, "hits": 1, "seconds": 0.1})])
    first, second = asked(log.events())
    assert (first.query, first.searches, first.last) == ("what  IS it?", 2, 1.7e9 + 1)
    assert second.query == "What is that?"
    assert same("  A\tb ") == "a b"
    assert len(searched(log.events(), query="WHAT is it?")) == 2


def test_a_query_is_unanswered_by_what_it_found_and_what_readers_say(tmp_path: Path) -> None:
    log = EventLog(tmp_path)

    def search(query: str, confidence: float | None, verdict: int = 0) -> None:
        run, hits = f"run of {query}", 0 if confidence is None else 1
        log.write([Event(1.7e9, "query", run, {"query": query, "hits": hits, "seconds": 0.1})])
        if confidence is not None:
            hit = {"chunk": "c", "url": "u", "rank": 1, "confidence": confidence}
            log.write([Event(1.7e9, "hit", run, hit)])
        if verdict:
            log.write([Event(1.7e9, "feedback", run, {"chunk": "c", "url": "u", "verdict": verdict})])

    search("sure", 0.9)
    search("doubtful", 0.2)
    search("nothing", None)
    search("sure but bad", 0.9, -1)
    search("doubtful but good", 0.2, 1)
    told = {one.query for one in unanswered(asked(log.events()), 0.35)}
    assert told == {"doubtful", "nothing", "sure but bad"}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    build(tmp_path, 4)
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as one:
        one.index(tmp_path / "site", meta={"product": "unit"}, base="https://docs.example.com", workers=0)
        yield one


def test_a_workspace_says_what_was_found_and_what_is_stored(workspace: Workspace) -> None:
    hits = workspace.search("shipping form")
    workspace.search("shipping form", k=1)
    found = workspace.statistics()
    use, kept = found.use, found.kept
    assert use.latency.searches == 2
    assert [(one.query, one.searches) for one in use.queries] == [("shipping form", 2)]
    assert use.chunks[0].hits == 2
    assert sum(one.hits for one in use.pages) == len(hits) + 1 == use.sites[0].hits
    assert use.sites[0].name == "docs.example.com"
    assert ("product=unit", len(hits) + 1) in use.tags
    assert "paragraph" in {one.name for one in use.kinds}
    assert kept.chunks == sum(kept.sizes) == len(kept.unseen) + len(use.chunks)
    assert kept.runs[0].verb == "index"
    assert kept.runs[0].pages == 4
    assert use.disliked == ()
    workspace.feedback(hits[0].chunk, -1, query="shipping form")
    again = workspace.statistics().use
    assert (again.good, again.bad) == (0, 1)
    assert [one.name for one in again.disliked] == [hits[0].url]
    row = contract.statistics_row(found, 1)
    assert json.loads(json.dumps(row, allow_nan=False))["searches"] == 2
    assert row["unseen"]["count"] == len(kept.unseen)


def test_events_of_other_days_do_not_count(workspace: Workspace) -> None:
    workspace.search("shipping")
    today = datetime.now(UTC).date()
    assert workspace.statistics(today - timedelta(days=1), today + timedelta(days=1)).use.latency.searches == 1
    assert workspace.statistics(until=today - timedelta(days=2)).use.latency.searches == 0
    assert len(workspace.statistics(until=today - timedelta(days=2)).kept.unseen) == workspace.statistics().kept.chunks


def test_a_forgotten_page_leaves_no_figure_even_where_it_was_counted_before(workspace: Workspace) -> None:
    url = workspace.search("shipping form")[0].url
    assert url in {one.name for one in workspace.statistics().use.pages}
    with Workspace(workspace.path, embedder=WordEmbedder()) as other:  # as another process does
        other.forget(url)
    after = workspace.statistics().use
    assert url not in {one.name for one in after.pages}
    assert after.latency.searches == 1
    assert all(url not in text for text in workspace.log.events().texts)


def test_pages_and_chunks_that_are_gone_are_counted_but_not_stored(workspace: Workspace, tmp_path: Path) -> None:
    hit = workspace.search("shipping form")[0]
    next((tmp_path / "site").glob("001-*.html")).unlink()
    workspace.index(tmp_path / "site", base="https://docs.example.com", workers=0)
    use = workspace.statistics().use
    assert hit.url in {one.name for one in use.pages}
    assert hit.url not in use.stored
    assert hit.chunk not in use.stored


def test_months_that_are_dropped_are_not_counted(workspace: Workspace) -> None:
    workspace.search("shipping")
    assert workspace.statistics().use.latency.searches == 1
    workspace.gc(older=time.time() + 40 * 86400)
    assert workspace.statistics().use.latency.searches == 0


@given(st.lists(st.integers(0, 3000)))
def test_every_size_is_in_one_class(tokens: list[int]) -> None:
    found = sizes(tokens)
    assert sum(found) == len(tokens)
    assert found[0] == sum(one <= EDGES[0] for one in tokens)
    assert found[-1] == sum(one > EDGES[-1] for one in tokens)


def test_many_events_are_read_fast_and_then_not_again(tmp_path: Path) -> None:
    lines = []
    for i in range(5000):
        head = f'{{"at":{1.79e9 + i},"name":"%s","run":"{i:012x}",'
        found = f'"chunk":"c{i % 900}","url":"u{i % 90}","rank":1,"confidence":0.5}}\n'
        lines += [head % "query" + f'"query":"q{i % 70}","hits":9,"seconds":0.01}}\n', *[head % "hit" + found] * 9]
    (tmp_path / "2026-09.jsonl").write_text("".join(lines))
    journal = Journal(tmp_path)
    started = time.process_time()
    events = journal.read()
    cold = time.process_time() - started
    assert len(events["hit"]) == 45_000
    assert cold < 5  # 0.3 s; a million take six
    started = time.process_time()
    assert journal.read() is events
    assert time.process_time() - started < cold / 5
