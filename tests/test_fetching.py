"""Sources to pages: each real file once, in a stable order, every other thing a skip with its reason."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wrac.core.errors import ConfigError, InputError, RemoteError
from wrac.core.types import Page
from wrac.fetching import MAX_SIZE, Skip, media, pages

PAGE = b"<!doctype html><title>T</title><p>Text.</p>"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    (root / "how-to").mkdir(parents=True)
    for name in ("index.html", "faq.htm", "how-to/start.xhtml", "notes.md", "plain.txt"):
        (root / name).write_bytes(PAGE)
    return root


def read(sources: Sequence[str | Path], **options: Any) -> tuple[list[str], dict[str, str]]:
    """Page urls in order, and reason by url of what was skipped."""
    found = list(pages([str(source) for source in sources], **options))
    return [f.url for f in found if isinstance(f, Page)], {f.url: f.reason for f in found if isinstance(f, Skip)}


# Names


def test_a_directory_is_read_sorted_and_named_from_its_own_name(site: Path) -> None:
    urls, skips = read([site])
    assert urls == ["site/faq.htm", "site/how-to/start.xhtml", "site/index.html", "site/notes.md", "site/plain.txt"]
    assert not skips


def test_relative_sources_keep_their_path_so_a_folder_and_a_file_in_it_agree(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site.parent)
    assert read(["site/how-to"])[0] == read(["./site/how-to/start.xhtml"])[0] == ["site/how-to/start.xhtml"]
    monkeypatch.chdir(site)
    assert read(["."])[0][0] == "faq.htm"
    assert read(["../site/index.html"])[0] == ["index.html"]


def test_base_gives_the_published_addresses(site: Path) -> None:
    (site / "a b#c.html").write_bytes(PAGE)
    urls, _ = read([site], base="https://docs.example.com/v1")
    assert urls[0] == "https://docs.example.com/v1/a%20b%23c.html"
    assert "https://docs.example.com/v1/how-to/start.xhtml" in urls
    with pytest.raises(ConfigError, match="absolute URL"):
        pages([str(site)], base="docs")


def test_sources_that_would_share_names_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    for folder in ("a/docs", "b/docs"):
        (tmp_path / folder).mkdir(parents=True)
    with pytest.raises(InputError, match="same names as those of"):
        pages([str(tmp_path / "a/docs"), str(tmp_path / "b/docs")])


def test_a_name_that_is_not_utf8_becomes_text(site: Path) -> None:
    try:
        (site / os.fsdecode(b"caf\xe9.html")).write_bytes(PAGE)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert "site/caf\\xe9.html" in read([site])[0]


# Each real file once


def test_the_same_file_through_two_sources_is_read_once(site: Path) -> None:
    urls, skips = read([site, site / "index.html", site])
    assert urls.count("site/index.html") == 1
    assert skips == {"index.html": "already read under another name"}


def test_links_inside_are_read_under_the_real_name_whatever_sorts_first(site: Path) -> None:
    (site / "a-link.html").symlink_to(site / "index.html")
    (site / "a-folder").symlink_to(site / "how-to")
    urls, skips = read([site])
    assert urls[-3:] == ["site/index.html", "site/notes.md", "site/plain.txt"]
    assert set(skips.values()) == {"link to what is read under its own name"}
    assert set(skips) == {"site/a-link.html", "site/a-folder"}


def test_links_that_lead_out_or_to_hidden_folders_are_followed_once(site: Path, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "terms.html").write_bytes(PAGE)
    (site / ".releases").mkdir()
    (site / ".releases" / "new.html").write_bytes(PAGE)
    for link, target in (
        ("x1", tmp_path / "shared"),
        ("x2", tmp_path / "shared"),
        ("current", site / ".releases"),
    ):
        (site / link).symlink_to(target)
    urls, skips = read([site])
    assert {"site/x1/terms.html", "site/current/new.html"} <= set(urls)
    assert skips == {"site/.releases": "hidden", "site/x2": "already read under another name"}


def test_loops_of_links_end(site: Path) -> None:
    (site / "how-to" / "up").symlink_to(site)
    (site / "out").symlink_to(site.parent)
    (site / "self.html").symlink_to(site / "self.html")
    urls, skips = read([site])
    assert len(urls) == 5
    assert skips["site/how-to/up"] == skips["site/out"] == "link to a folder above"
    assert skips["site/self.html"].startswith("unreadable: too many levels of symbolic links")


def test_a_tree_deeper_than_the_interpreters_stack_is_walked(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(900):
        deep = deep / "d"
    try:
        deep.mkdir(parents=True)
    except (OSError, RecursionError):
        for n in range(1, 901):
            (tmp_path / "/".join("d" * n)).mkdir(exist_ok=True)
    (deep / "x.html").write_bytes(PAGE)
    assert len(read([tmp_path / "d"])[0]) == 1


# What is no page


def test_everything_else_in_a_folder_is_a_skip_with_its_reason(site: Path) -> None:
    (site / ".git").mkdir()
    (site / "logo.PNG").write_bytes(b"\x89PNG\r\n\x1a\n")
    (site / "Makefile").write_bytes(b"all:")
    (site / "empty.html").write_bytes(b" \n")
    (site / "picture.html").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (site / "gone.html").symlink_to(site / "nothing")
    (site / "folder.html").mkdir()
    (site / "folder.html" / "inner.html").write_bytes(PAGE)
    os.mkfifo(site / "pipe.html")
    urls, skips = read([site])
    assert "site/folder.html/inner.html" in urls
    assert skips == {
        "site/.git": "hidden",
        "site/logo.PNG": "not a page: .png",
        "site/Makefile": "not a page: no extension",
        "site/empty.html": "empty",
        "site/picture.html": "not text: PNG image",
        "site/gone.html": "unreadable: link to nothing",
        "site/pipe.html": "not a regular file",
    }


def test_a_missing_source_is_an_error_before_the_first_page(site: Path) -> None:
    with pytest.raises(InputError, match="no such file or directory; check the path"):
        pages([str(site), str(site / "nope.html")])


def test_an_unknown_scheme_is_an_error() -> None:
    with pytest.raises(InputError, match="ftp:// is not read"):
        pages(["ftp://example.com/x.html"])


def test_a_named_file_without_a_telling_name_is_judged_by_its_look(tmp_path: Path) -> None:
    (tmp_path / "saved").write_bytes(PAGE)
    (tmp_path / "settings.toml").write_bytes(b"a = 1\n")
    urls, skips = read([tmp_path / "saved", tmp_path / "settings.toml"])
    assert urls == ["saved"]
    assert skips == {"settings.toml": "not a page: .toml"}


def test_size_is_capped_and_the_cap_names_its_option(site: Path) -> None:
    (site / "big.html").write_bytes(PAGE + b"x" * 2048)
    _, skips = read([site], max_size=1024)
    assert skips == {"site/big.html": "larger than 0.000976562 MB (raise it with --max-size)"}
    assert MAX_SIZE > 50 * 2**20


def test_standard_input_is_a_page_named_dash() -> None:
    (page,) = pages(["-"], stdin=io.BytesIO(PAGE), meta={"product": "x"})
    assert isinstance(page, Page)
    assert (page.url, page.body, page.media_type, dict(page.meta)) == ("-", PAGE, "text/html", {"product": "x"})
    (skip,) = pages(["-"], stdin=io.BytesIO(b""))
    assert skip == Skip("-", "empty")


def test_pages_are_made_one_at_a_time(site: Path) -> None:
    stream = pages([str(site)])
    assert isinstance(next(stream), Page)
    (site / "index.html").unlink()
    assert any(isinstance(f, Skip) and f.reason.startswith("unreadable") for f in stream)


# Text or not


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]), min_size=1))
@settings(max_examples=150, deadline=None)
def test_no_text_without_controls_is_taken_for_binary_in_any_unicode_encoding(text: str) -> None:
    for encoding in ("utf-8", "utf-16", "utf-8-sig"):
        assert media.binary(f"<p>{text}".encode(encoding)) == ""
    assert media.binary(f"RIFF {text}".encode()) == ""


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\x1f\x8b\x08\0abc", "gzip archive"),
        (bytes(range(256)) * 40, "binary data"),
        (b"<p>ni\0hao</p>", ""),
        (("<p>UTF-16 without a byte order mark " * 9).encode("utf-16-le"), ""),
        (("<p>UTF-16 without a byte order mark " * 9).encode("utf-16-be"), ""),
        (b"<p>" + b"a\0" * 3, ""),
        (b"RIFF, GIF8 and OggS are the first letters of some formats", ""),
    ],
)
def test_binary(body: bytes, kind: str) -> None:
    assert media.binary(body) == kind


@pytest.mark.parametrize(
    ("header", "url", "expected"),
    [
        ("text/html; charset=ISO-8859-1", "https://e.org/", ("text/html", "iso-8859-1")),
        ('text/html; boundary=x; Charset="utf-8"', "https://e.org/", ("text/html", "utf-8")),
        ("", "https://e.org/readme.md", ("text/markdown", "")),
        ("", "https://e.org/", ("text/html", "")),
        ("text/plain; charset=utf-8", "https://e.org/readme.md?raw=1", ("text/markdown", "utf-8")),
        ("text/plain", "https://e.org/robots.txt", ("text/plain", "")),
        ("application/pdf", "https://e.org/x.html", ("application/pdf", "")),
        ("application/octet-stream", "https://e.org/x.pdf?v=2", ("application/pdf", "")),
        ("application/octet-stream", "https://e.org/x", ("", "")),
        ("text/plain", "https://e.org/prices.csv", ("text/csv", "")),
        ("image/png", "https://e.org/x.html", ("", "")),
    ],
)
def test_media_type_by_header(header: str, url: str, expected: tuple[str, str]) -> None:
    assert media.by_header(header, url) == expected


# HTTP


def serve(answer: Callable[[httpx2.Request], httpx2.Response]) -> httpx2.MockTransport:
    return httpx2.MockTransport(answer)


def test_a_url_becomes_a_page_at_its_final_address_with_what_the_server_said() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/old":
            return httpx2.Response(301, headers={"Location": "/new"})
        assert request.headers["user-agent"].startswith("wrac/")
        headers = {"Content-Type": "text/html; charset=Shift_JIS", "ETag": '"7"', "Last-Modified": "yesterday"}
        return httpx2.Response(200, headers=headers, content="<p>日本".encode("shift_jis"))

    (page,) = pages(["https://e.org/old#part"], transport=serve(answer), meta={"a": "b"})
    assert isinstance(page, Page)
    assert (page.url, page.charset, page.etag, page.last_modified) == (
        "https://e.org/new", "shift_jis", '"7"', "yesterday",
    )  # fmt: skip
    assert (page.status, dict(page.meta)) == (200, {"a": "b"})


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (404, "https://e.org/: the server answered 404 Not Found; check the address"),
        (403, "https://e.org/: the server answered 403 Forbidden; it wants a login: save the page and give the file"),
        (503, "https://e.org/: the server answered 503 Service Unavailable; try again later"),
    ],
)
def test_a_refusal_says_what_to_do(status: int, message: str) -> None:
    with pytest.raises(RemoteError) as caught:
        list(pages(["https://e.org/"], transport=serve(lambda _: httpx2.Response(status))))
    assert str(caught.value) == message


def test_network_faults_are_remote_errors() -> None:
    def fail(error: type[httpx2.RequestError]) -> httpx2.MockTransport:
        def answer(request: httpx2.Request) -> httpx2.Response:
            raise error("name does not resolve", request=request)

        return serve(answer)

    with pytest.raises(RemoteError, match=r"cannot be fetched \(name does not resolve\)"):
        list(pages(["https://e.org/"], transport=fail(httpx2.ConnectError)))
    with pytest.raises(RemoteError, match="no answer in time"):
        list(pages(["https://e.org/"], transport=fail(httpx2.ReadTimeout)))
    with pytest.raises(RemoteError, match="redirects in a circle"):
        list(pages(["https://e.org/"], transport=serve(lambda _: httpx2.Response(302, headers={"Location": "/"}))))


def test_a_url_that_is_none_is_an_input_error() -> None:
    with pytest.raises(InputError, match="not a URL"):
        list(pages(["http://[1::2/"]))


def test_an_endless_answer_is_cut_at_the_cap() -> None:
    class Endless(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            while True:
                yield b"x" * 1000

    endless = serve(lambda _: httpx2.Response(200, headers={"Content-Type": "text/html"}, stream=Endless()))
    assert list(pages(["https://e.org/"], transport=endless, max_size=2**20)) == [
        Skip("https://e.org/", "larger than 1 MB (raise it with --max-size)")
    ]


def test_a_url_of_another_type_is_a_skip() -> None:
    png = serve(lambda _: httpx2.Response(200, headers={"Content-Type": "image/png"}, content=b"\x89PNG"))
    assert list(pages(["https://e.org/x"], transport=png)) == [Skip("https://e.org/x", "not a page: image/png")]


def test_standard_input_takes_its_url_from_base() -> None:
    page = next(iter(pages(["-"], base="https://docs.example.com/a.html", stdin=io.BytesIO(b"<p>x</p>"))))
    assert page.url == "https://docs.example.com/a.html"


@pytest.mark.parametrize("meta", [{"a": 3}, {"": "y"}, {"a": "\ud800"}])
def test_metadata_that_cannot_be_kept_is_refused(meta: Any) -> None:
    with pytest.raises(ConfigError):
        pages(["-"], meta=meta)


def test_a_base_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(ConfigError, match="not valid Unicode"):
        pages(["-"], base="https://x.example/\udce9/")


def test_an_empty_name_is_no_source() -> None:
    with pytest.raises(InputError, match="an empty name is no source"):
        pages([""])
