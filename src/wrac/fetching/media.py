"""What kind of bytes are these? By name, by header, and by looking at the first of them."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath
from urllib.parse import urlsplit

HTML, XHTML, MARKDOWN, TEXT = "text/html", "application/xhtml+xml", "text/markdown", "text/plain"
CSV, TSV, PDF, EPUB = "text/csv", "text/tab-separated-values", "application/pdf", "application/epub+zip"
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OFFICE}wordprocessingml.document"
PPTX = f"{_OFFICE}presentationml.presentation"
XLSX = f"{_OFFICE}spreadsheetml.sheet"
PACKED = frozenset((PDF, EPUB, DOCX, PPTX, XLSX))
"""Types of files that are no text; their bytes say it."""

BY_EXTENSION = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": XHTML,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".txt": TEXT,
    ".csv": CSV,
    ".tsv": TSV,
    ".tab": TSV,
    ".pdf": PDF,
    ".epub": EPUB,
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), DOCX),
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"), PPTX),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), XLSX),
}

# Formats that are passed over, and what to do about it.
_SAVE = "save it as"
OTHER_FORMATS = {
    **dict.fromkeys((".doc", ".dot", ".rtf", ".odt", ".wps", ".pages"), f"{_SAVE} .docx"),
    **dict.fromkeys((".ppt", ".pps", ".odp", ".key"), f"{_SAVE} .pptx"),
    **dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers"), f"{_SAVE} .xlsx"),
    **dict.fromkeys((".mobi", ".azw", ".azw3"), f"{_SAVE} .epub"),
}

READABLE = "HTML, Markdown, text, CSV, PDF, DOCX, PPTX, XLSX or EPUB"
"""What to give in place of a source that is passed over."""

# Servers' spellings of the same types.
_HEADER_NAMES = {
    **{name: name for name in (HTML, XHTML, MARKDOWN, TEXT, CSV, TSV, *PACKED)},
    "text/x-markdown": MARKDOWN, "application/csv": CSV, "text/x-csv": CSV, "application/x-pdf": PDF,
    "application/vnd.ms-word.document.macroenabled.12": DOCX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": PPTX,
    "application/vnd.openxmlformats-officedocument.presentationml.slideshow": PPTX,
    "application/vnd.ms-excel.sheet.macroenabled.12": XLSX,
}  # fmt: skip
# What servers say of any file: the name in the URL knows better.
_ANY = frozenset(("application/octet-stream", "binary/octet-stream", "application/zip", "application/x-zip-compressed"))

# First bytes of files that are no text, and what to call them.
_MAGIC = (
    (b"\x89PNG\r\n", "PNG image"),
    (b"GIF8", "GIF image"),
    (b"\xff\xd8\xff", "JPEG image"),
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

    A missing type is taken for HTML; `text/plain` at a URL that ends in `.md` or `.csv` is what the name says, as raw
    file hosts send it.
    """
    name, *parameters = (part.strip() for part in content_type.split(";"))
    charset = next((p[8:].strip(" \"'") for p in parameters if p.lower().startswith("charset=")), "")
    named = by_name(urlsplit(url).path)
    if name.lower() in _ANY:
        return (named if named in PACKED else ""), ""
    media_type = _HEADER_NAMES.get(name.lower(), "") if name else named or HTML
    return (named if media_type == TEXT and named in (MARKDOWN, CSV, TSV) else media_type), charset.lower()


def by_look(body: bytes) -> str:
    """HTML for bytes that open with a tag, "" for others: for named files whose name says nothing."""
    head = body[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\n\f\r")
    return HTML if head.startswith(b"<") else ""


def by_bytes(body: bytes) -> tuple[str, str]:
    """The type of a PDF, an office file or a book, whatever its name says; or "" and why such a file is passed over.

    Two empty texts for bytes of any other kind.
    """
    if body[:1024].lstrip(b"\xef\xbb\xbf\0 \t\r\n").startswith(b"%PDF-"):
        return PDF, ""
    if body.startswith(_OLE):
        return "", _old_office(body)
    if body.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _in_archive(body)
    return "", ""


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIN = {  # of the content type of an office file's main part
    "wordprocessingml.": DOCX, "ms-word.": DOCX, "presentationml.": PPTX, "ms-powerpoint.": PPTX,
    "spreadsheetml.": XLSX, "ms-excel.": XLSX,
}  # fmt: skip


def _old_office(body: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in body:
        return "encrypted office file: save it without a password"
    return "old office file: save it as .docx, .pptx or .xlsx"


def _in_archive(body: bytes) -> tuple[str, str]:
    """`by_bytes` of a ZIP archive: its content types, or its `mimetype`, tell."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = {info.filename: info for info in archive.infolist()}
            telling = names.get("[Content_Types].xml") or names.get("mimetype")
            if telling is None:
                found = EPUB if "META-INF/container.xml" in names else ""
                return found, "" if found else "ZIP archive of no document: unpack it and give the folder"
            if telling.flag_bits & 1:
                return "", "encrypted ZIP archive: unpack it and give the folder"
            with archive.open(telling) as file:
                head = file.read(_LOOKED_AT * 16).decode("utf-8", "replace")
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError, RuntimeError):
        return "", "damaged or truncated ZIP archive or office file: get it again"
    return _by_content(head)


def _by_content(head: str) -> tuple[str, str]:
    if head.strip() == EPUB:
        return EPUB, ""
    if "opendocument" in head:
        return "", "OpenDocument file: save it as .docx, .pptx or .xlsx"
    if "spreadsheetml" not in head and "sheet.binary" in head:
        return "", "binary workbook: save it as .xlsx"
    for part in head.split('ContentType="')[1:]:
        kind = part.partition('"')[0].lower()
        if kind.endswith("main+xml"):
            for word, media_type in _MAIN.items():
                if word in kind:
                    return media_type, ""
    return "", "ZIP archive of no document: unpack it and give the folder"


def binary(body: bytes) -> str:
    """What the bytes are when they are no text ("PDF", "PNG image", …), "" for text in any encoding.

    Text is told by its controls, not by its NULs alone: a page may carry a few, and UTF-16 is half NULs. A body that
    opens with `<` is believed longer.
    """
    head = body[:_LOOKED_AT]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    for magic, name in _MAGIC:
        if head.startswith(magic) and controls:
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
