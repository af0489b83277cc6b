"""Counts and times of requests as Prometheus reads them (text exposition format 0.0.4).

The values of labels are bounded: routes by their template, never by path, and methods and statuses that there are.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

MEDIA: Final = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of a time's buckets, in seconds."""
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
Labels: TypeAlias = tuple[tuple[str, str], ...]


class Metrics:
    """What was counted since the server began."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[Labels] = Counter()
        self._buckets: dict[Labels, list[int]] = {}
        self._sums: Counter[Labels] = Counter()
        self.running = 0

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        timed = (("method", method if method in _METHODS else "other"), ("route", route))
        with self._lock:
            self._requests[(*timed, ("status", str(status)))] += 1
            buckets = self._buckets.setdefault(timed, [0] * (len(BOUNDS) + 1))
            buckets[next((at for at, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))] += 1
            self._sums[timed] += seconds  # type: ignore[assignment]  # a Counter adds floats as well

    def text(self, gauges: Mapping[str, tuple[str, Iterable[tuple[Labels, float]]]]) -> str:
        """All of it, with gauges of this moment: by name their help and values."""
        with self._lock:
            lines = ["# HELP wrac_requests_total Requests answered.", "# TYPE wrac_requests_total counter"]
            lines += [_line("wrac_requests_total", labels, n) for labels, n in sorted(self._requests.items())]
            name = "wrac_request_seconds"
            lines += [f"# HELP {name} Seconds until a request was answered whole.", f"# TYPE {name} histogram"]
            for labels, buckets in sorted(self._buckets.items()):
                total = 0
                for bound, count in zip((*map(str, BOUNDS), "+Inf"), buckets, strict=True):
                    total += count
                    lines.append(_line(f"{name}_bucket", (*labels, ("le", bound)), total))
                lines += [_line(f"{name}_sum", labels, self._sums[labels]), _line(f"{name}_count", labels, total)]
        running = ("Requests that are being answered.", [((), float(self.running))])
        for gauge, (said, values) in {"wrac_requests_running": running, **gauges}.items():
            lines += [f"# HELP {gauge} {said}", f"# TYPE {gauge} gauge"]
            lines += [_line(gauge, labels, value) for labels, value in values]
        return "\n".join(lines) + "\n"


class Meter:
    """Counts what the application answers."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, started = 500, time.perf_counter()

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.running += 1
        try:
            await self._app(scope, receive, tell)
        finally:
            self._metrics.running -= 1
            self._metrics.observe(scope["method"], _route(scope), status, time.perf_counter() - started)


def _route(scope: Scope) -> str:
    """The template of the route that answered; "none" where there is none, as for what was not let in."""
    route = scope.get("route")
    return str(getattr(route, "path_format", "") or getattr(route, "path", "") or "none")


def _line(name: str, labels: Labels, value: float) -> str:
    said = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{said}}} {value:g}" if said else f"{name} {value:g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
