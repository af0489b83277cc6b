"""plan: who plans a page, why its boundaries are where they are, and how two plans differ."""

from __future__ import annotations

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wrac import contract
from wrac.cli import boundaries, paint, views
from wrac.cli.boundaries import Made
from wrac.core.errors import ConfigError, WracError
from wrac.core.types import Document, Page, Plan, Policy
from wrac.flow.planners import PLANNERS, RULES, Asking, Memory, Passing, Planning
from wrac.parsing import parse
from wrac.planning import check
from wrac.planning import plan as plan_by_rules
from wrac.planning.policies import FIELDS, Policies, read


class Way(NamedTuple):
    """One way to plan."""

    policies: Policies = Policies()
    planning: Planning = RULES

    @classmethod
    def of(cls, policies: Policies | None, planning: Planning | None) -> Way:
        """The way that options say, and the default where they say nothing."""
        return cls(policies or Policies(), planning or RULES)


def plan(page: Page, way: Way, workspace: str, *, as_json: bool, reasons: bool) -> None:
    """Prints the plan of a page, with `reasons` also why its boundaries are where they are."""
    document = parse(page)
    with _memory(workspace, way.planning.who) as memory:
        made = _made(document, page.url, way, memory)
    if as_json:
        print(contract.dumps({**contract.plan_row(made.plan), **(boundaries.row(document, made) if reasons else {})}))
    elif reasons:
        boundaries.show(document, made)
    else:
        views.plan(document, made.plan, made.policy)
    _tell(made)


def diff(page: Page, way: Way, workspace: str, specs: tuple[str, str], *, as_json: bool) -> None:
    """Prints how two plans of a page differ."""
    document = parse(page)
    with _memory(workspace, way.planning.who, *specs) as memory:
        old, new = (_named(document, page.url, way, spec, memory) for spec in specs)
    if as_json:
        print(contract.dumps(boundaries.diff_row(document, old, new)))
    else:
        boundaries.show_diff(document, old, new)
    _tell(old)
    _tell(new)


def _tell(made: Made) -> None:
    """Says on stderr why the rules planned what a model was asked."""
    if made.asked is not None and made.asked.failed:
        sys.stderr.write(f"wrac: planned by rules: {paint.safe(paint.one_line(made.asked.failed))}\n")


# -- making plans


def _memory(workspace: str, *wanted: str) -> AbstractContextManager[Memory]:
    """What is known of a model's answers, where one of the wanted planners asks a model."""
    if {part.strip() for spec in wanted for part in spec.split(",")}.isdisjoint({*PLANNERS} - {"rules"}):
        return nullcontext(Passing())
    from wrac.flow.kept import memory

    return memory(workspace)


def _made(document: Document, url: str, way: Way, memory: Memory) -> Made:
    policy = way.policies.of(url, document)
    if way.planning.who == "rules":
        return Made(plan_by_rules(document, policy), policy)
    with Asking(way.planning, memory) as asking:
        found, asked = asking.plan(url, document, policy)
    return Made(found, policy, asked)


def _named(document: Document, url: str, way: Way, spec: str, memory: Memory) -> Made:
    """The plan that a text stands for: a JSON file of `wrac plan --json`, else what is to be different from `way`."""
    if spec.endswith(".json"):
        return Made(_read(document, Path(spec)), way.policies.of(url, document))
    return _made(document, url, _way(way, spec), memory)


def _way(way: Way, spec: str) -> Way:
    """The way with what a text says: planners, policy files and `field=value`, commas between."""
    for part in filter(None, (one.strip() for one in spec.split(","))):
        name, equals, value = part.partition("=")
        if part in PLANNERS:
            way = way._replace(planning=RULES if part == "rules" else replace(way.planning, who=part))
        elif part.endswith(".toml"):
            way = way._replace(policies=read(Path(part)))
        elif equals and name in FIELDS:
            way = way._replace(policies=way.policies.override(**{name: _value(part, name, value)}))
        else:
            raise ConfigError(
                f'--diff: "{part}" is no plan; give {", ".join(PLANNERS)}, a .toml policy file, a .json file of '
                f"`wrac plan --json`, or field=value with a field of {', '.join(FIELDS)}"
            )
    return way


def _value(part: str, name: str, value: str) -> int | float | bool | str:
    """The value of a policy's field as it is written."""
    default = getattr(Policy(), name)
    if isinstance(default, bool):
        if value not in ("true", "false"):
            raise ConfigError(f"--diff: {part}: write true or false")
        return value == "true"
    if isinstance(default, str):
        return value
    try:
        return type(default)(value) if isinstance(default, int | float) else int(value)
    except ValueError as error:
        raise ConfigError(f"--diff: {part}: write a number") from error


def _read(document: Document, path: Path) -> Plan:
    """The plan in a file. Raises ConfigError for another file, and for a plan of another page."""
    try:
        row = json.loads(path.read_text(encoding="utf-8-sig"))
        omitted = {int(ordinal): _text(reason) for ordinal, reason in row["omitted"].items()}
        groups = tuple(tuple(map(_ordinal, group)) for group in row["groups"])
        made = Plan(_text(row["document"]), groups, omitted, _text(row["planner"]))
    except OSError as error:
        raise ConfigError(f"--diff: {path}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"--diff: {path} holds no plan; write one with `wrac plan SRC --json`") from error
    try:
        check(document, made)
    except WracError as error:
        raise ConfigError(f"--diff: {path}: {error}") from error
    return made


def _ordinal(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is no ordinal")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
