"""What goes wrong between wrac and a server: errors by what to do about them, in one line without key or password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

from wrac.core.errors import ConfigError

LONGEST_TOLD: Final = 300


def connectable() -> None:
    """Nothing, where the environment lets connections be made. Raises ConfigError as `connecting` does."""
    import httpx2

    with connecting():
        httpx2.Client().close()


@contextmanager
def connecting() -> Iterator[None]:
    """Around the making of an HTTP client, which reads proxies and certificates from the environment.

    Raises ConfigError, which shows no password, where they are none.
    """
    import httpx2

    try:
        yield
    except (ImportError, ValueError, OSError, httpx2.InvalidURL) as error:
        advice = "check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE"
        if isinstance(error, ImportError):
            advice = "a SOCKS proxy needs: pip install socksio"
        raise ConfigError(f"no connection can be made by what the environment says; {advice}") from error


def sendable(key: str) -> bool:
    """Whether a header can hold the key: without line ends, spaces and letters that are not ASCII."""
    return not key or (key.isascii() and key.isprintable() and " " not in key)


def illegal(error: BaseException | None) -> bool:
    """Whether an error comes of a header that cannot be written."""
    import httpx2

    while error is not None and not isinstance(error, httpx2.LocalProtocolError):
        error = error.__cause__
    return error is not None


def unusable(problem: str) -> str:
    """What pydantic-ai says of a model it cannot ask, in wrac's words."""
    if variable := re.search(r"`([A-Z_]+)` environment variable", problem):
        return f"no key or address; set {variable[1]}"
    if command := re.search(r'pip install "[^"]+"', problem):
        return f"its provider needs a package: {command[0]}"
    return "no such provider; name the model as PROVIDER:NAME, such as openai:gpt-4.1, or give --base-url"


def advice(error: Exception, instead: str) -> str:
    """What to do about a refusal; `instead` is what can be done without a model."""
    errors = known()
    if isinstance(error, errors.key):
        return "check the key"
    if isinstance(error, errors.missing):
        return "check the model's name and the address"
    if isinstance(error, errors.too_long):
        return "choose a model that reads more"
    return f"top up the account, or {instead}" if isinstance(error, errors.quota) else "choose another model"


class Errors:
    """pydantic-ai's errors by what to do about them."""

    def __init__(self) -> None:
        import httpx2
        from pydantic_ai import exceptions as known

        self.key, self.missing, self.quota = (
            known.ModelAuthenticationError, known.ModelNotFoundError, known.ModelQuotaExceededError,
        )  # fmt: skip
        self.hopeless = (self.key, self.missing, self.quota)
        self.too_long = known.ModelContextWindowExceededError
        self.rejected = known.ModelRequestRejectedError
        self.any, self.unexpected = known.ModelAPIError, known.UnexpectedModelBehavior
        self.transport = (httpx2.TransportError,)


@cache
def known() -> Errors:
    """The errors, which are imported with pydantic-ai."""
    return Errors()
