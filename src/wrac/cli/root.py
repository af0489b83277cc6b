"""The program: its name, its version, its exit codes. Its commands are in `commands`."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    name="wrac",
    help="Web pages and documents to retrieval chunks without rewriting a word.",
    epilog="`wrac COMMAND --help` explains a command. Exit codes: 0 done, 2 wrong option, 3 unusable source, "
    "4 unusable workspace, 10 advice that moved, 69 server, 74 disk, 75 busy, 130 interrupted.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
MAX_SIZE = 64.0


def _version(wanted: bool) -> None:
    if wanted:
        from wrac import __version__

        typer.echo(f"wrac {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Web pages and documents to retrieval chunks without rewriting a word."""
