"""Whatever an address of the board says, it is answered by a page that says what is wrong."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

from pathlib import Path
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests import hostile
from tests.fakes import FakeEmbedder
from tests.site import build

from wrac.api.served import Rules, Served
from wrac.board.app import create
from wrac.board.query import Query, read
from wrac.core.errors import WracError
from wrac.flow import Workspace

URL = "site/000-refunds.html"
NASTY = (
    "", " ", "'", '"', "' OR 1=1 --", "x'; DROP TABLE pages; --", '"refunds" NEAR/2 x*', "refunds AND NOT (", "*", "%",
    "_", "../../etc/passwd", "..%2f..%2fetc", "/etc/passwd", "C:\\x", "\\\\host\\share", "file:///etc/passwd", "-1",
    "0", "1e9", "99999999999999999999", "NaN", "1.5", "true", "null", "[]", "{}", "a=b", "x" * 30_000, "\x01\x02",
    "\x00", "\u202e", "😀" * 50, "c1:", "u1:zz", "c1:" + "0" * 32, *hostile.TEXTS,
)  # fmt: skip
ROUTES = {
    "/": (
        "q",
        "view",
        "k",
        "url",
        "kind",
        "role",
        "language",
        "since",
        "until",
        "meta",
        "least",
        "rerank",
        "workspace",
    ),
    "/pages": ("prefix", "after", "workspace"),
    "/page": ("url", "unit", "chunk", "part", "changed", "workspace"),
    "/snapshot": ("url", "try", "target"),
    "/compare": ("q", "q2", "workspace2", "rerank2", "k"),
}
USUAL = {"/": {"q": "refunds"}, "/page": {"url": URL}, "/snapshot": {"url": URL}, "/compare": {"q": "refunds"}}
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
TRIAL = {"url": URL, "try": "1"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder: Path = tmp_path_factory.mktemp("input")
    with Workspace(folder / "shop", embedder=FakeEmbedder()) as opened:
        opened.index(build(folder, 3), workers=0)
        yield opened


@pytest.fixture(scope="module")
def client(shop: Workspace) -> TestClient:
    return asking(shop)


def asking(shop: Workspace, rules: Rules | None = None) -> TestClient:
    headers = {"accept": "text/html", "sec-fetch-site": "same-origin"}
    app = create(Served({"shop": shop}, rules=rules or Rules()))
    return TestClient(app, base_url="http://localhost", headers=headers, follow_redirects=False)


def sound(status: int, html: str) -> None:
    """A page, of the board's own markup alone."""
    assert status < 500 and status not in (401, 403)
    assert "<main" in html or "<body" in html
    assert html.count("<script") <= 2 and "<img" not in html and "<svg onload" not in html


@pytest.mark.parametrize(("path", "name"), [(path, name) for path, names in ROUTES.items() for name in names])
def test_any_value_of_any_parameter_is_answered(client: TestClient, path: str, name: str) -> None:
    for value in NASTY:
        found = client.get(path, params={**USUAL.get(path, {}), name: value})
        sound(found.status_code, found.text)


@pytest.mark.parametrize(
    "name", ["target", "maximum", "prose", "chunks_per_h2", "entities", "whole_tables", "planner", "for"]
)
def test_any_trial_is_answered(client: TestClient, name: str) -> None:
    for path, value in itertools.product(("/page", "/snapshot"), NASTY):
        found = client.get(path, params={**TRIAL, name: value})
        sound(found.status_code, found.text)


@pytest.mark.parametrize("chunk", [*NASTY[1:], "refunds"])
def test_any_name_of_a_chunk_is_answered(client: TestClient, chunk: str) -> None:
    found = client.get(f"/chunk/{quote(chunk[:3000], safe='')}")
    sound(found.status_code, found.text)
    assert found.status_code in (404, 422)


@pytest.mark.parametrize("name", ["chunk", "verdict", "q", "note", "run"])
def test_any_field_of_a_verdict_is_answered(client: TestClient, shop: Workspace, name: str) -> None:
    chunk = shop.search("refunds", k=1)[0].chunk
    for value in NASTY:
        found = client.post("/feedback", data={"chunk": chunk, "verdict": "1", "q": "refunds", name: value})
        sound(found.status_code, found.text)


def test_what_is_wrong_is_said(client: TestClient) -> None:
    for path, said in {
        "/page?url=none": "no page is called none; take a URL from `wrac search`",
        f"/page?url={URL}&unit=9999": "no unit here is 9999; its units are 0 to",
        f"/page?url={URL}&try=1&target=0": "target 0, maximum 512",
        f"/page?url={URL}&try=1&target=x": "target: &#39;x&#39; is no number from 0; write one like 160",
        f"/page?url={URL}&try=1&planner=llm": "no model is known to plan by; run `wrac replan --planner llm --model",
        "/?q=!": "the query is empty; ask a question or give some words",
        "/?q=x&k=99": "passages: &#39;99&#39; is no number from 1 to 50",
        "/?q=x&kind=poem": "no kind; take one of heading",
        "/?q=x&meta=red": "metadata &#39;red&#39;: write key=value, with commas between several",
        "/chunk/xyz": "no chunk is called xyz; take an id from `wrac search`",
        "/nothing": "No page of the board has this address.",
        "/?workspace=other": "no such workspace is served",
    }.items():
        found = client.get(path)
        assert said in found.text, (path, found.text[-600:])
        assert found.status_code in (400, 404)


def test_what_changes_something_is_no_address_to_follow(client: TestClient) -> None:
    for path in ("/feedback", "/answer?q=x", "/page/apply?url=x", "/page/ask?url=x"):
        assert client.get(path).status_code == 405


def test_a_server_that_only_reads_changes_nothing(shop: Workspace) -> None:
    client = asking(shop, Rules(read_only=True))
    chunk = shop.search("refunds", k=1)[0].chunk
    assert client.post("/feedback", data={"chunk": chunk, "verdict": "1"}).status_code == 403
    assert client.post("/page/apply", params={**TRIAL, "target": 20}).status_code == 403
    assert client.get("/", params={"q": "refunds"}).status_code == 200


def test_another_sites_form_changes_nothing(client: TestClient, shop: Workspace) -> None:
    chunk = shop.search("refunds", k=1)[0].chunk
    for headers in ({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "", "origin": "https://evil.example"}):
        assert client.post("/feedback", data={"chunk": chunk, "verdict": "1"}, headers=headers).status_code == 403
        assert client.post("/page/apply", params={**TRIAL, "target": 20}, headers=headers).status_code == 403


@given(
    st.builds(
        Query,
        q=TEXT,
        k=st.integers(1, 50),
        url=TEXT.map(str.strip),
        language=st.sampled_from(["", "de"]),
        meta=st.sampled_from(["", "a=b", "a=b, c=d"]),
        least=st.sampled_from([0.0, 0.25]),
        rerank=st.booleans(),
    )
)
def test_a_search_is_read_from_the_address_it_says(query: Query) -> None:
    said = {name: str(value) for name, value in query.said.items() if value not in (None, "")}
    assert read(said) == query


@given(st.dictionaries(st.sampled_from(ROUTES["/"]), st.text(max_size=12)))
def test_a_search_is_read_or_refused(said: dict[str, str]) -> None:
    try:
        query = read(said)
    except WracError as error:
        assert str(error)
    else:
        assert 1 <= query.k <= 50 and 0 <= query.least <= 1
