"""Files that are ZIP archives of XML parts: their parts one by one, under caps on what they expand to."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from typing import IO, Final, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree  # entities are refused before it sees them, and caps hold

from wrac.core.errors import InputError, LimitError
from wrac.core.types import Page

MAX_PART: Final = 128 * 2**20
"""Bytes of the largest part that is read as a whole."""
MAX_EXPANDED: Final = 2**30
"""Bytes of all parts that are read of one file."""

Node = ElementTree.Element
_DAMAGED: Final = (
    zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError, KeyError,
)  # fmt: skip
# Namespaces of the transitional and the strict form of the standard, and the prefix that stands for both.
_OFFICE: Final = {"wordprocessingml": "w", "presentationml": "p", "spreadsheetml": "x"}
_DRAWING: Final = {
    "main": "a", "chart": "c", "diagram": "dgm", "picture": "pic", "wordprocessingDrawing": "wp",
    "spreadsheetDrawing": "xdr",
}  # fmt: skip
_OTHERS: Final = {
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "urn:schemas-microsoft-com:vml": "v",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx",
}
_RELATIONS: Final = ("http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                     "http://purl.oclc.org/ooxml/officeDocument/relationships")  # fmt: skip


class Relation(NamedTuple):
    """What a part points at: the last word of the relation's type, and a part's name or a URL."""

    kind: str
    target: str


class Package:
    """The parts of a file by name; names are alike whatever their case."""

    def __init__(self, page: Page, what: str) -> None:
        self._page, self._what, self._read = page, what, 0
        self._tags, self._keys = _Tags(), _Keys()
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(page.body))
            self._names = {info.filename.lower(): info for info in self._archive.infolist()}
        except _DAMAGED as error:
            raise self.damaged() from error

    def damaged(self, where: str = "") -> InputError:
        """The error for a file that cannot be read, or a part of it."""
        return InputError(
            self._page.url, f"damaged or no {self._what}{where and f' ({where})'}", "get or save it again"
        )

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._names

    def open(self, name: str) -> IO[bytes]:
        """A part to be read bit by bit. Raises InputError when it is not there, LimitError beyond the caps."""
        info = self._names.get(name.lower())
        if info is None:
            raise self.damaged(f"{name} is missing")
        if info.flag_bits & 1:
            raise InputError(self._page.url, "is encrypted", "save it without a password")
        self._read += info.file_size
        if self._read > MAX_EXPANDED:
            raise LimitError(self._page.url, "expanded size in bytes", MAX_EXPANDED, self._read, "split the file")
        try:
            return self._archive.open(info)
        except _DAMAGED as error:
            raise self.damaged(name) from error

    def read(self, name: str) -> bytes:
        """A whole part. Raises InputError when it is not there or damaged, LimitError beyond the caps."""
        info = self._names.get(name.lower())
        if info is not None and info.file_size > MAX_PART:
            raise LimitError(self._page.url, f"size of {name} in bytes", MAX_PART, info.file_size, "split the file")
        with self.open(name) as file:
            try:
                return file.read()
            except _DAMAGED as error:
                raise self.damaged(name) from error

    def xml(self, name: str) -> Node:
        """The root element of a part; names have this module's prefixes for namespaces, of attributes `r:` alone."""
        body = self.read(name)
        if b"<!ENTITY" in body or b"<\0!\0E\0N\0T\0I\0T\0Y" in body:
            raise self.damaged(f"{name} declares entities")
        try:
            root = ElementTree.fromstring(body)  # noqa: S314 - see above
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise self.damaged(name) from error
        for node in root.iter():
            node.tag = self._tags[node.tag]
            if node.attrib:
                node.attrib = {self._keys[key]: value for key, value in node.attrib.items()}
        return root

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part points at, by id; "" is the file as a whole."""
        folder, name = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", f"{name}.rels")
        if rels not in self:
            return {}
        found = {}
        for node in self.xml(rels):
            target = node.get("Target", "")
            if node.get("TargetMode") != "External" and not target.startswith("#"):
                target = within(folder, target)
            found[node.get("Id", "")] = Relation(node.get("Type", "").rpartition("/")[2], target)
        return found

    def main_part(self) -> str:
        """The name of the part that the file is about. Raises InputError when it names none."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument":
                return relation.target
        raise self.damaged("it has no main part")

    def about(self) -> dict[str, str]:
        """The file's properties that are not empty: `title`, `language`, `author`, `description`, `keywords`, dates."""
        for relation in self.relations("").values():
            if relation.kind == "core-properties" and relation.target in self:
                texts = {_local(node.tag): " ".join((node.text or "").split()) for node in self.xml(relation.target)}
                named = {name: texts.get(key, "") for name, key in _PROPERTIES.items()}
                return {name: text for name, text in named.items() if text}
        return {}


_PROPERTIES: Final = {
    "title": "title", "language": "language", "author": "creator", "description": "description", "subject": "subject",
    "keywords": "keywords", "category": "category", "created": "created", "modified": "modified",
}  # fmt: skip


def below(node: Node, path: str) -> Node | None:
    """The first element at a path of child elements; None where one is missing."""
    found: Node | None = node
    for tag in path.split("/"):
        if found is None:
            return None
        found = found.find(tag)
    return found


def within(folder: str, target: str) -> str:
    """The name of a part that a part in `folder` points at."""
    path = target if target.startswith("/") else posixpath.join(folder, target)
    return unquote(posixpath.normpath(path)).lstrip("/")


def _local(tag: str) -> str:
    return tag.rpartition("}")[2].rpartition(":")[2]


class _Tags(dict[str, str]):
    """Element names with prefixes, each made once."""

    def __missing__(self, tag: str) -> str:
        space, _, name = tag.rpartition("}")
        space = space.removeprefix("{")
        prefix = _OTHERS.get(space, "")
        if not prefix and ("openxmlformats.org" in space or "purl.oclc.org" in space):
            words = space.split("/")
            prefix = _DRAWING.get(words[-1], "") if "drawingml" in words else ""
            prefix = prefix or next((prefix for family, prefix in _OFFICE.items() if family in words), "")
        self[tag] = found = f"{prefix}:{name}" if prefix else name
        return found


class _Keys(dict[str, str]):
    """Attribute names without namespaces; those of relations keep `r:`: elements have an `id` of their own too."""

    def __missing__(self, key: str) -> str:
        space, _, name = key.rpartition("}")
        self[key] = found = f"r:{name}" if space.removeprefix("{") in _RELATIONS else name
        return found
