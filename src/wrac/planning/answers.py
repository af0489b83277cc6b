"""What a model may answer, and what is read of it: groups of numbers, as ranges or as the numbers that start one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Form: TypeAlias = Literal["ranges", "starts"]

SAID: Final[Mapping[Form, str]] = {
    "ranges": "Units that belong together may, rarely, share a group though others stand between them. Answer with the "
    "groups and nothing else: numbers and ranges, commas between those of one group, semicolons between groups, every "
    "number once, as in 1-3;4,6-8;5.",
    "starts": "Groups are made of neighbours. Answer with the first number of each group and nothing else, ascending, "
    "commas between, as in 1,4,9.",
}
_FIELD: Final[Mapping[Form, str]] = {"ranges": "groups", "starts": "starts"}
ROOM: Final = 64
"""Letters of an answer that are read for each unit; one that is longer is nothing but noise."""
_PART: Final = re.compile(r"([0-9]{1,9})(?:\s*(?:-|–|\.\.|to)\s*([0-9]{1,9}))?")
_SEPARATOR: Final = re.compile(r"[;\n]|[\"\]]\s*,\s*[\"\[]")
_NUMBERED: Final = re.compile(r"[0-9]+[.)]\s+(?=[0-9])")
_BESIDE: Final = " \t\r,.`*\"'[](){}"


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
    """The answer's JSON schema, for endpoints without grammars: the same writing in one string."""
    name, separators = _FIELD[form], ",;" if form == "ranges" else ","
    number = f"[0-9]{{1,{len(str(size))}}}"
    part = f"{number}(-{number})?" if form == "ranges" else number
    properties = {name: {"type": "string", "pattern": f"^{part}([{separators}]{part})*$"}}
    return {"type": "object", "properties": properties, "required": [name], "additionalProperties": False}


def read(answer: str, form: Form, size: int) -> Read:
    """The groups of an answer in either form of writing; whatever is no group of numbers is counted, never followed.

    Numbers beyond `size` stay in their group as they are, so that the repair can count them. Linear in `size`, however
    long the answer is.
    """
    longest = ROOM * (size + ROOM)
    found = [_numbers(part, size) for part in _parts(answer[:longest])]
    groups, malformed = tuple(numbers for numbers, _ in found if numbers), sum(bad for _, bad in found)
    malformed += len(answer) > longest
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
    """The groups of an answer as texts: the strings and lists of numbers in its JSON, else what separators part."""
    answer = answer.rpartition("</think>")[2]
    first = min((at for at in (answer.find("{"), answer.find("[")) if at >= 0), default=-1)
    last = max(answer.rfind("}"), answer.rfind("]"))
    if 0 <= first < last:
        try:
            return list(_strings(json.loads(answer[first : last + 1])))
        except (ValueError, RecursionError):
            pass  # no JSON, or cut short: read as if it were none
    return [part for part in _SEPARATOR.split(answer) if part.strip(_BESIDE)]


def _strings(value: object) -> Iterator[str]:
    """The groups in a JSON value, as texts."""
    if isinstance(value, str):
        yield from filter(str.strip, re.split("[;\n]", value))
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        numbers = [str(part) for part in value if type(part) is int]
        if numbers:
            yield ",".join(numbers)
        for part in value:
            yield from _strings(part)


def _numbers(part: str, size: int) -> tuple[tuple[int, ...], int]:
    """The numbers of one group, and how much else was in it: 1 where something was. What opens with a word is none."""
    told = part.rpartition(":")[2].strip(_BESIDE)
    told = _NUMBERED.sub("", told, count=1) if _NUMBERED.match(told) else told
    if not told[:1].isascii() or not told[:1].isdigit():
        return (), 1
    numbers: list[int] = []
    for first, last in _PART.findall(told):
        low, high = sorted((int(first), int(last or first)))
        numbers += range(low, min(high, size + 1) + 1) if low <= size else (low,)
    return tuple(dict.fromkeys(numbers)), int(bool(_PART.sub("", told).strip(_BESIDE)))
