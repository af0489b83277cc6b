"""mcp: a workspace as a server of the Model Context Protocol."""

from __future__ import annotations

from wrac.core.errors import MissingExtraError
from wrac.flow import Workspace

LOOPBACK = "127.0.0.1"


def run(place: str, port: int | None) -> None:
    """Serve on standard input and output, or with a port over HTTP on this machine, until the client leaves.

    Raises MissingExtraError without the package of the protocol.
    """
    try:
        from wrac.mcp.server import create
    except ImportError as error:
        raise MissingExtraError("mcp", "the MCP server") from error
    with Workspace(place, create=False) as workspace:
        server = create(workspace)
        if port is None:
            server.run()
        else:
            server.run("streamable-http", host=LOOPBACK, port=port)
