"""`wrac index --site`, `refresh`, `forget`, `gc` and `export` as a user types them, against a server on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.commands import command
from tests.served import Reply, Route, linking, served
from tests.test_archives import needed

PAGES = {
    "/docs/": linking("a.html", "b.html", "/elsewhere/", title="Docs"),
    "/docs/a.html": linking("b.html", title="Refunds take five days"),
    "/docs/b.html": linking(title="Shipping costs four euros"),
    "/elsewhere/": linking(title="Not of these docs"),
}


def told(*arguments: str | Path, cwd: Path) -> Any:
    code, out, errors = command(*arguments, "--json", cwd=cwd)
    assert code == 0, errors
    return json.loads(out)


def test_a_site_is_crawled_asked_again_exported_forgotten_and_collected(tmp_path: Path) -> None:
    needed("fastwarc")
    with served(PAGES) as site:
        start = f"{site.url}/docs/"
        report = told("index", start, "--site", "--allow-private", "--no-progress", cwd=tmp_path)
        assert (report["pages"], report["added"], report["requests"]) == (3, 3, 5)
        again = told("refresh", "--no-progress", cwd=tmp_path)
        assert (again["added"], again["changed"], again["unchanged"], again["embedded"]) == (0, 0, 3, 0)
        assert told("export", "--warc", "site.warc.gz", cwd=tmp_path)["pages"] == 3
    copy = told("index", "site.warc.gz", "-w", "copy", "--no-progress", cwd=tmp_path)
    assert copy["pages"] == 3
    digests = {told("verify", "--digest", "-w", place, cwd=tmp_path)["digest"] for place in (".wrac", "copy")}
    assert len(digests) == 1
    assert told("forget", f"{start}a.html", cwd=tmp_path)["pages"] == [f"{start}a.html"]
    assert told("gc", cwd=tmp_path)["vectors"] == 0


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--depth", "1"), "--depth is about a crawl: add --site"),
        (("--allow-private",), "--allow-private is about a crawl: add --site"),
        (("--header", "A: b"), "--header is about a crawl: add --site"),
        (("--site", "--header", "token"), "--header: write it as 'Name: value'"),
        (("--site", "--browser", "maybe"), "--browser maybe: choose never, auto, always"),
    ],
)
def test_options_that_make_no_sense_are_told_in_one_line(tmp_path: Path, arguments: tuple[str, ...], line: str) -> None:
    code, _, errors = command("index", "https://docs.example/", *arguments, cwd=tmp_path)
    assert (code, errors.strip()) == (2, f"wrac: {line}")


def test_a_private_site_is_refused_with_the_way_to_allow_it(tmp_path: Path) -> None:
    with served(PAGES) as site:
        code, _, errors = command("index", f"{site.url}/docs/", "--site", "--no-progress", cwd=tmp_path)
    assert code == 3
    assert "127.0.0.1 is 127.0.0.1, an address of a private network; --allow-private" in errors


def test_moments_that_are_none_and_files_of_another_name_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>A page.")
    command("index", "a.html", "--no-progress", cwd=tmp_path)
    for arguments, line in (
        (("refresh", "--since", "soon"), "--since soon: write a date such as 2026-11-30, or an age such as 12h or 3d"),
        (("export", "--warc", "pages.zip"), "pages.zip: give it a name that ends in .warc.gz"),
        (("forget", "b.html"), ".wrac: no page has the URL b.html; take one that `wrac search` shows, or use *"),
    ):
        code, _, errors = command(*arguments, cwd=tmp_path)
        assert code
        assert errors.strip().endswith(line)


def test_a_list_of_sources_is_read_from_a_file_and_one_that_is_none_is_told(tmp_path: Path) -> None:
    with served(PAGES) as site:
        (tmp_path / "urls.txt").write_text(f"# what to read\n{site.url}/docs/a.html\n\n  {site.url}/docs/b.html\n")
        assert told("index", "@urls.txt", "--no-progress", cwd=tmp_path)["pages"] == 2
    for name, line in (("@none.txt", "@none.txt: No such file"), ("@empty.txt", "@empty.txt: it lists no source")):
        (tmp_path / "empty.txt").write_text("# nothing\n")
        code, _, errors = command("index", name, cwd=tmp_path)
        assert (code, line in errors) == (3, True), errors


def test_status_tells_what_was_passed_over_by_kind_with_what_to_do_and_what_a_crawl_has_ahead(tmp_path: Path) -> None:
    pages: dict[str, Route] = {f"/docs/{n}": f"<p>Page {n}" for n in range(6)}
    pages["/docs/5"] = Reply(b"", 429, headers={"Retry-After": "86400"})
    links = linking(*map(str, range(6)), "none1", "none2", "zip", "/docs/moved")
    moved = Reply(b"", 301, headers={"Location": "1"})
    more = {"/docs/zip": Reply(b"PK", kind="application/zip"), "/docs/moved": moved}
    with served({**pages, "/docs/": links, **more}) as site:
        command("index", f"{site.url}/docs/", "--site", "--allow-private", "--at-once", "1", cwd=tmp_path)
        stopped = told("status", cwd=tmp_path)
        assert stopped["crawls"] == [{"site": f"{site.url}/docs/", "settled": 6, "ahead": 5}]
        site.routes["/docs/5"] = "<p>Page 5"
        command("index", f"{site.url}/docs/", "--site", "--allow-private", cwd=tmp_path)
        held = told("status", cwd=tmp_path)
        assert held["crawls"] == []
        kinds = {one["reason"]: (one["count"], one["do"]) for one in held["passed"]}
        assert kinds == {
            "the server answered 404": (2, "nothing: a link is broken there"),
            "not a page: application/zip": (1, "nothing, or save it in a format that is read"),
            f"the same page as {site.url}/docs/1": (1, "nothing: it is there under its other address"),
        }
        shown = command("status", cwd=tmp_path)[1]
        assert "2 skipped the server answered 404" in shown
        assert f"{site.url}/docs/none1, {site.url}/docs/none2" in shown
