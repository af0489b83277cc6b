"""Content identifiers: a kind tag and 128 bits of BLAKE2b over length-framed parts.

The canonical form is a contract: each part is UTF-8, written as a netstring (`<bytes>:<data>`), so no two part
lists share an encoding. A change of form takes a new tag (`u1` -> `u2`), which keeps the two spaces apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b


def content_id(tag: str, parts: Iterable[str | bytes]) -> str:
    """The id `<tag>:<32 hex digits>` of the parts, in their order.

    >>> content_id("u1", ["paragraph", "Refunds take five days."])
    'u1:34896f59ea2363823fe4b4a552cc43ff'
    """
    digest = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, str):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:%b" % (len(data), data))
        else:  # may be a page's body, which nobody copies
            digest.update(b"%d:" % len(part))
            digest.update(part)
    return f"{tag}:{digest.hexdigest()}"


def unit_id(kind: str, text: str) -> str:
    """`content_id("u1", (kind, text))` in one stroke: a site has hundreds of thousands of units."""
    data = text.encode()
    head = kind.encode()
    return "u1:" + blake2b(b"%d:%b%d:%b" % (len(head), head, len(data), data), digest_size=16).hexdigest()


def body_id(body: bytes) -> str:
    """The id of a page's bytes."""
    return content_id("b1", [body])
