"""What a server answers from: workspaces by name, opened once and kept open, and what its operator allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, cast

from fastapi import Depends, HTTPException, Query, Request

from wrac.api.tokens import EVERYTHING, Right, covers
from wrac.core.errors import NotFoundError
from wrac.flow import Workspace

READING = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What requests may take.

    `body` in bytes, `query` in characters; `seconds` until one is answered, `answer` until a model's answer is there.
    `rate` is requests a minute of one client, 0 for any number; `threads` are worked on at once, and no more than
    `waiting` are taken in, of which `streams` may follow jobs.
    """

    body: int = 2**20
    query: int = 20_000
    seconds: float = 60.0
    answer: float = 300.0
    rate: int = 0
    threads: int = 8
    waiting: int = 512
    streams: int = 100


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator of a server allows.

    With `auth` a token is asked for. `loopback` is true for a server of this machine alone, which answers to names of
    it alone. `read_only` changes nothing but the event log. Jobs ask `private` addresses, and read files below the
    folders `files`, where they are allowed to.
    """

    auth: bool = False
    read_only: bool = False
    loopback: bool = True
    private: bool = False
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Served:
    """The workspaces of a server by name, at least one; a request that names none means the first.

    `places` are what each was opened with, for processes that open it too; without, its folder.
    """

    workspaces: Mapping[str, Workspace]
    limits: Limits = Limits()
    rules: Rules = Rules()
    places: Mapping[str, str] = field(default_factory=dict)

    def place(self, name: str) -> str:
        """Where the workspace of a name is, with a password that it may have."""
        return self.places.get(name) or str(self.workspaces[name].path)

    def workspace(self, name: str = "") -> Workspace:
        """The workspace of a name. Raises NotFoundError where no such one is served."""
        found = self.workspaces.get(name or next(iter(self.workspaces)))
        if found is None:
            raise NotFoundError(name, "no such workspace is served", "leave the name out for the first")
        return found


@dataclass(frozen=True, slots=True)
class Who:
    """Who asks: a name for counting their requests, and their right in each workspace."""

    client: str
    rights: Mapping[str, Right]

    def may(self, workspace: str, right: Right) -> bool:
        """Whether they have the right in the workspace."""
        have = self.rights.get(workspace)
        return have is not None and covers(have, right)


def served(request: Request) -> Served:
    """What the server of a request answers from."""
    return cast("Served", request.app.state.served)


def asking(request: Request) -> Who:
    """Who asks; where nobody was asked for a token, one with every right."""
    known: Who | None = request.scope.get("wrac.who")
    return known or Who("", dict.fromkeys(served(request).workspaces, EVERYTHING))


def visible(request: Request) -> list[str]:
    """The names of the workspaces that whoever asks may read."""
    who = asking(request)
    return [name for name in served(request).workspaces if who.may(name, "read")]


Serving = Annotated[Served, Depends(served)]
Asking = Annotated[Who, Depends(asking)]
Named = Annotated[str, Query(description="The workspace's name; the first without.", alias="workspace")]


class Permitted:
    """A dependency: the workspace that a request means, for one with a right there.

    `changes` says that the request changes the workspace, which a server that only reads refuses.
    """

    def __init__(self, right: Right, *, changes: bool = False) -> None:
        self._right, self._changes = right, changes

    def __call__(self, request: Request, name: Named = "") -> Workspace:
        return served(request).workspace(self.named(request, name))

    def named(self, request: Request, name: Named = "") -> str:
        """The workspace's name. Raises NotFoundError for one that whoever asks may not read, HTTPException."""
        known = visible(request)
        name = name or next(iter(known), "")
        if name not in known:
            raise NotFoundError(name, "no such workspace is served", f"take one of {', '.join(known)}")
        if not asking(request).may(name, self._right):
            raise HTTPException(403, f"this takes a token of scope {self._right}; see `wrac token create`")
        if self._changes and served(request).rules.read_only:
            raise HTTPException(403, "this server only reads; start it without --read-only")
        return name


_reads = Permitted("read")
CHANGES = Permitted("admin", changes=True)


def opened(request: Request, name: Named = "") -> Workspace:
    """The workspace that a request means, where its method reads and whoever asks may read, or where they may change
    everything.
    """
    return (_reads if request.method in READING else CHANGES)(request, name)


Opened = Annotated[Workspace, Depends(opened)]
"""The workspace of a request. What is no GET takes the scope `admin`: routes that ask for less say so by another."""
Read = Annotated[Workspace, Depends(_reads)]
"""The workspace of a request that reads, whatever its method."""
Asked = Annotated[Workspace, Depends(Permitted("ask"))]
"""The workspace of a request that may spend money on a model's answer."""
Judged = Annotated[Workspace, Depends(Permitted("read", changes=True))]
"""The workspace of a request that keeps what a reader thinks."""
Administered = Annotated[str, Depends(CHANGES.named)]
"""The name of the workspace of a request that changes it."""
