"""An answer on its way: pieces from the thread of the connection to the thread that asked."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import StreamedResponse
    from pydantic_ai.usage import RequestUsage


class Flow:
    """The pieces of one answer. `used` is what the endpoint said it took so far, None before it said anything."""

    def __init__(self) -> None:
        self.used: RequestUsage | None = None
        self._pieces: SimpleQueue[str] = SimpleQueue()
        self._first = ""
        self.future: Future[ModelResponse] = Future()

    async def pump(self, opening: AbstractAsyncContextManager[StreamedResponse]) -> ModelResponse:
        """Passes on the pieces of an answer; the whole response at its end."""
        async with opening as stream:
            async for event in stream:
                self.used = stream.usage
                if text := _text(event):
                    self._pieces.put(text)
            self.used = stream.usage
            return stream.get()

    def begin(self, future: Future[ModelResponse]) -> None:
        """Waits for the first piece, or for the end of `future`, in which `pump` runs."""
        self.future = future
        future.add_done_callback(lambda _: self._pieces.put(""))
        self._first = self._pieces.get()

    @property
    def empty(self) -> bool:
        """Whether it ended before its first piece."""
        return not self._first

    def __iter__(self) -> Iterator[str]:
        """The pieces, the first of which is there."""
        piece = self._first
        while piece:
            yield piece
            piece = self._pieces.get()


def _text(event: Any) -> str:  # noqa: ANN401 - events of many kinds, of which two carry text
    if event.event_kind == "part_start" and event.part.part_kind == "text":
        return str(event.part.content)
    if event.event_kind == "part_delta" and event.delta.part_delta_kind == "text":
        return str(event.delta.content_delta)
    return ""
