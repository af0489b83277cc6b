"""Which page does a query's author mean?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from unicodedata import normalize
from urllib.parse import unquote

from wrac.core.types import Page
from wrac.evaluation.values import name

_SHOWN = 3


class Names:
    """Pages by what people call them: the URL, the end of its path, or the file name."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._parts = {page.url: _parts(page.url) for page in pages}

    def find(self, wanted: str) -> tuple[str, str]:
        """The URL of the page that is meant, or "" and the reason why none is."""
        if wanted in self._parts:
            return wanted, ""
        parts = _parts(wanted)
        for fits in self._ways(parts, name(parts[-1]) if parts else ""):
            found = [url for url, own in self._parts.items() if fits(own)]
            if len(found) == 1:
                return found[0], ""
            if found:
                return "", f"page {wanted} may be {_several(found)}; give more of its path"
        return "", f"page {wanted} is not among the pages"

    def _ways(self, parts: Sequence[str], title: str) -> list[Callable[[Sequence[str]], bool]]:
        return [
            lambda own: bool(parts) and own[-len(parts) :] == parts,
            lambda own: bool(own) and parts[-len(own) :] == own,
            lambda own: bool(title and own) and name(own[-1]) == title,
        ]


def _parts(url: str) -> list[str]:
    """Host and path of a URL or a path, as parts in NFC, whichever form the file system keeps."""
    plain = url.replace("\\", "/").partition("#")[0].partition("?")[0].rpartition("://")[2]
    return [normalize("NFC", unquote(part)) for part in plain.split("/") if part not in ("", ".")]


def _several(found: Sequence[str]) -> str:
    shown = " or ".join(found[:_SHOWN])
    return shown if len(found) <= _SHOWN else f"{shown} or {len(found) - _SHOWN} more"
