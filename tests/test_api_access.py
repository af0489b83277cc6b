"""Who may ask: tokens, sessions, rates and guesses, by clocks that are set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

from httpx2 import Response
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.fakes import FakeEmbedder
from tests.site import build

from wrac.api import access, tokens
from wrac.api.access import FRESH, SESSION, Guesses, Keys, Rate
from wrac.api.served import Limits, Rules, Served
from wrac.board.app import create
from wrac.core.errors import ConfigError, NotFoundError
from wrac.flow import Workspace


class Clock:
    """Seconds that pass when it is said."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "shop", embedder=FakeEmbedder()) as opened:
        opened.index(build(tmp_path, 3), workers=0)
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "other", embedder=FakeEmbedder()) as opened:
        opened.index(build(tmp_path, 1, name="more"), workers=0)
        yield opened


def client(served: Served, token: str = "") -> TestClient:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return TestClient(create(served), base_url="http://localhost", headers=headers, follow_redirects=False)


def closed(**workspaces: Workspace) -> Served:
    """A server that asks for a token."""
    return Served(workspaces, rules=Rules(auth=True))


# -- tokens


def test_a_token_is_kept_as_a_digest_alone(shop: Workspace) -> None:
    text, token = tokens.create(shop.database, "read", "reader")
    assert text.startswith("wrac_") and len(text) >= 48
    assert tokens.known(shop.database) == [token]
    stored = b"".join(file.read_bytes() for file in shop.path.rglob("*") if file.is_file())
    assert text.encode() not in stored and text.removeprefix("wrac_").encode() not in stored
    assert token.digest.encode() in stored


def test_what_makes_no_token_is_refused(shop: Workspace) -> None:
    for right, name, days in (("write", "", 0.0), ("read", "a\nb", 0.0), ("read", "a" * 101, 0.0), ("read", "", -1.0)):
        with pytest.raises(ConfigError):
            tokens.create(shop.database, right, name, days)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError, match="no token is called"):
        tokens.revoke(shop.database, "0")
    assert tokens.known(shop.database) == []


def test_without_a_token_nothing_is_told_but_that_the_server_lives(shop: Workspace) -> None:
    asking = client(closed(shop=shop))
    for path in ("/v1/search?q=a", "/v1/openapi.json", "/v1/metrics", "/v1/jobs", "/v1/nothing"):
        response = asking.get(path)
        assert response.status_code == 401 and "shop" not in response.text
        assert response.headers["www-authenticate"].startswith("Bearer")
    assert asking.get("/v1/health/live").status_code == asking.get("/v1/health/ready").status_code == 200
    for path in ("/", "/pages", "/nothing?a=b"):
        assert asking.get(path).status_code == 303
        assert asking.get(path).headers["location"].startswith("/login?next=%2F")
    assert asking.get("/login").status_code == 200 and "shop" not in asking.get("/login").text
    assert asking.get("/static/board.css").status_code == 200


def test_each_scope_has_its_part(shop: Workspace) -> None:
    served = closed(shop=shop)
    texts = {right: tokens.create(shop.database, right)[0] for right in tokens.RIGHTS}
    chunk = shop.search("refunds")[0].chunk
    tried: dict[str, Callable[[TestClient], Response]] = {
        "read": lambda one: one.get("/v1/search?q=refunds"),
        "judge": lambda one: one.post("/v1/feedback", json={"chunk": chunk, "verdict": 1}),
        "ask": lambda one: one.post("/v1/ask", json={"query": "?"}),
        "change": lambda one: one.post("/v1/jobs", json={"kind": "nothing"}),
        "board": lambda one: one.post("/page/apply?url=site/000-refunds.html"),
    }
    got = {
        right: {name: ask(client(served, text)).status_code for name, ask in tried.items()}
        for right, text in texts.items()
    }
    assert got["read"] == {"read": 200, "judge": 201, "ask": 403, "change": 403, "board": 403}
    assert got["ask"]["ask"] == 400 and got["ask"]["change"] == got["ask"]["board"] == 403  # let in, with no question
    assert got["admin"]["change"] == 422 and got["admin"]["board"] != 403


def test_a_token_opens_its_own_workspace_alone(shop: Workspace, other: Workspace) -> None:
    served = closed(shop=shop, other=other)
    asking = client(served, tokens.create(other.database, "admin")[0])
    assert asking.get("/v1/workspaces").json() == {"workspaces": [{"name": "other", "scope": "admin"}]}
    assert asking.get("/v1/search?q=refunds").json()["hits"][0]["url"].startswith("more/")
    refused = asking.get("/v1/search?q=refunds&workspace=shop")
    assert refused.status_code == 404 and "shop" not in refused.json()["detail"].partition(";")[2]


