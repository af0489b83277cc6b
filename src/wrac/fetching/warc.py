"""WARC files as sources, and pages as WARC records: what was crawled once can be indexed again without a network."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from uuid import UUID

from wrac.core.errors import InputError, MissingExtraError
from wrac.core.types import NOTHING, Page
from wrac.fetching import media
from wrac.fetching.skip import Skip

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

_META: Final = "WARC-Wrac-Meta"
_REASONS: Final = {200: "OK"}


def read(path: Path | str, max_size: int, meta: Mapping[str, str] = NOTHING) -> Iterator[Page | Skip]:
    """The pages of an archive in its order: each answered page with the bytes that were sent, unpacked.

    Records that are no answers, redirects and answers of an error are no pages and are passed over; what is of a type
    that wrac does not read is a Skip, and a body is cut one byte above `max_size`. `meta` is put on every page, over
    what the record itself carries.
    Raises InputError for a file that is no archive or breaks off, after the pages before the break.
    """
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError as error:
        raise MissingExtraError("warc", "reading WARC files") from error
    name, records = str(path), 0
    try:
        with Path(path).open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=False):
                said = record.reader.read()
                if len(said) < record.content_length:
                    raise ValueError("the last one is not whole")  # noqa: TRY301 - told as every other break is
                records += 1
                record.set_bytes_content(said)
                record.parse_http(auto_decode="all")
                found = _page(record, max_size, meta)
                if found is not None:
                    yield found
    except (OSError, ValueError) as error:
        raise InputError(name, f"the archive breaks off after {records} answers ({error})", "fetch it again") from error
    if not records and Path(path).stat().st_size:
        raise InputError(name, "no WARC file, or one without answers", "give a file of WARC records")


def _page(record: WarcRecord, max_size: int, meta: Mapping[str, str]) -> Page | Skip | None:
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
    if not url or not record.is_http or record.http_headers is None:
        return None
    status = record.http_headers.status_code or 0
    if not 200 <= status < 300:
        return None
    media_type, charset = media.by_header(record.http_headers.get("Content-Type", "") or "", url)
    if not media_type:
        return Skip(url, f"not a page: {(record.http_content_type or '').split(';')[0].strip()}")
    headers = record.http_headers
    said = {**json.loads(record.headers.get(_META) or "{}"), **meta}
    return Page(
        url, record.reader.read(max_size + 1), media_type, charset, _moment(record),
        headers.get("ETag", "") or "", headers.get("Last-Modified", "") or "", status, said,
    )  # fmt: skip


def _moment(record: WarcRecord) -> float:
    return record.record_date.timestamp() if record.record_date is not None else 0.0


def write(pages: Iterator[Page], file: BinaryIO) -> int:
    """How many pages were written to a file as WARC records, each packed by gzip on its own, as readers expect.

    Read again, each gives the same URL, bytes, type, times and metadata, so the same ids.
    """
    try:
        from fastwarc.warc import WarcRecord, WarcRecordType
    except ImportError as error:
        raise MissingExtraError("warc", "writing WARC files") from error
    count = 0
    for page in pages:
        record, plain = WarcRecord(), io.BytesIO()
        record.init_headers(record_type=WarcRecordType.response, record_urn=f"uuid:{_uuid(page)}".encode())
        record.headers["WARC-Target-URI"] = page.url
        record.headers["WARC-Date"] = datetime.fromtimestamp(page.fetched, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        record.headers["Content-Type"] = "application/http; msgtype=response"
        if page.meta:
            record.headers[_META] = json.dumps(dict(page.meta), sort_keys=True)
        record.set_bytes_content(_head(page) + page.body)
        record.write(plain, checksum_data=True)
        file.write(gzip.compress(plain.getvalue(), mtime=0))
        count += 1
    return count


def _uuid(page: Page) -> UUID:
    """The same for the same page: equal exports are equal files."""
    return UUID(
        bytes=blake2b(f"{page.url}\n{page.body_id}".encode("utf-8", "surrogateescape"), digest_size=16).digest()
    )


def _head(page: Page) -> bytes:
    """The answer's head as it matters to a reader; the body is unpacked, so it has no Content-Encoding."""
    kind = f"{page.media_type}; charset={page.charset}" if page.charset else page.media_type
    lines = [f"HTTP/1.1 {page.status} {_REASONS.get(page.status, '')}".rstrip(), f"Content-Type: {kind}"]
    lines += [
        f"{name}: {value}" for name, value in (("ETag", page.etag), ("Last-Modified", page.last_modified)) if value
    ]
    lines.append(f"Content-Length: {len(page.body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")
