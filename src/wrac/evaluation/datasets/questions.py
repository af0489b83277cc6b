"""Is this text a question? By its mark, else by the word it opens with in its language."""

from __future__ import annotations

import re
from typing import Final

_MARKED: Final = re.compile(
    "[?？؟\u037e⁇⁈՞፧꘏⳺]\\W*$|[かの][。\\s]*$(?<=[すたいん]か)|(?:까요|나요|습니까|吗|么|呢)[。\\s]*$"
)
_WITHIN: Final = re.compile(
    "怎么|怎样|如何|为什么|什么是|是什么|哪[里些个]|多少|どうすれ|どうやっ|なぜ|とは何|어떻게|무엇|왜 "
)
_SHORTEST = 3
"""Words of a question that has no mark: `How to` and `What else` are none."""

_OPENERS: Final = {
    language: frozenset(words.split())
    for language, words in {
        "en": "how what why when where who which whose whom",
        "de": "wie was warum wann wo wer welche welcher welches wieso weshalb woher wohin womit wofür",
        "fr": "comment pourquoi quand où qui quel quelle quels quelles combien",
        "es": "cómo qué por dónde cuándo quién cuál cuáles cuánto cuánta cuántos",
        "it": "come cosa perché quando dove chi quale quali quanto",
        "pt": "como porque quando onde quem qual quais quanto",
        "nl": "hoe wat waarom wanneer waar wie welke",
        "sv": "hur vad varför när var vem vilken vilka",
        "da": "hvordan hvad hvorfor hvornår hvor hvem hvilken hvilke",
        "no": "hvordan hva hvorfor når hvor hvem hvilken hvilke",
        "pl": "jak co dlaczego kiedy gdzie kto czy który ile",
        "cs": "jak co proč kdy kde kdo který kolik",
        "ru": "как что почему когда где кто зачем сколько какой какая какие можно",
        "uk": "як що чому коли де хто скільки який яка які чи",
        "tr": "nasıl ne neden niçin nerede kim hangi kaç",
        "fi": "miten mitä miksi milloin missä kuka mikä",
        "hu": "hogyan mi miért mikor hol ki melyik mennyi",
        "id": "bagaimana apa mengapa kapan dimana siapa berapa",
        "vi": "làm tại khi ai bao",
        "ar": "كيف ما ماذا لماذا متى أين من هل كم",
        "hi": "कैसे क्या क्यों कब कहाँ कौन कितना",
    }.items()
}


def is_question(text: str, language: str = "") -> bool:
    """Whether a heading asks; `language` is a BCP 47 tag, and English where it says nothing.

    >>> is_question("How refunds are calculated"), is_question("Refunds"), is_question("退款如何计算")
    (True, False, True)
    """
    if _MARKED.search(text) or _WITHIN.search(text):
        return True
    words = re.findall(r"[^\W\d_]+\S*", text.casefold())
    openers = _OPENERS.get(language.partition("-")[0].lower() or "en", frozenset[str]())
    return len(words) >= _SHORTEST and words[0] in openers
