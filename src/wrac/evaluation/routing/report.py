"""Routing measured, as plain values that JSON can hold and as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from wrac.evaluation.machine import machine
from wrac.evaluation.report.plain import WIDTH, table, wrapped
from wrac.evaluation.routing.fitting import WORTH, Fit, choice, fitted, held_out, together
from wrac.evaluation.routing.observing import Observed, Read
from wrac.evaluation.routing.strangers import Asked, area, kept, learned
from wrac.evaluation.values import DataSet
from wrac.retrieval import DOUBTFUL
from wrac.routing import RULE, Rule

Results = dict[str, Any]
SHARES: Final = ((0.99, 0.4, "the best page, whole"), (1.0, 0.25, "the three best pages, whole"))
"""What is to be reached: that share of a way's gold recall at that share of its tokens."""
CONFIDENCES: Final = (0.25, 0.35, 0.4, 0.45, 0.5)


def results(data: DataSet, observed: Sequence[Observed], asked: Sequence[Asked]) -> Results:
    """All figures.

    Keys: `data`, `machine`, `ways` (by budget, and whole pages), `goals`, `types`, `fits`, `learned` (the rule of all
    folds, and the shipped one), `nears`, `needs`, `unanswerable`.
    """
    budgets = sorted(observed[0].ways) if observed else []
    last = budgets[-1] if budgets else 0
    fits = fitted(observed, last)
    rules = held_out(observed, fits)
    return {
        "data": {"name": data.name, "pages": len(data.pages), "queries": len(observed)},
        "machine": machine(),
        "budget": last,
        "ways": _ways(observed, budgets),
        "goals": _goals(observed, budgets),
        "types": _types(observed, last),
        "fits": [_fit(fit) for fit in fits],
        "learned": _learned(observed, budgets),
        "held_out": _told([choice(one, last, rule) for one, rule in zip(observed, rules, strict=True)]),
        "nears": [{"near": near, **_told([one.nears[near] for one in observed])} for near in _nears(observed)],
        "needs": _needs(observed, last),
        "unanswerable": _unanswerable(asked),
    }


def _nears(observed: Sequence[Observed]) -> list[float]:
    return sorted(observed[0].nears) if observed else []


def _told(reads: Iterable[Read]) -> Results:
    found = list(reads)
    count = max(len(found), 1)
    return {"recall": sum(one.recall for one in found) / count, "tokens": sum(one.tokens for one in found) / count}


def _routed(observed: Sequence[Observed], budget: int, rule: Rule = RULE) -> float:
    return sum(bool(rule.why(one.ways[budget].signals)) for one in observed) / max(len(observed), 1)


def _mixture(observed: Sequence[Observed], budget: int) -> Results:
    return {**_told(choice(one, budget, RULE) for one in observed), "routed": _routed(observed, budget)}


def _ways(observed: Sequence[Observed], budgets: Sequence[int]) -> list[Results]:
    ways: list[Results] = [
        {"way": "the best page, whole", **_told(one.page for one in observed)},
        {"way": "the three best pages, whole", **_told(one.three for one in observed)},
    ]
    for budget in budgets:
        passages = _told(one.ways[budget].passages for one in observed)
        ways += [{"way": "passages", "budget": budget, **passages}]
        ways += [{"way": "mixture", "budget": budget, **_mixture(observed, budget)}]
    return ways


