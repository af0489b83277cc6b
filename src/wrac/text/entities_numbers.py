"""Dates, amounts and versions: what a number is, from what stands before and behind it."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from wrac.text.characters import UNSPACED
from wrac.text.entities_words import (
    CURRENCY_LEADS,
    CURRENCY_SIGNS,
    MONTHS,
    SCALES,
    STANDARDS,
    UNITS,
    VERSION_LEADS,
    YEAR_LEADS,
)

Kind = Literal["date", "amount", "version"]


class Numbered(NamedTuple):
    """What the number is, and where it begins and ends with all that belongs to it."""

    kind: Kind
    start: int
    end: int


_YEAR: Final = r"(?:1[5-9]|20|21)\d\d(?!\d)"
_DAY: Final = r"(?:3[01]|[12]\d|0?[1-9])"
_TIME: Final = r"(?:[T ](?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_DASH: Final = r"\s?(?:[-–—~～〜/]|(?:to|bis|à|a|until|till)(?=\s)|至|到|から)\s?"
_ORDINAL: Final = "(?:st|nd|rd|th|er|º|\\.)?"
# In this order: the first that fits is meant.
_DATES: Final = re.compile(
    "|".join(
        (
            rf"{_YEAR}([-/.])(?:0?[1-9]|1[0-2])\1{_DAY}(?!\d){_TIME}",
            rf"{_DAY}([./-])(?:0?[1-9]|1[0-2])\2(?:{_YEAR}|\d\d)(?![\d.]\d)",
            rf"(?:0?[1-9]|1[0-2])/{_DAY}/(?:{_YEAR}|\d\d)(?!\d)",
            r"\d{1,4}年(?!間)(?:\s?\d{1,2}月(?:\s?\d{1,2}日)?)?(?:度|末|初|代)?|\d{1,2}月(?:\s?\d{1,2}日)?(?!間)",
            r"\d{4}년(?:\s?\d{1,2}월(?:\s?\d{1,2}일)?)?|\d{1,2}월(?:\s?\d{1,2}일)?",
            rf"{_YEAR}{_DASH}(?:{_YEAR}|\d\d(?![\d.,%]))(?![^\W_])",
            rf"{_YEAR}s(?![^\W_])",
        )
    )
)
_DATE_SIGNS: Final = frozenset("-/.年月년월–—~～〜s ")
_DAYS: Final = re.compile(rf"{_DAY}{_ORDINAL}(?:{_DASH}{_DAY}{_ORDINAL})?\s(?:(?:of|de)\s)?")
_QUARTERS: Final = re.compile(
    rf"[1-4](?:st|nd|rd|th|\.|er|e|º)?\s(?:quarter|Quartal|trimestre)(?:\s(?:of\s|de\s)?{_YEAR})?"
)
_OF_YEAR: Final = re.compile(rf"\.?,?\s(?:de\s|del\s)?{_YEAR}")
_NUMBER: Final = re.compile(
    r"\d{1,3}(?:[ \u00a0\u202f.,'’]\d{3})+(?:[.,]\d+)?(?!\d)|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?|\d+(?:[.,]\d+)?"
)
_SIGN: Final = re.compile(f"[ \u00a0\u202f]?(?:%|‰|％|°[CF]?|[{CURRENCY_SIGNS}])")
_UNIT: Final = re.compile(r"[ \u00a0\u202f-]?([^\W\d_]+(?:/[^\W\d_]+)?[²³]?)\.?")
_SHORT_SCALE: Final = re.compile(r"(?:[kKMBm]|bn)(?![^\W_])|[十百千万億兆亿萬]{1,2}")
_CJK_SCALE: Final = re.compile("[十百千万億兆亿萬]{1,2}")
_COUNTED_DAYS: Final = re.compile(r"\s(?:business|working|calendar|bank)\s(?:days|hours|day)")
_CJK_UNIT: Final = re.compile(
    "[ ]?(?:円|元|美元|欧元|人民币|ドル|ユーロ|ポンド|ウォン|원|달러|人|名|件|個|个|台|本|枚|回|次|日間|天|日|時間|小时"
    "|分間|分钟|分|秒間|秒|年間|か月|ヶ月|カ月|ヵ月|个月|週間|周|歳|岁|倍|割|公里|公斤|千克|克|吨|米|厘米|毫米|平方米|升"
    "|毫升|キロ|グラム|メートル|パーセント|일|시간|분|초|개월|년간|명|개)"
)
_RANGE: Final = re.compile(rf"{_DASH}(?=[{CURRENCY_SIGNS}]?\d)[{CURRENCY_SIGNS}]?")
_SCALE_WORDS: Final = frozenset(SCALES)
_UNIT_WORDS: Final = frozenset(UNITS)
_AFTER_MONTH: Final = re.compile(
    rf"{_DAY}(?:st|nd|rd|th)?(?![\d:])(?:{_DASH}{_DAY}(?:st|nd|rd|th)?(?!\d))?(?:,?\s{_YEAR})?|{_YEAR}"
)
_QUARTER: Final = re.compile(rf"[1-4](?:[ /-]?{_YEAR}|\s?FY\d\d)?")
_DOTTED: Final = re.compile(
    r"\d+(?:\.\d+)+(?:\.[x*])?(?:[-+.]?(?:alpha|beta|rc|dev|post|pre|a|b)[-.]?\d*)?(?![\d.]*[^\W_])"
)
_VERSION: Final = re.compile(
    r"\d+(?:\.\d+)*(?:\.[x*])?(?:[-+.]?(?:alpha|beta|rc|dev|post|pre|a|b)[-.]?\d*)?\+?(?![^\W_])"
)
_STANDARD: Final = re.compile(r"\d+(?:[-.]\d+)*(?::\d{4})?[a-z]{0,2}(?![^\W_])")
_LONE_YEAR: Final = re.compile(rf"{_YEAR}(?![^\W_]|[.,:]\d|\s?[%€$])")
_RUN: Final = re.compile(r"\d+")
_FISCAL: Final = re.compile(r"\d{2,4}(?:[-/]\d{2,4})?(?![^\W_])")
_BEFORE: Final = 32
_OPENED: Final = "([\"'“„"
_LATIN: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ERA: Final = ("令和", "平成", "昭和", "大正", "明治", "民国")
_UNSPACED_END: Final = re.compile(f".*[{UNSPACED}]")
_NAMED: Final = re.compile(r"[^\W\d_]*[A-Z][^\W_]*[+#]*")


def numbered(text: str) -> list[Numbered]:
    """Dates, amounts and versions, ascending and disjoint. Time is linear in the text."""
    found: list[Numbered] = []
    done = 0
    for run in _RUN.finditer(text):
        if run.start() >= done and (one := _read(text, run.start(), run.end(), done)):
            found.append(one)
            done = one.end
    return found


def _read(text: str, at: int, behind: int, floor: int) -> Numbered | None:
    """What the number at an offset is, its first digits ending `behind`; nothing before `floor` belongs to it."""
    before = text[max(at - _BEFORE, floor) : at]
    last = before[-1:]
    if last.isalpha() and last.isascii():
        return _attached(text, at, before)
    if last and last in "-_/#" and before[-2:-1].isalnum():
        return None  # inside an identifier
    if text[behind : behind + 1] in _DATE_SIGNS or text[behind : behind + 2] in ("st", "nd", "rd", "th", "er"):
        end = _date(text, at)
        if end > at:
            return Numbered("date", at - 2 if before.endswith(_ERA) else at, end)
    return _led(text, at, before) or _alone(text, at, before)


def _date(text: str, at: int) -> int:
    """Where the date at an offset ends; the offset itself where there is none."""
    if found := _DATES.match(text, at) or _QUARTERS.match(text, at):
        return found.end()
    day = _DAYS.match(text, at)
    month = _UNIT.match(text, day.end()) if day else None
    if day is None or month is None or month.start(1) != day.end() or month[1].casefold() not in MONTHS:
        return at
    year = _OF_YEAR.match(text, month.end(1))
    return year.end() if year else month.end(1)


def _led(text: str, at: int, before: str) -> Numbered | None:
    """A number that the word or sign before it explains."""
    bare = before.rstrip(" \u00a0")
    if not bare or bare[-1].isspace() or len(before) - len(bare) > 1:
        return None
    if bare[-1] in CURRENCY_SIGNS:
        sign = at - len(before) + len(bare) - 1
        while sign > max(at - len(before), at - 5) and text[sign - 1].isupper():
            sign -= 1  # US$, R$
        return Numbered("amount", sign, _amount(text, at, money=True)[0])
    words = bare.rsplit(None, 2)
    word = _UNSPACED_END.sub("", words[-1].lstrip(_OPENED))
    start = at - len(before) + len(bare) - len(word)
    return _worded(text, at, start, word, words) if word else None


def _worded(text: str, at: int, start: int, word: str, words: list[str]) -> Numbered | None:
    """A number behind a word that begins at `start`, the last of `words`."""
    folded = word.casefold()
    if folded in CURRENCY_LEADS:
        return Numbered("amount", start, _amount(text, at, money=True)[0])
    if folded.rstrip(".") in MONTHS:
        return _span("date", _AFTER_MONTH, text, start, at)
    if folded in ("de", "del") and len(words) > 1 and words[-2].casefold() in MONTHS:
        return _span("date", _LONE_YEAR, text, text.rindex(words[-2], 0, start), at)
    form = _STANDARD if folded in STANDARDS and word.isupper() else _VERSION if folded in VERSION_LEADS else None
    if form is None and _NAMED.fullmatch(word) and not _amount(text, at)[1]:
        form = _DOTTED
    return _span("version", form, text, start, at) if form else None


def _alone(text: str, at: int, before: str) -> Numbered | None:
    """A number that explains itself, or that what follows explains."""
    last = before[-1:]
    if last.isdigit() or (last in (".", ",", ":") and before[-2:-1].isdigit()):
        return None
    end, united = _amount(text, at)
    if united:
        signed = last and last in "+-−±~≈<>≤≥" and not before[-2:-1].isalnum()
        return Numbered("amount", at - 1 if signed else at, end)
    dotted = _DOTTED.match(text, at)
    if dotted and dotted[0].count(".") == 2:
        return Numbered("version", at, dotted.end())
    word = before.rstrip().rsplit(None, 1)[-1].casefold().lstrip(_OPENED) if before.strip() else ""
    if (word in YEAR_LEADS or last in ("(", "©")) and (found := _LONE_YEAR.match(text, at)):
        return Numbered("date", at, found.end())
    return None


def _amount(text: str, at: int, *, money: bool = False) -> tuple[int, bool]:
    """Where the sum, measure or range of them at an offset ends, and whether a unit or a scale makes it one.

    Of `money` a letter is a scale: $3M, €20k.
    """
    end, united = _quantity(text, at, money=money)
    further = _RANGE.match(text, end)
    if further is None:
        return end, united
    last, also = _quantity(text, further.end(), money=money)
    return (last, True) if also or (united and last > further.end()) else (end, united)


def _quantity(text: str, at: int, *, money: bool) -> tuple[int, bool]:
    """Where a number with its scale and unit ends, and whether it has one."""
    number = _NUMBER.match(text, at)
    if number is None:
        return at, False
    end, united = number.end(), False
    if scale := (_SHORT_SCALE if money else _CJK_SCALE).match(text, end):
        end, united = scale.end(), True
    if counted := _COUNTED_DAYS.match(text, end):
        return counted.end(), True
    word = _UNIT.match(text, end)
    if word and word[1].casefold() in _SCALE_WORDS:
        end, united = word.end(1), True
        word = _UNIT.match(text, end + 3) if text[end : end + 4] in (" de ", " of ") else _UNIT.match(text, end)
    if word and (word[1] in _UNIT_WORDS or word[1].casefold() in _UNIT_WORDS):
        return word.end(1), True
    if found := _SIGN.match(text, end) or _CJK_UNIT.match(text, end):
        return found.end(), True
    return end, united


def _attached(text: str, at: int, before: str) -> Numbered | None:
    """A number right behind Latin letters: `v3.11`, `Q3 2024`, `USD500`."""
    letters = before[len(before.rstrip(_LATIN)) :]
    start = at - len(letters)
    if start and text[start - 1].isalnum() and text[start - 1].isascii():
        return None
    if letters in ("v", "V"):
        return _span("version", _VERSION, text, start, at)
    if letters == "FY":
        return _span("date", _FISCAL, text, start, at)
    if letters in ("Q", "H", "T") and (found := _QUARTER.match(text, at)):
        named = (letters == "Q" or len(found[0]) > 1) and not text[found.end() : found.end() + 1].isalnum()
        return Numbered("date", start, found.end()) if named else None
    if letters.casefold() in CURRENCY_LEADS and len(letters) > 1:
        return Numbered("amount", start, _amount(text, at, money=True)[0])
    return None


def _span(kind: Kind, pattern: re.Pattern[str], text: str, start: int, at: int) -> Numbered | None:
    """What begins at `start` and whose number, at `at`, is as the pattern says."""
    found = pattern.match(text, at)
    return Numbered(kind, start, found.end()) if found else None
