"""What kind of bytes are these? By name, by header, and by looking at the first of them."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import urlsplit

HTML, XHTML, MARKDOWN, TEXT = "text/html", "application/xhtml+xml", "text/markdown", "text/plain"

BY_EXTENSION = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": XHTML,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".txt": TEXT,
}

# Servers' spellings of the same types.
_HEADER_NAMES = {HTML: HTML, XHTML: XHTML, MARKDOWN: MARKDOWN, "text/x-markdown": MARKDOWN, TEXT: TEXT}

# First bytes of files that are no text, and what to call them.
_MAGIC = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG\r\n", "PNG image"),
    (b"GIF8", "GIF image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"PK\x03\x04", "ZIP archive or office file"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"(\xb5/\xfd", "zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"\x7fELF", "program"),
    (b"MZ\x90\0", "program"),
    (b"\xcf\xfa\xed\xfe", "program"),
    (b"\xca\xfe\xba\xbe", "program"),
    (b"\0asm", "program"),
    (b"SQLite format 3\0", "SQLite database"),
    (b"\xd0\xcf\x11\xe0", "old office file"),
    (b"RIFF", "sound, video or image"),
    (b"OggS", "sound or video"),
    (b"wOF", "font"),
)
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_LOOKED_AT = 65_536
# C0 controls but tab, line feed, form feed, carriage return and escape (ISO-2022-JP is text).
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27})


def by_name(name: str) -> str:
    """The media type a file name or URL path ends in, "" when it is none wrac reads."""
    return BY_EXTENSION.get(PurePosixPath(name).suffix.lower(), "")


def by_header(content_type: str, url: str) -> tuple[str, str]:
    """Media type and charset of a `Content-Type` header; the type is "" when it is none wrac reads.

    A missing type is taken for HTML; `text/plain` at a URL that ends in `.md` is Markdown, as raw file hosts send it.
    """
    name, *parameters = (part.strip() for part in content_type.split(";"))
    charset = next((p[8:].strip(" \"'") for p in parameters if p.lower().startswith("charset=")), "")
    named = by_name(urlsplit(url).path)
    media_type = _HEADER_NAMES.get(name.lower(), "") if name else named or HTML
    return (MARKDOWN if (media_type, named) == (TEXT, MARKDOWN) else media_type), charset.lower()


def by_look(body: bytes) -> str:
    """HTML for bytes that open with a tag, "" for others: for named files whose name says nothing."""
    head = body[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\n\f\r")
    return HTML if head.startswith(b"<") else ""


def binary(body: bytes) -> str:
    """What the bytes are when they are no text ("PDF", "PNG image", …), "" for text in any encoding.

    Text is told by its controls, not by its NULs alone: a page may carry a few, and UTF-16 is half NULs. A body that
    opens with `<` is believed longer.
    """
    head = body[:_LOOKED_AT]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    for magic, name in _MAGIC:
        if head.startswith(magic) and (controls or magic == b"%PDF-"):
            return name
    if head[4:8] == b"ftyp" and controls:
        return "sound, video or image"
    if head.startswith(_BOMS) or _wide(head):
        return ""
    share = 0.3 if head.lstrip(b"\t\n\f\r \0").startswith(b"<") else 0.05
    return "binary data" if controls > 3 and controls > share * len(head) else ""


def _wide(head: bytes) -> bool:
    """Whether the NULs stand as in UTF-16 text of a Latin script: at every other byte, and nowhere else."""
    nuls = (head[0::2].count(0), head[1::2].count(0))
    return max(nuls) > 0.8 * (len(head) // 2) and min(nuls) <= 0.01 * len(head)
