"""Commands that read pages and keep nothing: parse, plan, chunk."""

from __future__ import annotations

from typing import Annotated

import typer

from wrac.cli import options
from wrac.cli.options import Format
from wrac.cli.root import MAX_SIZE, app
from wrac.core.types import BEST, KEEP_MORE


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
