"""The program that the fault tests disturb: indexes a folder, a line for each page, and writes down what it embeds.

python -m tests.faults.program SITE WORKSPACE LOG [WAIT [WORKERS [STORE]]]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray
from tests.fakes_index import WordEmbedder

from wrac.core.errors import WracError
from wrac.flow import Workspace


class Recorder(WordEmbedder):
    """Appends a digest of each text it embeds to a file, as a meter at a paid service would."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self.log = log

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        with self.log.open("a") as file:
            file.writelines(blake2b(text.encode(), digest_size=8).hexdigest() + "\n" for text in texts)
        return super().embed(texts, query=query)


def say(stage: str, done: int, _total: int | None, _detail: str) -> None:
    tell(sys.stdout, stage, done)


def tell(stream: TextIO, *words: object) -> None:
    stream.write(" ".join(map(str, words)) + "\n")
    stream.flush()


def main(  # noqa: PLR0913, PLR0917 - the arguments of a program
    site: str, workspace: str, log: str, wait: str = "60", workers: str = "0", store: str = ""
) -> int:
    try:
        with Workspace(workspace, embedder=Recorder(Path(log))) as found:
            report = found.index([site], workers=int(workers), wait=float(wait), progress=say, store=store)
            tell(sys.stdout, "pages", report.pages)
    except KeyboardInterrupt:
        tell(sys.stderr, "interrupted")
        return 130
    except WracError as error:
        tell(sys.stderr, error)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
