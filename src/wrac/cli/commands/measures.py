"""Commands that measure: audit, eval."""

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
