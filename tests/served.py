"""A site server on loopback for tests: routes that say what is answered, and a log of what was asked."""

from __future__ import annotations

import gzip
import mimetypes
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered: `packed` by gzip, `slow` seconds before the first byte, cut after `cut` bytes of the body."""

    body: bytes = b""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    packed: bool = False
    slow: float = 0.0
    cut: int = -1


@dataclass(frozen=True, slots=True)
class Raw:
    """Parts that are written as they are, one every `every` seconds; then the connection is closed."""

    parts: Iterable[bytes]
    every: float = 0.0


Route = Reply | Raw | str | Callable[["Asked"], "Reply | Raw"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: when, for what, with which headers."""

    at: float
    path: str
    headers: Mapping[str, str]


class Served:
    """A running site. `routes` may change while it runs; what no route names is 404."""

    def __init__(self, routes: Mapping[str, Route], folder: Path | None = None) -> None:
        self.routes, self.folder = dict(routes), folder
        self.log: list[Asked] = []
        self.url = ""
        self.most = self._open = 0
        self._lock = threading.Lock()

    def asked(self, path: str = "") -> list[str]:
        """The paths that were asked, in order; those that are `path` where given."""
        return [one.path for one in self.log if not path or one.path == path]

    def answer(self, asked: Asked) -> Reply | Raw:
        route = self.routes.get(asked.path) or self._file(asked) or Reply(b"<h1>Not here</h1>", 404)
        if isinstance(route, str):
            return Reply(route.encode())
        return route if isinstance(route, Reply | Raw) else route(asked)

    def _file(self, asked: Asked) -> Reply | None:
        """A file of the folder, or 304 for one that has the tag that was asked for."""
        path = unquote(asked.path.partition("?")[0])
        file = self.folder / path.lstrip("/") if self.folder is not None else None
        if file is None or not file.is_file():
            return None
        body = file.read_bytes()
        tag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        if asked.headers.get("If-None-Match") == tag:
            return Reply(b"", 304, headers={"ETag": tag})
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return Reply(body, kind=kind, headers={"ETag": tag})

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._open += 1
            self.most = max(self.most, self._open)
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1


@contextmanager
def served(
    routes: Mapping[str, Route], folder: Path | None = None, *, host: str = "127.0.0.1", tls: Path | None = None
) -> Iterator[Served]:
    """The site at `http://HOST:PORT`, until the block ends; files of a folder where no route is named.

    `tls` is a file with a certificate and its key: then the site is at `https://HOST:PORT`.
    """
    site = Served(routes, folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            with site.counted():
                self._answer()

        def _answer(self) -> None:
            asked = Asked(time.monotonic(), self.path, dict(self.headers.items()))
            site.log.append(asked)
            reply = site.answer(asked)
            if isinstance(reply, Raw):
                self._raw(reply)
                return
            time.sleep(reply.slow)
            body = gzip.compress(reply.body) if reply.packed else reply.body
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(body)))
            if reply.kind:
                self.send_header("Content-Type", reply.kind)
            if reply.packed:
                self.send_header("Content-Encoding", "gzip")
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if reply.cut < 0 else body[: reply.cut])
            self.close_connection = self.close_connection or reply.cut >= 0

        def _raw(self, raw: Raw) -> None:
            self.close_connection = True
            for part in raw.parts:
                self.wfile.write(part)
                self.wfile.flush()
                time.sleep(raw.every)

        def log_message(self, *_: Any) -> None:
            """Says nothing: the log is the site's."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A client that went away is no error here."""

    server = Quiet((host, 0), Handler)
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    site.url = f"{'http' if tls is None else 'https'}://{host}:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def linking(*targets: str, title: str = "Page", head: str = "") -> str:
    """A page with links."""
    links = "".join(f'<li><a href="{target}">to {target}</a>' for target in targets)
    return f"<!doctype html><title>{title}</title>{head}<main><h1>{title}</h1><ul>{links}</ul></main>"
