"""Environment variables that more than one stage reads."""

from __future__ import annotations

from typing import Final

STORE_PASSWORD: Final = "WRAC_STORE_PASSWORD"  # noqa: S105 - a variable's name
"""The password of a store's or a workspace's URL that has none itself."""
