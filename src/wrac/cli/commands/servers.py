"""Commands that go on until they are ended: serve, mcp."""

from __future__ import annotations

from typing import Annotated

import typer

from wrac.cli import options
from wrac.cli.root import app


@app.command()
def serve(
    workspace: Annotated[
        list[str] | None, typer.Option("--workspace", "-w", metavar="PLACE", help="A workspace; may be repeated.")
    ] = None,
    host: Annotated[str, typer.Option("--host", metavar="NAME", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any free one.")] = 8765,
) -> None:
    """Open the board and the HTTP API.

    Chunks over their page, searches, hit statistics and evaluation, in a browser.
    """
    from wrac.cli import serve as command

    command.run(workspace or [".wrac"], host, port)


@app.command()
def mcp(
    workspace: options.Workspace = options.WORKSPACE,
    http: Annotated[
        int | None,
        typer.Option("--http", metavar="PORT", min=1, max=65535, help="Over HTTP on 127.0.0.1, at /mcp, not by pipes."),
    ] = None,
) -> None:
    """Serve the workspace to a language model's client, by the Model Context Protocol.

    Tools search, read_chunk, read_page_section, list_pages, ask and feedback; pages and chunks as resources.
    """
    from wrac.cli import mcp as command

    command.run(workspace, http)
