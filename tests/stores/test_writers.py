"""Stores that several processes write to: nothing is lost, nothing is there twice, and a kill leaves whole pages."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from tests import postgres
from tests.stores.program import ROWS, page_of
from tests.stores.stores import SPACE, needed

from wrac.indexing.stores import open_index

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["lancedb", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty index."""
    if request.param == "lancedb":
        needed("lancedb")
        found = f"lancedb://{tmp_path}/lance"
    else:
        needed("psycopg", "pgvector")
        found = postgres.url()
    open_index(found, SPACE, create=True).close()
    return found


def start(url: str, first: int, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.stores.program", url, str(first), str(count)]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors


def test_two_writers_lose_nothing_of_each_other(url: str) -> None:
    both = [start(url, 0, 24), start(url, 20, 24)]  # four pages by both
    for process in both:
        finish(process)
    with closing(open_index(url, SPACE)) as index:
        counted = Counter(page for page, _, _ in index.contents())
        assert counted == {page_of(number).page: ROWS for number in range(44)}
        assert index.check() == []
        assert index.lexical(["page43"], 9)[0][0] in {one.entry for one in page_of(43).rows}


def test_a_kill_in_the_middle_leaves_whole_pages_and_writing_again_all(url: str) -> None:
    process = start(url, 0, 400)
    assert process.stdout is not None
    for _ in range(3):
        process.stdout.readline()
    process.kill()
    process.communicate()
    with closing(open_index(url, SPACE)) as index:
        counted = Counter(page for page, _, _ in index.contents())
        assert 8 <= len(counted) < 400
        assert set(counted.values()) == {ROWS}
        assert index.check() == []
    for _ in range(2):
        finish(start(url, 0, 40))
    with closing(open_index(url, SPACE)) as index:
        assert {page_of(number).page for number in range(40)} <= {page for page, _, _ in index.contents()}
        assert index.check() == []
