"""The board on the API's application: templates, one style sheet, htmx; every page can be read without a script."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from wrac.api.app import create as create_api
from wrac.api.served import Served
from wrac.board.evaluating import Evaluations
from wrac.board.failures import failure
from wrac.board.routes import evaluation, figures, jobs, labelling, pages, searching, session, statistics

STATIC: Final = Path(__file__).with_name("static")


def create(served: Served) -> FastAPI:
    """The API and the board as one application."""
    app = create_api(served)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for part in (searching, pages, statistics, figures, evaluation, labelling, jobs, session):
        app.include_router(part.router, include_in_schema=False)
    app.state.error_page = failure
    app.state.evaluations = Evaluations()
    return app
