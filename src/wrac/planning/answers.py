"""What a model may answer, and what is read of it: groups of numbers, as ranges or as the numbers that start one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Form: TypeAlias = Literal["ranges", "starts"]

SAID: Final[Mapping[Form, str]] = {
    "ranges": "Answer with the groups and nothing else: numbers and ranges, commas between those of one group, "
    "semicolons between groups, every number once.",
    "starts": "Groups are made of neighbours. Answer with the first number of each group and nothing else, ascending, "
    "commas between.",
}
_PART: Final = re.compile(r"(\d{1,9})(?:\s*(?:-|–|\.\.|to)\s*(\d{1,9}))?")
_JSON: Final = re.compile(r"[\[{].*[\]}]", re.DOTALL)


class Read(NamedTuple):
    """Groups of numbers as answered, and how many parts of the answer were none."""

    groups: tuple[tuple[int, ...], ...]
    malformed: int = 0


def grammar(form: Form, size: int) -> str:
    """The answer's grammar (GBNF) for `size` units, without white space: some models loop on it.

    Starts are forced to ascend; ranges may join any units, so that only their writing is forced.
    """
    if form == "starts":
        return 'root ::= "1"' + "".join(f' (",{number}")?' for number in range(2, size + 1))
    digits = len(str(size))
    return (
        'root ::= group (";" group)*\ngroup ::= part ("," part)*\npart ::= number ("-" number)?\n'
        f"number ::= [1-9]{' [0-9]?' * (digits - 1)}"
    )


def schema(form: Form, size: int) -> Mapping[str, Any]:
    """The answer's JSON schema, for endpoints without grammars."""
    if form == "starts":
        items: Mapping[str, Any] = {"type": "integer", "minimum": 1, "maximum": size}
        name = "starts"
    else:
        items = {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$"}
        name = "groups"
    properties = {name: {"type": "array", "items": items}}
    return {"type": "object", "properties": properties, "required": [name], "additionalProperties": False}


def read(answer: str, form: Form, size: int) -> Read:
    """The groups of an answer in either form of writing; whatever is no group of numbers is counted, never followed.

    Numbers beyond `size` stay in their group as they are, so that the repair can count them.
    """
    found = [_numbers(part, size) for part in _parts(answer)]
    groups, malformed = tuple(numbers for numbers, _ in found if numbers), sum(bad for _, bad in found)
    if form == "ranges" or not groups:
        return Read(groups, malformed)
    said = {number for group in groups for number in group}
    starts = sorted({number for number in said if 1 <= number <= size} | {1})
    beyond = tuple((number,) for number in sorted(said.difference(starts)))
    return Read((*(tuple(range(a, b)) for a, b in pairwise([*starts, size + 1])), *beyond), malformed)


def write(groups: Iterable[Sequence[int]]) -> str:
    """Groups in the form of ranges, as short as it gets.

    >>> write([(1, 2, 3), (4, 6)])
    '1-3;4,6'
    """
    return ";".join(",".join(_ranges(sorted(group))) for group in groups)


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        first, *rest = [number for _, number in run]
        yield f"{first}-{rest[-1]}" if rest else f"{first}"


def _parts(answer: str) -> list[str]:
    """The groups of an answer as texts: of JSON the strings, or lists of numbers, in it; else what semicolons part."""
    found = _JSON.search(answer)
    if found is not None:
        try:
            value: Any = json.loads(found[0])
        except (ValueError, RecursionError):
            return answer.split(";")
        if isinstance(value, dict):
            value = next((part for part in value.values() if isinstance(part, list)), [])
        return [json.dumps(part).strip("[]") if not isinstance(part, str) else part for part in value]
    return re.split(r"[;\n]", answer)


def _numbers(part: str, size: int) -> tuple[tuple[int, ...], int]:
    """The numbers of one group, and how much else was in it: 1 where something was."""
    numbers: list[int] = []
    for first, last in _PART.findall(part):
        low, high = sorted((int(first), int(last or first)))
        numbers += range(low, min(high, size + 1) + 1) if low <= size else (low,)
    left = _PART.sub("", part)
    return tuple(dict.fromkeys(numbers)), int(bool(left.strip(" ,[]\"'\t.`")))
