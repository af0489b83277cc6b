"""Elements that need a rule of their own inside a line: pictures, formulas, controls, ruby, scripts, frames.

Each rule is a function of (walk, frame, node, index) that says whether it pushed a frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from wrac.core.types import Kind, Mark, MarkKind
from wrac.parsing.dom import Attributes, CData, Element, Namespace, Node, Text, document
from wrac.parsing.frames import HOLDER, Frame
from wrac.parsing.strings import may_hold_data
from wrac.parsing.tags import CODE_OF_THE_PAGE, SPACE
from wrac.parsing.texts import DEEPEST, RAW, alternative, is_linked_data, tree_sources

if TYPE_CHECKING:
    from wrac.parsing.segment import Segmenter

_FRAMES: Final = RAW | {"iframe"}
_UNSHOWN: Final = frozenset(("script", "style", "template"))
_TELLING: Final = _UNSHOWN | {"annotation", "annotation-xml", "rt", "rtc", "rp"}
"""Tags that say what a text in a drawing, formula or ruby is."""
_NO_TAGS: Final[frozenset[str]] = frozenset()


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
    texts = [text.strip(SPACE) for text, _, _ in _texts(walk, frame, node)]
    _atom(walk, frame, node, index, " ".join(filter(None, texts)), "image", "image")
    return False


def _math(walk: Segmenter, frame: Frame, node: Node, index: int) -> bool:
    tex = None
    shown = []
    for text, inside, around in _texts(walk, frame, node):
        if not text.strip(SPACE):
            continue
        encoding = (inside.attrs.get("encoding") or "").lower() if getattr(inside, "tag", "") == "annotation" else ""
        if "tex" in encoding and tex is None:
            tex = text.strip(SPACE)
        elif not around.isdisjoint(("annotation", "annotation-xml")):
            walk.lose("second encoding of a formula", text, inside)
        else:
            shown.append(text.strip(SPACE))
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
    for text, inside, around in _texts(walk, frame, node):
        if "rp" in around:
            walk.lose("ruby parenthesis", text, inside)
        else:
            (base if around.isdisjoint(("rt", "rtc")) else readings).append(text.strip(SPACE))
    walk.text(frame, "".join(base))
    start = walk.run.length
    walk.text(frame, "".join(readings))
    if walk.run.length > start:
        walk.run.marks.append(Mark("ruby", start, walk.run.length))
    return False


def _texts(walk: Segmenter, frame: Frame, top: Node) -> Iterator[tuple[str, Node, frozenset[str]]]:
    """The texts and alternative texts of a drawing, formula or ruby, each with its parent and the telling tags around.

    Frames in it are set aside; scripts, templates and shadow trees in it are lost.
    """
    stack = [(child, _NO_TAGS) for child in reversed(top.children)]
    place = 0
    while stack:
        part, around = stack.pop()
        place += 1
        kind = type(part)
        if kind is Element:
            if _is_apart(walk, frame, part, place):
                continue
            text, inner = alternative(part), around | {part.tag} if part.tag in _TELLING else around
        else:
            text, inner = part.data if kind is Text or kind is CData else "", around | {"template"}
        if text and around.isdisjoint(_UNSHOWN):
            yield text, part.parent, around
        elif text:
            keep = "script" not in around and "style" not in around
            walk.lose("not shown in a drawing, formula or ruby", text, part.parent, keep=keep)
        stack.extend((child, inner) for child in reversed(getattr(part, "children", ())))


def _is_apart(walk: Segmenter, frame: Frame, part: Node, place: int) -> bool:
    """Whether an element says nothing there: frames follow later, linked data is lost. Loses its shadow tree."""
    if walk.shadow and part.shadow_root is not None:
        said = " ".join(tree_sources(part.shadow_root, walk.nesting))
        walk.lose("shadow tree in a drawing, formula or ruby", said, part)
    if is_linked_data(part):
        walk.lose("JSON-LD in a drawing, formula or ruby", part.text, part, keep=False)
        return True
    if part.tag not in _FRAMES or part.namespace is not Namespace.HTML:
        return False
    if part.tag == "iframe":
        walk.lose("fallback of a frame", part.text, part)
    walk.defer(frame, part, place)
    return True


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
