"""The application: workspaces to an HTTP API under /v1, documented as OpenAPI."""

from __future__ import annotations

from fastapi import FastAPI

import wrac
from wrac.api import problems
from wrac.api.routes import queries
from wrac.api.served import Served


def create(served: Served) -> FastAPI:
    """The application that answers from what is served; whoever made that closes it."""
    app = FastAPI(title="wrac", version=wrac.__version__, openapi_url="/v1/openapi.json", docs_url=None, redoc_url=None)
    app.state.served = served
    problems.install(app)
    app.include_router(queries.router, prefix="/v1")
    return app
