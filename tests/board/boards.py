"""A board over real workspaces, on loopback in a thread; a browser that visits it, and what it must never do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from tests.browser import Visit

from wrac.api.served import Limits, Rules, Served
from wrac.board.app import create
from wrac.flow import Workspace

PAGES = {
    "guide.html": """<!doctype html><html lang="en"><title>Refund guide</title>
<nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
<main><h1>Refunds</h1><p>How money comes back to those who paid.</p>
<h2 id="time">How long it takes</h2><p>A refund takes five working days from the day the goods arrive.</p>
<p>Banks abroad may need three days more.</p>
<h2 id="fees">Fees</h2><table><tr><th>Plan</th><th>Fee</th></tr><tr><td>Small</td><td>1 USD</td></tr>
<tr><td>Large</td><td>none</td></tr></table>
<h2>How to ask for it</h2><ol><li>Open the order.</li><li>Choose the goods.</li><li>Send the form.</li></ol>
<details><summary>Can it be undone?</summary><p>Yes, until the goods are packed.</p></details>
</main><footer>Company Ltd, all rights reserved</footer><script>track()</script></html>""",
    "shipping.html": """<!doctype html><html lang="en"><title>Shipping</title>
<main><h1>Shipping</h1><p>Goods leave the house within a day.</p><h2>Costs</h2><p>Shipping is free from 50 EUR on.</p>
</main><footer>Company Ltd, all rights reserved</footer></html>""",
    "notes.md": "# Notes\n\nA refund of a gift goes to the giver.\n\n- first\n- second\n\n```\ncode  here\n```\n",
    "fees.csv": "plan,fee\nsmall,1 USD\nlarge,none\n",
}
BASE = "https://shop.example/"


def index(folder: Path, pages: Mapping[str, str] = PAGES) -> None:
    """A workspace `folder/shop` of the pages, published under BASE."""
    from tests.fakes import FakeEmbedder

    source = folder / "site"
    source.mkdir(parents=True)
    for name, text in pages.items():
        (source / name).write_text(text, "utf-8")
    with Workspace(folder / "shop", embedder=FakeEmbedder()) as workspace:
        workspace.index(source, base=BASE, workers=0)


@contextmanager
def serving(rules: Rules | None = None, limits: Limits | None = None, **workspaces: Workspace) -> Iterator[str]:
    """The address of a board over workspaces, until the block ends."""
    app = create(Served(workspaces, limits or Limits(), rules or Rules()))
    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", 0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def at(board: str, path: str, /, **query: object) -> str:
    """An address of the board."""
    return f"{board}{path}?{urlencode(query)}" if query else board + path


def quiet(visit: Visit, board: str) -> None:
    """Nothing was complained of, and nobody but the board was asked."""
    assert visit.complaints == [], visit.complaints
    assert [url for url in visit.requests if not url.startswith(board) and not url.startswith("about:")] == []


def faults(visit: Visit) -> list[tuple[str, str]]:
    """What axe finds serious or worse on the page: the rule, and where."""
    found_axe = find_spec("axe_playwright_python")
    assert found_axe is not None and found_axe.origin is not None
    script = Path(found_axe.origin).with_name("axe.min.js").read_text("utf-8")
    visit.page.evaluate(script)
    found: dict[str, Any] = visit.page.evaluate("axe.run(document, {resultTypes: ['violations'], iframes: false})")
    return [
        (one["id"], node["html"][:200])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
