"""What requests may say, checked: searches, questions, verdicts, previews, and orders of jobs.

Texts hold nothing that a database or a log could not. An order becomes the plain values that the job's process reads.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from wrac.api.jobs import Kind
from wrac.api.served import Limits, Rules
from wrac.core.errors import ConfigError, InputError
from wrac.fetching.site.urls import normal

_WEB = re.compile(r"https?://", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def _sayable(text: str) -> str:
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("holds what is no text: NUL, or half of a surrogate pair")
    return text


Text: TypeAlias = Annotated[str, AfterValidator(_sayable)]


def _day(given: object) -> object:
    if not isinstance(given, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", given):
        raise ValueError("write a day as 2026-11-30")
    return given


Day: TypeAlias = Annotated[date, BeforeValidator(_day)]
Words: TypeAlias = Annotated[
    Text,
    # What is refused in a line of its own is only documented here.
    Field(description="A question or some words.", json_schema_extra={"pattern": r"[^\W_]", "maxLength": 20_000}),
]
Condition: TypeAlias = Annotated[
    Text, Field(description="key=value", json_schema_extra={"pattern": r"^[^=]*[^=\s][^=]*="})
]
Name: TypeAlias = Annotated[Text, Field(min_length=1, max_length=200)]
Url: TypeAlias = Annotated[Text, Field(min_length=1, max_length=4000, description="A page's URL, as searches give it.")]
Most: TypeAlias = Annotated[int, Field(ge=1, le=100, description="How many passages at most; 10 without a budget.")]
Budget: TypeAlias = Annotated[int, Field(ge=1, le=100_000, description="Tokens at most, as rendered.")]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1, description="Leave out what matches less.")]
Values: TypeAlias = Text | Annotated[list[Text], Field(max_length=100)]
Where: TypeAlias = Annotated[
    dict[Name, Values],
    Field(
        max_length=50,
        description="Metadata, url (its beginning), kind, role, language, since, until; lists are alternatives.",
    ),
]


class _Order(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Search(_Order):
    """What is searched for."""

    query: Words
    k: Most | None = None
    budget: Budget | None = None
    where: Where = {}
    rerank: bool = Field(False, description="Order the first 20 anew, token by token.")
    min_confidence: Share | None = None


class Question(_Order):
    """What is asked, and from what it is answered."""

    query: Words
    k: Most | None = None
    budget: Budget | None = 2000
    where: Where = {}
    rerank: bool = False
    way: Literal["auto", "passages", "document", "corpus"] = "auto"
    most: Annotated[float, Field(ge=0, description="What the answer may cost, in USD.")] | None = None


class Verdict(_Order):
    """What a reader thinks of a passage."""

    chunk: Name
    verdict: Literal[-1, 0, 1] = Field(description="1 good, -1 bad, 0 takes it back.")
    query: Annotated[Text, Field(max_length=20_000)] = ""
    note: Annotated[Text, Field(max_length=2000)] = ""
    run: Annotated[Text, Field(max_length=100)] = Field("", description="The run of a verdict that this one replaces.")


Tokens: TypeAlias = Annotated[int, Field(ge=1, le=100_000)]


class Changes(_Order):
    """What is changed of the workspace's policy."""

    target: Tokens | None = None
    maximum: Tokens | None = None
    prose: Tokens | None = None
    whole_tables: bool | None = None
    whole_lists: bool | None = None
    one_question: bool | None = None
    chunks_per_h2: Annotated[int, Field(ge=0, le=1000)] | None = None
    entities: Annotated[int, Field(ge=0, le=1000)] | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The fields that are said."""
        return self.model_dump(exclude_none=True)


class Trial(_Order):
    """Another policy for a page."""

    url: Url
    policy: Changes = Changes()
    planner: Literal["rules"] | None = Field(None, description="Who plans; null is who plans the workspace.")


class Crawl(_Order):
    """How the sites behind URLs are crawled; a depth of 0 is the page itself alone."""

    depth: Annotated[int, Field(ge=0, le=100)] | None = 0
    pages: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    include: Annotated[list[Name], Field(max_length=100)] = []
    exclude: Annotated[list[Name], Field(max_length=100)] = []
    parallel: Annotated[int, Field(ge=1, le=16)] = 4
    pause: Annotated[float, Field(ge=0, le=3600)] = 0.0


class Index(_Order):
    """Bring the workspace up to what sources hold now."""

    kind: Literal["index"]
    sources: Annotated[
        list[Url], Field(min_length=1, max_length=1000, description="URLs; folders and files where the server allows.")
    ]
    site: Crawl = Crawl()
    meta: Annotated[dict[Name, Text], Field(max_length=100)] = {}
    base: Annotated[Text, Field(max_length=4000)] = Field("", description="Where a folder is published.")
    policy: Changes = Changes()


class Refresh(_Order):
    """Ask every source again."""

    kind: Literal["refresh"]
    due: bool = Field(False, description="Only pages that may have changed, by what visits have shown.")
    since: Annotated[float, Field(ge=0, le=1e11)] = Field(
        0.0, description="Only pages not asked for since then, in seconds since 1970."
    )


class Replan(_Order):
    """Plan every page anew."""

    kind: Literal["replan"]
    policy: Changes = Changes()
    planner: Literal["rules"] | None = Field(None, description="Who plans from now on; null is who did.")


class Reindex(_Order):
    """Make the index anew from the catalog."""

    kind: Literal["reindex"]


Order: TypeAlias = Annotated[Index | Refresh | Replan | Reindex, Field(discriminator="kind")]


def checked(query: str, limits: Limits) -> str:
    """The query. Raises InputError for one that is too long."""
    if len(query) > limits.query:
        raise InputError("the query", f"it has {len(query):,} characters", f"ask with at most {limits.query:,}")
    return query


def filters(given: Iterable[str]) -> dict[str, list[str]]:
    """`key=value` texts as all values of each key. Raises ConfigError for what is none."""
    found: dict[str, list[str]] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"where={text}: write it as where=key=value")
        found.setdefault(key.strip(), []).append(value)
    return found


def resolved(order: Index | Refresh | Replan | Reindex, rules: Rules) -> tuple[Kind, dict[str, Any]]:
    """The kind of a job and the values that its process reads.

    Raises InputError for a source that the server's operator does not allow.
    """
    values = order.model_dump(exclude={"kind"})
    if "policy" in values:
        values["policy"] = order.policy.given  # type: ignore[union-attr]  # both that have one
    if isinstance(order, Index):
        values["sources"] = [_source(one, rules.files) for one in order.sources]
        values["site"]["private"] = rules.private
    return order.kind, values


def _source(given: str, folders: Sequence[Path]) -> str:
    """A web address in its one form, or the real path of what lies below one of the folders."""
    if _WEB.match(given):
        found = normal(given)
        if not found:
            raise InputError(given, "is no address of a web page", "give one such as https://docs.example.com/")
        return found
    if _SCHEME.match(given):
        raise InputError(given, "is no http or https address", "give one such as https://docs.example.com/")
    if not folders:
        raise InputError(given, "files are not read over HTTP", "start the server with --allow-files FOLDER")
    for folder in folders:
        real = Path(os.path.realpath(folder / given))
        if real.is_relative_to(folder) and os.path.exists(real):  # noqa: PTH110 - false for a name that is too long
            return str(real)
    raise InputError(given, "is in no folder that this server reads", "give a path below one of --allow-files")
