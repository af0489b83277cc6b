"""Kills an index run at random moments and says whether the next run makes of it what an undisturbed run does.

    python scripts/bench_kill.py [FOLDER] [--kills N] [--pages N] [--seed N]

For each moment: a new workspace, a run that gets SIGKILL, a second run to the end, `verify` with its digest. Every text
that reaches the embedder is written down, so what was embedded twice is counted, not estimated.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wrac.embedding import MiniLM
from wrac.flow import Workspace
from wrac.flow.pipeline import BATCH

SITE = Path(__file__).parents[1] / "examples" / "site"


class Metered(MiniLM):
    """The shipped embedder, which writes down each text before it embeds it."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self.log = log

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Vectors as ever."""
        with self.log.open("a", encoding="ascii") as file:
            file.writelines(blake2b(text.encode(), digest_size=8).hexdigest() + "\n" for text in texts)
        return super().embed(texts, query=query)


def run(site: str, folder: Path) -> None:
    """Index a folder in this process."""
    with Workspace(folder / "ws", embedder=Metered(folder / "log"), events=False) as workspace:
        workspace.index([site])


def start(site: Path, folder: Path) -> subprocess.Popen[bytes]:
    """A process that does."""
    return subprocess.Popen([sys.executable, __file__, str(site), "--run", str(folder)])


def verified(folder: Path) -> str:
    """The digest of a sound workspace. Leaves when it is not."""
    with Workspace(folder / "ws", create=False, events=False) as workspace:
        report = workspace.verify(digest=True)
    if not report.ok:
        sys.exit(f"{folder}: {report.problems[:5]}")
    return report.digest


def kill_once(site: Path, folder: Path, after: float) -> tuple[str, int, int]:
    """Digest after a kill and a second run, pages that stood when it was killed, texts embedded twice."""
    process = start(site, folder)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    stood = 0
    if (folder / "ws").is_dir():
        with Workspace(folder / "ws", events=False) as workspace:
            stood = int(str(workspace.status()["pages"]))
    if start(site, folder).wait():
        sys.exit(f"{folder}: the second run failed")
    asked = (folder / "log").read_text("ascii").split()
    return verified(folder), stood, len(asked) - len(set(asked))


def part(site: Path, folder: Path, pages: int) -> Path:
    """The first pages of a folder, copied."""
    chosen = folder / site.name
    found = sorted(path for path in site.rglob("*.html") if path.is_file())[:pages]
    for path in found:
        target = chosen / path.relative_to(site)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    print(f"{len(found)} pages of {site.name}")
    return chosen


def main() -> None:
    """Say what became of each kill; leaves with 1 when a digest differs or more than a batch was embedded twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", nargs="?", type=Path, default=SITE)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(str(options.site), options.run)
        return
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        site = part(options.site, folder, options.pages)
        (folder / "whole").mkdir()
        started = time.perf_counter()
        start(site, folder / "whole").wait()
        seconds = time.perf_counter() - started
        wanted = verified(folder / "whole")
        texts = len((folder / "whole" / "log").read_text("ascii").split())
        print(f"undisturbed: {seconds:.1f} s, {texts} texts embedded, digest {wanted}")
        wrong = 0
        for number in range(1, options.kills + 1):
            here = folder / str(number)
            here.mkdir()
            after = chance.uniform(0.05, 0.98) * seconds
            found, stood, twice = kill_once(site, here, after)
            good = found == wanted and twice <= BATCH
            wrong += not good
            print(f"kill {number:2} at {after:5.1f} s: {stood:4} pages stood, {twice:3} texts embedded twice, "
                  f"digest {'equal' if found == wanted else found}", flush=True)  # fmt: skip
            shutil.rmtree(here)
        print(f"{options.kills - wrong} of {options.kills} kills: same digest, at most {BATCH} texts embedded twice")
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
