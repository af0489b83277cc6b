"""Files below a source, sorted, each real file once; what is passed over is reported with a reason."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wrac.fetching import archives
from wrac.fetching.media import OTHER_FORMATS, by_name


@dataclass(frozen=True, slots=True)
class Root:
    """A source on disk: as given, its real path, and the first part of its pages' names."""

    path: str
    real: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Found:
    """A file with its stable name, or the reason why it is passed over."""

    path: str
    name: str
    problem: str = ""

    def read(self, limit: int) -> bytes:
        """At most `limit` bytes of the file."""
        with Path(self.path).open("rb") as file:
            return file.read(limit)

    def not_a_page(self) -> str:
        """The reason to give for a file of a type wrac does not read."""
        extension = Path(self.name).suffix.lower()
        advice = OTHER_FORMATS.get(extension)
        return f"not a page: {extension or 'no extension'}" + (f" ({advice})" if advice else "")


def root(source: str, *, keep_name: bool) -> Root:
    """The source with the prefix of its pages' names. Raises OSError when it is not there.

    A relative path is kept as given (`docs/site`); of an absolute one, or one that climbs out with `..`, the last
    name stays. Without `keep_name` a directory has no prefix and a file keeps its own name only.
    """
    is_directory = stat.S_ISDIR(Path(source).stat().st_mode)
    real, given = os.path.realpath(source), os.path.normpath(source)
    name = Path(given).name if Path(given).name not in ("", os.pardir) else Path(real).name
    climbs = Path(given).is_absolute() or Path(given).parts[:1] == (os.pardir,)
    prefix = name if climbs else given
    if not keep_name:
        prefix = "" if is_directory else name
    return Root(source, real, posix("" if prefix == os.curdir else prefix))


def walk(source: Root, seen: dict[str, str]) -> Iterator[Found]:
    """What is found at a source, sorted by name, directories in place; `seen` holds real path -> name across sources.

    Links are followed. One that closes a loop, or leads to what this source reads anyway, is passed over whatever the
    order of names.
    """
    if not Path(source.real).is_dir():
        yield _once(source.path, source.prefix, source.real, seen)
        return
    stack = [_listing(source.real, source.prefix, seen)]
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
        elif isinstance(entry, Found):
            yield entry
        else:
            found = _judge(source, *entry, seen)
            if found.problem == _DIRECTORY:
                stack.append(_listing(found.path, found.name, seen))
            else:
                yield found


_DIRECTORY = "directory"


def _listing(directory: str, name: str, seen: dict[str, str]) -> Iterator[Found | tuple[os.DirEntry[str], str]]:
    if directory in seen:
        yield Found(directory, name, "already read under another name")
        return
    seen[directory] = name
    try:
        with os.scandir(directory) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        yield Found(directory, name, f"unreadable: {why(error)}")
        return
    for entry in entries:
        yield entry, posix(f"{name}/{entry.name}" if name else entry.name)


def _judge(source: Root, entry: os.DirEntry[str], name: str, seen: dict[str, str]) -> Found:  # noqa: PLR0911 - a list of reasons
    if entry.name.startswith("."):
        return Found(entry.path, name, "hidden")
    try:
        mode = entry.stat().st_mode
    except OSError as error:
        reason = "link to nothing" if isinstance(error, FileNotFoundError) else why(error)
        return Found(entry.path, name, f"unreadable: {reason}")
    # A listing is made under its real path, so only a link has another one.
    real = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
    if entry.is_symlink() and (reason := _needless(source.real, real)):
        return Found(entry.path, name, reason)
    if stat.S_ISDIR(mode):
        return Found(real, name, _DIRECTORY)
    found = Found(entry.path, name)
    if not (by_name(entry.name) or archives.holds_pages(entry.name)):
        return Found(entry.path, name, found.not_a_page())
    if not stat.S_ISREG(mode):
        return Found(entry.path, name, "not a regular file")
    return _once(entry.path, name, real, seen)


def _needless(root: str, real: str) -> str:
    """Why a link to `real` is not followed in a walk from `root`, "" when it must be to read what is there.

    What lies below the root is read without the link, unless a folder on the way is hidden.
    """
    if _below(root, real):
        return "link to a folder above"
    if _below(real, root) and not any(part.startswith(".") for part in Path(real).relative_to(root).parts):
        return "link to what is read under its own name"
    return ""


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _once(path: str, name: str, real: str, seen: dict[str, str]) -> Found:
    problem = "already read under another name" if real in seen else ""
    seen.setdefault(real, name)
    return Found(path, name, problem)


def posix(path: str) -> str:
    """The path with `/`, and as text whatever its bytes: what is not UTF-8 is written `\\xhh`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def why(error: OSError | ValueError) -> str:
    """The system's reason, in lower case."""
    return (getattr(error, "strerror", None) or str(error)).lower()
