"""Inline content: marks, and elements that need a rule of their own inside a line."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from wrac.core.types import Kind, Mark, MarkKind
from wrac.parsing.dom import Attributes, Element, Namespace, Node, Text, document
from wrac.parsing.frames import HOLDER, Draft, Frame
from wrac.parsing.roles import hides_by_class, hides_by_style
from wrac.parsing.run import Atom, Line
from wrac.parsing.tags import BLOCKS, CODE_OF_THE_PAGE, MARKS, SPACE

if TYPE_CHECKING:
    from wrac.parsing.emit import Emitter
    from wrac.parsing.segment import Segmenter

_BLOCK_SELECTOR: Final = ",".join(sorted(BLOCKS - {"slot"}))
_OPENER: Final = "[aria-controls],[aria-expanded],[data-toggle=collapse],[data-bs-toggle=collapse]"
_NOT_PLAIN: Final = (
    "a,br,img,svg,math,ruby,template,noscript,iframe,script,style,textarea,button,select,[hidden],[style],"
    + _BLOCK_SELECTOR
)
_VOID: Final = frozenset(
    "area base br col embed frame hr img input link meta param source track wbr basefont bgsound keygen".split()
)
_KEEPS_SPACE: Final = re.compile(r"white-space\s*:\s*(?:pre|break-spaces)", re.IGNORECASE)
_GLYPHS: Final = frozenset(("¶", "#", "§", "🔗", "⚓", ""))
_SKIP: Final = re.compile(r"(?:skip|jump|zum|direkt|aller|saltar|ir)\b.{0,30}", re.IGNORECASE)
_LANGUAGE: Final = re.compile(r"^(?:language|lang|highlight|brush)[-:](?:source-)?([\w+#.-]+)$")
_DEEPEST_SRCDOC: Final = 3


def enter(walk: Segmenter, frame: Frame, node: Node, tag: str, index: int) -> bool:
    """An inline element: opens its mark and its children, or takes its only text at once."""
    attrs = node.attrs
    kind = MARKS.get(tag)
    value = ""
    if attrs:
        if "role" in attrs and acts_as_block(attrs):
            return walk.enter_block(frame, node, tag, index)
        flags = class_flags(node.attr("class") or "") if "class" in attrs else 0
        hidden = flags & HIDES or "hidden" in attrs or ("style" in attrs and hides_by_style(attrs["style"]))
        # What misnesting cloned without a tag of its own in the source cannot be told from its surroundings later.
        if hidden and node.source_location is not None and node.select_one("math") is None:
            return walk.aside(frame, node, tag, index)
        if flags & DRAWS_FORMULA and _repeats_formula(node):
            walk.lose("visual copy of a formula", node.text, node)
            return False
        if "id" in attrs:
            walk.anchor = node.attr("id") or walk.anchor
        if tag == "a":
            kind, value = _link(walk, node, attrs)
    elif tag == "a":
        kind = None
    children = walk.children(node)
    if len(children) == 1:
        text = _only_text(children[0], kind)
        if text is not None:
            if kind is None:
                walk.text(frame, text)
            else:
                walk.run.begin(kind, value)
                walk.text(frame, text)
                walk.run.end()
            return False
    walk.run.begin(kind, value)
    new = Frame(node, tag, iter(children), frame, index)
    new.inline = True
    walk.stack.append(new)
    if walk.shadow and node.shadow_root is not None:
        walk.lost_light(new, node)
    return True


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


HIDES: Final = 1
DRAWS_FORMULA: Final = 2


@lru_cache(maxsize=8192)
def class_flags(classes: str) -> int:
    """What an inline element's classes say: `HIDES`, `DRAWS_FORMULA`."""
    draws = "katex-html" in classes or "MathJax" in classes or "mjx-chtml" in classes
    return (HIDES if hides_by_class(classes) else 0) | (DRAWS_FORMULA if draws else 0)


def _link(walk: Segmenter, node: Node, attrs: Attributes) -> tuple[MarkKind | None, str]:
    if not attrs:
        return None, ""
    if "name" in attrs:
        walk.anchor = node.attr("name") or walk.anchor
    href = node.attr("href") or ""
    if not href:
        return None, ""
    return ("permalink" if href[0] == "#" and node.text.strip() in _GLYPHS else "link"), href


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
        and _SKIP.fullmatch(draft.text) is not None
    )


