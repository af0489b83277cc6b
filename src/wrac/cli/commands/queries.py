"""Commands that ask a workspace: search, show, status, verify, costs."""

from __future__ import annotations

from typing import Annotated

import typer

from wrac.cli import options
from wrac.cli.root import app


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or some words.")],
    workspace: options.Workspace = options.WORKSPACE,
    k: Annotated[
        int | None, typer.Option("-k", metavar="N", min=1, help="How many passages at most: 10 without --budget.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", metavar="TOKENS", min=1, help="As many whole passages as fit.")
    ] = None,
    context: Annotated[
        bool, typer.Option("--context", help="One text to answer from: by page, in reading order, sources numbered.")
    ] = False,
    rerank: Annotated[
        bool, typer.Option("--rerank", help="Order the first 20 anew, token by token: slower, better at the top.")
    ] = False,
    confidence: Annotated[
        float | None,
        typer.Option(
            "--min-confidence",
            metavar="SHARE",
            min=0,
            max=1,
            help="Leave out what matches less (--context: .25).",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="KEY=VALUE",
            help="Only what has this metadata, or this url (its beginning), kind, role, language, since or until (a"
            " date). Repeated: another key must hold too, another value of one may hold instead.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Answer a query with passages and their source.

    Each has its page, its section and a link to the exact text.
    """
    from wrac.cli import ahead

    ahead.load(workspace)
    from wrac.cli import hits

    asked = hits.Asked(
        options.clean(query), k if k or budget else 10, budget, options.alternatives("--where", where), rerank,
        confidence,
    )  # fmt: skip
    (hits.context if context else hits.search)(workspace, asked, as_json=as_json)


@app.command()
def show(
    chunk_id: Annotated[str, typer.Argument(metavar="CHUNK", help="A chunk's id, or how it begins.")],
    workspace: options.Workspace = options.WORKSPACE,
    as_json: options.AsJson = False,
) -> None:
    """Show one chunk with its units and where they stand.

    Names, addresses in the source, and the link that opens the passage in a browser.
    """
    from wrac.cli import workspaces

    workspaces.show(workspace, options.clean(chunk_id), as_json=as_json)


@app.command()
def status(workspace: options.Workspace = options.WORKSPACE, as_json: options.AsJson = False) -> None:
    """Show what the workspace holds."""
    from wrac.cli import workspaces

    workspaces.status(workspace, as_json=as_json)


@app.command()
def verify(
    workspace: options.Workspace = options.WORKSPACE,
    digest: Annotated[bool, typer.Option("--digest", help="Also print the digest of all content.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Compute every id again from what the workspace holds.

    Leaves with 4 when something is damaged.
    """
    from wrac.cli import workspaces

    workspaces.verify(workspace, digest=digest, as_json=as_json)


@app.command()
def costs(
    workspace: options.Workspace = options.WORKSPACE,
    by: Annotated[options.By, typer.Option("--by", help="What to sum up by.")] = options.By.day,
    since: Annotated[str, typer.Option("--since", metavar="DATE", help="From this day on, such as 2026-11-30.")] = "",
    as_json: options.AsJson = False,
) -> None:
    """Show what language models were paid for.

    Calls, tokens, seconds and USD; 0 USD where a model's price is not known.
    """
    from wrac.cli import costs as command

    command.run(workspace, by.value, since, as_json=as_json)
