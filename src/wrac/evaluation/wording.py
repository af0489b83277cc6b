"""How texts are compared: by words, with white space folded, and without markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from wrac.text.characters import UNSPACED

_WORD = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")  # an underscore may be Markdown's
_TARGET = re.compile(r"\]\((?:<[^>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)")
_MARKUP = re.compile(r"<(?:br|/?su[bp])>|[\s\\`*_~|#>\[\]+¶\uf0c1-]+")


def words(text: str) -> list[str]:
    """Runs of letters and digits; in scripts without spaces each character is one.

    >>> words("json.dumps(an_obj): 漢字")
    ['json', 'dumps', 'an', 'obj', '漢', '字']
    """
    return _WORD.findall(text)


def fold(text: str) -> str:
    """The text with white space runs as one space."""
    return " ".join(text.split())


def bare(text: str) -> str:
    """The text without white space, Markdown's marks, link targets and permalink signs: what it says, in its order.

    >>> bare("**See** [the `docs`](http://x.org/a).") == bare("See the docs.")
    True
    """
    return _MARKUP.sub("", unlinked(text))


def unlinked(text: str) -> str:
    """The text without the targets of Markdown's links."""
    return _TARGET.sub("]", text) if "](" in text else text


def grams(spoken: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Every three neighbouring words."""
    return ((a, b, c) for (a, b), (_, c) in pairwise(pairwise(spoken)))
