"""Serves real documentation on loopback, crawls it as a user would, and says what keeping it fresh costs.

    python scripts/bench_crawl.py [--pages N] [--kills K]

First the crawl alone over all pages of Debian's postgresql-doc-15: found, asked twice, pages a second, and again on
conditions. Then `wrac index --site` and `wrac refresh` with the shipped embedder over the first N pages (60):
everything, nothing changed, one page in a hundred changed (at least one), against indexing it all anew.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import debian
from tests.fakes import FakeEmbedder
from tests.served import Served, served
from tests.test_site import CRAWL

from wrac.core.types import Page
from wrac.fetching.site.client import Manners
from wrac.fetching.site.crawl import Unchanged
from wrac.fetching.site.urls import Scope
from wrac.fetching.site.walk import Plan, Walk
from wrac.flow import Workspace
from wrac.flow.report import IndexReport
from wrac.flow.sites import Site

PACKAGE = "postgresql-doc-15"
AT_ONCE = 8
START = "index.html"


def root() -> Path:
    """The folder of the package's pages."""
    folder = debian.folder()
    if folder is None:
        sys.exit(debian.ABSENT)
    return (folder / PACKAGE / "html").resolve()


def crawled(site: Served, stored: dict[str, Page]) -> tuple[dict[str, Page], int, float]:
    """Pages found, how many were unchanged, seconds."""
    begin = time.perf_counter()
    scope = Scope.of(f"{site.url}/{START}")
    walk = Walk(Plan(scope, Manners(private=True, parallel=AT_ONCE)), stored=stored.get)
    found = [one for visit in walk.visits() for one in visit.found]
    pages = {one.url: one for one in found if isinstance(one, Page)}
    return pages, sum(isinstance(one, Unchanged) for one in found), time.perf_counter() - begin


def crawl_alone(folder: Path) -> Iterator[str]:
    """Lines of the table of the crawl without an index."""
    names = {page.name for page in folder.glob("*.html")}
    with served({}, folder) as site:
        pages, _, seconds = crawled(site, {})
        asked = [one.path for one in site.log]
        missed = len(names - {url.rpartition("/")[2] for url in pages})
        yield "| crawl alone | pages | not found | asked twice | on conditions | bodies sent, MB | pages/s |"
        yield "|---|---|---|---|---|---|---|"
        sent = sum(len(page.body) for page in pages.values()) / 2**20
        yield (
            f"| first | {len(pages)} | {missed} | {len(asked) - len(set(asked))} | 0 | {sent:.1f} | "
            f"{len(pages) / seconds:.0f} |"
        )
        site.log.clear()
        again, same, seconds = crawled(site, pages)
        conditions = sum("If-None-Match" in one.headers for one in site.log)
        yield f"| again | {len(again) + same} | 0 | 0 | {conditions} | 0.0 | {same / seconds:.0f} |"


@contextmanager
def some(folder: Path, most: int) -> Iterator[Path]:
    """A copy of the first pages, and a start that links them all."""
    with tempfile.TemporaryDirectory() as place:
        target = Path(place) / "site"
        target.mkdir()
        names = [page.name for page in sorted(folder.glob("*.html")) if page.name != START][:most]
        for name in names:
            shutil.copyfile(folder / name, target / name)
        links = "".join(f'<li><a href="{name}">{name}</a>' for name in names)
        (target / START).write_text(f"<!doctype html><title>Start</title><h1>Pages</h1><ul>{links}</ul>")
        yield target


def row(name: str, report: IndexReport, seconds: float) -> str:
    """One line of the table."""
    return (
        f"| {name} | {report.pages} | {report.unchanged} | {report.requests} | {report.embedded} | {report.reused} | "
        f"{seconds:.1f} |"
    )


def kept_fresh(folder: Path, most: int) -> Iterator[str]:
    """Lines of the table of indexing and refreshing."""
    with some(folder, most) as pages, served({}, pages) as site, tempfile.TemporaryDirectory() as place:
        how = Site(private=True, parallel=AT_ONCE, depth=1)  # the other pages are not there

        def timed(name: str, kept: Workspace, fresh: bool) -> tuple[str, IndexReport, float]:
            begin = time.perf_counter()
            report = kept.refresh() if fresh else kept.index(f"{site.url}/{START}", site=how)
            seconds = time.perf_counter() - begin
            return row(name, report, seconds), report, seconds

        yield "| run | pages | unchanged | requests | embedded | reused | seconds |"
        yield "|---|---|---|---|---|---|---|"
        with Workspace(Path(place) / "ws", events=False) as kept:
            yield timed("everything", kept, fresh=False)[0]
            yield timed("refresh, nothing changed", kept, fresh=True)[0]
            changed = sorted(pages.glob("*.html"))[:: max(100, most)][: max(1, most // 100)]
            for page in changed:
                page.write_bytes(
                    page.read_bytes().replace(b"</body>", b"<p>A paragraph that the bench added.</p></body>")
                )
            line, small, quick = timed(f"refresh, {len(changed)} changed", kept, fresh=True)
            yield line
        with Workspace(Path(place) / "anew", events=False) as kept:
            line, whole, slow = timed("everything anew", kept, fresh=False)
            yield line
        yield ""
        share, time_ = small.embedded / whole.embedded, quick / slow
        yield f"refresh against anew: {share:.1%} of the embeddings, {time_:.1%} of the time"


def killed(folder: Path, most: int, kills: int) -> Iterator[str]:
    """One crawl killed again and again at random moments, then let be: is it what an undisturbed one gives?"""
    with some(folder, most) as pages, served({}, pages) as site, tempfile.TemporaryDirectory() as place:
        start, target = f"{site.url}/{START}", Path(place) / "killed"
        with Workspace(Path(place) / "whole", embedder=FakeEmbedder(), events=False) as kept:
            begin = time.perf_counter()
            kept.index(start, site=Site(private=True), workers=0)
            whole, wanted = time.perf_counter() - begin, kept.verify(digest=True).digest
        for _ in range(kills):
            command = [sys.executable, "-c", textwrap.dedent(CRAWL), str(target), start]
            process = subprocess.Popen(command, cwd=Path(__file__).parents[1])
            time.sleep(random.uniform(0.8, 1.2 + whole / 4))
            process.kill()
            process.wait()
        with Workspace(target, embedder=FakeEmbedder(), events=False) as kept:
            kept.index(start, site=Site(private=True), workers=0)
            found = kept.verify(digest=True)
        same = "the same" if found.ok and found.digest == wanted else "ANOTHER"
        told = f"a crawl of {most + 1} pages killed {kills} times at random moments, then let be"
        yield f"{told}: {same} digest as undisturbed"


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--kills", type=int, default=0, help="only kill a crawl so often and compare")
    options = parser.parse_args()
    folder = root()
    if options.kills:
        print(*killed(folder, options.pages, options.kills), sep="\n")
        return
    for line in chain(crawl_alone(folder), [""], kept_fresh(folder, options.pages)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
