"""Elements that need a rule of their own inside a line: pictures, formulas, controls, ruby, scripts, frames.

Each rule is a function of (walk, frame, node, index) that says whether it pushed a frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from wrac.core.types import Kind, Mark, MarkKind
from wrac.parsing.dom import Attributes, Element, Namespace, Node, Text, document
from wrac.parsing.frames import HOLDER, Frame
from wrac.parsing.strings import may_hold_data
from wrac.parsing.tags import CODE_OF_THE_PAGE, SPACE

if TYPE_CHECKING:
    from wrac.parsing.segment import Segmenter

DEEPEST: Final = 3
"""Documents in documents that are read: a frame in a frame in a frame. What is deeper is a loss."""


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
        elif _is_unread(walk, part, node):
            continue
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
        if not _is_unread(walk, part, node) and type(part) is Text and part.data.strip(SPACE):
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
        if may_hold_data(kind, node.text):
            walk.scripts.append(node)
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
    if walk.nesting >= DEEPEST:
        walk.lose(f"{node.tag} nested deeper than {DEEPEST}", node.text, node)
        return False
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
        if _is_unread(walk, part, node):
            continue
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


def _is_unread(walk: Segmenter, part: Node, top: Node) -> bool:
    """Whether a node is text of linked data, which is data only outside of drawings, formulas and ruby; it is lost.

    What a shadow tree in them shows is lost too.
    """
    if type(part) is Element:
        if walk.shadow and part.shadow_root is not None:
            walk.lose("shadow tree in a drawing, formula or ruby", _all_text(part.shadow_root), part)
        return False
    script = part.parent if type(part) is Text else None
    while script is not None and script != top:
        if type(script) is Element and script.tag == "script" and "ld+json" in (script.attr("type") or "").lower():
            walk.lose("JSON-LD in a drawing, formula or ruby", part.data, script, keep=False)
            return True
        script = script.parent
    return False


def _all_text(root: Node) -> str:
    """Every text and alternative text of a tree and of the shadow trees in it."""
    texts, stack = [], [root]
    while stack:
        for part in stack.pop().descendants:
            if type(part) is Text:
                texts.append(part.data)
            elif type(part) is Element:
                texts.append(part.attr("alt") or "" if part.tag in ("img", "area") else "")
                if part.shadow_root is not None:
                    stack.append(part.shadow_root)
    return " ".join(texts)


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
    if walk.nesting >= DEEPEST:
        walk.lose(f"srcdoc nested deeper than {DEEPEST}", source, node)
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
