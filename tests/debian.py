"""Where the Debian documentation pages are, and which of them a test reads."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("python3.11-doc", "postgresql-doc-15")
ABSENT = "no Debian documentation (apt-get update && scripts/fetch_debian_docs.sh, or set WRAC_DEBIAN_DOCS)"


def folder() -> Path | None:
    """The extracted packages' `usr/share/doc`: WRAC_DEBIAN_DOCS, else the cache that the script fills."""
    named = os.environ.get("WRAC_DEBIAN_DOCS")
    for path in (Path(named) if named else ROOT, ROOT / ".cache/debian"):
        for doc in (path, path / "usr/share/doc"):
            if any((doc / package).is_dir() for package in PACKAGES):
                return doc
    return None


def pages(package: str) -> list[Path]:
    """All HTML pages of a package, each once: links are resolved, since a recursive glob follows several names."""
    doc = folder()
    if doc is None:
        return []
    start = (doc / package / "html").resolve()
    return sorted({path.resolve() for path in start.rglob("*.html") if path.resolve().is_file()})


def sample(count: int, largest: int = 300_000) -> list[Path]:
    """About `count` pages of at most `largest` bytes, spread evenly over all packages."""
    fit = [path for package in PACKAGES for path in pages(package) if path.stat().st_size <= largest]
    return fit[:: max(1, len(fit) // count)] if fit else []
