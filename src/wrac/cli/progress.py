"""Progress bars on stderr: only on a terminal, and gone when the work is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from wrac.cli.paint import console, one_line, safe
from wrac.flow.report import Progress, silent

_DETAIL = 40


@contextmanager
def bars(*, wanted: bool) -> Iterator[Progress]:
    """What to tell the progress of each stage; nothing is drawn unless wanted and stderr is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield silent
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many a second, of late."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:,.1f}/s", style="dim")

    columns = (
        TextColumn("{task.description:<10}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        Rate(),
        TextColumn("{task.fields[detail]}", style="dim", markup=False),
    )
    with Bars(*columns, console=console(stderr=True), transient=True) as drawn:
        stages = {}

        def tell(stage: str, done: int, total: int | None, detail: str) -> None:
            if stage not in stages:
                stages[stage] = drawn.add_task(stage, total=total, detail="")
            drawn.update(stages[stage], completed=done, total=total, detail=one_line(safe(detail), _DETAIL))

        yield tell


class telling:  # noqa: N801 - used as a function
    """A line on stderr that says what is going on: overwritten on a terminal, one line a step elsewhere."""

    def __enter__(self) -> Callable[[str], None]:
        self._live = sys.stderr.isatty()
        return self._tell

    def __exit__(self, *_: object) -> None:
        if self._live:
            sys.stderr.write("\r\x1b[K")

    def _tell(self, message: str) -> None:
        line = safe(one_line(message, 78))
        if self._live:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
        elif not message.startswith("embedding"):
            sys.stderr.write(line + "\n")
