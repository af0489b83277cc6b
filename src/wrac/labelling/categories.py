"""The closed list of what kind of passage this is, and how structure and numbers tell it, in any language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from typing import Final

from wrac.core.types import Document

CATEGORIES: Final = (
    "question", "instructions", "prices", "specification", "table", "code", "definition", "contact", "quote", "text",
)  # fmt: skip
"""Every category a label can have, a model's included."""

_MONEY: Final = re.compile(r"[$€£¥₹₩₽₺₫฿]\s?\d|\d\s?(?:[$€£¥₹₩₽₺₫฿円元원]|(?:EUR|USD|INR|GBP|CHF)\b)")
_CONTACT: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.\w|\+\d{1,3}[\s\d()-]{6,}|\b\d{3,5}[-\s]\d{6,8}\b")
_MEASURE: Final = re.compile(r"\d\s?(?:[a-zA-Zµ°%]{1,4}\b|%)")


def category(document: Document, ordinals: Sequence[int], ordered: Container[int]) -> str:
    """The kind of a passage: what most of its characters are in, or what it has several of.

    `ordered` are the ordinals that a numbered item begins at.
    """
    sizes: Counter[str] = Counter()
    for ordinal in ordinals:
        unit = document.unit(ordinal)
        sizes[unit.kind] += len(unit.text)
    total = max(sum(sizes.values()) - sizes["heading"], 1)
    text = "\n".join(document.text(ordinal) for ordinal in ordinals)
    if sizes["question"]:
        return "question"
    for kind, name in (("code", "code"), ("definition", "definition"), ("quote", "quote")):
        if sizes[kind] * 2 > total:
            return name
    listed = sizes["list_item"] + sizes["table_row"]
    if found := _by_numbers(text, listed=listed * 2 > total):
        return found
    if sizes["table_row"] * 2 > total:
        return "table"
    return "instructions" if sum(ordinal in ordered for ordinal in ordinals) >= 2 else "text"


def _by_numbers(text: str, *, listed: bool) -> str:
    if len(_MONEY.findall(text)) >= 3:
        return "prices"
    if len(_CONTACT.findall(text)) >= 2:
        return "contact"
    return "specification" if listed and len(_MEASURE.findall(text)) >= 3 else ""
