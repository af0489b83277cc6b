"""Spans of what wrac does for an OpenTelemetry collector: off, and nothing loaded, until an endpoint is named.

`OTEL_EXPORTER_OTLP_ENDPOINT` (or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`) names it, OTLP over HTTP; the other variables of
OpenTelemetry hold too. Texts of queries, passages and answers are sent only where `WRAC_TELEMETRY_CONTENT` is 1.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Literal, Protocol, TypeAlias

Value: TypeAlias = str | bool | int | float | list[str]
Kind: TypeAlias = Literal["internal", "server", "client"]
ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
CONTENT: Final = "WRAC_TELEMETRY_CONTENT"


class Told(Protocol):
    """A span that is open."""

    def set(self, attributes: Mapping[str, Value]) -> None:
        """Say more of it."""
        ...

    def name(self, name: str) -> None:
        """Give it another name, which is known by now."""
        ...

    def fail(self, kind: str, message: str = "") -> None:
        """It went wrong, in a way of that kind."""
        ...


class Untold:
    """A span that nobody collects."""

    def set(self, attributes: Mapping[str, Value]) -> None:
        pass

    def name(self, name: str) -> None:
        pass

    def fail(self, kind: str, message: str = "") -> None:
        pass


UNTOLD: Final = Untold()


def on() -> bool:
    """Whether spans are collected."""
    return any(map(os.environ.get, ENDPOINTS)) and os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true"


def content() -> bool:
    """Whether texts are sent too."""
    return os.environ.get(CONTENT, "") == "1"


def span(
    name: str, attributes: Mapping[str, Value], kind: Kind = "internal", carried: Mapping[str, str] | None = None
) -> AbstractContextManager[Told]:
    """A span around a block, inside that of the block around it, or of the headers it was `carried` here by.

    An error that leaves the block is told by its class. Raises MissingExtraError where spans are collected and the
    packages are not installed, ConfigError for a protocol other than OTLP over HTTP.
    """
    if not on():
        return nullcontext(UNTOLD)
    from wrac.telemetry.tracing import opened

    return opened(name, attributes, kind, carried)
