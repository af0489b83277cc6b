"""A few at once and the others in the order they came: what many threads want of few processors."""

from __future__ import annotations

from collections import deque
from threading import Lock
from types import TracebackType


class Turns:
    """A `with` block that so many threads are in at once.

    Unlike a semaphore's, a place that is left goes to the thread that waits longest and to no other: one that asks
    again and again does not overtake those that wait, so the slowest of many waits hardly longer than the rest.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[Lock] = deque()
        self._lock = Lock()

    def __enter__(self) -> None:
        turn = Lock()
        turn.acquire()
        with self._lock:
            if self._free:
                self._free -= 1
                return
            self._waiting.append(turn)
        try:
            turn.acquire()
        except BaseException:  # Ctrl-C while it waits
            self._leave(turn)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._next()

    def _leave(self, turn: Lock) -> None:
        """Wait no more; a place that was given meanwhile is given on."""
        with self._lock:
            waits = turn in self._waiting
            if waits:
                self._waiting.remove(turn)
        if not waits:
            self._next()

    def _next(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free += 1
