"""Where the shared data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[2] / "shared" / "data")


def existing(path: Path) -> Path:
    """The path; skips where it is absent, and fails in CI where the data is there and lacks this part."""
    if not path.exists():
        if os.environ.get("CI") and FOLDER.is_dir():
            pytest.fail(f"no {path}")
        pytest.skip(f"no {path} (set WRAC_DATA to the data folder)")
    return path
