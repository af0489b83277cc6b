"""Models behind endpoints: what is told when there is none."""

from __future__ import annotations

import socket

import pytest

from wrac.core.errors import RemoteError
from wrac.llm.asking import Question
from wrac.llm.providers import Endpoint, Provider


def test_an_endpoint_that_is_not_there_is_told_once_and_then_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        provider = Provider(Endpoint("any", address, attempts=2, pause=0.01, timeout=5))
        try:
            with pytest.raises(RemoteError, match="gave no answer in 2 attempts") as first:
                provider.ask(Question("Group.", "1 p 3 Text"))
            with pytest.raises(RemoteError) as second:
                provider.ask(Question("Group.", "1 p 3 Text"))
        finally:
            provider.close()
    assert second.value is first.value
    assert provider.name == "openai-compatible:any"
