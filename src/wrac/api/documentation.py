"""What the OpenAPI document says of responses: their shape, and problems wherever one may come."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from pydantic import TypeAdapter

from wrac.api.problems import MEDIA
from wrac.api.replies import EVENTS
from wrac.api.shapes import Problem

ANY: Final = (400, 401, 403, 404, 409, 413, 421, 422, 429, 500, 503, 507)
"""Statuses that any route may answer with: see `problems`, `door` and `patience`."""
EVENT: Final = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string", "description": "JSON."}},
    "required": ["event", "data"],
}
"""One event of a stream."""


def documented(
    model: Any,  # noqa: ANN401 - a TypedDict
    *others: int,
    status: int = 200,
    streams: bool = False,
) -> dict[int | str, dict[str, Any]]:
    """What a route answers: one of the model, and problems.

    `others` are statuses beside those that any route may answer with, `streams` says that it also comes as events.
    """
    problem = {"description": "A problem.", "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    answer: dict[str, Any] = {"model": model, "description": "The answer."}
    if streams:
        answer["content"] = {EVENTS: {"schema": EVENT}}
    found: dict[int | str, dict[str, Any]] = {one: problem for one in sorted({*ANY, *others}) if one >= 400}
    if 200 in others:
        found[200] = {**answer, "description": "The same as before."}
    if 304 in others:
        found[304] = {"description": "What the client has is as it was."}
    return {status: answer, **found}


def describe(app: FastAPI) -> None:
    """Put what all routes share into the application's document."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        told = made()
        parts = told.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = TypeAdapter(Problem).json_schema()
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        told["security"] = [{"token": []}, {}]
        return told

    app.openapi = openapi  # type: ignore[method-assign]
