"""mcp: a workspace as a server of the Model Context Protocol."""

from __future__ import annotations

import socket
import sys

from wrac.core.errors import ConfigError, MissingExtraError
from wrac.flow import Workspace

LOOPBACK = "127.0.0.1"


def run(place: str, port: int | None) -> None:
    """Serve on standard input and output, or with a port over HTTP on this machine, until the client leaves.

    Raises MissingExtraError without the package of the protocol, ConfigError for a port that is taken.
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
            _free(port)
            sys.stderr.write(f"tools at http://{LOOPBACK}:{port}/mcp  (Ctrl-C ends it)\n")
            server.run("streamable-http", host=LOOPBACK, port=port)


def _free(port: int) -> None:
    """Nothing where a server can listen. Raises ConfigError where another one does."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does, after one that has ended
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise ConfigError(f"--http {port} is taken; choose another") from error
