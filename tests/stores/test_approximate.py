"""Where vectors have an index: what it finds of what an exact search finds, without a filter and with one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests import postgres
from tests.stores.stores import SPACE, needed
from tests.stores.test_conformance import row

from wrac.core.errors import ConfigError
from wrac.indexing import Change, Filters, Index
from wrac.indexing.stores import open_index

ROWS = 1200


@pytest.fixture(params=["lancedb", "postgresql"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Index, dict[str, np.ndarray]]]:
    """An index whose vectors have one of their own from 300 rows on, one row in four of tenant x."""
    if request.param == "lancedb":
        needed("lancedb")
        url = f"lancedb://{tmp_path}/lance?exact=300"
    else:
        needed("psycopg", "pgvector")
        url = f"{postgres.url()}&exact=300"
    random = np.random.default_rng(3)
    found = random.normal(size=(ROWS, SPACE.dimensions))
    vectors = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    rows = [row(f"text {n}", f"{n}.html", meta={"tenant": "x" if n % 4 == 0 else "y"}) for n in range(ROWS)]
    with closing(open_index(url, SPACE, create=True)) as filled:
        filled.write([Change(one.page, (one,), vectors[n : n + 1]) for n, one in enumerate(rows)])
    with closing(open_index(url, SPACE)) as opened:
        yield opened, {one.entry: vector for one, vector in zip(rows, vectors, strict=True)}


def test_an_index_of_vectors_finds_nearly_all_and_filters_lose_nothing(
    index: tuple[Index, dict[str, np.ndarray]],
) -> None:
    opened, vectors = index
    random = np.random.default_rng(4)
    names, matrix = list(vectors), np.stack(list(vectors.values()))
    shares, scores = [], []
    for _ in range(10):
        query = random.normal(size=SPACE.dimensions)
        vector = (query / np.linalg.norm(query)).astype(np.float32)
        exact = matrix @ vector
        best = {names[n] for n in np.argsort(-exact)[:10]}
        found = opened.dense(vector, 10)
        shares.append(len(best & {entry for entry, _ in found}) / 10)
        scores += [abs(score - float(vectors[entry] @ vector)) for entry, score in found]
        for tenant in ("x", "y"):  # 300 rows and 900: an exact scan, and the index under a filter
            allowed = [n for n in range(ROWS) if (n % 4 == 0) == (tenant == "x")]
            wanted = {names[n] for n in sorted(allowed, key=lambda n: -exact[n])[:10]}
            near = {entry for entry, _ in opened.dense(vector, 10, Filters.of({"tenant": tenant}))}
            shares.append(len(wanted & near) / 10)
            assert len(near) == 10
    assert np.mean(shares) > 0.97
    assert max(scores) < 1e-5


def test_exact_is_a_number_of_rows(tmp_path: Path) -> None:
    needed("lancedb")
    with pytest.raises(ConfigError) as told:
        open_index(f"lancedb://{tmp_path}/lance?exact=many", SPACE, create=True)
    assert str(told.value) == f"--store lancedb://{tmp_path}/lance?exact=many: exact=many is no number of rows"
