"""The options that several commands share, and what they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wrac.core.errors import ConfigError, InputError
from wrac.core.types import Page, Policy
from wrac.fetching import READABLE, Skip, pages

if TYPE_CHECKING:
    from wrac.flow.labellers import Labelling
    from wrac.flow.planners import Planning
    from wrac.planning.policies import Policies

DEFAULTS = Policy()
WORKSPACE = ".wrac"
STORES = "lancedb://, postgresql://, qdrant://, opensearch:// or weaviate://"
POLICY_FILE = Path("wrac.toml")
MEGABYTE = 2**20


class Format(StrEnum):
    """How a parsed page is printed."""

    tree = "tree"
    json = "json"
    markdown = "markdown"
    html = "html"
    text = "text"


class Who(StrEnum):
    """Who plans."""

    rules = "rules"
    llm = "llm"
    cascade = "cascade"


class Labeller(StrEnum):
    """Who labels."""

    rules = "rules"
    llm = "llm"
    none = "none"


class Written(StrEnum):
    """How a model writes its answer."""

    ranges = "ranges"
    starts = "starts"


class Way(StrEnum):
    """What an answer is made from."""

    auto = "auto"
    passages = "passages"
    document = "document"
    corpus = "corpus"


class By(StrEnum):
    """What costs are summed up by."""

    day = "day"
    site = "site"
    model = "model"
    purpose = "purpose"


Source = Annotated[str, typer.Argument(metavar="SRC", help="A file, a URL, or - for standard input.")]
Sources = Annotated[list[str], typer.Argument(metavar="SRC", help="Files, folders, URLs, or - for standard input.")]
Indexed = Annotated[
    list[str], typer.Argument(metavar="SRC", help="Files, folders, URLs, @FILE of these, one a line, or - for stdin.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Workspace = Annotated[
    str,
    typer.Option("--workspace", "-w", metavar="DIR", help="The folder or postgresql:// URL to keep all in."),
]
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
Target = Annotated[
    int | None,
    typer.Option(
        "--target", metavar="TOKENS", min=1, help=f"The size a chunk should have; {DEFAULTS.target} by default."
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens", metavar="TOKENS", min=1, help=f"The size no chunk exceeds; {DEFAULTS.maximum} by default."
    ),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FILE", help="Sizes by site and page type, in TOML; else ./wrac.toml is read."),
]
Planner = Annotated[
    Who | None, typer.Option("--planner", help="Who plans; cascade asks the model where rules are unsure.")
]
Model = Annotated[
    str | None, typer.Option("--model", metavar="PROVIDER:NAME", help="The language model, such as openai:gpt-4.1.")
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url", metavar="URL", help="Where the model is, if not at its provider; its key is in WRAC_API_KEY."
    ),
]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", metavar="USD", min=0, help="Ask no more when this is spent.")
]
Prices = Annotated[
    str | None, typer.Option("--price", metavar="IN/OUT", help="What the model costs: USD per million tokens.")
]
AnswerForm = Annotated[
    Written | None, typer.Option("--form", help="What the model answers: groups, or where each begins.")
]
Parallel = Annotated[
    int | None, typer.Option("--parallel", metavar="N", min=1, help="Questions to the model at once: 4 if not given.")
]
Fallback = Annotated[
    bool | None,
    typer.Option("--fallback/--no-fallback", help="Plan by rules what the model does not answer, or stop."),
]
Labels = Annotated[
    Labeller | None, typer.Option("--labels", help="Who says what passages are about: rules, a model, or nobody.")
]
LabelModel = Annotated[
    str | None,
    typer.Option("--label-model", metavar="PROVIDER:NAME", help="The model that labels, if not the planner's."),
]
LabelBaseUrl = Annotated[
    str | None, typer.Option("--label-base-url", metavar="URL", help="Where it is, as --base-url.")
]
LabelPrice = Annotated[str | None, typer.Option("--label-price", metavar="IN/OUT", help="What it costs, as --price.")]
LabelMaxCost = Annotated[
    float | None, typer.Option("--label-max-cost", metavar="USD", min=0, help="Label by rules when this is spent.")
]
Workers = Annotated[int | None, typer.Option("--workers", metavar="N", min=1, help="Processes that parse.")]
Wait = Annotated[float, typer.Option("--wait", metavar="SECONDS", min=0, help="How long to wait for another writer.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="Draw no progress bar.")]


Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="KEY=VALUE",
        help="Only what has this metadata, or this url (its beginning), kind, role, language, since or until (a"
        " date). Repeated: another key must hold too, another value of one may hold instead.",
    ),
]
Rerank = Annotated[
    bool, typer.Option("--rerank", help="Order the first 20 anew, token by token: slower, better at the top.")
]
Crawled = Annotated[bool, typer.Option("--site", help="Crawl the site behind a URL: its folder and what is below.")]
Include = Annotated[
    list[str] | None, typer.Option("--include", metavar="GLOB", help="Of a site only such paths; may be repeated.")
]
Exclude = Annotated[
    list[str] | None, typer.Option("--exclude", metavar="GLOB", help="Of a site no such paths; may be repeated.")
]
Depth = Annotated[int | None, typer.Option("--depth", metavar="N", min=0, help="Links from a site's start at most.")]
MaxPages = Annotated[int | None, typer.Option("--max-pages", metavar="N", min=1, help="Pages of a site at most.")]
AtOnce = Annotated[int | None, typer.Option("--at-once", metavar="N", min=1, max=64, help="Questions to a site: 4.")]
Pause = Annotated[float | None, typer.Option("--pause", metavar="SECONDS", min=0, help="Between questions to a site.")]
Private = Annotated[bool, typer.Option("--allow-private", help="Also ask addresses of this machine and its network.")]
NoRobots = Annotated[bool, typer.Option("--ignore-robots", help="Ask for what a site's robots.txt excludes too.")]
ShownBy = Annotated[
    str | None,
    typer.Option("--browser", metavar="WHEN", help="Show a site's pages in Chromium: auto (made by scripts), always."),
]
BrowserState = Annotated[
    str | None, typer.Option("--browser-state", metavar="FILE", help="A login: Playwright's storage state.")
]
Login = Annotated[
    str | None, typer.Option("--login", metavar="FILE", help="A login: a script with `async def login(page)`.")
]
Embedder = Annotated[
    str,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="minilm (English), e5 (a hundred languages), openai:MODEL[@URL], sentence-transformers:MODEL or a folder."
        " Remembered.",
    ),
]
Header = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="'NAME: VALUE'", help="Sent to the site's own host; never stored."),
]
Grace = Annotated[
    int | None, typer.Option("--grace", metavar="N", min=1, help="Crawls that a page may be missing: 2, then it goes.")
]


def pairs(option: str, values: Sequence[str] | None) -> dict[str, str]:
    """`key=value` texts as a mapping. Raises ConfigError as `alternatives` does, and for a key that is given twice."""
    found = alternatives(option, values)
    if twice := next((key for key, texts in found.items() if len(texts) > 1), None):
        raise ConfigError(f"{option} {twice}: given {len(found[twice])} times; give it once")
    return {key: text for key, (text,) in found.items()}


def alternatives(option: str, values: Sequence[str] | None) -> dict[str, list[str]]:
    """`key=value` texts as all values of each key. Raises ConfigError for one without a key or an equals sign."""
    found: dict[str, list[str]] = {}
    for value in values or ():
        key, equals, text = value.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"{option} {value}: write it as key=value")
        found.setdefault(clean(key.strip()), []).append(clean(text))
    return found


def clean(text: str) -> str:
    """The text without the lone surrogates that stand for argument bytes which are no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


