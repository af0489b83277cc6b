"""Indexes python3.11-doc as a user would and says what each run costs.

    python scripts/bench_index.py [--pages N]

Four runs of the command on one workspace: everything, again with nothing changed, again with one page edited, `verify`.
Memory is the peak of the largest process. Pages are those of Debian's python3.11-doc (scripts/fetch_debian_docs.sh, or
WRAC_DEBIAN_DOCS).
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import debian

PACKAGE = "python3.11-doc"
EDITED = "library/json.html"
INSERTED = b"<p>A paragraph that the bench has inserted.</p>"


def copied(folder: Path, most: int) -> Path:
    """A copy of the package's pages, since one of them is edited."""
    pages = debian.pages(PACKAGE)
    if not pages:
        sys.exit(debian.ABSENT)
    root = (debian.folder() or Path()) / PACKAGE / "html"
    for page in [*pages[:most], root.resolve() / EDITED]:
        target = folder / "docs" / page.relative_to(root.resolve())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, target)
    return folder / "docs"


def wrac(folder: Path, *arguments: str) -> tuple[dict[str, Any], float]:
    """What a command prints as JSON, and its wall seconds."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "wrac.cli.main", *arguments, "--workspace", str(folder / "ws"), "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if run.returncode:
        sys.exit(f"wrac {arguments[0]} left with {run.returncode}: {run.stderr}")
    return json.loads(run.stdout), time.perf_counter() - begin


def row(name: str, report: dict[str, Any], seconds: float) -> str:
    """One line of the table."""
    stages = report["stages"]
    told = ", ".join(f"{stage} {value:.1f}" for stage, value in stages.items() if stage != "total")
    rate = f"{report['pages'] / seconds:.1f}"
    return (
        f"| {name} | {report['pages']} | {report['chunks']} | {report['embedded']} | {seconds:.1f} | {rate} | {told} |"
    )


def main() -> None:
    """Run, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000, help="at most so many pages")
    most = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        docs = copied(folder, most)
        print(
            "| run | pages | chunks | embedded | wall s | pages/s | seconds by stage |\n|---|---|---|---|---|---|---|"
        )
        first, took = wrac(folder, "index", "docs")
        print(row("first", first, took), flush=True)
        again, second = wrac(folder, "index", "docs")
        print(row("unchanged", again, second), flush=True)
        page = docs / EDITED
        page.write_bytes(page.read_bytes().replace(b"</h1>", b"</h1>" + INSERTED, 1))
        edited, third = wrac(folder, "index", "docs")
        print(row("one page edited", edited, third), flush=True)
        sound, fourth = wrac(folder, "verify")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        size = sum(file.stat().st_size for file in (folder / "ws").rglob("*") if file.is_file()) / 1e6
        print(f"\nsecond run / first: {second / took:.3f}; verify: {len(sound['problems'])} problems in {fourth:.1f} s")
        print(f"peak memory of the largest process: {peak:.0f} MB; workspace: {size:.0f} MB")


if __name__ == "__main__":
    main()
