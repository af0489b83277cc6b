"""One page by plain HTTP GET."""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.parse import urldefrag

import httpx2

from wrac import __version__
from wrac.core.errors import InputError, RemoteError
from wrac.core.types import Page
from wrac.fetching.media import by_header
from wrac.fetching.site.urls import bare
from wrac.fetching.skip import Skip
from wrac.llm.faults import connecting

TIMEOUT = httpx2.Timeout(30.0, connect=10.0)
HEADERS = {
    "User-Agent": f"wrac/{__version__}",
    "Accept": "text/html, application/xhtml+xml, text/markdown;q=0.9, application/pdf;q=0.9, */*;q=0.8",
}


def get(url: str, max_size: int, meta: Mapping[str, str], transport: httpx2.BaseTransport | None = None) -> Page | Skip:
    """The page at `url` after redirects, under the address it was found at, without the fragment.

    A login in the address is sent, and stands in no page and no error.
    The body is cut one byte above `max_size`, so that the caller sees it is too large. A media type wrac does not read
    is a Skip. Raises `RemoteError` for a server that cannot be reached or answers 400 or more, `InputError` for a URL
    that is none, `ConfigError` where no connection can be made by what the environment says.
    """
    with connecting():
        client = httpx2.Client(headers=HEADERS, timeout=TIMEOUT, follow_redirects=True, transport=transport)
    try:
        with client, client.stream("GET", url) as response:
            final = bare(urldefrag(str(response.url)).url)
            if response.status_code >= 400:
                raise RemoteError(bare(url), _status(response), _advice(response.status_code))
            media_type, charset = by_header(response.headers.get("content-type", ""), final)
            if not media_type:
                return Skip(final, f"not a page: {response.headers['content-type'].split(';')[0].strip()}")
            return Page(
                final, _body(response, max_size), media_type, charset, time.time(),
                response.headers.get("etag", ""), response.headers.get("last-modified", ""), response.status_code, meta,
            )  # fmt: skip
    except httpx2.InvalidURL as error:
        raise InputError(bare(url), f"not a URL: {error}") from error
    except httpx2.TooManyRedirects as error:
        raise RemoteError(bare(url), "it redirects in a circle") from error
    except httpx2.TimeoutException as error:
        raise RemoteError(bare(url), "no answer in time", "try again, or check the address") from error
    except httpx2.HTTPError as error:
        raise RemoteError(
            bare(url), f"cannot be fetched ({str(error) or type(error).__name__})", "check the address"
        ) from error


def _body(response: httpx2.Response, max_size: int) -> bytes:
    parts, size = [], 0
    for part in response.iter_bytes():
        parts.append(part)
        size += len(part)
        if size > max_size:
            break
    return b"".join(parts)[: max_size + 1]


def _status(response: httpx2.Response) -> str:
    return f"the server answered {response.status_code} {response.reason_phrase}".rstrip()


def _advice(status: int) -> str:
    if status in (401, 403):
        return "it wants a login: save the page and give the file"
    return "try again later" if status == 429 or status >= 500 else "check the address"
