"""wrac: web pages and documents to retrieval chunks without rewriting a word.

Parse a page to units, plan which belong together, take the chunks:

>>> import wrac
>>> page = "<h1>Refunds</h1><p>They take five days.</p><nav><a href=/>Home</a></nav>"
>>> document = wrac.parse(page, url="https://example.com/refunds")
>>> [(place.ordinal, document.unit(place.ordinal).kind, place.role) for place in document.places]
[(0, 'heading', 'main'), (1, 'paragraph', 'main'), (2, 'paragraph', 'nav')]
>>> plan = wrac.plan(document)
>>> plan.groups, dict(plan.omitted)
(((0, 1),), {2: 'nav'})
>>> [chunk.text for chunk in wrac.chunk(document, plan).chunks]
['Refunds\\n\\nThey take five days.']

Keep pages in a workspace and ask it:

>>> with wrac.Workspace(tmp / "refunds.wrac") as workspace:
...     report = workspace.index(["examples/site"])
...     hits = workspace.search("Does wrac rewrite my text?", k=3)
>>> hits[0].rank
1

Every name here is imported on first use, so `import wrac` costs next to nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # type checkers know the name; importing `typing` would be half the cost of `import wrac`

if TYPE_CHECKING:
    from wrac.chunking import chunk
    from wrac.core.answers import Answer, Citation, Route
    from wrac.core.errors import (
        BusyError,
        ConfigError,
        InputError,
        LimitError,
        MissingExtraError,
        NotFoundError,
        PlanError,
        RemoteError,
        StorageError,
        WorkspaceError,
        WracError,
    )
    from wrac.core.types import (
        Address,
        Chunk,
        DataAddress,
        Document,
        Entry,
        Event,
        Focus,
        Hit,
        HtmlAddress,
        Label,
        Loss,
        Mark,
        Occurrence,
        Page,
        PartAddress,
        PdfAddress,
        Place,
        Plan,
        Policy,
        Slice,
        Span,
        Unit,
        Usage,
    )
    from wrac.flow import Workspace
    from wrac.flow.answerers import Answerer
    from wrac.flow.planners import Planning
    from wrac.flow.sites import Site
    from wrac.parsing import resolve
    from wrac.planning import plan
    from wrac.planning.policies import Policies

__all__ = [
    "Address",
    "Answer",
    "Answerer",
    "BusyError",
    "Chunk",
    "Citation",
    "ConfigError",
    "DataAddress",
    "Document",
    "Entry",
    "Event",
    "Focus",
    "Hit",
    "HtmlAddress",
    "InputError",
    "Label",
    "LimitError",
    "Loss",
    "Mark",
    "MissingExtraError",
    "NotFoundError",
    "Occurrence",
    "Page",
    "PartAddress",
    "PdfAddress",
    "Place",
    "Plan",
    "PlanError",
    "Planning",
    "Policies",
    "Policy",
    "RemoteError",
    "Route",
    "Site",
    "Slice",
    "Span",
    "StorageError",
    "Unit",
    "Usage",
    "Workspace",
    "WorkspaceError",
    "WracError",
    "chunk",
    "parse",
    "plan",
    "resolve",
]

_HOMES = {
    "Answer": "wrac.core.answers", "Citation": "wrac.core.answers", "Route": "wrac.core.answers",
    "Answerer": "wrac.flow.answerers", "Planning": "wrac.flow.planners", "Site": "wrac.flow.sites",
    "Policies": "wrac.planning.policies",
    "Workspace": "wrac.flow", "chunk": "wrac.chunking", "plan": "wrac.planning", "resolve": "wrac.parsing",
}  # fmt: skip


def parse(html: str | bytes, *, url: str = "", media_type: str = "text/html", charset: str = "") -> Document:
    """The page as a Document: units, their places in reading order, nested spans, and what was lost and why.

    Bytes are decoded by byte order mark, `charset`, meta tag and detection, in this order; a str is taken as it is,
    with U+FFFD for lone surrogates, as browsers do. `media_type` may also be `text/markdown`, `text/plain`, `text/csv`,
    `application/pdf`, `application/epub+zip` or that of a Word, PowerPoint or Excel file.

    Raises `InputError` for bytes that are not of that type, `LimitError` for a page beyond a cap on depth or size.

    >>> document = parse("<h1>Prices</h1><table><tr><th>Plan<th>USD<tr><td>Small<td>5</table>")
    >>> [document.text(ordinal) for ordinal in range(3)]
    ['Prices', 'Plan\\tUSD', 'Small\\t5']
    """
    import re

    from wrac.core.types import Page
    from wrac.parsing import parse as parse_page

    if isinstance(html, str):
        html, charset = re.sub("[\ud800-\udfff]", "\ufffd", html).encode(), "utf-8"
    return parse_page(Page(url, html, media_type, charset))


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'wrac' has no attribute {name!r}")
    from importlib import import_module

    home = _HOMES.get(name) or ("wrac.core.errors" if name.endswith("Error") else "wrac.core.types")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
