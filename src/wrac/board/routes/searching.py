"""Search: a query and its hits."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from wrac.api.served import Opened
from wrac.board.views import page

router = APIRouter()


@router.get("/")
def search(request: Request, workspace: Opened, q: str = "") -> HTMLResponse:
    """The search page, with the hits of a query where there is one."""
    return page(request, "search.html", query=q, hits=workspace.search(q) if q.strip() else [])
