"""Questions: search."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wrac import contract
from wrac.api.served import Opened

router = APIRouter(prefix="/v1", tags=["queries"])


@router.get("/search")
def search(
    workspace: Opened, q: Annotated[str, Query(description="A question or some words.")], k: int = 10
) -> contract.Json:
    """The best passages, best first."""
    return {"hits": [contract.hit_row(hit) for hit in workspace.search(q, k=k)]}
