"""What readers think of passages: an event each, the last one of a reader's run and chunk counts."""

from __future__ import annotations

from typing import Final
from uuid import uuid4

from wrac.core.errors import ConfigError, StorageError
from wrac.core.types import Event
from wrac.flow.report import Shown
from wrac.observing import EventLog, event

FEEDBACK: Final = "feedback"
LONGEST: Final = 2000
"""Characters of a note that are kept."""


def feedback(  # noqa: PLR0913 - the options of one verb
    log: EventLog, shown: Shown, verdict: int, *, query: str = "", note: str = "", run: str = ""
) -> Event:
    """The event, once it is written.

    Raises ConfigError for a verdict other than 1, 0 and -1, StorageError where the log is off or cannot be written.
    """
    if verdict not in (-1, 0, 1):
        raise ConfigError(f"{verdict} is no verdict; give 1 for good, -1 for bad, 0 to take it back")
    if not log.enabled:
        raise StorageError("the event log is off, so feedback cannot be kept; open the workspace with it")
    fields = {"chunk": shown.chunk, "url": shown.url, "verdict": verdict, "query": query, "note": note[:LONGEST]}
    found, lost = event(FEEDBACK, run or uuid4().hex[:12], fields), log.lost
    log.write([found])
    if log.lost > lost:
        raise StorageError(f"the verdict is not kept: {log.problem.lower()}; free space, then judge again")
    return found
