"""Policies by site and by type of page, and the TOML file that says them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final

from wrac.core.errors import ConfigError
from wrac.core.types import Document, Policy
from wrac.planning.page_types import PAGE_TYPES, page_type
from wrac.planning.rules import refuse
from wrac.text.tokens import NAMES

FIELDS: Final = tuple(field.name for field in fields(Policy))
"""What a policy says, and a file may."""
_TYPES: Final[Mapping[str, str]] = {field.name: str(field.type) for field in fields(Policy)}
_SAID: Final = {"int": "a whole number from 0", "float": "a number from 0", "bool": "true or false", "str": "a text"}


@dataclass(frozen=True, slots=True)
class Rule:
    """What pages are given that a rule holds for: those whose URL its `match` fits, or of the type it names.

    `changes` are fields of a policy and their values, by name. In a match `*` stands for any characters, "/" among
    them; everything else stands for itself.
    """

    match: str
    changes: tuple[tuple[str, Any], ...]

    def change(self, policy: Policy) -> Policy:
        """The policy as the rule has it."""
        return replace(policy, **dict(self.changes))


@dataclass(frozen=True)
class Policies:
    """A policy for each page: the default, changed by the rules of its site, then by those of its type, in their order.

    Raises ConfigError where a target could come to stand above a maximum by the rules of one match of each sort.
    Which matches fit a page together is seen when the page is, and raised then.
    """

    default: Policy = Policy()  # noqa: RUF009 - a frozen value
    sites: tuple[Rule, ...] = ()
    types: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        for policy, rules in self._combined():
            refuse(policy, _named(rules))

    def of(self, url: str, document: Document) -> Policy:
        """The policy of a page."""
        policy = self.at(url).default
        if self.types:
            kind = page_type(document)
            policy = _changed(policy, [rule for rule in self.types if rule.match == kind])
        return policy

    def at(self, url: str) -> Policies:
        """What is left to decide when a page's URL is known: equal for two pages, the same rules hold for both."""
        if not self.sites:
            return self
        fitting = [rule for rule in self.sites if _pattern(rule.match).fullmatch(url)]
        policy = _changed(self.default, fitting)
        try:
            refuse(policy, f"{_named(fitting)}, which fit {url}")
        except ConfigError as error:
            raise ConfigError(f"{error}; change one of these rules and give --policy again") from error
        return Policies(policy, (), self.types)

    def override(self, **changes: Any) -> Policies:  # noqa: ANN401 - fields of Policy
        """The policies with some fields given for every page."""
        sites, types = (_without(rules, changes) for rules in (self.sites, self.types))
        return Policies(replace(self.default, **changes), sites, types)

    @cached_property
    def text(self) -> str:
        """All of it as JSON: equal for equal policies, and what `read_text` reads."""
        rules = {"sites": self.sites, "types": self.types}
        packed = {name: [[rule.match, dict(rule.changes)] for rule in value] for name, value in rules.items() if value}
        return json.dumps({"default": asdict(self.default), **packed}, sort_keys=True)

    def _combined(self) -> Iterator[tuple[Policy, list[Rule]]]:
        """The policies that a page can come to have by the rules of one match of each sort."""
        for ours, theirs in product(_by_match(self.sites), _by_match(self.types)):
            rules = [*ours, *theirs]
            yield _changed(self.default, rules), rules


def read_text(text: str) -> Policies:
    """The policies that `Policies.text` gave."""
    value = json.loads(text)
    rules = ((Rule(m, tuple(changes.items())) for m, changes in value.get(name, ())) for name in ("sites", "types"))
    return Policies(Policy(**value["default"]), *map(tuple, rules))


def read(path: Path) -> Policies:
    """The policies in a TOML file: `[policy]`, and `[[policy.site]]` and `[[policy.page]]` for some pages.

    Raises ConfigError naming the file, the key and what is known in its place.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}; give a policy file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: no TOML: {error}") from error
    _known(path, "the file", data, ("policy",))
    table = _table(path, "policy", data.get("policy", {}))
    default = Policy(**dict(_changes(path, "policy", table, ("site", "page"))))
    sites = tuple(_rules(path, table, "site", "match"))
    types = tuple(_rules(path, table, "page", "type"))
    try:
        return Policies(default, sites, types)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def _rules(path: Path, table: Mapping[str, Any], name: str, key: str) -> Iterator[Rule]:
    """The rules of one sort."""
    found = table.get(name, [])
    if not isinstance(found, list):
        raise ConfigError(f"{path}: policy.{name} is one table; write [[policy.{name}]], in two brackets")
    for number, entry in enumerate(found, 1):
        where = f"policy.{name} {number}"
        one = _table(path, where, entry)
        match = one.get(key)
        if not isinstance(match, str) or not match:
            raise ConfigError(f"{path}: {where} needs a {key}, a text that says for which pages it holds")
        if key == "type" and match not in PAGE_TYPES:
            raise ConfigError(f'{path}: {where}: no page type is called "{match}"; known are {", ".join(PAGE_TYPES)}')
        yield Rule(match, tuple(sorted(_changes(path, where, one, (key,)))))


def _changes(path: Path, where: str, table: Mapping[str, Any], others: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The policy's fields in a table, each of its type."""
    _known(path, where, table, (*FIELDS, *others))
    for name, value in table.items():
        if name in others:
            continue
        if not _fits(value, _TYPES[name]):
            raise ConfigError(f"{path}: {where}: {name} = {json.dumps(value, default=str)} is not {_said(name)}")
        yield name, value


def _fits(value: object, types: str) -> bool:
    if isinstance(value, bool):
        return "bool" in types
    if isinstance(value, int | float):
        return value >= 0 and ("float" in types or ("int" in types and isinstance(value, int)))
    return isinstance(value, str) and "str" in types and value in NAMES


def _said(name: str) -> str:
    if _TYPES[name] == "str":
        return f"one of {', '.join(NAMES)}"
    return " or ".join(said for kind, said in _SAID.items() if kind in _TYPES[name].split(" | "))


def _known(path: Path, where: str, table: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in table:
        if name not in names:
            raise ConfigError(f'{path}: {where}: nothing is called "{name}"; known are {", ".join(names)}')


def _table(path: Path, where: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: {where} is no table; write [{where}] and its keys below")
    return value


def _changed(policy: Policy, rules: Iterable[Rule]) -> Policy:
    for rule in rules:
        policy = rule.change(policy)
    return policy


def _by_match(rules: Iterable[Rule]) -> list[list[Rule]]:
    """No rules, then those of each match: they always hold together."""
    found: dict[str, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.match, []).append(rule)
    return [[], *found.values()]


def _named(rules: Iterable[Rule]) -> str:
    """For which pages rules hold, as an error says it; empty for no rules."""
    names = " and ".join(dict.fromkeys(f'"{rule.match}"' for rule in rules))
    return names and f" for {names}"


def _without(rules: tuple[Rule, ...], names: Mapping[str, Any]) -> tuple[Rule, ...]:
    """The rules without what they say of some fields."""
    return tuple(Rule(r.match, tuple(one for one in r.changes if one[0] not in names)) for r in rules)


@lru_cache(maxsize=256)
def _pattern(match: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, match.split("*"))), re.DOTALL)
