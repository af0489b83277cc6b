"""FAQPage and HowTo strings in JSON-LD scripts: units of role data, when the page says them nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from wrac.core.types import DataAddress, Kind
from wrac.parsing.dom import Node, fragment
from wrac.parsing.frames import Draft, Frame, SpanDraft
from wrac.parsing.segment import Segmenter

CONTEXT = "data"  # the whole of a string inside a script
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")


class _String(NamedTuple):
    kind: Kind
    pointer: str  # RFC 6901
    text: str


def add_data(walk: Segmenter) -> None:
    """Appends the strings of the walked page's JSON-LD scripts."""
    if not walk.scripts:
        return
    page = _squeezed(" ".join(draft.text for draft in walk.drafts))
    said: set[str] = set()
    for node in walk.scripts:
        try:
            tree = json.loads(node.text)
        except (ValueError, RecursionError):
            walk.lose("JSON-LD that does not parse", node.text, node)
            continue
        for question, answers in _pairs(tree, ""):
            first = len(walk.drafts)
            for string in (question, *answers):
                squeezed = _squeezed(_plain(string.text))
                if squeezed in said or (squeezed and squeezed in page):
                    walk.lose("JSON-LD that the page says too", string.text, node)
                elif squeezed:
                    said.add(squeezed)
                    _add(walk, node, string)
            if len(walk.drafts) > first + 1:
                span = SpanDraft("qa", first)
                span.last = len(walk.drafts) - 1
                walk.spans.append(span)


def _plain(text: str) -> str:
    """The text without markup, if it is marked up."""
    return str(fragment(text, "div").text) if _TAG.search(text) else text


def _add(walk: Segmenter, node: Node, string: _String) -> None:
    text = string.text
    where = node.source_location
    end = where.end_tag.end_offset if where.end_tag is not None else len(walk.source())
    address = DataAddress(where.start_tag.start_offset, end, string.pointer)
    if _TAG.search(text):
        _embed_markup(walk, address, text)
        return
    root = Frame(node, "script", iter(()), None, 0)
    root.role, root.visible = "data", "hidden"
    draft = Draft(string.kind, text.strip(), (), root)
    draft.start, draft.end, draft.within, draft.context = address.start, end, address, CONTEXT
    walk.drafts.append(draft)


def _embed_markup(walk: Segmenter, address: DataAddress, text: str) -> None:
    inner = Segmenter(lambda: text)
    tree = fragment(text, "body")
    root = Frame(tree, "body", iter(tree.children), None, 0)
    root.role, root.visible = "data", "hidden"
    inner.walk(root)
    walk.adopt(inner, address)


def _pairs(tree: object, pointer: str) -> Iterator[tuple[_String, list[_String]]]:
    """Each question, or how-to step, with the strings that answer it."""
    if isinstance(tree, list):
        for number, part in enumerate(tree):
            yield from _pairs(part, f"{pointer}/{number}")
    elif isinstance(tree, dict):
        name, kind = tree.get("name"), tree.get("@type")
        kinds = kind if isinstance(kind, list) else [kind]
        if isinstance(name, str) and ("Question" in kinds or "HowToStep" in kinds or "HowTo" in kinds):
            yield _String("question", f"{pointer}/name", name), list(_answers(tree, pointer))
        for key, part in tree.items():
            if isinstance(part, dict | list):
                yield from _pairs(part, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")


def _answers(question: dict[str, Any], pointer: str) -> Iterator[_String]:
    for key in ("text", "description"):
        if isinstance(question.get(key), str) and question.get("@type") != "Question":
            yield _String("paragraph", f"{pointer}/{key}", question[key])
    for key in ("acceptedAnswer", "suggestedAnswer"):
        answers = question.get(key)
        several = isinstance(answers, list)
        for number, answer in enumerate(answers if isinstance(answers, list) else [answers]):
            if isinstance(answer, dict) and isinstance(answer.get("text"), str):
                step = f"{key}/{number}" if several else key
                yield _String("paragraph", f"{pointer}/{step}/text", answer["text"])


def _squeezed(text: str) -> str:
    return "".join(text.split()).casefold()
