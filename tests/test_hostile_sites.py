"""A site that means harm, and one that is merely broken: what a crawl makes of each, and what it never does."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import shutil
import subprocess
import time
import tracemalloc
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.served import Asked, Raw, Reply, Route, Served, linking, served
from tests.test_crawl import crawl, paths, skips

from wrac.core.types import Page
from wrac.fetching.site import pace, sitemaps
from wrac.fetching.site.client import Client, Manners
from wrac.fetching.site.crawl import Crawl, InMemory, Wanted
from wrac.fetching.site.links import links
from wrac.fetching.site.sitemaps import DEEPEST, read
from wrac.fetching.site.urls import DAYS, Scope, Traps, normal
from wrac.fetching.skip import Skip

QUICK = Manners(private=True, attempts=1, timeout=2.0, longest=2.0)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def one(site: Served, manners: Manners = QUICK) -> str:
    """Why the page at `/` is none, "" when it is one."""
    return skips(site, crawl(site, "/", manners=manners)).get("/", "")


# -- where a redirect leads


@pytest.mark.parametrize("target", ["file:///etc/passwd", "javascript:alert(1)", "data:text/html,<p>x", ""])
def test_a_redirect_to_what_is_no_web_address_is_told(target: str) -> None:
    with served({"/": Reply(b"", 302, headers={"Location": target})}) as site:
        assert one(site) == f"redirects to {target!r}, which is no web address"


def test_a_redirect_without_a_target_and_a_long_chain_are_told() -> None:
    def further(asked: Asked) -> Reply:
        return Reply(b"", 302, headers={"Location": f"/{int(asked.path.strip('/') or 0) + 1}"})

    with served({"/": Reply(b"", 301), **{f"/{n}": further for n in range(30)}}) as site:
        assert one(site) == "redirects to '', which is no web address"
        site.routes["/"] = further
        assert one(site) == "redirects more than 10 times"


def test_a_redirect_from_the_internet_into_the_network_is_not_followed() -> None:
    """The first host is reached by the crawl's own leave; the second is on this machine and is refused."""
    with served({"/": "<h1>Secret</h1>"}, host="127.0.0.2") as inside:
        with served({"/": Reply(b"", 302, headers={"Location": inside.url})}) as site:
            crawl(site, "/", manners=replace(QUICK, private=False))
            assert site.log == []
        assert inside.log == []


def test_a_login_goes_to_its_own_origin_alone_and_cookies_to_the_question_they_came_with() -> None:
    def other(_: Asked) -> Reply:
        return Reply(linking(title="Other").encode())

    with served({"/docs/": other}, host="127.0.0.2") as away, served({"/docs/x": other}) as port:
        routes: Mapping[str, Route] = {
            "/docs/": linking("a", "b", "port"),
            "/docs/a": Reply(b"", 302, headers={"Location": f"{away.url}/docs/", "Set-Cookie": "a=1"}),
            "/docs/b": Reply(b"<p>Page B", headers={"Set-Cookie": "visit=4711"}),
            "/docs/port": Reply(b"", 302, headers={"Location": f"{port.url}/docs/x"}),
        }
        with served(routes) as site:
            login = {site.url: {"Authorization": "secret"}}
            crawl(site, manners=replace(QUICK, headers=login))
            assert {one.headers.get("Authorization") for one in site.log} == {"secret"}
            assert not [one for one in site.log if "Cookie" in one.headers]
        assert [one.headers.get("Authorization") for one in (*away.log, *port.log)] == [None] * 4


def test_a_host_that_sends_a_reader_round_for_a_cookie_is_read() -> None:
    def home(asked: Asked) -> Reply:
        known = "seen=1" in asked.headers.get("Cookie", "")
        return Reply(b"<p>Welcome.") if known else Reply(b"", 302, headers={"Location": "/check"})

    back = Reply(b"", 302, headers={"Location": "/", "Set-Cookie": "seen=1"})
    with served({"/": home, "/check": back}) as site:
        assert paths(site, crawl(site, "/", manners=QUICK)) == ["/"]


