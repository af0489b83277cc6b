"""What a model is asked to answer from evidence, and what it says when the evidence does not answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from functools import cache
from importlib.resources import files
from typing import Final

from wrac.answering.evidence import Evidence
from wrac.answering.fencing import harmless
from wrac.core.ids import content_id
from wrac.llm.asking import Question, Reply

PROMPT: Final = "answer-1"
REFUSAL: Final = "UNANSWERABLE"
"""What a model writes when what it was sent does not answer: it may be sent more then, once."""
ENDING: Final = "Answer it from the passages above, every sentence with its marks."
_BEFORE: Final = " \t\r\n*_`\"'([#>"


def question(evidence: Evidence, query: str, most: int, *, shared: bool = False) -> Question:
    """The question behind its evidence, to be answered in `most` tokens; `shared` evidence is that of others, too."""
    data = f"{evidence.text}\n\nQuestion: {harmless(query).strip()}\n\n{ENDING}"
    return Question(instructions(), data, most=most, shared=evidence.text if shared else "")


@cache
def instructions() -> str:
    """The instructions: the same for every question."""
    return files("wrac.answering").joinpath(f"prompts/{PROMPT}.txt").read_text("utf-8").strip()


def key(asked: Question, model: str) -> str:
    """What an answer is kept under: the model, the instructions, the evidence with all its units, and the question."""
    return content_id("e1", (model, asked.instructions, asked.data, str(asked.most)))


def refused(text: str, *, cites: bool) -> bool:
    """Whether an answer is that there is none: it begins with the word for it, or has the word and cites nothing."""
    return _beginning(text).startswith(REFUSAL) or (REFUSAL in text and not cites)


def explained(text: str) -> str:
    """What a refusal says beside the word for it."""
    return re.sub(REFUSAL, "", text, count=1, flags=re.IGNORECASE).strip(f"{_BEFORE}.:;,-–—)]!")


def listen(pieces: Generator[str, None, Reply], tell: Callable[[str], None]) -> Reply:
    """The reply at the end of the pieces, which are told as they come, but for those of a refusal."""
    heard, open_ = "", False
    while True:
        try:
            piece = next(pieces)
        except StopIteration as end:
            reply: Reply = end.value
            if not open_ and heard and not _beginning(heard).startswith(REFUSAL):
                tell(heard)
            return reply
        heard += piece
        if open_:
            tell(piece)
        elif not (REFUSAL.startswith(begun := _beginning(heard)) or begun.startswith(REFUSAL)):
            open_ = True
            tell(heard)


def _beginning(text: str) -> str:
    """The first letters of an answer, as many as the word has."""
    return text.lstrip(_BEFORE)[: len(REFUSAL)].upper()
