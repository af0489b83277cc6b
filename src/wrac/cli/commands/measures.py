"""Commands that measure: audit, eval, advise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wrac.cli import options
from wrac.cli.root import MAX_SIZE, app


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
    route: Annotated[
        bool, typer.Option("--route", help="Measure passages, whole documents and their mixture instead.")
    ] = False,
    answers: Annotated[
        bool, typer.Option("--answers", help="Measure the answers of `wrac ask` instead, by --model or without.")
    ] = False,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, help="How often a model answers all.")] = 3,
    price: options.Prices = None,
    window: Annotated[
        int | None, typer.Option("--window", metavar="TOKENS", min=1, help="How much the model reads, if not known.")
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
        if answers:
            who = command.answerer(wanted, price, window)
            command.answers(data, who, embedder, runs, out=out, as_json=as_json)
            return
        if route:
            command.route(data, embedder, out=out, as_json=as_json, detail=detail)
            return
        command.evaluate(data, wanted, out=out, html=html, as_json=as_json)


@app.command()
def advise(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="SRC", help="Files, folders, URLs; else the workspace is asked.")
    ] = None,
    tokens: Annotated[
        float | None, typer.Option("--tokens", metavar="N", help="Tokens of the corpus; no page is needed then.")
    ] = None,
    queries: Annotated[float | None, typer.Option("--queries", metavar="N", help="Questions a day.")] = None,
    changes: Annotated[
        float | None, typer.Option("--changes-per-week", metavar="N", help="Changes of the corpus a week.")
    ] = None,
    passages: Annotated[
        float | None, typer.Option("--passages", metavar="N", help="Passages an answer is given.")
    ] = None,
    output: Annotated[float | None, typer.Option("--output-tokens", metavar="N", help="Tokens of an answer.")] = None,
    air: Annotated[
        float | None, typer.Option("--air", metavar="SHARE", help="Of the window, what is to stay empty: 0.5.")
    ] = None,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Every answer must name the passages it rests on.")
    ] = False,
    other: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any factor of the table; may be repeated.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="PROVIDER:MODEL", help="In place of the three; may be repeated."),
    ] = None,
    price: Annotated[
        str | None,
        typer.Option("--price", metavar="IN/OUT/CACHED", help="What the model costs: USD per million tokens."),
    ] = None,
    write: Annotated[
        float | None,
        typer.Option("--cache-write", metavar="USD", min=0, help="A million tokens of input put into the cache."),
    ] = None,
    window: Annotated[
        int | None,
        typer.Option("--window", metavar="TOKENS", min=1, help="What the model reads at once, if no list says it."),
    ] = None,
    workspace: options.Workspace = options.WORKSPACE,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a report with plots.")] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Say what moved across a break-even since; leaves with 10 if any did.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Ask the workspace's model both ways, on the last logged questions.")
    ] = False,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", metavar="FILE", help="Compare on these: JSONL of {query, answer or text}."),
    ] = None,
    runs: Annotated[int, typer.Option("--runs", metavar="N", min=1, help="How often both ways are asked.")] = 3,
    most: options.MaxCost = None,
    as_json: options.AsJson = False,
    no_progress: options.NoProgress = False,
) -> None:
    """Tell whether a corpus belongs in the window or an index.

    What a question and a month cost by both, cached or not, and where they break even. Every number that it follows
    from is measured in the workspace, given, or a default that is shown. The advice is kept, for --watch.
    """
    from wrac.cli import advise as command

    numbers = command.given(
        other, corpus_tokens=tokens, queries_per_day=queries, changes_per_week=changes, passages=passages,
        output_tokens=output, air=air, provenance=1.0 if provenance else None,
    )  # fmt: skip
    quality = command.Quality(questions, runs, most) if compare or questions else None
    command.run(
        command.Wanted(
            tuple(sources or ()), workspace, command.asked(numbers, model, price, write, window or 0), html, watch,
            as_json, not no_progress, quality,
        )
    )  # fmt: skip
