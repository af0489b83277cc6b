"""What masked questions change: R@10 by BM25 of heading sections with and without the questions in the index.

Usage: python scripts/masking.py FOLDER/NAME [--pages PACKAGES]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from wrac.evaluation.datasets import load
from wrac.evaluation.masking import mask
from wrac.evaluation.metrics import BlockJudge
from wrac.evaluation.search import Lexical
from wrac.evaluation.strategies import Corpus, strategy
from wrac.evaluation.values import DataSet, Passage

FIRST = 10


def words(text: str) -> list[str]:
    """All words of a text, stop words too: what makes a question find itself."""
    return re.findall(r"\w+", text.lower())


def recall(data: DataSet, passages: Sequence[Passage]) -> float:
    """R@10 over the queries, by BM25 over all words of the indexed texts."""
    lexical, judge = Lexical([words(passage.indexed) for passage in passages], k1=1.2, b=0.75), BlockJudge()
    hits = ([passages[row] for row, _ in lexical.search(words(query.text), FIRST)] for query in data.queries)
    found = [judge.recall(query, one, FIRST) for query, one in zip(data.queries, hits, strict=True)]
    return sum(found) / len(found)


def variants(data: DataSet) -> dict[str, float]:
    """R@10 with the pages as they are, with the masks taken out everywhere, and without the headings alone.

    Without the headings a table of contents still has the questions, and takes the place of their answers.
    """
    hide = mask(data.masks)
    items = list(dict.fromkeys(strategy("sections", data, Corpus()).passages(data.pages).items))
    hidden = [one._replace(indexed=hide(one.indexed)) for one in items]
    bodies = [one._replace(indexed=one.text.partition("\n")[2]) for one in items]
    return {name: recall(data, one) for name, one in (("seen", items), ("masked", hidden), ("no headings", bodies))}


def main() -> None:
    """Prints the figures of one data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("--pages", action="append", default=[])
    wanted = parser.parse_args()
    data = load(wanted.source, wanted.pages)
    print(f"{data.name}: {len(data.pages)} pages, {len(data.queries)} queries, {len(data.excluded)} left out")
    for name, value in variants(data).items():
        print(f"{name:12} R@{FIRST} {value:.3f}")


if __name__ == "__main__":
    main()
