"""The commands: options to values, values to output. Order and rules are `flow`'s; each command imports its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wrac.cli import options
from wrac.cli.options import Format
from wrac.core.types import BEST, KEEP_MORE

app = typer.Typer(
    name="wrac",
    help="Web pages and documents to retrieval chunks without rewriting a word.",
    epilog="`wrac COMMAND --help` explains a command. Exit codes: 0 done, 2 wrong option, 3 unusable source, "
    "4 unusable workspace, 69 server, 74 disk, 75 busy, 130 interrupted.",
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


@app.command()
def parse(
    source: options.Source,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to print the page.")] = Format.tree,
    main: Annotated[bool, typer.Option("--main", help=f"The main content alone: --min-score {BEST}.")] = False,
    min_score: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            metavar="SCORE",
            help=f"Only units of this content score; {KEEP_MORE} keeps what may be content.",
        ),
    ] = 0.0,
    losses: Annotated[bool, typer.Option("--losses", help="List what is in no unit, and why, instead.")] = False,
    as_json: options.AsJson = False,
    max_size: options.MaxSize = MAX_SIZE,
) -> None:
    """Show the units of one page, and what is in none.

    For each place its kind, text, name, role and visibility; with --json also score, address, marks and trail, in one
    line a place and a last line with spans and losses.
    """
    from wrac.cli import pages

    page, form = options.one(source, max_size), Format.json if as_json else form
    if losses:
        pages.losses(page, as_json=form is Format.json)
    else:
        pages.parse(page, form, max(min_score, BEST if main else 0.0))


@app.command()
def plan(
    source: options.Source,
    why: Annotated[bool, typer.Option("--why", help="For each boundary, what speaks for it and against it.")] = False,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option("--diff", metavar="A B", help="Compare two plans: rules, target=200, a .toml or plan's .json."),
    ] = None,
    as_json: options.AsJson = False,
    policy: options.PolicyFile = None,
    target: options.Target = None,
    max_tokens: options.MaxTokens = None,
    planner: options.Planner = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    price: options.Prices = None,
    max_cost: options.MaxCost = None,
    form: options.AnswerForm = None,
    fallback: options.Fallback = None,
    workspace: Annotated[
        str, typer.Option("--workspace", "-w", metavar="DIR", help="Where a model's answers are kept, if it is there.")
    ] = options.WORKSPACE,
    max_size: options.MaxSize = MAX_SIZE,
) -> None:
    """Show which units of one page belong together, and why.

    What is left out is listed with its reason.
    """
    from wrac.cli import plans

    page = options.one(source, max_size)
    way = plans.Way.of(
        options.policies(policy, target, max_tokens),
        options.planning(
            None, who=planner, model=model, base_url=base_url, price=price, most=max_cost, form=form, fallback=fallback
        ),
    )
    if diff:
        plans.diff(page, way, workspace, diff, as_json=as_json)
    else:
        plans.plan(page, way, workspace, as_json=as_json, reasons=why)


@app.command()
def chunk(
    sources: options.Sources,
    as_json: options.AsJson = False,
    meta: options.Meta = None,
    base: options.Base = "",
    policy: options.PolicyFile = None,
    target: options.Target = None,
    max_tokens: options.MaxTokens = None,
    max_size: options.MaxSize = MAX_SIZE,
) -> None:
    """Print the chunks of pages, for any other store.

    No workspace is needed. A chunk that stands on several pages is printed once.
    JSON is one line a chunk, with every place it stands at.
    """
    from wrac.cli import pages
    from wrac.planning.policies import Policies

    policies = options.policies(policy, target, max_tokens) or Policies()
    pages.chunk(options.many(sources, meta, base, max_size), policies, as_json=as_json)


@app.command()
def index(
    sources: options.Sources,
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
        sources,
        meta=options.pairs("--meta", meta),
        base=base,
        max_size=int(max_size * options.MEGABYTE),
        policies=options.policies(policy, target, max_tokens),
        planning={
            "who": planner, "model": model, "base_url": base_url, "price": price, "most": max_cost,
            "parallel": parallel, "form": form, "fallback": fallback,
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
                "ignore_robots": ignore_robots, "browser": browser, "state": browser_state, "grace": grace,
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
    """Ask every source again: folders, pages and sites, each as it was given.

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
        batch=batch,
        workers=workers,
        wait=wait,
        progress=not no_progress,
        as_json=as_json,
    )  # fmt: skip


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
        typer.Option("--where", metavar="KEY=VALUE", help="Only pages with this metadata; may be repeated."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Answer a query with passages and their source.

    Each has its page, its section and a link to the exact text.
    """
    from wrac.cli import hits

    asked = hits.Asked(
        options.clean(query), k if k or budget else 10, budget, options.pairs("--where", where), rerank, confidence
    )
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


@app.command()
def audit(
    sources: options.Sources,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="NAME", help="A strategy of `wrac eval` to set beside; may be repeated."),
    ] = None,
    as_json: options.AsJson = False,
    target: options.Target = None,
    max_tokens: options.MaxTokens = None,
    max_size: options.MaxSize = MAX_SIZE,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="Draw no progress bar.")] = False,
) -> None:
    """Count what chunks lose, tear apart and add on these pages.

    Held against the DOM, read by another parser than wrac's. JSON has every count and what it is out of.
    """
    from wrac.cli import audit as command

    found = options.many(sources, None, "", max_size)
    command.run(found, against or (), options.policy(target, max_tokens), as_json=as_json, progress=not no_progress)


@app.command("eval")
def evaluate(
    source: Annotated[
        str, typer.Argument(metavar="DATA", help="A data set: a folder, or a JSONL file of {query, page, text}.")
    ] = "",
    site: Annotated[
        list[str] | None,
        typer.Option("--pages", metavar="SRC", help="The pages a JSONL file is about; may be repeated."),
    ] = None,
    form: Annotated[
        str, typer.Option("--form", metavar="NAME", help="RAG-Multi-Corpus: its html or md pages.")
    ] = "html",
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="KEY=VALUE", help="RAG-Multi-Corpus: queries of a company or type."),
    ] = None,
    strategies: Annotated[
        str, typer.Option("--strategies", metavar="NAMES", help="Ways to chunk, commas between; --list names all.")
    ] = "",
    search: Annotated[
        str, typer.Option("--search", metavar="NAMES", help="bm25, dense, default; the same for every row.")
    ] = "",
    baseline: Annotated[
        str, typer.Option("--baseline", metavar="NAME", help="The row that differences are measured to.")
    ] = "sections",
    embedder: Annotated[str, typer.Option("--embedder", metavar="NAME", help="Whose vectors are searched.")] = "minilm",
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="PROVIDER:MODEL", help="At whose prices; may be repeated. Live ways ask the first."
        ),
    ] = None,
    base_url: Annotated[
        str, typer.Option("--base-url", metavar="URL", help="Where the first model is, if not at its provider.")
    ] = "",
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a report with plots.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write all results, to compare.")] = None,
    compare: Annotated[
        tuple[Path, Path] | None, typer.Option("--compare", metavar="OLD NEW", help="Compare two results files.")
    ] = None,
    make: Annotated[
        list[str] | None,
        typer.Option("--make", metavar="SRC", help="Print a data set drafted from a site's own questions."),
    ] = None,
    detail: Annotated[bool, typer.Option("--detail", help="Also by query type, and what was left out.")] = False,
    names: Annotated[bool, typer.Option("--list", help="Print the names of all strategies.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure who chunks best on a data set.

    Every way to chunk is searched in the same way and judged by the gold inside a reading budget. A run that was
    interrupted goes on where it stopped.
    """
    from wrac.cli import evaluate as command

    if names:
        command.strategies()
    elif compare:
        command.compare(*compare, html=html, as_json=as_json)
    elif make:
        command.make(make)
    else:
        wanted = command.Wanted(
            command.names("--strategies", strategies),
            command.names("--search", search),
            baseline,
            embedder,
            tuple(model or ()),
            base_url,
            detail,
        )
        data = command.load(source, site or (), form, options.pairs("--where", where))
        command.evaluate(data, wanted, out=out, html=html, as_json=as_json)
