"""Words that tie a text to the one before it or to the one after it, by language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from wrac.text.languages import primary

ANAPHORS: Final = {
    "en": "this these those such it they he she however therefore thus hence otherwise instead also moreover "
    "furthermore additionally consequently finally then similarly likewise but and or",
    "de": "dies diese dieser dieses diesen jene jener solche es sie er jedoch deshalb daher somit andernfalls "
    "stattdessen auch außerdem zudem folglich schließlich dann ebenso aber und oder dabei damit dadurch",
    "fr": "ce cet cette ces cela ceci il elle ils elles cependant toutefois donc ainsi sinon aussi enfin puis mais et",
    "es": "este esta estos estas esto ese esa esos esas eso aquello él ella ellos ellas embargo entonces así también "
    "además finalmente luego pero y o",
    "it": "questo questa questi queste ciò esso essa essi esse tuttavia quindi pertanto perciò altrimenti invece "
    "anche inoltre infine poi ma e o",
    "pt": "este esta estes estas isto esse essa esses essas isso ele ela eles elas porém contudo portanto assim "
    "também além finalmente então mas e ou",
    "nl": "dit deze die dat zulke het hij zij ze echter daarom dus anders daarnaast ook bovendien bijgevolg ten "
    "vervolgens evenzo maar en of hierdoor daardoor",
}
"""First words of a paragraph that refers back."""

_RUNNING: Final = {
    "ja": "これ それ あれ この その あの こう そう ここ そこ そして しかし また なお したがって さらに ただし "
    "ところが だから",
    "zh": "这 這 那 该 該 此 其 它 他们 她们 因此 所以 但 然而 另外 此外 同时 同時 而且 否则 否則 上述 于是 於是",
    "ko": "이것 그것 이러한 그러한 이는 그는 그러나 또한 따라서 그래서 하지만 그리고",
}
"""The same of languages that part no words, or bend them: how such a text begins."""

_BACK: Final = {
    "en": r"(?:see|mentioned|described|shown|noted|explained|discussed|defined|listed|given|stated|seen|from) above"
    r"|the above|above-mentioned|the (?:previous|preceding|foregoing|latter|former)"
    r"|(?:this|these|that|those|such) (?:method|approach|function|option|example|table|figure|equation|formula|"
    r"procedure|process|step|case|setting|value|command|rule|condition|technique|algorithm|model|result|problem)s?"
    r"|(?:equation|eq\.|formula) ?\(?\d+",
    "de": r"(?:siehe|wie|weiter) oben|oben (?:beschrieben|genannt|gezeigt|erwähnt|erläutert|aufgeführt|angegeben)\w*"
    r"|obige\w*|vorstehend\w*|(?:vorige|vorhergehende|vorangehende|letztere|erstere)\w*|(?:gleichung|formel) ?\(?\d+"
    r"|diese\w? (?:methode|verfahren|funktion|option|beispiel|tabelle|abbildung|schritt|fall|wert|befehl|regel)\w*",
    "fr": r"ci-dessus|(?:précédent|susmentionné)e?s?|ce(?:t|tte|s)? (?:méthode|approche|fonction|exemple|tableau"
    r"|figure|équation|étape|cas|valeur|commande|règle)s?|(?:équation|formule) ?\(?\d+",
    "es": r"(?:mencionad|descrit|indicad|mostrad)[oa]s? (?:anteriormente|arriba)|(?:véase|ver|más) arriba"
    r"|anterior(?:es)?|est[eao]s? (?:método|función|opción|ejemplo|tabla|figura|paso|caso|valor)s?"
    r"|(?:ecuación|fórmula) ?\(?\d+",
    "it": r"(?:vedi|come|descritt[oa]|indicat[oa]) sopra|suddett[oaie]|precedent[ei]|quest[oaie] (?:metodo|funzione|"
    r"opzione|esempio|tabella|figura|passo|caso|valore)|(?:equazione|formula) ?\(?\d+",
    "pt": r"(?:veja|ver|descrit[oa]s?|mencionad[oa]s?) acima|(?:acima|anteriormente) (?:descrit|mencionad)[oa]s?"
    r"|anterior(?:es)?|est[ea]s? (?:método|função|opção|exemplo|tabela|figura|passo|caso|valor)|"
    r"(?:equação|fórmula) ?\(?\d+",
    "nl": r"(?:zie|zoals) (?:hier)?boven|hierboven|bovenstaande?|bovengenoemde?|vorige|voorgaande|laatstgenoemde"
    r"|(?:deze|dit) (?:methode|functie|optie|voorbeeld|tabel|figuur|stap|geval|waarde)"
    r"|(?:vergelijking|formule) ?\(?\d+",
    "ja": r"上記|前述|前記|上述|先述|この(?:方法|手順|例|表|図|式|関数)|数?式 ?[(（]?\d+",
    "zh": r"上述|上文|如上|前述|以上|(?:这|這|该|該|此)(?:种|種|个|個)?(?:方法|函数|函數|例子|示例|表|图|圖|步骤|步驟)"
    r"|(?:公式|方程) ?[(（]?\d+",
}
"""References in the middle of a text to what stands before it."""

_AHEAD: Final = {
    "en": r"(?:the|these|this) following|as follows|(?:see|shown|listed|given|described|table|figure|example"
    r"|list) below",
    "de": r"folgende\w*|wie folgt|(?:siehe|weiter) unten|nachstehend\w*|nachfolgend\w*|untenstehend\w*",
    "fr": r"suivante?s?|ci-dessous|ci-après|comme suit",
    "es": r"siguientes?|a continuación|como sigue",
    "it": r"seguent[ei]|di seguito|qui sotto|come segue",
    "pt": r"seguintes?|a seguir|abaixo",
    "nl": r"volgende|hieronder|als volgt|onderstaande",
    "ja": r"以下|次の|下記|下の",
    "zh": r"以下|如下|下列|下面|下表|下图|下圖",
}
"""Announcements of what stands next."""

_COMPARED: Final = {
    "en": r"unlike|compared (?:with|to)|in (?:contrast|comparison)|by (?:contrast|comparison)|whereas|while|conversely"
    r"|on the other hand|as opposed to|rather than",
    "de": r"dagegen|hingegen|demgegenüber|im (?:gegensatz|vergleich|unterschied)|verglichen|anders als|während"
    r"|umgekehrt",
    "fr": r"contrairement|par contre|en revanche|comparée?s?|par rapport|à la différence|tandis que|alors que",
    "es": r"a diferencia|en (?:comparación|cambio|contraste)|comparad[oa]s?|por el contrario|mientras que|frente a",
    "it": r"a differenza|rispetto a|al contrario|in confronto|invece|mentre",
    "pt": r"ao contrário|em (?:comparação|contraste)|comparad[oa]s?|por outro lado|enquanto|já",
    "nl": r"in (?:tegenstelling|vergelijking)|vergeleken|daarentegen|terwijl|anders dan",
    "ja": r"一方|これに対し|それに対し|対照的に|比べ",
    "zh": r"相比|相较|相較|与之相反|與之相反|相反|不同于|不同於|反之",
}
"""Openings of a text that sets its subject against the one before."""

_LOOSE: Final = frozenset(("ja", "zh"))
_WORD: Final = re.compile(r"\w+")
_OPENING: Final = 48
"""Characters of a text within which a comparison opens it."""
_FIRST: Final = 200
"""Characters of a text within which it refers back to others and not to itself."""
_LAST: Final = 120
"""Characters at the end of a text within which it announces the next."""
_FACTS: Final = re.compile(
    r"(?P<year>\b(?:1[5-9]|20)\d\d\b)|(?P<amount>[$€£¥₹]\s?\d|\d\s?(?:[%€£¥₹]|(?:EUR|USD|INR|GBP)\b))"
    r"|(?P<version>\bv?\d+(?:\.\d+)+\b)"
)
_DIGIT: Final = re.compile(r"\d")
_NONE: Final = frozenset[str]()


class Wording(NamedTuple):
    """What ties texts of a language to their neighbours; of an unknown language, what does so in any that is known."""

    opening: frozenset[str]
    running: tuple[str, ...]
    back: re.Pattern[str]
    ahead: re.Pattern[str]
    compared: re.Pattern[str]

    def continues(self, text: str) -> bool:
        """Whether a text refers back: it opens with such a word, or in the middle of a sentence."""
        if text[:1].islower() or text.startswith(self.running):
            return True
        found = _WORD.match(text)
        return found is not None and found[0].lower() in self.opening

    def refers(self, text: str) -> bool:
        """Whether a text names what stands before it: "this method", "equation (3)", "siehe oben"."""
        return self.back.search(text[:_FIRST].lower()) is not None

    def announces(self, text: str) -> bool:
        """Whether a text ends with a word about what stands next: "the following table", "ci-dessous"."""
        return self.ahead.search(text[-_LAST:].lower()) is not None

    def compares(self, text: str) -> bool:
        """Whether a text opens by setting its subject against the one before: "unlike", "im Vergleich"."""
        return self.compared.search(text[:_OPENING].lower()) is not None


def facts(text: str) -> frozenset[str]:
    """Which of years, amounts and versions a text states."""
    return frozenset(match.lastgroup or "" for match in _FACTS.finditer(text)) if _DIGIT.search(text) else _NONE


@lru_cache(maxsize=64)
def wording(language: str) -> Wording:
    """The wording of a BCP 47 tag."""
    tag = primary(language)
    known = tag in _BACK or tag in _RUNNING
    opening = (words for code, words in ANAPHORS.items() if code == tag or not known)
    running = (words for code, words in _RUNNING.items() if code == tag or not known)
    back, ahead, compared = (_pattern(one, tag if known else "") for one in (_BACK, _AHEAD, _COMPARED))
    return Wording(frozenset(_split(opening)), tuple(_split(running)), back, ahead, compared)


def _split(lists: Iterable[str]) -> Iterator[str]:
    return chain.from_iterable(words.split() for words in lists)


def _pattern(words: Mapping[str, str], tag: str) -> re.Pattern[str]:
    """The expressions of a language, or of all, as whole words where a language parts them; none fits nothing."""
    chosen = {code: said for code, said in words.items() if code == tag or not tag}
    parts = [said if code in _LOOSE else rf"\b(?:{said})(?!\w)" for code, said in chosen.items()]
    return re.compile("|".join(parts) or r"(?!)")
