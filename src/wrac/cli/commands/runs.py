"""Commands that bring a workspace up to date: index, refresh, replan, reindex, forget, gc, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wrac.cli import options
from wrac.cli.root import MAX_SIZE, app


@app.command()
def index(
    sources: options.Indexed,
    workspace: options.Workspace = options.WORKSPACE,
    as_json: options.AsJson = False,
    meta: options.Meta = None,
    base: options.Base = "",
    policy: options.PolicyFile = None,
    target: options.Target = None,
    max_tokens: options.MaxTokens = None,
    planner: options.Planner = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    price: options.Prices = None,
    max_cost: options.MaxCost = None,
    parallel: options.Parallel = None,
    form: options.AnswerForm = None,
    fallback: options.Fallback = None,
    labels: options.Labels = None,
    label_model: options.LabelModel = None,
    label_base_url: options.LabelBaseUrl = None,
    label_price: options.LabelPrice = None,
    label_max_cost: options.LabelMaxCost = None,
    max_size: options.MaxSize = MAX_SIZE,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", metavar="SECONDS", min=0.1, help="Skip pages that take longer to parse.")
    ] = 120.0,
    workers: options.Workers = None,
    wait: options.Wait = 60.0,
    embedder: options.Embedder = "",
    store: Annotated[
        str, typer.Option("--store", metavar="URL", help=f"Search in a store outside: {options.STORES}. Remembered.")
    ] = "",
    site: options.Crawled = False,
    include: options.Include = None,
    exclude: options.Exclude = None,
    depth: options.Depth = None,
    max_pages: options.MaxPages = None,
    at_once: options.AtOnce = None,
    pause: options.Pause = None,
    private: options.Private = False,
    ignore_robots: options.NoRobots = False,
    browser: options.ShownBy = None,
    browser_state: options.BrowserState = None,
    login: options.Login = None,
    grace: options.Grace = None,
    header: options.Header = None,
    no_progress: options.NoProgress = False,
) -> None:
    """Parse, plan, embed and index pages into the workspace.

    Run it again after changes: only what is new is embedded. How pages are planned is remembered for the next run, and
    how a site is crawled for `wrac refresh`. A crawl that was stopped goes on.
    """
    from wrac.cli import sites, workspaces

    workspaces.index(
        workspace,
        sites.listed(sources),
        meta=options.pairs("--meta", meta),
        base=base,
        max_size=int(max_size * options.MEGABYTE),
        policies=options.policies(policy, target, max_tokens),
        planning={
            "who": planner, "model": model, "base_url": base_url, "price": price, "most": max_cost,
            "parallel": parallel, "form": form, "fallback": fallback,
        },
        labelling={
            "by": labels, "model": label_model, "base_url": label_base_url, "price": label_price,
            "most": label_max_cost,
        },
        workers=workers,
        wait=wait,
        max_seconds=max_seconds,
        embedder=embedder,
        store=store,
        site=sites.site(
            {
                "site": site, "include": tuple(include or ()), "exclude": tuple(exclude or ()), "depth": depth,
                "pages": max_pages, "parallel": at_once, "pause": pause, "private": private,
                "ignore_robots": ignore_robots, "browser": browser, "state": browser_state, "login": login,
                "grace": grace,
                "meta": options.pairs("--meta", meta) if site else None,
            },
            header,
        ),
        progress=not no_progress,
        as_json=as_json,
    )  # fmt: skip


@app.command()
def refresh(
    workspace: options.Workspace = options.WORKSPACE,
    as_json: options.AsJson = False,
    due: Annotated[
        bool, typer.Option("--due", help="Only pages that, by how often they changed so far, may have changed.")
    ] = False,
    since: Annotated[
        str, typer.Option("--since", metavar="MOMENT", help="Only pages not asked for since a date, or 12h, 3d ago.")
    ] = "",
    header: options.Header = None,
    workers: options.Workers = None,
    wait: options.Wait = 60.0,
    no_progress: options.NoProgress = False,
) -> None:
    """Ask every source again: folders, pages and sites.

    A page of a site that did not change costs one short question. A page that is missing goes the second time.
    """
    from wrac.cli import sites

    sites.refresh(
        workspace,
        due=due,
        since=since,
        header=header,
        workers=workers,
        wait=wait,
        progress=not no_progress,
        as_json=as_json,
    )


@app.command()
def replan(
    workspace: options.Workspace = options.WORKSPACE,
    as_json: options.AsJson = False,
    policy: options.PolicyFile = None,
    target: options.Target = None,
    max_tokens: options.MaxTokens = None,
    planner: options.Planner = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    price: options.Prices = None,
    max_cost: options.MaxCost = None,
    parallel: options.Parallel = None,
    form: options.AnswerForm = None,
    fallback: options.Fallback = None,
    labels: options.Labels = None,
    label_model: options.LabelModel = None,
    label_base_url: options.LabelBaseUrl = None,
    label_price: options.LabelPrice = None,
    label_max_cost: options.LabelMaxCost = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Ask in the provider's batches: half the price, within a day.")
    ] = False,
    workers: options.Workers = None,
    wait: options.Wait = 60.0,
    no_progress: options.NoProgress = False,
) -> None:
    """Plan the workspace anew, by other sizes or another planner.

    Nothing is fetched or parsed, and only chunks that are new are embedded. A batch goes on when this command is
    stopped; run it again to collect the answers.
    """
    from wrac.cli import workspaces

    workspaces.replan(
        workspace,
        policies=options.policies(policy, target, max_tokens),
        planning={
            "who": planner, "model": model, "base_url": base_url, "price": price, "most": max_cost,
            "parallel": parallel, "form": form, "fallback": fallback,
        },
        labelling={
            "by": labels, "model": label_model, "base_url": label_base_url, "price": label_price,
            "most": label_max_cost,
        },
        batch=batch,
        workers=workers,
        wait=wait,
        progress=not no_progress,
        as_json=as_json,
    )  # fmt: skip


@app.command()
def reindex(
    workspace: options.Workspace = options.WORKSPACE,
    to: Annotated[
        str,
        typer.Option("--to", metavar="URL", help=f"Move the index to {options.STORES}, or to workspace: inside."),
    ] = "",
    embedder: options.Embedder = "",
    as_json: options.AsJson = False,
    wait: options.Wait = 60.0,
    no_progress: options.NoProgress = False,
) -> None:
    """Make the index anew from the catalog, where it is or elsewhere.

    Nothing is fetched, parsed or planned, nor embedded but with --embedder: then all is, by another model. Searches go
    on in the old index until the new one is filled.
    Stores: LanceDB and PostgreSQL were run against the real thing, Qdrant against its engine; OpenSearch and Weaviate
    were not run against a server.
    """
    from wrac.cli import workspaces

    workspaces.reindex(workspace, to, embedder=embedder, wait=wait, progress=not no_progress, as_json=as_json)


@app.command()
def forget(
    url: Annotated[str, typer.Argument(metavar="URL", help="A page's URL as `wrac search` names it; * for many.")],
    workspace: options.Workspace = options.WORKSPACE,
    as_json: options.AsJson = False,
    wait: options.Wait = 60.0,
) -> None:
    """Erase a page: text, chunks, vectors, index, visits, events.

    What other pages say too stays with them. The next run over its site or folder finds it again unless excluded.
    """
    from wrac.cli import sites

    sites.forget(workspace, options.clean(url), wait=wait, as_json=as_json)


@app.command()
def gc(
    workspace: options.Workspace = options.WORKSPACE,
    events: Annotated[
        str, typer.Option("--events", metavar="MOMENT", help="Also drop events of months before a date, or 90d ago.")
    ] = "",
    as_json: options.AsJson = False,
    wait: options.Wait = 60.0,
) -> None:
    """Drop what nothing refers to any more, and give its room back."""
    from wrac.cli import sites

    sites.gc(workspace, events=events, wait=wait, as_json=as_json)


@app.command()
def export(
    warc: Annotated[Path, typer.Option("--warc", metavar="FILE", help="The file to write, .warc.gz.")],
    workspace: options.Workspace = options.WORKSPACE,
    as_json: options.AsJson = False,
) -> None:
    """Write the pages as they were fetched to a WARC file.

    `wrac index FILE` makes the same ids of them again, without a network.
    """
    from wrac.cli import sites

    sites.export(workspace, warc, as_json=as_json)
