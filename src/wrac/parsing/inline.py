"""Inline content: marks, leaves, atoms, and what a line's elements say about themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wrac.core.types import Mark, MarkKind
from wrac.parsing.dom import Attributes, Element, Node, Text
from wrac.parsing.frames import Draft, Frame
from wrac.parsing.roles import DRAWS_FORMULA, HIDES, class_flags, hides_by_style
from wrac.parsing.run import Atom, Line, new_mark
from wrac.parsing.tags import BLOCKS, MARKS
from wrac.parsing.texts import tree_sources

if TYPE_CHECKING:
    from wrac.parsing.emit import Emitter
    from wrac.parsing.segment import Segmenter

_BLOCK_SELECTOR: Final = ",".join(sorted(BLOCKS - {"slot"}))
_OPENER: Final = "[aria-controls],[aria-expanded],[data-toggle=collapse],[data-bs-toggle=collapse]"
_NOT_PLAIN: Final = (
    "a,br,img,area,input,svg,math,ruby,template,noscript,iframe,noembed,noframes,script,style,title,textarea,button,"
    "select,[hidden],[style]," + _BLOCK_SELECTOR
)
_VOID: Final = frozenset(
    "area base br col embed frame hr img input link meta param source track wbr basefont bgsound keygen".split()
)
_KEEPS_SPACE: Final = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_GLYPHS: Final = frozenset(("¶", "#", "§", "🔗", "⚓", ""))
_BODY: Final = re.compile(r"#(?:[\w-]*[-_])?(?:main|content|main-?content|skip|primary)(?:[-_][\w-]*)?", re.IGNORECASE)
"""Ids of a page's body, whatever language a link to it is in."""
_SKIP: Final = re.compile(r"(?:skip|jump|zum|direkt|aller|saltar|ir)\b.{0,30}", re.IGNORECASE)
_LANGUAGE: Final = re.compile(r"^(?:language|lang|highlight|brush)[-:](?:source-)?([\w+#.-]+)$")


def enter(walk: Segmenter, frame: Frame, node: Node, tag: str, index: int) -> bool:
    """An inline element: opens its mark and its children, or takes its only text at once."""
    attrs = node.attrs
    if attrs and not only_looks(node, attrs):
        apart = _apart(walk, frame, node, index, attrs)
        if apart is not None:
            return apart
        if "id" in attrs:
            walk.anchor = node.attr("id") or walk.anchor
    kind, value = MARKS.get(tag), ""
    if kind == "link":
        kind, value = _link(walk, node, attrs)
    children = node.flattened_children if walk.shadow else node.children
    host = walk.shadow and node.shadow_root is not None
    if len(children) == 1 and not host:
        text = _only_text(children[0], kind)
        if text is not None:
            _leaf(walk, frame, text, kind, value)
            return False
    walk.run.begin(kind, value)
    new = Frame(node, tag, iter(children), frame, index)
    new.inline = True
    walk.stack.append(new)
    if host:
        walk.lost_light(new, node)
    return True


def only_looks(node: Node, attrs: Attributes) -> bool:
    """Whether all that an element's attributes say is a class without a meaning, as most do."""
    return len(attrs) == 1 and "class" in attrs and class_flags(node.attr("class") or "") == 0


def _apart(walk: Segmenter, frame: Frame, node: Node, index: int, attrs: Attributes) -> bool | None:
    """Handles an element whose attributes take it out of the line, as `enter` does; None when they do not."""
    if "role" in attrs and acts_as_block(attrs):
        return walk.enter_block(frame, node, node.tag, index)
    flags = class_flags(node.attr("class") or "") if "class" in attrs else 0
    hidden = flags & HIDES or "hidden" in attrs or ("style" in attrs and hides_by_style(attrs["style"]))
    # What misnesting cloned without a tag of its own in the source cannot be told from its surroundings later.
    if hidden and node.source_location is None:
        walk.odd = True  # a slice of the source may hide more or less
    elif hidden and node.select_one("math") is None:
        return walk.aside(frame, node, node.tag, index)
    if flags & DRAWS_FORMULA and _repeats_formula(node):
        walk.lose("visual copy of a formula", " ".join(tree_sources(node, walk.nesting)), node)
        return False
    return None


def _leaf(walk: Segmenter, frame: Frame, text: str, kind: MarkKind | None, value: str) -> None:
    """Adds the text of an element that holds nothing else, under its mark."""
    run = walk.run
    start = run.length
    walk.text(frame, text)
    if kind is not None and run.length > start:
        run.marks.append(new_mark(kind, start, run.length, value))


