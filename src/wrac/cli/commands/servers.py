"""Commands for those who ask from outside: serve, token, mcp."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wrac.cli import options
from wrac.cli.root import app


class Scope(StrEnum):
    """What a token is for; each has what those before it have."""

    read = "read"
    ask = "ask"
    admin = "admin"


@app.command()
def serve(
    workspace: Annotated[
        list[str] | None, typer.Option("--workspace", "-w", metavar="PLACE", help="A workspace; may be repeated.")
    ] = None,
    host: Annotated[str, typer.Option("--host", metavar="NAME", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any free one.")] = 8765,
    auth: Annotated[bool, typer.Option("--auth", help="Ask for a token here too, not of others alone.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="No jobs, no feedback, no changes.")] = False,
    rate: Annotated[
        int | None,
        typer.Option(
            "--rate", metavar="N", min=0, help="Requests a minute of one client; 0: any number. 1200 with tokens."
        ),
    ] = None,
    allow_files: Annotated[
        list[Path] | None,
        typer.Option("--allow-files", metavar="FOLDER", help="Jobs may index what is below; may be repeated."),
    ] = None,
    private: options.Private = False,
    browse: Annotated[bool, typer.Option("--open", help="Open the board in a browser.")] = False,
) -> None:
    """Open the board and the HTTP API.

    Chunks over their page, searches, hit statistics and evaluation, in a browser. On 127.0.0.1 nobody is asked for a
    token; on any other address everybody is, see `wrac token`.
    """
    from wrac.cli import serve as command

    command.run(
        command.Wanted(
            workspace or [options.WORKSPACE], host, port, read_only, auth, rate, private, allow_files or (), browse
        )
    )


token = typer.Typer(
    name="token", help="Say who may ask the workspace over HTTP.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(token)


@token.command("create")
def create_token(
    workspace: options.Workspace = options.WORKSPACE,
    scope: Annotated[
        Scope, typer.Option("--scope", help="read: search, read, judge; ask: also models; admin: all.")
    ] = Scope.read,
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="Whose it is, for `wrac token list`.")] = "",
    expires: Annotated[float, typer.Option("--expires", metavar="DAYS", min=0, help="0: never.")] = 0.0,
    as_json: options.AsJson = False,
) -> None:
    """Make a token and print it, once: only its digest is kept."""
    from wrac.cli import tokens

    tokens.create(workspace, scope.value, options.clean(name), expires, as_json=as_json)


@token.command("list")
def list_tokens(workspace: options.Workspace = options.WORKSPACE, as_json: options.AsJson = False) -> None:
    """List the tokens there are, by what is known of them."""
    from wrac.cli import tokens

    tokens.listed(workspace, as_json=as_json)


@token.command("revoke")
def revoke_token(
    identity: Annotated[str, typer.Argument(metavar="ID", help="As `wrac token list` names it.")],
    workspace: options.Workspace = options.WORKSPACE,
    as_json: options.AsJson = False,
) -> None:
    """Take a token back; within two seconds it opens nothing."""
    from wrac.cli import tokens

    tokens.revoke(workspace, options.clean(identity), as_json=as_json)


@app.command()
def mcp(
    workspace: options.Workspace = options.WORKSPACE,
    http: Annotated[
        int | None,
        typer.Option("--http", metavar="PORT", min=1, max=65535, help="Over HTTP on 127.0.0.1, at /mcp, not by pipes."),
    ] = None,
) -> None:
    """Serve the workspace to an assistant or editor, by MCP.

    By the Model Context Protocol a client has the tools search, read_chunk, read_page_section, list_pages, ask and
    feedback, and pages and chunks as resources.
    """
    from wrac.cli import mcp as command

    command.run(workspace, http)
