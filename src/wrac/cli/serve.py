"""serve: workspaces to a board and an API on this machine, or to those with a token."""

from __future__ import annotations

import ipaddress
import sys
import threading
import webbrowser
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wrac.core.errors import ConfigError, MissingExtraError, WracError
from wrac.flow import Workspace

if TYPE_CHECKING:
    from wrac.api.served import Served

RATE = 1200
"""Requests a minute of one client, where others than the user of this machine may ask."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the command. A `rate` of None is the default: none on loopback, where no token is asked for."""

    places: Sequence[str]
    host: str
    port: int
    read_only: bool = False
    auth: bool = False
    rate: int | None = None
    private: bool = False
    files: Sequence[Path] = ()
    browse: bool = False


def run(wanted: Wanted) -> None:
    """Serve the workspaces until Ctrl-C.

    Raises MissingExtraError without the packages that serve, ConfigError for an address that is taken, or that others
    reach while there is no token.
    """
    try:
        from wrac.api import server
        from wrac.api.served import Limits, Rules, Served
        from wrac.board.app import create
    except ImportError as error:
        raise MissingExtraError("serve", "the board") from error
    loopback = _loopback(wanted.host)
    auth = wanted.auth or not loopback
    rules = Rules(auth, wanted.read_only, loopback, wanted.private, tuple(map(_folder, wanted.files)))
    rate = wanted.rate if wanted.rate is not None else RATE if auth else 0
    with ExitStack() as opened:
        places = _named(wanted.places)
        workspaces = {name: opened.enter_context(Workspace(place, create=False)) for name, place in places.items()}
        served = Served(workspaces, Limits(rate=rate), rules, places)
        if auth:
            _refuse(served, wanted)
        sock = opened.enter_context(server.listen(wanted.host, wanted.port))
        address = f"http://{_shown(wanted.host)}:{sock.getsockname()[1]}"
        server.run(create(served), sock, lambda: _told(served, address, browse=wanted.browse))
    server.leave()


def _told(served: Served, address: str, *, browse: bool) -> None:
    """Says where the server listens, opens a browser there, and has the first workspace ready for its first search."""
    sys.stdout.write(f"{', '.join(served.workspaces)} at {address}  (Ctrl-C ends it)\n")
    sys.stdout.flush()
    if browse:
        webbrowser.open(address)
    threading.Thread(target=_warm, args=(served.workspace(),), name="wrac-warm", daemon=True).start()


def _warm(workspace: Workspace) -> None:
    """Loads what searches embed queries with, or says why they will fail."""
    try:
        _ = workspace.embedder
    except WracError as error:
        sys.stderr.write(f"wrac: {error}\n")


def _refuse(served: Served, wanted: Wanted) -> None:
    """Nothing where a token opens something. Raises ConfigError where none does."""
    from wrac.api.access import Keys

    keys = Keys(served.workspaces)
    keys.refresh()
    if not keys.any():
        why = "--auth asks for a token" if wanted.auth else f"--host {wanted.host} is reached by others"
        place = "" if wanted.places[0] == ".wrac" else f" --workspace {wanted.places[0]}"
        raise ConfigError(f"{why}, and there is no token; run `wrac token create{place}` first")


def _loopback(host: str) -> bool:
    """Whether a host is this machine alone, by its name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _shown(host: str) -> str:
    """The host as an address of this machine has it, where it stands for all of them."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"[{host}]" if ":" in host else host


def _folder(folder: Path) -> Path:
    """The real path of a folder. Raises ConfigError where there is none."""
    if not folder.is_dir():
        raise ConfigError(f"--allow-files {folder} is no folder")
    return folder.resolve()


def _named(places: Sequence[str]) -> dict[str, str]:
    """The places by what their workspaces are called; of equal names the later ones are numbered."""
    found: dict[str, str] = {}
    for place in dict.fromkeys(places):
        name, number = _name(place), 1
        while name in found:
            number += 1
            name = f"{_name(place)}-{number}"
        found[name] = place
    return found


def _name(place: str) -> str:
    """What a workspace is called: its folder, of `.wrac` the folder that is in; in a database, the database."""
    if "://" in place:
        return urlsplit(place).path.strip("/") or "wrac"
    path = Path(place).resolve()
    return path.parent.name if path.name == ".wrac" else path.name
