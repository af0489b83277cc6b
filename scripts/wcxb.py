"""The development half of WCXB: real pages with their main content, and the measure by which they are compared.

Web Content Extraction Benchmark, Murrough Foley, CC-BY-4.0. Read from `WRAC_DATA`, else from ../shared/data.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import tarfile
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

FOLDS: Final = 5
HELD_OUT: Final = 0
"""The fold that neither training nor a choice of a threshold sees."""
_WORD: Final = re.compile(r"\w+")
_REACH: Final = 12
"""How many units away a longer unit may be that vouches for a short one."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A page, its type, and what of it is content."""

    name: str
    url: str
    kind: str
    body: bytes
    truth: str

    @property
    def fold(self) -> int:
        """0 to 4 by domain, so that no domain is in two folds."""
        host = (urlsplit(self.url).hostname or self.name).removeprefix("www.")
        return int(sha256(host.encode()).hexdigest(), 16) % FOLDS


def archive() -> Path:
    """Where the archive is, or should be."""
    root = os.environ.get("WRAC_DATA") or Path(__file__).parents[2] / "shared/data"
    return Path(root) / "wcxb/dev.tar.xz"


def samples(path: Path) -> Iterator[Sample]:
    """Every page that has a ground truth, by name."""
    bodies: dict[str, bytes] = {}
    truths: dict[str, Mapping[str, Any]] = {}
    with tarfile.open(path) as packed:
        for member in packed:
            file = packed.extractfile(member)
            name = Path(member.name).name.split(".")[0]
            if file is not None and member.name.endswith(".html.gz"):
                bodies[name] = gzip.decompress(file.read())
            elif file is not None and "/ground-truth/" in member.name:
                truths[name] = json.loads(file.read())
    for name in sorted(bodies.keys() & truths.keys()):
        about = truths[name]
        content = about["ground_truth"].get("main_content")
        if content:
            yield Sample(name, about.get("url", ""), about["_internal"]["page_type"]["primary"], bodies[name], content)


def words(text: str) -> list[str]:
    """The words that are compared."""
    return _WORD.findall(text.lower())


def word_f1(found: Counter[str], truth: Counter[str]) -> tuple[float, float, float]:
    """F1, precision and recall of one bag of words against another."""
    hits = (found & truth).total()
    if not hits:
        return 0.0, 0.0, 0.0
    precision, recall = hits / found.total(), hits / truth.total()
    return 2 * precision * recall / (precision + recall), precision, recall


def shares(units: Sequence[str], truth: str) -> list[float]:
    """How much of each unit is content, 0..1: the share of its word triples that the truth has.

    A unit of one or two words is content where the truth has it beside a longer unit that is content, near on the page.
    """
    goal = words(truth)
    triples = {tuple(goal[at : at + 3]): at for at in range(len(goal) - 3, -1, -1)}
    places: dict[str, list[int]] = {}
    for at, word in enumerate(goal):
        places.setdefault(word, []).append(at)
    found = [0.0] * len(units)
    short: list[tuple[int, list[str]]] = []
    sure: list[tuple[int, int, int]] = []  # a unit and the first and last place of its triples in the truth
    for number, text in enumerate(units):
        said = words(text)
        if len(said) < 3:
            short.append((number, said))
            continue
        hits = [triples[key] for key in zip(said, said[1:], said[2:], strict=False) if key in triples]
        found[number] = len(hits) / (len(said) - 2)
        if found[number] > 0.5:
            sure.append((number, min(hits), max(hits)))
    for number, said in short:
        after = bisect(sure, (number,))
        near = [one for one in sure[max(after - 1, 0) : after + 1] if abs(one[0] - number) <= _REACH]
        found[number] = float(any(_stands(said, goal, places, first, last) for _, first, last in near))
    return found


def _stands(said: list[str], goal: list[str], places: Mapping[str, list[int]], first: int, last: int) -> bool:
    """Whether the truth says it at most a line before or after what it says from `first` to `last`."""
    starts = places.get(said[0], ()) if said else ()
    return any(first - 14 <= at <= last + 16 and goal[at : at + len(said)] == said for at in starts)
