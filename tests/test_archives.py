"""Archives as sources: WARC out and in again gives the same pages, Parquet rows are pages, broken files are told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wrac.core.errors import InputError
from wrac.core.types import Page
from wrac.fetching import pages
from wrac.fetching.skip import Skip


def needed(name: str) -> Any:
    """A package of an extra; skips without it, but not in CI."""
    return __import__(name) if os.environ.get("CI") else pytest.importorskip(name)


HEADER = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
PAGES = st.lists(
    st.builds(
        Page,
        st.from_regex(r"https://[a-z]{1,8}\.example/[a-z0-9/?=&%.]{0,20}", fullmatch=True),
        st.binary(max_size=300),
        st.sampled_from(["text/html", "text/markdown", "application/pdf"]),
        st.sampled_from(["", "utf-8", "iso-8859-1"]),
        st.integers(0, 2**31).map(lambda at: at / 64),
        HEADER,
        HEADER,
        st.integers(200, 299),
        st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=8), max_size=3),
    ),
    max_size=4,
)


@given(PAGES)
def test_what_is_written_as_warc_reads_as_the_same_pages(given_pages: list[Page]) -> None:
    needed("fastwarc")
    from wrac.fetching.warc import read, write

    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"wrac-test-{os.getpid()}.warc.gz"  # noqa: S108
    try:
        with path.open("wb") as file:
            assert write(iter(given_pages), file) == len(given_pages)
        assert list(read(path, 10_000)) == given_pages
    finally:
        path.unlink()


def archive(folder: Path, *found: Page) -> Path:
    needed("fastwarc")
    from wrac.fetching.warc import write

    path = folder / "crawl.warc.gz"
    with path.open("wb") as file:
        write(iter(found), file)
    return path


def test_an_archive_is_a_source_alone_and_in_a_folder(tmp_path: Path) -> None:
    stored = [Page(f"https://a.example/{number}", b"<h1>Page</h1>") for number in range(3)]
    path = archive(tmp_path, *stored)
    (tmp_path / "more.html").write_text("<h1>More</h1>")
    assert list(pages([str(path)])) == stored
    names = [page.url for page in pages([str(tmp_path)]) if isinstance(page, Page)]
    assert names == [*(page.url for page in stored), f"{tmp_path.name}/more.html"]


def test_user_metadata_goes_over_the_records_own(tmp_path: Path) -> None:
    path = archive(tmp_path, Page("https://a.example/", b"<p>A", meta={"product": "x", "version": "1"}))
    (page,) = pages([str(path)], meta={"version": "2"})
    assert isinstance(page, Page)
    assert dict(page.meta) == {"product": "x", "version": "2"}


def test_answers_that_are_no_pages_are_passed_over_or_told(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        Page("https://a.example/gone", b"no", status=404),
        Page("https://a.example/x.zip", b"PK", "application/zip"),
        Page("https://a.example/big", b"<p>" + b"a" * 3000),
        Page("https://a.example/ok", b"<p>ok"),
    )
    assert [
        (one.url, one.reason) if isinstance(one, Skip) else one.url for one in pages([str(path)], max_size=2000)
    ] == [
        ("https://a.example/x.zip", "not a page: application/zip"),
        ("https://a.example/big", "larger than 0.00190735 MB (raise it with --max-size)"),
        "https://a.example/ok",
    ]


def test_an_archive_that_breaks_off_gives_what_stands_before_and_is_told(tmp_path: Path) -> None:
    path = archive(tmp_path, *(Page(f"https://a.example/{number}", b"<p>text") for number in range(2)))
    path.write_bytes(path.read_bytes()[:-60])
    found = pages([str(path)])
    assert isinstance(next(found), Page)
    with pytest.raises(InputError, match=r"crawl.warc.gz: the archive breaks off after 1 answers"):
        next(found)


def test_a_file_that_is_no_archive_is_told(tmp_path: Path) -> None:
    needed("fastwarc")
    (tmp_path / "x.warc").write_bytes(b"nothing of the kind\n" * 9)
    with pytest.raises(InputError, match=r"x.warc: the archive breaks off after 0 answers"):
        list(pages([str(tmp_path / "x.warc")]))


def table(folder: Path, **columns: list[Any]) -> Path:
    needed("pyarrow")
    import pyarrow
    import pyarrow.parquet

    path = folder / "pages.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def test_rows_of_a_parquet_file_are_pages(tmp_path: Path) -> None:
    path = table(tmp_path, URL=["https://a.example/1", None, "https://a.example/3"], html=["<h1>Ä</h1>", "<p>x", ""])
    found = list(pages([str(path)]))
    assert isinstance(found[0], Page)
    assert (found[0].url, found[0].body, found[0].charset) == ("https://a.example/1", "<h1>Ä</h1>".encode(), "utf-8")
    assert [one.reason for one in found if isinstance(one, Skip)] == ["a row without an address", "empty"]


def test_a_parquet_file_without_pages_says_what_it_has(tmp_path: Path) -> None:
    path = table(tmp_path, url=["https://a.example/1"], title=["A"])
    with pytest.raises(InputError, match="no column of pages among url, title; name it html"):
        list(pages([str(path)]))
    path.write_bytes(b"PAR1 nothing")
    with pytest.raises(InputError, match="no Parquet file that can be read"):
        list(pages([str(path)]))
