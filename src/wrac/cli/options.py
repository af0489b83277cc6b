"""The options that several commands share, and what they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from wrac.core.errors import ConfigError, InputError
from wrac.core.types import Page, Policy
from wrac.fetching import READABLE, Skip, pages

DEFAULTS = Policy()
WORKSPACE = Path(".wrac")
MEGABYTE = 2**20


class Format(StrEnum):
    """How a parsed page is printed."""

    tree = "tree"
    json = "json"
    markdown = "markdown"
    html = "html"
    text = "text"


Source = Annotated[str, typer.Argument(metavar="SRC", help="A file, a URL, or - for standard input.")]
Sources = Annotated[list[str], typer.Argument(metavar="SRC", help="Files, folders, URLs, or - for standard input.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Workspace = Annotated[Path, typer.Option("--workspace", "-w", metavar="DIR", help="The folder to keep everything in.")]
Meta = Annotated[
    list[str] | None, typer.Option("--meta", metavar="KEY=VALUE", help="Metadata for every page; may be repeated.")
]
Base = Annotated[
    str,
    typer.Option(
        "--base", metavar="URL", help="Where the folder is published (for -: the page's URL): hits link there."
    ),
]
MaxSize = Annotated[
    float, typer.Option("--max-size", metavar="MB", min=0.001, max=1e6, help="Skip pages larger than this.")
]
Target = Annotated[int, typer.Option("--target", metavar="TOKENS", min=1, help="The size a chunk should have.")]
MaxTokens = Annotated[int, typer.Option("--max-tokens", metavar="TOKENS", min=1, help="The size no chunk exceeds.")]


def pairs(option: str, values: Sequence[str] | None) -> dict[str, str]:
    """`key=value` texts as a mapping. Raises ConfigError for one without a key or an equals sign."""
    found = {}
    for value in values or ():
        key, equals, text = value.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"{option} {value}: write it as key=value")
        found[clean(key.strip())] = clean(text)
    return found


def clean(text: str) -> str:
    """The text without the lone surrogates that stand for argument bytes which are no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def policy(target: int, maximum: int) -> Policy:
    """The policy of two sizes. Raises ConfigError when the target is above the maximum."""
    if target > maximum:
        raise ConfigError(f"--target {target} is above --max-tokens {maximum}; lower one or raise the other")
    return Policy(target=target, maximum=maximum)


def one(source: str, max_size: float) -> Page:
    """The page at a source. Raises InputError when it is none, or when there are several."""
    if Path(source).is_dir():
        raise InputError(source, "is a folder", "give one page; `wrac chunk` and `wrac index` read folders")
    (found,) = pages([source], max_size=int(max_size * MEGABYTE))
    if isinstance(found, Skip):
        raise InputError(source, found.reason, f"give {READABLE}")
    return found


def many(sources: Sequence[str], meta: Sequence[str] | None, base: str, max_size: float) -> Iterator[Page | Skip]:
    """Pages and skips of several sources."""
    return pages(sources, meta=pairs("--meta", meta), base=base, max_size=int(max_size * MEGABYTE))
