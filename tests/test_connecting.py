"""What the environment says of connections, and keys that no header can hold: one line each, and nothing is sent."""

from __future__ import annotations

import asyncio
import importlib.util

import pytest

from wrac.core.errors import ConfigError, RemoteError
from wrac.embedding import load
from wrac.embedding.endpoint import Endpoint
from wrac.fetching.http import get
from wrac.fetching.site.client import Client, Manners
from wrac.llm.faults import sendable

NOWHERE = "http://127.0.0.1:9"
ADVICE = "check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE"
BAD = (
    {"HTTP_PROXY": "gopher://user:hidden@proxy"},
    {"HTTPS_PROXY": "http://user:hidden@proxy:80x"},
    {"SSL_CERT_FILE": "/nowhere/hidden.pem"},
)


@pytest.mark.parametrize("said", BAD)
def test_an_environment_that_makes_no_sense_is_one_line(said: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    for run in (lambda: get(NOWHERE, 10, {}), lambda: load(f"openai:m@{NOWHERE}/v1").embed(["text"])):
        with pytest.raises(ConfigError, match=ADVICE) as told:
            run()
        assert "hidden" not in str(told.value)


@pytest.mark.skipif(importlib.util.find_spec("socksio") is not None, reason="SOCKS proxies are installed")
def test_a_socks_proxy_names_the_package_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(ConfigError, match="a SOCKS proxy needs: pip install socksio"):
        get(NOWHERE, 10, {})


def test_a_crawl_says_that_there_are_no_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/hidden.pem")

    async def crawl() -> None:
        Client(Manners())

    with pytest.raises(ConfigError, match=ADVICE):
        asyncio.run(crawl())


@pytest.mark.parametrize("key", ["abc\ndef", "abc\r", "schlüssel", "a b", "\0"])
def test_a_key_that_no_header_can_hold_is_refused_before_anything_is_sent(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not sendable(key)
    if "\0" in key:  # no environment has such a value
        return
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY holds characters that no key has") as told:
        Endpoint("model", f"{NOWHERE}/v1")
    assert key.strip() not in str(told.value)


def test_a_usual_key_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sendable("") and sendable("sk-proj_Abc.123/+=")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj_Abc.123/+=")
    with pytest.raises(RemoteError, match="gave no embeddings"):
        Endpoint("model", f"{NOWHERE}/v1", pause=0).embed(["text"])
