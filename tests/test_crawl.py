"""A crawl of a real server on loopback: what is found, what is asked and how often, and what is refused."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.served import Asked, Reply, Route, Served, linking, served

from wrac.core.errors import WracError
from wrac.core.types import Page
from wrac.fetching.site.client import Client, Manners
from wrac.fetching.site.crawl import Crawl, Found, InMemory, Unchanged, Wanted
from wrac.fetching.site.guard import public
from wrac.fetching.site.sitemaps import LARGEST, moment, read, unpacked
from wrac.fetching.site.urls import DAYS, QUERIES, Scope, Traps, normal
from wrac.fetching.site.walk import Plan, Walk
from wrac.fetching.skip import Skip

SITE: Mapping[str, Route] = {
    "/docs/": linking("a.html", "b.html#top", "/blog/x.html", "https://elsewhere.example/", "mailto:x@y.example"),
    "/docs/a.html": linking("./", "c.html?utm_source=a", "a.html"),
    "/docs/b.html": linking("c.html", "../docs/c.html"),
    "/docs/c.html": "<h1>C</h1><p>Last.</p>",
    "/blog/x.html": "<h1>Blog</h1>",
}


def crawl(
    site: Served,
    start: str = "/docs/",
    *,
    stored: Sequence[Page] = (),
    manners: Manners | None = None,
    **limits: Any,
) -> list[Found]:
    async def run() -> list[Found]:
        async with Client(manners or Manners(private=True, pause=0.0, timeout=5.0, attempts=2)) as client:
            kept = {page.url: page for page in stored}
            walk = Crawl(Scope.of(site.url + start, **limits), client, stored=kept.get)
            return [found async for visit in walk.run() for found in visit.found]

    return asyncio.run(run())


def paths(site: Served, found: list[Found]) -> list[str]:
    return sorted(one.url.removeprefix(site.url) for one in found if isinstance(one, Page))


def skips(site: Served, found: list[Found]) -> dict[str, str]:
    return {one.url.removeprefix(site.url): one.reason for one in found if isinstance(one, Skip)}


def test_every_page_below_the_start_is_found_and_asked_for_once() -> None:
    with served(SITE) as site:
        found = crawl(site)
        assert paths(site, found) == ["/docs/", "/docs/a.html", "/docs/b.html", "/docs/c.html"]
        assert sorted(site.asked()) == [
            "/docs/",
            "/docs/a.html",
            "/docs/b.html",
            "/docs/c.html",
            "/robots.txt",
            "/sitemap.xml",
        ]


def test_depth_pages_include_and_exclude_limit_what_is_asked() -> None:
    with served(SITE) as site:
        assert paths(site, crawl(site, depth=1)) == ["/docs/", "/docs/a.html", "/docs/b.html"]
        assert len(crawl(site, pages=2)) == 2
        assert paths(site, crawl(site, exclude=("*/b.html",))) == ["/docs/", "/docs/a.html", "/docs/c.html"]
        assert paths(site, crawl(site, include=("*/b.html",))) == ["/docs/", "/docs/b.html"]


def test_robots_rules_hold_for_the_first_questions_too_which_run_at_the_same_time() -> None:
    private = [f"/private/{number}" for number in range(12)]
    routes: dict[str, Route] = {
        "/": linking("/open", *private),
        "/open": "<h1>Open</h1>",
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /private\nSitemap: /map.xml\n", kind="text/plain", slow=0.2),
        "/map.xml": Reply(
            ("<urlset>" + "".join(f"<url><loc>{path}</loc></url>" for path in private) + "</urlset>").encode()
        ),
    }
    with served({**routes, **dict.fromkeys(private, "<h1>Private</h1>")}) as site:
        found = crawl(site, "/", manners=Manners(private=True, parallel=8))
        assert paths(site, found) == ["/", "/open"]
        assert not [path for path in site.asked() if path.startswith("/private")]
        assert set(skips(site, found).values()) == {"robots.txt does not allow it"}
        assert site.asked("/robots.txt") == ["/robots.txt"]


@pytest.mark.parametrize(("status", "open_"), [(404, True), (403, True), (500, False), (503, False)])
def test_a_missing_robots_file_allows_all_and_a_broken_one_closes_the_host(status: int, open_: bool) -> None:
    with served({"/": "<h1>Home</h1>", "/robots.txt": Reply(b"", status, headers={"Retry-After": "0"})}) as site:
        found = crawl(site, "/")
        assert bool(paths(site, found)) is open_
        if not open_:
            assert skips(site, found) == {"/": f"its robots.txt answered {status}, so nothing may be asked of it"}


def test_sitemaps_are_read_through_an_index_and_gzip_and_their_dates_save_questions() -> None:
    index = "<sitemapindex><sitemap><loc>/one.xml.gz</loc></sitemap></sitemapindex>"
    one = (
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>/x</loc><lastmod>2024-05-01</lastmod></url>"
        "<url><loc>/y</loc><lastmod>2024-05-01</lastmod></url></urlset>"
    )
    routes: Mapping[str, Route] = {
        "/": "<h1>Home</h1>",
        "/robots.txt": Reply(b"Sitemap: /index.xml", kind="text/plain"),
        "/index.xml": Reply(index.encode(), kind="application/xml"),
        "/one.xml.gz": Reply(gzip.compress(one.encode()), kind="application/gzip"),
        "/x": "<h1>X</h1>",
        "/y": "<h1>Y</h1>",
    }
    with served(routes) as site:
        assert paths(site, crawl(site, "/")) == ["/", "/x", "/y"]
        months = (("x", "06"), ("y", "01"))
        stored = [Page(f"{site.url}/{name}", b"", fetched=moment(f"2024-{month}-01")) for name, month in months]
        found = crawl(site, "/", stored=stored)
        assert paths(site, found) == ["/", "/y"]
        assert Unchanged(f"{site.url}/x", asked=False) in found


def test_a_second_crawl_asks_on_conditions() -> None:
    def page(asked: Asked) -> Reply:
        same = asked.headers.get("If-None-Match") == '"v1"'
        return Reply(b"", 304) if same else Reply(b"<h1>Home</h1>", headers={"ETag": '"v1"'})

    with served({"/": page}) as site:
        (first,) = crawl(site, "/")
        assert isinstance(first, Page)
        assert first.etag == '"v1"'
        assert crawl(site, "/", stored=[first]) == [Unchanged(f"{site.url}/")]


def test_what_an_unchanged_page_links_is_followed_all_the_same() -> None:
    def home(asked: Asked) -> Reply:
        same = asked.headers.get("If-None-Match") == '"v1"'
        return Reply(b"", 304) if same else Reply(linking("/a").encode(), headers={"ETag": '"v1"'})

    with served({"/": home, "/a": "<h1>A</h1>"}) as site:
        first = [one for one in crawl(site, "/") if isinstance(one, Page) and one.etag]
        assert paths(site, crawl(site, "/", stored=first)) == ["/a"]


def test_redirects_and_canonical_links_give_one_page_with_its_other_names_noted() -> None:
    head = '<link rel=canonical href="/a?page=1">'
    routes: Mapping[str, Route] = {
        "/": linking("/old", "/a?page=1&sort=up", "/loop", "/away", "/home-is-everything"),
        "/old": Reply(b"", 301, headers={"Location": "/new"}),
        "/new": "<h1>New</h1>",
        "/a?page=1&sort=up": linking(title="A", head=head),
        "/a?page=1": linking(title="A", head=head),
        "/loop": Reply(b"", 302, headers={"Location": "/loop"}),
        "/away": Reply(b"", 302, headers={"Location": "https://elsewhere.invalid/"}),
        "/home-is-everything": linking(title="Own words", head='<link rel=canonical href="/">'),
    }
    with served(routes) as site:
        found = crawl(site, "/")
        assert paths(site, found) == ["/", "/a?page=1", "/home-is-everything", "/new"]
        told = skips(site, found)
        assert told["/old"] == f"the same page as {site.url}/new"
        assert told["/a?page=1&sort=up"] == f"the same page as {site.url}/a?page=1"
        assert told["/loop"] == "redirects in a circle"


def test_a_host_that_says_it_is_too_much_is_given_time() -> None:
    state = {"asked": 0}

    def busy(_: Asked) -> Reply:
        state["asked"] += 1
        return Reply(b"", 429, headers={"Retry-After": "1"}) if state["asked"] == 1 else Reply(b"<h1>Now</h1>")

    with served({"/": busy}) as site:
        started = time.monotonic()
        assert paths(site, crawl(site, "/")) == ["/"]
        assert time.monotonic() - started >= 0.9


def test_a_host_is_never_asked_more_at_once_than_agreed_and_its_delay_is_kept() -> None:
    pages = [f"/{number}" for number in range(10)]
    routes: dict[str, Route] = {"/": linking(*pages), **{page: Reply(b"<h1>Page</h1>", slow=0.05) for page in pages}}
    with served(routes) as site:
        crawl(site, "/", manners=Manners(private=True, parallel=3))
        assert site.most <= 3
        site.routes["/robots.txt"] = Reply(b"User-agent: *\nCrawl-delay: 0.2", kind="text/plain")
        site.log.clear()
        crawl(site, "/", pages=4)
        times = [one.at for one in site.log if one.path not in ("/robots.txt", "/sitemap.xml")]
        assert min(b - a for a, b in pairwise(times)) >= 0.15


def test_what_is_no_page_breaks_off_or_is_too_large_is_told_with_its_reason() -> None:
    routes: Mapping[str, Route] = {
        "/": linking("/zip", "/cut", "/none", "/bomb", "/closed", "/noindex"),
        "/zip": Reply(b"PK", kind="application/zip"),
        "/cut": Reply(b"<h1>Cut</h1>" * 100, cut=10),
        "/closed": Reply(b"", 403),
        "/bomb": Reply(b"<p>" + b"a" * 3_000_000, packed=True),
        "/noindex": linking(title="Hidden", head="<meta name=robots content=noindex>"),
    }
    with served(routes) as site:
        found = crawl(site, "/", manners=Manners(private=True, attempts=1, largest=1_000_000))
        told = skips(site, found)
        assert told["/zip"] == "not a page: application/zip"
        assert told["/none"] == "the server answered 404"
        assert told["/closed"] == "the server answered 403"
        assert told["/noindex"] == "the page asks not to be indexed"
        assert told["/cut"].startswith("no answer: ")
        assert told["/bomb"] == "larger than 0.953674 MB (raise it with --max-size)"


def test_addresses_of_this_machine_are_refused_unless_allowed_whatever_leads_there() -> None:
    with served({"/": "<h1>Secret</h1>"}) as site:
        for start in (site.url, site.url.replace("127.0.0.1", "localhost")):
            found = crawl(Served({}), start + "/", manners=Manners(attempts=1, robots=False))
            assert ["an address of a private network" in one.reason for one in found if isinstance(one, Skip)] == [True]
        assert site.log == []


@pytest.mark.parametrize(
    "address",
    "127.0.0.1 10.0.0.1 192.168.1.1 172.16.0.1 169.254.169.254 0.0.0.0 100.64.0.1 224.0.0.1 255.255.255.255 ::1 "
    "fe80::1%eth0 fc00::1 ::ffff:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1::".split(),
)
def test_private_addresses_are_not_public(address: str) -> None:
    assert not public(address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:4700::6810:84e5", "::ffff:93.184.215.14"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert public(address)


def test_parameter_explosions_calendars_and_repeated_paths_end() -> None:
    traps = Traps()
    for names, most in enumerate(QUERIES):
        more = "&x=1" * (names - 1)
        explosion = [traps.why(f"https://e.example/list?order={number}{more}") for number in range(names and most + 5)]
        assert [bool(why) for why in explosion] == ([False] * most + [True] * 5 if names else [])
    days = [traps.why(f"https://e.example/cal/{1900 + n // 28}-02-{n % 28 + 1:02}") for n in range(DAYS + 5)]
    assert [bool(why) for why in days] == [False] * DAYS + [True] * 5
    assert traps.why("https://e.example/a/b/a/b/a/b/a/b/x") == "trap: 'a/b' again and again in the path"
    assert traps.why("https://e.example/a/a/b") == ""
    assert not any(
        traps.why(f"https://e.example/2024/05/post-about-{word}") for word in map(str, range(500, 500 + DAYS))
    )


URLS = st.from_regex(
    r"(https?://[a-zA-Z.]{1,9}(:\d{1,4})?)?(/[a-z.%0-9;=~A-Fé]{0,6}){0,5}(\?[a-z=&%0-9ü]{0,9})?(#x)?", fullmatch=True
)


@given(URLS)
def test_a_normal_form_is_its_own_normal_form(url: str) -> None:
    found = normal(url, "https://e.example/a/b")
    assert normal(found) == found
    assert "#" not in found
    assert found.isascii()


def test_feeds_and_broken_sitemaps_give_what_stands_before_the_break() -> None:
    item = b"<item><link>/one</link><pubDate>Thu, 01 Jan 1970 00:00:10 GMT</pubDate></item>"
    found = read(b"<rss><channel><link>/home</link>" + item)
    assert [(page.url, page.changed) for page in found.pages] == [("/one", 10.0)]
    assert found.problem.startswith("not XML")
    entry = b'<entry><link href="/two"/><updated>1970-01-02</updated></entry>'
    atom = read(b'<feed xmlns="http://www.w3.org/2005/Atom">' + entry + b"</feed>")
    assert [(page.url, page.changed) for page in atom.pages] == [("/two", 86400.0)]
    assert [page.url for page in read(b"https://a.example/\nnothing\nhttps://b.example/").pages] == [
        "https://a.example/", "https://b.example/",
    ]  # fmt: skip
    assert read(gzip.compress(b"<urlset>")[:-9]).pages == []


def test_a_sitemap_that_unpacks_to_anything_is_cut() -> None:
    assert len(unpacked(gzip.compress(b"a" * (LARGEST + 10_000)))) == LARGEST + 1


def test_a_sitemap_of_entities_that_multiply_is_refused() -> None:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE u [<!ENTITY e0 "0123456789">{levels}]><urlset><url><loc>&e11;</loc></url></urlset>'
    assert read(bomb.encode()).problem.startswith("not XML")


def test_a_walk_gives_what_a_crawl_finds_and_ends_when_it_is_closed() -> None:
    pages = {f"/{number}": linking(f"/{number + 1}") for number in range(200)}
    with served({"/": linking("/0"), **pages}) as site:
        walk = Walk(Plan(Scope.of(f"{site.url}/", pages=50), Manners(private=True)))
        assert sum(isinstance(one, Page) for visit in walk.visits() for one in visit.found) == 50
        assert walk.asked == 53  # with robots.txt, sitemap, and, as they are alike, one that cannot be there
        visits = Walk(Plan(Scope.of(f"{site.url}/"), Manners(private=True))).visits()
        next(visits)
        visits.close()
        asked = len(site.log)
        time.sleep(0.2)
        assert len(site.log) == asked


def test_an_error_in_a_crawl_is_raised_where_its_visits_are_taken() -> None:
    def broken(_: str) -> Page | None:
        raise WracError("the catalog is gone")

    with served({"/": "<p>A"}) as site, pytest.raises(WracError, match="the catalog is gone"):
        list(Walk(Plan(Scope.of(f"{site.url}/"), Manners(private=True)), stored=broken).visits())


def test_a_frontier_gives_each_address_once() -> None:
    frontier = InMemory()
    frontier.add([Wanted("https://a.example/x"), Wanted("https://a.example/x", 3)])
    assert frontier.take() == Wanted("https://a.example/x")
    assert frontier.take() is None
    assert frontier.taken() == 1


def test_feeds_that_pages_name_and_a_start_that_is_a_sitemap_lead_to_pages() -> None:
    feed = '<link rel=alternate type=application/rss+xml href="/feed">'
    when = "<pubDate>Thu, 01 Jan 1970 00:00:10 GMT</pubDate>"
    items = f"<item><link>/docs/old</link>{when}</item><item><link>/x</link></item>"
    routes: Mapping[str, Route] = {
        "/docs/": linking("a", head=feed),
        "/docs/a": linking(head=feed),
        "/docs/old": "<p>Old",
        "/feed": Reply(f"<rss><channel>{items}</channel></rss>".encode(), kind="application/rss+xml"),
        "/list": Reply(b"<urlset><url><loc>/docs/a</loc></url></urlset>", kind="application/xml"),
    }
    with served(routes) as site:
        found = crawl(site)
        assert paths(site, found) == ["/docs/", "/docs/a", "/docs/old"]
        assert site.asked("/feed") == ["/feed"]
        assert paths(site, crawl(site, "/list")) == ["/docs/a", "/docs/old"]