def with_language(line: Line, node: Node) -> Line:
    """A code line with its language as a mark, where the page names one."""
    around = node.parent
    classes: list[str] = list(node.attrs.get("class") or ())
    for child in node.children:
        if type(child) is Element and child.tag == "code":
            classes += child.attrs.get("class") or ()
    for outer in (around, around.parent if around is not None else None):
        if type(outer) is Element and outer.tag in ("div", "figure"):
            classes += outer.attrs.get("class") or ()
    for name in classes:
        found = _LANGUAGE.match(name)
        if found and found[1] not in ("default", "none", "plaintext", "text"):
            mark = Mark("code", 0, len(line.text), found[1])
            return line._replace(marks=(mark, *(m for m in line.marks if m.kind != "code")))
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


# -- elements with a rule of their own: (walk, frame, node, index) -> whether a frame was pushed -------------------


def _br(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    walk.run.newline()
    return False


def _image(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    attrs = node.attrs
    text = attrs.get("alt") or ""
    if node.tag == "input" and (attrs.get("type") or "").lower() != "image":
        return False
    run = walk.run
    if run.marks and run.marks[-1].kind == "math" and text and "".join(run.pieces[-1:]) == text:
        walk.lose("visual copy of a formula", text, node)
        return False
    _atom(walk, frame, node, index, text, "image", "image", _source(attrs))
    return False


def _source(attrs: Attributes) -> str:
    """The picture's URL; lazy loaders keep it aside and put a placeholder into src."""
    shown = attrs.get("src") or ""
    if shown and not shown.startswith("data:"):
        return str(shown)
    for name in ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-srcset", "srcset"):
        value = attrs.get(name)
        if value and value.split():
            return str(value.split()[0])
    return ""


def _atom(
    walk: Segmenter, frame: Frame, node: Node, index: int, text: str, kind: Kind, mark: MarkKind | None, value: str = ""
) -> None:
    run = walk.run
    if not run.pieces:
        run.frame, run.start = frame, walk.bound
    start = run.length
    if not run.add(text):
        if not run.pieces:
            run.frame = run.start = None
        return
    if mark is not None:
        run.marks.append(Mark(mark, start, run.length, value))
    run.atom(kind, node, frame, index, start)


def _svg(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    texts = []
    for place, part in enumerate(node.descendants, 1):
        if _is_frame(part):
            _set_frame_aside(walk, frame, part, place)
        elif type(part) is Element and part.tag == "img" and part.namespace is Namespace.HTML:
            texts.append(part.attr("alt") or "")
        elif type(part) is Text and "iframe" not in _tags_between(part, node):
            if not _tags_between(part, node).isdisjoint(("style", "script")):
                walk.lose("script or style of a drawing", part.data, node, keep=False)
            elif part.data.strip(SPACE):
                texts.append(part.data.strip(SPACE))
    _atom(walk, frame, node, index, " ".join(filter(None, texts)), "image", "image")
    return False


def _math(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    tex = None
    shown = []
    for part in node.descendants:
        if type(part) is Text and part.data.strip(SPACE):
            inside: Node = part.parent
            encoding = (
                (inside.attrs.get("encoding") or "").lower() if getattr(inside, "tag", "") == "annotation" else ""
            )
            if "tex" in encoding and tex is None:
                tex = part.data.strip(SPACE)
            elif not _tags_between(part, node).isdisjoint(("annotation", "annotation-xml")):
                walk.lose("second encoding of a formula", part.data, inside)
            else:
                shown.append(part.data.strip(SPACE))
    if tex is not None and shown:
        walk.lose("presentation of a formula kept as TeX", "".join(shown), node)
    _atom(walk, frame, node, index, tex if tex is not None else "".join(shown), "math", "math", "tex" if tex else "")
    return False


def _script(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    kind = (node.attrs.get("type") or "").lower()
    if kind.startswith("math/tex"):
        _atom(walk, frame, node, index, node.text, "math", "math", "tex")
    elif "ld+json" in kind:
        walk.scripts.append(node)
    else:
        walk.lose("script", node.text, node, keep=False)
    return False


def _code_of_the_page(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    if node.tag == "head":
        new = Frame(node, "head", iter(node.children), frame, index)
        new.visible = "hidden"
        walk.stack.append(new)
        return True
    walk.lose("title of the page" if node.tag == "title" else node.tag, node.text, node, keep=node.tag == "title")
    return False


def _raw(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    """Markup kept as text, for browsers without frames: a document in the document."""
    if frame.flat:
        return walk.defer(frame, node, index)
    if node.text.strip(SPACE):
        walk.flush((node, 0))
        walk.embed(frame, node, index, document(node.text), node.text)
    return False


def _control(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    attrs = node.attrs
    tag = node.tag
    if not frame.flat and (attrs.get("role") == "tab" or "aria-controls" in attrs):
        return walk.enter_block(frame, node, tag, index)
    if attrs:
        walk.anchor = attrs.get("id") or walk.anchor
    walk.run.begin(None)
    new = Frame(node, tag, iter(walk.children(node)), frame, index)
    new.inline = new.flat = True
    new.pre = tag == "textarea"
    new.atom = ("label", walk.run.length)
    walk.stack.append(new)
    return True


def _ruby(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    """The base first, then the readings under a mark, so that neither is torn apart."""
    base: list[str] = []
    readings: list[str] = []
    for place, part in enumerate(node.descendants, 1):
        if type(part) is not Text:
            if type(part) is Element and part.tag == "img":
                base.append(part.attr("alt") or "")
            elif _is_frame(part):
                _set_frame_aside(walk, frame, part, place)
            continue
        inside = _tags_between(part, node)
        if not inside.isdisjoint(("rp", "script", "style", "template", "iframe")):
            if "iframe" not in inside:
                walk.lose("ruby parenthesis" if "rp" in inside else "not shown in ruby", part.data, part.parent)
        else:
            (base if inside.isdisjoint(("rt", "rtc")) else readings).append(part.data.strip(SPACE))
    walk.text(frame, "".join(base))
    start = walk.run.length
    walk.text(frame, "".join(readings))
    if walk.run.length > start:
        walk.run.marks.append(Mark("ruby", start, walk.run.length))
    return False


def _is_frame(node: Node) -> bool:
    """Whether a node is HTML's iframe, which an element of that name in a drawing is not."""
    return type(node) is Element and node.tag == "iframe" and node.namespace is Namespace.HTML


def _set_frame_aside(walk: Segmenter, frame: Frame, node: Node, place: int) -> None:
    walk.lose("fallback of a frame", node.text, node)
    walk.defer(frame, node, place)


def _tags_between(part: Node, top: Node) -> set[str]:
    """The tags of the elements around a node, below `top`."""
    found = set()
    around = part.parent
    while around is not None and around != top:
        if type(around) is not Element:
            found.add("template")
        elif around.tag != "iframe" or _is_frame(around):
            found.add(around.tag)
        around = around.parent
    return found


def _iframe(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    source = node.attr("srcdoc")
    if frame.index != HOLDER:  # a deferred frame comes here twice
        walk.lose("fallback of a frame", node.text, node)
    if not source:
        return False
    if walk.nesting >= _DEEPEST_SRCDOC:
        walk.lose(f"srcdoc nested deeper than {_DEEPEST_SRCDOC}", source, node)
        return False
    if frame.flat:
        return walk.defer(frame, node, index)
    walk.flush((node, 0))
    walk.embed(frame, node, index, document(source), source)
    return False


def _unseen(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    return walk.aside(frame, node, node.tag, index)


SPECIAL: Final[dict[str, Callable[[Segmenter, Frame, Node, int], bool]]] = {
    "br": _br, "img": _image, "input": _image, "area": _image, "svg": _svg, "math": _math, "script": _script,
    "ruby": _ruby, "iframe": _iframe, "noscript": _unseen, "template": _unseen, "noembed": _raw, "noframes": _raw,
    "button": _control, "select": _control, "textarea": _control, "label": _control, "datalist": _control,
    **dict.fromkeys(CODE_OF_THE_PAGE - {"script"}, _code_of_the_page),
}  # fmt: skip
