"""Commands that ask a workspace: search, ask, show, status, verify, costs."""

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
    rerank: options.Rerank = False,
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
    where: options.Where = None,
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
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in your own words.")],
    workspace: options.Workspace = options.WORKSPACE,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="PROVIDER:NAME", help="Who answers, such as openai:gpt-4.1. Remembered."),
    ] = None,
    base_url: options.BaseUrl = None,
    price: options.Prices = None,
    window: Annotated[
        int | None, typer.Option("--window", metavar="TOKENS", min=1, help="How much the model reads, if not known.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", metavar="USD", min=0, help="What an answer may cost.")
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", metavar="TOKENS", min=1, help="As many whole passages as fit.")
    ] = 2000,
    k: Annotated[int | None, typer.Option("-k", metavar="N", min=1, help="How many passages at most.")] = None,
    way: Annotated[
        options.Way | None,
        typer.Option("--way", help="What the model is sent; auto: passages, or a document where that is worth it."),
    ] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Send all pages, as a beginning that providers cache; no index is used.")
    ] = False,
    where: options.Where = None,
    rerank: options.Rerank = False,
    as_json: options.AsJson = False,
) -> None:
    """Answer a question, every sentence with its source.

    A model answers from the passages alone; its citations and quotations are checked against what it was sent. What is
    known of a model is remembered, and an answer that was paid for is never asked again. Without a model the best
    passages are shown.
    """
    from wrac.cli import ahead

    ahead.load(workspace)
    from wrac.cli import ask as command

    chosen = command.way(way.value if way is not None else None, whole=whole)
    asked = command.Asked(options.clean(question), k, budget, options.alternatives("--where", where), rerank, chosen)
    told = {"model": model, "base_url": base_url, "price": price, "window": window, "most": max_cost}
    command.ask(workspace, asked, told, as_json=as_json)


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
