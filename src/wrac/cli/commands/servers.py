"""Commands that go on until they are ended: serve."""

from __future__ import annotations

from typing import Annotated

import typer

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
