"""Which strings of a script's JSON are content: questions with answers, steps, articles, products, posts of a forum.

A page that is drawn by a script often carries all it will show as JSON (`__NEXT_DATA__`, an initial state). Of such a
tree the prose under names that stand for content is taken, and the titles of what holds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from wrac.core.types import Kind
from wrac.text.characters import scalars


class String(NamedTuple):
    """A string that becomes a unit; `pointer` is RFC 6901."""

    kind: Kind
    pointer: str
    text: str


class Group(NamedTuple):
    """The strings of one object of the tree, at `pointer`, and its title or the question that they answer (`qa`).

    A title also stands over the groups of objects inside this one.
    """

    pointer: str
    title: String | None
    strings: tuple[String, ...]
    qa: bool = False


_ASSIGNED = re.compile(r"\s*(?:(?:var|let|const)\s+)?(?:window\.|self\.|globalThis\.)?[\w$.]+\s*=\s*(?=[{\[])")
_NAMES = re.compile(r"__\w+__|state|data|props|store|cache|context|payload", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z/][^<>]*>")
_CODE = re.compile(r"[{};=<>\\|]")
_WORD = re.compile(r"\w+")
_NO_PROSE = ("http:", "https:", "data:", "/*", "//")
LONGEST = 80
"""Letters of the longest word a text may have; keys and encoded bytes are longer."""
_CONTENT = frozenset(
    "body bodyhtml bodytext bodymarkdown content contenthtml contents text rawtext plaintext html message messagehtml "
    "messagebody cooked raw selftext articlebody reviewbody commentbody post postbody posttext comment answer "
    "answertext description descriptionhtml longdescription abstract summary excerpt markdown paragraph paragraphs "
    "transcript instructions details story lead recipeinstructions recipeingredient ingredients".split()
)
_TITLES = ("title", "headline", "question", "subject", "topic", "name")
_SIGNED = frozenset("author user username creator poster postedby createdby owner by".split())
"""Names that say who wrote: what stands beside one is somebody's words, however few."""
_STEPS = frozenset(("Question", "HowToStep", "HowTo", "HowToSection"))
# What these say of a page is said for search engines, about the page and not on it.
_ABOUT = frozenset(
    "WebSite WebPage Organization Corporation LocalBusiness Person Brand ImageObject VideoObject BreadcrumbList "
    "ListItem SearchAction SiteNavigationElement CollectionPage Offer AggregateRating".split()
)


def tree_of(script: str) -> Any:  # noqa: ANN401 - JSON
    """The JSON of a script: all of it, or the value it assigns to a variable.

    Raises ValueError (of which JSONDecodeError is one) or RecursionError when there is none.
    """
    assigned = _ASSIGNED.match(script)
    if assigned is None:
        return scalars(json.loads(script), script)
    return scalars(json.JSONDecoder().raw_decode(script, assigned.end())[0], script)


def unfolded(text: str) -> str:
    """A string of a tree with line ends as a parser of markup reads them: offsets in it count so."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def may_hold_data(kind: str, script: str) -> bool:
    """Whether a script of a type (lower case) may be JSON that a page is drawn from."""
    if kind.partition(";")[0].strip() in ("application/json", "text/json"):
        return True
    if kind not in ("", "text/javascript", "application/javascript", "module"):
        return False
    assigned = _ASSIGNED.match(script)
    return assigned is not None and _NAMES.search(assigned[0]) is not None


def linked(tree: object) -> Iterator[Group]:
    """The groups of a JSON-LD tree, in document order."""
    for pointer, node in _objects(tree):
        kinds = node.get("@type")
        types = set(map(str, kinds if isinstance(kinds, list) else [kinds]))
        if not _STEPS.isdisjoint(types) and isinstance(node.get("name"), str):
            answers = tuple(_answers(node, types, pointer))
            yield Group(pointer, String("question", f"{pointer}/name", node["name"]), answers, qa=True)
        elif not _ABOUT.isdisjoint(types) or "Answer" in types or "Question" in types:
            continue
        else:
            yield from _titled(node, pointer)


def stated(tree: object) -> Iterator[Group]:
    """The groups of a state a page is drawn from, in document order."""
    for pointer, node in _objects(tree):
        yield from _titled(node, pointer)


def _objects(tree: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every object of a tree with its pointer, outer before inner."""
    stack = [("", tree)]
    while stack:
        pointer, node = stack.pop()
        inner: list[tuple[str, Any]] = []
        if isinstance(node, dict):
            yield pointer, node
            inner = [(f"{pointer}/{_escaped(key)}", part) for key, part in node.items()]
        elif isinstance(node, list):
            inner = [(f"{pointer}/{number}", part) for number, part in enumerate(node)]
        stack += [(at, part) for at, part in reversed(inner) if isinstance(part, dict | list)]


def _titled(node: Mapping[str, Any], pointer: str) -> Iterator[Group]:
    """The content strings of one object, under its title."""
    least = 3 if _SIGNED.isdisjoint(map(_named, node)) else 1
    body = tuple(string for key, value in node.items() for string in _under(key, value, pointer, least))
    title = next((key for key in _TITLES if isinstance(node.get(key), str) and _prose(node[key], 2)), "")
    if body or title:
        yield Group(pointer, String("heading", f"{pointer}/{title}", node[title]) if title else None, body)


def _under(key: str, value: object, pointer: str, least: int) -> Iterator[String]:
    """The string, or the strings of the list, under a name that stands for content."""
    if _named(key) not in _CONTENT:
        return
    at = f"{pointer}/{_escaped(key)}"
    if isinstance(value, str):
        if _prose(value, least):
            yield String("paragraph", at, value)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            if isinstance(part, str) and _prose(part, 1):
                yield String("paragraph", f"{at}/{number}", part)


def _named(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


def _prose(text: str, least: int) -> bool:
    """Whether a string is a text for people: at least so many words, and not a link, a colour, a style or a program."""
    plain = _TAG.sub(" ", text) if "<" in text else text
    words = _WORD.findall(plain)
    letters = sum(map(len, words))
    unspaced = sum(character > "\u2e80" for character in plain[:200])
    if len(words) < least and unspaced < 2 * least:
        return False
    if plain.lstrip().startswith(_NO_PROSE) or (not unspaced and max(map(len, words)) > LONGEST):
        return False
    return letters >= 0.6 * len("".join(plain.split())) and len(_CODE.findall(plain)) <= len(plain) / 60


def _answers(step: Mapping[str, Any], types: set[str], pointer: str) -> Iterator[String]:
    for key in ("text", "description"):
        if isinstance(step.get(key), str) and "Question" not in types:
            yield String("paragraph", f"{pointer}/{key}", step[key])
    for key in ("acceptedAnswer", "suggestedAnswer"):
        answers = step.get(key)
        several = isinstance(answers, list)
        for number, answer in enumerate(answers if isinstance(answers, list) else [answers]):
            if isinstance(answer, dict) and isinstance(answer.get("text"), str):
                at = f"{key}/{number}" if several else key
                yield String("paragraph", f"{pointer}/{at}/text", answer["text"])


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