def test_a_start_that_moved_takes_the_site_along_and_pages_that_moved_do_not() -> None:
    new: Mapping[str, Route] = {
        "/handbook/": linking("a", "/blog/"),
        "/handbook/a": "<p>Page A",
        "/handbook/b": "<p>Page B",
        "/blog/": "<p>Blog",
        "/sitemap.xml": "<urlset><url><loc>/handbook/b</loc></url></urlset>",
    }
    with served(new, host="127.0.0.2") as home:
        moved = Reply(b"", 301, headers={"Location": f"{home.url}/handbook/"})
        with served({"/docs/": moved}) as old:
            found = crawl(old, manners=QUICK)
            urls = sorted(page.url for page in found if isinstance(page, Page))
            assert urls == [f"{home.url}/handbook/", f"{home.url}/handbook/a", f"{home.url}/handbook/b"]
        with served({"/docs/": linking("a"), "/docs/a": moved}) as old:
            assert skips(old, crawl(old, manners=QUICK))["/docs/a"].endswith("/handbook/, outside the site")


# -- answers that do not end, lie, or break off


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (Raw((HEAD + b"\r\n", *(b"<p>drip" for _ in range(60))), 0.1), "took longer than 2 s"),
        (Raw((HEAD + b"Content-Length: 500\r\n\r\n<p>Short",)), "no answer: peer closed connection"),
        (Raw((HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<p>Hi\r\nzz\r\n",)), "no answer: "),
        (Raw((HEAD + b"X: " + b"a" * 300_000 + b"\r\n\r\n<p>Hi",)), "no answer: "),
        (Raw((b"",)), "no answer: "),
        (Raw((b"SSH-2.0-OpenSSH_9.2\r\n",)), "no answer: "),
        (Raw((b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot gzip at all",)), "damaged: "),
        (Raw((b"HTTP/1.1 200 OK\r\nContent-Encoding: snappy\r\n\r\nxyz",)), "packed as snappy, "),
    ],
    ids=["slow-loris", "too short", "broken chunks", "huge header", "closed", "another protocol", "no gzip", "unknown"],
)  # fmt: skip
def test_a_broken_answer_is_told_in_time(raw: Raw, why: str) -> None:
    with served({"/": raw}) as site:
        started = time.monotonic()
        assert one(site).startswith(why)
        assert time.monotonic() - started < 4


def test_an_endless_answer_is_cut_and_an_old_protocol_is_read() -> None:
    endless = Raw(itertools.chain((HEAD + b"\r\n",), itertools.repeat(b"<p>" + b"a" * 65_000)))
    old = Raw((b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>From another time.",))
    with served({"/": endless}) as site:
        assert one(site, replace(QUICK, largest=1_000_000)).startswith("larger than")
        site.routes["/"] = old
        assert one(site) == ""


@pytest.mark.parametrize("packing", ["gzip", "br"])
def test_a_small_answer_that_unpacks_to_anything_costs_little_memory(packing: str) -> None:
    if packing == "br":
        brotli = pytest.importorskip("brotli", reason="no brotli (pip install brotli)")
        body = brotli.compress(bytes(200 * 2**20), quality=1)
    else:
        body = gzip.compress(bytes(200 * 2**20), 1)
    with served({"/": Reply(body, headers={"Content-Encoding": packing})}) as site:
        tracemalloc.start()
        assert one(site, replace(QUICK, largest=10**6)).startswith("larger than")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 32 * 2**20


def test_pages_are_what_their_bytes_are() -> None:
    names = ("text", "pdf", "picture", "xhtml", "empty", "same", "charset")
    routes: Mapping[str, Route] = {
        "/": linking(*names),
        "/text": Reply(b"<!DOCTYPE html><p>HTML all the same.", kind="text/plain"),
        "/pdf": Reply(b"%PDF-1.7 and so on", kind="text/html"),
        "/picture": Reply(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0", kind="text/html"),
        "/xhtml": Reply(b'<html xmlns="http://www.w3.org/1999/xhtml"><a href="/deep">Deep</a></html>',
                        kind="application/xhtml+xml"),
        "/deep": "<p>Deep",
        "/empty": Reply(b" \n"),
        "/same": Reply(b"", 304),
        "/charset": Reply("<p>Straße".encode("latin-1"), kind="text/html; charset=nonsense"),
    }  # fmt: skip
    with served(routes) as site:
        found = crawl(site, "/", manners=QUICK)
        types = {page.url.rpartition("/")[2]: page.media_type for page in found if isinstance(page, Page)}
        assert types == {
            "": "text/html", "text": "text/html", "pdf": "application/pdf", "xhtml": "application/xhtml+xml",
            "deep": "text/html", "charset": "text/html",
        }  # fmt: skip
        assert skips(site, found) == {"/picture": "not text: PNG image", "/empty": "empty", "/same": "empty"}


def test_a_certificate_that_nobody_vouches_for_is_an_error(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl")
    both = tmp_path / "both.pem"
    made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=x"]
    subprocess.run([openssl, *made, "-keyout", both, "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    both.write_text(both.read_text() + (tmp_path / "cert.pem").read_text())
    with served({"/": "<p>Private"}, tls=both) as site:
        assert "certificate verify failed" in one(site)
        assert site.log == []


# -- a host that has had enough, or is not there


def test_a_host_that_always_says_it_is_too_much_ends_the_crawl_and_nothing_is_settled() -> None:
    pages = [f"/{number}" for number in range(40)]
    busy = dict.fromkeys(pages, Reply(b"", 429, headers={"Retry-After": "0"}))
    with served({"/": linking(*pages), **busy}) as site:
        frontier = InMemory()

        async def run() -> list[tuple[str, list[str]]]:
            async with Client(replace(QUICK, parallel=2)) as client:
                walk = Crawl(Scope.of(f"{site.url}/"), client, frontier)
                return [(v.url, [s.reason for s in v.found if isinstance(s, Skip)]) async for v in walk.run()]

        visits = asyncio.run(run())
        assert visits[-1] == ("", [f"{pace.PATIENCE} times in a row: the server answered 429"])
        assert len(visits) <= pace.PATIENCE + 2
        assert len(site.log) <= pace.PATIENCE + 6


def test_a_host_that_asks_to_be_left_alone_for_long_is() -> None:
    with served({"/": Reply(b"", 503, headers={"Retry-After": "86400"})}) as site:
        started = time.monotonic()
        assert one(site, replace(QUICK, attempts=4)) == "it asks to be left alone for 86400 s"
        assert time.monotonic() - started < 3
        assert len(site.asked("/")) == 1


def test_one_page_in_trouble_does_not_slow_the_others() -> None:
    pages = [f"/{number}" for number in range(20)]
    with served({"/": linking("/bad", *pages), "/bad": Reply(b"", 500), **dict.fromkeys(pages, "<p>Page")}) as site:
        crawl(site, "/", manners=replace(QUICK, attempts=2, parallel=2))
        last = {one.path: one.at for one in site.log}
        assert max(at for path, at in last.items() if path != "/bad") < last["/bad"]


def test_time_in_the_queue_is_no_time_of_an_answer() -> None:
    pages = [f"/{number}" for number in range(5)]
    with served({"/": linking(*pages), **dict.fromkeys(pages, "<p>Page")}) as site:
        site.routes["/robots.txt"] = Reply(b"User-agent: *\nCrawl-delay: 0.3", kind="text/plain")
        assert len(paths(site, crawl(site, "/", manners=replace(QUICK, longest=0.5)))) == 6


# -- robots.txt and sitemaps


@pytest.mark.parametrize(
    ("body", "read_"),
    [
        (b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /no", True),
        (b"User-Agent: WRAC\rDisallow: /no", True),
        (b"<!doctype html><h1>Not found</h1>", False),
        (bytes(range(256)) * 40_000, False),
        (b"User-agent: *\nDisallow: /no\n" + b"# comment\n" * 10**6, True),
        (b"Crawl-delay: nonsense\nSitemap: \nUser-agent: *\nDisallow: /no\nCrawl-delay: nan", True),
    ],
    ids=["bom", "old line ends", "a page", "binary", "10 MB", "nonsense"],
)
def test_a_robots_file_is_read_as_far_as_it_is_one(body: bytes, read_: bool) -> None:
    with served({"/": linking("/no"), "/no": "<p>No", "/robots.txt": Reply(body, kind="text/plain")}) as site:
        assert ("/no" in paths(site, crawl(site, "/", manners=QUICK))) is not read_


def test_a_robots_file_that_never_ends_closes_its_host_in_time_and_one_elsewhere_is_read() -> None:
    drip = Raw((b"HTTP/1.1 200 OK\r\n\r\n", *(b"#" for _ in range(60))), 0.1)
    with served({"/": "<p>Page", "/robots.txt": drip}) as site:
        assert one(site) == "took longer than 2 s"
        assert site.asked() == ["/robots.txt"]
    with served({"/rules": Reply(b"User-agent: *\nDisallow: /", kind="text/plain")}, host="127.0.0.2") as other:
        moved = Reply(b"", 302, headers={"Location": f"{other.url}/rules"})
        with served({"/": "<p>Page", "/robots.txt": moved}) as site:
            assert one(site) == "robots.txt does not allow it"


def test_a_crawl_delay_of_a_day_is_not_waited_for() -> None:
    rules = Reply(b"User-agent: *\nCrawl-delay: 86400", kind="text/plain")
    with served({"/": "<p>Page", "/robots.txt": rules}) as site:
        assert one(site).startswith("its robots.txt asks for 86400 s between two questions; --ignore-robots")
        assert site.asked() == ["/robots.txt"]


def test_headers_ask_robots_things_too() -> None:
    said = {
        "/a": "noindex", "/b": "otherbot: noindex", "/c": "wrac: none", "/d": "unavailable_after: 25 Jun 2010",
        "/e": "nofollow",
    }  # fmt: skip
    routes = {path: Reply(linking(f"{path}/x").encode(), headers={"X-Robots-Tag": told}) for path, told in said.items()}
    with served({"/": linking(*said), **routes, **{f"{path}/x": "<p>X" for path in said}}) as site:
        assert paths(site, crawl(site, "/", manners=QUICK)) == ["/", "/a/x", "/b", "/b/x", "/d", "/d/x", "/e"]


def test_sitemaps_in_circles_of_other_hosts_and_of_odd_shape_do_no_harm() -> None:
    with served({"/map.xml": "<urlset><url><loc>/x</loc></url></urlset>"}, host="127.0.0.2") as other:
        maps = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in ("/sitemap.xml", f"{other.url}/map.xml"))
        pages = f"<url><loc>{other.url}/x</loc></url><url><loc>file:///etc/passwd</loc></url><url/><url><loc/></url>"
        with served({"/": "<p>Home", "/sitemap.xml": f"<sitemapindex>{maps}{pages}</sitemapindex>"}) as site:
            assert paths(site, crawl(site, "/", manners=QUICK)) == ["/"]
            assert site.asked("/sitemap.xml") == ["/sitemap.xml"]
        assert other.log == []


def test_a_sitemap_of_anything_but_entries_is_never_kept() -> None:
    tracemalloc.start()
    assert read(b"<urlset>" + b"<a/>" * 500_000 + b"<url><loc>/x</loc></url></urlset>").pages[0].url == "/x"
    assert read(b"<a>" * 500_000).problem == f"more than {DEEPEST} levels deep; the rest is not read"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 * 2**20


@given(st.binary(max_size=400).flatmap(lambda body: st.sampled_from([body, b"<urlset><url><loc>" + body])))
def test_any_bytes_are_read_as_a_sitemap(body: bytes) -> None:
    found = read(body)
    assert len(found.pages) <= sitemaps.MOST


# -- addresses


@pytest.mark.parametrize(
    ("given_", "found"),
    [
        ("HTTP://USER:pw@E.Example.:80/%7ea/../b%2f?", "http://e.example/b%2F"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://bücher.example/ü?ü=ß", "http://xn--bcher-kva.example/%C3%BC?%C3%BC=%C3%9F"),
        ("\\a\\b", "https://e.example/a/b"),
        ("//other.example/x", "https://other.example/x"),
        ("ht\ntps://e.exa\tmple/x", "https://e.example/x"),
        ("/\ud800", "https://e.example/%ED%A0%80"),
        ("javascript:void(0)", ""),
        ("http://e.example:99999/", ""),
        ("http://[::1", ""),
        ("mailto:a@b.example", ""),
        ("tel:+1", ""),
    ],
)  # fmt: skip
def test_addresses_have_one_form(given_: str, found: str) -> None:
    assert normal(given_, "https://e.example/d/") == found


@pytest.mark.parametrize(
    ("content", "target"),
    [("300", ""), ("5; ", ""), ("0;url=/x", "/x"), ("0; URL='/x'", "/x"), ("1.5,/x", "/x"), ("0 url=x", "/d/x")],
)
def test_a_page_that_sends_its_reader_on_is_followed_and_one_that_shows_itself_again_is_not(
    content: str, target: str
) -> None:
    html = f'<meta http-equiv=refresh content="{content}">'
    found = links(html.encode(), "http://e.example/d/").refresh
    assert found == (f"http://e.example{target}" if target else "")


def test_a_link_that_every_page_has_is_no_trap() -> None:
    months = [f"/{year}/{month:02}/" for year in range(2001, 2004) for month in range(1, 13)]
    pages = {f"/p{number}": linking(*months) for number in range(15)}
    with served({"/": linking(*pages), **pages, **dict.fromkeys(months, "<p>Month")}) as site:
        assert len(paths(site, crawl(site, "/", manners=QUICK))) == 1 + 15 + 36


def test_numbers_that_look_like_years_are_no_calendar() -> None:
    traps = Traps()
    assert not any(traps.why(f"https://e.example/question/{number}") for number in range(1000, 9000))


def test_a_page_with_very_many_links_and_a_long_frontier_cost_little() -> None:
    html = "".join(f"<a href=/n/{number}>x</a>" for number in range(60_000)).encode()
    frontier = InMemory()
    started = time.monotonic()
    frontier.add(Wanted(url) for url in links(html, "https://e.example/").pages)
    traps = Traps()
    assert not any(traps.why(item.url) for item in frontier.known())
    assert len(frontier.seen) == 60_000
    assert time.monotonic() - started < 10


def test_a_calendar_ends_and_is_told_once() -> None:
    def day(asked: Asked) -> Reply:
        today = date.fromisoformat(asked.path.rpartition("/")[2])
        return Reply(linking(f"/d/{today + timedelta(1)}", f"/d/{today + timedelta(2)}", "/d/2001-01-01").encode())

    days = (date(2001, 1, 1) + timedelta(number) for number in range(900))
    with served({"/": linking("/d/2001-01-01"), **{f"/d/{one}": day for one in days}}) as site:

        async def run() -> Crawl:
            async with Client(replace(QUICK, parallel=8)) as client:
                seen = Counter({f"{site.url.removeprefix('http://')}/d/#-#-#?": DAYS - 20})
                traps = Traps(dates=seen.copy(), shapes=seen.copy())
                walk = Crawl(Scope.of(f"{site.url}/", pages=600), client, traps=traps)
                async for _ in walk.run():
                    pass
                return walk

        walk = asyncio.run(run())
        assert walk.passed == {f"trap: more than {DAYS} addresses that differ by a date": 2}
        assert walk.frontier.taken() == 20 + 1


@pytest.mark.parametrize("title", ["Page not found", "Oops"])
def test_what_a_site_shows_where_there_is_no_page_is_none(title: str) -> None:
    numbers = itertools.count(4711)

    def nothing(asked: Asked) -> Reply:
        name = asked.path.strip("/")
        return Reply(linking(title=f"{title}: {name}, visit {next(numbers)}").encode())

    class Anywhere(dict[str, Route]):
        def get(self, path: str, _: object = None) -> Route | None:  # type: ignore[override]
            return super().get(path, Reply(b"", 404) if path.endswith((".txt", ".xml")) else nothing)

    items = {f"/item/{number}": f"<h1>Item {number}</h1><p>It costs {number * 3} euros." for number in range(5)}
    with served({}) as site:
        site.routes = Anywhere({"/": linking("/gone/x", "/gone/y", *items), **items})
        found = crawl(site, "/", manners=QUICK)
        reasons = {path: why for path, why in skips(site, found).items() if "/gone/" in path}
        assert reasons == dict.fromkeys(("/gone/x", "/gone/y"), "what the site shows where there is no page")
        assert set(items) <= set(paths(site, found))
        assert len([path for path in site.asked() if "wrac-" in path]) == 1


class Everywhere(dict[str, Route]):
    """The same page at each address but for those named."""

    def __init__(self, routes: Mapping[str, Route], page: str) -> None:
        super().__init__(routes)
        self.page = page

    def get(self, path: str, _: object = None) -> Route | None:  # type: ignore[override]
        return super().get(path, self.page)


def test_an_application_that_answers_everywhere_alike_and_an_article_on_errors_are_pages() -> None:
    article = linking(title="404 Not Found: what the status means")
    shell = "<!doctype html><title>App</title><div id=root></div><a href=/a>A</a><a href=/b>B</a>"
    with served({"/": shell, "/a": shell, "/b": shell}) as site:
        found = crawl(site, "/", manners=QUICK)
        assert paths(site, found) == ["/", "/a", "/b"]

    def same(asked: Asked) -> Reply:
        return Reply(b"", 304) if "If-None-Match" in asked.headers else Reply(shell.encode())

    with served({}) as site:
        site.routes = Everywhere({"/": same, "/robots.txt": Reply(b"", 404)}, shell)
        kept = [replace(page, url=site.url + "/", etag="x") for page in found if isinstance(page, Page)][:1]
        assert paths(site, crawl(site, "/", stored=kept, manners=QUICK)) == ["/a", "/b"]
    with served({"/": linking("/article"), "/article": article}) as site:
        assert paths(site, crawl(site, "/", manners=QUICK)) == ["/", "/article"]
