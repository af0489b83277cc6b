"""wrac against lexbor on real pages: the same text in the same order, every address its own stretch of the source."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest
from tests import debian, lawbook
from tests.oracle import decode, shown_by, sources, squeeze

from wrac.core.types import Document, HtmlAddress, Page
from wrac.parsing import parse

PAGES = debian.sample(400)
FULL = PAGES[::20]
needs_pages = pytest.mark.skipif(not PAGES, reason=debian.ABSENT)


def page(path: Path) -> Page:
    return Page(path.as_uri(), path.read_bytes())


@needs_pages
def test_same_text_in_the_same_order() -> None:
    assert len(PAGES) >= 400
    faults = [fault for path in PAGES for fault in differences(page(path))]
    assert not faults, f"{len(faults)} faults, the first ten:\n" + "\n".join(faults[:10])


def differences(target: Page) -> list[str]:
    """What wrac and lexbor do not agree on: these pages hide nothing and have no formulas, so all of it is in units."""
    document = parse(target)
    source = decode(target.body, document.encoding)
    theirs = squeeze("".join(s.text for s in sources(source) if s.kind in {"text", "alt"}))
    ours = squeeze("".join(document.text(place.ordinal) for place in document.places))
    name = target.url.rsplit("/", 1)[-1]
    faults = [f"{name}: {fault}" for fault in stretches(document, source)]
    if ours != theirs:
        same = (a == b for a, b in zip(ours, theirs, strict=False))
        at = len(list(takewhile(bool, same)))
        faults.append(f"{name}: wrac says {ours[at - 40 : at + 40]!r}, lexbor {theirs[at - 40 : at + 40]!r}")
    return faults


def stretches(document: Document, source: str) -> list[str]:
    """Source ranges ascend, never overlap, and show the unit's text by a reader that knows no segmenter."""
    faults, end = [], 0
    for place in document.places:
        address, text = place.address, document.text(place.ordinal)
        if not isinstance(address, HtmlAddress) or address.within is not None:
            continue
        if address.start < end:
            faults.append(f"range of {text[:60]!r} starts at {address.start}, the one before ends at {end}")
        end = address.end
        alts = any(mark.kind == "image" for mark in place.marks) or document.units[place.unit].kind == "image"
        if not alts and shown_by(source[address.start : address.end]) != squeeze(text):
            faults.append(f"range of {text[:60]!r} holds {source[address.start : address.end][:200]!r}")
    return faults


@needs_pages
@pytest.mark.parametrize("path", FULL, ids=lambda path: path.name)
def test_real_pages_keep_the_laws(path: Path) -> None:
    lawbook.check_all(page(path))
