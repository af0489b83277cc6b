"""The application: workspaces to an HTTP API under /v1, documented as OpenAPI."""

from __future__ import annotations

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI

import wrac
from wrac.api import problems
from wrac.api.access import Keys
from wrac.api.documentation import describe
from wrac.api.door import Door
from wrac.api.headers import Headers
from wrac.api.jobs import Jobs
from wrac.api.metrics import Meter, Metrics
from wrac.api.patience import Patience
from wrac.api.replies import Bell
from wrac.api.routes import jobs, operations, pages, queries
from wrac.api.served import Served
from wrac.telemetry.http import Watched


def create(served: Served) -> FastAPI:
    """The application that answers from what is served; whoever made that closes it.

    `app.state` holds `served`, `keys` (tokens and sessions), `metrics`, `jobs`, the `bell` that wakes
    streams and the threads for `answering`; an `error_page` put there shows people what went wrong.
    """
    app = FastAPI(
        title="wrac", version=wrac.__version__, openapi_url="/v1/openapi.json", docs_url=None, redoc_url=None,
        lifespan=_lifespan,
    )  # fmt: skip
    app.state.served, app.state.bell = served, Bell()
    app.state.jobs = Jobs(served, app.state.bell)
    app.state.answering = ThreadPoolExecutor(served.limits.threads, "wrac-answer")
    app.state.keys, app.state.metrics = Keys(served.workspaces), Metrics()
    problems.install(app)
    describe(app)
    parts = (queries, pages, jobs, operations)
    for part in parts:
        app.include_router(part.router)
    app.state.routes = [route for part in parts for route in part.router.routes]
    # The last one added is the first one asked.
    app.add_middleware(Door, served=served, keys=app.state.keys)
    app.add_middleware(Patience, limits=served.limits)
    app.add_middleware(Meter, metrics=app.state.metrics)
    app.add_middleware(Headers)
    app.add_middleware(Watched)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    served: Served = app.state.served
    anyio.to_thread.current_default_thread_limiter().total_tokens = served.limits.threads
    yield
    app.state.bell.end()
    await anyio.to_thread.run_sync(app.state.jobs.close)
    app.state.answering.shutdown(wait=False, cancel_futures=True)