def _goals(observed: Sequence[Observed], budgets: Sequence[int]) -> list[Results]:
    """For each goal the budget whose mixture reaches it, or else the one of most recall within its tokens."""
    wholes: Sequence[Callable[[Observed], Read]] = (lambda one: one.page, lambda one: one.three)
    found = []
    for (share, tokens, way), read in zip(SHARES, wholes, strict=True):
        whole = _told(map(read, observed))
        mixtures = [(budget, _mixture(observed, budget)) for budget in budgets]
        inside = [one for one in mixtures if one[1]["tokens"] <= tokens * whole["tokens"]]
        budget, mixture = max(inside or mixtures[:1], key=lambda one: one[1]["recall"], default=(0, _mixture([], 0)))
        goal = {"recall": share * whole["recall"], "tokens": tokens * whole["tokens"]}
        reached = bool(inside) and mixture["recall"] >= goal["recall"]
        found.append({"against": way, "shares": [share, tokens], "goal": goal, "budget": budget, "mixture": mixture,
                      "reached": reached})  # fmt: skip
    return found


def _types(observed: Sequence[Observed], budget: int) -> list[Results]:
    names = sorted({one.groups.get("type", "") for one in observed})
    return [_type(name, [one for one in observed if one.groups.get("type", "") == name], budget) for name in names]


def _type(name: str, observed: Sequence[Observed], budget: int) -> Results:
    return {
        "type": name,
        "queries": len(observed),
        "passages": _told(one.ways[budget].passages for one in observed),
        "page": _told(one.page for one in observed),
        "three": _told(one.three for one in observed),
        "mixture": _mixture(observed, budget),
    }


def _learned(observed: Sequence[Observed], budgets: Sequence[int]) -> Results:
    """The rules learned on all folds, and wrac's own."""
    if not observed:
        return {}
    rules = {"all": together(observed, budgets[-1:]), "any budget": together(observed, budgets), "shipped": RULE}
    return {name: asdict(rule) for name, rule in rules.items()}


def _fit(fit: Fit) -> Results:
    return {**fit._asdict(), "chosen": asdict(fit.chosen)}


def _needs(observed: Sequence[Observed], budget: int) -> Results:
    """How many questions need a whole document, and how many of these, and of the others, are routed to it."""
    needing = [one for one in observed if one.needs]
    others = [one for one in observed if not one.needs]
    return {
        "questions": len(needing),
        "share": len(needing) / max(len(observed), 1),
        "hits": _routed(needing, budget),
        "false alarms": _routed(others, budget),
        "mixture": _mixture(needing, budget),
        "passages": _told(one.ways[budget].passages for one in needing),
        "page": _told(one.page for one in needing),
    }


def _unanswerable(asked: Sequence[Asked]) -> Results:
    """How well confidence tells an index's own questions from others, and thresholds learned out of fold."""
    names = sorted({one.fold for one in asked})
    rows = []
    for name in names:
        inside = [one for one in asked if one.fold == name]
        least = learned([one for one in asked if one.fold != name])
        stay, go = kept(inside, least)
        rows.append({"fold": name, "learned": least, "own": stay, "others": go})
    shares = [
        {"confidence": least, **dict(zip(("own", "others"), kept(asked, least), strict=True))} for least in CONFIDENCES
    ]
    return {"asked": len(asked), "area": area(asked), "shares": shares, "folds": rows, "shipped": DOUBTFUL}


def _kept(asked: Sequence[Asked], least: float) -> Results:
    own, others = kept(asked, least)
    return {"confidence": least, "own": own, "others": others}


# -- as text


def report(found: Results, *, detail: bool = False) -> str:
    """The figures for a terminal; with detail also by fold and for what is tried beside."""
    about, last = found["data"], found["budget"]
    parts = [
        f"{about['name']}: {about['pages']} pages, {about['queries']} queries",
        f"what a model would read\n{_way_table(found['ways'])}",
        "\n".join(_goal(goal) for goal in found["goals"]),
        f"by type, at {last:,} tokens: recall and tokens\n{_type_table(found['types'])}",
        _needs_line(found["needs"]),
        f"the rule, learned without each fold, at {last:,} tokens; recall less {WORTH:g} a token\n{_fit_table(found)}",
        _asked_table(found["unanswerable"]),
    ]
    if detail:
        parts.append(f"passages from a share of the best score on, at {last:,} tokens\n{_near_table(found['nears'])}")
    return "\n\n".join(part for part in parts if part)


