"""What a server answers from: workspaces by name, each opened once and kept open, and the limits of a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Query, Request

from wrac.core.errors import NotFoundError
from wrac.flow import Workspace


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take: bytes of a body, characters of a query, seconds; and requests a minute of a client."""

    body: int = 2**20
    query: int = 20_000
    seconds: float = 60.0
    rate: int = 1200


@dataclass(frozen=True, slots=True)
class Served:
    """The workspaces of a server by name, at least one; a request that names none means the first."""

    workspaces: Mapping[str, Workspace]
    limits: Limits = Limits()

    def workspace(self, name: str = "") -> Workspace:
        """The workspace of a name. Raises NotFoundError where no such one is served."""
        found = self.workspaces.get(name or next(iter(self.workspaces)))
        if found is None:
            raise NotFoundError(name, "no such workspace is served", f"take one of {', '.join(self.workspaces)}")
        return found


def served(request: Request) -> Served:
    """What the server of a request answers from."""
    return cast("Served", request.app.state.served)


Serving = Annotated[Served, Depends(served)]


def opened(
    serving: Serving, workspace: Annotated[str, Query(description="The workspace's name; the first without.")] = ""
) -> Workspace:
    """The workspace that a request names."""
    return serving.workspace(workspace)


Opened = Annotated[Workspace, Depends(opened)]
