"""How a language model is reached: what is refused as its name or address, and the endpoint it becomes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from wrac.core.errors import ConfigError

if TYPE_CHECKING:
    from wrac.llm.prices import Price
    from wrac.llm.providers import Endpoint

KEY: Final = "WRAC_API_KEY"
"""The environment variable with the key for a `base_url`; providers of their own have their usual ones."""


def endpoint(model: str, base_url: str, price: Price | None, parallel: int = 4) -> Endpoint:
    """Where a model is; a key for a `base_url` is read from the environment. Raises ConfigError for no key."""
    from wrac.llm.providers import Endpoint

    key = os.environ.get(KEY, "").strip() if base_url else ""  # a file's last line end is no part of it
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"{KEY} holds characters that no key has; set it to the key alone")
    return Endpoint(model, base_url, key, parallel=parallel, price=price)


def refuse(model: str, base_url: str) -> None:
    """Nothing for a model's name and the address of a server. Raises ConfigError for others; no address is repeated."""
    if not model.isprintable():
        raise ConfigError(f"--model {model!r} is no name; it holds what cannot be printed")
    if base_url:
        _refuse_address(base_url)


def _refuse_address(address: str) -> None:
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if not fits:
        raise ConfigError("--base-url is no address; write it as https://host/v1")
    if "@" in parts.netloc:
        raise ConfigError(f"--base-url holds a password; put the key into {KEY}")
    if parts.query or parts.fragment:
        raise ConfigError(f"--base-url holds more than an address; end it before ? and #, and put a key into {KEY}")
