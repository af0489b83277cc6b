"""Pages shown by a real Chromium: late text, opened panels, shadow trees, frames; what is not asked and not clicked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from tests import browser as found_browser
from tests.served import Reply, Route, linking, served

from wrac.core.errors import ConfigError
from wrac.core.types import Document, Page
from wrac.fetching.site.browser import Browser, Settings, Shown, chromium
from wrac.fetching.site.client import Client, Manners
from wrac.fetching.site.crawl import Crawl
from wrac.fetching.site.links import is_made_by_scripts
from wrac.fetching.site.urls import Scope
from wrac.parsing import parse

APP = """<!doctype html><html lang=en><title>App</title><main id=root></main>
<details id=d><summary>More?</summary><div id=lazy></div></details>
<button id=q aria-expanded=false aria-controls=p>Shipping?</button><div id=p hidden></div>
<div><div role=tablist><button role=tab aria-selected=true id=t1>One</button>
<button role=tab aria-selected=false id=t2>Two</button></div><div role=tabpanel id=tp>First panel.</div></div>
<open-tree></open-tree><closed-tree></closed-tree><iframe src=/frame></iframe>
<div style="height:3000px"></div><div id=end></div>
<div class=cookie-banner><p>We use cookies.</p><button aria-expanded=false>Manage</button></div><img src=/picture.png>
<a aria-expanded=false href=/elsewhere>Away</a><form action=/sent><button aria-expanded=false>Send</button></form>
<script>
const press = (node, other, text) => { node.onclick = () => { tp.textContent = text;
  node.setAttribute('aria-selected', 'true'); other.setAttribute('aria-selected', 'false'); }; };
setTimeout(() => { root.innerHTML = '<h1>Made late</h1><p>By a script.</p>'; }, 200);
d.addEventListener('toggle', () => { lazy.textContent = 'Opened details.'; });
q.onclick = () => { q.setAttribute('aria-expanded', 'true');
  fetch('/answer').then((r) => r.text()).then((text) => { p.hidden = false; p.textContent = text; }); };
press(t1, t2, 'First panel.'); press(t2, t1, 'Second panel.');
const tree = (name, mode, text) => customElements.define(name, class extends HTMLElement {
  constructor() { super(); this.attachShadow({ mode }).innerHTML = `<p>${text}</p>`; } });
tree('open-tree', 'open', 'In an open tree.'); tree('closed-tree', 'closed', 'In a closed tree.');
new IntersectionObserver((all) => { if (all.some((one) => one.isIntersecting)) end.textContent = 'Far below.'; })
  .observe(end);
document.querySelector('.cookie-banner button').onclick = () => fetch('/agreed');
</script>"""
ROUTES: Mapping[str, Route] = {
    "/": APP,
    "/answer": Reply(b"Within a week.", kind="text/plain"),
    "/frame": '<p>In a frame: "quoted" &amp; so on.</p>',
}


@pytest.fixture(autouse=True)
def _chromium() -> None:
    found_browser.chromium()


def show(url: str, *, private: bool = True) -> Shown:
    async def run() -> Shown:
        async with Browser(Settings(private=private, settle=8)) as browser:
            return await browser.show(url)

    return asyncio.run(run())


def texts(document: Document) -> list[str]:
    return [document.text(place.ordinal) for place in document.places]


def test_what_scripts_make_what_is_closed_and_what_is_in_shadow_trees_and_frames_is_in_the_page() -> None:
    with served(ROUTES) as site:
        shown = show(site.url)
        asked = site.asked()
    document = parse(Page("a.html", shown.html.encode(), charset="utf-8"))
    found = texts(document)
    for text in (
        "Made late", "By a script.", "Opened details.", "Within a week.", "First panel.", "Second panel.", "Far below.",
        "In an open tree.", "In a closed tree.", 'In a frame: "quoted" & so on.',
    ):  # fmt: skip
        assert found.count(text) == 1, text
    assert {document.places[found.index("We use cookies.")].role} == {"cookie"}
    assert not {"/agreed", "/picture.png", "/elsewhere", "/sent"} & set(asked)


def test_a_private_address_is_not_shown_unless_allowed() -> None:
    with served(ROUTES) as site:
        with pytest.raises(OSError, match="an address of a private network"):
            show(site.url, private=False)
        assert site.log == []


def test_a_crawl_shows_the_pages_that_scripts_make_and_follows_what_they_link() -> None:
    script = "<script>document.body.innerHTML = '<a href=/deep>Deep</a><p>Script text.</p>'</script>"
    plain = linking(title="Plain " + "word " * 50)
    routes = {"/": linking("/app", "/plain"), "/app": f"<div id=root></div>{script}", "/plain": plain, "/deep": plain}
    with served(routes) as site:

        async def run() -> list[str]:
            async with Client(Manners(private=True)) as client, Browser(Settings(private=True)) as browser:
                walk = Crawl(Scope.of(f"{site.url}/"), client, browser=browser)
                return [one.url async for visit in walk.run() for one in visit.found if isinstance(one, Page)]

        assert sorted(asyncio.run(run())) == [f"{site.url}/{name}" for name in ("", "app", "deep", "plain")]
        assert len(site.asked("/plain")) == 1
        assert len(site.asked("/app")) == 2


@pytest.mark.parametrize(
    ("html", "made"),
    [
        ("<div id=root></div><script src=app.js></script>", True),
        ("<div id=root></div>", False),
        (f"<p>{'word ' * 60}<script>1</script>", False),
        (f"<body><script>{'word ' * 60}</script><noscript>{'word ' * 60}</noscript>", True),
    ],
)
def test_pages_that_scripts_make_are_told_from_others(html: str, made: bool) -> None:
    assert is_made_by_scripts(html.encode()) is made


def test_a_browser_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAC_CHROMIUM", "/no/such/browser")
    with pytest.raises(ConfigError, match="WRAC_CHROMIUM=/no/such/browser: no such file; install Chromium"):
        chromium()