def test_what_is_revoked_or_expired_opens_nothing(shop: Workspace) -> None:
    clock = Clock()
    keys = Keys({"shop": shop}, clock)
    text, token = tokens.create(shop.database, "read")
    _, short = tokens.create(shop.database, "read", days=1)
    keys.refresh()
    assert keys.any() and keys.rights("a", tokens.digest(text)) == {"shop": "read"}
    secret = keys.open(tokens.digest(text))
    assert keys.session(secret) == tokens.digest(text) and not keys.session(secret + "x")
    clock.now = short.made + 2 * tokens.DAY
    assert not keys.rights("a", short.digest)
    assert not keys.session(secret)  # a session lasts half a day
    tokens.revoke(shop.database, token.id)
    clock.now += FRESH
    assert keys.stale
    keys.refresh()
    assert not keys.rights("a", token.digest) and not keys.any()


def test_a_session_is_a_cookie_that_only_the_server_reads(shop: Workspace) -> None:
    asking = client(closed(shop=shop))
    text, token = tokens.create(shop.database, "read")
    here = {"Origin": "http://localhost"}
    wrong = asking.post("/login", data={"token": "wrac_no", "next": "/"}, headers=here)
    assert wrong.status_code == 401 and "No such token" in wrong.text and not asking.cookies
    entered = asking.post("/login", data={"token": f" {text} ", "next": "/pages?prefix=a"}, headers=here)
    assert entered.status_code == 303 and entered.headers["location"] == "/pages?prefix=a"
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and text not in cookie
    assert asking.get("/").status_code == 200 and asking.get("/v1/search?q=refunds").status_code == 200
    assert asking.post("/logout", headers=here).status_code == 303
    assert asking.get("/").status_code == 303
    asking.post("/login", data={"token": text}, headers=here)
    tokens.revoke(shop.database, token.id)
    app_keys: Keys = asking.app.state.keys  # type: ignore[attr-defined]
    app_keys.refresh()
    assert asking.get("/").status_code == 303


@pytest.mark.parametrize(
    "address", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "/a\r\nX: y"]
)
def test_a_login_leads_nowhere_else(shop: Workspace, address: str) -> None:
    asking = client(closed(shop=shop))
    text, _ = tokens.create(shop.database, "read")
    entered = asking.post("/login", data={"token": text, "next": address}, headers={"Origin": "http://localhost"})
    assert entered.headers["location"] == "/" and "x" not in entered.headers


# -- guesses


def test_guessing_is_slowed_more_and_more() -> None:
    clock = Clock()
    guesses, held = Guesses(clock=clock), []
    for _ in range(12):
        assert guesses.wait("a", "x") == 0
        guesses.wrong("a")
        held.append(guesses.wait("a", "x"))
        clock.now += held[-1]
    assert held[:5] == [0] * 5
    assert held[5:] == [1, 2, 4, 8, 16, 32, 64]
    assert guesses.wait("b", "x") == 0  # another address
    clock.now += 3600
    guesses.wrong("a")
    assert guesses.wait("a", "x") == 0  # long ago


def test_whoever_was_right_is_not_held_up_by_guesses_beside_them() -> None:
    clock = Clock()
    guesses = Guesses(clock=clock)
    guesses.right("a", "good")
    for _ in range(10):
        guesses.wrong("a")
    assert guesses.wait("a", "good") == 0 < guesses.wait("a", "bad")


def test_guesses_over_http_are_refused_without_a_look(shop: Workspace) -> None:
    served = closed(shop=shop)
    text, _ = tokens.create(shop.database, "admin")
    app = create(served)

    def ask(token: str) -> int:
        with TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {token}"}) as one:
            return one.get("/v1/status").status_code

    statuses = [ask(f"wrac_{number}") for number in range(8)]
    assert statuses[:6] == [401] * 6 and statuses[6:] == [429, 429]
    assert ask(text) == 429  # even the right one, until the wait is over


# -- rates


@given(rate=st.integers(1, 6000), steps=st.lists(st.floats(0, 5), min_size=1, max_size=200))
def test_no_client_is_let_in_more_often_than_the_rate(rate: int, steps: list[float]) -> None:
    clock = Clock()
    limited, begun, let = Rate(rate, clock), clock.now, 0
    for step in steps:
        clock.now += step
        wait = limited.wait("a")
        let += wait == 0
        assert wait >= 0
    assert let <= max(1.0, rate / 10) + (clock.now - begun) * rate / 60 + 1e-6


def test_a_client_that_waits_as_told_is_let_in() -> None:
    clock = Clock()
    limited = Rate(60, clock)
    while not (wait := limited.wait("a")):
        pass
    assert limited.wait("b") == 0
    clock.now += wait + 1e-9
    assert limited.wait("a") == 0


def test_too_many_requests_are_told_when_to_come_again(shop: Workspace) -> None:
    asking = client(Served({"shop": shop}, Limits(rate=30)))
    statuses = [asking.get("/v1/health/live") for _ in range(5)]
    assert [one.status_code for one in statuses] == [200, 200, 200, 429, 429]
    assert int(statuses[-1].headers["retry-after"]) >= 1


def test_what_is_remembered_of_clients_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_MOST", 10)
    limited, guesses = Rate(60), Guesses()
    for number in range(50):
        limited.wait(str(number))
        guesses.wrong(str(number))
    assert len(limited._buckets) == len(guesses._wrong) == 10
    assert SESSION < tokens.DAY