def _only_text(child: Node, kind: MarkKind | None) -> str | None:
    """The text of a leaf: of a text node, or of the lone span that documentation tools put into inline code."""
    if type(child) is not Text:
        if kind != "code" or type(child) is not Element or child.tag != "span" or "id" in child.attrs:
            return None
        inner = child.children
        if len(inner) != 1 or type(inner[0]) is not Text:
            return None
        child = inner[0]
    text: str = child.data
    return text


def _link(walk: Segmenter, node: Node, attrs: Attributes) -> tuple[MarkKind | None, str]:
    if not attrs:
        return None, ""
    if "name" in attrs:
        walk.anchor = node.attr("name") or walk.anchor
    href = node.attr("href") or ""
    if not href:
        return None, ""
    return ("permalink" if href.startswith("#") and node.text.strip() in _GLYPHS else "link"), href


def leave(walk: Segmenter, frame: Frame) -> None:
    """Closes an inline element."""
    walk.run.end()
    if frame.atom is not None and frame.parent is not None:
        kind, start = frame.atom
        walk.run.atom(kind, frame.node, frame.parent, frame.index, start)


def holds_block(node: Node) -> bool:
    """Whether a block stands anywhere below an element."""
    return node.select_one(_BLOCK_SELECTOR) is not None


def opens(node: Node, attrs: Attributes) -> bool:
    """Whether an element is, or holds, a control that opens something."""
    return ("aria-controls" in attrs or "aria-expanded" in attrs) or node.select_one(_OPENER) is not None


def only_text(node: Node) -> bool:
    """Whether a `pre` holds text in plain spans alone, so that its text is the concatenation of its text nodes."""
    return node.select_one(_NOT_PLAIN) is None


def acts_as_block(attrs: Attributes) -> bool:
    """Whether an inline element's ARIA role makes it a line of its own."""
    role = attrs["role"]
    return role in ("tab", "heading", "tabpanel", "tablist") or (role == "button" and "aria-controls" in attrs)


def keeps_space(style: str) -> bool:
    """Whether a style keeps white space as it is in the source."""
    return _KEEPS_SPACE.search(style) is not None


def is_void(tag: str) -> bool:
    """Whether an element of this tag has no end tag by definition."""
    return tag in _VOID


def all_link(draft: Draft) -> bool:
    """Whether a link covers the whole text."""
    return any(mark.kind == "link" and mark.end - mark.start == len(draft.text) for mark in draft.marks)


def is_skip_link(draft: Draft) -> bool:
    """Whether a unit is a link to a part of its own page, offered before the page begins."""
    return (
        len(draft.text) < 40
        and len(draft.marks) == 1
        and draft.marks[0].value.startswith("#")
        and all_link(draft)
        and (_SKIP.fullmatch(draft.text) is not None or _BODY.fullmatch(draft.marks[0].value) is not None)
    )


def with_language(line: Line, node: Node) -> Line:
    """A code line with its language as a mark, where the page names one."""
    around: Node = node.parent
    classes: list[str] = list(node.attrs.get("class") or ())
    for child in node.children:
        if type(child) is Element and child.tag == "code":
            classes += child.attrs.get("class") or ()
    outers: tuple[Node, Node] = (around, around.parent if around is not None else None)
    for outer in outers:
        if type(outer) is Element and outer.tag in ("div", "figure"):
            classes += outer.attrs.get("class") or ()
    for name in classes:
        found = _LANGUAGE.match(name)
        if found and found[1] not in ("default", "none", "plaintext", "text"):
            mark = Mark("code", 0, len(line.text), found[1])
            return Line(line.text, (mark, *(m for m in line.marks if m.kind != "code")))
    return line


def emit_atom(walk: Emitter, frame: Frame, part: Line, atom: Atom, *, alone: bool) -> None:
    """An image, formula or control in a line of such things becomes a unit."""
    if not part.text:
        return
    owner = frame.owner
    kind = atom.kind
    if owner is not None and not owner.used and alone and owner.kind in ("list_item", "question"):
        kind, owner.used = owner.kind, True
    draft = walk.add(kind, part, frame, frame.lists if kind == "list_item" else 0)
    if kind == "label" and draft.role in ("main", "form"):
        draft.role = "control"
    walk.locate_element(draft, atom.frame.child_path(atom.node.tag, atom.place), atom.node, atom.node.tag)


def _repeats_formula(node: Node) -> bool:
    before, after = node.previous_sibling, node.next_sibling
    if type(before) is Element and before.has_class("katex-mathml"):
        return True
    return type(after) is Element and after.tag == "script" and (after.attr("type") or "").startswith("math/")
