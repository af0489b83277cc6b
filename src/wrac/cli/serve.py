"""serve: workspaces to a board and an API on this machine."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from wrac.core.errors import MissingExtraError
from wrac.flow import Workspace


def run(places: list[str], host: str, port: int) -> None:
    """Serve the workspaces until Ctrl-C. Raises MissingExtraError without the packages that serve."""
    try:
        import uvicorn

        from wrac.api.served import Served
        from wrac.board.app import create
    except ImportError as error:
        raise MissingExtraError("serve", "the board") from error
    with ExitStack() as open_ones:
        opened = {_name(place): open_ones.enter_context(Workspace(place, create=False)) for place in places}
        uvicorn.run(create(Served(opened)), host=host, port=port, log_level="warning")


def _name(place: str) -> str:
    """What a workspace is called: its folder's name, of `.wrac` that of the folder it is in."""
    path = Path(place).resolve()
    return path.parent.name if path.name == ".wrac" else path.name
