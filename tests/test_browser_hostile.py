"""Pages that mean harm to a browser, or are merely odd: where it does not go, what it does not wait for; logins."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests import browser as found_browser
from tests.served import Asked, Reply, Route, Served, linking, served

from wrac.core.errors import ConfigError
from wrac.core.types import Page
from wrac.fetching.site.browser import Browser, Settings, Shown
from wrac.fetching.site.client import Manners
from wrac.fetching.site.door import Door
from wrac.fetching.site.urls import Scope
from wrac.fetching.site.walk import Plan, Walk


@pytest.fixture(autouse=True)
def _chromium() -> None:
    found_browser.chromium()


def show(site: Served, *paths: str, settings: Settings | None = None) -> list[Shown | str]:
    """What each path looks like in one browser, or why it cannot be shown."""

    async def run() -> list[Shown | str]:
        found: list[Shown | str] = []
        async with Browser(settings or Settings(private=True, settle=3)) as browser:
            for path in paths:
                try:
                    found.append(await browser.show(site.url + path))
                except (OSError, TimeoutError) as error:
                    found.append(str(error))
        return found

    return asyncio.run(run())


def script(code: str, body: str = "") -> str:
    return f"<!doctype html><title>Page</title><h1>Its own words</h1>{body}<script>{code}</script>"


def test_nothing_in_a_public_page_reaches_the_network_behind_it() -> None:
    """The first host stands for the internet, the second for what only this machine can reach."""
    with served({f"/{name}": "<p>Secret" for name in "abcdef"}, host="127.0.0.2") as inside:
        where = inside.url
        routes: Mapping[str, Route] = {
            "/": script(
                f"fetch('{where}/a', {{mode: 'no-cors'}}); new WebSocket('{where.replace('http', 'ws')}/b');"
                f"fetch('/to-c', {{mode: 'no-cors'}}); setTimeout(() => {{ location = '{where}/d' }}, 100);",
                f"<iframe src={where}/e></iframe><iframe src=/to-f></iframe><script src={where}/a></script>",
            ),
            "/to-c": Reply(b"", 302, headers={"Location": f"{where}/c"}),
            "/to-f": Reply(b"", 302, headers={"Location": f"{where}/f"}),
            "/away": Reply(b"", 302, headers={"Location": f"{where}/a"}),
        }
        with served(routes) as site:
            settings = Settings(settle=2, judge=lambda address: address == "127.0.0.1")
            first, away = show(site, "/", "/away", settings=settings)
            assert isinstance(first, Shown)
            assert "Its own words" in first.html
            assert {"/to-c", "/to-f"} <= set(site.asked())
            assert not isinstance(away, Shown) or away.status == 403
        assert inside.log == []


def test_a_login_is_sent_to_its_own_origin_alone() -> None:
    with served({"/x": "<p>Other", "/y": "<p>Other"}, host="127.0.0.2") as away:
        head = {"Access-Control-Allow-Origin": "*"}
        routes: Mapping[str, Route] = {
            "/": script(
                f"fetch('/answer'); fetch('{away.url}/y', {{mode: 'no-cors'}})",
                "<iframe src=/to></iframe><iframe src=/in></iframe>",
            ),
            "/in": Reply(b"", 302, headers={"Location": "/inside"}),
            "/inside": "<p>Known here",
            "/answer": Reply(b"{}", kind="application/json", headers=head),
            "/to": Reply(b"", 302, headers={"Location": f"{away.url}/x"}),
        }
        with served(routes) as site:
            login = {site.url: {"Authorization": "secret"}}
            (shown,) = show(site, "/", settings=Settings(private=True, settle=2, headers=login))
            assert isinstance(shown, Shown)
            assert {one.headers.get("Authorization") for one in site.log} == {"secret"}
            assert {"/answer", "/to", "/inside"} <= set(site.asked())
            assert "Known here" in shown.html
        assert not [one.headers for one in away.log if "Authorization" in one.headers]


def test_the_door_tunnels_and_refuses() -> None:
    async def ask(door: Door, text: str) -> bytes:
        reader, writer = await asyncio.open_connection(*door.url.removeprefix("http://").split(":"))
        writer.write(text.encode())
        answer = await reader.read()
        writer.close()
        return answer.partition(b"\r\n")[0]

    async def run(site: Served) -> list[bytes]:
        async with Door(lambda address: address == "127.0.0.1") as door:
            port = site.url.rpartition(":")[2]
            questions = (
                f"GET {site.url}/ HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\n\r\n",
                f"CONNECT 127.0.0.2:{port} HTTP/1.1\r\n\r\n",
                f"CONNECT [::1]:{port} HTTP/1.1\r\n\r\n",
                "CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n",
                "nonsense\r\n\r\n",
            )
            return [await ask(door, question) for question in questions]

    with served({"/": "<p>Page"}) as site:
        told = asyncio.run(run(site))
    assert [line.split()[1] for line in told] == [b"200", b"403", b"403", b"502", b"502"]


def test_a_page_stays_the_page_whatever_its_scripts_do() -> None:
    routes: Mapping[str, Route] = {
        "/leaves": script("b.onclick = () => { location = '/gone' }", "<button id=b aria-expanded=false>More</button>"),
        "/blank": script("b.onclick = () => { location = 'about:blank' }",
                         "<button id=b aria-expanded=false>More</button>"),
        "/pops": script("b.onclick = () => { for (let n = 0; n < 5; n++) window.open('/w' + n) }; window.open('/w')",
                        "<button id=b aria-expanded=false>More</button>"),
        "/talks": script("alert(1); confirm(2); prompt(3); onbeforeunload = () => 'Stay!'; b.onclick = () => alert(4)",
                         "<button id=b aria-expanded=false>More</button>"),
        "/pushes": script("b.onclick = () => history.pushState({}, '', '/other')",
                          "<button id=b aria-expanded=false>More</button>"),
        "/sends": script("location.replace('/there')"),
        "/there": script("1", "<p>Arrived.</p>"),
        "/out": script("location = 'http://127.0.0.2:9/'"),
        "/gone": "<p>Gone.</p>",
        "/picture": "<img loading=lazy src=/p.png alt='A lazy harbour'><p>Its own words</p>",
    }  # fmt: skip
    with served(routes) as site:
        names = ("leaves", "blank", "pops", "talks", "pushes", "out", "picture", "sends")
        found = dict(zip(names, show(site, *(f"/{name}" for name in names)), strict=True))
        for name in names[:-1]:
            shown = found[name]
            assert isinstance(shown, Shown), (name, shown)
            assert "Its own words" in shown.html, name
            assert shown.url == f"{site.url}/{name}"
        sends = found["sends"]
        assert isinstance(sends, Shown)
        assert (sends.url, "Arrived." in sends.html) == (f"{site.url}/there", True)
        assert not [path for path in site.asked() if path.startswith(("/w", "/gone"))]


def test_a_script_that_never_ends_costs_its_page_alone() -> None:
    with served({"/hangs": script("while (true) {}"), "/fine": script("1")}) as site:
        hangs, fine = show(site, "/hangs", "/fine", settings=Settings(private=True, settle=0.5, timeout=2))
        assert isinstance(hangs, str)
        assert isinstance(fine, Shown)


def test_very_many_accordions_are_opened_in_time_and_those_that_close_one_another_are_kept() -> None:
    many = "".join(f"<button aria-expanded=false aria-controls=p{n}>Question {n}</button><div id=p{n}></div>"
                   for n in range(1000))  # fmt: skip
    code = """document.querySelectorAll('button').forEach((b, n) => b.onclick = () => {
        b.setAttribute('aria-expanded', 'true'); b.nextElementSibling.textContent = `Answer ${n}.`; })"""
    one = "".join(f"<h3><button aria-expanded=false>Question {n}</button></h3><div></div>" for n in range(4))
    only = """const all = document.querySelectorAll('button'); all.forEach((b, n) => b.onclick = () => {
        all.forEach((o) => o.setAttribute('aria-expanded', 'false'));
        document.querySelectorAll('h3 + div').forEach((o) => { o.innerHTML = '' });
        b.setAttribute('aria-expanded', 'true');
        b.parentElement.nextElementSibling.innerHTML = `<p>Answer ${n}.</p>`; })"""
    with served({"/many": script(code, many), "/one": script(only, one)}) as site:
        settings = Settings(private=True, settle=10)
        found, single = show(site, "/many", "/one", settings=settings)
        assert isinstance(found, Shown)
        assert len(set(re.findall(r"Answer \d+\.", found.html))) == 1000
        assert isinstance(single, Shown)
        assert re.findall(r"(?<=<p>)Answer \d\.|(?<=>)Question \d", single.html) == [
            text for n in range(4) for text in (f"Question {n}", f"Answer {n}.")
        ]


def test_a_script_logs_in_and_the_crawl_asks_with_its_cookies(tmp_path: Path) -> None:
    def inside(asked: Asked) -> Reply:
        known = "who=me" in asked.headers.get("Cookie", "")
        body = linking("/app", title="Members " + "word " * 50)
        return Reply(body.encode()) if known else Reply(b"", 302, headers={"Location": "/login"})

    login = tmp_path / "login.py"
    login.write_text(
        "async def login(page):\n"
        "    await page.goto(URL + '/login')\n"
        "    await page.fill('[name=name]', 'me')\n"
        "    await page.click('button')\n"
        "    await page.wait_for_url('**/done')\n"
    )
    form = "<form action=/done><input name=name><button>In</button></form>"
    routes: Mapping[str, Route] = {
        "/members/": inside,
        "/login": form,
        "/done?name=me": Reply(b"<p>Welcome", headers={"Set-Cookie": "who=me; Path=/"}),
    }
    with served(routes) as site:
        login.write_text(f"URL = {site.url!r}\n" + login.read_text().replace("**/done", "**/done?name=me"))
        settings = Settings(private=True, settle=2, login=login)
        walk = Walk(Plan(Scope.of(f"{site.url}/members/"), Manners(private=True), settings))
        pages = [one.url for visit in walk.visits() for one in visit.found if isinstance(one, Page)]
        assert pages == [f"{site.url}/members/"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1", "it has no `async def login"),
        ("def login(page): pass", "it has no `async def login"),
        ("async def login(", "no script that can be run"),
        ("async def login(page): await page.click('#none', timeout=200)", "the login failed: "),
    ],
)
def test_a_login_that_cannot_be_is_told(tmp_path: Path, text: str, why: str) -> None:
    login = tmp_path / "login.py"
    login.write_text(text)
    with served({}) as site, pytest.raises(ConfigError, match=re.escape(f"{login}: {why}")):
        show(site, settings=Settings(private=True, login=login))
