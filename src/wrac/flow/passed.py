"""What became no page, by kind: how often, for instance where, and what to do about it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from wrac.catalog import Skipped

SHOWN: Final = 3
"""Pages of a kind that are named."""
_ADVICE: Final = (
    (r"the same page as ", "nothing: it is there under its other address"),
    (r"robots\.txt does not allow it", "nothing, or --ignore-robots if the site is yours"),
    (r"the page asks not to be indexed", "nothing: its author wants that"),
    (r"the server answered 40[13]", "give --header or --login if you may read it"),
    (r"the server answered 4(?:04|10)", "nothing: a link is broken there"),
    (r"the server answered ", "run again later"),
    (r"redirects to .*, outside the site", "index that site too, if you want it"),
    (r"redirects ", "nothing: the site is at fault"),
    (r"outside the site now", "nothing: the site, or --include and --exclude, are others now"),
    (r"trap: ", "name what you want of it by --include"),
    (r"larger than ", "raise --max-size"),
    (r"took longer than|no answer|no connection|unreadable", "run again later"),
    (r".*private network", "--allow-private, if that is meant"),
    (r".* needs an extra: ", "install it"),
    (r"encrypted", "save it without a password"),
    (r"damaged|not the document", "get it again"),
    (r"not a page|not text|not a regular file", "nothing, or save it in a format that is read"),
    (r"hidden|link to |already read|empty", "nothing"),
)  # fmt: skip
_PARTICULAR: Final = re.compile(r"https?://\S+|\d[\d.]*")


@dataclass(frozen=True, slots=True)
class Passed:
    """Pages that were passed over for one kind of reason: `count` of them, the first by URL, and what to `do`."""

    reason: str
    count: int
    do: str
    urls: tuple[str, ...]


def passed(skips: Iterable[Skipped]) -> list[Passed]:
    """The kinds of reasons among recorded skips, the most frequent first."""
    kinds: defaultdict[str, list[Skipped]] = defaultdict(list)
    for skip in skips:
        kinds[_kind(skip.reason)].append(skip)
    found = [
        Passed(name if len(of) > 1 else of[0].reason, len(of), todo(of[0].reason), tuple(one.url for one in of[:SHOWN]))
        for name, of in kinds.items()
    ]
    return sorted(found, key=lambda one: (-one.count, one.reason))


def behind(skips: Iterable[Skipped], reason: str) -> list[Skipped]:
    """The recorded skips of a kind of reason, as `passed` names it."""
    return [one for one in skips if reason in (one.reason, _kind(one.reason))]


def todo(reason: str) -> str:
    """What to do about a page that was passed over; "" where its reason says that."""
    return next((do for pattern, do in _ADVICE if re.match(pattern, reason)), "")


def _kind(reason: str) -> str:
    """A reason without what is particular to its page; a server's status is not."""
    if reason.startswith("the server answered"):
        return reason
    return _PARTICULAR.sub("…", reason)
