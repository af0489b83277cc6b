"""Pages broken on purpose, by seed: cut, doubled, spliced, tags swapped and dropped, bytes flipped, quotes dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

_TAG = re.compile(rb"<[^<>]*>")
_RARE = (
    b"<table>", b"</table>", b"<td>", b"<caption>", b"<template>", b"</template>", b"<select>", b"<p>", b"</p>",
    b"</div>", b"<svg>", b"</svg>", b"<math>", b"<form>", b"<noscript>", b"<pre>", b"<plaintext>", b"<frameset>",
    b"<noembed>", b"<slot>", b"<ruby><rt>", b"<dl><dt>", b"<dd>", b"<details><summary>", b"<h2>", b"<a href=x>",
    b"<br>", b"<li hidden>", b"<div><template shadowrootmode=open>",
    b"<x-y><template shadowrootmode='closed'>", b"<math><mi>", b"<noframes>", b"<iframe srcdoc='<p>x'>",
    b"<button aria-controls=a>", b"<div id=a>", b'<script type="application/ld+json">', b"</script>", b"<!--", b"-->",
    b"&#0;", b"\0", b"\r", b"\t", b"\xff", b"\xe4\xb8", b"\xed\xa0\x80", "\u202e\U0001f600".encode(),
)  # fmt: skip


def mutated(body: bytes, random: Random, other: bytes = b"", most: int = 5) -> bytes:
    """The body after up to `most` changes; `other` is a page that a splice takes from."""
    for _ in range(random.randint(1, most)):
        change = random.choice(_CHANGES)
        body = _splice(body, random, other) if change is None else change(body, random)
    return body


def _range(body: bytes, random: Random, most: int = 4000) -> tuple[int, int]:
    start = random.randint(0, len(body))
    return start, min(len(body), start + random.randint(0, most))


def _cut(body: bytes, random: Random) -> bytes:
    start, end = _range(body, random)
    return body[:start] + body[end:]


def _truncate(body: bytes, random: Random) -> bytes:
    return body[: random.randint(len(body) // 3, len(body))]


def _double(body: bytes, random: Random) -> bytes:
    start, end = _range(body, random)
    return body[:end] + body[start:end] * random.randint(1, 3) + body[end:]


def _splice(body: bytes, random: Random, other: bytes) -> bytes:
    start, end = _range(other, random)
    at = random.randint(0, len(body))
    return body[:at] + other[start:end] + body[at:]


def _flip(body: bytes, random: Random) -> bytes:
    changed = bytearray(body)
    for _ in range(random.randint(1, 8) if body else 0):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _unquote(body: bytes, random: Random) -> bytes:
    return _without(body, random, [match.start() for match in re.finditer(rb"[\"'>]", body)], 1)


def _insert(body: bytes, random: Random) -> bytes:
    at = random.randint(0, len(body))
    return body[:at] + random.choice(_RARE) * random.choice((1, 1, 1, 2, 20)) + body[at:]


def _swap(body: bytes, random: Random) -> bytes:
    """Two tags of the page change places."""
    tags = [match.span() for match in _TAG.finditer(body)]
    if len(tags) < 2:
        return body
    (a, b), (c, d) = sorted(random.sample(tags, 2))
    return body[:a] + body[c:d] + body[b:c] + body[a:b] + body[d:]


def _untag(body: bytes, random: Random) -> bytes:
    """Some tags are gone."""
    tags = [match.span() for match in _TAG.finditer(body)]
    for start, end in sorted(random.sample(tags, min(len(tags), random.randint(1, 6))), reverse=True):
        body = body[:start] + body[end:]
    return body


def _without(body: bytes, random: Random, places: Sequence[int], length: int) -> bytes:
    for at in sorted(random.sample(places, min(len(places), random.randint(1, 6))), reverse=True):
        body = body[:at] + body[at + length :]
    return body


_CHANGES: tuple[Callable[[bytes, Random], bytes] | None, ...] = (
    _cut, _truncate, _double, None, _flip, _unquote, _insert, _insert, _swap, _untag,
)  # fmt: skip
"""None stands for a splice, which needs another page."""
