"""What `wrac status` says of pages that are not in the workspace: those passed over, those that a crawl has ahead; and
of what is in it only once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wrac.cli import paint

if TYPE_CHECKING:
    from rich.console import Console

NAMES = ("repetition", "crawls", "passed")
"""What of a status is told here."""


def put(out: Console, held: Mapping[str, Any]) -> None:
    """Print what pages say alike, the crawls under way, and what was passed over, by kind."""
    alike = held["repetition"]
    told = f"{alike['share']:.0%} of the characters, in {paint.plural(alike['units'], 'unit')} of several pages"
    paint.put(out, ("stored only once ", "dim"), told)
    for crawl in held["crawls"]:
        told = f"{crawl['settled']:,} addresses settled, {crawl['ahead']:,} ahead: index it again to go on"
        paint.put(out, ("under way        ", "dim"), f"{crawl['site']}  {told}")
    for kind in held["passed"]:
        paint.put(out, (f"{kind['count']:>8,} skipped ", "dim"), kind["reason"])
        names = ", ".join(kind["urls"]) + (", …" if kind["count"] > len(kind["urls"]) else "")
        paint.put(out, (" " * 17 + names, "dim"))
        if kind["do"]:
            paint.put(out, " " * 17, kind["do"])
