"""Planning anew in a provider's batches: all questions handed in together, answers within a day, at half the price.

What is handed in is remembered, so that a process that ends while a batch runs loses nothing: the next one collects it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection

from wrac import catalog
from wrac.catalog import Database, answers, ledger
from wrac.catalog.memory import remember, remembered
from wrac.core.errors import ConfigError, RemoteError
from wrac.core.types import Policy, Usage
from wrac.flow.kept import Kept
from wrac.flow.pipeline import Options
from wrac.flow.planners import Account, Planning, Silent, site
from wrac.flow.remembered import keep, settled
from wrac.flow.replan import replan
from wrac.flow.report import Progress, ReplanReport
from wrac.flow.shelf import Shelf
from wrac.llm.asking import Reply
from wrac.llm.batch import DAY, Batches
from wrac.llm.ledger import Spent, total
from wrac.observing import EventLog
from wrac.planning import RulesPlanner
from wrac.planning.llm import Part, Window
from wrac.planning.policies import Policies
from wrac.text.tokens import counter

MEMORY: Final = "batches"
SHORTEST, LONGEST = 0.5, 30.0
"""Seconds between two looks at a batch: twice as long each time."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Planning by one model in batches."""

    database: Database
    policies: Policies
    planning: Planning
    batches: Batches
    progress: Progress


def replan_in_batches(shelf: Shelf, log: EventLog, options: Options) -> ReplanReport:
    """What planning anew did, once every batch has ended. Waiting holds no lock: others may index meanwhile.

    Raises ConfigError without a model and for a budget, RemoteError when a batch takes longer than a day.
    """
    database = shelf.database
    policies, planning = settled(database, options.wish)
    if planning.who == "rules":
        raise ConfigError("--batch is for a language model; add --planner llm or cascade")
    if planning.most is not None:
        raise ConfigError("a batch cannot be stopped at --max-cost; give --planner and --model without it")
    with closing(Batches(planning.endpoint)) as batches:
        run = _Run(database, policies, planning, batches, options.progress)
        with database.writer(options.wait, options.waiting):
            keep(database, options.wish)
            _hand_in(run)
        usage, problems = Usage(), []
        for batch in _open(run):
            problems.append(_wait(run, batch))
            usage = total((usage, _collect(run, batch)))
    problem = next(filter(None, problems), "")
    silence = f"the batch said nothing of it{problem and f' ({problem})'}"
    report = replan(shelf, log, replace(options, silence=silence))
    return replace(report, usage=total((usage, report.usage)))


def _hand_in(run: _Run) -> None:
    """Hand in what no answer is known of, and no batch is asked already."""
    asked = {key for entry in _open(run).values() for key in entry["questions"]}
    windows = {window.key: (url, window) for url, window in _windows(run) if window.key not in asked}
    for batch, keys in run.batches.submit({key: window.question for key, (_, window) in windows.items()}):
        questions = {key: {"url": windows[key][0], "parts": windows[key][1].parts} for key in keys}
        planning = run.planning
        entry = {"model": planning.model, "base_url": planning.base_url, "form": planning.form, "questions": questions}
        with run.database.write() as connection:
            _remember(connection, batch, entry)


def _windows(run: _Run) -> Iterator[tuple[str, Window]]:
    """The questions that there are about the stored pages."""
    with run.database.read() as connection:
        urls = catalog.urls(connection)
    for url in urls:
        with run.database.read() as connection:
            page = catalog.stored(connection, url)
            document = None if page is None else catalog.parsed(connection, page[0])
        if document is None:
            continue
        policy = run.policies.of(url, document)
        rules = RulesPlanner(policy, counter(policy.tokenizer))
        known = Account(Silent(run.batches.name), Kept(run.database), url)
        planner = run.planning.planner(rules, known, known)
        yield from ((url, window) for window in planner.questions(document))


def _wait(run: _Run, batch: str) -> str:
    """What went wrong with a batch that has ended; nothing, if nothing did."""
    pause, until = SHORTEST, time.monotonic() + DAY
    while not (state := run.batches.state(batch)).ended:
        run.progress("batch", state.done, state.total or None, f"{batch} {state.status}")
        if time.monotonic() > until:
            raise RemoteError(run.batches.name, f"{batch} is {state.status} after a day", "run again to collect it")
        time.sleep(pause)
        pause = min(2 * pause, LONGEST)
    if state.status == "completed":
        return f"{state.failed:,} of {state.total:,} questions failed" if state.failed else ""
    return f"{batch} {state.status}{state.problem and f': {state.problem}'}"


def _collect(run: _Run, batch: str) -> Usage:
    """What a batch cost; its answers are kept, its costs are in the ledger and it is forgotten, all at once."""
    entry = _open(run)[batch]
    found: dict[str, str] = {}
    spent: list[Spent] = []
    planning, rules = replace(run.planning, form=entry["form"]), RulesPlanner(Policy(), counter())
    planner, questions = planning.planner(rules, Silent(run.batches.name), found), entry["questions"]
    for key, reply in run.batches.replies(batch).items():
        if key in questions and isinstance(reply, Reply):
            url = questions[key]["url"]
            spent.append(Spent(time.time(), "plan", site(url), url, run.batches.name, reply.usage))
            planner.learn([Part(*part) for part in questions[key]["parts"]], reply)
    with run.database.write() as connection:
        answers.store(connection, run.batches.name, time.time(), found)
        ledger.record(connection, spent)
        _remember(connection, batch, None)
    return total(one.usage for one in spent)


def _open(run: _Run) -> dict[str, Any]:
    """The batches of this model that were handed in and not collected."""
    with run.database.read() as connection:
        entries = _entries(connection)
    own = (run.planning.model, run.planning.base_url)
    return {batch: entry for batch, entry in entries.items() if (entry["model"], entry["base_url"]) == own}


def _remember(connection: Connection, batch: str, entry: Mapping[str, Any] | None) -> None:
    """Keep what a batch was asked, or with None forget the batch."""
    entries = _entries(connection)
    entries.pop(batch, None)
    remember(connection, MEMORY, json.dumps(entries | ({batch: entry} if entry else {})))


def _entries(connection: Connection) -> dict[str, Any]:
    entries: dict[str, Any] = json.loads(remembered(connection, MEMORY) or "{}")
    return entries
