"""How long a text is, by the tokenizers people pay for. Counts are exact; they do not add up over pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType

from wrac.core.errors import ConfigError
from wrac.text.characters import IDEOGRAPHS, KANA, MARKS, scalar

_ENCODINGS = {"o200k": "o200k_base", "cl100k": "cl100k_base", "voyage3": "voyage3_base"}
NAMES = (*_ENCODINGS, "words")
"""Every name that `counter` knows."""

_WORD = re.compile(f"[{IDEOGRAPHS}{KANA}]|(?:[^\\W{IDEOGRAPHS}{KANA}][{MARKS}'’]*)+")
_CACHED_TEXTS = 1 << 14
_CACHED_LENGTH = 4096
_TAIL = re.compile(r"[0-9A-Za-z][!-/:-@\[-`{-~]{0,8}\Z")
"""The end of a text that tells what a line end behind it adds: whatever is before, tokens part after the letter."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A token counter that remembers the last 16,384 short texts: planners ask for the same units again and again."""

    name: str
    exact: Callable[[str], int]
    _remembered: Callable[[str], int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_remembered", lru_cache(_CACHED_TEXTS)(self.exact))

    def count(self, text: str) -> int:
        """Tokens of `text`; 0 for the empty text.

        >>> counter("words").count("Don't panic: 漢字!")
        4
        """
        return self._remembered(text) if len(text) <= _CACHED_LENGTH else self.exact(text)

    def joined(self, texts: Sequence[str], seams: Sequence[str]) -> int:
        """Tokens of the texts joined: `seams[i]`, one or more newlines, stands between `texts[i]` and the next.

        The same number as `count` gives for the whole, from what is remembered of the parts. All tokenizers here part
        a text behind its line ends, unless white space or a "/" follows: such neighbours are counted as one.

        >>> counter("cl100k").joined(["One (two).", "Three"], ["\\n\\n"])
        5
        """
        total, run = 0, ""
        for text, seam, following in zip(texts[:-1], seams, texts[1:], strict=True):
            if not following or following[0] == "/" or following[0].isspace():
                run += text + seam
            else:
                total += self._with_seam(run + text, seam)
                run = ""
        return total + self.count(run + texts[-1])

    def _with_seam(self, text: str, seam: str) -> int:
        """Tokens of a text and the newlines behind it."""
        tail = _TAIL.search(text, len(text) - 9 if len(text) > 9 else 0)
        if tail is None:
            return self.count(text + seam)
        return self.count(text) + self._added(tail[0], seam)

    def _added(self, tail: str, seam: str) -> int:
        return self._remembered(tail + seam) - self._remembered(tail)


def _words(text: str) -> int:
    """Words of letters, digits and marks; each ideograph and kana is one."""
    return sum(1 for _ in _WORD.finditer(text))


@lru_cache(maxsize=1)
def _compiled() -> ModuleType:
    """bpe-openai's compiled part alone: the package around it reads every vocabulary, a second for each process.

    Its counter gives the numbers of len(encode_ordinary(text)) without a list and without that method's error above
    200,000 tokens; a test holds the two together.
    """
    package = find_spec("bpe_openai")
    spec = PathFinder.find_spec("_bindings", package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        raise ConfigError("bpe-openai is not installed whole; run: pip install --force-reinstall bpe-openai")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def starts(text: str, name: str = "cl100k") -> list[int]:
    """Where each token of `text` starts, in code points, ascending, and the text's length behind the last.

    Tokens that only together make a code point start where it starts. Raises ConfigError for a name without tokens.

    >>> starts("héllo 日本")
    [0, 1, 3, 5, 7, 8]
    """
    if name not in _ENCODINGS:
        raise ConfigError(f"no tokens are known of {name!r}; choose one of {', '.join(_ENCODINGS)}")
    tokenizer = _compiled().tokenizer_for_encoding(_ENCODINGS[name])
    found, at = [], 0
    partial: list[int] = []
    for token in tokenizer.encode(scalar(text)):
        found.append(at)
        partial.append(token)
        try:
            at += len(tokenizer.decode(partial))
        except ValueError:  # bytes of a code point that the next tokens complete
            continue
        partial = []
    return [*found, at]


def _encoding(name: str) -> Callable[[str], int]:
    count: Callable[[str], int] = _compiled().tokenizer_for_encoding(_ENCODINGS[name]).count

    def exact(text: str) -> int:
        try:
            return count(text)
        except UnicodeEncodeError:
            return count(scalar(text))

    return exact


@lru_cache(maxsize=len(NAMES))
def _load(name: str) -> Counter:
    return Counter(name, _words if name == "words" else _encoding(name))


def counter(name: str = "o200k") -> Counter:
    """The token counter called `name`, one for each process.

    Raises ConfigError for a name that is not in `NAMES`.
    """
    if name not in NAMES:
        raise ConfigError(f"no tokenizer is called {name!r}; choose one of {', '.join(NAMES)}")
    return _load(name)