def policy(target: int | None, maximum: int | None) -> Policy:
    """The policy of two sizes. Raises ConfigError when the target is above the maximum."""
    sizes = Policy(target=target or DEFAULTS.target, maximum=maximum or DEFAULTS.maximum)
    if sizes.target > sizes.maximum:
        raise ConfigError(
            f"--target {sizes.target} is above --max-tokens {sizes.maximum}; lower one or raise the other"
        )
    return sizes


def policies(file: Path | None, target: int | None, maximum: int | None) -> Policies | None:
    """The policies of a file, else of ./wrac.toml, with the sizes given for every page; None when nothing says any.

    Raises ConfigError for a file that says what nobody knows, and for a target above the maximum.
    """
    from wrac.planning.policies import Policies, read

    found = file or (POLICY_FILE if POLICY_FILE.is_file() else None)
    given = {name: size for name, size in (("target", target), ("maximum", maximum)) if size is not None}
    if found is not None:
        return read(found).override(**given)
    return Policies(policy(target, maximum)) if given else None


def planning(before: Planning | None, **given: Any) -> Planning | None:  # noqa: ANN401 - by the names of Planning
    """Who plans as the options say, of which None says nothing; without `who` they change what was before.

    Raises ConfigError for what makes no sense.
    """
    from wrac.flow.planners import RULES, Planning
    from wrac.llm.prices import Price

    said: dict[str, Any] = {
        name: one.value if isinstance(one, StrEnum) else one for name, one in given.items() if one is not None
    }
    if not said:
        return before
    if "price" in said:
        said["price"] = Price.read(said["price"])
    return Planning(**said) if "who" in said else replace(before or RULES, **said)


def labelling(before: Labelling, **given: Any) -> Labelling | None:  # noqa: ANN401 - by the names of Labelling
    """Who labels as the options say, of which None says nothing; without `by` they change what was before.

    Raises ConfigError for what makes no sense.
    """
    from wrac.flow.labellers import Labelling
    from wrac.llm.prices import Price

    said: dict[str, Any] = {
        name: one.value if isinstance(one, StrEnum) else one for name, one in given.items() if one is not None
    }
    if not said:
        return None
    if "price" in said:
        said["price"] = Price.read(said["price"])
    return Labelling(**said) if "by" in said else replace(before, **said)


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
