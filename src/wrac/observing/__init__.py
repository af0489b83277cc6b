"""Events to statistics: the log that is written, the columns it is read into, and what they say."""

from __future__ import annotations

from wrac.observing.log import EventLog, counts, event

__all__ = ["EventLog", "counts", "event"]
