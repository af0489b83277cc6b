"""What the caller names is told apart here: `-`, a URL, a file, a directory."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote, urljoin

from wrac.core.errors import ConfigError, InputError
from wrac.core.types import NOTHING, Page
from wrac.fetching import archives, files, media
from wrac.fetching.judge import judged
from wrac.fetching.skip import Skip

if TYPE_CHECKING:
    from httpx2 import BaseTransport

MAX_SIZE = 64 * 2**20
"""Bytes of the largest page that is read unless the caller allows more."""

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def pages(  # noqa: PLR0913 - the options of one verb
    sources: Sequence[str],
    *,
    meta: Mapping[str, str] = NOTHING,
    base: str = "",
    max_size: int = MAX_SIZE,
    stdin: BinaryIO | None = None,
    transport: BaseTransport | None = None,
) -> Iterator[Page | Skip]:
    """Pages and recorded skips of the sources, in the order given; a directory's files sorted by name.

    `meta` is put on every page. `base` is the URL a directory is published under: `base` + the path inside it is then
    a page's url; of standard input it is the url itself. Without it a file's url is its path as given, with `/`; of an
    absolute source only the last name is kept, so that machines agree. A real file is read once, however many links
    and sources lead to it.
    `max_size` is in bytes. `stdin` and `transport` replace the process's standard input and the network.

    Raises `InputError` for a source that does not exist or cannot be a source, before anything is read, and
    `RemoteError` when a server does not answer with a page.
    """
    if base and not _URL.match(base):
        raise ConfigError(f"--base {base}: not an absolute URL; give one such as https://docs.example.com/")
    _refuse_values(base, meta)
    piped = base or "-"
    base = base if not base or base.endswith("/") else base + "/"
    roots = {source: _root(source, base) for source in sources if source != "-" and not _URL.match(source)}
    _refuse_clashes(roots)
    _refuse_schemes(sources)
    return _read(list(dict.fromkeys(sources)), roots, _Reader(meta, base, max_size, piped), stdin, transport)


def _refuse_values(base: str, meta: Mapping[str, str]) -> None:
    """Raises ConfigError for what cannot be stored: metadata that is no text, or text that is no Unicode."""
    for name, value in {"--base": base, **meta}.items():
        if not (isinstance(name, str) and isinstance(value, str) and name.strip()):
            raise ConfigError(f"metadata {name!r}={value!r}: names and values are texts, and a name is not empty")
        if any("\ud800" <= char <= "\udfff" for char in name + value):
            raise ConfigError(f"{name!a} {value!a}: not valid Unicode; give it as UTF-8")


def _read(
    sources: list[str],
    roots: Mapping[str, files.Root],
    reader: _Reader,
    stdin: BinaryIO | None,
    transport: BaseTransport | None,
) -> Iterator[Page | Skip]:
    seen: dict[str, str] = {}
    for source in sources:
        if source == "-":
            yield reader.checked(reader.piped, _piped(stdin).read(reader.max_size + 1), media.HTML)
        elif source in roots:
            for found in files.walk(roots[source], seen):
                yield from reader.file(found)
        else:
            from wrac.fetching.http import get  # an HTTP client is 100 ms that local sources need not pay

            answer = get(source, reader.max_size, reader.meta, transport)
            yield judged(answer, reader.max_size) if isinstance(answer, Page) else answer


def _piped(stdin: BinaryIO | None) -> BinaryIO:
    if stdin is None and sys.stdin is None:
        raise InputError("-", "standard input is closed", "pipe a page into it")
    return stdin or sys.stdin.buffer


class _Reader:
    """Bytes to pages under one run's options."""

    def __init__(self, meta: Mapping[str, str], base: str, max_size: int, piped: str = "-") -> None:
        self.meta, self.base, self.max_size, self.piped = meta, base, max_size, piped

    def file(self, found: files.Found) -> Iterator[Page | Skip]:
        """The page of a file, or the pages of one that holds many."""
        packed = None if found.problem else archives.reader(found.name)
        if packed is None:
            yield self._single(found)
            return
        for page in packed(found.path, self.max_size, self.meta):
            yield judged(page, self.max_size) if isinstance(page, Page) else page

    def _single(self, found: files.Found) -> Page | Skip:
        url = urljoin(self.base, quote(found.name)) if self.base else found.name
        if found.problem:
            return Skip(url, found.problem, "unreachable" if found.problem.startswith("unreadable") else "no page")
        try:
            body = found.read(self.max_size + 1)
        except OSError as error:
            return Skip(url, f"unreadable: {files.why(error)}", "unreachable")
        media_type = media.by_name(found.name) or media.by_look(body) or media.by_bytes(body)[0]
        if not media_type and body.strip():
            return Skip(url, found.not_a_page())
        return self.checked(url, body, media_type)

    def checked(self, url: str, body: bytes, media_type: str) -> Page | Skip:
        return judged(Page(url, body, media_type, fetched=time.time(), meta=self.meta), self.max_size)


def _root(source: str, base: str) -> files.Root:
    if not source.strip():
        raise InputError("''", "an empty name is no source", "an unset variable in a script, perhaps; . is this folder")
    try:
        return files.root(source, keep_name=not base)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InputError(source, "no such file or directory", "check the path; a URL starts with https://") from error
    except (OSError, ValueError) as error:
        raise InputError(source, files.why(error)) from error


def _refuse_clashes(roots: Mapping[str, files.Root]) -> None:
    """Two sources whose pages would carry the same names cannot be told apart later, so they are refused now."""
    taken: dict[str, files.Root] = {}
    for source, root in roots.items():
        other = taken.setdefault(root.prefix, root)
        if other.real != root.real:
            raise InputError(
                source,
                f"its pages would have the same names as those of {other.path}",
                "give a folder that holds both, or run once for each with its own --base",
            )


def _refuse_schemes(sources: Sequence[str]) -> None:
    for source in sources:
        if (match := _URL.match(source)) and match[1].lower() not in ("http", "https"):
            raise InputError(source, f"{match[1]}:// is not read", "give https://, http://, a file, a folder or -")
