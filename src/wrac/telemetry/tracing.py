"""OpenTelemetry's SDK, set up by its own environment variables when the first span is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

from wrac import __version__
from wrac.core.errors import ConfigError, MissingExtraError
from wrac.telemetry import Kind, Told, Value
from wrac.telemetry.names import ERROR

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
SPOKEN: Final = "http/protobuf"
TIMEOUTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
PATIENCE: Final = 2.0
"""Seconds for sending spans where no variable says others: a command waits for them before it ends."""


class _Told:
    """A span of the SDK."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def set(self, attributes: Mapping[str, Value]) -> None:
        self._span.set_attributes(dict(attributes))

    def name(self, name: str) -> None:
        self._span.update_name(name)

    def fail(self, kind: str, message: str = "") -> None:
        from opentelemetry.trace import Status, StatusCode

        self._span.set_attribute(ERROR, kind)
        self._span.set_status(Status(StatusCode.ERROR, message or None))


@contextmanager
def opened(name: str, attributes: Mapping[str, Value], kind: Kind, carried: Mapping[str, str] | None) -> Iterator[Told]:
    """The span, open until the block ends."""
    tracer = provider().get_tracer("wrac", __version__)
    from opentelemetry import propagate
    from opentelemetry.trace import SpanKind

    found = tracer.start_as_current_span(
        name,
        propagate.extract(carried) if carried is not None else None,
        SpanKind[kind.upper()],
        dict(attributes),
        record_exception=False,  # its message may hold a text
        set_status_on_exception=False,
    )
    with found as span:
        told = _Told(span)
        try:
            yield told
        except Exception as error:
            told.fail(type(error).__name__)
            raise


@cache
def provider() -> TracerProvider:
    """What collects the spans of this process and sends them in the background; the rest when the process ends.

    Raises MissingExtraError without the SDK, ConfigError for a protocol that is not spoken.
    """
    wanted = next(filter(None, map(os.environ.get, PROTOCOLS)), SPOKEN)
    if wanted != SPOKEN:
        raise ConfigError(f"{PROTOCOLS[1]}={wanted}: wrac speaks {SPOKEN} alone; name such an endpoint")
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise MissingExtraError("telemetry", "sending spans to a collector") from error
    ours = Resource.create({SERVICE_NAME: "wrac", SERVICE_VERSION: __version__})
    made = TracerProvider(resource=ours.merge(OTELResourceDetector().detect()))
    timeout = None if any(map(os.environ.get, TIMEOUTS)) else PATIENCE
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=timeout)))
    return made
