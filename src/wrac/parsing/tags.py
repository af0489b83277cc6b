"""What each HTML tag means to the segmenter. Anything not named here is inline, as in a browser."""

from __future__ import annotations

from typing import Final

from wrac.core.types import Kind, MarkKind, SpanKind

# Blocks that carry no kind of their own: text directly inside them is a paragraph.
PLAIN: Final = frozenset(
    "address article aside body center details dialog dir div dl fieldset figure footer form frameset header hgroup "
    "html main menu nav ol p search section ul slot optgroup tbody thead tfoot table tr td th".split()
)
# Blocks whose first own text takes a kind.
OWNERS: Final[dict[str, Kind]] = {
    "li": "list_item", "dt": "term", "dd": "definition", "blockquote": "quote",
    "caption": "caption", "figcaption": "caption", "summary": "question", "legend": "label",
    "h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
    "pre": "code", "listing": "code", "xmp": "code", "plaintext": "code", "option": "label",
}  # fmt: skip
BLOCKS: Final = PLAIN | frozenset(OWNERS) | {"hr"}
# Blocks that become one unit with everything in them; an inner block ends a line.
FLAT: Final = frozenset("h1 h2 h3 h4 h5 h6 summary caption figcaption legend pre listing xmp plaintext dt".split())
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
PREFORMATTED: Final = frozenset("pre listing xmp plaintext textarea".split())
# Elements that stand in a line of text as one thing, and are a unit when nothing else is in that line.
CONTROLS: Final = frozenset("button select textarea label datalist output meter progress".split())
# Program text, never shown.
CODE_OF_THE_PAGE: Final = frozenset("script style link meta base title head".split())

MARKS: Final[dict[str, MarkKind]] = {
    "a": "link", "code": "code", "kbd": "code", "samp": "code", "tt": "code",
    "strong": "strong", "b": "strong", "em": "em", "i": "em", "sup": "sup", "sub": "sub",
}  # fmt: skip
SPANS: Final[dict[str, SpanKind]] = {
    "nav": "nav", "header": "header", "footer": "footer", "aside": "aside", "form": "form", "dialog": "dialog",
    "figure": "figure", "details": "details",
}  # fmt: skip
LANDMARKS: Final[dict[str, SpanKind]] = {
    "navigation": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside", "form": "form",
    "search": "form", "dialog": "dialog", "alertdialog": "dialog", "figure": "figure",
}  # fmt: skip
# A heading inside one of these heads nothing after it.
CLOSED: Final = frozenset(
    "nav aside footer form dialog details figure blockquote li td th dd fieldset template iframe".split()
)
# A heading inside one of these, followed by more inside it, heads nothing after it.
HALF_CLOSED: Final = frozenset("section article".split())
# The context in which a slice that begins with this tag parses to the same tree.
CONTEXT: Final = {
    "tr": "tbody", "td": "tr", "th": "tr", "caption": "table", "thead": "table", "tbody": "table", "tfoot": "table",
    "body": "html",
}  # fmt: skip
HEADING_LEVEL: Final = {f"h{n}": n for n in range(1, 7)}
SPACE: Final = " \t\n\r\f"
