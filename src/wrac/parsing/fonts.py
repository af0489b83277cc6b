"""Fonts whose letters are equally wide: what is set in them is code."""

from __future__ import annotations

import re
from typing import Final

_MONOSPACED: Final = re.compile(
    r"(?i)courier.*|consolas|menlo|monaco|lucida console|.*\bmono\b.*|.*monospace.*|cascadia code|fira code|inconsolata"
    r"|source code pro|sf ?mono.*"
)


def is_monospaced(font: str) -> bool:
    """Whether a font of this name has letters of one width."""
    return _MONOSPACED.fullmatch(font) is not None
