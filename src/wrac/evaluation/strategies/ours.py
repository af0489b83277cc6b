"""wrac's own chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from wrac.core.errors import ConfigError
from wrac.core.types import Label, Page, Plan, Policy
from wrac.evaluation.strategies.corpus import Corpus, headed, placed
from wrac.evaluation.values import Passage, Passages

DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class Wrac:
    """wrac's own chunks by the rules planner: trail and text to the reader, the product's index entry to the search."""

    corpus: Corpus
    policy: Policy = DEFAULT
    labelled: bool = True

    @property
    def name(self) -> str:
        """`wrac`, with what its policy says otherwise than the default: `wrac:target=200,maximum=400`."""
        told = ((one.name, getattr(self.policy, one.name)) for one in fields(Policy))
        other = [f"{name}={str(value).lower()}" for name, value in told if value != getattr(DEFAULT, name)]
        name = "wrac" if self.labelled else "wrac-unlabelled"
        return f"{name}:{','.join(other)}" if other else name

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage an occurrence, in reading order."""
        from wrac.planning import plan

        planned = ((page, plan(self.corpus.document(page), self.policy)) for page in pages)
        return Passages(
            tuple(
                one
                for page, made in planned
                for one in chunks(self.corpus, page, made, self.policy, labelled=self.labelled)
            )
        )


def chunks(
    corpus: Corpus, page: Page, plan: Plan, policy: Policy = DEFAULT, *, labelled: bool = True
) -> Iterator[Passage]:
    """The passages of a page's plan: one an occurrence, its ranges those of its units."""
    from wrac.chunking import chunk, prefixes
    from wrac.labelling import RulesLabeller, beside
    from wrac.retrieval import path

    document = corpus.document(page)
    made = chunk(document, plan, policy, page.url)
    heads = prefixes(document, made.chunks, page.url)
    labels = tuple(Label() for _ in made.chunks)
    if labelled:
        ordinals = [one.ordinals for one in made.occurrences]
        labels = RulesLabeller().labels(document, ordinals, page.url, corpus.language(page))
        heads = beside(heads, labels)
    for one, occurrence, head, label in zip(made.chunks, made.occurrences, heads, labels, strict=True):
        text = headed((document.units[unit].text for unit in one.trail), one.text)
        ranges = placed(document, zip(occurrence.ordinals, one.slices, strict=True))
        yield Passage(
            page.url,
            text,
            f"{head}\n{one.text}" if head else one.text,
            ranges,
            path(head, " ".join((*label.nouns, label.model))),
        )


def policy(text: str) -> Policy:
    """The policy that `target=200,whole_tables=true` says. Raises ConfigError for what a policy does not have.

    >>> policy("target=200,whole_tables=true") == Policy(target=200, whole_tables=True)
    True
    """
    changed: dict[str, int | bool | str] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        changed[name] = _value(name, value)
    return replace(DEFAULT, **changed)  # type: ignore[arg-type]  # each value is of its default's type


def _value(name: str, value: str) -> int | bool | str:
    known = {one.name: getattr(DEFAULT, one.name) for one in fields(Policy)}
    default = known.get(name)
    if isinstance(default, bool) and value in ("true", "false"):
        return value == "true"
    if isinstance(default, int) and not isinstance(default, bool) and value.isdecimal():
        return int(value)
    if isinstance(default, str) and value:
        return value
    said = ", ".join(f"{name}={str(value).lower()}" for name, value in known.items())
    raise ConfigError(f"a policy has no {name}={value}; its values are like {said}")