def _way_table(ways: Sequence[Results]) -> str:
    head = ["way", "budget", "tokens", "recall", "routed"]
    return table(
        head,
        [
            [way["way"], f"{way['budget']:,}" if "budget" in way else "", f"{way['tokens']:,.0f}",
             f"{way['recall']:.3f}", f"{way['routed']:.1%}" if "routed" in way else ""]
            for way in ways
        ],
        WIDTH,
    )  # fmt: skip


def _goal(goal: Results) -> str:
    share, tokens = goal["shares"]
    wanted = f"{share:.0%} of the recall of {goal['against']}, at {tokens:.0%} of its tokens"
    mixture, least = goal["mixture"], goal["goal"]
    told = f"{mixture['recall']:.3f} at {mixture['tokens']:,.0f}, budget {goal['budget']:,}"
    verdict = "reached" if goal["reached"] else "not reached"
    return wrapped(f"{wanted} ({least['recall']:.3f} at {least['tokens']:,.0f}): {verdict}, {told}", WIDTH)


def _type_table(types: Sequence[Results]) -> str:
    head = ["type", "queries", "routed", "passages", "page", "three pages", "mixture"]
    return table(
        head,
        [
            [one["type"] or "all", f"{one['queries']:,}", f"{one['mixture']['routed']:.1%}",
             *(_pair(one[way]) for way in ("passages", "page", "three", "mixture"))]
            for one in types
        ],
        WIDTH,
    )  # fmt: skip


def _pair(told: Results) -> str:
    return f"{told['recall']:.3f} {told['tokens']:,.0f}"


def _needs_line(needs: Results) -> str:
    if not needs["questions"]:
        return "no question needs a whole document"
    return wrapped(
        f"{needs['questions']} questions ({needs['share']:.1%}) need the whole document; {needs['hits']:.1%} of these "
        f"are routed to it, and {needs['false alarms']:.1%} of the others. Recall and tokens of these: mixture "
        f"{_pair(needs['mixture'])}, passages {_pair(needs['passages'])}, page {_pair(needs['page'])}",
        WIDTH,
    )


def _fit_table(found: Results) -> str:
    head = ["left out", "nearly part hits gap sections", "held out", "any rule", "shipped", "passages"]
    body = [
        [one["fold"], _rule(one["chosen"]), *(f"{one[name]:.3f}" for name in ("held_out", "best", "shipped", "never"))]
        for one in found["fits"]
    ]
    learned = [[name, _rule(rule)] for name, rule in found["learned"].items()]
    return table(head, [*body, *([*row, "", "", "", ""] for row in learned)], WIDTH)


def _rule(rule: Mapping[str, float]) -> str:
    return " ".join(f"{rule[name]:g}" for name in ("nearly", "part", "hits", "gap", "sections"))


def _near_table(nears: Sequence[Results]) -> str:
    body = [[f"{one['near']:g}", f"{one['tokens']:,.0f}", f"{one['recall']:.3f}"] for one in nears]
    return table(["share", "tokens", "recall"], body, WIDTH)


def _asked_table(found: Results) -> str:
    if not found["asked"]:
        return ""
    head = ["the best result is at least", *(f"{one['confidence']:g}" for one in found["shares"])]
    rows = [
        ["own questions that stay", *(f"{one['own']:.3f}" for one in found["shares"])],
        ["others that go", *(f"{one['others']:.3f}" for one in found["shares"])],
    ]
    said = f"questions that an index cannot answer: area under the ROC curve {found['area']:.3f}"
    folds = table(
        ["left out", "learned", "own that stay", "others that go"],
        [[one["fold"], f"{one['learned']:g}", f"{one['own']:.3f}", f"{one['others']:.3f}"] for one in found["folds"]],
    )
    return f"{said}\n{table(head, rows, WIDTH)}\n\n{folds}"
